"""Our rows of CubeBench's tables 2 to 6: one task under rewards, agents and modes."""

from __future__ import annotations

from facelet.pipeline.papers.places import Layout, Line, Part, Place

_TASK = "cube/navigate"
_OBSERVATIONS = ("symbolic", "net", "face", "vertex")
_HORIZONS = ("short", "long")
_FIVE, _EVERY, _SHORT = 5, (1, 2, 3, 4, 8, 12, 16, 20), (1, 2, 3, 4)
_CODE = {"reward": "none", "agent": "basic", "mode": "code"}
_CONDITIONS = {"metric": "htm", "observation": "matched", "steps": 20}


def _places(part: str, *figures: str) -> tuple[Place, ...]:
    return tuple(
        Place(part, figure, None, {"observation": observation, "horizon": horizon})
        for figure in figures
        for observation in _OBSERVATIONS
        for horizon in _HORIZONS
    )


def _part(name: str, **told: str) -> Part:
    return Part(name, _TASK, _CODE | told, _CONDITIONS, _FIVE, _EVERY)


_PLAIN = _part("navigate")
_REWARDS = {"no reward": _PLAIN} | {
    reward: _part(f"reward_{reward}", reward=reward) for reward in ("face", "sticker", "heuristic")
}
_AGENTS = {
    "Basic": _PLAIN,
    "Standard-Solver": _part("standard_solver", agent="standard"),
    "Ideal-Solver": _part("ideal_solver", agent="ideal"),
}
_MODES = (
    Part(
        "no_code",
        _TASK,
        _CODE | {"mode": "no_code"},
        {"metric": "htm", "observation": "symbolic"},
        _FIVE,
        _SHORT,
    ),
    Part("navigate", _TASK, _CODE, _CONDITIONS, _FIVE, _SHORT),
)
_SYMBOLIC = {"observation": "symbolic", "horizon": "short"}

LAYOUTS = (
    Layout("2", (Line(_places("navigate", "accuracy", "make_moves")),), (_PLAIN,)),
    Layout(
        "3",
        tuple(
            Line(_places(part.name, "accuracy"), {"reward": reward})
            for reward, part in _REWARDS.items()
        ),
        tuple(_REWARDS.values()),
    ),
    Layout(
        "4",
        tuple(
            Line(_places(part.name, "accuracy"), {"agent": agent})
            for agent, part in _AGENTS.items()
        ),
        tuple(_AGENTS.values()),
    ),
    Layout("5", (Line(_places("navigate", "accuracy", "move_ratio")),), (_PLAIN,)),
    Layout(
        "6",
        (
            Line(
                tuple(
                    Place(part.name, figure, None, _SYMBOLIC)
                    for part in _MODES
                    for figure in ("accuracy", "move_ratio")
                )
            ),
        ),
        _MODES,
    ),
)
