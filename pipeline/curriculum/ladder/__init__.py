"""Ladders: how far up its levels a player climbs, for every task with levels."""
