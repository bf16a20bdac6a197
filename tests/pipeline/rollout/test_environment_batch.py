"""Batches: transcripts of many rows, models that fail, runs that are interrupted and go on."""

from __future__ import annotations

import json
import threading
from types import SimpleNamespace

import pytest

from facelet.pipeline import rollout
from facelet.pipeline.dataset.atomic_files import hold_lock
from facelet.pipeline.rollout import rollout_runner
from facelet.pipeline.rollout.transcript_file import lock_of
from facelet.pipeline.scoring.scorer import ScoreSettings, score


@pytest.fixture
def player(acting):
    """A model that succeeds: it finds its row by the first picture or text that it is shown."""
    first = {}
    for row in acting.rows:
        play = rollout.open_row(row)
        first[json.dumps(play.messages)] = acting.references[row["id"]]

    def find_reply(messages):
        said = sum(message["role"] == "assistant" for message in messages)
        return first[json.dumps(messages[:2])][said]

    return find_reply


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def read_untimed(path):
    """Return the lines without what a clock says."""
    return [{k: v for k, v in record.items() if k != "seconds"} for record in read_lines(path)]


def list_keys(path):
    return sorted((r["id"], r.get("model", ""), r.get("sample_idx", 0)) for r in read_lines(path))


@pytest.mark.parametrize("workers", [1, 3])
def test_every_row_is_played_once_and_again_only_for_more_samples(
    acting, player, tmp_path, workers
):
    path = tmp_path / "new" / "out.jsonl"
    ids = [row["id"] for row in acting.rows]
    tally = rollout.run(acting.rows, player, path, name="me", workers=workers)
    assert (tally.count_finished, tally.skipped, tally.errors) == (len(ids), 0, 0)
    assert tally.statuses == {"correct": len(ids)}
    assert list_keys(path) == [(key, "me", 0) for key in ids]
    before = path.read_bytes()
    again = rollout.run(acting.rows, player, path, name="me", workers=workers)
    assert (again.count_finished, again.skipped) == (0, len(ids))
    assert path.read_bytes() == before
    rollout.run(acting.rows, player, path, name="me", samples=2, workers=workers)
    rollout.run(acting.rows, player, path, name="you", workers=workers)
    assert path.read_bytes().startswith(before)
    assert list_keys(path) == sorted(
        [(key, "me", sample) for key in ids for sample in (0, 1)] + [(key, "you", 0) for key in ids]
    )
    results = score(acting.folder, [path], ScoreSettings(resamples=100)).results
    assert [model["model"] for model in results["models"]] == ["me", "you"]
    for model in results["models"]:
        counts = model["configs"]["suite.act"]["splits"]["test"]["counts"]
        assert {name: n for name, n in counts.items() if n} == {
            "correct": len(ids) * (2 if model["model"] == "me" else 1)
        }


def test_threads_change_nothing_but_the_order(publish, tmp_path):
    names = ("cube/face_recognition", "cube/verification", "jigsaw/perception", "labyrinth/plan")
    rows = [row for name in names for row in publish(name).rows]
    for workers in (1, 6):
        path = tmp_path / f"{workers}.jsonl"
        rollout.run(rows, lambda messages: "Answer: Yes", path, workers=workers)
    one, six = (sorted(map(json.dumps, read_untimed(tmp_path / f"{n}.jsonl"))) for n in (1, 6))
    assert one == six and len(one) == len(rows)


def test_equal_rows_are_played_once(acting, player, tmp_path):
    tally = rollout.run([*acting.rows, *acting.rows], player, tmp_path / "out.jsonl")
    assert (tally.count_finished, tally.skipped) == (len(acting.rows), len(acting.rows))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failure_of_the_model_costs_one_row_and_is_tried_again(acting, player, tmp_path, workers):
    path = tmp_path / "out.jsonl"
    broken = json.dumps(rollout.open_row(acting.rows[0]).messages)

    def fail_once(messages):
        if json.dumps(messages[:2]) == broken and len(messages) > 2:
            raise TimeoutError("the server is busy")
        return player(messages)

    tally = rollout.run(acting.rows, fail_once, path, workers=workers)
    assert (tally.errors, tally.count_finished) == (1, len(acting.rows) - 1)
    (line,) = [record for record in read_lines(path) if "error" in record]
    assert line["id"] == acting.rows[0]["id"]
    assert line["error"] == "TimeoutError: the server is busy"
    assert len(line["messages"]) == 4 and "outcome" not in line
    counts = score_report(acting, path)
    assert (counts["api_error"], counts["correct"]) == (1, len(acting.rows) - 1)
    tally = rollout.run(acting.rows, player, path, workers=workers)
    assert (tally.errors, tally.count_finished, tally.skipped) == (0, 1, len(acting.rows) - 1)
    counts = score_report(acting, path)
    assert (counts["api_error"], counts["correct"]) == (0, len(acting.rows))


