"""Small datasets of any task as a build publishes them."""

from small_datasets import publish

__all__ = ["publish"]
