"""Importing: others' own items as rows of our columns, under their own ids."""
