"""Option sets balanced by construction, and the statistics that prove it."""
