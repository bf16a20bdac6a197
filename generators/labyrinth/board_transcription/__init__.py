"""Boards to be read off a picture: instances, and grids read out of replies."""
