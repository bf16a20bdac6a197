"""Walks through trees of decisions: a batch of independent answers scores as live episodes do."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from math import isclose, isnan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from describing import describe_folder
from published_loops import DEPTHS, LOOP, TREE, PublishedLoop, publish_loop

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import Message, Prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome
from facelet.generators.cube.closed_loop.prompts import POLICIES
from facelet.pipeline.scoring.aggregate.metric_registry import figure_tables
from facelet.pipeline.scoring.grade.grader import grade_predictions
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.grade.row_instances import select_replies
from facelet.pipeline.scoring.ingest.prediction import Prediction
from facelet.pipeline.scoring.ingest.prediction_reader import ingest_files
from facelet.pipeline.scoring.scored_dataset import open_dataset
from facelet.pipeline.scoring.scorer import Scores, ScoreSettings, score

PLAYERS = 1000
CROWD = 60
"""Players whose predictions are scored together; the scorer takes 64 models at once."""

SPELLINGS = ("<ANSWER>{}</ANSWER>", "ANSWER: {}", "I choose\n{}")
UNREADABLE = ("", "Let me turn the cube around.", "<ANSWER>A/B</ANSWER>")


@pytest.fixture(scope="module", params=POLICIES)
def published(request, tmp_path_factory, resource) -> PublishedLoop:
    policy = request.param
    folder = tmp_path_factory.mktemp(policy)
    return publish_loop(folder, resource, {"abstain": policy, "idk_credit": 40})


def user(prompt: Prompt) -> Message:
    return prompt.messages[-1]


def random_reply(instance: Any, rng: np.random.Generator, skill: float, idle: float) -> str:
    """Return what a random player of some skill says at a decision."""
    if rng.random() < idle:
        return str(rng.choice([*UNREADABLE, "I don't know.", "<ANSWER>IDK</ANSWER>"]))
    letter = instance.answer if rng.random() < skill else "ABCD"[rng.integers(4)]
    return str(rng.choice(SPELLINGS)).format(letter)


def play_live(published: PublishedLoop, answers: Mapping[Any, str]) -> dict[str, list[str]]:
    """Play all episodes; the player knows nothing but the prompt, and the item that it is about."""
    task = task_registry.load_task("cube/step_by_step")
    transcripts = {}
    for key, instance in published.episodes.items():
        episode = task.open(instance)
        now: Prompt | Outcome = episode.prompt()
        replies: list[str] = []
        while isinstance(now, Prompt):
            replies.append(answers[instance.item, user(now)])
            now = episode.reply(replies[-1])
        transcripts[key] = replies
    return transcripts


def answer_all(published: PublishedLoop, player: int) -> dict[str, str]:
    """Return a player's answers to all decisions, by row id."""
    rng = make_generator("walks", "player", player)
    skill, idle = (0.0, 0.3, 0.7, 0.95, 1.0)[player % 5], (0.0, 0.05, 0.3)[player % 3]
    return {
        key: random_reply(instance, rng, skill, idle)
        for key, instance in published.decisions.items()
    }


def score_records(folder: Path, records: list[dict[str, Any]], tmp_path: Path) -> Scores:
    file = tmp_path / "predictions.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return score(folder, [file], ScoreSettings(resamples=20))


def cells(scores: Scores, model: int, config: str) -> dict[Any, dict[str, Any]]:
    report = scores.results["models"][model]["configs"][config]["splits"]["test"]
    return {cell["difficulty"]: cell["figures"] for cell in report["cells"] if not cell["by"]}


def list_shared_figures(published: PublishedLoop) -> list[str]:
    names = ["teacher_adherence", "perfect_rate", "optimal_adherence", "optimal_perfect_rate"]
    if next(iter(published.episodes.values())).conditions.abstain != "off":
        names += ["coverage", "selective_accuracy", "idk_rate", "apa"]
        names += [f"step_{step}_coverage" for step in DEPTHS]
    return names


