"""Markers: how published chat templates end a turn, and how models mark their reasoning."""
