"""Scores vouch for what they looked at: hashes of files and rows, and the word beside a figure."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import score_verb as cli
from describing import describe_folder, read_manifest

from facelet.generators.core.measures import Confusion
from facelet.pipeline.dataset.row_hashes import hash_file
from facelet.pipeline.scoring.render import markdown
from facelet.pipeline.scoring.scorer import ScoreSettings, score

NAME = "toy.letters/test-00000-of-00001.parquet"


@pytest.fixture
def case(publish, letter_rows, jsonl):
    """A dataset of two configs, and a player of one of them who always says A."""
    rows = letter_rows(8)
    data = publish({"toy/letters": rows, "toy/yes_no": [{"truth": True}] * 3})
    records = [
        {"id": f"toy.letters/d{row['difficulty']:02d}/{i:06d}", "prediction": "Answer: A"}
        for i, row in enumerate(rows)
    ]
    return data, jsonl(records)


def say_a(data):
    """Make A the right answer of every row of the letters."""
    table = pq.read_table(data / NAME)
    rows = [{**row, "right": "A", "gold": "A"} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), data / NAME)


def cover_up(data, **more):
    """Write the hash of the file as it is now into the manifest."""
    content = read_manifest(data)
    (shard,) = content["configs"]["toy.letters"]["splits"]["test"]["shards"]
    shard |= {"sha256": hash_file(data / NAME), "bytes": (data / NAME).stat().st_size, **more}
    (data / "manifest.json").write_text(json.dumps(content))


def accuracy(scores):
    split = scores.results["models"][0]["configs"]["toy.letters"]["splits"]["test"]
    return split["cells"][0]["figures"]["accuracy"]


def test_a_genuine_dataset_is_verified(case):
    data, path = case
    scores = score(data, [path])
    assert accuracy(scores)["value"] == 0.25 and "unverified" not in accuracy(scores)
    about = scores.results["dataset"]
    assert about["verified"] == "content" and about["expected"] is False
    assert about["manifest_sha256"] == hash_file(data / "manifest.json")
    shown = markdown.render_summary(scores.results)
    assert "verified: recomputed from the rows" in shown and "unverified" not in shown
    rows = score(data, [path], ScoreSettings(verify="rows")).results["dataset"]
    assert rows["verified"] == "rows"


def test_a_tampered_shard_is_refused(case):
    data, path = case
    say_a(data)
    with pytest.raises(ValueError, match=rf"{NAME} is refused: it has .* the manifest lists"):
        score(data, [path])


def test_a_shard_of_equal_size_is_refused_by_its_hash(case):
    data, path = case
    whole = (data / NAME).read_bytes()
    assert b"parquet-cpp-arrow" in whole
    (data / NAME).write_bytes(whole.replace(b"parquet-cpp-arrow", b"parquet-cpp-arr0w"))
    with pytest.raises(ValueError, match="it has SHA-256"):
        score(data, [path])


@pytest.mark.parametrize("part", [slice(0, -20), slice(0, 3), slice(0, 0)])
def test_a_shard_that_broke_off_is_one_line(case, tmp_path, capsys, part):
    data, path = case
    (data / NAME).write_bytes((data / NAME).read_bytes()[part])
    assert cli.run_score([f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"{NAME}' cannot be read" in line


def test_a_tampered_shard_whose_hash_was_covered_up_is_refused_by_its_rows(case):
    data, path = case
    say_a(data)
    cover_up(data)
    files = ScoreSettings(verify="files")
    assert accuracy(score(data, [path], files))["value"] == 1.0  # the manifest's own hash tells
    for settings in (ScoreSettings(), ScoreSettings(verify="rows")):
        with pytest.raises(ValueError, match=r"it has content hash .* the manifest lists"):
            score(data, [path], settings)
    cover_up(data, content_hash="00" * 16)
    with pytest.raises(ValueError, match="it has content hash"):
        score(data, [path])


def test_a_manifest_whose_content_hash_is_not_that_of_its_splits_is_refused(case):
    data, path = case
    content = read_manifest(data)
    content["content_hash"] = "0" * 32
    (data / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=r"manifest\.json is refused"):
        score(data, [path])


def test_only_files_whose_rows_count_are_hashed(case):
    data, path = case
    other = data / "toy.yes_no" / "test-00000-of-00001.parquet"
    table = pq.read_table(other)
    pq.write_table(table, other, compression="none")
    assert accuracy(score(data, [path]))["value"] == 0.25
    with pytest.raises(ValueError, match=r"toy\.yes_no/test-00000-of-00001\.parquet is refused"):
        score(data, [path], ScoreSettings(everything=True))


def test_shards_that_the_manifest_does_not_list_are_refused(case):
    data, path = case
    (data / NAME).rename(data / "toy.letters" / "train-00000-of-00001.parquet")
    with pytest.raises(ValueError, match=r"manifest\.json does not list toy\.letters/train"):
        score(data, [path])


def test_without_a_manifest_there_is_nothing_to_verify_against(case):
    data, path = case
    (data / "manifest.json").unlink()
    with pytest.raises(ValueError, match="so its rows cannot be checked"):
        score(data, [path])
    found = score(data, [path], ScoreSettings(verify="no")).results["dataset"]
    assert found["content_hash"] is None and found["verified"] == "no"


def test_unverified_stands_beside_every_figure(case, tmp_path, capsys, jsonl):
    data, path = case
    say_a(data)
    other = jsonl([{**json.loads(path.read_text().splitlines()[0]), "model": "b"}], "b.jsonl")
    words = [f"dataset={data}", f"predictions={path},{other}", f"out={tmp_path}/out"]
    assert cli.run_score([*words]) == 1
    assert "is refused" in capsys.readouterr().err
    assert cli.run_score([*words, "verify=false"]) == 0
    shown = capsys.readouterr().out
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["dataset"]["verified"] == "no"
    figures = [
        figure
        for model in results["models"]
        for config in model["configs"].values()
        for split in config["splits"].values()
        for cell in split["cells"]
        for figure in cell["figures"].values()
    ]
    assert len(figures) > 10 and all(figure["unverified"] is True for figure in figures)
    assert all(pair["unverified"] is True for pair in results["comparisons"])
    document = (tmp_path / "out" / "results.md").read_text()
    for text in (shown, document):
        assert "UNVERIFIED: its files were not compared" in text
        figures = [part for part in text.split("|") if " [" in part]
        assert figures and all("unverified" in part for part in figures)


def test_a_bad_word_is_refused(case, capsys):
    data, path = case
    assert cli.run_score([f"dataset={data}", f"predictions={path}", "verify=maybe"]) == 2
    assert "verify=maybe is not one of true, rows, files, false" in capsys.readouterr().err


HOSTILE = "<script>alert(1)</script>\x1b[31m|`"


def test_nothing_of_a_dataset_acts_in_the_report(publish, letter_rows, tmp_path, capsys, jsonl):
    rows = [
        {**row, "difficulty_axis": HOSTILE, "modality": HOSTILE + str(i % 2), "group": HOSTILE}
        for i, row in enumerate(letter_rows(4))
    ]
    data = publish({"toy/letters": rows, "toy/classes": [{"effects": [HOSTILE]}]})
    path = jsonl([{"id": f"toy.letters/d01/{0:06d}", "prediction": "A", "model": HOSTILE}])
    content = read_manifest(data)
    content["name"] = HOSTILE
    (data / "manifest.json").write_text(json.dumps(content))
    words = [f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]
    assert cli.run_score(words) == 0
    shown = capsys.readouterr().out
    document = (tmp_path / "out" / "results.md").read_text()
    assert "\\<script\\>" in document
    for text in (shown, document):
        assert "\x1b" not in text and not re.search(r"(?<!\\)<script", text)


@pytest.mark.parametrize(
    "kind", [KeyError, IndexError, TypeError, AttributeError, ZeroDivisionError]
)
@pytest.mark.parametrize("method", ["decode", "open", "reference"])
def test_what_a_damaged_row_raises_is_one_line(case, tmp_path, capsys, monkeypatch, kind, method):
    data, path = case
    task = score(data, [path]).populations[0].part.load_installed_task

    def fail_decoding(*_):
        raise kind("a\x1b[31m")

    monkeypatch.setattr(type(task), method, fail_decoding)
    if method == "reference":
        monkeypatch.setattr(type(task), "measures", (Confusion(classes=("A", "B")),))
        path.write_text(path.read_text().splitlines()[0] + "\n")
    describe_folder(data)
    assert cli.run_score([f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "row 'toy.letters/d0" in line and kind.__name__ in line and "\x1b" not in line
