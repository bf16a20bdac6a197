"""The tasks of the shapes family, one module each; every module exports one TASK."""
