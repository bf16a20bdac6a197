"""Plan how many rows an evaluation needs."""
