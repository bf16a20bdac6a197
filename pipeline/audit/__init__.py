"""Whether a dataset is fair, measured from its published rows."""
