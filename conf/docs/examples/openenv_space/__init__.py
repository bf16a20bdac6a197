"""Facelet as an OpenEnv environment: its client, what it is told and what it tells."""

from facelet.pipeline.adapters.openenv import Client, Reply, Told

__all__ = ["Client", "Reply", "Told"]
