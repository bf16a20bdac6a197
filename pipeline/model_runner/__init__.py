"""Run a model on a server over rows of a dataset."""
