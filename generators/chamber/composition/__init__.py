"""Composing chambers: rooms in a row of locks and keys, from the start to the exit, and decoys."""
