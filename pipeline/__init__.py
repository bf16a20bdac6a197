"""Build, read, verify, score, play and publish datasets."""
