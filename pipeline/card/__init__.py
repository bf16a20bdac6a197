"""The dataset card and changelog, written from the manifest."""
