"""Painters: one module a kind of scene, from records to pixels."""
