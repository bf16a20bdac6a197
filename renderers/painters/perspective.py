"""Project points through a perspective camera that looks at the origin."""

from __future__ import annotations

from dataclasses import dataclass

Point = tuple[float, float]
Solid = tuple[float, float, float]


def dot_product(one: Solid, other: Solid) -> float:
    """Return the dot product of two vectors."""
    return one[0] * other[0] + one[1] * other[1] + one[2] * other[2]


@dataclass(frozen=True, slots=True)
class PerspectiveCamera:
    """A camera that looks at the origin.

    Attributes:
        distance: its distance from the origin.
        towards: the unit vector from the origin to the camera.
        right: the unit vector to the right of the picture.
        up: the unit vector to the top of the picture.
    """

    distance: float
    towards: Solid
    right: Solid
    up: Solid

    @property
    def eye_position(self) -> Solid:
        """Where it is."""
        x, y, z = (self.distance * part for part in self.towards)
        return x, y, z

    def project_point(self, point: Solid) -> Point:
        """Return where a point appears, to the right of and below the middle of the picture."""
        depth = 1 - dot_product(point, self.towards) / self.distance
        return dot_product(point, self.right) / depth, -dot_product(point, self.up) / depth
