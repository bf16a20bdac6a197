"""Recorded pictures of sheets of squares."""

from facelet.renderers.scenes.dots import DotSheet

SCENES = {"dots/sheet": DotSheet("011000101010")}
