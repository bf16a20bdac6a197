"""Whether a published dataset is true: files, rows, and claims proven again."""
