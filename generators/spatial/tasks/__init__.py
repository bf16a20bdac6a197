"""The tasks of the spatial family, one module each; every module exports one TASK."""
