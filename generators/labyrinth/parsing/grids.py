"""Grids: seven rows of seven tokens, read out of a reply."""

from __future__ import annotations

import re

from facelet.generators.labyrinth.board.boards import CELLS, SIDE

_BLANKS = re.compile(r"[\s'\"`*\u2018\u2019\u201c\u201d]+")


def read_grid(text: str, token: str) -> tuple[str, ...] | None:
    """Return the 49 tokens of the last grid in a text, row by row.

    A grid is seven rows of seven tokens with nothing but brackets, commas, bars and blanks between
    them; a run of more or fewer rows is none.

    Args:
        text: what may hold a grid.
        token: a regular expression for one token, without groups.
    """
    plain = _BLANKS.sub(" ", text)
    row = re.compile(rf"(?<![\w-]){token}(?:[ ,|]{{1,4}}{token}){{{SIDE - 1}}}(?![\w-])")
    between = re.compile(r"[ ,;|\[\](){}]*")
    run: list[str] = []
    end = 0
    for found in row.finditer(plain):
        if not between.fullmatch(plain, end, found.start()):
            run = []
        run += re.findall(token, found[0])
        end = found.end()
    return tuple(run) if len(run) == CELLS else None
