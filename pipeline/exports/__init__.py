"""Exports: what scoring found, in the forms of other people's collections; each is a module."""
