"""Counting: the figures of judged predictions, each with its interval."""
