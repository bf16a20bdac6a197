"""Grade predictions: replay each against its row and store its outcome."""
