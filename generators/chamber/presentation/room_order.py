"""Rooms: their order, and what lies in which.

Rooms are numbered along the way from the start, so that a number says nothing that an exchange of
names or a turn of the chamber would change.
"""

from __future__ import annotations

from functools import lru_cache

from facelet.generators.chamber.world.chambers import Chamber, Room
from facelet.generators.chamber.world.grid import Cell

Column = tuple[int, int]


class Rooms:
    """The rooms of a chamber.

    Attributes:
        boxes: their boxes of columns, in order.
        doorways: the columns between two rooms, with the places of both in `boxes`.
    """

    def __init__(self, chamber: Chamber) -> None:
        """Order them: by how many doorways lie between a room and the start."""
        self._chamber = chamber
        boxes = sorted(chamber.rooms)
        wide, deep, _ = chamber.size
        joined: dict[Column, tuple[int, ...]] = {}
        for place in (divmod(number, wide) for number in range(wide * deep)):
            column = place[1], place[0]
            if self._open(column) and _inside(column, boxes) is None:
                around = {_inside(beside, boxes) for beside in _beside(column)} - {None}
                joined[column] = tuple(sorted(room for room in around if room is not None))
        first = _inside(chamber.of("start")[0].cell[:2], boxes) or 0
        away, queue = {first: 0}, [first]
        for room in queue:
            for rooms in joined.values():
                if room in rooms:
                    for other in rooms:
                        if other not in away:
                            away[other] = away[room] + 1
                            queue.append(other)
        order = sorted(range(len(boxes)), key=lambda room: (away.get(room, len(boxes)), room))
        number = {room: place for place, room in enumerate(order)}
        self.boxes: tuple[Room, ...] = tuple(boxes[room] for room in order)
        self.doorways = {
            column: tuple(sorted(number[room] for room in rooms))
            for column, rooms in joined.items()
        }

    def of(self, cell: Cell) -> int | None:
        """Return the place of the room that a cell lies in; None in a doorway."""
        return _inside(cell[:2], self.boxes)

    def _open(self, column: Column) -> bool:
        at = column[0] + self._chamber.size[0] * column[1]
        return self._chamber.floors[at] < self._chamber.ceilings[at]


def _inside(column: Column, boxes: tuple[Room, ...] | list[Room]) -> int | None:
    for number, (west, south, east, north) in enumerate(boxes):
        if west <= column[0] < east and south <= column[1] < north:
            return number
    return None


def _beside(column: Column) -> tuple[Column, ...]:
    x, y = column
    return (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)


@lru_cache(maxsize=64)
def rooms(chamber: Chamber) -> Rooms:
    """Return the rooms of a chamber; the same object as long as it is remembered."""
    return Rooms(chamber)
