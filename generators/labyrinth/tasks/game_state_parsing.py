"""Game state parsing: treasures, target, pawn and extra tile of a picture (MARBLE, F.3.2)."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.replies.array import read_grid
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_last
from facelet.generators.core.replies.data_blocks import json_values, normalize_typing, rows_of
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import squeeze_blanks
from facelet.generators.core.task import Outcome, Status
from facelet.generators.labyrinth.board import board_engine as board_engine
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    EMPTY,
    LETTERS,
    NAME_OF,
    NAMES,
    SIDE,
    parse_tile_name,
    split_into_rows,
    tile_name,
)
from facelet.generators.labyrinth.board_transcription.task import BoardParsingTask, Instance, Params
from facelet.generators.labyrinth.presentation import displays, rule_text

Elements = tuple[str, ...]
"""What is asked for, in this order: 49 treasures, target, its position, the pawn's, extra tile."""


_OPENING = "The state is:"

_USER = f"""\
Write down the state of the game. {rule_text.POSITIONS}

Treasures are written as letters: {", ".join(f"{x} {name}" for x, name in NAME_OF.items())}.

{rule_text.NAMES}

End your reply with this line and then one JSON object, where treasures holds seven lists of seven \
letters, row by row from the top, with "{EMPTY}" for a tile that shows none:
{_OPENING}
{{"treasures": [["..", ...], ...], "target": "..", "target_position": [x, y], "pawn": [x, y], \
"extra_tile": ".."}}"""


