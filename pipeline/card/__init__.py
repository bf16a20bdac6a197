"""Write the dataset card and changelog from the manifest."""
