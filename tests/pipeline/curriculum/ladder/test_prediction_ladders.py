"""Ladders of prediction files: perfect, failing and guessing players, batches, and live runs."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from facelet import environment
from facelet.pipeline.cli import main
from facelet.pipeline.curriculum.ladder.climb import climb_levels, find_reached_level
from facelet.pipeline.curriculum.ladder.endless_ladder import iterate_requests
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.curriculum.ladder.ladder_text import (
    find_baseline,
    format_ladder,
    read_baseline_ladders,
    subtract_estimates,
)
from facelet.pipeline.curriculum.ladder.prediction_ladders import (
    IntervalEstimate,
    LadderRungs,
    ModelLadder,
    build_ladder,
    floor_reach,
    iterate_ladders,
    list_climbs,
)
from facelet.pipeline.rollout import open_row
from facelet.pipeline.rollout.transcript_file import Transcript

CONFIG = "inf_bench.forward_2d_text"
LEVELS = 4


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ladder") / "data"
    words = ["profile=smoke", "suites=[inf_bench]", "tasks=[forward_2d_text]", "progress=false"]
    assert main(["build", *words, f"levels=1-{LEVELS}", "count=15", f"out={folder}"]) == 0
    return folder


def climb_live(
    folder: Path,
    start: ModelLadder,
    model: Callable[[list[dict[str, object]]], str],
    name: str = "model",
) -> tuple[ModelLadder, list[Transcript]]:
    """Climb with a model that answers at once.

    Args:
        folder: the dataset.
        start: a ladder, as `iterate_ladders` yields it without predictions; its climbs start again.
        model: receives a chat in the form of chat completions, and returns the reply.
        name: the model's name in transcripts.

    Returns:
        The ladder with all climbs finished, and a transcript of each question for `facelet score`.
    """
    numbers = {identifier: row for row, identifier in enumerate(start.rungs.ids)}
    right: dict[int, bool] = {}
    told = []
    found = build_ladder(start.rungs, name, right, len(start.climbs))
    while found.due_ids:
        rows = {row["id"]: row for row in environment.rows(folder, found.rungs.config)}
        for identifier in found.due_ids:
            play = open_row(rows[identifier])
            while not play.done:
                play.reply(model(play.messages))
            outcome = play.outcome
            right[numbers[identifier]] = outcome is not None and outcome.status == "correct"
            told.append(play.transcript(name))
        found = build_ladder(start.rungs, name, right, len(start.climbs))
    return found, told


def golds(folder: Path) -> dict[str, str]:
    return {row["id"]: row["gold"] for row in environment.rows(folder, CONFIG)}


def write_replies(path: Path, replies: dict[str, str]) -> Path:
    path.write_text(
        "".join(json.dumps({"id": i, "prediction": r}) + "\n" for i, r in replies.items())
    )
    return path


def test_a_perfect_player_reaches_the_highest_level(built: Path, tmp_path: Path) -> None:
    file = write_replies(tmp_path / "perfect.jsonl", golds(built))
    (found,) = iterate_ladders(built, [file])
    assert found.rungs.levels == (1, 2, 3, 4)
    assert [one.end for one in found.climbs] == ["top", "top"]  # 30 questions a level: two runs
    mean = found.mean_reach("below")
    assert mean is not None and (mean.value, mean.high) == (4, 4)
    assert mean.low is not None and 3 < mean.low < 4
    static = found.static_reach()
    assert static is not None and static["failed"].value == 4


def test_a_player_that_is_always_wrong_falls(built: Path, tmp_path: Path) -> None:
    wrong = {i: "ABCD"["BCDA".index(gold)] for i, gold in golds(built).items()}
    (found,) = iterate_ladders(built, [write_replies(tmp_path / "wrong.jsonl", wrong)])
    assert [one.end for one in found.climbs] == ["bottom", "bottom"]
    mean = found.mean_reach("failed")
    assert mean is not None and mean.value == 0 and not found.due_ids


def test_batches_climb_to_the_end(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Right up to level 2 and wrong beyond: 2 by one reading, 3 failed twice by the other."""
    right = golds(built)
    answers: dict[str, str] = {}
    for batch in range(20):
        words = [f"dataset={built}"]
        if answers:
            words.append(f"predictions={write_replies(tmp_path / 'so_far.jsonl', answers)}")
        assert main(["next", *words]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        if not lines:
            break
        assert batch or len(lines) == 10
        for line in lines:
            assert line["messages"][0]["role"] == "system" and "/" not in line["custom_id"]
            identifier = line["id"]
            assert identifier not in answers
            gold = right[identifier]
            low = "/l01/" in identifier or "/l02/" in identifier
            answers[identifier] = gold if low else "ABCD"["BCDA".index(gold)]
    assert len(answers) == 2 * 5 * 5  # levels 1, 2, 3, 2, 3
    file = write_replies(tmp_path / "all.jsonl", answers)
    assert (
        main(["ladder", f"dataset={built}", f"predictions={file}", f"out={tmp_path}/l.json"]) == 0
    )
    assert "R 3.00" in capsys.readouterr().out
    (said,) = json.loads((tmp_path / "l.json").read_text())
    assert said["mean"]["failed"]["value"] == 3 and said["mean"]["below"]["value"] == 2
    assert said["mean_depth"] == {"failed": 3.0, "below": 2.0}  # every step counts
    assert said["missing"] == 0 and said["floor"]["below"] == pytest.approx(
        estimate_reach([0.25] * 4).below
    )


def test_climbed_r_stands_in_the_papers_table(built: Path, tmp_path: Path) -> None:
    """Right up to level 2 and wrong beyond, and a player that passes the highest level."""
    right, lines = golds(built), []
    for model in ("low", "high"):
        for identifier, gold in right.items():
            known = model == "high" or "/l01/" in identifier or "/l02/" in identifier
            reply = gold if known else "ABCD"["BCDA".index(gold)]
            lines.append(json.dumps({"id": identifier, "model": model, "prediction": reply}))
    file = tmp_path / "both.jsonl"
    file.write_text("\n".join(lines))
    words = [f"dataset={built}", f"predictions={file}", f"out={tmp_path / 'scores'}"]
    assert main(["score", *words]) == 0
    results = json.loads((tmp_path / "scores" / "results.json").read_text())
    climbed = {one.model: one.mean_reach("failed") for one in iterate_ladders(built, [file])}
    for model in results["models"]:
        (table,) = model["papers"]
        claim, mean = table["rows"][0]["claims"][0], climbed[model["model"]]
        assert mean is not None and (claim["low"], claim["high"]) == (mean.low, mean.high)
        assert claim["value"] == mean.value == (3 if model["model"] == "low" else 4)
        assert claim["units"] == 2 and set(claim["baselines"]) >= {"chance"}
        bound = "a climb passed the highest level, 4" in table["reasons"][-1]
        assert bound == (model["model"] == "high")
        assert "the mean is over 2 of the paper's 10 climbs" in table["reasons"][-1]


def test_a_live_run_is_one_call(built: Path) -> None:
    rows = {str(row["messages"][1]["content"]): row for row in environment.rows(built, CONFIG)}
    (start,) = iterate_ladders(built, [], wanted=[CONFIG])
    asked = []

    def answer_chat(messages: list[dict[str, Any]]) -> str:
        asked.append(messages)
        return "B"

    found, told = climb_live(built, start, answer_chat, "always B")
    assert len(told) == len(asked) >= 10 and all(one.end != "open" for one in found.climbs)
    assert not list(iterate_requests(built, [found])) and rows


@pytest.mark.parametrize(("duplicates", "below"), [("first", 0), ("last", 4), ("samples", 0)])
def test_different_replies_are_refused_or_resolved(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], duplicates: str, below: float
) -> None:
    right = golds(built)
    wrong = {i: "ABCD"["BCDA".index(gold)] for i, gold in right.items()}
    text = write_replies(tmp_path / "wrong", wrong).read_text()
    file = tmp_path / "both.jsonl"
    file.write_text(text + write_replies(tmp_path / "right", right).read_text())
    words = ["ladder", f"dataset={built}", f"predictions={file}", f"configs=[{CONFIG}]"]
    assert main(words) == 2 and "duplicates=first or last" in capsys.readouterr().err
    out = tmp_path / "ladder.json"
    assert main([*words, f"duplicates={duplicates}", f"out={out}"]) == 0
    (record,) = json.loads(out.read_text())
    assert record["mean"]["below"]["value"] == below


