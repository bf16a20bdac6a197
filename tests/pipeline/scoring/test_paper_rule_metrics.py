"""The papers' rules in the scorer: what a reply comes to, and the two figures of a report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Status
from facelet.generators.cube.tasks import learning_curve
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.cube_bench.reply_rules import LETTER
from facelet.pipeline.papers.paper import Paper, PaperSource
from facelet.pipeline.scoring.paper_rule_metrics import CORRECT, READ, REPLIES, as_published
from facelet.pipeline.scoring.scorer import ScoreSettings, score


def test_the_share_read_and_the_accuracy_under_the_rule(
    publish: Callable[..., Path],
    letter_rows: Callable[..., Any],
    jsonl: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toy = Paper(
        "toy", PaperSource("Toy", "A toy", "nobody"), ("toy/",), reply_rules={"letter": LETTER}
    )
    monkeypatch.setattr(paper_registry, "load_papers", lambda: {"toy": toy})
    for known in ("find_task_paper", "_find_bound_rule"):  # what they know of papers
        monkeypatch.setattr(paper_registry, known, getattr(paper_registry, known).__wrapped__)
    rows = letter_rows(8)
    root = publish({"toy/letters": rows})
    ids = [f"toy.letters/d{row['difficulty']:02d}/{k:06d}" for k, row in enumerate(rows)]
    right = [row["right"] for row in rows]
    wrong = ["ABCD"["ABCD".index(letter) - 1] for letter in right]
    said = [
        f"<ANSWER>{right[0]}</ANSWER>",  # strict: right under both
        f"<ANSWER>{wrong[1]}</ANSWER>",
        f"The answer is {right[2]}",  # read here, and not by the paper
        f"ANSWER: {right[3]}",  # read by both
        f"<ANSWER>{wrong[4]}</ANSWER> No: <ANSWER>{right[4]}</ANSWER>",  # first and last differ
        f"<ANSWER>{right[5]}</ANSWER> No: <ANSWER>{wrong[5]}</ANSWER>",
        "I refuse.",
    ]  # the eighth is missing
    records = [{"id": i, "prediction": text} for i, text in zip(ids, said, strict=False)]
    (model,) = score(root, [jsonl(records)], ScoreSettings(resamples=100)).results["models"]
    figures = model["configs"]["toy.letters"]["splits"]["test"]["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == pytest.approx(4 / 8)
    assert figures["paper_parse_rate"]["value"] == pytest.approx(5 / 7)
    assert figures["paper_accuracy"]["value"] == pytest.approx(3 / 8)


def test_a_task_without_a_rule_has_no_such_figure(
    publish: Callable[..., Path], letter_rows: Callable[..., Any], jsonl: Callable[..., Path]
) -> None:
    root = publish({"toy/letters": letter_rows(3)})
    records = [{"id": "toy.letters/d01/000000", "prediction": "<ANSWER>A</ANSWER>"}]
    (model,) = score(root, [jsonl(records)], ScoreSettings(resamples=100)).results["models"]
    figures = model["configs"]["toy.letters"]["splits"]["test"]["cells"][0]["figures"]
    assert "paper_accuracy" not in figures and "accuracy" in figures


def test_every_reply_of_a_play_goes_through_the_rule(pools: Callable[..., Any]) -> None:
    task = learning_curve.TASK
    params = learning_curve.Params(depth=2)
    (instance,) = task.generate(params, Draw(("t",), 0), pools("htm", 2))
    first, second = task.reference(instance)

    def judge_under_rule(replies: list[str]) -> tuple[Status, dict[str, float]]:
        outcome = replay(task.open(instance), replies)
        return outcome.status, as_published(task, instance, replies, outcome)

    status, found = judge_under_rule([first, second])
    assert status is Status.CORRECT
    assert found == {READ: 2.0, REPLIES: 2.0, CORRECT: 1.0}
    # Read here and not by the rule: there it is an attempt that leaves the cube as it is.
    letter = first.removeprefix("<ANSWER>").removesuffix("</ANSWER>")
    status, found = judge_under_rule([f"My choice is {letter}.", second])
    assert status is Status.CORRECT
    assert found == {READ: 1.0, REPLIES: 2.0, CORRECT: 0.0}
    assert as_published(task, instance, [], replay(task.open(instance), [])) == {}