def make_records(published: PublishedLoop, players: Sequence[int]) -> list[dict[str, Any]]:
    """Return what players answer to all decisions, and what they say in live episodes."""
    task = task_registry.load_task("cube/step_tree")
    keys = {key: (i.item, user(task.open(i).prompt())) for key, i in published.decisions.items()}
    assert len(set(keys.values())) == len(keys)
    records = []
    for player in players:
        batch = answer_all(published, player)
        model = f"player {player}"
        records += [{"id": k, "prediction": text, "model": model} for k, text in batch.items()]
        transcripts = play_live(published, {keys[k]: text for k, text in batch.items()})
        records += [
            {"id": k, "prediction": replies, "model": model} for k, replies in transcripts.items()
        ]
    return records


@pytest.mark.parametrize("number", [200, pytest.param(PLAYERS, marks=pytest.mark.slow)])
def test_random_players_score_the_same_live_and_by_walking_the_tree(
    published, tmp_path, number
) -> None:
    """Many players, over the three policies; every figure of every item."""
    players = range(POLICIES.index(policy_param(published)), number, len(POLICIES))
    names = list_shared_figures(published)
    seen: dict[str, set[float]] = {name: set() for name in names}
    for first in range(0, len(players), CROWD):
        crowd = players[first : first + CROWD]
        file = tmp_path / f"{first}.jsonl"
        records = make_records(published, crowd)
        file.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
        found = grade_predictions(ingest_files(open_dataset(published.folder), [file]))
        by_player: dict[str, list[Population]] = {}
        for population in found.populations:
            by_player.setdefault(population.model, []).append(population)
        assert len(by_player) == len(crowd)
        for played, walked in by_player.values():
            assert (played.part.split_name[0], walked.part.split_name[0]) == (LOOP, TREE)
            one, two = (figures_by_item(population) for population in (played, walked))
            for name in names:
                assert one[name].keys() == two[name].keys()
                for item, value in one[name].items():
                    assert is_same(value, two[name][item]), (name, item)
                    seen[name] |= {value} if np.isfinite(value) else set()
    # The players are no crowd of one: every figure took several values.
    assert min(len(values) for values in seen.values()) > 1


def is_same(one: float, two: float) -> bool:
    return isclose(one, two, rel_tol=1e-12) or (isnan(one) and isnan(two))


def figures_by_item(population: Population) -> dict[str, dict[str, float]]:
    """Return the scorer's figures, taken over each item alone and, under "", over all of them."""
    items = population.part.read_column("item").to_pylist()
    found: dict[str, dict[str, float]] = {}
    for table in figure_tables(population):
        for name, formula in table.formulas.items():
            values = formula(table.columns).tolist()
            by_item = {items[row]: x for row, x in zip(table.units, values, strict=True)}
            whole = float(formula(table.columns.sum(axis=0)))
            found.setdefault(name, by_item | {"": whole})
    return found


def test_reports_of_live_play_and_of_the_tree_are_the_same(published, tmp_path) -> None:
    players = range(12)
    scores = score_records(published.folder, make_records(published, players), tmp_path)
    for number in players:
        played, walked = (cells(scores, number, config) for config in (LOOP, TREE))
        assert list(played) == list(walked) == [None, *DEPTHS]
        for difficulty, figures in played.items():
            for name in list_shared_figures(published):
                one, two = figures[name], walked[difficulty][name]
                if one["value"] is None:
                    assert two["value"] is None, name
                else:
                    assert two["value"] == pytest.approx(one["value"], rel=1e-12), name
                assert two["units"] == one["units"], name
                if one["method"] == "wilson":
                    assert (two["low"], two["high"]) == (one["low"], one["high"])


def policy_param(published: PublishedLoop) -> str:
    return next(iter(published.episodes.values())).conditions.abstain


def test_no_figures_of_abstention_where_there_is_none(published, tmp_path) -> None:
    records = [
        {"id": key, "prediction": f"<ANSWER>{instance.answer}</ANSWER>"}
        for key, instance in published.decisions.items()
    ]
    figures = cells(score_records(published.folder, records, tmp_path), 0, TREE)[None]
    expected = None if policy_param(published) == "off" else 1.0
    for name in ("coverage", "selective_accuracy", "apa", "step_5_coverage"):
        assert figures[name]["value"] == expected
    assert figures["teacher_adherence"]["value"] == figures["perfect_rate"]["value"] == 1.0
    assert figures["perfect_rate"]["method"] == "wilson"


