"""Spatial tests in the pipeline: baseline players."""
