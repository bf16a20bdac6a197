"""A page on this machine where people answer the rows that models get."""
