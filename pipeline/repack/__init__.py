"""Repacking: a dataset's rows, one for one, in the forms that trainers stream; each is a module."""
