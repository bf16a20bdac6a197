"""Jigsaw cubes in the pipeline: imported puzzles and baseline players."""
