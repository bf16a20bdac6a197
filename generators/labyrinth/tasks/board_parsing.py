"""Board parsing: the 49 tiles of a picture, read as names (MARBLE, F.3.1)."""

from __future__ import annotations

import json
import re
from typing import ClassVar

from facelet.generators.core.chance_level import BlindLimit, Chance, ExactChance
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.replies.array import read_grid
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.task import Outcome, Status
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    FIXED,
    NAMES,
    SIDE,
    parse_tile_name,
    split_into_rows,
    tile_name,
)
from facelet.generators.labyrinth.board_transcription.task import BoardParsingTask, Instance, Params
from facelet.generators.labyrinth.presentation import rule_text

_OPENING = "The board is:"

_USER = f"""\
Write down all 49 tiles of the board, not the extra one.

{rule_text.NAMES}

End your reply with this line and then a list of seven lists of seven names, row by row from the \
top, each row from left to right:
{_OPENING}
[["..", "..", ...], ...]"""


class BoardParsing(BoardParsingTask):
    """The task; see the module.

    Metrics of an outcome, from 0 to 1: cell_accuracy, the share of the 49 tiles that are right;
    loose_accuracy, that of the 33 that differ between boards; board_accuracy, 1 if all are right.
    I2 and I3 count as I0 and I1, which look the same.
    """

    name: ClassVar[str] = "labyrinth/board_parsing"
    version: ClassVar[int] = 2
    _request: ClassVar[str] = _USER
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="cell_accuracy"),
        MeanOf(metric="loose_accuracy"),
        MeanOf(metric="board_accuracy"),
    )

    def chance_level(self, params: Params) -> Chance:
        """Return one name of ten, for each tile."""
        return ExactChance(1 / len(NAMES), "elements")

    def blind_limit(self, params: Params) -> BlindLimit:
        """Return what naming each place's commonest tile scores."""
        return BlindLimit(
            0.48, "sixteen of the tiles never move, so they are the same on all boards"
        )

    def gold_answer(self, instance: Instance) -> str:
        """Return the names as a list of lists."""
        return json.dumps(split_into_rows(_tile_names(instance)))

    def reference(self, instance: Instance) -> list[str]:
        """Return the names in the requested format."""
        return [f"{_OPENING}\n{self.gold_answer(instance)}"]

    def _judge_reply(self, instance: Instance, reply: str) -> Outcome:
        gold = _tile_names(instance)
        parsed = read_tile_names(reply)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=gold)
        right = [mine == true for mine, true in zip(parsed.value, gold, strict=True)]
        loose = [same for cell, same in enumerate(right) if cell not in FIXED]
        return Outcome(
            Status.CORRECT if all(right) else Status.WRONG,
            parsed.strict,
            gold=gold,
            answer=parsed.value,
            metrics={
                "cell_accuracy": sum(right) / len(right),
                "loose_accuracy": sum(loose) / len(loose),
                "board_accuracy": float(all(right)),
            },
        )


def _tile_names(instance: Instance) -> tuple[str, ...]:
    return tuple(map(tile_name, instance.board.tiles[:CELLS]))


_TOKEN = "[ILT][0-3]"
_ROW = rf"\[\s?[\"']{_TOKEN}[\"'](?:,\s?[\"']{_TOKEN}[\"']){{{SIDE - 1}}}\s?\]"
_STRICT = re.compile(rf"(?:\A|\n){_OPENING}\s\[\s?{_ROW}(?:,\s{{0,9}}{_ROW}){{{SIDE - 1}}}\s?\]\Z")


def read_tile_names(reply: str) -> Parsed[tuple[str, ...]]:
    """Return the 49 names of the last grid of a reply; I2 and I3 as I0 and I1."""
    shown = visible_text(reply)
    if (tokens := read_grid(shown, "[ILTilt][0-3]", SIDE)) is None:
        return Parsed(None, strict=False)
    return Parsed(
        tuple(tile_name(parse_tile_name(token.upper())) for token in tokens),
        bool(_STRICT.search(shown)),
    )


TASK = BoardParsing()
