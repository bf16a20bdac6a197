"""Spot: a mark on the floor at which a thing can be put down."""

from __future__ import annotations

from facelet.generators.chamber.world.device_protocol import Device


class Spot(Device):
    """The kind; see the module."""

    kind = "spot"
    letter = "Q"
    noun = "spot"
    verbs = frozenset({"put"})


DEVICE = Spot()
