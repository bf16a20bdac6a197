"""Number the rooms of a chamber and find the room of a cell.

Rooms are numbered by their distance from the start, so that the numbers do not change when names
are exchanged or the chamber is turned.
"""

from __future__ import annotations

from functools import lru_cache

from facelet.generators.chamber.world.chamber_records import Cell, Chamber, Room

Column = tuple[int, int]


class RoomOrder:
    """The rooms of a chamber.

    Attributes:
        boxes: their boxes of columns, in order.
        doorways: the columns between two rooms, with the places of both in `boxes`.
    """

    def __init__(self, chamber: Chamber) -> None:
        """Order them: by how many doorways lie between a room and the start."""
        boxes = sorted(chamber.rooms)
        wide, deep, _ = chamber.size
        joined: dict[Column, tuple[int, ...]] = {}
        for place in (divmod(number, wide) for number in range(wide * deep)):
            column = place[1], place[0]
            if chamber.is_open(column) and _room_containing(column, boxes) is None:
                around = {
                    _room_containing(beside, boxes) for beside in _neighbour_columns(column)
                } - {None}
                joined[column] = tuple(sorted(room for room in around if room is not None))
        first = _room_containing(chamber.fixtures_of("start")[0].first_cell[:2], boxes) or 0
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

    def room_of(self, cell: Cell) -> int | None:
        """Return the number of the room of a cell, from 0; None in a doorway."""
        return _room_containing(cell[:2], self.boxes)


def _room_containing(column: Column, boxes: tuple[Room, ...] | list[Room]) -> int | None:
    for number, (west, south, east, north) in enumerate(boxes):
        if west <= column[0] < east and south <= column[1] < north:
            return number
    return None


def _neighbour_columns(column: Column) -> tuple[Column, ...]:
    x, y = column
    return (x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)


@lru_cache(maxsize=64)
def order_rooms(chamber: Chamber) -> RoomOrder:
    """Return the rooms of a chamber; the same object as long as it is remembered."""
    return RoomOrder(chamber)
