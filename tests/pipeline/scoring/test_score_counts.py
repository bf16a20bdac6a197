"""What counts: statuses, duplicates, samples, models, scope, and comparisons."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from describing import read_manifest

from facelet.generators.core.task import Status
from facelet.pipeline.scoring.ingest.prediction_reader import name_files
from facelet.pipeline.scoring.render import figure_tables
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import ScoreSettings, score


def find_report(scores, config="toy.letters", model=0, split="test"):
    return scores.results["models"][model]["configs"][config]["splits"][split]


def accuracy(scores, **where):
    return find_report(scores, **where)["cells"][0]["figures"]["accuracy"]["value"]


@pytest.fixture
def letters(publish, letter_rows):
    rows = letter_rows(8)
    ids = [f"toy.letters/d{row['difficulty']:02d}/{i:06d}" for i, row in enumerate(rows)]
    return publish({"toy/letters": rows}), ids


def test_every_status_is_counted(letters, jsonl, tmp_path):
    data, ids = letters
    records = [
        {"id": ids[0], "prediction": "<ANSWER>A</ANSWER>"},
        {"id": ids[1], "prediction": "The answer is B."},
        {"id": ids[2], "prediction": "Answer: A"},
        {"id": ids[3], "prediction": "?"},
        {"id": ids[4], "prediction": None},
        {"id": ids[0], "prediction": "Answer: B"},
        b"{",
        {"id": "unheard of", "prediction": "Answer: A"},
    ]
    scores = score(data, [jsonl(records)], ScoreSettings(duplicates="first"))
    counts = find_report(scores)["counts"]
    assert counts == {
        "correct": 2,
        "wrong": 1,
        "unparsed": 1,
        "illegal": 0,
        "ungraded": 0,
        "missing": 3,
        "duplicate": 1,
        "api_error": 1,
    }
    assert list(counts) == [status.value for status in Status]
    figures = find_report(scores)["cells"][0]["figures"]
    assert figures["accuracy"]["value"] == 2 / 8
    assert figures["strict_accuracy"]["value"] == 1 / 8
    assert figures["parse_rate"]["value"] == 3 / 4
    assert figures["strict_parse_rate"]["value"] == 1 / 4
    (account,) = scores.results["inputs"]
    assert account["broken_examples"][0]["line"] == 7
    assert account["unknown_examples"] == ["unheard of"]
    by_cell = [cell["counts"] for cell in find_report(scores)["cells"] if cell["difficulty"]]
    assert {k: sum(c[k] for c in by_cell[:3]) for k in counts} == counts

    write_items(scores.populations, tmp_path / "items.parquet")
    items = pq.read_table(tmp_path / "items.parquet").to_pylist()
    assert [(item["id"], item["status"]) for item in items] == [
        (ids[0], "correct"),
        (ids[0], "duplicate"),
        (ids[1], "correct"),
        (ids[2], "wrong"),
        (ids[3], "unparsed"),
        (ids[4], "api_error"),
        (ids[5], "missing"),
        (ids[6], "missing"),
        (ids[7], "missing"),
    ]
    assert [item["strict"] for item in items] == [True] + [False] * 8
    assert [item["answer"] for item in items[:5]] == [["A"], [], ["B"], ["A"], []]
    assert [item["gold"] for item in items] == list("AABCDABCD")
    assert items[3]["gold_labels"] == ["C"] and items[8]["gold_labels"] == []
    assert items[0]["sample_idx"] == 0 and items[8]["sample_idx"] is None
    assert {item["model"] for item in items} == {"predictions"}


@pytest.mark.parametrize("named", [{}, {"model": "m"}], ids=["unnamed", "named"])
def test_the_first_prediction_counts_and_a_retry_replaces_an_error(letters, jsonl, named):
    data, ids = letters
    first_wrong = [{"id": ids[0], "prediction": f"Answer: {letter}"} for letter in "BA"]
    retried = [{"id": ids[1], "prediction": p} for p in (None, "Answer: B", "Answer: C")]
    failed_after = [{"id": ids[2], "prediction": p} for p in ("Answer: C", None)]
    twice_failed = [{"id": ids[3], "prediction": None}] * 2
    records = [*first_wrong, *retried, *failed_after, *twice_failed]
    path = jsonl([{**record, **named} for record in records])
    scores = score(data, [path], ScoreSettings(duplicates="first"))
    counts = find_report(scores)["counts"]
    assert (counts["correct"], counts["wrong"], counts["api_error"]) == (2, 1, 1)
    assert (counts["duplicate"], counts["missing"]) == (5, 4)


def test_leaving_out_bad_samples_does_not_pay(letters, jsonl):
    data, ids = letters
    right = [
        {"id": key, "prediction": f"Answer: {'ABCD'[i % 4]}", "sample_idx": 0}
        for i, key in enumerate(ids)
    ]
    assert accuracy(score(data, [jsonl(right)])) == 1.0
    more = [*right, {**right[0], "sample_idx": 7}]
    scores = score(data, [jsonl(more)])
    assert accuracy(scores) == pytest.approx(9 / 16)
    assert find_report(scores)["counts"]["missing"] == 7
    assert find_report(scores)["samples_per_item"] == 2


def test_a_scattered_sample_index_costs_no_memory(letters, jsonl):
    data, ids = letters
    records = [
        {"id": ids[i % 8], "prediction": "Answer: A", "sample_idx": (i * 7919) % 2**31}
        for i in range(80)
    ]
    scores = score(data, [jsonl(records)])
    assert find_report(scores)["samples_per_item"] == 10
    assert accuracy(scores) == pytest.approx(2 / 8)


def test_only_named_splits_are_scored_unless_all_are(publish, letter_rows, jsonl):
    publish({"toy/letters": letter_rows(4)}, split="train")
    data = publish({"toy/letters": letter_rows(4), "toy/turns": [{}]})
    records = [{"id": "toy.turns/d01/000000", "prediction": ["ping", "pong"]}]
    scores = score(data, [jsonl(records)])
    assert list(scores.results["models"][0]["configs"]) == ["toy.turns"]
    assert scores.results["not_scored"] == ["toy.letters/test", "toy.letters/train"]
    everything = score(data, [jsonl(records)], ScoreSettings(everything=True))
    assert everything.results["not_scored"] == []
    assert accuracy(everything, split="train") == 0.0
    assert find_report(everything, split="train")["counts"]["missing"] == 4


ASKED = "say ping, then pong"


@pytest.mark.parametrize(
    ("replies", "status"),
    [
        (["ping", "pong"], "correct"),
        (["ping", "pong", "ignored"], "correct"),
        (["ping", "ping"], "illegal"),
        (["ping"], "unparsed"),
        ([], "unparsed"),
    ],
)
def test_several_turns(publish, jsonl, replies, status):
    data = publish({"toy/turns": [{}]})
    messages = [{"role": "system", "content": "say"}]
    for reply in replies:
        messages += [{"role": "user", "content": ASKED}, {"role": "assistant", "content": reply}]
    for record in ({"prediction": replies}, {"messages": messages}):
        scores = score(data, [jsonl([{"id": "toy.turns/d01/000000", **record}])])
        assert find_report(scores, "toy.turns")["counts"][status] == 1


def test_a_final_answer_is_judged_where_one_question_is_asked(publish, letter_rows, jsonl):
    data = publish({"toy/letters": letter_rows(1), "toy/turns": [{}]})

    def make_sample(key, texts):
        messages = [{"role": "assistant", "content": text} for text in texts]
        output = {"completion": texts[-1]}
        return {"id": key, "epoch": 1, "messages": messages, "output": output}

    records = [
        make_sample("toy.letters/d01/000000", ["draft: Answer: C", "Answer: A"]),
        make_sample("toy.turns/d01/000000", ["ping", "pong"]),
    ]
    scores = score(data, [jsonl(records)])
    assert accuracy(scores) == 1.0
    assert accuracy(scores, config="toy.turns") == 1.0


def test_a_reply_that_lost_its_head_is_never_strict(letters, jsonl):
    data, ids = letters
    text = "x" + " " * (1 << 20) + "<ANSWER>A</ANSWER>"
    figures = find_report(score(data, [jsonl([{"id": ids[0], "prediction": text}])]))["cells"][0][
        "figures"
    ]
    assert figures["accuracy"]["value"] == 1 / 8
    assert figures["strict_accuracy"]["value"] == 0.0


def model_records(ids, model, rights):
    return [
        {
            "id": key,
            "model": model,
            "prediction": f"Answer: {'ABCD'[i % 4] if i in rights else 'none'}",
        }
        for i, key in enumerate(ids)
    ]


def test_models_are_compared_in_pairs(letters, jsonl):
    data, ids = letters
    one, two = model_records(ids, "one", range(6)), model_records(ids, "two", (0, 7))
    scores = score(data, [jsonl([*one, *two])])
    assert [model["model"] for model in scores.results["models"]] == ["one", "two"]
    assert accuracy(scores) == 6 / 8 and accuracy(scores, model=1) == 2 / 8
    (pair,) = scores.results["comparisons"]
    assert pair["models"] == ["one", "two"]
    assert (pair["only_first"], pair["only_second"], pair["items"]) == (5, 1, 8)
    assert pair["difference"] == 0.5
    assert pair["low"] is pair["high"] is None  # eight rows are too few for a bootstrap
    assert pair["test"] == "mcnemar_exact"
    assert pair["p_value"] == pytest.approx(2 * 7 / 64)


def test_clustered_rows_are_compared_by_cluster(publish, letter_rows, jsonl):
    rows = letter_rows(12, ("image", "text"))
    data = publish({"toy/letters": rows})
    records = [
        {
            "id": f"toy.letters/d{row['difficulty']:02d}/{i:06d}",
            "model": model,
            "prediction": f"Answer: {row['right'] if model == 'good' or i < 4 else 'none'}",
        }
        for model in ("good", "poor")
        for i, row in enumerate(rows)
    ]
    (pair,) = score(data, [jsonl(records)]).results["comparisons"]
    assert pair["test"] == "sign_flip_clusters"
    # Ten of twelve clusters differ, all in one direction: twice one of 1024.
    assert pair["p_value"] == pytest.approx(2 / 1024, abs=0.002)
    assert pair["difference"] == pytest.approx(20 / 24)
    assert 0.5 < pair["low"] < 20 / 24 < pair["high"] <= 1


def test_files_as_models(letters, jsonl):
    data, ids = letters
    first = jsonl(model_records(ids, "same", range(8)), "a.jsonl")
    second = jsonl(model_records(ids, "same", range(4)), "b.jsonl")
    with pytest.raises(
        ValueError, match=r"a\.jsonl: line 5 and b\.jsonl: line 5 .*model_from=file"
    ):
        score(data, [first, second])
    merged = score(data, [first, second], ScoreSettings(duplicates="first"))
    assert [m["model"] for m in merged.results["models"]] == ["same"]
    assert find_report(merged)["counts"]["duplicate"] == 8
    apart = score(data, [first, second], ScoreSettings(model_from="file"))
    assert [m["model"] for m in apart.results["models"]] == ["a", "b"]
    assert len(apart.results["comparisons"]) == 1


def test_names_of_files():
    paths = ["x/gpt-4.1.jsonl", "x/b.jsonl.gz", "y/b.json", "z/y/b.json", ".jsonl", "c.txt"]
    names = name_files([Path(path) for path in paths])
    assert list(names.values()) == ["gpt-4.1", "x/b", "y/b.json", "z/y/b.json", ".jsonl", "c.txt"]


def test_which_models_are_compared(letters, jsonl):
    data, ids = letters
    path = jsonl([r for m in "abcdef" for r in model_records(ids, m, ())])
    assert score(data, [path]).results["comparisons"] == []
    chosen = score(data, [path], ScoreSettings(compare=("a", "f", "c"))).results["comparisons"]
    assert [pair["models"] for pair in chosen] == [["a", "f"], ["a", "c"], ["f", "c"]]
    with pytest.raises(ValueError, match="compare=z: no predictions of it; there are a, b"):
        score(data, [path], ScoreSettings(compare=("a", "z")))
    with pytest.raises(ValueError, match="at least two different"):
        score(data, [path], ScoreSettings(compare=("a", "a")))


def test_failures_join_the_model_of_their_file_or_of_the_run(letters, jsonl):
    data, ids = letters
    good = model_records(ids[:4], "m", range(4))
    lost = [{"custom_id": key, "response": None, "error": {"code": "late"}} for key in ids[4:]]
    for files in (
        [jsonl([*good, *lost])],
        [jsonl(lost, "errors.jsonl"), jsonl(good, "good.jsonl")],
    ):
        scores = score(data, files)
        assert [m["model"] for m in scores.results["models"]] == ["m"]
        assert find_report(scores)["counts"]["api_error"] == 4
    other = model_records(ids, "n", ())
    mixed = jsonl([*good, *other, *lost])
    with pytest.raises(ValueError, match=r"predictions\.jsonl: line 13 names no model.* m, n; .*="):
        score(data, [mixed])
    scores = score(data, [mixed], ScoreSettings(model="x"))
    assert [m["model"] for m in scores.results["models"]] == ["m", "n", "x"]
    files = [jsonl([*good, *lost], "one.jsonl"), jsonl(other, "another.jsonl")]
    scores = score(data, files)
    assert [m["model"] for m in scores.results["models"]] == ["m", "n"], "the one of its own file"


def test_too_many_models_are_refused(letters, jsonl):
    data, ids = letters
    records = [{"id": ids[0], "model": f"m{i}", "prediction": "Answer: A"} for i in range(65)]
    assert len(score(data, [jsonl(records[:64])]).results["models"]) == 64
    with pytest.raises(ValueError, match="more than 64 different models"):
        score(data, [jsonl(records)])
    files = [jsonl([{"id": ids[0], "prediction": "A"}], f"part-{i}.jsonl") for i in range(65)]
    with pytest.raises(ValueError, match=r"more than 64 different models; .* model=\.\.\."):
        score(data, files)
    (model,) = score(data, files, ScoreSettings(model="m")).results["models"]
    assert model["model"] == "m"


def test_nothing_to_score_says_why(letters, jsonl):
    data, _ = letters
    path = jsonl([{"id": "else", "prediction": "A"}, b"{"])
    with pytest.raises(
        ValueError, match=r"names a row.*\n.*1 broken.*1 unknown ids such as 'else'"
    ):
        score(data, [path])


def test_rows_of_another_version_are_refused(publish, letter_rows, jsonl):
    rows = [{**row, "task_version": 2} for row in letter_rows(2)]
    data = publish({"toy/letters": rows})
    records = [{"id": "toy.letters/d01/000000", "prediction": "A"}]
    with pytest.raises(
        ValueError, match="made by toy/letters version 2, and version 1 is installed"
    ):
        score(data, [jsonl(records)])


QUARTER = {"value": 0.25, "of": "answers", "kind": "exact"}
PLAYED = {"value": 0.5, "of": "games", "kind": "simulated", "low": 0.48, "high": 0.52, "plays": 999}


@pytest.mark.parametrize(
    ("splits", "expected", "text"),
    [
        ({"test": {"chance": QUARTER}}, QUARTER, "25.0% of answers"),
        ({"test": {"chance": PLAYED}}, PLAYED, "50.0% of games (48.00% to 52.00% in 999 plays)"),
        ({"test": {"chance": None}}, None, ""),
        ({"train": {"chance": QUARTER}}, None, ""),
        ({"test": {"chance": {"value": "half", "of": "answers"}}}, None, ""),
        ({"test": {"chance": {"value": 7, "of": "answers"}}}, None, ""),
        ({"test": {"chance": {"value": 0.5}}}, None, ""),
        ({}, None, ""),
    ],
)
def test_the_chance_level_is_that_of_the_manifest(letters, jsonl, splits, expected, text):
    data, ids = letters
    figures = {"chance": {"value": 0.9, "note": "labels"}, "commonest": {"value": 0.9}}
    config = {"splits": splits, "audit": {"test": {"figures": figures}}}
    manifest = read_manifest(data)
    for name, part in config["splits"].items():
        manifest["configs"]["toy.letters"]["splits"].get(name, {}).update(part)
    manifest["configs"]["toy.letters"]["audit"] = config["audit"]
    (data / "manifest.json").write_text(json.dumps(manifest))
    scores = score(data, [jsonl(model_records(ids, "m", ()))])
    assert find_report(scores)["chance"] == expected
    shown = figure_tables.render_tables(scores.results)
    shown = shown.replace("not verified here: chance,", "")
    assert text in shown and ("chance" in shown) == bool(expected)
