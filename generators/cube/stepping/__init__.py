"""Cube Bench's closed loop step by step, and its tree of decisions."""
