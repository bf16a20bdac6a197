"""Reference players that are too long for the modules of their games."""