def teacher_answer(published: PublishedLoop, key: str) -> str:
    return f"<ANSWER>{published.decisions[key].answer}</ANSWER>"


def test_a_decision_without_a_prediction_ends_the_walk(published, tmp_path) -> None:
    records = [
        {"id": key, "prediction": teacher_answer(published, key)}
        for key, instance in published.decisions.items()
        if instance.number != 2
    ]
    figures = cells(score_records(published.folder, records, tmp_path), 0, TREE)
    for depth in DEPTHS:
        assert figures[depth]["teacher_adherence"]["value"] == pytest.approx(min(depth, 2) / depth)
        assert figures[depth]["perfect_rate"]["value"] == float(depth <= 2)


def test_an_api_error_ends_the_walk_too(published, tmp_path) -> None:
    records = [
        {"id": key, "error": "overloaded", "model": "m"}
        if instance.number == 1
        else {"id": key, "prediction": teacher_answer(published, key), "model": "m"}
        for key, instance in published.decisions.items()
    ]
    figures = cells(score_records(published.folder, records, tmp_path), 0, TREE)[5]
    assert figures["teacher_adherence"]["value"] == pytest.approx(1 / 5)


def test_what_is_left_out_counts_as_a_reply_that_says_nothing(published, tmp_path) -> None:
    """Live and in the tree: whole items, the end of a transcript, one decision of a tree."""
    task = task_registry.load_task("cube/step_by_step")
    kept: list[dict[str, Any]] = []
    empty: list[dict[str, Any]] = []
    for number, (key, instance) in enumerate(published.episodes.items()):
        replies = task.reference(instance)
        for records, last in ((kept, []), (empty, [""])):
            if number % 3 or last:
                said = [*replies[: number % 3], *last] if number % 3 < len(replies) else replies
                records.append({"id": key, "prediction": said, "model": "m"})
    cut = {instance.item: number % 3 for number, instance in enumerate(published.episodes.values())}
    for key, decision in published.decisions.items():
        text = teacher_answer(published, key)
        there = decision.number != cut[decision.item]
        empty.append({"id": key, "prediction": text if there else "", "model": "m"})
        if there:
            kept.append({"id": key, "prediction": text, "model": "m"})
    one, two = (score_records(published.folder, records, tmp_path) for records in (kept, empty))
    expected = cells(two, 0, LOOP)
    for found in (cells(one, 0, LOOP), cells(one, 0, TREE), cells(two, 0, TREE)):
        for difficulty, figures in expected.items():
            for name in list_shared_figures(published):
                value = figures[name]["value"]
                assert found[difficulty][name]["value"] == pytest.approx(value), name
    assert 0 < expected[5]["teacher_adherence"]["value"] < 1
    if policy_param(published) != "off":
        assert 0 < expected[None]["apa"]["value"] < 1
        assert expected[1]["coverage"]["value"] == 0.5


def test_samples_walk_each_by_itself(published, tmp_path) -> None:
    """Sample 0 is perfect, sample 7 fails at once, and half the items have a third that is."""
    records = []
    for key, instance in published.decisions.items():
        wrong = next(x for x in "ABCD" if x not in instance.node.progress_letters())
        records.append({"id": key, "prediction": teacher_answer(published, key), "sample_idx": 0})
        if instance.number == 0:
            records.append({"id": key, "prediction": f"<ANSWER>{wrong}</ANSWER>", "sample_idx": 7})
        if "/000001-" in key:
            records.append(
                {"id": key, "prediction": teacher_answer(published, key), "sample_idx": 9}
            )
    figures = cells(score_records(published.folder, records, tmp_path), 0, TREE)[None]
    assert figures["perfect_rate"]["value"] == pytest.approx((1 + 0 + 0.5) / 3)
    assert figures["teacher_adherence"]["value"] == pytest.approx((1 + 0 + 0.5) / 3)


