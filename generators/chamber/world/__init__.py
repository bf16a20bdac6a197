"""Records of chambers: the grid, fixtures, steps, and the interface of devices."""
