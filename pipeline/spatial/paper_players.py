"""Players of punched paper that keep few holes, or know one of the folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from facelet.generators.core.replies.letter import FORM
from facelet.generators.options.letter_placement import LETTERS
from facelet.generators.spatial import paper
from facelet.generators.spatial.tasks import punched, punched_plan
from facelet.pipeline.audit.baseline_players import PartialViewPlayer, Randomness

MEMORIES = (3, 4, 6)
"""Holes that the players of a few holes keep."""


def build_hole_player(kept: int) -> PartialViewPlayer:
    """Return the player that unfolds rightly and keeps so many holes."""

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        holes = punched.TASK.describe_goal(puzzle).split(", ")[:kept]
        return [punched.TASK.form.format_command(tuple(holes))]

    return PartialViewPlayer.from_equal(f"the first {kept} holes", list_replies)


def _forget_folds(puzzle: Any, drawing: Randomness) -> Sequence[str]:
    """Return the punched square alone."""
    return [punched.TASK.form.format_command((puzzle.punch,))]


def _follow_last_fold(puzzle: Any, drawing: Randomness) -> Sequence[str]:
    """Return the punched square and the one below it in the last fold."""
    place, crease = paper.find_place(puzzle.punch), paper.find_crease(_last_fold(puzzle))
    other = paper.reflect_place(place, crease)
    holes = sorted(paper.START.index(at) + 1 for at in {place, other} if at in paper.START)
    return [punched.TASK.form.format_command(tuple(holes))]


def _last_fold(puzzle: Any) -> paper.Fold:
    return paper.parse_folds(puzzle.folds)[-1]


def build_option_player(
    looks_at: str, rate: Callable[[Any, set[int]], float]
) -> PartialViewPlayer:
    """Return the player that draws among the options which it rates highest.

    Args:
        looks_at: the part that it uses, in words.
        rate: rates the holes of an option.
    """

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        options = [set(map(int, option.split(", "))) for option in puzzle.options]
        rates = [rate(puzzle, holes) for holes in options]
        return [
            FORM.format(letter)
            for letter, value in zip(LETTERS, rates, strict=True)
            if value == max(rates)
        ]

    return PartialViewPlayer.from_equal(looks_at, list_replies)


def _is_even_in_last_fold(puzzle: Any, holes: set[int]) -> float:
    """Return the share of holes that the last fold leaves or brings onto another one."""
    crease = paper.find_crease(_last_fold(puzzle))
    places = {paper.find_place(hole) for hole in holes}
    paired = sum(paper.reflect_place(place, crease) in places for place in places)
    return paired / len(places)


def _search_plan(folds: int) -> Callable[[Any, Randomness], Sequence[str]]:
    """Return the player that knows the plans of up to so many folds."""

    def list_replies(puzzle: Any, drawing: Randomness) -> Sequence[str]:
        return punched_plan.TASK.reference(puzzle) if puzzle.folds <= folds else ["?"]

    return list_replies


PUNCHED = {
    "punch": PartialViewPlayer.from_equal("the punch alone", _forget_folds),
    "last_fold": PartialViewPlayer.from_equal("the punch and the last fold", _follow_last_fold),
    **{f"holes_{kept}": build_hole_player(kept) for kept in MEMORIES},
}
PUNCHED_CHOICE = {
    "punch": build_option_player(
        "whether there is a hole at the punch", lambda puzzle, holes: puzzle.punch in holes
    ),
    "most_holes": build_option_player("the number of holes", lambda puzzle, holes: len(holes)),
    "last_fold": build_option_player("the last fold", _is_even_in_last_fold),
}
PUNCHED_PLAN = {
    f"search_{folds}": PartialViewPlayer.from_equal(
        f"plans of at most {folds} folds", _search_plan(folds)
    )
    for folds in (1, 2)
}
