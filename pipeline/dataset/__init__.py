"""A published folder: its rows, files, hashes, and how they are read back."""
