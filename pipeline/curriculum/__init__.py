"""What to build next, from what a model scored: next levels, its limit, and more of what failed."""
