"""Datasets in memory: the rows of a build, without a folder, and scored by replay."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

import facelet
from facelet import environment
from facelet.generators.core import task_registry
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.cli import main
from facelet.pipeline.rollout import chat_messages
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.renderers.api import render_scene
from facelet.renderers.pixel_hash import pixel_hash, pixel_hash_png


@pytest.fixture(scope="module")
def mazes():
    return facelet.create_dataset("labyrinth/plan", size=6, seed=7, turns=1, setting="symbolic")


def test_entries_are_the_rows_of_a_build(tmp_path):
    words = ["profile=smoke", "suites=[marble]", "tasks=[jigsaw/perception]", "seed=7"]
    assert main(["build", *words, f"out={tmp_path / 'made'}", "progress=false", "workers=1"]) == 0
    rows = list(environment.rows(tmp_path / "made"))[:5]
    data = facelet.create_dataset("jigsaw/perception", size=5, seed=7)
    for row, entry in zip(rows, data, strict=True):
        assert row["gold"] == entry["metadata"]["gold"]
        made = environment.open_row(row)
        assert made.messages == entry["messages"]
        assert made.task == entry["metadata"]["task"]


def test_a_right_reply_is_worth_1_and_none_0(mazes):
    for entry in mazes:
        assert mazes.score_answer(entry["answer"], entry) == 1
        assert mazes.score_answer(None, entry) == mazes.score_answer("", entry) == 0
        copy = json.loads(json.dumps(entry))
        assert mazes.score_answer(copy["answer"], copy) == 1


def test_the_cube_too(tmp_path):
    told = {"table": "small"}
    data = facelet.create_dataset("cube/move_prediction", size=9, seed=3, told=told, depth=2)
    assert len(data) == 9 and len({entry["metadata"]["id"] for entry in data}) == 9
    assert all(data.score_answer(entry["answer"], entry) == 1 for entry in data)
    assert data[0]["metadata"]["metric"] == "htm"
    again = facelet.create_dataset("cube/move_prediction", size=9, seed=3, told=told, depth=2)
    assert [entry["question"] for entry in again] == [entry["question"] for entry in data]


def test_episodes_of_many_turns(mazes):
    data = facelet.create_dataset("labyrinth/act", size=2, seed=1, turns=1)
    entry = data[0]
    assert isinstance(entry["answer"], list) and len(entry["answer"]) > 1
    assert data.score_answer(entry["answer"], entry) == 1
    assert data.score_answer(entry["answer"][:1], entry) == 0
    play = data.play(entry)
    for said in entry["answer"]:
        play.reply(said)
    assert play.outcome.status == Status.CORRECT


def test_what_the_rows_of_an_item_share_is_made_once(monkeypatch):
    """Each of the 32 rows of a chamber made it anew, and drew its pictures anew."""
    made, drawn = [], []
    task = task_registry.load_task("chamber/plan_correctness")
    generate = type(task).generate
    monkeypatch.setattr(
        type(task), "generate", lambda *args: made.append(args[2].index) or generate(*args)
    )
    monkeypatch.setattr(
        chat_messages, "render_scene", lambda scene: drawn.append(scene) or render_scene(scene)
    )
    data = facelet.create_dataset("chamber/plan_correctness", size=40, seed=7)
    backwards = [data[place] for place in reversed(range(40))]
    assert sorted(made) == [0, 1] and len(set(drawn)) == len(drawn) <= 2 * 4
    assert list(data) == backwards[::-1]
    assert sorted(made) == [0, 1] and len(set(drawn)) == len(drawn) <= 2 * 4
    pictures = [part for part in data[0]["messages"][1]["content"] if part["type"] == "image_url"]
    first = pictures[0]["image_url"]["url"].removeprefix("data:image/png;base64,")
    assert pixel_hash_png(base64.b64decode(first)) == pixel_hash(render_scene(drawn[-4]))


def test_slices_and_places(mazes):
    assert [entry["metadata"]["id"] for entry in mazes[1:3]] == [
        mazes[1]["metadata"]["id"],
        mazes[2]["metadata"]["id"],
    ]
    assert mazes[-1] == mazes[5]
    with pytest.raises(IndexError):
        mazes[6]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"task": "labyrinth/plann"}, "labyrinth/plan"),
        ({"task": "labyrinth/plan", "turns": 99}, "turns=99"),
        ({"task": "labyrinth/plan", "turn": 1}, "turns"),
        ({"task": "labyrinth/plan", "size": 0}, "size=0 is out of range"),
        ({"task": "cube/step_tree", "told": {"table": "small"}}, "facelet build"),
    ],
)
def test_what_cannot_be_is_named(words, message):
    with pytest.raises(ValueError, match=message):
        facelet.create_dataset(words.pop("task"), **words)


def test_rewards_by_hand():
    gold, said = ("A", "B", "C", "D"), ("A", "B", "D", "C")
    half = Outcome(Status.WRONG, strict=True, gold=gold, answer=said)
    assert reward(half) == 0
    assert reward(half, Weights(partial=0.5)) == 0.25
    assert reward(half, Weights(partial=0.5, format=0.2)) == pytest.approx(0.8 * 0.25)
    single = replace(half, one_reply=True)
    assert reward(single, Weights(partial=0.5, format=0.2)) == pytest.approx(0.8 * 0.25 + 0.2)
    right = Outcome(Status.CORRECT, strict=False, gold=("A",), answer=("A",))
    assert reward(right) == 1 and reward(right, Weights(format=0.5)) == 0.5
    assert reward(Outcome(Status.UNPARSED, strict=False, gold=gold), Weights(partial=1)) == 0
    with pytest.raises(ValueError, match="partial=2 is out of range; it is from 0 to 1"):
        Weights(partial=2)


@pytest.mark.parametrize("task", ["labyrinth/act", "arcade/bit_query", "cube/step_by_step"])
def test_an_episode_that_ends_early_has_no_pay_for_its_form(task):
    told = {"told": {"table": "small"}} if task.startswith("cube/") else {}
    data = facelet.create_dataset(task, size=12, seed=3, **told)
    weights, lost = Weights(format=0.1), 0
    for entry in data:
        play = data.play(entry)
        right = entry["answer"] if isinstance(entry["answer"], list) else [entry["answer"]]
        while play.outcome is None:
            play.reply(right[0])
        lost += play.outcome.status != Status.CORRECT and play.outcome.strict
        assert reward(play.outcome, weights) == float(play.outcome.status == Status.CORRECT)
        assert data.score_answer(right, entry, weights) == 1
    assert lost > 3


@pytest.mark.parametrize(
    ("task", "params"),
    [
        ("jigsaw/assemble_easy", {}),
        ("labyrinth/plan", {"turns": 2}),
        ("shapes/forward_deformation", {}),
    ],
)
def test_a_question_with_one_reply_has_pay_for_its_form(task, params):
    data = facelet.create_dataset(task, size=12, seed=3, **params)
    answers = [entry["answer"] for entry in data]
    wrong = [
        data.score_answer(answers[k - 1], entry, Weights(format=0.1))
        for k, entry in enumerate(data)
        if data.score_answer(answers[k - 1], entry) == 0
    ]
    assert wrong and set(wrong) == {0.1}


@pytest.mark.parametrize("task", ["cube/move_effect", "arcade/hidden_number_finding"])
def test_without_a_size_a_small_task_gives_all_of_its_entries(task):
    data = facelet.create_dataset(task)
    assert 0 < len(data) < 100
    with pytest.raises(ValueError, match=f"{task} has {len(data)} entries"):
        facelet.create_dataset(task, size=len(data) + 1)
    assert len(facelet.create_dataset("jigsaw/assemble_easy")) == 500
