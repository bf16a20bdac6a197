"""Judging: each prediction is replayed against its row, and what became of it is kept."""
