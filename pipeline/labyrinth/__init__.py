"""Labyrinths in the pipeline: imported puzzles and baseline players."""
