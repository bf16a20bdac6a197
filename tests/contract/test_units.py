"""Every suite, built and scored: rows count as often as they are independent, so that who is right
is told from who guesses, and ladders are climbed to their top.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from facelet import environment
from facelet.pipeline import family_modules
from facelet.pipeline.cli import main
from facelet.pipeline.command.setting_keys import list_conf_files
from facelet.pipeline.curriculum.ladder.prediction_ladders import iterate_ladders
from facelet.pipeline.dataset import dataset_reader

FLAT = frozenset(
    {
        *("cube_bench.learning_curve", "cube_bench_variants.learning_curve_redrawn"),
        *(f"cube_bench_as_published.{name}" for name in ("learning_curve", "recovery")),
        "cube_bench_as_published.verification",
        *(f"evolarena.{name}" for name in ("geometric_distance", "grid_game", "xor_breaking")),
        *(f"{suite}.assemble_easy" for suite in ("marble", "marble_as_published")),
        *(f"marble_variants.maze_opacity_{share}" for share in (0, 20, 50, 80, 100)),
        *(f"marble_variants.refine_{name}" for name in ("binary", "detailed")),
        *(f"marble_variants.refine_easy_{name}" for name in ("binary", "detailed")),
        *(f"marble_variants.turns_{name}" for name in ("arrays", "images")),
    }
)
"""Configs that a shortcut wins nearly or wholly at these levels."""
LEAKY = frozenset(
    {
        *(f"cube_bench{end}.reflection_unredacted" for end in ("", "_as_published")),
        "evolarena_as_published.cactus_search",
    }
)
"""Configs whose rows reveal their answer by design, or are won blind as they were published."""
FEW_STATES = frozenset(
    f"cube_bench_as_published.{name}" for name in ("move_prediction", "reflection")
)
"""Configs of the 18 states at depth 1, which are two up to symmetry: above chance, and no more."""

RARE_LABEL = frozenset(
    {
        *(f"{suite}.plan_correctness" for suite in ("marble", "marble_as_published")),
        *(
            f"marble_variants.plan_correctness_{name}"
            for name in ("described", "first_person", "hint", "rooms", "symbolic")
        ),
    }
)
"""Configs scored by the F1 of a rare label: whole answers are won by naming the other one."""

BLIND = LEAKY | FEW_STATES | RARE_LABEL
"""Configs in which who is right need not be told from who never looks."""

FEWER = {"inf_be": ["levels=1-3"], "marble": ["count=8"]}
"""What keeps large suites small, by how their names begin."""
QUICK = ["suites=[inf_bench_as_published]", "tasks=[inverse_3d_text]"]
QUICK += ["levels=1-3", "splits=test:3,train:1"]
SUITES = [
    pytest.param(QUICK, id="quick"),
    *(
        pytest.param(
            [f"suites=[{name}]", *FEWER.get(name[:6], ())],
            id=name,
            marks=pytest.mark.slow,
        )
        for name in list_conf_files("suite")
    ),
]


@pytest.fixture(scope="module", params=SUITES)
def scored(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path, dict[str, Any]]:
    """A suite with the profile smoke, the replies of its reference players, and their scores."""
    root = tmp_path_factory.mktemp("suite")
    data, replies, out = root / "data", root / "right.jsonl", root / "scores"
    words = ["profile=smoke", "progress=false", *request.param]
    words += [] if "count=8" in words else ["count=40"]
    assert main(["build", *words, "workers=1", f"out={data}"]) == 0
    with replies.open("w", encoding="utf-8") as file:
        for config in dataset_reader.read_manifest(data).configs:
            for row in environment.rows(data, config):
                task = family_modules.load_task(row["task"])
                said = task.reference(task.decode(row))
                file.write(json.dumps({"id": row["id"], "prediction": said}) + "\n")
    words = [f"dataset={data}", f"predictions={replies}", f"out={out}"]
    assert main(["score", *words]) == 0
    return data, replies, json.loads((out / "results.json").read_text(encoding="utf-8"))


def test_who_is_right_is_above_chance_and_every_shortcut(scored: Any) -> None:
    (model,) = scored[2]["models"]
    for name, config in model["configs"].items():
        figure = config["splits"]["test"]["cells"][0]["figures"].get("accuracy")
        if figure is None:
            continue  # nothing is graded
        assert figure["value"] == 1 and figure["low"] > figure["baselines"].get("chance", 0), name
        allowed = {"above baselines"}
        allowed |= {"not above a shortcut"} if name in FLAT | BLIND else set()
        allowed |= {"not above the floor"} if name in BLIND else set()
        assert figure["verdict"] in allowed, (name, figure)


def test_every_ladder_is_climbed_to_its_top(scored: Any) -> None:
    data, replies, _ = scored
    try:
        climbed = list(iterate_ladders(data, [replies]))
    except ValueError as error:
        assert "a ladder needs" in str(error) and "inf_bench" not in str(error)
        climbed = []
    for found in climbed:
        assert {one.end for one in found.climbs} == {"top"}
