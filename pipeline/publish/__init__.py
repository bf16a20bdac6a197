"""Publish: a built dataset becomes a version on the Hugging Face Hub, whole or not at all."""
