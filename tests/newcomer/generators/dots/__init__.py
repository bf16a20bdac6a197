"""Dots: sheets of squares, some of them filled."""
