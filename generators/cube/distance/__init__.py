"""Exact distance: pruning tables, search, certificates, the oracle, and the two-phase solver."""