def score_report(acting, path):
    results = score(acting.folder, [path], ScoreSettings(resamples=100)).results
    return results["models"][0]["configs"]["suite.act"]["splits"]["test"]["counts"]


def test_a_reply_that_is_no_string_is_a_failure_of_the_model(acting, tmp_path):
    path = tmp_path / "out.jsonl"
    assert rollout.run(acting.rows[:1], lambda messages: None, path).errors == 1
    assert read_lines(path)[0]["error"] == "TypeError: the model returned None, which is no string"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_model_that_always_fails_is_given_up(acting, tmp_path, workers):
    path = tmp_path / "out.jsonl"

    def fail_always(messages):
        raise ConnectionError("no route")

    with pytest.raises(RuntimeError, match=r"failed 2 times in a row.*ConnectionError: no route"):
        rollout.run(acting.rows, fail_always, path, samples=9, workers=workers, give_up=2)
    assert [record["error"] for record in read_lines(path)] == ["ConnectionError: no route"] * 2


def test_failures_that_are_not_in_a_row_do_not_give_a_model_up(acting, player, tmp_path):
    calls = []

    def fail_sometimes(messages):
        calls.append(messages)
        if len(calls) % 3:
            raise ConnectionError("no route")
        return "no action"

    path = tmp_path / "out.jsonl"
    rows = [{**acting.rows[0], "id": f"suite.act/t2/{number:06d}"} for number in range(12)]
    tally = rollout.run(rows, fail_sometimes, path, give_up=3)
    assert tally.errors > 3 and tally.count_finished > 0


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_keeps_what_is_finished(acting, player, tmp_path, workers):
    path = tmp_path / "out.jsonl"
    rollout.run(acting.rows[:1], player, path)
    before = path.read_bytes()

    def interrupt_rows():
        yield from acting.rows[:2]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rollout.run(interrupt_rows(), player, path, workers=workers)
    assert path.read_bytes().startswith(before)
    # Others of this process may have threads of their own, such as a progress bar's.
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("play")]
    rollout.run(acting.rows, player, path)
    assert list_keys(path) == [(row["id"], "", 0) for row in acting.rows]


def test_a_line_that_was_cut_off_is_written_again(acting, player, tmp_path):
    path = tmp_path / "out.jsonl"
    rollout.run(acting.rows, player, path)
    whole, before = path.read_bytes(), read_untimed(path)
    path.write_bytes(whole[:-7])
    tally = rollout.run(acting.rows, player, path)
    assert (tally.count_finished, tally.skipped) == (1, len(acting.rows) - 1)
    assert path.read_bytes().startswith(whole[: whole.rindex(b'{"id"')])
    assert read_untimed(path) == before


def test_a_last_line_without_a_line_break_is_kept(acting, player, tmp_path):
    path = tmp_path / "out.jsonl"
    rollout.run(acting.rows, player, path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    assert rollout.run(acting.rows, player, path).count_finished == 0
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "line",
    [
        *('{"scores": [1, 2]}', "Dear diary", '{"id": ["a"]}\n', '{"id": "a", "model": ["b"]}\n'),
        *('{"id": "a", "sample_idx": Infinity}\n', '{"id": "a", "sample_idx": 1.5}\n'),
        "[" * 100_000 + "\n",
    ],
)
def test_a_line_that_is_no_transcript_is_named_and_kept(acting, player, tmp_path, line):
    path = tmp_path / "results.json"
    path.write_text(line)
    with pytest.raises(ValueError, match=r"results.json, line 1 is not a transcript"):
        rollout.run(acting.rows, player, path)
    assert path.read_text() == line


def test_a_file_of_something_else_is_left_alone(acting, player, tmp_path):
    path = tmp_path / "notes.jsonl"
    path.write_text('{"id": "a", "prediction": "b"}\nDear diary\nnot ended')
    with pytest.raises(ValueError, match=r"notes.jsonl, line 2 is not a transcript"):
        rollout.run(acting.rows, player, path)
    assert path.read_text().endswith("not ended")


