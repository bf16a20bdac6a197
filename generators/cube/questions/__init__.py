"""Questions about one cube state: what is asked, and among which options."""
