"""Exact distance: pruning tables, search, certificates, and pools of certified states."""
