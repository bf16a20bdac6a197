"""Read and describe a published dataset folder: rows, files, hashes, manifest."""
