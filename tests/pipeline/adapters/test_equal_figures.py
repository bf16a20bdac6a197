"""Whichever tool asks, the figure of a config is that of `facelet score`, to the last digit.

One model by script: right, wrong, unreadable and empty replies, talkative ones with the answer in a
box or in bold, and plays that are right up to their last turn; on single questions with and without
pictures, on answers of several parts, on episodes with and without pictures, and on a play whose
turns are chats of their own.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from doors import DOORS, SEED
from scripted import WRONG, ChatScript, answer_row, chat_key

from facelet.pipeline import rollout
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.row_opener import read_row

SUITE = """
equal:
  tasks:
    text: {task: jigsaw/assemble_easy, count: 8}
    picture: {task: labyrinth/plan, params: {turns: 1, setting: visual}, count: 8}
    labels: {task: cube/face_recognition, params: {depth: 2}, count: 8}
    episode: {task: labyrinth/act, params: {turns: 1, setting: symbolic}, count: 8}
    pictured_episode: {task: labyrinth/act, params: {turns: 1, setting: visual}, count: 8}
    chats: {task: cube/reflection, params: {depth: 2}, count: 8}
"""


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> ChatScript:
    """Return a dataset as built, and a model that answers each of its chats in some manner."""
    home = tmp_path_factory.mktemp("equal")
    (home / "equal.yaml").write_text(SUITE)
    words = (f"suites=[{home / 'equal.yaml'}]", f"seed={SEED}", "workers=1", "progress=false")
    assert main(["build", *words, f"out={home / 'built'}"]) == 0
    found = ChatScript(home / "built")
    rows = found.rows
    replies = [list(read.task.reference(read.instance)) for read in map(read_row, rows)]
    for place, row in enumerate(rows):
        config, number = row["id"].partition("/")[0], int(row["id"].rpartition("/")[2])
        others = [
            said
            for said, one in zip(replies, rows, strict=True)
            if one["id"].startswith(f"{config}/") and said != replies[place]
        ]
        lines = answer_row(number, replies[place], others[0], row["gold"])
        play = rollout.open_row(row)
        while not play.done:
            said = lines[len(play.replies)]
            play.reply(found.replies.setdefault(chat_key(play.messages), said))
        found.plays[row["id"]] = play.replies
    return found


@pytest.fixture(scope="module")
def truth(asked: ChatScript, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Return the accuracy of each config as `facelet score` has it."""
    scored = asked.truth(tmp_path_factory.mktemp("truth") / "live.jsonl")
    return {name: told["accuracy"] for name, told in scored.items()}


def test_the_replies_are_of_every_manner(asked: ChatScript, truth: dict[str, float]):
    assert all(0 < value < 1 for value in truth.values()), truth
    assert {reply for replies in asked.plays.values() for reply in replies} >= {WRONG, ""}


HERE = ("memory", "gymnasium")
"""Doors that open without the venv of tools."""


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=() if one in HERE else pytest.mark.adapters) for one in DOORS],
)
def test_figures_are_those_of_the_scorer(
    name: str,
    asked: ChatScript,
    truth: dict[str, float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    door, configs = DOORS[name]
    expected = {f"equal.{config}": truth[f"equal.{config}"] for config in configs}
    assert door(asked, tmp_path, monkeypatch) == expected
