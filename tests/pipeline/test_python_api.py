"""The functions of the package: the guide's code as it is printed, and what they refuse."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import facelet
from facelet.pipeline.cli import main

GUIDE = Path(__file__).parents[2] / "conf" / "docs" / "python.md"


@pytest.fixture(scope="module")
def guide(tmp_path_factory):
    """Return the names that the guide's code blocks define, run in order in an empty folder."""
    folder, before = tmp_path_factory.mktemp("guide"), Path.cwd()
    names: dict = {"here": folder}
    os.chdir(folder)
    try:
        for code in re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text(), re.S | re.M):
            exec(compile(code, str(GUIDE), "exec"), names)
    finally:
        os.chdir(before)
    names["folder"] = folder / names["folder"]
    names["out"] = folder / "data" / "out" / "mine-scores"
    return names


def test_the_guide_runs_as_shown(guide):
    assert guide["folder"].joinpath("manifest.json").is_file()
    assert guide["here"].joinpath("data/out/site/index.html").is_file()
    assert list(guide["by_level"].columns) == ["always A"] and len(guide["by_level"]) > 1
    assert not guide["replies"].empty
    assert set(guide["both"].index.get_level_values(0)) == {"earlier", "now"}


def test_the_guide_names_every_frame(guide):
    text = GUIDE.read_text()
    frames = [
        name
        for name in dir(type(guide["scores"]))
        if isinstance(getattr(guide["scores"], name), pd.DataFrame)
    ]
    assert len(frames) == 5
    assert [name for name in frames if f"| `scores.{name}` |" not in text] == []


def test_frames_contain_the_numbers_of_the_results(guide):
    scores = guide["scores"]
    (model,) = scores.results["models"]
    report = model["configs"]["cube_bench.move_prediction"]["splits"]["test"]
    figure = report["cells"][0]["figures"]["accuracy"]
    (row,) = scores.table.to_dict("records")
    assert (row["accuracy"], row["low"], row["high"]) == (
        figure["value"],
        figure["low"],
        figure["high"],
    )
    assert row["verdict"] == figure["verdict"] and row["units"] == figure["units"]
    assert {name: row[name] for name in figure["baselines"]} == figure["baselines"]
    assert np.isclose((scores.items.status == "correct").mean(), row["accuracy"])
    assert len(scores.figures) == sum(len(cell["figures"]) for cell in report["cells"])
    (standing,) = scores.standings.to_dict("records")
    assert (standing["model"], standing["first"], standing["last"]) == ("always A", 1, 1)
    assert scores.replies["replies"].map(list).tolist() == [["<ANSWER>A</ANSWER>"]] * row["units"]


def test_a_call_writes_what_the_command_writes(guide, tmp_path):
    path = tmp_path / "predictions.jsonl"
    pd.DataFrame(guide["records"]).to_json(path, orient="records", lines=True)
    words = [f"dataset={guide['folder']}", f"predictions={path}", f"out={tmp_path}/verb"]
    assert main(["score", *words, "resamples=200", "missing=ignore"]) == 0
    options = {"resamples": 200, "missing": "ignore"}
    for number, records in enumerate(
        (guide["records"], pd.DataFrame(guide["records"]), path, [path])
    ):
        out = tmp_path / str(number)
        facelet.score(guide["folder"], records, out=out, **options)
        for name in ("results.md", "tables.md", "items.parquet", "replies.parquet"):
            assert (out / name).read_bytes() == (tmp_path / "verb" / name).read_bytes(), name


def test_a_notebook_shows_verdicts_and_caveats_and_runs_nothing(guide, tmp_path):
    records = [{**one, "model": "<script>x</script>"} for one in guide["records"]]
    scores = facelet.score(guide["folder"], records, out=tmp_path / "out", verify=False)
    page = scores._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page
    assert page.count("not above chance") == 2 and "unverified" in page
    assert page.count("unverified") >= 2 and "25.0%" in page


def test_bad_keywords_are_refused_as_on_the_command_line(guide):
    with pytest.raises(ValueError, match=r"unknown key 'mising' \(did you mean 'missing'\?\)"):
        facelet.score(guide["folder"], guide["records"], mising="ignore")
    with pytest.raises(ValueError, match=r"resamples=5 is out of range"):
        facelet.score(guide["folder"], guide["records"], resamples=5)
    with pytest.raises(ValueError, match="no dataset folder"):
        facelet.score(guide["here"] / "none", guide["records"])
    with pytest.raises(ValueError, match=r"depths=0"):
        facelet.build(depths="0")
    with pytest.raises(ValueError, match="facelet build --show"):
        facelet.build(show=True)
    with pytest.raises(ValueError, match=r"no results.json"):
        facelet.load_results(guide["here"])


def test_a_file_that_breaks_off_is_an_error_unless_accepted(guide, tmp_path):
    text = "".join(
        f'{{"id": "{one["id"]}", "model": "m", "prediction": "A"}},' for one in guide["records"]
    )
    path = tmp_path / "cut.json"
    path.write_text(f"[{text}")
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=r"read in part: cut.json.*partial=accept.*out$"):
        facelet.score(guide["folder"], path, out=out)
    scores = facelet.score(guide["folder"], path, out=out, partial="accept")
    assert facelet.load_results(out / "results.json").table.equals(scores.table)


def test_the_package_and_the_command_load_pandas_only_where_it_is_used():
    code = (
        "import sys, facelet\n"
        "from facelet.pipeline.cli import main\n"
        "main(['--version'])\n"
        "main(['score', '--help'])\n"
        "print('pandas' in sys.modules)\n"
        "facelet.load_results\n"
        "print('pandas' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *_, first, last = done.stdout.splitlines()
    assert (first, last) == ("False", "True")


def test_a_build_in_another_folder_uses_the_workers_of_the_first(tmp_path, monkeypatch):
    for name in ("first", "second"):
        place = tmp_path / name
        place.mkdir()
        monkeypatch.chdir(place)
        keys = {"suites": ["cube_bench"], "tasks": ["move_prediction"], "depths": "1", "count": 8}
        folder = facelet.build(profile="smoke", out="rows", workers=2, quiet=True, **keys)
        assert folder == place / "rows" and (folder / "manifest.json").is_file()
