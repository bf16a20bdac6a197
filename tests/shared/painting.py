"""Pictures as their painters draw them: in palette mode, so that tests can look for a code."""

from __future__ import annotations

from facelet.renderers.api import Drawing, painters_by_scene
from facelet.renderers.scenes.records import Scene


def paint(scene: Scene) -> Drawing:
    """Return a scene as its painter draws it, before it becomes RGB."""
    return painters_by_scene()[type(scene)](scene)
