"""`facelet score` as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow.parquet as pq
import pytest
import score_verb as cli
from describing import read_manifest

from facelet.pipeline.command.verb_command import load_verb
from facelet.pipeline.scoring.render import markdown
from facelet.pipeline.scoring.render.results_schema import SCHEMA_VERSION
from facelet.pipeline.scoring.render.text_tables import escape_cell


@pytest.fixture
def case(publish, letter_rows, jsonl):
    rows = letter_rows(3, ("image", "text"))
    records = [
        {"id": f"toy.letters/d{row['difficulty']:02d}/{i:06d}", "prediction": "Answer: A"}
        for i, row in enumerate(rows)
    ]
    return publish({"toy/letters": rows, "toy/turns": [{}]}), jsonl([*records, b"oops"])


def test_a_run(case, tmp_path, capsys):
    data, path = case
    out = tmp_path / "deep" / "out"
    assert cli.run_score([f"dataset={data}", f"predictions={path}", f"out={out}"]) == 0
    shown = capsys.readouterr().out
    assert "toy.letters" in shown and "33.3 [6.1, 79.2]" in shown
    assert "predictions.jsonl: line 7: not valid JSON" in shown
    assert "not scored (no prediction names them): toy.turns/test" in shown
    results = json.loads((out / "results.json").read_text())
    assert results["schema_version"] == SCHEMA_VERSION
    assert results["dataset"]["name"] == "toys"
    assert results["dataset"]["content_hash"] == read_manifest(data)["content_hash"]
    assert len(results["inputs"][0]["sha256"]) == 64
    assert pq.read_metadata(out / "items.parquet").num_rows == 6
    document = (out / "results.md").read_text()
    assert document.startswith("# Scores on toys\n")
    assert "| modality | depth | rows" in (out / "tables.md").read_text()
    assert sorted(path.name for path in out.iterdir()) == [
        "items.parquet",
        "replies.parquet",
        "results.json",
        "results.md",
        "tables.md",
    ]


def test_a_second_run_equals_the_first_and_has_a_folder_of_its_own(case, capsys):
    data, path = case
    words = [f"dataset={data}/", f"predictions={path}", "resamples=200", "all=true"]
    outputs = []
    for number in (1, 2):
        assert cli.run_score(words) == 0
        folder = data.with_name("data.score") / f"run-000{number}"
        assert f"written: {folder}/results.json" in capsys.readouterr().out
        outputs.append([file.read_bytes() for file in sorted(folder.iterdir())])
    assert len(outputs[0]) == 5
    assert outputs[0] == outputs[1]


def test_runs_that_write_to_one_folder_do_so_one_after_the_other(case, tmp_path, monkeypatch):
    data, path = case
    words = [f"dataset={data}", f"predictions={path}", "resamples=100", f"out={tmp_path}/out"]
    inside = []
    document = markdown.render_document

    def write_slowly(results):
        inside.append("in")
        time.sleep(0.2)
        inside.append("out")
        return document(results)

    monkeypatch.setattr(markdown, "render_document", write_slowly)
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(cli.run_score, [words] * 3)) == [0, 0, 0]
    assert inside == ["in", "out"] * 3
    assert len(list((tmp_path / "out").iterdir())) == 5


def test_predictions_in_a_folder_that_holds_the_output_too(case, tmp_path, capsys):
    data, path = case
    folder = tmp_path / "runs"
    folder.mkdir()
    path.rename(folder / "a.jsonl")
    words = [f"dataset={data}", f"predictions={folder}", f"out={folder}/score"]
    for _ in range(2):
        assert cli.run_score(words) == 0
        results = json.loads((folder / "score" / "results.json").read_text())
        assert [account["file"] for account in results["inputs"]] == ["a.jsonl"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "dataset=... is required"),
        (["dataset=x"], "predictions=... is required"),
        (["dataset=x", "predictions="], "predictions=... is required"),
        (["datset=x"], "unknown key 'datset' (did you mean 'dataset'?)"),
        (["folder"], "predictions=... is required"),
        (["=folder"], "write words as key=value"),
        (["dataset=.", "predictions=none.jsonl"], "'none.jsonl' names no file"),
        (["dataset=x", "predictions=y", "all=maybe"], "all=maybe is neither true nor false"),
        (["dataset=.", "predictions=y", "resamples=5"], "resamples=5 is out of range"),
        (
            ["dataset=.", "predictions=y", "model_from=name"],
            "model_from=name is not one of record, file",
        ),
        (["dataset=x", "dataset=y"], "dataset is set twice"),
    ],
)
def test_bad_options(words, reason, capsys):
    assert cli.run_score(words) == 2
    assert reason in capsys.readouterr().err


def test_bad_data(case, tmp_path, jsonl, capsys):
    data, path = case
    assert cli.run_score([f"dataset={tmp_path}/nowhere", f"predictions={path}"]) == 2
    assert "no dataset folder" in capsys.readouterr().err
    lost = jsonl([{"id": "else", "prediction": "A"}], "lost.jsonl")
    assert cli.run_score([f"dataset={data}", f"predictions={lost}"]) == 1
    assert "no prediction names a row of this dataset" in capsys.readouterr().err
    assert not data.with_name("data.score").exists()


def test_the_help_names_every_key_and_format():
    for word in ("dataset=", "model_from=record", "anthropic batch", "lmms-eval", "sample_idx"):
        assert word in load_verb("score").render_help()
    assert max(map(len, load_verb("score").render_help().splitlines())) <= 100


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("gpt-4o", "gpt-4o"),
        ("a|b`c`<script>", "a\\|b\\`c\\`\\<script\\>"),
        ("new\nline\x1b[31m", "new\ufffdline\ufffd\\[31m"),
        ("x" * 300, "x" * 99 + "\u2026"),
    ],
)
def test_names_from_strangers_are_harmless_in_markdown(name, shown):
    assert escape_cell(name) == shown


def test_scoring_loads_no_renderer_hydra_or_network_code():
    code = (
        "import sys; import facelet.pipeline.verbs.score, facelet.pipeline.scoring.scorer\n"
        "from facelet.generators.core import task_registry as registry; registry.tasks()\n"
        "bad = ['hydra', 'omegaconf', 'datasets', 'huggingface_hub', 'PIL',\n"
        "       'facelet.renderers.api', 'requests', 'httpx', 'urllib.request',\n"
        "       'pandas', 'joblib']\n"
        "print([name for name in bad if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_file_that_is_read_in_part_says_so_and_ends_with_one(case, tmp_path, capsys):
    data, path = case
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:20])
    words = [f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]
    assert cli.run_score(words) == 1
    shown = capsys.readouterr()
    assert "read in part; line 6: the text ends inside this record" in shown.out
    assert "repair it, or accept it with partial=accept" in shown.err
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["inputs"][0]["predictions"] == 5
    assert results["inputs"][0]["stopped"].startswith("read in part; line 6")
    assert cli.run_score([*words, "partial=accept"]) == 0
    assert "read in part; line 6" in capsys.readouterr().out
    assert cli.run_score([*words, "partial=yes"]) == 2
    assert "partial=yes is not one of refuse, accept" in capsys.readouterr().err


def test_a_huge_first_line_loses_no_other(case, tmp_path):
    data, path = case
    first, *others = path.read_text().splitlines()[:6]
    record = json.loads(first)
    record["messages"] = [{"role": "user", "content": "x" * (2 << 20)}]
    path.write_text("\n".join((json.dumps(record), *others)) + "\n")
    assert cli.run_score([f"dataset={data}", f"predictions={path}", f"out={tmp_path}/out"]) == 0
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["inputs"][0]["predictions"] == 6
