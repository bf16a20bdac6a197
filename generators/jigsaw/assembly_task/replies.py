r"""Parse and write the six placements of an assembly.

The requested form is at the end of the reply (MARBLE, D.2):

    The final solution is
    A: (Back, 2, 1)
    ...
    F: (Front, 4, 3)

The rules of core.replies.boundary apply: thoughts do not count, only the tail is read, nothing is
guessed, time is linear. An answer is a complete list of six. There is no answer if another list or
later lines contradict it, or if the last announced final solution is not complete.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_last
from facelet.generators.core.replies.data_blocks import normalize_typing, record_lines, rewritten
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import squeeze_blanks, without_latex
from facelet.generators.jigsaw.assemblies.validator import LETTERS
from facelet.generators.jigsaw.geometry.cube_surface import FACES, Placement

OPENING = "The final solution is"

_FACE = "|".join(FACES)
_LINES = (rf"{letter}: \((?:{_FACE}), [1-4], [1-4]\)" for letter in LETTERS)
_STRICT = re.compile(
    rf"(?:\A|\n){OPENING}:?[ \t]*\n{{1,3}}" + r",?[ \t]*\n".join(_LINES) + r"[,.]?\Z"
)

_DECORATION = re.compile(r"[\s*`_$\"'\u2018\u2019\u201c\u201d\uff08\uff09()\[\]{}|]+")
_ANNOUNCED = re.compile(r"\bfinal (?:solution|answer)\b", re.IGNORECASE)
_ENTRY = re.compile(
    rf"(?<![A-Za-z0-9])(?P<letter>[A-F]) ?(?:[:=\uff1a\u2013\u2192-]{{1,2}}>?)? ?"
    r"(?:(?:goes|is|sits|belongs|placed) ){0,2}(?:on(?:to)? )?(?:the )?"
    rf"(?:(?i:face) ?[:=]? ?)?(?i:(?P<face>{_FACE}))(?i: face)? ?[,;]? ?(?:with )?"
    r"(?i:left(?: edge)? ?[:=]? ?)?(?i:edge ?)?(?P<left>[1-4])(?: (?:on the )?left)?"
    r" ?[,;]? ?(?:and )?(?i:top(?: edge)? ?[:=]? ?)?(?i:edge ?)?(?P<top>[1-4])(?![0-9])"
)


def format_line(letter: str, placement: Placement) -> str:
    """Return one line of an answer, such as "A: (Back, 2, 1)"."""
    return f"{letter}: {format_placement(placement)}"


def format_placement(placement: Placement) -> str:
    """Return a placement as "(Back, 2, 1)"."""
    face, left, top = placement
    return f"({face}, {left}, {top})"


def parse_label(text: str) -> Placement:
    """Return the placement that `format_placement` wrote.

    Raises:
        ValueError: it is not of that form.
    """
    if (found := re.fullmatch(rf"\(({_FACE}), ([1-4]), ([1-4])\)", text)) is None:
        raise ValueError(f"{text!r} is no placement; write it like (Back, 2, 1)")
    return Placement(found[1], int(found[2]), int(found[3]))


def format_lines(placements: Sequence[Placement]) -> str:
    """Return six lines, A to F."""
    return "\n".join(map(format_line, LETTERS, placements))


def read_placements(text: str) -> Parsed[tuple[Placement, ...]]:
    """Return where a reply puts the pieces A to F, even if that breaks a rule.

    Lenient: also other case, markdown, table rows, JSON, "A -> Back, edge 2, edge 1".
    """
    shown = visible_text(text)
    said = rewritten(
        normalize_typing(without_latex(shown)),
        record_lines(tuple(LETTERS), ("face", "left", "top")),
    )
    plain, lines = squeeze_blanks(_DECORATION, said)
    announced = [found.end() for found in _ANNOUNCED.finditer(plain)]
    entries = list(_ENTRY.finditer(plain))
    value = _last_list(lines, entries, announced[-1] if announced else 0)
    return Parsed(value, strict=value is not None and bool(_STRICT.search(shown)))


def _last_list(
    text: str, entries: Sequence[re.Match[str]], since: int
) -> tuple[Placement, ...] | None:
    """Return the complete list of six that is given; None if later lines contradict it.

    Args:
        text: the reply.
        entries: its lines.
        since: where the last announcement ends; what stands before it is only given where nothing
            follows.
    """
    found: list[Candidate[tuple[Placement, ...]]] = []
    run: dict[str, Placement] = {}
    start = 0
    for entry in entries:
        if (letter := entry["letter"]) in run or start < since <= entry.start():
            run = {}
        start = start if run else entry.start()
        run[letter] = Placement(entry["face"].capitalize(), int(entry["left"]), int(entry["top"]))
        if len(run) == len(LETTERS):
            found.append(Candidate(start, entry.end(), tuple(run[letter] for letter in LETTERS)))
            run = {}
    chosen = choose_last(text, found)
    value = chosen.value if chosen else None
    if not chosen or not value or chosen.start < since <= entries[-1].start():
        return None
    for entry in entries[len(entries) - len(run) :]:
        place = value[LETTERS.index(entry["letter"])]
        if run[entry["letter"]] != place and not is_mentioned(text, *entry.span()):
            return None
    return value
