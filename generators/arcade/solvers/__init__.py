"""Exact solvers that know no game."""
