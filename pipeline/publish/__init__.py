"""Publish a built dataset as a version on the Hugging Face Hub, atomically."""
