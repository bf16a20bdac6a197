"""Pieces, the hull of the cube, and random hulls cut into pieces."""
