"""Assemblies: which close the cube, what is wrong with the others, and how far off those are."""
