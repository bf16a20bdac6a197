"""Guessing: hidden numbers."""
