"""The tasks of the chamber family, one module each; every module exports one TASK."""
