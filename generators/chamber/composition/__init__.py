"""Compose chambers: rooms with locks and keys from the start to the exit, and decoys."""