class GameStateParsing(BoardParsingTask):
    """The task; see the module.

    Metrics of an outcome, from 0 to 1: cell_accuracy, the share of the 49 cells whose treasure is
    right; filled_accuracy and empty_accuracy, the same over cells with and without a treasure;
    grid_accuracy, 1 if all are right; target_accuracy, target_position_accuracy, pawn_accuracy
    and extra_tile_accuracy, 1 if that is right; state_accuracy, 1 if everything is.
    """

    name: ClassVar[str] = "labyrinth/game_state_parsing"
    version: ClassVar[int] = 2
    _request: ClassVar[str] = _USER
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="cell_accuracy"),
        MeanOf(metric="filled_accuracy"),
        MeanOf(metric="empty_accuracy"),
        MeanOf(metric="grid_accuracy"),
        MeanOf(metric="target_accuracy"),
        MeanOf(metric="target_position_accuracy"),
        MeanOf(metric="pawn_accuracy"),
        MeanOf(metric="extra_tile_accuracy"),
        MeanOf(metric="state_accuracy"),
    )

    def chance_level(self, params: Params) -> Chance:
        """Return the mean over all elements of one of what each may be."""
        kinds = (len(LETTERS) + 1,) * CELLS, (len(LETTERS), CELLS, CELLS, len(NAMES))
        shares = [1 / kind for part in kinds for kind in part]
        return ExactChance(sum(shares) / len(shares), "elements")

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what calling every cell empty scores, and the like."""
        return BlindLimit(0.73, "most cells of a board hold no treasure")

    def gold_answer(self, instance: Instance) -> str:
        """Return the state as a JSON object."""
        elements = _state_elements(instance)
        rows = ", ".join(json.dumps(row) for row in split_into_rows(elements[:CELLS]))
        target, where, pawn, extra = elements[CELLS:]
        return (
            f'{{"treasures": [{rows}], "target": "{target}", "target_position": {where}, '
            f'"pawn": {pawn}, "extra_tile": "{extra}"}}'
        )

    def reference(self, instance: Instance) -> list[str]:
        """Return the state in the requested format."""
        return [f"{_OPENING}\n{self.gold_answer(instance)}"]

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        gold = _state_elements(instance)
        parsed = read_elements(reply)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=gold)
        answer = parsed.value
        right = [mine == true for mine, true in zip(answer, gold, strict=True)]
        cells, rest = right[:CELLS], right[CELLS:]
        filled = [same for same, true in zip(cells, gold, strict=False) if true != EMPTY]
        empty = [same for same, true in zip(cells, gold, strict=False) if true == EMPTY]
        names = ("target", "target_position", "pawn", "extra_tile")
        return Outcome(
            Status.CORRECT if all(right) else Status.WRONG,
            parsed.strict,
            gold=gold,
            answer=answer,
            metrics={
                "cell_accuracy": sum(cells) / len(cells),
                "filled_accuracy": sum(filled) / len(filled),
                "empty_accuracy": sum(empty) / len(empty),
                "grid_accuracy": float(all(cells)),
                **{f"{key}_accuracy": float(same) for key, same in zip(names, rest, strict=True)},
                "state_accuracy": float(all(right)),
            },
        )


def _state_elements(instance: Instance) -> Elements:
    board, target = instance.board, instance.target
    return (
        *displays.visible_treasures(board, target, instance.display.objects)[:CELLS],
        target,
        _format_position(board_engine.cell_to_position(board.treasure_cell(target))),
        _format_position(board_engine.cell_to_position(board.pawn)),
        tile_name(board.spare_tile),
    )


def _format_position(position: tuple[int, int]) -> str:
    return f"[{position[0]}, {position[1]}]"


_GRID = "[A-X-]"
_STRICT = re.compile(rf"(?:\A|\n){_OPENING}\s(\{{[^{{}}]*\}})\Z")
_KEYS = ("treasures", "target", "target_position", "pawn", "extra_tile")
_PLACE = r"[\[(] ?([0-6]) ?, ?([0-6]) ?[\])]"
_FIELDS = {
    "target": re.compile(r"\b(?i:target) ?[:=|] ?\[? ?([A-X])(?![a-zA-Z])"),
    "target_position": re.compile(rf"\b(?i:target[_ ]position) ?[:=|] ?{_PLACE}"),
    "pawn": re.compile(rf"\b(?i:pawn(?:[_ ]position)?|player) ?[:=|] ?{_PLACE}"),
    "extra_tile": re.compile(r"\b(?i:extra[_ ]tile) ?[:=|] ?([ILT][0-3])\b"),
}
_QUOTES = re.compile(r"[\s'\"`*]+")
_NAMED = re.compile(
    r"\b(?i:(target[_ ]position)|(pawn(?:[_ ]position)?|player)) ?[:=|] ?(?:\{|[\[(] ?[\[({])"
)
_FORMS = {"target": "[A-X]", "extra_tile": "[ILT][0-3]"}


def read_elements(reply: str) -> Parsed[Elements]:
    """Return the elements that a reply gives, "" for each one that is missing.

    The last of each counts; of a JSON object all elements count together. A grid that is not seven
    by seven counts as missing. Nothing is read of a reply with a value of another form, or with
    words behind its object that say something else.
    """
    shown = visible_text(reply)
    text = normalize_typing(shown)
    blocks = [
        Candidate(block.start, block.end, said)
        for block in json_values(text)
        if (said := _of_object(block.value)) is not None
    ]
    if blocks:
        block = choose_last(text, blocks)
        said = block.value if block else None
        behind = _of_words(text[block.end :]) if block else None
        if (
            not said
            or behind is None
            or any(b and a != b for a, b in zip(said, behind, strict=True))
        ):
            return Parsed(None, strict=False)
        return Parsed(said if any(said) else None, all(said) and _is_object(shown))
    elements = _of_words(text) if text.count("{") <= text.count("}") else None
    if not elements or not any(elements):
        return Parsed(None, strict=False)
    return Parsed(elements, strict=False)


def _of_object(value: Any) -> Elements | None:
    """Return the elements of a JSON object, () where one has another form; None if it has none."""
    while isinstance(value, dict) and len(value) == 1:
        (value,) = value.values()
    if not isinstance(value, dict):
        return None
    of = {str(name).lower().replace(" ", "_"): one for name, one in value.items()}
    if "pawn" not in of and "pawn_position" in of:
        of["pawn"] = of["pawn_position"]
    if len(of.keys() & {*_KEYS}) < 2:
        return None
    rows = rows_of(of.get("treasures")) or []
    cells = tuple(cell for row in rows for cell in row)
    whole = [len(row) for row in rows] == [SIDE] * SIDE and all(
        re.fullmatch(_GRID, cell) for cell in cells
    )
    rest = []
    for key in _KEYS[1:]:
        said = of.get(key, "")
        if isinstance(said, dict) and said.keys() == {"x", "y"}:
            said = [said["x"], said["y"]]
        nested = isinstance(said, dict) or (isinstance(said, list) and key in _FORMS)
        if nested or (isinstance(said, list) and not all(isinstance(one, int) for one in said)):
            return ()
        if (found := re.fullmatch(_FORMS.get(key, _PLACE), str(said))) and key in _FORMS:
            rest.append(tile_name(parse_tile_name(found[0])) if key == "extra_tile" else found[0])
        else:
            rest.append(f"[{found[1]}, {found[2]}]" if found else "")
    return (*(cells if whole else ("",) * CELLS), *rest)


def _of_words(text: str) -> Elements | None:
    """Return the elements that lines or sentences give; None where a position has another form."""
    plain, lines = squeeze_blanks(_QUOTES, text)
    while spans := [
        said[-1].span() for field in _FIELDS.values() if (said := list(field.finditer(plain)))
    ]:
        # An object begins at its brace: what stands before that is about all of it.
        first = min(spans)[0]
        brace = plain.rfind("{", 0, first)
        start = first if brace < 0 else brace
        if not is_mentioned(lines, start, max(end for _, end in spans)):
            break
        plain, text = plain[:start], lines[:start]
    rest = []
    for key, pattern in _FIELDS.items():
        if not (found := pattern.findall(plain)):
            rest.append("")
        elif key in ("target_position", "pawn"):
            rest.append(f"[{found[-1][0]}, {found[-1][1]}]")
        else:
            rest.append(tile_name(parse_tile_name(found[-1])) if key == "extra_tile" else found[-1])
    for named in _NAMED.finditer(plain):
        if not rest[1 if named[1] else 2]:
            return None
    return (*(read_grid(text, _GRID, SIDE) or ("",) * CELLS), *rest)


def _is_object(shown: str) -> bool:
    """Whether a reply ends on a JSON object with the requested keys, after the opening line."""
    found = _STRICT.search(shown)
    try:
        return found is not None and tuple(json.loads(found[1])) == _KEYS
    except (ValueError, RecursionError):
        return False


TASK = GameStateParsing()
