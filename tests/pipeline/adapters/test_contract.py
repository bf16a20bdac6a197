"""What is published arrives whole: text to the letter, every picture by its pixels, every turn.

Through each tool, one row of every config of every suite is played with the reference replies. What
a tool cannot carry is refused by name, and what is refused is known to the last config.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from carriers import CARRIERS
from due import ExpectedPlay, expect_rows
from scripted import gather_datasets

from facelet.pipeline.cli import main

CONF = Path(__file__).parents[3] / "conf" / "suite"
HERE = ("gymnasium", "run", "requests", "requests hosted")
"""Ways that need no tool of the venv of tools."""
HARNESSES = ("lm-eval", "lmms-eval", "lmms-eval chats")

SHAPES = (
    ("jigsaw/assemble_easy", 1, {}),
    ("cube/face_recognition", 1, {}),
    ("shapes/forward_deformation", 1, {}),
    ("arcade/bit_query", 1, {}),
    ("labyrinth/act", 1, {"turns": 2, "setting": "visual"}),
    ("cube/reflection", 1, {}),
)
"""One of each: text, a picture, several, many turns, pictures in later turns, a second chat."""


@pytest.fixture(scope="module")
def few(publish: Callable[..., object], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dataset of a row of each shape."""
    folder = tmp_path_factory.mktemp("few")
    gather_datasets(publish, folder, SHAPES)
    return folder


@pytest.fixture(scope="session")
def every(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small dataset of every config of every suite."""
    home = tmp_path_factory.mktemp("every")
    suites = ",".join(sorted(path.stem for path in CONF.iterdir()))
    sizes = ["count=1", "levels=1-2", "depths=1,3,5", "workers=2", "quiet=true"]
    words = ["profile=smoke", f"suites=[{suites}]", *sizes, f"out={home / 'out'}"]
    assert main(["build", *words, f"cache={home / 'tables'}"]) == 0
    return home / "out"


@pytest.fixture(scope="session")
def all_due(every: Path) -> list[ExpectedPlay]:
    """Return what is due to a player of each config."""
    return expect_rows(every)


_REWARDS = "reward_face reward_heuristic reward_sticker"
_SOLVERS = f"ideal_solver no_code {_REWARDS} standard_solver"
_METHODS = [f"3d_{one}" for one in ("reflection", "tree")]
_METHODS += [one.replace("3d", flat) for one in _METHODS for flat in ("2d", "25d")]
_BENCH = "learning_curve recovery reflection reflection_unredacted step_by_step"
EPISODES = {
    "cube_bench": _BENCH,
    "cube_bench_as_published": _BENCH,
    "cube_bench_variants": "learning_curve_redrawn recovery_redrawn step_abstain step_skip",
    "cubebench": "navigate",
    "cubebench_as_published": f"navigate {_SOLVERS}",
    "cubebench_variants": f"unlimited {_SOLVERS}",
    "inf_bench_methods": " ".join(
        f"{way}_{one}" for way in ("forward", "inverse") for one in _METHODS
    ),
    "marble_variants": "chamber_act chamber_act_symbolic maze_act_overlay_symbolic maze_act_visual "
    "refine_binary refine_detailed refine_easy_binary refine_easy_detailed",
}
"""Configs of more than one turn, by suite, beside all games of EvolArena."""
RENEWING = ("cube_bench.reflection", "cube_bench.reflection_unredacted")
"""Configs with a turn that begins a new chat; the suite as published has them too."""


def refused_configs(name: str, dues: Sequence[ExpectedPlay]) -> set[str]:
    """Return the configs that a tool cannot carry."""
    if name == "textarena":
        return {one.config for one in dues if one.has_pictures}
    if name == "trl":
        return {one for name in RENEWING for one in (name, name.replace(".", "_as_published."))}
    if name in HARNESSES:
        games = {one.config for one in dues if one.config.startswith("evolarena")}
        return games | {
            f"{suite}.{one}" for suite, told in EPISODES.items() for one in told.split()
        }
    return set()


WORDS = {"textarena": "shows pictures, and TextArena text only", "trl": "a turn begins a new chat"}
"""What a refusal says, beside the config's name."""


def check_tool(
    name: str, folder: Path, dues: Sequence[ExpectedPlay], out: Path, monkeypatch: object
) -> None:
    """Carry what is due through a tool and compare."""
    carry, spell = CARRIERS[name]
    carried = carry(folder, dues, out, monkeypatch)
    assert set(carried.refused_configs) == refused_configs(name, dues)
    for config, why in carried.refused_configs.items():
        assert config in why and WORDS.get(name, "left out, because they are episodes") in why
    expected = {one: spell(one) for one in dues if one.config not in carried.refused_configs}
    arrived = Counter(carried.arrived_chats)
    lacking = {one.config for one, told in expected.items() if not set(told) <= set(arrived)}
    assert lacking == set()
    assert arrived == Counter(form for told in expected.values() for form in told)


def test_the_shapes_are_all_there(few: Path):
    dues = expect_rows(few)
    shapes = {(len(one.new_messages) > 1, one.has_pictures) for one in dues}
    assert len(dues) == len(SHAPES) and len(shapes) == 4
    firsts = [len([part for _, told in one.new_messages[0] for part in told]) for one in dues]
    assert max(firsts) > 3 and any(
        len(set(one.chat_begins)) == 1 < len(one.chat_begins) for one in dues
    )


@pytest.mark.parametrize("name", HERE)
def test_a_row_of_each_shape_arrives_whole(
    name: str, few: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    check_tool(name, few, expect_rows(few), tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(one, marks=pytest.mark.slow if one in HERE else pytest.mark.adapters)
        for one in CARRIERS
        if one != "requests hosted"
    ],
)
def test_every_config_arrives_whole(
    name: str,
    every: Path,
    all_due: list[ExpectedPlay],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    dues = expect_rows(every, first=True) if name in HARNESSES else all_due
    assert len(dues) == sum(text.count("task:") for text in map(Path.read_text, CONF.iterdir()))
    check_tool(name, every, dues, tmp_path, monkeypatch)
