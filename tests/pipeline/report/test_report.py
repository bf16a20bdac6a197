"""`facelet report`: the pages say what results.json says, run nothing, and load nothing."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import scored_site
from pages import SitePage, at
from scored_site import MODELS

from facelet.pipeline.cli import main
from facelet.pipeline.report.report_site import escape_tex
from facelet.pipeline.report.score_runs import MEASURE_LABELS, format_amount, read_runs
from facelet.pipeline.rollout.row_opener import rows

MEGA = 1_000_000


def read_pages(site: Path) -> dict[str, SitePage]:
    return {path.name: SitePage(path.read_text()) for path in sorted(site.glob("*.html"))}


def read_script(path: Path) -> list[Any]:
    """Return the values that a script of the data hands over."""
    said = path.read_text(encoding="ascii").strip().removesuffix(");").partition("(")[2]
    values = json.loads(f"[{said}]")
    assert isinstance(values, list)
    return values


def test_every_figure_of_the_pages_is_that_of_the_results(site: Path, run: Path) -> None:
    results = json.loads((run / "results.json").read_text())
    found = {name: page.figures for name, page in read_pages(site).items()}
    assert len(found["index.html"]) == 2 * len(MODELS)
    assert sum(map(len, found.values())) > 100
    for name, figures in found.items():
        for pointer, value in figures:
            assert at(results, pointer)["value"] == value, f"{name}: {pointer}"


def test_the_first_page_says_who_is_best_and_whether_it_is_luck(site: Path) -> None:
    text = read_pages(site)["index.html"].text
    assert "alpha is best with 100.0%" in text or "share the first place; alpha leads" in text
    assert "significant" in text
    assert "beta <b>7B</b>" in text, "a name with markup is shown as it is"


def test_nothing_of_a_stranger_becomes_markup_and_nothing_is_loaded(site: Path) -> None:
    for name, page in read_pages(site).items():
        assert "b" not in {tag for tag, _ in page.tags}, f"{name}: a model's name is markup"
        for tag, told in page.tags:
            assert not [key for key in told if key.startswith("on")], f"{name}: {tag} {told}"
            for key in ("src", "href"):
                assert "//" not in (told.get(key) or ""), f"{name}: {told}"
        scripts = [told for tag, told in page.tags if tag == "script"]
        assert all(told["src"] in ("items.js", "data/index.js") for told in scripts)
        assert not scripts or name == "items.html"
        assert scored_site.MARKUP not in (site / name).read_text()
        policy = next(t for g, t in page.tags if t.get("http-equiv") == "Content-Security-Policy")
        assert str(policy["content"]).startswith("default-src 'none'")
    said = (site / "items.js").read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", said)


def test_the_replies_are_all_there(site: Path, run: Path) -> None:
    (index,) = read_script(site / "data" / "index.js")
    assert index["models"] == sorted(MODELS)
    rows = pq.read_metadata(run / "items.parquet").num_rows
    assert sum(len(one["samples"]["row"]) for one in index["configs"]) == rows
    config = next(one for one in index["configs"] if one["name"] == "evolarena.xor_breaking")
    name, piece = read_script(site / "data" / f"{config['file']}-0.js")
    assert name == f"{config['file']}-0"
    said = [one for row in piece["rows"] for one in row["said"]]
    drawn = [one for one in said if one["chat"]]
    assert 0 < len(drawn) <= 2 * len(MODELS)
    assert all(one["chat"][-1][0] == "outcome" for one in drawn)
    assert all("replies" in one for one in said if not one["chat"])
    assert any(scored_site.MARKUP in text for one in drawn for _, p in one["chat"] for text in p)
    pictured = next(one for one in index["configs"] if one["name"] == "inf_bench.forward_2d")
    _, piece = read_script(site / "data" / f"{pictured['file']}-0.js")
    shown = [
        part["p"]
        for row in piece["rows"]
        for _, parts in row["prompt"]
        for part in parts
        if isinstance(part, dict)
    ]
    assert shown and all((site / "pictures" / p[:2] / f"{p}.png").is_file() for p in shown)
    (gold,) = {row["gold"] for row in piece["rows"][:1]}
    assert gold in "ABCD"


def test_seconds_tokens_and_cost_of_a_suite(site: Path, dataset: Path) -> None:
    (page,) = site.glob("suite-0-inf_bench-*.html")
    found = SitePage(page.read_text())
    count = len(list(rows(dataset, "inf_bench.forward_2d")))
    took = [scored_site.usage_figures(number) for number in range(count)]
    usage: Any = [one["usage"] for one in took]
    read, written = (sum(u[f"{n}_tokens"] for u in usage) for n in ("prompt", "completion"))
    cost = (read * 2 + written * 10) / 1e6
    labels = [told.get("aria-label") or "" for _, told in found.tags]
    said = {
        name: next(one for one in labels if one.startswith(name))
        for name in MEASURE_LABELS.values()
    }
    assert f"alpha {format_amount(cost / count)}" in said["Cost of an answer"]
    assert "beta" not in said["Cost of an answer"], "no price is known of it"
    assert f"alpha {format_amount(written / count)}, beta" in said["Reply tokens for an answer"]
    assert "gamma" not in said["Seconds for an answer"], "it says nothing of it"
    # alpha knows all of the rows.
    for text in (format_amount(cost), format_amount(cost / count), format_amount(read / count)):
        assert text in found.text
    assert "Seconds for an answer by level" in found.text


@pytest.mark.parametrize("given", ['{"alpha": 2}', '{"alpha": [1, -2]}', '{"omega": [1, 2]}'])
def test_a_price_that_is_none_is_refused(
    given: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(run), f"out={tmp_path / 'out'}", f"prices={given}"]) == 2
    assert "prices: " in capsys.readouterr().err


def test_the_paper_kit(site: Path) -> None:
    tables = sorted((site / "tables").glob("*.tex"))
    assert tables
    assert any(r"\scriptsize [" in path.read_text() for path in tables), "ours have intervals"
    for path in tables:
        text = path.read_text(encoding="ascii")
        assert "\\toprule" in text and "\\bottomrule" in text
        columns = re.search(r"\\begin\{tabular\}\{(\w+)\}", text)
        assert columns
        for line in text.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == len(columns[1]) - 1
        rows = list(csv.reader(path.with_suffix(".csv").open(encoding="utf-8")))
        assert len({len(row) for row in rows}) == 1
        assert not [cell for row in rows for cell in row if cell.startswith("=")]
    figures = {path.name for path in (site / "figures").iterdir()}
    assert {"evolarena-standings.pdf", "inf_bench.forward_2d.svg"} <= figures
    assert all((site / "figures" / name).stat().st_size > 500 for name in figures)
    assert (site / "figures" / "evolarena-standings.pdf").read_bytes().startswith(b"%PDF")


def test_latex_sets_any_sign() -> None:
    assert escape_tex(r"50% of a_b & {c} \input{x} $5 #1 ~ ^ é") == (
        r"50\% of a\_b \& \{c\} \textbackslash{}input\{x\} \$5 \#1 \textasciitilde{} "
        r"\textasciicircum{} ?"
    )


def make_report(run: Path, out: Path, *words: str) -> dict[str, SitePage]:
    assert main(["report", f"results={run}", f"out={out}", *words]) == 0
    assert (out / "index.html").stat().st_size < 5 * MEGA
    return read_pages(out)


@pytest.fixture
def edited(run: Path, tmp_path: Path) -> Callable[[Callable[[Any], None]], Path]:
    """Return what makes a run with other results."""

    def edit_results(change: Callable[[Any], None]) -> Path:
        results = json.loads((run / "results.json").read_text())
        change(results)
        folder = tmp_path / "edited"
        folder.mkdir()
        (folder / "results.json").write_text(json.dumps(results))
        table = pq.read_table(run / "items.parquet")
        pq.write_table(table.slice(0, 0), folder / "items.parquet")
        return folder

    return edit_results


def test_a_report_of_nothing(edited: Callable[..., Path], tmp_path: Path) -> None:
    found = make_report(edited(lambda r: r.update(models=[], suites=[])), tmp_path / "out")
    assert "No suite has rows with a right answer." in found["index.html"].text


def test_one_model_and_a_suite_with_one_row(dataset: Path, tmp_path: Path) -> None:
    said = scored_site.write_predictions(dataset, tmp_path / "one.jsonl", {"only": 4})
    line = next(one for one in said.read_text().splitlines() if "forward_2d" in one)
    said.write_text(line + "\n")
    run = scored_site.score_predictions(dataset, said, tmp_path / "score", "missing=ignore")
    (suite,) = json.loads((run / "results.json").read_text())["suites"]
    assert [(one["model"], one["items"]) for one in suite["models"]] == [("only", 1)]
    found = make_report(run, tmp_path / "out", f"dataset={dataset}")
    assert "only gets 100.0%" in found["index.html"].text
    (place, value), *others = found["index.html"].figures
    assert (place, value, others) == ("/suites/0/models/0/accuracy", 1.0, [])
    (index,) = read_script(tmp_path / "out" / "data" / "index.js")
    assert sum(len(one["samples"]["row"]) for one in index["configs"]) >= 1


def test_what_never_arrived_is_no_reply(dataset: Path, tmp_path: Path) -> None:
    said = scored_site.write_predictions(dataset, tmp_path / "said.jsonl", {"some": 4})
    lines = [line for line in said.read_text().splitlines() if "forward_2d" in line]
    said.write_text("\n".join(lines[::2]) + "\n")
    run = scored_site.score_predictions(dataset, said, tmp_path / "score")
    make_report(run, tmp_path / "out", "items=false")
    (page,) = (tmp_path / "out").glob("suite-0-inf_bench-*.html")
    told = f"some: {len(lines[::2])} correct, {len(lines[1::2])} missing, 0 api_error"
    (chart,) = re.findall(rf'aria-label="{told}".*?</svg>', page.read_text(), re.S)
    assert "correct" in chart.partition(">")[2] and "missing" not in chart.partition(">")[2]


def test_twelve_models(dataset: Path, tmp_path: Path) -> None:
    models = {f"model {k}": k % 5 for k in range(12)}
    said = scored_site.write_predictions(dataset, tmp_path / "said.jsonl", models)
    lines = [line for line in said.read_text().splitlines() if "forward_2d" in line]
    said.write_text("\n".join(lines) + "\n")
    run = scored_site.score_predictions(dataset, said, tmp_path / "score")
    found = make_report(run, tmp_path / "out", "items=false")
    assert len(found["index.html"].figures) == 12
    assert "items.html" not in found


def test_runs_of_one_dataset_stand_side_by_side(dataset: Path, run: Path, tmp_path: Path) -> None:
    said = scored_site.write_predictions(dataset, tmp_path / "said.jsonl", {"alpha": 3, "delta": 2})
    other = scored_site.score_predictions(dataset, said, tmp_path / "again")
    (both,) = read_runs([run, other], [dataset])
    names = [model["model"] for model in both.results["models"]]
    assert names == ["=gamma", f"alpha ({run.name})", "beta <b>7B</b>", "alpha (again)", "delta"]
    apart = [json.loads((one / "results.json").read_text()) for one in (run, other)]
    known = {
        (suite["suite"], model["model"]): model["accuracy"]["value"]
        for results in apart[1:]
        for suite in results["suites"]
        for model in suite["models"]
    }
    for suite in both.results["suites"]:
        assert len(suite["models"]) == 5 and len(suite["duels"]) == 10
        delta = next(one for one in suite["models"] if one["model"] == "delta")
        assert delta["accuracy"]["value"] == pytest.approx(known[suite["suite"], "delta"])


def test_a_folder_of_somebody_else_stays(run: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    assert main(["report", str(run), f"out={tmp_path}"]) == 2
    assert (tmp_path / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda r: r.update(schema_version=1), "version 1"),
        (lambda r: r.pop("suites"), "has no 'suites'"),
        (lambda r: r["suites"][0].pop("left_out"), "has no 'suites.left_out'"),
        (lambda r: r.update(people=[{"suite": "s", "config": "s.c"}]), "has no 'people.split'"),
    ],
)
def test_other_results_are_refused(
    edited: Callable[..., Path],
    change: Callable[[Any], None],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["report", str(edited(change)), f"out={tmp_path / 'out'}"]) == 2
    assert reason in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_the_extra_it_says_what_to_install(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    assert main(["report", str(run), f"out={tmp_path / 'out'}"]) == 2
    assert "pip install --upgrade 'altair>=" in capsys.readouterr().err
