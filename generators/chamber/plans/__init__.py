"""Search for shortest plans, make mistakes in them, and write them as sentences."""
