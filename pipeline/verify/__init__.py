"""Verify a published dataset: files, rows, and proofs of its claims."""
