"""Audit public puzzle sets: prove their claims again, and show a witness of each refutation.

Each module of a folder `puzzle_sets` is one set. `checkers` accept or reject witnesses; they import
nothing of the program, so that an error in an engine cannot confirm itself.
"""
