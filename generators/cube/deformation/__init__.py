"""The cube of Inf-Bench: deformed by all 54 rotations."""
