"""How a dataset is made, scored and proven: the one package that knows disks and processes."""

__version__ = "0.1.0"