def test_abstentions_take_the_teachers_way_or_end_the_walk(published, tmp_path) -> None:
    """A player that abstains at the start and is right after it."""
    records = [
        {
            "id": key,
            "prediction": "IDK" if instance.number == 0 else teacher_answer(published, key),
        }
        for key, instance in published.decisions.items()
    ]
    figures = cells(score_records(published.folder, records, tmp_path), 0, TREE)[4]
    policy = policy_param(published)
    helped = policy == "teacher_on_abstain"
    assert figures["teacher_adherence"]["value"] == (0.75 if helped else 0.0)
    assert figures["perfect_rate"]["value"] == 0.0
    if policy != "off":
        assert figures["coverage"]["value"] == (0.75 if helped else 0.0)
        assert figures["apa"]["value"] == pytest.approx((3 + 0.4) / 4 if helped else 0.4)
        assert figures["selective_accuracy"]["value"] == (1.0 if helped else None)
        assert figures["step_1_coverage"]["value"] == 0.0


def test_a_final_answer_does_not_stand_for_an_episode_of_several_replies(published) -> None:
    """A log may give the last reply once more; by itself it may end an episode at its start."""
    loop, tree = (task_registry.load_task(f"cube/step_{name}") for name in ("by_step", "tree"))
    ended = 0
    for instance in published.episodes.values():
        replies = tuple(loop.reference(instance))
        last = Prediction("id", replies, final=replies[-1])
        assert (
            replay(loop.open(instance), select_replies(loop, instance, last)).metrics["perfect"]
            == 1.0
        )
        ended += isinstance(loop.open(instance).reply(replies[-1]), Outcome) and len(replies) > 1
    assert ended
    decision = next(iter(published.decisions.values()))
    (right,) = tree.reference(decision)
    both = Prediction("id", ("Let me see.", right), final=right)
    assert replay(tree.open(decision), select_replies(tree, decision, both)).strict


def damage_tree(
    published: PublishedLoop, folder: Path, change: Callable[[list[Any]], None]
) -> Path:
    file = published.folder / TREE / "test-00000-of-00001.parquet"
    table = pq.read_table(file)
    rows = table.to_pylist()
    change(rows)
    to = folder / TREE / file.name
    to.parent.mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), to)
    describe_folder(folder)
    return folder


def lose_a_node(rows: list[Any]) -> None:
    rows.remove(next(row for row in rows if row["node"] == 1))


def lose_the_start(rows: list[Any]) -> None:
    for row in [row for row in rows if row["node"] == 0][:1]:
        row["node"] = 90


def number_twice(rows: list[Any]) -> None:
    next(row for row in rows if row["node"] == 1)["node"] = 0


def lead_back(rows: list[Any]) -> None:
    row = next(row for row in rows if row["node"] == 1)
    row["next"] = [0] * 4


def lead_far(rows: list[Any]) -> None:
    next(row for row in rows if row["node"] == 1)["next"] = [30_000] * 4


def drop_an_option(rows: list[Any]) -> None:
    rows[0]["next"] = rows[0]["next"][:3]


@pytest.mark.parametrize("change", [lose_the_start, number_twice, lead_back, drop_an_option])
def test_rows_that_make_no_trees_are_refused(published, tmp_path, change) -> None:
    folder = damage_tree(published, tmp_path / "damaged", change)
    some = max(published.decisions)
    with pytest.raises(ValueError, match=rf"^{TREE}/test: "):
        score_records(folder, [{"id": some, "prediction": "B"}], tmp_path)


