"""A sheet of squares, some of them filled."""

from __future__ import annotations

from PIL import Image

from facelet.renderers.scenes.dots import DotSheet

SIDE = 24
"""Edge of a square in pixels."""


def draw_sheet(scene: DotSheet) -> Image.Image:
    """Return the picture: mode P, SIDE pixels a square."""
    rows = len(scene.squares) // scene.width
    small = Image.frombytes("P", (scene.width, rows), bytes(map(int, scene.squares)))
    small.putpalette([255, 255, 255, 32, 32, 32])
    return small.resize((scene.width * SIDE, rows * SIDE), Image.Resampling.NEAREST)


PAINTERS = {DotSheet: draw_sheet}
