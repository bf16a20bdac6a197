"""Import of other people's items as our rows, under their own ids."""
