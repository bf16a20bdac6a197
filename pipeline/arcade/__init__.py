"""Games in the pipeline: their baseline players."""
