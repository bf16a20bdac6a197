"""Write the rules and a board for prompts. The texts are our own, after MARBLE (D.3)."""

from __future__ import annotations

import json

from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    EMPTY,
    NAME_OF,
    SPARE,
    Board,
    cell_to_position,
    split_into_rows,
    tile_name,
)
from facelet.generators.labyrinth.presentation.displays import (
    Display,
    board_scene,
    visible_treasures,
)

SYSTEM = "You plan moves in the shifting labyrinth, a board game of sliding tiles, and follow its \
rules exactly."

NAMES = """\
Names of tiles: a shape and a rotation. North is up; a rotation turns clockwise.
- I, straight: I0 is open to north and south, I1 to east and west (I2 and I3 are other names of I0 \
and I1).
- L, corner: L0 is open to north and east, L1 to east and south, L2 to south and west, L3 to west \
and north.
- T, junction: T0 is open to all sides but south, T1 to all but west, T2 to all but north, T3 to \
all but east."""

POSITIONS = "Positions are (x, y): x is the column, from 0 at the left to 6, and y the row, from 0 \
at the top to 6."

RULES = f"""\
The board has 7 x 7 tiles with corridors; one extra tile lies beside it. You move a pawn and want \
to bring it onto the tile of the target treasure. {POSITIONS}

{NAMES}

A turn is an INSERT and then a MOVE.

INSERT(side, slot, rotation) turns the extra tile to a rotation from 0 to 3 and pushes it into the \
board from a side: top, bottom, left or right.
- From top or bottom, slot is the column; from left or right, slot is the row. Only slots 1, 3 and \
5 can move.
- The whole column or row moves on by one tile, away from the side that is pushed. The tile at the \
far end falls out and is the new extra tile.
- Treasures stay on their tiles: they move with them, leave the board with a tile that falls out, \
and come back only when that tile is pushed in.
- A pawn on that column or row moves with its tile. A pawn whose tile falls out is put onto the \
tile that was just pushed in, at the opposite end.
- An insertion must not undo the one before it: the same slot from the opposite side is forbidden.

MOVE(x, y) brings the pawn to any tile that corridors lead to from where it stands, however far. \
Two neighbouring tiles are connected only if both are open towards each other. MOVE() stays where \
it is; it must be written.

You succeed as soon as the pawn stands on the target's tile at the end of a turn."""

PICTURE = "The picture shows the board seen from above: walls are dark, corridors are light. The \
green disc P1 is the pawn; treasures are black icons on white discs. Yellow arrows mark the slots. \
The panel on the right shows the extra tile as it lies, and the target."
OVERLAY = "Each tile carries its position x,y in its upper left corner and its name in its lower \
right corner."


def picture_guide(display: Display) -> str:
    """Return how to read the picture."""
    return f"{PICTURE} {OVERLAY}" if display.has_overlay else PICTURE


def board_prompt(board: Board, target: str, display: Display, parts: list[str]) -> Prompt:
    """Return a prompt with the picture of a board, where there is one, and texts.

    Args:
        board: the board.
        target: the letter of the target.
        display: how it is shown.
        parts: the texts.
    """
    if not display.has_picture:
        return chat_prompt(SYSTEM, "\n\n".join(parts))
    text = "\n\n".join([picture_guide(display), *parts])
    return chat_prompt(SYSTEM, board_scene(board, target, display), text)


def format_matrix(values: list[list[str]]) -> str:
    """Return seven rows as a list of lists, one row a line."""
    rows = ",\n ".join(json.dumps(row) for row in values)
    return f"[{rows}]"


def state_text(board: Board, target: str, display: Display, phase: str) -> str:
    """Return the description of a board for a prompt, as far as its display allows.

    Args:
        board: the board.
        target: the letter of the target.
        display: how it is shown.
        phase: what is due, "INSERT" or "MOVE".
    """
    last = "none" if board.last is None else f"side {board.last.side}, slot {board.last.lane}"
    lines = [
        f"Phase: {phase}",
        f"Target: {NAME_OF[target]}",
        f"Last insertion: {last}",
    ]
    if display.has_state_text:
        treasures = visible_treasures(board, target, display.objects)
        letters = sorted(set(treasures) - {EMPTY})
        lines[1] = f"Target: {NAME_OF[target]}, letter {target}"
        on_spare = treasures[SPARE]
        carries = "" if on_spare == EMPTY else f", carrying the treasure {on_spare}"
        lines += [
            "Board, row by row from the "
            f"top:\n{format_matrix(split_into_rows(map(tile_name, board.tiles[:CELLS])))}",
            f"Treasures, row by row from the top, {EMPTY} for none:\n"
            f"{format_matrix(split_into_rows(treasures[:CELLS]))}",
        ]
        if letters != [target]:
            named = ", ".join(f"{letter} {NAME_OF[letter]}" for letter in letters)
            lines.append(f"Letters: {named}")
        lines += [
            f"Extra tile: {tile_name(board.spare_tile)}{carries}",
            f"Pawn: {cell_to_position(board.pawn)}",
        ]
    return "\n".join(lines)
