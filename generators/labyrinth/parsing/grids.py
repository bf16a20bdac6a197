"""Grids: seven rows of seven tokens, read out of a reply."""

from __future__ import annotations

import re

from facelet.generators.core.replies.mentions import mentioned
from facelet.generators.core.replies.plain_text import squeeze_blanks, without_latex
from facelet.generators.labyrinth.board.boards import CELLS, SIDE

_BETWEEN = re.compile(r"(?:[ ,;:.|\[\](){}]|[Rr]ow ?[0-7]|\b[0-7]\b)*")
# A hyphen begins an item of a list, unless it is a token itself.
_BULLETS = re.compile(r"(?:[ ,;:.|\[\](){}-]|[Rr]ow ?[0-7]|\b[0-7]\b)*")
_BLANKS = re.compile(r"[\s'\"`*\u2018\u2019\u201c\u201d]+")


def read_grid(text: str, token: str) -> tuple[str, ...] | None:
    """Return the 49 tokens of the last grid in a text that is given and not only mentioned.

    A grid is seven rows of seven tokens with nothing but brackets, commas, bars, blanks and the
    names or numbers of rows between them; a run of more or fewer rows is none.

    Args:
        text: what may hold a grid.
        token: a regular expression for one token, without groups.
    """
    plain, lines = squeeze_blanks(_BLANKS, without_latex(text))
    row = re.compile(rf"(?<![\w-]){token}(?:[ ,|&]{{1,4}}{token}){{{SIDE - 1}}}(?![\w-])")
    between = _BETWEEN if re.fullmatch(token, "-") else _BULLETS
    run: list[str] = []
    given: list[str] = []
    start = end = 0
    for found in row.finditer(plain):
        said = len(run) == CELLS and mentioned(lines, start, end)
        if said or not between.fullmatch(plain, end, found.start()):
            given = run if len(run) == CELLS and not said else given
            run = []
        start = start if run else found.start()
        run += re.findall(token, found[0])
        end = found.end()
    if len(run) == CELLS and mentioned(lines, start, end):
        run = given
    return tuple(run) if len(run) == CELLS else None
