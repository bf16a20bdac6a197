"""Cube Bench's closed loop, step by step: as an episode, and as a graph of decisions."""
