"""Every record that is read has one disposition, and no number depends on any order."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from zlib import crc32

import pyarrow.parquet as pq
import pytest
import score_verb as cli

from facelet.pipeline.scoring.grade.dispositions import DISPOSITIONS, FLAGS, RecordLedger
from facelet.pipeline.scoring.ingest import file_spans, prediction_reader
from facelet.pipeline.scoring.scorer import ScoreSettings, score

COUNT = 6
IDS = [f"toy.letters/d{1 + k % 3:02d}/{k:06d}" for k in range(COUNT)]
QUICK = ScoreSettings(resamples=100, verify="no")
REPLIES = [*(f"Answer: {letter}" for letter in "ABCD"), "no idea", ""]
FORMS = ("native", "openai", "anthropic", "gemini", "inspect", "lm-eval", "verifiers", "csv")
BATCHES = ("openai", "anthropic", "gemini")


@pytest.fixture
def data(publish, letter_rows):
    return publish({"toy/letters": letter_rows(COUNT)})


@dataclass(frozen=True)
class Said:
    """One record as it was meant: a reply for a row, a failure, or what is none."""

    kind: str
    row: int = 0
    sample: int = 0
    model: str = ""
    reply: str = ""
    filter: str = ""


def spelled(form, said):
    """Return a record in the words of a format."""
    key, failed = IDS[said.row], said.kind == "failure"
    if said.kind == "malformed":
        return {"id": key, "oops": 1}
    if said.kind == "unknown":
        key = "no/such/row"
    named = {"model": said.model} if said.model else {}
    if form in ("native", "csv"):
        answer = {"error": "overloaded"} if failed else {"prediction": said.reply}
        return {"id": key, "sample_idx": said.sample, **named, **answer}
    if form == "openai":
        choice = {"index": said.sample, "message": {"content": said.reply}}
        body = {**named, "choices": [choice]}
        answer = {"error": {"code": "x"}} if failed else {"response": {"body": body}}
        return {"custom_id": key, **answer}
    if form == "anthropic":
        message = {**named, "content": [{"type": "text", "text": said.reply}]}
        kind = {"type": "expired"} if failed else {"type": "succeeded", "message": message}
        return {"custom_id": key, "result": kind}
    if form == "gemini":
        candidate = {"index": said.sample, "content": {"parts": [{"text": said.reply}]}}
        version = {"modelVersion": said.model} if said.model else {}
        answer = {"response": {**version, "candidates": [candidate]}}
        return {"key": key, **({"error": {"code": 3}} if failed else answer)}
    if form == "inspect":
        output = {"error": "late"} if failed else {"completion": said.reply}
        return {"id": key, "epoch": said.sample + 1, **named, "output": output}
    if form == "lm-eval":
        document = {"doc_id": said.row, "doc": {"id": key}}
        return {**document, "resps": [[said.reply]], "filter": said.filter}
    return {"example_id": 0, "info": {"id": key}, **named, "completion": said.reply}


def made(rng):
    """Return files by name: the format and the records of each."""
    files = {}
    models = ["", *rng.sample(["m", "n", "o"], rng.randint(0, 3))]
    for number in range(rng.randint(1, 4)):
        form = rng.choice(FORMS)
        owners = [rng.choice(models)] if rng.random() < 0.9 else models
        loss = 0.0 if form in ("lm-eval", "verifiers") else rng.choice([0.0, 0.2, 1.0])
        records = []
        for row in range(COUNT):
            if rng.random() < 0.2:
                continue
            for sample in range(rng.choice([1, 1, 2])):
                kind = "failure" if rng.random() < loss else "reply"
                if form in ("anthropic", "lm-eval") or (form == "openai" and kind == "failure"):
                    sample = 0
                model = "" if form == "lm-eval" or rng.random() < 0.03 else rng.choice(owners)
                if kind == "failure" and form in BATCHES:
                    model, sample = "", 0
                reply = rng.choice(REPLIES) if rng.random() < 0.9 else "Answer: A"
                said = Said(kind, row, sample, model, reply, "f0")
                records.append(said)
                if form == "lm-eval":
                    records += [replace(said, filter=f"f{k}") for k in range(1, rng.randint(1, 3))]
                if rng.random() < 0.1:
                    records.append(said)
                if rng.random() < 0.02 and form != "verifiers":
                    records.append(replace(said, kind="reply", reply="another"))
        records += [
            Said(rng.choice(["malformed", "unknown"])) for _ in range(rng.choice([0, 0, 1]))
        ]
        if form == "csv":
            records = [one for one in records if one.kind != "malformed"]
        files[f"file-{number}"] = form, records
    return files


def written(folder, files, rng):
    """Write the files in an order of lines, and return their paths in an order of files."""
    folder.mkdir()
    paths = []
    for name, (form, records) in files.items():
        records = rng.sample(records, len(records))
        lines = [json.dumps(spelled(form, one)) for one in records]
        if form == "csv":
            fields = ("id", "sample_idx", "model", "prediction", "error")
            rows = [spelled(form, one) for one in records]
            table = [fields, *([str(row.get(field, "")) for field in fields] for row in rows)]
            text = "\n".join(map(",".join, table))
            path = folder / f"{name}.csv"
            path.write_text(text + "\n")
        elif sum(map(ord, name + form)) % 3 == 0:
            path = folder / f"{name}.json"
            path.write_text(f"[{', '.join(lines)}]")
        elif sum(map(ord, name + form)) % 3 == 1:
            path = folder / f"{name}.jsonl.gz"
            path.write_bytes(gzip.compress("\n".join(lines).encode()))
        else:
            path = folder / f"{name}.jsonl"
            path.write_text("\n".join(lines) + "\n")
        paths.append(path)
    return rng.sample(paths, len(paths))


def expected(files):
    """Return the dispositions, worked out in another way; None if the files are refused."""
    every = [one for _, records in files.values() for one in records]
    named = {one.model for one in every if one.model and one.kind in ("reply", "failure")}
    found = Counter()
    groups = defaultdict(list)
    for name, (form, records) in files.items():
        joined = [one for one in records if one.kind in ("reply", "failure")]
        own = {one.model for one in joined if one.model}
        default = name
        nameless = [one for one in joined if not one.model]
        if nameless and len(own) == 1:
            (default,) = own
        elif nameless and own:
            return None
        elif form in BATCHES and nameless and all(one.kind == "failure" for one in nameless):
            if len(named) > 1:
                return None
            default = next(iter(named), name)
        numbers = Counter()
        if form == "verifiers":  # Its records number no samples; what they reply orders them.
            records = sorted(records, key=lambda one: crc32(one.reply.encode()))
        filters = defaultdict(list)
        for one in records:
            if one.kind in ("malformed", "unknown"):
                found[{"malformed": "malformed", "unknown": "unknown_id"}[one.kind]] += 1
                continue
            sample = one.sample
            if form == "verifiers":
                sample = numbers[one.row, one.model or default]
                numbers[one.row, one.model or default] += 1
            if form == "lm-eval":
                filters[one.row, one.reply].append(one.filter)
                if one.filter != filters[one.row, one.reply][0]:
                    if one.filter not in filters[one.row, one.reply][:-1]:
                        found["other_filter"] += 1
                        continue
            groups[one.model or default, one.row, sample].append((name, form, one))
    for placed in groups.values():
        records = [one for _, _, one in placed]
        replies = [one.reply for one in records if one.kind == "reply"]
        read = [(name, form) for name, form, one in placed if one.kind == "reply"]
        if len({name for name, _ in read}) > 1 and any(form == "verifiers" for _, form in read):
            return None
        failures = len(records) - len(replies)
        if len(set(replies)) > 1:
            return None
        found["graded"] += bool(replies)
        found["identical_duplicate"] += max(0, len(replies) - 1)
        found["superseded" if replies else "api_error"] += failures
    return {name: count for name, count in found.items() if count}


def told(scores):
    """Return the results without what names places and the order of files."""
    results = json.loads(json.dumps(scores.results))
    for account in results["inputs"]:
        for name in ("sha256", "bytes", "broken_examples", "damaged_examples"):
            account.pop(name)
    results["inputs"].sort(key=lambda account: account["file"])
    return results


def check(data, folder, seed, times=2):
    rng = random.Random(seed)
    files = made(rng)
    ledger = expected(files)
    first = None
    for order in range(times):
        paths = written(folder / f"{seed}-{order}", files, rng)
        if not any(one.kind in ("reply", "failure") for _, r in files.values() for one in r):
            with pytest.raises(ValueError, match="no prediction names a row"):
                score(data, paths, QUICK)
            continue
        if ledger is None:
            with pytest.raises(ValueError, match=r"hold (different )?replies|names no model"):
                score(data, paths, QUICK)
            continue
        found = told(score(data, paths, QUICK))
        total = found["ledger"]["dispositions"]
        assert {name: n for name, n in total.items() if n} == ledger, seed
        assert found["ledger"]["read"] == sum(len(records) for _, records in files.values())
        first = first or found
        assert found == first, seed
    return ledger


def test_generated_mixtures(data, tmp_path):
    kinds = Counter()
    for seed in range(60):
        kinds.update(["an error"] if (found := check(data, tmp_path, seed)) is None else found)
    assert kinds.keys() == {"an error", *DISPOSITIONS} - {"conflicting_duplicate", "refused"}


@pytest.mark.slow
def test_ten_thousand_generated_mixtures(data, tmp_path):
    for seed in range(1000, 11_000):
        check(data, tmp_path, seed)


def lines(model="", rights=range(COUNT), **more):
    named = {"model": model} if model else {}
    return [
        {
            "id": key,
            **named,
            "prediction": f"Answer: {'ABCD'[k % 4] if k in rights else 'none'}",
            **more,
        }
        for k, key in enumerate(IDS)
    ]


def accuracies(results):
    return {one["model"]: one["accuracy"]["value"] for one in results["suites"][0]["models"]}


def test_files_that_name_no_model_are_models_of_their_own(data, jsonl):
    files = [jsonl(lines(), "good.jsonl"), jsonl(lines(rights=()), "poor.jsonl")]
    for order in (files, files[::-1]):
        results = score(data, order, QUICK).results
        assert accuracies(results) == {"good": 1.0, "poor": 0.0}
        assert [one["models"] for one in results["comparisons"]] == [["good", "poor"]]
        assert results["ledger"]["dispositions"]["graded"] == 2 * COUNT


def test_a_record_without_a_model_is_of_the_one_that_its_file_names(data, jsonl, tmp_path):
    mixed = [*lines("m")[:3], *lines()[3:]]
    for records in (mixed, mixed[::-1]):
        files = [jsonl(records, "a.jsonl"), jsonl(lines("n"), "b.jsonl")]
        replies = tmp_path / "replies.parquet"
        results = score(data, files, QUICK, replies).results
        assert accuracies(results) == {"m": 1.0, "n": 1.0}
        said = pq.read_table(replies)
        assert said["model"].to_pylist() == ["m"] * COUNT + ["n"] * COUNT
        assert said["replies"].null_count == 0 and len(set(said["id"].to_pylist())) == COUNT
    files = [jsonl(mixed, "a.jsonl"), jsonl(lines("a"), "b.jsonl")]
    score(data, files, QUICK, replies)
    assert Counter(pq.read_table(replies)["model"].to_pylist()) == {"m": COUNT, "a": COUNT}
    with pytest.raises(ValueError, match=r"a\.jsonl: line 4 names no model.*model_from=file"):
        score(data, [jsonl([*mixed[:4], *lines("n")], "a.jsonl")], QUICK)


def test_conflicting_replies_are_an_error_unless_the_caller_says_what_counts(data, jsonl):
    first, second = lines("m"), lines("m", range(1, COUNT))
    files = [jsonl(first, "a.jsonl"), jsonl(second, "b.jsonl")]
    words = (
        r"a\.jsonl: line 1 and b\.jsonl: line 1 hold different replies .*duplicates=first or last"
    )
    for order in (files, files[::-1]):
        with pytest.raises(ValueError, match=words):
            score(data, order, QUICK)
    for duplicates, right in (("first", 1.0), ("last", 5 / 6), ("samples", 11 / 12)):
        results = score(data, files, replace(QUICK, duplicates=duplicates)).results
        assert accuracies(results)["m"] == pytest.approx(right)
        found = results["ledger"]["dispositions"]
        if duplicates == "samples":
            assert found["graded"] == 2 * COUNT
        else:
            assert (found["graded"], found["identical_duplicate"]) == (COUNT, COUNT - 1)
            assert found["conflicting_duplicate"] == 1
    backwards = score(data, files[::-1], replace(QUICK, duplicates="samples")).results
    assert backwards["models"] == results["models"]


def test_samples_without_numbers_in_two_files_conflict(data, jsonl):
    same = [
        {"info": {"id": key}, "example_id": 0, "model": "m", "completion": "Answer: A"}
        for key in IDS
    ]
    numbered = [{"id": key, "model": "m", "prediction": "Answer: A"} for key in IDS]
    words = r"a\.jsonl: line 1 and b\.jsonl: line 1 hold replies of one model that number no sample"
    for other in (same, numbered):
        files = [jsonl(same, "a.jsonl"), jsonl(other, "b.jsonl")]
        for order in (files, files[::-1]):
            with pytest.raises(ValueError, match=words):
                score(data, order, QUICK)
        for duplicates, graded in (("first", COUNT), ("last", COUNT), ("samples", 2 * COUNT)):
            results = score(data, files, replace(QUICK, duplicates=duplicates)).results
            found = results["ledger"]["dispositions"]
            assert found["graded"] == graded
            assert found["conflicting_duplicate"] == 2 * COUNT - graded
        apart = score(data, files, replace(QUICK, model_from="file")).results
        assert len(apart["models"]) == 2 and apart["ledger"]["dispositions"]["graded"] == 2 * COUNT


@pytest.mark.parametrize(
    "form", ["native", "openai", "anthropic", "gemini", "inspect", "verifiers"]
)
def test_a_lone_surrogate_is_flagged_as_damage(form, data, jsonl):
    records = [
        spelled(form, Said("reply", row, model="m", reply="Answer: A" + "\ud83d" * (row == 1)))
        for row in range(COUNT)
    ]
    results = score(data, [jsonl(records)], QUICK).results
    assert results["ledger"]["flags"]["carrier_damaged"] == 1
    (example,) = results["inputs"][0]["damaged_examples"]
    assert example["line"] == 2 and "lone surrogate" in example["reason"]


def test_a_record_with_one_bad_choice_is_malformed_once(data, jsonl):
    good = {"message": {"content": "Answer: A"}}
    bad = {"custom_id": IDS[0], "response": {"body": {"choices": [good, good, "x"]}}}
    results = score(data, [jsonl([bad, *lines("m")])], QUICK).results
    assert results["ledger"]["dispositions"]["malformed"] == 1


def test_which_of_equal_records_counts_does_not_depend_on_the_order_of_files(data, jsonl):
    files = [jsonl(lines("m")[:4], "a.jsonl"), jsonl(lines("m")[2:], "b.jsonl")]
    found = [told(score(data, order, QUICK)) for order in (files, files[::-1])]
    assert found[0] == found[1]
    graded = [one["ledger"]["dispositions"]["graded"] for one in found[0]["inputs"]]
    assert graded == [4, 2]


def test_no_number_depends_on_shares_of_a_file(data, jsonl, monkeypatch):
    records = [
        *lines("m"),
        *lines(),
        {"id": "x", "prediction": ""},
        {"id": IDS[0], "error": "late"},
    ]
    path = jsonl([*records, b"oops", {"id": IDS[1], "model": "m", "error": "x"}])
    usual = score(data, [path], QUICK).results
    assert usual["ledger"]["read"] == 16
    monkeypatch.setattr(file_spans, "SPAN", 200)
    assert score(data, [path], QUICK).results == usual
    monkeypatch.setattr(prediction_reader, "begins_lines", lambda *_: False)
    assert score(data, [path], QUICK).results == usual


def test_a_majority_does_not_depend_on_the_order_of_samples(data, jsonl):
    said = [f"Answer: {letter}" for letter in "AABBCD"]
    records = [
        {"info": {"id": key}, "example_id": 0, "completion": text} for key in IDS for text in said
    ]
    rng = random.Random(4)
    found = []
    for _ in range(4):
        rng.shuffle(records)
        found.append(told(score(data, [jsonl(records)], QUICK)))
    assert (
        found[0]["models"][0]["configs"]["toy.letters"]["splits"]["test"]["samples_per_item"] == 6
    )
    assert all(one == found[0] for one in found)


def test_a_server_that_refuses_every_request_has_no_rank_and_says_so(data, jsonl, tmp_path, capsys):
    lost = [{"id": key, "model": "m", "error": "connection refused"} for key in IDS]
    path = jsonl([*lost, *lines("n")])
    out = tmp_path / "out"
    assert (
        cli.run_score([f"dataset={data}", f"predictions={path}", f"out={out}", "resamples=100"])
        == 0
    )
    results = json.loads((out / "results.json").read_text())
    last = results["suites"][0]["models"][-1]
    assert (last["model"], last["first"], last["last"]) == ("m", None, None)
    assert (last["accuracy"]["arrived"], last["accuracy"]["readable"]) == (0.0, 0.0)
    assert last["accuracy"]["verdict"] == "no verdict: 0.0% of replies arrived"
    assert results["suites"][0]["models"][0]["first"] == 1
    assert results["suites"][0]["duels"] == results["comparisons"] == []
    for text in (capsys.readouterr().out, (out / "results.md").read_text()):
        assert "12 records read: 6 graded, 6 failed at the API" in text
        assert (
            "m on toy.letters: no rank, verdict or comparison: 0.0% of the replies arrived" in text
        )
        assert "no verdict: 0.0% of replies arrived" in text
        assert "0.0% arrived, 0.0% readable" in text
        assert "not above" not in text


def test_what_was_not_asked_is_no_missing_reply(data, jsonl, tmp_path):
    path = jsonl(lines("m")[:2])
    (split,) = [
        model["configs"]["toy.letters"]["splits"]["test"]
        for model in score(data, [path], replace(QUICK, missing="ignore")).results["models"]
    ]
    assert split["counts"]["missing"] == 0 and split["replies"]["replies"] == 2
    figure = split["cells"][0]["figures"]["accuracy"]
    assert (figure["value"], figure["arrived"], figure["readable"]) == (1.0, 1.0, 1.0)


def test_settings_that_are_too_many_are_counted_together_in_any_order(data, jsonl):
    records = [
        {**one, "sample_idx": k, "settings": {"seed": k % 12}}
        for k in range(24)
        for one in lines("m")
    ]
    for order in (records, records[::-1]):
        (model,) = score(data, [jsonl(order)], QUICK).results["models"]
        assert model["settings"] == [{"predictions": 24 * COUNT, "settings": None}]


def test_a_ledger_that_does_not_sum_is_an_error():
    counts = dict.fromkeys(DISPOSITIONS, 0)
    with pytest.raises(AssertionError, match="3 records were read"):
        RecordLedger(3, {**counts, "graded": 2}, dict.fromkeys(FLAGS, 0))


def test_replies_are_kept_under_the_sample_that_they_are_scored_as(data, jsonl, tmp_path):
    said = ["Answer: A", "Answer: C", "Answer: B", "Answer: A"]
    auto = [{"info": {"id": key}, "example_id": 0, "completion": x} for x in said for key in IDS]
    lost = [{"id": IDS[0], "error": "late"}, {"id": IDS[1], "prediction": "Request timed out."}]
    twice = [{"id": key, "prediction": text} for text in said for key in IDS]
    for records, how in ((auto, QUICK), ([*lost, *twice], replace(QUICK, duplicates="samples"))):
        path = tmp_path / "replies.parquet"
        scores = score(data, [jsonl(records)], how, path, tmp_path / "items.parquet")
        items = pq.read_table(tmp_path / "items.parquet").to_pylist()
        kept = pq.read_table(path).to_pylist()
        counted = {(one["id"], one["sample_idx"]): one["answer"] for one in items if one["answer"]}
        found = {(one["id"], one["sample_idx"]): [one["replies"][0][-1]] for one in kept}
        assert len(counted) == 4 * COUNT
        assert {key: found[key] for key in counted} == counted
        assert scores.populations[0].samples == 4
