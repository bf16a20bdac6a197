"""Asking a model on a server: how it is asked, which rows, and the plays."""
