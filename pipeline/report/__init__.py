"""Report: pages and charts of what was scored, of a dataset, and for people who answer it."""
