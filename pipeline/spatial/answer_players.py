"""Players that write one answer, or draw among the letters that they rate highest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from facelet.generators.core.replies.letter import FORM
from facelet.generators.options.letter_placement import LETTERS
from facelet.generators.spatial.spatial_task import WrittenTask
from facelet.pipeline.audit.baseline_players import PartialViewPlayer, Randomness


def build_answer_player(
    task: WrittenTask[Any, Any],
    looks_at: str,
    answer: Callable[[Any], Sequence[Any]],
    amount: int = 0,
) -> PartialViewPlayer:
    """Return the player that writes one answer.

    Args:
        task: the task.
        looks_at: the part of a puzzle that it uses, in words.
        answer: from a puzzle to the values of the form.
        amount: how much it can do, where it is a point of a curve; see `PartialViewPlayer`.
    """

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        return [task.form.format_command(*answer(puzzle))]

    return replace(PartialViewPlayer.from_equal(looks_at, list_replies), amount=amount)


def build_letter_player(
    looks_at: str, rate: Callable[[Any], Sequence[float]], amount: int = 0
) -> PartialViewPlayer:
    """Return the player that draws among the letters which it rates highest.

    Args:
        looks_at: the part of a puzzle that it uses, in words.
        rate: from a puzzle to a rate of each letter.
        amount: how much it can do, where it is a point of a curve; see `PartialViewPlayer`.
    """

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        rates = rate(puzzle)
        rated = zip(LETTERS, rates, strict=True)
        return [FORM.format(letter) for letter, value in rated if value == max(rates)]

    return replace(PartialViewPlayer.from_equal(looks_at, list_replies), amount=amount)
