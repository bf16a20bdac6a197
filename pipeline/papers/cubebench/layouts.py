"""Define our rows of CubeBench's tables 2 to 6: one task under rewards, agents and modes."""

from __future__ import annotations

from facelet.pipeline.papers.paper import LayoutRow, PaperPart, TableFigure, TableLayout

_TASK = "cube/navigate"
_OBSERVATIONS = ("symbolic", "net", "face", "vertex")
_HORIZONS = ("short", "long")
_FIVE, _ALL_DEPTHS, _SHORT = 5, (1, 2, 3, 4, 8, 12, 16, 20), (1, 2, 3, 4)
_CODE = {"reward": "none", "agent": "basic", "mode": "code"}
_CONDITIONS = {"metric": "htm", "observation": "matched", "steps": 20}


def _build_places(part: str, *figures: str) -> tuple[TableFigure, ...]:
    return tuple(
        TableFigure(part, figure, None, {"observation": observation, "horizon": horizon})
        for figure in figures
        for observation in _OBSERVATIONS
        for horizon in _HORIZONS
    )


def _build_part(name: str, **told: str) -> PaperPart:
    return PaperPart(name, _TASK, _CODE | told, _CONDITIONS, _FIVE, difficulties=_ALL_DEPTHS)


_PLAIN = _build_part("navigate")
_REWARDS = {"no reward": _PLAIN} | {
    reward: _build_part(f"reward_{reward}", reward=reward)
    for reward in ("face", "sticker", "heuristic")
}
_AGENTS = {
    "Basic": _PLAIN,
    "Standard-Solver": _build_part("standard_solver", agent="standard"),
    "Ideal-Solver": _build_part("ideal_solver", agent="ideal"),
}
_MODES = (
    PaperPart(
        "no_code",
        _TASK,
        _CODE | {"mode": "no_code"},
        {"metric": "htm", "observation": "symbolic"},
        _FIVE,
        difficulties=_SHORT,
    ),
    PaperPart("navigate", _TASK, _CODE, _CONDITIONS, _FIVE, difficulties=_SHORT),
)
_SYMBOLIC = {"observation": "symbolic", "horizon": "short"}

LAYOUTS = (
    TableLayout("2", (LayoutRow(_build_places("navigate", "accuracy", "make_moves")),), (_PLAIN,)),
    TableLayout(
        "3",
        tuple(
            LayoutRow(_build_places(part.name, "accuracy"), {"reward": reward})
            for reward, part in _REWARDS.items()
        ),
        tuple(_REWARDS.values()),
    ),
    TableLayout(
        "4",
        tuple(
            LayoutRow(_build_places(part.name, "accuracy"), {"agent": agent})
            for agent, part in _AGENTS.items()
        ),
        tuple(_AGENTS.values()),
    ),
    TableLayout("5", (LayoutRow(_build_places("navigate", "accuracy", "move_ratio")),), (_PLAIN,)),
    TableLayout(
        "6",
        (
            LayoutRow(
                tuple(
                    TableFigure(part.name, figure, None, _SYMBOLIC)
                    for part in _MODES
                    for figure in ("accuracy", "move_ratio")
                )
            ),
        ),
        _MODES,
    ),
)
