"""One module for each public set that is no family's own; each exports PUZZLE_SET.

Sets of a family are in its own folder `puzzle_sets`. No list names a set.
"""
