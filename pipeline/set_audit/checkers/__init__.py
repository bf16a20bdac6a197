"""Short checkers of witnesses. They import only the standard library."""
