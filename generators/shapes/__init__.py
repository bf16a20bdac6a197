"""Shapes of four quadrants and up to four layers, and the operations that deform them."""