def test_one_run_at_a_time_writes_to_a_file(acting, player, tmp_path):
    path = tmp_path / "out.jsonl"
    with (
        hold_lock(lock_of(path), "unused"),
        pytest.raises(ValueError, match=r"another run writes to .*out.jsonl"),
    ):
        rollout.run(acting.rows, player, path)
    assert not path.exists()
    rollout.run(acting.rows, player, path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers=0 is out of range"),
        ({"samples": 0}, "samples=0 is out of range"),
        ({"give_up": 0}, "give_up=0 is out of range"),
        ({"form": "chatml"}, "unknown form 'chatml'; known: openai, transformers, dataset"),
    ],
)
def test_arguments_are_checked_before_the_file_is_made(acting, tmp_path, arguments, message):
    path = tmp_path / "out.jsonl"
    with pytest.raises(ValueError, match=message):
        rollout.run(acting.rows, str, path, **arguments)
    assert not path.exists()


def test_a_row_that_is_none_stops_the_run(tmp_path):
    with pytest.raises(ValueError, match="the row has no column 'id'"):
        rollout.run([{"task": "cube/verification"}], str, tmp_path / "out.jsonl", workers=2)


def test_a_play_that_takes_too_long_ends_with_the_reply_under_way(
    acting, player, tmp_path, monkeypatch
):
    now = [0.0]
    monkeypatch.setattr(rollout_runner, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def reply_slowly(messages):
        now[0] += 40.0
        return player(messages)

    path = tmp_path / "out.jsonl"
    tally = rollout.run(acting.rows, reply_slowly, path, time_limit=60.0)
    assert tally.statuses == {"timed_out": len(acting.rows)}
    for record in read_lines(path):
        assert record["timed_out"] is True and "outcome" not in record
        assert sum(message["role"] == "assistant" for message in record["messages"]) == 2
    results = score(acting.folder, [path], ScoreSettings(resamples=100)).results
    (report,) = results["models"][0]["configs"].values()
    assert report["splits"]["test"]["counts"]["correct"] == 0
    again = rollout.run(acting.rows, reply_slowly, path, time_limit=60.0)
    assert (again.count_finished, again.skipped) == (0, len(acting.rows))
    patient = rollout.run(acting.rows, reply_slowly, tmp_path / "all.jsonl")
    assert patient.statuses == {"correct": len(acting.rows)}
    with pytest.raises(ValueError, match="time_limit=0 must be positive"):
        rollout.run(acting.rows, reply_slowly, path, time_limit=0)


def test_seconds_and_tokens_are_told_and_reported(acting, player, tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(rollout_runner.time, "monotonic", lambda: now[0])

    def count_tokens(messages):
        now[0] += 1.5
        return rollout.Answer(player(messages), 100 * len(messages), 7)

    path = tmp_path / "out.jsonl"
    rollout.run(acting.rows, count_tokens, path)
    turns = []
    for record in read_lines(path):
        said = sum(message["role"] == "assistant" for message in record["messages"])
        turns.append(said)
        assert record["seconds"] == [1.5] * said
        assert [part["completion_tokens"] for part in record["usage"]] == [7] * said
        asked = [len(record["messages"][: 2 * k + 2]) for k in range(said)]
        assert [part["prompt_tokens"] for part in record["usage"]] == [100 * n for n in asked]
    results = score(acting.folder, [path], ScoreSettings(resamples=100)).results
    (report,) = results["models"][0]["configs"].values()
    figures = report["splits"]["test"]["cells"][0]["figures"]
    assert figures["seconds"]["value"] == pytest.approx(1.5 * sum(turns) / len(turns))
    assert figures["completion_tokens"]["value"] == pytest.approx(7 * sum(turns) / len(turns))
    assert figures["prompt_tokens"]["value"] > 0


def test_a_line_says_how_each_reply_ended(acting, tmp_path):
    path, row = tmp_path / "run.jsonl", acting.rows[0]
    replies = acting.references[row["id"]]
    assert len(replies) > 1

    def model(messages):
        turn = sum(one["role"] == "assistant" for one in messages)
        if turn == 1:
            return rollout.Answer("", finish_reason="length", null=True)
        return rollout.Answer(replies[turn], finish_reason=None if turn else "stop")

    rollout.run([row], model, path, name="m")
    (record,) = (json.loads(line) for line in path.read_text().splitlines())
    said = [one["content"] for one in record["messages"] if one["role"] == "assistant"]
    assert said[:2] == [replies[0], None] and "usage" not in record
    assert record["finish_reasons"][:2] == ["stop", "length"]
    assert len(record["finish_reasons"]) == len(said)
    rollout.run(acting.rows[1:2], lambda messages: "", path, name="m")
    assert "finish_reasons" not in json.loads(path.read_text().splitlines()[1])
    (model,) = score(acting.folder, [path]).results["models"][:1]
    assert (model["replies"]["null"], model["replies"]["cut"]) == (1, 1)
