"""Players of the learning curve and of recovery through the real scorer."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from statistics import mean, median
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder

from facelet.generators.core import task_registry
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome
from facelet.generators.cube.attempts.rules import progress_moves
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.distance.pruning_tables import PruningTable
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.cube import oracle_tables
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.dataset.row_columns import arrow_schema
from facelet.pipeline.scoring.aggregate.claims import OF_CHOSEN, OF_PARTS
from facelet.pipeline.scoring.aggregate.statistics import wilson_interval
from facelet.pipeline.scoring.render.figure_tables import render_tables
from facelet.pipeline.scoring.scorer import ScoreSettings, score

NAMES = ("learning_curve", "recovery")
DEPTHS = (1, 2, 3)
ITEMS = 18
QUICK = ScoreSettings(resamples=200)

Published = tuple[Path, dict[str, Any]]


@pytest.fixture(scope="module", params=NAMES)
def published(request: pytest.FixtureRequest, tmp_path_factory: Any, resource: Any) -> Published:
    """A dataset of one of the tasks at three depths, and its instances by id."""
    task = task_registry.load_task(f"cube/{request.param}")
    config = f"cube_bench.{request.param}"
    rows, instances = [], {}
    for depth in DEPTHS:
        params = task.params(depth=depth)
        pool = resource(task.needs(params))
        for index in range(ITEMS):
            (instance,) = task.generate(params, Draw((0, "scores", depth), index), pool)
            key = f"{config}/d{depth:02d}/{index:06d}"
            instances[key] = instance
            common = {
                **{
                    "id": key,
                    "suite": "cube_bench",
                    "task": task.name,
                    "task_version": task.version,
                },
                **{"split": "test", "difficulty_axis": "optimal_depth", "difficulty": depth},
                **{"group": task.group_key(instance), "gold": task.gold_answer(instance)},
                **{"messages": [], "images": [], "image_hashes": []},
            }
            rows.append({**common, **task.encode(instance)})
    root = tmp_path_factory.mktemp("data")
    path = root / config / "test-00000-of-00001.parquet"
    path.parent.mkdir()
    shape = arrow_schema(task.columns)
    whole = [{**dict.fromkeys(shape.names), **row} for row in rows]
    pq.write_table(pa.Table.from_pylist(whole, schema=shape), path)
    describe_folder(root)
    return root, instances


def find_task(published: Published) -> Any:
    return task_registry.load_task(
        "cube/" + next(iter(published[1])).partition("/")[0].partition(".")[2]
    )


Player = Callable[[str, int], list[str] | None]


def score_player(
    published: Published,
    tmp_path: Path,
    player: Callable[[str, int], list[str] | None],
    samples: int,
) -> dict[str, Any]:
    """Score a player's transcripts; no prediction where it gives none."""
    lines = [
        json.dumps({"id": key, "prediction": replies, "sample_idx": sample})
        for key in published[1]
        for sample in range(samples)
        if (replies := player(key, sample)) is not None
    ]
    (tmp_path / "predictions.jsonl").write_text("\n".join(lines))
    return score(published[0], [tmp_path / "predictions.jsonl"], QUICK).results


def cells(results: dict[str, Any]) -> dict[int | None, dict[str, Any]]:
    (config,) = results["models"][0]["configs"].values()
    return {cell["difficulty"]: cell for cell in config["splits"]["test"]["cells"]}


def random_letters(key: str, sample: int) -> list[str]:
    rng = make_generator("tests", "random letters", key, sample)
    return [f"<ANSWER>{LETTERS[place]}</ANSWER>" for place in rng.integers(4, size=9)]


def make_faltering_player(published: Published) -> Player:
    """A player that is right, wrong or unreadable by lot, and sometimes stops or is missing."""
    task = find_task(published)

    def falter_reply(key: str, sample: int) -> list[str] | None:
        rng = make_generator("tests", "faltering", key, sample)
        # The first sample is always there, so that every row is expected to have as many.
        if sample and rng.random() < 0.1:
            return None
        episode, replies = task.open(published[1][key]), list[str]()
        while rng.random() < 0.95:
            closer = progress_moves("htm", episode.current_situation.state)
            right = next(i for i, move in enumerate(episode.list_offered_moves) if move in closer)
            lot = rng.random()
            place = right if lot < 0.7 else (right + 1) % 4
            replies.append("?" if lot > 0.9 else f"<ANSWER>{LETTERS[place]}</ANSWER>")
            if isinstance(episode.reply(replies[-1]), Outcome):
                break
        return replies

    return falter_reply


