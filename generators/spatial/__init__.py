"""Classic spatial tests with proven labels: turned solids, punched paper, views, standpoints."""
