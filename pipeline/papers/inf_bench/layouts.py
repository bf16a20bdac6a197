"""Define our rows of Inf-Bench's tables of R: with pictures (1), codes (2), by method (4 to 7).

R is the mean of ten climbs (facelet.pipeline.curriculum.ladder), which takes 150 questions a level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.pipeline.papers.paper import (
    FigureDifference,
    LadderFigure,
    LayoutRow,
    PaperPart,
    TableLayout,
)

_SHAPES: dict[str, object] = {
    "replaced": 1,
    "types": "four",
    "filling": False,
    "steps": "any",
}
_CUBES: dict[str, object] = {"replaced": 1, "start": "solved"}


_WAYS = ("forward", "inverse")
_VOTE, _VOTES = "CSc", 5  # the majority of five replies decides


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


def _ladder_figures(parts: Sequence[PaperPart], samples: int = 1) -> tuple[LadderFigure, ...]:
    return tuple(LadderFigure(part.name, samples) for part in parts)


def _build_layout(number: str, given: str, ending: str) -> TableLayout:
    """Return the layout of a table of R.

    Args:
        number: its number.
        given: the input that its questions have.
        ending: how the names of its parts end.
    """
    parts = _track_parts(given, ending, {})
    return TableLayout(number, (LayoutRow(_ladder_figures(parts)),), parts, axis="levels")


_ONE_REPLY = {"prompt": "text", "method": "answer"}


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
        figures = _ladder_figures(mine, _VOTES if row == _VOTE else 1)
        lines.append(
            LayoutRow(tuple(map(FigureDifference, figures, _ladder_figures(plain))), {setting: row})
        )
        parts += (part for part in mine if part not in parts)
    return TableLayout(number, tuple(lines), tuple(parts), "levels", remark)


_PROMPTS = ("pictures", "text_and_pictures", "simplified", "detailed", "step_by_step")
_SETTING_PARAMS: Mapping[str, Mapping[str, object]] = {
    **{name: {**_ONE_REPLY, "prompt": name} for name in _PROMPTS},
    **{
        f"few_shot_{number}": {**_ONE_REPLY, "prompt": "few_shot", "examples": number}
        for number in range(1, 6)
    },
    **{name: {**_ONE_REPLY, "method": name} for name in ("reflection", "tree", "react", "tool")},
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
    _VOTE: "step_by_step",
    "ToT": "tree",
}

LAYOUTS = (
    _build_layout("1", "picture", ""),
    _build_layout("2", "text", "_text"),
    _difference_layout("4", "method", "none", _METHODS, _WORKED_REMARK),
    _difference_layout("5", "method", "none", _CHAINS, _WORKED_REMARK),
    _difference_layout(
        "6", "examples", 0, {n: f"few_shot_{n}" for n in range(1, 6)}, _WORKED_REMARK
    ),
    _difference_layout(
        "7", "prompt", 1, dict(enumerate((*_PROMPTS, "few_shot_1"), 2)), _WORKED_REMARK
    ),
)
