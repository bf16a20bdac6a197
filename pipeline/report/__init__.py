"""Templates of what a dataset says about itself."""
