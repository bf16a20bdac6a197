"""Define our rows of Inf-Bench's tables of R: with pictures (1), codes (2), by method (4 to 7).

The paper climbs ladders. A report has the accuracy at every level and the R expected from them (an
exact Markov chain, facelet.pipeline.curriculum.ladder.expected_level); `facelet ladder` climbs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.papers.paper import (
    DerivedFigure,
    FigureDifference,
    LayoutRow,
    PaperPart,
    TableLayout,
)

_REMARK = (
    "R is expected from the accuracies at the levels of the dataset (the level failed twice), not "
    "climbed; facelet ladder climbs"
)
_SHAPES: dict[str, object] = {
    "replaced": 1,
    "types": "four",
    "filling": False,
    "steps": "any",
}
_CUBES: dict[str, object] = {"replaced": 1, "start": "solved"}


def _estimate_r(accuracies: Mapping[int, float]) -> float:
    """Return the R that the accuracies at all levels lead one to expect."""
    levels = sorted(accuracies)
    return estimate_reach([accuracies[level] for level in levels], levels).failed


_WAYS = ("forward", "inverse")


def _track_parts(given: str, ending: str, more: Mapping[str, object]) -> tuple[PaperPart, ...]:
    """Return the six tracks of a table, a column each.

    Args:
        given: the input that their questions have.
        ending: how the names of their configs end.
        more: further params that make them these and no other.
    """
    told = {"input": given, **more}
    shapes = [
        PaperPart(
            f"{way}_{kind}{ending}",
            f"shapes/{way}_deformation",
            {"space": space, **told},
            _SHAPES,
        )
        for kind, space in (("2d", "2d"), ("25d", "2.5d"))
        for way in _WAYS
    ]
    cubes = [
        PaperPart(f"{way}_3d{ending}", f"cube/{way}_deformation", told, _CUBES) for way in _WAYS
    ]
    return (*shapes, *cubes)


def _ladder_figures(parts: Sequence[PaperPart]) -> tuple[DerivedFigure, ...]:
    return tuple(DerivedFigure(part.name, _estimate_r) for part in parts)


def _build_layout(number: str, given: str, ending: str) -> TableLayout:
    """Return the layout of a table of R.

    Args:
        number: its number.
        given: the input that its questions have.
        ending: how the names of its parts end.
    """
    parts = _track_parts(given, ending, {})
    return TableLayout(
        number, (LayoutRow(_ladder_figures(parts)),), parts, axis="levels", remark=_REMARK
    )


_ONE_REPLY = {"prompt": "text", "method": "answer"}


def _prompt_params(name: str) -> Mapping[str, object]:
    return {**_ONE_REPLY, "prompt": name}


def _example_params(number: int) -> Mapping[str, object]:
    return {**_ONE_REPLY, "prompt": "few_shot", "examples": number}


def _method_params(name: str) -> Mapping[str, object]:
    return {**_ONE_REPLY, "method": name}


def _difference_layout(
    number: str, setting: str, first: str | int, ways: Mapping[str | int, str], remark: str = ""
) -> TableLayout:
    """Return the layout of a table of differences: R under prompt 1, and what others add to it.

    Args:
        number: its number.
        setting: what its rows are told apart by.
        first: what the row of prompt 1 and one reply is called there.
        ways: by row, how the configs of its prompt or method end (`_SETTING_PARAMS`).
        remark: what else differs.
    """
    plain = _track_parts("picture", "", _ONE_REPLY)
    lines, parts = [LayoutRow(_ladder_figures(plain), {setting: first})], list(plain)
    for row, ending in ways.items():
        mine = _track_parts("picture", f"_{ending}", _SETTING_PARAMS[ending])
        places = tuple(map(FigureDifference, _ladder_figures(mine), _ladder_figures(plain)))
        lines.append(LayoutRow(places, {setting: row}))
        parts += mine
    return TableLayout(
        number, tuple(lines), tuple(parts), "levels", "; ".join(filter(None, (_REMARK, remark)))
    )


_PROMPTS = ("pictures", "text_and_pictures", "simplified", "detailed", "step_by_step")
_SETTING_PARAMS: Mapping[str, Mapping[str, object]] = {
    **{name: _prompt_params(name) for name in _PROMPTS},
    **{f"few_shot_{number}": _example_params(number) for number in range(1, 6)},
    **{name: _method_params(name) for name in ("reflection", "tree", "react", "tool")},
}
"""The params behind the configs of inf_bench_methods, by how their names end."""

_WORKED_REMARK = "the examples of few-shot prompts are worked"
_METHODS: Mapping[str | int, str] = {
    "COT": "step_by_step",
    "Few-shot": "few_shot_1",
    "Self-reflection": "reflection",
    "ReAct": "react",
    "Tools": "tool",
}
_CHAINS: Mapping[str | int, str] = {
    "Zero-shot CoT": "step_by_step",
    "One-shot CoT": "few_shot_1",
    "ToT": "tree",
}
_NO_VOTE = "five replies and a vote (CSc) are not requested"

LAYOUTS = (
    _build_layout("1", "picture", ""),
    _build_layout("2", "text", "_text"),
    _difference_layout("4", "method", "none", _METHODS, _WORKED_REMARK),
    _difference_layout("5", "method", "none", _CHAINS, _NO_VOTE),
    _difference_layout(
        "6", "examples", 0, {n: f"few_shot_{n}" for n in range(1, 6)}, _WORKED_REMARK
    ),
    _difference_layout(
        "7", "prompt", 1, dict(enumerate((*_PROMPTS, "few_shot_1"), 2)), _WORKED_REMARK
    ),
)