def test_the_best_player_always_solves(published: Published, tmp_path: Path) -> None:
    task = find_task(published)
    results = score_player(published, tmp_path, lambda key, _: task.reference(published[1][key]), 1)
    for depth, cell in cells(results).items():
        figures = {name: figure["value"] for name, figure in cell["figures"].items()}
        assert figures["accuracy"] == figures["strict_accuracy"] == 1
        verdicts = {name: figure.get("verdict") for name, figure in cell["figures"].items()}
        if task.recovery:
            assert verdicts["recovered_rate"] == verdicts["recovered_at_1_rate"] == OF_CHOSEN
            assert verdicts["undeviated_rate"] == OF_PARTS
            assert figures["undeviated_rate"] == 1
            # Nothing deviates, so there is nothing to say about recovery: no zeros.
            assert figures["recovered_rate"] is figures["attempts_all"] is None
            assert figures["recovered_at_1_rate"] is figures["median_attempts"] is None
            assert cell["figures"]["recovered_rate"]["units"] == 0
        else:
            assert verdicts["solved_within_3_rate"] == verdicts["accuracy"]
            told = cell["figures"]["solved_at_1_rate"]
            assert told["baselines"] == cell["figures"]["accuracy"]["baselines"]
            assert figures["solved_rate"] == figures["solved_within_3_rate"] == 1
            if depth is not None:
                assert figures["solved_at_1_rate"] == (depth == 1)
                assert figures["median_attempts"] == figures["attempts_all"] == depth
                histogram = cell["histograms"]["attempts"]
                values = list(range(1, 7))
                counts = [ITEMS * (value == depth) for value in values]
                assert histogram == {"values": values, "counts": counts, "others": 0}


@pytest.mark.some(2)
def test_random_letters_solve_as_often_as_the_rows_say(
    published: Published, tmp_path: Path
) -> None:
    samples = 40
    found = cells(score_player(published, tmp_path, random_letters, samples))
    for depth in (None, *DEPTHS):
        chances = [
            item.chance
            for item in published[1].values()
            if depth in (None, item.state.optimal_depth)
        ]
        figure = found[depth]["figures"]["accuracy"]
        sigma = sqrt(sum(p * (1 - p) for p in chances) / samples) / len(chances)
        assert abs(figure["value"] - mean(chances)) < 3.5 * sigma
        if depth is None:
            assert figure["low"] <= mean(chances) <= figure["high"]


@pytest.mark.parametrize("samples", [1, 3])
def test_figures_are_those_of_the_outcomes(
    published: Published, tmp_path: Path, samples: int
) -> None:
    task, instances = find_task(published), published[1]
    player = make_faltering_player(published)
    found = cells(score_player(published, tmp_path, player, samples))
    name = "recovered" if task.recovery else "solved"
    for depth in (None, *DEPTHS):
        outcomes = [
            replay(task.open(item), player(key, sample) or [])
            for key, item in instances.items()
            for sample in range(samples)
            if depth in (None, item.state.optimal_depth)
        ]
        # What is missing or breaks off has no metrics: it deviated, and did not recover.
        counted = [o.metrics for o in outcomes if o.metrics.get("deviated", 1)]
        figures = {key: figure["value"] for key, figure in found[depth]["figures"].items()}
        for metric in (name, f"{name}_at_1", f"{name}_within_3"):
            share = mean(metrics.get(metric, 0) for metrics in counted)
            assert figures[f"{metric}_rate"] == pytest.approx(share)
        attempts = [metrics["attempts"] for metrics in counted if "attempts" in metrics]
        assert figures["median_attempts"] == median(attempts)
        spent = mean(metrics.get("attempts_all", 6) for metrics in counted)
        assert figures["attempts_all"] == pytest.approx(spent)
        histogram = found[depth]["histograms"]["attempts"]
        assert histogram["counts"] == [attempts.count(value) for value in histogram["values"]]
        assert histogram["others"] == len(outcomes) - len(attempts)
        if task.recovery:
            kept = sum(o.metrics.get("undeviated", 0) for o in outcomes)
            assert 0 < kept == len(outcomes) - len(counted)
            assert figures["undeviated_rate"] == pytest.approx(kept / len(outcomes))
        if samples == 1:
            figure = found[depth]["figures"][f"{name}_rate"]
            hits = sum(metrics.get(name, 0) for metrics in counted)
            assert (figure["method"], figure["units"]) == ("wilson", len(counted))
            assert (figure["low"], figure["high"]) == pytest.approx(
                wilson_interval(hits, len(counted))
            )


def test_the_report_shows_the_curve(published: Published, tmp_path: Path) -> None:
    results = score_player(published, tmp_path, make_faltering_player(published), 1)
    text = render_tables(results)
    name = "recovered" if find_task(published).recovery else "solved"
    header = next(line for line in text.splitlines() if f"{name} rate" in line)
    assert all(title in header for title in (f"{name} at 1 rate", "median attempts"))
    assert "attempts 3" in next(line for line in text.splitlines() if "others" in line)


def test_scoring_reads_the_table_from_the_cache(
    published: Published, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = []

    def note_open(name: str, cache: Path | None, **keys: Any) -> PruningTable:
        opened.append((name, cache))
        return open_table(name, **keys)

    monkeypatch.setattr(distance_oracle, "_source", distance_oracle._TableSource())
    monkeypatch.setattr(oracle_tables, "open_table", note_open)
    monkeypatch.setattr(oracle_tables, "_chosen", [])
    distance_oracle.find_progress.cache_clear()
    oracle_tables.connect({"cache": str(tmp_path)})
    task = find_task(published)
    score_player(published, tmp_path, lambda key, _: task.reference(published[1][key]), 1)
    assert opened == [("htm-small", tmp_path)]
