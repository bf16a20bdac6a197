"""Jigsaw cubes (MARBLE, M-CUBE): six flat pieces with bumps and gaps that close a hollow cube."""
