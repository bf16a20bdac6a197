"""Base of the two board-parsing tasks: params, instances, prompts and columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.row_schema import columns_of, make_decoder, make_encoder
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Column, Difficulty
from facelet.generators.labyrinth.board import board_columns, board_engine
from facelet.generators.labyrinth.board.board_engine import LETTERS, SPARE, Board
from facelet.generators.labyrinth.presentation import displays, rule_text
from facelet.generators.labyrinth.presentation.displays import Display, Objects

Setting = Literal["visual", "overlay"]


@dataclass(frozen=True, slots=True)
class Params(BaseParams):
    """Params of the task."""

    setting: Setting = param("visual", "picture, with or without names and positions (overlay)")
    objects: Objects = param("all", "treasures shown: the target alone, or all")
    opacity: int = param(
        50, "strength of the texture of the tiles in per cent", low=0, high=100, look=True
    )

    def difficulty(self) -> Difficulty:
        """Return the number of boards to read, one."""
        return Difficulty("boards", 1, "b1")


@dataclass(frozen=True, slots=True)
class Instance:
    """A board to be read, and how it is shown.

    Attributes:
        board: the board.
        target: the letter of the target treasure, which is on the board.
        display: how it is shown.
    """

    board: Board
    target: str
    display: Display


COLUMNS: tuple[Column, ...] = (*board_columns.COLUMNS, *columns_of(Display))


class BoardParsingTask(QuestionTask[Params, Instance]):
    """A task of boards to be read; a subclass adds its name, its request and its judge."""

    _request: ClassVar[str]
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = COLUMNS

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return a random board."""
        board = board_engine.draw_board(draw.rng)
        letters = [letter for letter in LETTERS if board.treasure_cell(letter) != SPARE]
        target = letters[int(draw.rng.integers(len(letters)))]
        return (Instance(board, target, Display(params.setting, params.objects, params.opacity)),)

    def group_key(self, instance: Instance) -> str:
        """Return the board."""
        return board_columns.canonical_key(instance.board)

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the board."""
        return board_columns.find_column_faults(instance.board, instance.target)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        board = board_columns.encode_board(instance.board, instance.target)
        return {**board, **make_encoder(Display)(instance.display)}

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance of a row."""
        return Instance(board_columns.decode_board(row), row["target"], make_decoder(Display)(row))

    def _question_prompt(self, instance: Instance) -> Prompt:
        """Return the prompt: the picture, how to read it, and what to write down."""
        return chat_prompt(
            "You are a careful assistant who reads pictures exactly.",
            displays.board_scene(instance.board, instance.target, instance.display),
            f"{rule_text.picture_guide(instance.display)}\n\n{self._request}",
        )
