"""Option sets balanced by construction, and the figures that prove it."""
