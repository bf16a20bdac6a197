"""A record that carries another question than its row's is refused with its line and a reason."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest
import score_verb as cli
from PIL import Image

from facelet.pipeline.scoring.ingest import dataset_match
from facelet.pipeline.scoring.render import markdown
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.renderers.api import encode_png
from facelet.renderers.pixel_hash import pixel_hash

QUESTION = "Which option is right?\n  A  B\n  C  D"
AFTER = "One letter only."
ID = "toy.letters/d01/000000"
IMAGE = Image.new("RGB", (3, 2), (9, 8, 7))
PNG = base64.b64encode(encode_png(IMAGE)).decode()
OTHER = base64.b64encode(encode_png(Image.new("RGB", (3, 2), (9, 8, 6)))).decode()
SYSTEM = {"role": "system", "content": "You solve cubes."}


@pytest.fixture
def data(publish, letter_rows):
    part = {"type": "text", "text": None, "image": None}
    parts = [
        {**part, "text": QUESTION},
        {**part, "type": "image", "image": 0},
        {**part, "text": AFTER},
    ]
    chat = [
        {"role": "system", "content": [{**part, "text": SYSTEM["content"]}]},
        {"role": "user", "content": parts},
    ]
    rows = [{**letter_rows(1)[0], "messages": chat, "image_hashes": [pixel_hash(IMAGE)]}]
    return publish({"toy/letters": rows})


def picture_url(data=PNG):
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def text_parts(*parts, kind="text"):
    return [{"type": kind, "text": part} for part in parts]


def user(content):
    return {"role": "user", "content": content}


FULL = [text_parts(QUESTION)[0], picture_url(), text_parts(AFTER)[0]]
JOINED = f"{QUESTION}\n\n<image>\n\n{AFTER}"
SAYS = {"role": "assistant", "content": "Answer: A"}


def plain_record(*chat):
    return {"id": ID, "messages": [*chat, SAYS]}


def prompt(value):
    return {"id": ID, "prompt": value, "prediction": "Answer: A"}


def batch_record(request):
    body = {"choices": [{"message": SAYS}]}
    return {"custom_id": ID, "response": {"body": body}, **request}


def anthropic(content):
    result = {"type": "succeeded", "message": {"content": "Answer: A"}}
    return {"custom_id": ID, "params": {"messages": [user(content)]}, "result": result}


def gemini(parts):
    said = {"candidates": [{"content": {"parts": [{"text": "Answer: A"}]}}]}
    return {
        "key": ID,
        "request": {"contents": [{"role": "user", "parts": parts}]},
        "response": said,
    }


def inspect_sample(asked, chat=()):
    output = {"completion": "Answer: A"}
    apart = {"q": QUESTION, "p": f"data:image/png;base64,{PNG}"}
    return {"id": ID, "epoch": 1, "input": asked, "messages": [*chat, SAYS], "output": output,
            "attachments": apart}  # fmt: skip


def harness(sent):
    return {"doc_id": 0, "doc": {"id": ID}, "resps": [["Answer: A"]], "filter": "none",
            "arguments": {"gen_args_0": {"arg_0": sent}}}  # fmt: skip


SOURCE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
ADDRESS = {"type": "image_url", "image_url": "https://x/0.png"}
INPUT = {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}
INLINE = {"inlineData": {"mimeType": "image/png", "data": PNG}}
APART = [
    text_parts("attachment://q")[0],
    {"type": "image", "image": "attachment://p"},
    *text_parts(AFTER),
]
RIGHT = {
    "chat": plain_record(user(FULL)),
    "system": plain_record(SYSTEM, user(FULL)),
    "another system": plain_record({"role": "developer", "content": "Think first."}, user(FULL)),
    "line ends": plain_record(user([*text_parts(QUESTION.replace("\n", "\r\n")), picture_url(), *text_parts(AFTER)])),  # noqa: E501
    "picture by address": plain_record(
        user([*text_parts(QUESTION), ADDRESS, *text_parts(AFTER)])
    ),
    "joined texts": plain_record(user(JOINED)),
    "two messages": plain_record(user(QUESTION), user(AFTER)),
    "prompt": prompt(JOINED),
    "prompt with its system": prompt(f"{SYSTEM['content']}\n\n{JOINED}"),
    "prompt as chat": prompt([user(FULL)]),
    "nothing": prompt(None),
    "body": batch_record({"body": {"messages": [user(FULL)]}}),
    "request": batch_record({"request": {"body": {"messages": [user(FULL)]}}}),
    "responses": batch_record(
        {"body": {"input": [user([*text_parts(QUESTION, kind="input_text"),
                                  INPUT,
                                  *text_parts(AFTER, kind="input_text")])]}}
    ),
    "anthropic": anthropic([*text_parts(QUESTION), SOURCE, *text_parts(AFTER)]),
    "gemini": gemini([{"text": QUESTION}, INLINE, {"text": AFTER}]),
    "inspect": inspect_sample([user(APART)], [user(APART)]),
    "rendered": harness(f"<|im_start|>user\n{QUESTION}<|image|>\n{AFTER}<|im_end|>"),
    "sent as JSON": harness(json.dumps([user(FULL)])),
}  # fmt: skip
LATER = [*text_parts(QUESTION), picture_url(), *text_parts(f"{AFTER} Think step by step.")]
WRONG = {
    "an instruction": (plain_record(user(LATER)), "words or blanks were added"),
    "another message": (plain_record(user(FULL), user("Think.")), "words or blanks were added"),
    "an example": (
        plain_record(user("2+2?"), {"role": "assistant", "content": "4"}, user(FULL)),
        "2+2",
    ),
    "other words": (plain_record(user("Is it A?")), "it says 'Is it A?'"),
    "other blanks": (prompt(JOINED.replace("A  B", "A B")), "words or blanks"),
    "half of it": (plain_record(user(AFTER)), "it says 'One letter only.'"),
    "prompt": (prompt(f"{JOINED} Think."), "words or blanks were added"),
    "prompt beside a right chat": ({**plain_record(user(FULL)), "prompt": "Is it A?"}, "it says"),
    "another picture": (
        plain_record(user([*text_parts(QUESTION), picture_url(OTHER), *text_parts(AFTER)])),
        "picture 0 has other pixels",
    ),
    "a broken picture": (
        plain_record(user([*text_parts(QUESTION), picture_url("AAAA"), *text_parts(AFTER)])),
        "picture 0 has other pixels",
    ),
    "two pictures": (
        plain_record(user([picture_url(), *FULL])),
        "it shows 2 pictures, and the row 1",
    ),
    "body": (batch_record({"body": {"messages": [user("Is it A?")]}}), "it says"),
    "request": (batch_record({"request": {"body": {"messages": [user(LATER)]}}}), "were added"),
    "responses": (batch_record({"body": {"input": "Is it A?"}}), "it says"),
    "anthropic": (anthropic("Is it A?"), "it says"),
    "gemini": (gemini([{"text": "Is it A?"}]), "it says"),
    "inspect": (inspect_sample([user("Is it A?")]), "it says"),
    "inspect, changed": (inspect_sample([user(APART)], [user(LATER)]), "were added"),
    "rendered": (harness("<|user|>Is it A?"), "it says"),
    "sent as JSON": (harness(json.dumps([user(LATER)])), "were added"),
}


@pytest.mark.parametrize("case", RIGHT)
def test_the_rows_question_is_taken_however_it_is_spelled(case, data, jsonl):
    results = score(data, [jsonl([RIGHT[case]])]).results
    (account,) = results["inputs"]
    assert (account["broken"], account["predictions"]) == (0, 1)
    assert (account["evidence"]["prompt"] > 0) == (case != "nothing")


@pytest.mark.parametrize("case", WRONG)
def test_another_question_is_refused_with_its_line(case, data, jsonl):
    record, why = WRONG[case]
    path = jsonl([RIGHT["chat"], record])
    (account,) = score(data, [path]).results["inputs"]
    assert (account["broken"], account["other_questions"], account["predictions"]) == (1, 1, 1)
    (example,) = account["broken_examples"]
    assert example["line"] == 2 and why in example["reason"]
    assert ID in example["reason"] and "questions=any" in example["reason"]
    first = ScoreSettings(duplicates="first")
    taken = score(data, [path], replace(first, questions="any")).results["inputs"][0]
    assert (taken["broken"], taken["predictions"]) == (0, 2)
    unseen = score(data, [path], replace(first, verify="no")).results["inputs"][0]
    assert (unseen["broken"], unseen["predictions"]) == (0, 2)


def test_reports_say_how_many_were_refused(data, jsonl, tmp_path, capsys):
    path, out = jsonl([RIGHT["chat"], WRONG["prompt"][0]]), tmp_path / "out"
    words = [f"dataset={data}", f"predictions={path}", f"out={out}"]
    assert cli.run_score(words) == 0
    told = "another question than their row's: 1 records (questions=any scores them)"
    assert told in capsys.readouterr().out and told in (out / "results.md").read_text()
    assert cli.run_score([*words, "questions=any"]) == 0
    results = json.loads((out / "results.json").read_text())
    assert results["options"]["questions"] == "any"
    other = score(data, [jsonl([WRONG["other words"][0]])], ScoreSettings(questions="any")).results
    assert "1 questions with other words than their row's were accepted" in markdown.render_summary(
        other
    )
    assert cli.run_score([*words, "questions=some"]) == 2
    assert "questions=some is not one of row, any" in capsys.readouterr().err


def test_large_pictures_are_not_decoded(data, jsonl, monkeypatch):
    monkeypatch.setattr(dataset_match, "MAX_SIDE", 2)
    (account,) = score(data, [jsonl([RIGHT["picture by address"], RIGHT["chat"]])]).results[
        "inputs"
    ]
    assert "picture 0 has other pixels" in account["broken_examples"][0]["reason"]


def test_what_is_read_again_is_bounded(data, jsonl, monkeypatch):
    monkeypatch.setattr(dataset_match, "TRIED", 0)
    (account,) = score(data, [jsonl([RIGHT["chat"], RIGHT["joined texts"]])]).results["inputs"]
    assert "it is written otherwise" in account["broken_examples"][0]["reason"]


def turns_record(*later):
    chat = [user("say ping, then pong"), {"role": "assistant", "content": "ping"}, *later]
    return {
        "id": "toy.turns/d01/000000",
        "messages": [*chat, {"role": "assistant", "content": "pong"}],
    }


@pytest.mark.parametrize(
    ("later", "right"),
    [
        ([], True),
        ([user("say ping, then pong")], True),
        ([{"role": "tool", "content": "x"}, user(text_parts("say ping, then pong"))], True),
        ([user("say pong now")], False),
        ([user("say ping, then pong"), user("Now pong!")], False),
    ],
)
def test_later_messages_of_users_are_those_of_the_play(later, right, publish, jsonl):
    data = publish({"toy/turns": [{}]})
    path = jsonl(
        [
            {"id": "toy.turns/d01/000000", "prediction": ["ping"], "sample_idx": 1},
            turns_record(*later),
        ]
    )
    results = score(data, [path]).results
    (account,) = results["inputs"]
    assert (account["predictions"], account["broken"]) == ((2, 0) if right else (1, 1))
    counts = results["models"][0]["configs"]["toy.turns"]["splits"]["test"]["counts"]
    assert counts["correct"] == right
    if not right:
        (example,) = account["broken_examples"]
        assert example["line"] == 2 and "message after reply 1 is not" in example["reason"]
        scores = score(data, [path], ScoreSettings(questions="any"))
        assert scores.results["inputs"][0]["predictions"] == 2
        with pytest.raises(ValueError, match="no prediction answers a row"):
            score(data, [jsonl([turns_record(*later)])])
