"""Assemblies: all that close the cube, what is wrong with others, and how far off they are."""
