"""Board parsing: the 49 tiles of a picture, read as names (MARBLE, F.3.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from generators.core.answers import Parsed, visible
from generators.core.measures import MeanOf, Measure
from generators.core.prompts import Prompt, chat
from generators.core.seeding import Draw
from generators.core.single_turn import SingleTurn
from generators.core.task import Claim, Column, Need, Outcome, Status
from generators.labyrinth import parsing, puzzles, wording
from generators.labyrinth.board import CELLS, FIXED, SIDE, grid
from generators.labyrinth.parsing import ParsingParams, Position
from generators.labyrinth.tiles import name, parse


class BoardParsing:
    """The task; see the module.

    Metrics of an outcome, from 0 to 1: cell_accuracy, the share of the 49 tiles that are right;
    loose_accuracy, that of the 33 that differ between boards; board_accuracy, 1 if all are right.
    I2 and I3 count as I0 and I1, which look the same.
    """

    name: ClassVar[str] = "labyrinth/board_parsing"
    version: ClassVar[int] = 1
    params: ClassVar[type[ParsingParams]] = ParsingParams
    columns: ClassVar[tuple[Column, ...]] = parsing.COLUMNS
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="cell_accuracy"),
        MeanOf(metric="loose_accuracy"),
        MeanOf(metric="board_accuracy"),
    )

    def needs(self, params: ParsingParams) -> Need | None:
        """Return None: boards are dealt on the spot."""
        return None

    def rows_per_item(self, params: ParsingParams) -> int:
        """Return 1."""
        return 1

    def generate(self, params: ParsingParams, draw: Draw, resource: Any) -> tuple[Position, ...]:
        """Return a random position."""
        return (parsing.make(params, draw),)

    def open(self, instance: Position) -> SingleTurn[Position]:
        """Return the question."""
        return SingleTurn(instance, _ask, _judge)

    def gold(self, instance: Position) -> str:
        """Return the names as a list of lists."""
        return json.dumps(grid(_names(instance)))

    def group(self, instance: Position) -> str:
        """Return the board."""
        return puzzles.canonical(instance.board)

    def reference(self, instance: Position) -> list[str]:
        """Return the names in the requested format."""
        return [f"{_OPENING}\n{self.gold(instance)}"]

    def check(self, instance: Position) -> list[str]:
        """Return what is false about the position."""
        return puzzles.board_faults(instance.board, instance.target)

    def claims(self, instance: Position) -> tuple[Claim, ...]:
        """Return nothing."""
        return ()

    def encode(self, instance: Position) -> dict[str, Any]:
        """Return the typed columns."""
        return parsing.encode(instance)

    def decode(self, row: Mapping[str, Any]) -> Position:
        """Return the position that a row holds."""
        return parsing.decode(row)


_OPENING = "The board is:"

_SYSTEM = "You are a careful assistant who reads pictures exactly."

_USER = f"""\
Write down all 49 tiles of the board, not the extra one.

{wording.NAMES}

End your reply with this line and then a list of seven lists of seven names, row by row from the \
top, each row from left to right:
{_OPENING}
[["..", "..", ...], ...]"""


def _names(position: Position) -> tuple[str, ...]:
    return tuple(map(name, position.board.tiles[:CELLS]))


def _ask(position: Position) -> Prompt:
    scene = puzzles.scene(position.board, position.target, position.look)
    return chat(_SYSTEM, scene, f"{wording.pictured(position.look)}\n\n{_USER}")


_TOKEN = "[ILT][0-3]"
_ROW = rf"\[\s?[\"']{_TOKEN}[\"'](?:,\s?[\"']{_TOKEN}[\"']){{{SIDE - 1}}}\s?\]"
_STRICT = re.compile(rf"(?:\A|\n){_OPENING}\s\[\s?{_ROW}(?:,\s?{_ROW}){{{SIDE - 1}}}\s?\]\Z")


def read(reply: str) -> Parsed[tuple[str, ...]]:
    """Return the 49 names of the last grid of a reply; I2 and I3 as I0 and I1."""
    shown = visible(reply)
    tokens = parsing.read_grid(shown, _TOKEN)
    if tokens is None:
        return Parsed(None, strict=False)
    return Parsed(tuple(name(parse(token)) for token in tokens), bool(_STRICT.search(shown)))


def _judge(position: Position, reply: str) -> Outcome:
    gold = _names(position)
    parsed = read(reply)
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


TASK = BoardParsing()
