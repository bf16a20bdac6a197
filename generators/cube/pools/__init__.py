"""Pools of certified states: shallow shells, random words, stored states, and their splits."""