@pytest.mark.parametrize("change", [lose_a_node, lead_far])
def test_a_tree_that_lacks_a_decision_is_left_out(published, tmp_path, change) -> None:
    """Near the solved cube decisions are rationed; a walk that comes to none could not go on."""
    rng = make_generator("walks", "rationed", policy_param(published))
    answers = {key: f"<ANSWER>{'ABCD'[rng.integers(4)]}</ANSWER>" for key in published.decisions}
    folder = damage_tree(published, tmp_path / "lacking", change)
    (item,) = items_lacking_rows(folder)
    whole = [key for key in answers if published.decisions[key].item != item]
    assert 0 < len(whole) < len(answers)
    kept = [row["id"] for row in pq.read_table(find_tree_file(folder), columns=["id"]).to_pylist()]
    some = [{"id": key, "prediction": answers[key]} for key in kept]
    found = cells(score_records(folder, some, tmp_path), 0, TREE)[None]

    def drop_decision(rows: list[Any]) -> None:
        rows[:] = [row for row in rows if row["item"] != item]

    other = damage_tree(published, tmp_path / "whole", drop_decision)
    alone = [{"id": key, "prediction": answers[key]} for key in whole]
    expected = cells(score_records(other, alone, tmp_path), 0, TREE)[None]
    names = [name for name in expected if "adherence" in name or "perfect" in name]
    assert {"teacher_adherence", "optimal_adherence"} <= set(names)
    assert [found[name]["value"] for name in names] == [expected[name]["value"] for name in names]


def test_without_a_whole_tree_there_is_no_figure_of_walks(published, tmp_path) -> None:
    def cut_trees(rows: list[Any]) -> None:
        rows[:] = [row for row in rows if row["difficulty"] > 1 and row["node"] == 0]

    folder = damage_tree(published, tmp_path / "cut", cut_trees)
    kept = pq.read_table(find_tree_file(folder), columns=["id"]).to_pylist()
    some = [{"id": row["id"], "prediction": "<ANSWER>B</ANSWER>"} for row in kept]
    found = cells(score_records(folder, some, tmp_path), 0, TREE)[None]
    assert found["accuracy"]["value"] is not None
    assert found.get("teacher_adherence", {"value": None})["value"] is None


def find_tree_file(folder: Path) -> Path:
    return folder / TREE / "test-00000-of-00001.parquet"


def items_lacking_rows(folder: Path) -> list[str]:
    """Return the items with an option that leads to a decision without a row."""
    rows = pq.read_table(find_tree_file(folder), columns=["item", "node", "next"]).to_pylist()
    there = {(row["item"], row["node"]) for row in rows}
    return sorted(
        {
            row["item"]
            for row in rows
            if any(to >= 0 and (row["item"], to) not in there for to in row["next"])
        }
    )


def test_the_expected_score_of_a_random_player_lies_within_its_interval(
    published, tmp_path
) -> None:
    """A player that draws letters evenly: its expectation follows from the tree alone."""
    rng = make_generator("walks", "expectation", policy_param(published))
    task = task_registry.load_task("cube/step_by_step")
    records, outcomes = [], []
    for key, instance in published.episodes.items():
        depth = instance.state.optimal_depth
        for sample in range(200):
            replies = [f"<ANSWER>{'ABCD'[place]}</ANSWER>" for place in rng.integers(4, size=depth)]
            records.append({"id": key, "prediction": replies, "sample_idx": sample})
            outcomes.append(replay(task.open(instance), replies).metrics["teacher_adherence"])
    figures = cells(score_records(published.folder, records, tmp_path), 0, LOOP)[None]
    found = figures["teacher_adherence"]
    assert found["value"] == pytest.approx(np.mean(outcomes))
    expected = np.mean([expected_adherence(instance) for instance in published.episodes.values()])
    assert found["low"] <= expected <= found["high"]
    assert abs(found["value"] - expected) < 4 * np.std(outcomes) / len(outcomes) ** 0.5


def expected_adherence(instance: Any) -> float:
    """Return the expected adherence of even guessing: a quarter at each node that is come to."""
    graph, depth = instance.graph, instance.state.optimal_depth
    come = {0: 1.0}
    total = 0.0
    for _ in range(depth):
        after: dict[int, float] = {}
        for number, share in come.items():
            total += share / 4
            for to in graph.nodes[number].next:
                if to >= 0:
                    after[to] = after.get(to, 0.0) + share / 4
        come = after
    return total / depth
