"""Pieces, the hull of the cube that they close, and random ones of both."""
