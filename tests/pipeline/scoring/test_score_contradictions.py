"""Predictions of another build are refused by what they carry: hash, prompt, pictures, target."""

from __future__ import annotations

import json

import pytest
import score_verb as cli
from describing import read_manifest

from facelet.pipeline.scoring.ingest.dataset_match import Contradiction
from facelet.pipeline.scoring.render import figure_tables, markdown
from facelet.pipeline.scoring.scorer import ScoreSettings, score

TEMPLATE = "Look at the cube and choose the option that is right. Options: {}. Say one letter only."


def make_question(text, pixels=()):
    parts = [{"type": "text", "text": text, "image": None}]
    parts += [{"type": "image", "text": None, "image": number} for number in range(len(pixels))]
    return [
        {
            "role": "system",
            "content": [{"type": "text", "text": "You solve cubes.", "image": None}],
        },
        {"role": "user", "content": parts},
    ]


def build_dataset(publish, letter_rows, seed, folder):
    rows = [
        {
            **row,
            "messages": make_question(TEMPLATE.format(f"R{seed} U{n} F{seed * n}"), ["p"]),
            "image_hashes": [f"{seed}{n}" * 8],
            "right": "ABCD"[(n * (seed + 1) + seed) % 4],
        }
        for n, row in enumerate(letter_rows(8))
    ]
    return publish({"toy/letters": rows}, folder), rows


@pytest.fixture
def case(publish, letter_rows):
    data, rows = build_dataset(publish, letter_rows, 1, "data")
    ids = [f"toy.letters/d{row['difficulty']:02d}/{n:06d}" for n, row in enumerate(rows)]
    return data, rows, ids


def make_records(rows, ids, **more):
    return [
        {"id": key, "prediction": "Answer: A", **{k: v(row) for k, v in more.items()}}
        for key, row in zip(ids, rows, strict=True)
    ]


def find_evidence(data, path):
    return score(data, [path]).results["inputs"][0]["evidence"]


def chat(row):
    return [
        {"role": message["role"], "content": message["content"][0]["text"]}
        for message in row["messages"]
    ]


def test_the_content_hash_is_checked(case, jsonl):
    data, rows, ids = case
    manifest = read_manifest(data)
    own = manifest["configs"]["toy.letters"]["splits"]["test"]["content_hash"]
    for right in (own, manifest["content_hash"]):
        path = jsonl(make_records(rows, ids, content_hash=lambda _, h=right: h))
        assert find_evidence(data, path)["content_hash"] == 8
    path = jsonl(make_records(rows, ids, content_hash=lambda _: "0" * 32))
    with pytest.raises(
        Contradiction, match=r"predictions.jsonl is refused: it carries the content"
    ):
        score(data, [path])
    assert score(data, [path], ScoreSettings(verify="no")).results["dataset"]["verified"] == "no"


def test_a_file_that_carries_nothing_is_said_to(case, jsonl):
    data, rows, ids = case
    scores = score(data, [jsonl(make_records(rows, ids))])
    assert scores.results["inputs"][0]["evidence"]["nothing"] == 8
    for text in (markdown.render_summary(scores.results), markdown.render_document(scores.results)):
        assert "8 of 8 predictions contain no content hash" in text


@pytest.mark.parametrize(
    "prompt",
    [
        lambda row: f"Think first.\n\n  {chat(row)[1]['content']}\nThank you.",
        lambda row: [{"role": "user", "content": [{"type": "text", "text": "Hello!"}]}, *chat(row)],
    ],
)
def test_words_around_the_own_prompt_are_taken_on_demand(case, jsonl, prompt):
    data, rows, ids = case
    path = jsonl(make_records(rows, ids, prompt=prompt))
    with pytest.raises(ValueError, match=r"line 1: .*words or blanks were added .*questions=any"):
        score(data, [path])
    seen = score(data, [path], ScoreSettings(questions="any")).results["inputs"][0]["evidence"]
    assert seen["prompt"] == 8 and seen["nothing"] == 0


def test_a_prompt_of_another_build_refuses_the_file(case, jsonl, publish, letter_rows):
    data, rows, ids = case
    _, others = build_dataset(publish, letter_rows, 7, "other")
    path = jsonl(make_records(others, ids, prompt=chat))
    with pytest.raises(
        Contradiction, match=r"its prompt of toy.letters/d01/000000 is not that row"
    ):
        score(data, [path])
    # Also one line among right ones, and a right question with options in another order.
    records = make_records(rows, ids, prompt=chat)
    records[5]["prompt"] = chat(rows[4])
    with pytest.raises(Contradiction, match="d03/000005"):
        score(data, [jsonl(records)])


