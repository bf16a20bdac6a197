"""Players of punched paper that keep few holes, or know one of the folds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from facelet.generators.spatial import paper
from facelet.generators.spatial.tasks import punched, punched_plan
from facelet.pipeline.spatial.answer_players import build_answer_player, build_letter_player


def _keep_holes(kept: int) -> Callable[[Any], tuple[tuple[str, ...]]]:
    """Return the answer of the player that unfolds rightly and keeps so many holes."""
    return lambda puzzle: (tuple(punched.TASK.describe_goal(puzzle).split(", ")[:kept]),)


def _last_fold(puzzle: Any) -> paper.Fold:
    return paper.parse_folds(puzzle.creases)[-1]


def _rate_options(rate: Callable[[Any, set[int]], float]) -> Callable[[Any], Sequence[float]]:
    """Return the function that rates the options by their holes."""
    return lambda puzzle: [
        rate(puzzle, set(map(int, option.split(", ")))) for option in puzzle.options
    ]


def _is_even_in_last_fold(puzzle: Any, holes: set[int]) -> float:
    """Return the share of holes that the last fold leaves or brings onto another one."""
    crease = paper.find_crease(_last_fold(puzzle))
    places = {paper.find_place(hole) for hole in holes}
    paired = sum(paper.reflect_place(place, crease) in places for place in places)
    return paired / len(places)


def _cut_plan(kept: int) -> Callable[[Any], tuple[list[str], str]]:
    """Return the answer of the player that plans so many folds."""

    def plan_folds(puzzle: Any) -> tuple[list[str], str]:
        folds, punch = puzzle.answer.split("; punch ")
        return folds.split(", ")[:kept], punch

    return plan_folds


PUNCHED = {
    "punch": build_answer_player(
        punched.TASK, "the punch alone", lambda puzzle: ((puzzle.punch,),)
    ),
    **{
        f"holes_{kept}": build_answer_player(
            punched.TASK, f"the first {kept} holes", _keep_holes(kept), kept
        )
        for kept in (3, 4, 6)
    },
}
PUNCHED_CHOICE = {
    "punch": build_letter_player(
        "whether there is a hole at the punch",
        _rate_options(lambda puzzle, holes: puzzle.punch in holes),
    ),
    "most_holes": build_letter_player(
        "the number of holes", _rate_options(lambda puzzle, holes: len(holes))
    ),
    "last_fold": build_letter_player("the last fold", _rate_options(_is_even_in_last_fold)),
}
PUNCHED_PLAN = {
    f"folds_{kept}": build_answer_player(
        punched_plan.TASK, f"plans of at most {kept} folds", _cut_plan(kept), kept
    )
    for kept in (1, 2)
}
