"""Pieces, the hull of the cube that they close, and random hulls cut into pieces."""
