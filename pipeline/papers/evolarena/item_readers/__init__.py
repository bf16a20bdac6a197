"""Reading: what the lines of the authors' items hold, a module for each of the paper's classes."""
