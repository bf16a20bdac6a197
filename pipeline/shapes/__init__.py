"""Shapes in the pipeline: imported puzzles, baseline players, reply widgets."""
