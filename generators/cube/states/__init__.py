"""Certified states: how they look, read and are published."""
