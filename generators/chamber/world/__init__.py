"""Chambers as records: the grid, the fixtures, the steps, and what a kind of device must say."""
