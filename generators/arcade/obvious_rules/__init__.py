"""Obvious rules of games: what an engineer plays at first sight, in about ten lines each."""