def test_samples_vote(built: Path, tmp_path: Path) -> None:
    right = golds(built)
    lines = []
    for identifier, gold in right.items():
        wrong = "ABCD"["BCDA".index(gold)]
        for sample, reply in enumerate((wrong, gold, gold)):
            lines.append({"id": identifier, "prediction": reply, "sample_idx": sample})
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (first,) = iterate_ladders(built, [file])
    (most,) = iterate_ladders(built, [file], vote=True)
    assert {one.end for one in first.climbs} == {"bottom"}
    assert {one.end for one in most.climbs} == {"top"}
    out = tmp_path / "score"
    assert main(["score", f"dataset={built}", f"predictions={file}", f"out={out}"]) == 0
    splits = json.loads((out / "results.json").read_text())["models"][0]["configs"][CONFIG]
    figures = splits["splits"]["test"]["cells"][0]["figures"]
    assert figures["majority_correct"]["value"] == 1.0
    assert figures["all_samples_correct"]["value"] == 0.0


def test_too_few_questions_are_told(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "few"
    words = ["profile=smoke", "suites=[inf_bench]", "tasks=[forward_2d_text]", "progress=false"]
    assert main(["build", *words, "levels=1-2", "count=2", f"out={folder}"]) == 0
    with pytest.raises(ValueError, match="a ladder needs 15"):
        list(iterate_ladders(folder, []))
    with pytest.raises(ValueError, match="is not in the dataset"):
        list(iterate_ladders(built, [], wanted=["nothing"]))
    assert main(["next", "dataset=" + str(folder)]) == 2


def test_a_config_without_a_ladder_stops_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One of two configs has five questions at a level; the other one is climbed all the same."""
    folder, suite = tmp_path / "two", tmp_path / "two.yaml"
    suite.write_text(
        "two:\n  tasks:\n"
        "    few: {task: jigsaw/perception, times: 0.25}\n"
        "    many: {task: cube/inverse_deformation, params: {input: text, start: solved, "
        "replaced: 1}, usual_levels: 1-3}\n"
    )
    words = ["profile=smoke", f"suites=[{suite}]", "count=20", "progress=false"]
    assert main(["build", *words, f"out={folder}"]) == 0
    said = {
        row["id"]: row["gold"]
        for config in ("two.few", "two.many")
        for row in environment.rows(folder, config)
    }
    file = write_replies(tmp_path / "right.jsonl", said)
    capsys.readouterr()
    assert main(["ladder", f"dataset={folder}", f"predictions={file}"]) == 0
    found = capsys.readouterr()
    assert "two.many/test  level 1 to 3" in found.out and "R 3.00" in found.out
    assert "note: left out: two.few/test has 5 questions" in found.err
    assert main(["next", f"dataset={folder}"]) == 0
    assert main(["ladder", f"dataset={folder}", f"predictions={file}", "configs=[two.few]"]) == 2


def make_wide_rungs(levels: int, runs: int) -> LadderRungs:
    """Levels with questions for so many runs."""
    size = 15 * runs
    rows = tuple(tuple(range(place * size, (place + 1) * size)) for place in range(levels))
    ids = tuple(map(str, range(levels * size)))
    return LadderRungs(
        "toy", "test", "level", tuple(range(1, levels + 1)), rows, ids, (0.25,) * levels
    )


def test_the_random_players_ladders_agree_with_the_markov_value() -> None:
    rungs = make_wide_rungs(6, 6000)
    rng = np.random.default_rng(5)
    right = dict(enumerate((rng.random(6 * 6000 * 15) < 0.25).tolist()))
    found = [find_reached_level(one, rungs.levels) for one in list_climbs(rungs, 6000, right)]
    values = [r.failed for r in found if r is not None]
    guess = floor_reach(rungs)
    assert guess is not None and len(values) == 6000
    assert abs(np.mean(values) - guess.failed) < 4 * np.std(values) / np.sqrt(6000)


def test_a_table_of_accuracies_agrees_with_the_ladders_within_its_interval() -> None:
    rungs = make_wide_rungs(12, 300)
    rng = np.random.default_rng(6)
    chances = [0.95 - 0.05 * place for place in range(12)]
    right = {
        row: bool(rng.random() < chance)
        for rows, chance in zip(rungs.rows, chances, strict=True)
        for row in rows
    }
    found = build_ladder(rungs, "player", right, runs=300)
    static = found.static_reach()
    assert static is not None
    for reading in ("failed", "below"):
        mean, table = found.mean_reach(reading), static[reading]
        assert mean is not None and mean.low is not None and mean.high is not None
        assert table.low is not None and table.high is not None
        assert mean.low <= table.high and table.low <= mean.high
        true = getattr(estimate_reach(chances), reading)
        assert table.low - 0.2 <= true <= table.high + 0.2


def test_no_run_asks_a_question_twice() -> None:
    rungs = make_wide_rungs(3, 4)
    asked: list[int] = []
    for run in range(4):
        asked += [
            row
            for place in range(3)
            for number in range(3)
            for row in rungs.visit_rows(
                type(climb_levels(1, lambda v: None).open_visit)(place, number), run
            )  # type: ignore[misc]
        ]
    assert sorted(asked) == list(range(3 * 4 * 15))


def test_r_is_told_in_steps_that_count_as_well() -> None:
    """Where a third of the steps can be left out, R counts them beside those that are left."""
    levels = make_wide_rungs(3, 1)
    deep = dataclasses.replace(levels, depths=(1.0, 1.5, 2.0))
    right = dict.fromkeys(range(45), True)
    found = build_ladder(deep, "player", right, runs=1)
    mean = found.mean_reach("failed")
    assert mean is not None and mean.value == 3 and found.mean_depth_reach("failed") == 2.0
    assert "in steps that count 2.00" in format_ladder(found)
    assert build_ladder(levels, "player", right, runs=1).mean_depth_reach("failed") is None
    assert build_ladder(deep, "player", {}, runs=1).mean_depth_reach("failed") is None


def test_r_is_told_less_that_of_the_ladder_without_a_method(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A player that is right where it had been wrong gains all four levels."""
    right = golds(built)
    wrong = {i: "ABCD"["BCDA".index(gold)] for i, gold in right.items()}
    words = ["ladder", f"dataset={built}"]
    plain, before = tmp_path / "plain.json", write_replies(tmp_path / "before.jsonl", wrong)
    assert main([*words, f"predictions={before}", f"out={plain}"]) == 0
    assert "vanilla" not in capsys.readouterr().out
    after = write_replies(tmp_path / "after.jsonl", right)
    assert main([*words, f"predictions={after}", f"vanilla={plain}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("difference from vanilla +4.00 (+" in line for line in lines) == 2
    (found,) = iterate_ladders(built, [after])
    with pytest.raises(ValueError, match="has 2 ladders of"):
        find_baseline(found, read_baseline_ladders(plain) * 2)
    assert main([*words, f"predictions={after}", f"vanilla={after}"]) == 2
    assert "holds no ladders" in capsys.readouterr().err


def test_ends_of_a_difference_are_added_as_squares() -> None:
    high, low = IntervalEstimate(3.0, 2.0, 5.0), IntervalEstimate(1.0, 0.5, 1.75)
    apart = subtract_estimates(high, low)
    assert apart is not None and apart.value == 2
    assert apart.low == pytest.approx(2 - (1 + 0.75**2) ** 0.5)
    assert apart.high == pytest.approx(2 + (4 + 0.5**2) ** 0.5)
    assert subtract_estimates(None, low) is None


@pytest.mark.parametrize("key", ["predictions", "vanilla"])
def test_no_file_that_is_read_is_overwritten(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    said, plain = tmp_path / "said.jsonl", tmp_path / "plain.json"
    said.write_text('{"id": "x", "prediction": "A"}')
    plain.write_text("[]")
    out = {"predictions": said, "vanilla": plain}[key]
    words = [f"dataset={built}", f"predictions={said}", f"vanilla={plain}"]
    before = out.read_bytes()
    assert main(["ladder", *words, f"out={tmp_path}/../{tmp_path.name}/{out.name}"]) == 2
    assert "is a file that is read" in capsys.readouterr().err
    assert out.read_bytes() == before
