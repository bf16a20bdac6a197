"""Chambers in the pipeline: pools of maps, proofs of shortest plans, baseline players."""
