"""Sets of what may be hidden, and metrics of what a player knew."""
