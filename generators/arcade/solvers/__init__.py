"""Exact solvers that several games share; they know no game."""
