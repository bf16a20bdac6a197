"""How a dataset is made, read again, proven, scored and played."""