def test_a_prompt_in_other_words_says_nothing(case, jsonl):
    data, rows, ids = case
    path = jsonl(make_records(rows, ids, prompt=lambda row: f"Which one? {row['group']}"))
    with pytest.raises(ValueError, match=r"line 1: .*it says 'Which one\? p0'"):
        score(data, [path])
    (account,) = score(data, [path], ScoreSettings(questions="any")).results["inputs"]
    assert account["evidence"]["other_words"] == account["evidence"]["nothing"] == 8
    assert account["other_questions"] == 0


def test_pictures_are_compared_by_their_pixels(case, jsonl):
    data, rows, ids = case

    def make_pictured_chat(row, change=""):
        part = {"type": "image", "image": "id#0.png", "pixels": row["image_hashes"][0] + change}
        return [{"role": "user", "content": [part]}, {"role": "assistant", "content": "Answer: A"}]

    def pictured_records(change):
        pairs = zip(rows, ids, strict=True)
        return [{"id": key, "messages": make_pictured_chat(row, change)} for row, key in pairs]

    score(data, [jsonl(pictured_records(""))])
    with pytest.raises(Contradiction, match=r"picture 0 of toy.letters/d01/000000 is another"):
        score(data, [jsonl(pictured_records("0"))])


def lmms(rows, target, order=None):
    """Return a filtered log of lmms-eval: document numbers only."""
    return [
        {"doc_id": n, "filtered_resps": "A", "target": target(rows[place])}
        for n, place in enumerate(order or range(len(rows)))
    ]


NAME = "20261120_101112_samples_toy_letters.jsonl"


def test_a_filtered_log_with_numbers_only_is_refused_by_any_wrong_target(case, jsonl):
    data, rows, _ = case
    right = lmms(rows, lambda row: row["right"])
    assert find_evidence(data, jsonl(right, NAME))["target"] == 8
    filtered = lmms(rows, lambda row: row["right"], [2, 3, 5, 6])
    with pytest.raises(Contradiction, match="is the answer of another row"):
        score(data, [jsonl(filtered, NAME)])
    last = [*right[:-1], {**right[-1], "target": rows[0]["right"]}]
    with pytest.raises(Contradiction, match="is the answer of another row"):
        score(data, [jsonl(last, NAME)])
    strange = [*right[:-1], {**right[-1], "target": "option five"}]
    with pytest.raises(
        Contradiction, match=r"the target of toy.letters/d02/000007 is 'option five'"
    ):
        score(data, [jsonl(strange, NAME)])


def test_targets_in_another_notation_say_nothing(case, jsonl):
    data, rows, _ = case
    path = jsonl(lmms(rows, lambda row: f"({row['right'].lower()})"), NAME)
    seen = find_evidence(data, path)
    assert (seen["other_targets"], seen["nothing"]) == (8, 8)


def test_the_verb_refuses_with_a_line(case, jsonl, tmp_path, capsys):
    data, rows, ids = case
    path = jsonl(make_records(rows, ids, content_hash=lambda _: "\x1b[31m"))
    assert cli.run_score([f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "is refused" in line and "\x1b" not in line and not (tmp_path / "out").exists()


def test_missing_rows_may_be_left_out(case, jsonl, tmp_path, capsys):
    data, rows, ids = case
    records = [
        {"id": key, "prediction": f"Answer: {row['right']}"}
        for key, row in zip(ids, rows, strict=True)
    ]
    records = [*records[:2], {**records[2], "prediction": "none"}, {"id": ids[3], "error": "429"}]

    def score_figures(missing):
        scores = score(data, [jsonl(records)], ScoreSettings(missing=missing))
        split = scores.results["models"][0]["configs"]["toy.letters"]["splits"]["test"]
        figures = split["cells"][0]["figures"]
        names = ("accuracy", "answered_accuracy")
        return [figures[name]["value"] for name in names], split["items_counted"], scores

    assert score_figures("wrong")[:2] == ([2 / 8, 2 / 3], 8)
    assert score_figures("ignore")[:2] == ([2 / 4, 2 / 3], 4)
    text = figure_tables.render_tables(score_figures("ignore")[2].results)
    assert "Rows without any prediction are left out (missing=ignore)" in text
    assert "answered accuracy" in text
    words = [f"dataset={data}", f"predictions={jsonl(records)}", f"out={tmp_path}/out"]
    assert cli.run_score([*words, "missing=ignore"]) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["options"]["missing"] == "ignore"
    assert cli.run_score([*words, "missing=maybe"]) == 2
    assert "missing=maybe is not one of wrong, ignore" in capsys.readouterr().err
