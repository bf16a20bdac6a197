"""Facelet under a name that verifiers can load: its ids are top-level modules."""

from facelet.pipeline.adapters.verifiers import Environment, Player, Rows

__all__ = ["Environment", "Player", "Rows"]
