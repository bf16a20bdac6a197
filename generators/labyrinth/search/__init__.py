"""Exact search: the fewest turns to a treasure, all ways there, and boards of a wanted depth."""
