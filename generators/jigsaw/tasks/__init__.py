"""The tasks of the jigsaw family, one module each; every module exports one TASK."""
