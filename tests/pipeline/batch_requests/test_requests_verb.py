"""`facelet requests` against a scripted batch API: its answers score like live plays."""

from __future__ import annotations

import base64
import io
import json
import re
from collections import Counter
from contextlib import closing

import pytest
from model_server import items_to_chat, response_body
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming
from PIL import Image
from pydantic import TypeAdapter, with_config

from facelet.pipeline import rollout
from facelet.pipeline.batch_requests.request_passes import MAX_CUSTOM_ID, format_custom_id
from facelet.pipeline.cli import main
from facelet.pipeline.scoring.scorer import score
from facelet.renderers.pixel_hash import pixel_hash

WRONG = "I do not know."
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class FakeBatchApi:
    """A batch API: answers the lines of request files as the script says."""

    def __init__(self, published, wrong=()):
        self.script = {}  # the reply to each chat of the plays
        for row in published.rows:
            play = rollout.open_row(row)
            told = [] if row["id"] in wrong else published.references[row["id"]]
            told = [*told, *[WRONG] * 40]
            while not play.done:
                said = told[len(play.replies)]
                play.reply(self.script.setdefault(json.dumps(play.messages), said))
        self.seen = Counter()
        self.broken = set()  # custom_ids that fail once

    def reply_to_chat(self, chat):
        return self.script[json.dumps(chat)]

    def line(self, text):
        asked = json.loads(text)
        name, body = asked["custom_id"], asked["body"]
        assert NAME.fullmatch(name) and set(asked) == {"custom_id", "method", "url", "body"}
        responses = asked["url"] == "/v1/responses"
        assert (asked["method"], responses or asked["url"]) in (
            ("POST", True),
            ("POST", "/v1/chat/completions"),
        )
        self.seen[name] += 1
        if name in self.broken:
            self.broken.discard(name)
            error = {"error": {"message": "server had a bad day"}}
            return {"id": "b", "custom_id": name, "response": {"status_code": 500, "body": error}}
        if responses:
            said = self.reply_to_chat(items_to_chat(body["input"]))
            answer = {"status_code": 200, "body": response_body(said, "length")}
            return {"id": "b", "custom_id": name, "response": answer, "error": None}
        said = self.reply_to_chat(body["messages"])
        choices = [
            {"index": n, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            for n, text in enumerate([said, WRONG][: body.get("n", 1)])
        ]
        whole = {"object": "chat.completion", "model": "m-2026", "choices": choices}
        answer = {"status_code": 200, "request_id": "r", "body": whole}
        return {"id": "b", "custom_id": name, "response": answer, "error": None}

    def answer_files(self, folder, out):
        lines = [
            json.dumps(self.line(text)) + "\n"
            for path in sorted(folder.glob("requests-*.jsonl"))
            for text in path.read_text().splitlines()
        ]
        out.write_text("".join(reversed(lines)))  # answers come in any order
        return len(lines)


ONE_TELLS = ("seconds", "reason_told", "settings")


def without_times(value):
    """Return results without what live plays and those of a batch API tell apart."""
    if isinstance(value, dict):
        return {
            name: without_times(inner) for name, inner in value.items() if name not in ONE_TELLS
        }
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def read_lines(folder):
    return [
        json.loads(text)
        for path in sorted(folder.glob("requests-*.jsonl"))
        for text in path.read_text().splitlines()
    ]


def score_statuses(folder, *files):
    (model,) = score(folder, files).results["models"]
    (config,) = model["configs"].values()
    return config["splits"]["test"]["counts"]


def run_requests(published, out, *words):
    return main(["requests", "model=m", f"dataset={published.folder}", f"out={out}", *words])


def test_answers_to_single_questions_score_as_they_are(publish, tmp_path):
    published = publish("jigsaw/assemble_easy", items=4)
    ids = [row["id"] for row in published.rows]
    api = FakeBatchApi(published, wrong=ids[:1])
    assert run_requests(published, tmp_path / "one", "temperature=0", "max_tokens=9") == 0
    api.broken = {format_custom_id(ids[3])}
    assert api.answer_files(tmp_path / "one", tmp_path / "out.jsonl") == 4
    found = score_statuses(published.folder, tmp_path / "out.jsonl")
    assert (found["correct"], found["api_error"]) == (2, 1), found
    for line in read_lines(tmp_path / "one"):
        assert line["body"]["temperature"] == 0 and line["body"]["max_tokens"] == 9
        assert line["body"]["model"] == "m" and "n" not in line["body"]


def test_the_body_is_what_the_client_of_openai_would_send(publish, tmp_path):
    published = publish("labyrinth/act", turns=1, setting="visual")
    strict = with_config({"extra": "forbid"})(CompletionCreateParamsNonStreaming)
    run_requests(published, tmp_path / "one", "temperature=0.5", "samples=2")
    for line in read_lines(tmp_path / "one"):
        TypeAdapter(strict).validate_python(line["body"])


def test_a_lone_turn_of_a_reflection_is_no_prediction(publish, tmp_path, capsys):
    published = publish("cube/reflection", items=2)
    api = FakeBatchApi(published)
    run_requests(published, tmp_path / "one")
    assert "next: repeat the command with answers=" in capsys.readouterr().out
    turns = api.answer_files(tmp_path / "one", tmp_path / "out.jsonl")
    play = rollout.open_row(published.rows[0])
    while not play.done:
        play.reply(api.reply_to_chat(play.messages))
    with (tmp_path / "out.jsonl").open("a") as file:
        file.write(json.dumps(play.transcript("m")) + "\n")
    (seen,) = score(published.folder, [tmp_path / "out.jsonl"]).results["inputs"]
    assert (seen["broken"], seen["predictions"]) == (turns, 1)
    assert seen["evidence"]["nothing"] == 0  # counted among predictions only


@pytest.mark.parametrize("task", ["labyrinth/act", "cube/reflection"])
def test_passes_come_to_the_figures_of_live_plays(task, publish, tmp_path, capsys):
    knobs = {"turns": 2, "setting": "text"} if task == "labyrinth/act" else {}
    published = publish(task, items=3, **knobs) if knobs else publish(task, items=1)
    api = FakeBatchApi(published, wrong=[published.rows[0]["id"]] if knobs else ())
    outputs = []
    for number in range(1, 60):
        folder, out = tmp_path / f"pass{number}", tmp_path / f"out{number}.jsonl"
        told = [f"answers={','.join(map(str, reversed(outputs)))}"] if outputs else []
        assert run_requests(published, folder, *told) == 0
        names = [line["custom_id"] for line in read_lines(folder)]
        assert len(set(names)) == len(names)
        if not names:
            break
        if number == 2:
            api.broken = {names[0]}  # asked again in the next pass
        api.answer_files(folder, out)
        outputs.append(out)
    assert number > 2 and max(api.seen.values()) == 2
    run = tmp_path / "live.jsonl"
    rollout.run(rollout.rows(published.folder), api.reply_to_chat, run, name="m")
    passes = folder / "transcripts.jsonl"
    one, other = (score(published.folder, [path]).results["models"] for path in (passes, run))
    assert without_times(one) == without_times(other)
    assert one[0]["replies"]["reason_told"] == one[0]["replies"]["replies"] > 0
    assert "could not be read" not in capsys.readouterr().out.splitlines()[-1]


def test_files_keep_the_limits_and_lose_nothing(publish, tmp_path, capsys):
    published = publish("jigsaw/assemble_easy", items=4)
    run_requests(published, tmp_path / "whole")
    whole = read_lines(tmp_path / "whole")
    run_requests(published, tmp_path / "few", "lines=3")
    assert [len(path.read_text().splitlines()) for path in list_files(tmp_path / "few")] == [3, 1]
    assert read_lines(tmp_path / "few") == whole
    from facelet.pipeline.batch_requests.request_passes import BatchWriter
    from facelet.pipeline.dataset.atomic_files import write_folder

    one = max(len(json.dumps(line)) + 1 for line in whole)
    (tmp_path / "small").mkdir()
    with closing(BatchWriter(tmp_path / "small", lines=9, size=2 * one)) as batches:
        for line in whole:
            batches.write_line(line)
    assert read_lines(tmp_path / "small") == whole and len(list_files(tmp_path / "small")) == 2
    assert all(path.stat().st_size <= 2 * one for path in list_files(tmp_path / "small"))
    with (
        pytest.raises(ValueError, match="may have"),
        write_folder(tmp_path / "tiny") as work,
        closing(BatchWriter(work, lines=9, size=99)) as batches,
    ):
        batches.write_line(whole[0])
    assert not list(tmp_path.glob("*tiny*"))
    assert run_requests(published, tmp_path / "few") == 2
    assert "name another folder" in capsys.readouterr().err


def list_files(folder):
    return sorted(folder.glob("requests-*.jsonl"))


def test_pictures_are_those_of_the_rows_in_the_lines_and_beside_them(publish, tmp_path):
    published = publish("labyrinth/act", turns=1, setting="visual")
    run_requests(published, tmp_path / "inside")
    run_requests(published, tmp_path / "beside", "pictures=https://host/x/")
    for row, inside, beside in zip(
        published.rows,
        read_lines(tmp_path / "inside"),
        read_lines(tmp_path / "beside"),
        strict=True,
    ):
        shown = []
        for url in picture_urls(inside):
            assert url.startswith("data:image/png;base64,")
            shown.append(base64.b64decode(url.partition(",")[2]))
        hosted = [
            tmp_path / "beside" / "pictures" / url.rpartition("/")[2]
            for url in picture_urls(beside)
        ]
        assert all(url.startswith("https://host/x/") for url in picture_urls(beside))
        assert shown == [path.read_bytes() for path in hosted] and shown
        drawn = [pixel_hash(Image.open(io.BytesIO(data))) for data in shown]
        assert drawn[: len(row["image_hashes"])] == row["image_hashes"]


def picture_urls(line):
    return [
        part["image_url"]["url"]
        for message in line["body"]["messages"]
        if not isinstance(message["content"], str)
        for part in message["content"]
        if part["type"] == "image_url"
    ]


def test_samples_are_choices_of_one_request(publish, tmp_path):
    published = publish("jigsaw/assemble_easy", items=2)
    run_requests(published, tmp_path / "two", "samples=2")
    api = FakeBatchApi(published)
    api.answer_files(tmp_path / "two", tmp_path / "out.jsonl")
    assert max(api.seen.values()) == 1
    run_requests(published, tmp_path / "end", "samples=2", f"answers={tmp_path / 'out.jsonl'}")
    lines = [json.loads(line) for line in (tmp_path / "end" / "transcripts.jsonl").open()]
    ended = [(line.get("sample_idx", 0), line["outcome"]["status"]) for line in lines]
    assert ended == [(0, "correct"), (1, "unparsed")] * 2
    assert not list_files(tmp_path / "end")


def test_responses_are_batch_requests_too(publish, tmp_path, capsys):
    published = publish("labyrinth/act", items=2, turns=2, setting="visual")
    api, outputs = FakeBatchApi(published), []
    told = ("api=responses", "samples=2", "max_tokens=9", "reasoning_effort=low", "top_p=1")
    for number in range(9):
        folder, out = tmp_path / f"pass{number}", tmp_path / f"out{number}.jsonl"
        before = [f"answers={','.join(map(str, outputs))}"] if outputs else []
        hosted = ["pictures=https://host/x"] if number == 8 else []
        assert run_requests(published, folder, *told, *before, *hosted) == 0
        if number == 0:
            assert len({line["custom_id"] for line in read_lines(folder)}) == 4
        for line in read_lines(folder):
            body = line["body"]
            assert line["url"] == "/v1/responses" and "n" not in body and "messages" not in body
            assert (body["max_output_tokens"], body["top_p"], body["store"]) == (9, 1, False)
            assert body["reasoning"] == {"effort": "low"}
        if not read_lines(folder):
            break
        api.answer_files(folder, out)
        outputs.append(out)
    plays = [json.loads(line) for line in (folder / "transcripts.jsonl").open()]
    assert len(plays) == 4 and {play["outcome"]["status"] for play in plays} == {"correct"}
    assert {play.get("sample_idx", 0) for play in plays} == {0, 1}
    for play in plays:
        said = sum(message["role"] == "assistant" for message in play["messages"])
        assert play["finish_reasons"] == ["length"] * said
        assert play["settings"] == {
            **{"api": "responses", "top_p": 1.0, "reasoning_effort": "low", "max_tokens": 9}
        }
    # Single questions score as they are, also those that the API failed at.
    single = publish("jigsaw/assemble_easy", items=2)
    assert run_requests(single, tmp_path / "single", "api=responses") == 0
    api = FakeBatchApi(single)
    api.answer_files(tmp_path / "single", tmp_path / "one.jsonl")
    assert score_statuses(single.folder, tmp_path / "one.jsonl")["correct"] == 2
    record = json.loads((tmp_path / "one.jsonl").read_text().splitlines()[0])
    body = {"status": "failed", "output": [], "error": {"message": "boom"}}
    record["response"]["body"] = body
    (tmp_path / "failed.jsonl").write_text(json.dumps(record) + "\n")
    assert score_statuses(single.folder, tmp_path / "failed.jsonl")["api_error"] == 1


def test_pictures_of_responses_are_named_by_address(publish, tmp_path):
    published = publish("labyrinth/act", turns=1, setting="visual")
    run_requests(published, tmp_path / "beside", "pictures=https://host/x/", "api=responses")
    for line in read_lines(tmp_path / "beside"):
        parts = [part for item in line["body"]["input"] for part in item["content"]]
        urls = [part["image_url"] for part in parts if part["type"] == "input_image"]
        assert urls and all(url.startswith("https://host/x/") for url in urls)
        for url in urls:
            assert (tmp_path / "beside" / "pictures" / url.rpartition("/")[2]).is_file()


def test_errors_of_answers_are_told_once_and_without_keys(publish, tmp_path, capsys):
    published = publish("jigsaw/assemble_easy", items=3)
    run_requests(published, tmp_path / "one")
    error = {"message": "no such key sk-abcdef123456"}
    failed = [
        {"id": "b", "custom_id": line["custom_id"], "response": None, "error": error}
        for line in read_lines(tmp_path / "one")
    ]
    (tmp_path / "out.jsonl").write_text("".join(json.dumps(line) + "\n" for line in failed))
    assert run_requests(published, tmp_path / "two", f"answers={tmp_path / 'out.jsonl'}") == 2
    shown = capsys.readouterr().err
    assert "3 x no such key [hidden]" in shown and "abcdef" not in shown


def test_a_key_in_extra_body_is_not_written_into_batch_files(publish, tmp_path, capsys):
    published = publish("jigsaw/assemble_easy", items=1)
    assert run_requests(published, tmp_path / "one", 'extra_body={"api_key": "se-cret"}') == 2
    shown = capsys.readouterr().err
    assert "extra_body contains what looks like a key" in shown and "se-cret" not in shown
    assert not (tmp_path / "one").exists()


def test_answers_of_something_else_are_refused(publish, tmp_path, capsys):
    published = publish("jigsaw/assemble_easy", items=2)
    other = {"custom_id": "x", "response": {"body": {"choices": [{"text": "A"}]}}}
    (tmp_path / "other.jsonl").write_text(json.dumps(other) + "\n")
    assert run_requests(published, tmp_path / "a", f"answers={tmp_path / 'other.jsonl'}") == 2
    assert "no answer belongs" in capsys.readouterr().err
    (tmp_path / "native.jsonl").write_text('{"id": "x", "prediction": "A"}\n')
    assert run_requests(published, tmp_path / "a", f"answers={tmp_path / 'native.jsonl'}") == 2
    assert "line 1: this is native" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


def test_custom_ids_are_short_and_distinct():
    long = "s" * 30 + "." + "t" * 20 + "/d01/000001"
    names = [
        format_custom_id(identifier, turn, sample)
        for identifier in (long, long[:-1] + "2")
        for turn, sample in ((1, 0), (2, 0), (2, 1), (20, 12))
    ]
    assert len(set(names)) == len(names)
    assert all(NAME.fullmatch(name) and len(name) <= MAX_CUSTOM_ID for name in names)
    assert (
        format_custom_id("cube_bench.verification/d01/000007")
        == "cube_bench-verification-d01-000007"
    )
