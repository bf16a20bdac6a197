"""Questions about one cube state, and their options."""
