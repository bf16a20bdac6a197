"""Audit of a dataset: fairness figures and baseline players, from its published rows."""
