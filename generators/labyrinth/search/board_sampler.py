"""Sample boards with a treasure at an exact number of turns, and choose one way to it.

Insertions move pawn and treasure independently of the tiles, so a list of insertions that solves
one board solves every board with pawn and treasure on the same cells. Boards four turns apart have
few such pairs of cells: one list of eight insertions without moves solved 12% of them.
`meeting_insertions` counts the insertions that bring two cells together; a draw can reject pairs
with few.

Half of the treasures are on tiles that never move, so a target's name reveals its cell: one reply
for each name solved half of the boards at no turn, and a fifth at four. A draw can take its target
from the loose tiles; then up to three turns each loose cell is as likely, and at four turns common
pairs are rare.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from facelet.generators.core.seeding import Name, digest_names
from facelet.generators.core.task import Reject
from facelet.generators.labyrinth.board.actions import Turn, make_move
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    EMPTY,
    FIXED,
    LETTERS,
    LOOSE_LETTERS,
    SLOTS,
    SPARE,
    Board,
    draw_board,
    shift_pawn,
)
from facelet.generators.labyrinth.search import exact_search
from facelet.generators.labyrinth.search.exact_search import WayCounts

BOARDS = 600
"""Boards that one draw tries before it is rejected."""
LOOSE_BOARDS = 6_000
"""The same where targets are on loose tiles."""
HARD = 4
"""From this number of turns on the pawn is tried on all cells: with a random pawn, only one board
in some thousands has a treasure that far away."""


COMMON = frozenset({(33, 2), (11, 28), (15, 46), (37, 20), (42, 11), (48, 15), (0, 33), (6, 37)})
"""Cells of pawn and target, a quarter turn of the board apart: more than half of all that are four
turns apart and that insertions alone do not bring together. A list of insertions that ends in one
walk to such a target won 2.3% of 400 boards that it was not tuned on."""
KEPT = 6
"""One of this many such boards is kept, so that these pairs are not more common than others."""
KEPT_LOOSE = 60
"""The same where targets are on loose tiles, where these pairs are nine of ten."""
CROWDED = frozenset({11, 15, 33, 37})
"""Loose cells with nearly all targets four turns away; of other pairs one of KEPT is kept."""
LOOSE_CELLS = tuple(cell for cell in range(CELLS) if cell not in FIXED)
NEVER = CELLS
"""Stands for the number of insertions where none bring two cells together."""


def find_board(
    turns: int, rng: np.random.Generator, shifts: int = 0, *, loose: bool = False
) -> tuple[Board, str]:
    """Return a random board, and a treasure on it that takes exactly `turns` turns.

    The treasure cannot be walked to at the start unless `turns` is 0.

    Args:
        turns: the fewest insertions that are needed.
        rng: the item's generator.
        shifts: this many insertions never bring pawn and treasure together while the pawn stays.
        loose: whether the treasure is on a loose tile, evenly over cells below HARD turns.

    Raises:
        Reject: none of BOARDS boards, or LOOSE_BOARDS, has one.
    """
    tries = LOOSE_BOARDS if loose else BOARDS
    cell = int(rng.choice(LOOSE_CELLS)) if loose and turns < HARD else None
    for _ in range(tries):
        board = draw_board(rng)
        letters = LOOSE_LETTERS if loose else LETTERS
        if cell is not None:
            letters = board.treasures[cell].replace(EMPTY, "")
        found = [
            (pawn, letter)
            for pawn, letter in _distant_pairs(board, turns, letters, any_pawn=loose)
            if meeting_insertions()[pawn][board.treasure_cell(letter)] > shifts
        ]
        for index in rng.permutation(len(found)).tolist():
            pawn, letter = found[index]
            start = board.move_pawn(pawn)
            if shifts and turns >= HARD:
                odds = _thinning(pawn, board.treasure_cell(letter), loose=loose)
                if odds > 1 and rng.integers(odds):
                    continue
            if turns < HARD or exact_search.fewest_turns(start, letter, turns) == turns:
                return start, letter
    raise Reject(f"none of {tries} boards has a treasure {turns} turns away")


def _thinning(pawn: int, cell: int, *, loose: bool) -> int:
    """Return of how many boards with pawn and target on these cells one is kept."""
    if (pawn, cell) in COMMON:
        return KEPT_LOOSE if loose else KEPT
    return KEPT if loose and cell in CROWDED else 1


@cache
def meeting_insertions() -> tuple[tuple[int, ...], ...]:
    """Return the fewest insertions that bring a pawn and a treasure together, by their places.

    The pawn stays where it is carried. Insertions that undo the one before count as well, so where
    more are needed than a plan has, no plan of insertions alone is right, on any board.

    Returns:
        By cell of the pawn, then by place of the treasure (the spare tile's is the last); NEVER
        where nothing brings them together.
    """
    pawns = [[shift_pawn(cell, slot) for cell in range(CELLS)] for slot in SLOTS]
    tiles = [list(range(CELLS + 1)) for _ in SLOTS]
    for moved, slot in zip(tiles, SLOTS, strict=True):
        line = slot.line_cells
        for before, after in zip((SPARE, *line), (*line, SPARE), strict=True):
            moved[before] = after
    least = [[0 if cell == place else NEVER for place in range(CELLS + 1)] for cell in range(CELLS)]
    changed, number = True, 0
    while changed:
        number += 1
        near = [
            (cell, place)
            for cell in range(CELLS)
            for place in range(CELLS + 1)
            if least[cell][place] == NEVER
            and any(
                least[pawn[cell]][tile[place]] == number - 1
                for pawn, tile in zip(pawns, tiles, strict=True)
            )
        ]
        for cell, place in near:
            least[cell][place] = number
        changed = bool(near)
    return tuple(map(tuple, least))


def _distant_pairs(
    board: Board, turns: int, letters: str, *, any_pawn: bool
) -> list[tuple[int, str]]:
    """Return cells and treasures `turns` apart; from HARD on, at least `turns` apart.

    Args:
        board: the board.
        turns: the fewest insertions that are needed.
        letters: the treasures; one on the spare tile is left out.
        any_pawn: whether the pawn is tried on all cells below HARD turns too.
    """
    on_board = [letter for letter in letters if board.treasure_cell(letter) != SPARE]
    if turns == 0:
        near = board.reachable_cells() - {board.pawn}
        return [(board.pawn, letter) for letter in on_board if board.treasure_cell(letter) in near]
    cells = range(CELLS) if any_pawn or turns >= HARD else None
    found = exact_search.survey_turns(board, on_board, min(turns, HARD - 1), cells)
    return [
        (pawn, letter)
        for (pawn, letter), least in found.items()
        if least == turns and board.treasure_cell(letter) not in board.reachable_cells(pawn)
    ]


def solve_board(board: Board, target: str, turns: int) -> tuple[WayCounts, tuple[Turn, ...]]:
    """Count the shortest ways to a target, and choose one.

    Which insertions are chosen follows from board and target alone, uniformly over all ways.

    Args:
        board: the board.
        target: the letter of the treasure.
        turns: the fewest insertions that are needed; 0 where the pawn can walk there.
    """
    if turns == 0:
        chance = float(f"{1 / len(board.reachable_cells()):.6g}")
        return WayCounts(1, 1, chance), ((make_move(board.treasure_cell(target), board.pawn),),)
    ways = exact_search.count_ways(board, target, turns)
    content: tuple[Name, ...] = (*board.tiles, board.treasures, board.pawn, target)
    pick = int.from_bytes(digest_names("labyrinth", *content)[:8], "little") % ways.insertions
    return ways, exact_search.build_plan(
        board, target, exact_search.find_way(board, target, turns, pick)
    )
