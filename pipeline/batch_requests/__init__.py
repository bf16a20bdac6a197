"""Requests: questions as the files that batch APIs take, and their answers back into plays."""
