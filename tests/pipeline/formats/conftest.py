from small_datasets import publish

__all__ = ["publish"]
