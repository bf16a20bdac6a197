"""The tasks of the family."""
