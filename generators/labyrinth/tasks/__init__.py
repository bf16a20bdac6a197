"""The tasks of the labyrinth family, one module each; every module exports one TASK."""
