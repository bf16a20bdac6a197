"""The tasks of the cube family, one module each; every module exports one TASK."""
