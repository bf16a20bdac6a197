"""Claims: every table and figure that leaves shows n, baselines, verdict and caveats."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import vl_convert
import yaml
from pages import at

from facelet.pipeline.cli import main
from facelet.pipeline.formats import every_eval_ever, hub_results
from facelet.pipeline.report import charts
from facelet.pipeline.scoring.aggregate import claims
from facelet.pipeline.scoring.aggregate.claims import Claim
from facelet.pipeline.scoring.render import figure_tables, markdown

MARK = "measured at full moon"
"""A caveat of all claims, which no surface knows."""

VERDICT = re.compile(
    r"above baselines|not above (chance|the best constant answer|the floor|a shortcut)|no verdict"
)
UNSTATED = re.compile("no baseline|baseline not applicable")
N = re.compile(r"\bn = [0-9,]+|\b[0-9]+ items")
WON = re.compile(r"\b(chance|constant|floor|shortcut)\b")


def claims_of(content: Any) -> Iterator[dict[str, Any]]:
    """Yield all claims of results.json."""
    if isinstance(content, dict):
        if "verdict" in content:
            yield content
        content = list(content.values())
    if isinstance(content, list):
        for one in content:
            yield from claims_of(one)


@pytest.fixture(scope="module")
def folder(run: Path, dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that is made of a run whose claims all have a caveat."""
    out: Path = tmp_path_factory.mktemp("claims")
    marked = out / "run"
    marked.mkdir()
    results = json.loads((run / "results.json").read_text())
    for claim in claims_of(results):
        claim["caveats"] = [*claim["caveats"], MARK]
    (marked / "results.json").write_text(json.dumps(results))
    for name in ("items.parquet", "replies.parquet"):
        (marked / name).write_bytes((run / name).read_bytes())
    assert main(["report", str(marked), f"out={out / 'site'}", f"dataset={dataset}"]) == 0
    (out / "results.md").write_text(markdown.render_document(results))
    (out / "tables.md").write_text(figure_tables.render_tables(results))
    (out / "console.md").write_text(markdown.render_summary(results))
    hub_results.export_results(marked, "org/facelet", out / "hub")
    every_eval_ever.export_results(marked, dataset, out / "eee")
    return out


Text = tuple[str, str]
"""Where a claim is shown, and everything that is shown with it."""


def in_latex(folder: Path) -> Iterator[Text]:
    for path in sorted(folder.glob("site/tables/*.tex")):
        text = path.read_text()
        notes = dict(re.findall(r"\\textsuperscript\{(\d+)\}~(.*?)\\par", text))
        ours = text.split(r"\midrule")[2].partition(r"\bottomrule")[0]
        for line in filter(None, ours.strip().split("\n")):
            for cell in line.removesuffix(r" \\").split(" & ")[1:]:
                if re.match(r"-?[0-9]", cell):
                    marks = re.findall(r"\\textsuperscript\{([0-9,]+)\}", cell)
                    marked = [notes[one] for mark in marks for one in mark.split(",")]
                    yield f"{path.name}: {cell}", "; ".join(marked)


def in_csv(folder: Path) -> Iterator[Text]:
    for path in sorted(folder.glob("site/tables/*.csv")):
        for row in csv.DictReader(path.open()):
            for name in [
                name.removesuffix(" verdict") for name in row if name.endswith(" verdict")
            ]:
                if row["whose"] == "scored" and row[name]:
                    told = {end: row[f"{name} {end}"] for end in ("n", "baselines", "caveats")}
                    text = f"n = {told['n']}; {told['baselines']}; {told['caveats']}"
                    yield f"{path.name}: {name}", f"{text}; {row[f'{name} verdict']}"


def in_figures(folder: Path) -> Iterator[Text]:
    for path in sorted(folder.glob("site/figures/*.svg")):
        assert path.with_suffix(".pdf").is_file()
        yield path.name, words(path.read_text())


def words(svg: str) -> str:
    return " ".join(plain(part) for part in re.findall(r"<text[^>]*>(.*?)</text>", svg, re.S))


def in_pages(folder: Path) -> Iterator[Text]:
    """Yield charts of accuracy and cells with an accuracy, with the heads of their columns."""
    results = json.loads((folder / "run" / "results.json").read_text())
    for path in sorted(folder.glob("site/*.html")):
        text = path.read_text()
        for picture in re.findall(r'<svg role="img" aria-label="Accuracy.*?</svg>', text, re.S):
            yield f"{path.name}: chart", words(picture)
        for found in re.findall(r"<table.*?</table>", text, re.S):
            heads = [
                plain(one)
                for one in re.findall(
                    r"<t[hd](?: scope=.col.)?>(.*?)</t[hd]>", found.partition("<tbody>")[0]
                )
            ]
            for row in re.findall(r"<tr>(.*?)</tr>", found.partition("<tbody>")[2], re.S):
                cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)
                beside = dict(zip(heads, map(plain, cells), strict=True))
                won = "; ".join(
                    f"{k} {beside[k]}" for k in ("chance", "floor", "shortcut") if k in beside
                )
                n = next((f"n = {beside[k]}" for k in ("n", "rows", "answers") if k in beside), "")
                said = re.search(r"n = [0-9,]+ unless", found)
                for cell in cells:
                    pointer = re.search(r'data-at="([^"]*)"', cell)
                    if pointer and "verdict" in at(results, unescape(pointer[1])):
                        rest = f"{n or (said[0] if said else '')}; {won}; {plain(cell)}"
                        yield f"{path.name}: {plain(cell)}", rest


def plain(markup: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def in_markdown(folder: Path) -> Iterator[Text]:
    for name in ("results.md", "tables.md", "console.md"):
        heads: list[str] = []
        for line in (folder / name).read_text().splitlines():
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not cells:
                heads = []
                continue
            heads = heads or cells
            beside = dict(zip(heads, cells, strict=True))
            n = next((f"n = {beside[k]}" for k in ("rows", "answers") if k in beside), "")
            won = "; ".join(
                f"{k} {beside[k]}" for k in ("chance", "floor", "shortcut") if k in beside
            )
            for head, cell in beside.items():
                scored = head == "accuracy" or ("config" in beside and head in OF_MODELS)
                if scored and re.match(r"[0-9]", cell):
                    yield f"{name}: {head}: {cell}", f"{n}; {won}; {cell}"


OF_MODELS = ("alpha", "beta \\<b\\>7B\\</b\\>", "=gamma")


def in_papers(folder: Path) -> Iterator[Text]:
    """Yield the cells of the papers' tables in tables.md, with the notes that they name."""
    told = (folder / "tables.md").read_text().partition("### Next to the papers' tables")[2]
    for part in re.split(r"\n\n(?=[^|(\n])", told):
        notes = dict(re.findall(r"^\((\d+)\) (.*?)  $", part, re.M))
        for cell in re.findall(r"\| (-?[0-9.]+ [^|(]*\([0-9,]+\))", part):
            marks = re.findall(r"\(([0-9,]+)\)", cell)[-1].split(",")
            yield f"tables.md: {cell}", "; ".join(notes[one] for one in marks)


def in_exports(folder: Path) -> Iterator[Text]:
    for path in sorted((folder / "hub").rglob("*.yaml")):
        for entry in yaml.safe_load(path.read_text()):
            yield path.name, entry["notes"]
    for path in sorted((folder / "eee").rglob("*.json")):
        for result in json.loads(path.read_text())["evaluation_results"]:
            details = result["score_details"]["details"]
            told = [details[name] for name in ("baselines", "verdict", "caveats")]
            yield path.name, f"{details['items']} items; {'; '.join(told)}"


def in_results(folder: Path) -> Iterator[Text]:
    for claim in claims_of(json.loads((folder / "run" / "results.json").read_text())):
        told = [*claim["baselines"], claim["verdict"], *claim["caveats"]]
        yield str(claim["value"]), f"n = {claim['units']}; {'; '.join(told)}"


SURFACES = {
    surface.__name__: surface
    for surface in (
        *(in_latex, in_csv, in_figures, in_pages, in_markdown, in_papers, in_exports, in_results),
    )
}


BASELINE_PARTS = ("verdict", "baselines")


def missing(text: str) -> list[str]:
    """Return what a claim is shown without."""
    parts = {"n": N, "verdict": VERDICT, "baselines": WON, "caveat": re.compile(MARK)}
    lacking = [name for name, part in parts.items() if not part.search(text)]
    return [name for name in lacking if not (UNSTATED.search(text) and name in BASELINE_PARTS)]


@pytest.mark.parametrize("surface", SURFACES)
def test_every_claim_is_shown_with_n_baselines_verdict_and_caveats(
    surface: str, folder: Path
) -> None:
    found = list(SURFACES[surface](folder))
    assert len(found) > 3, f"{surface} shows no claims"
    bare = {where: lacking for where, text in found if (lacking := missing(text))}
    assert not bare


def test_what_is_left_out_is_seen() -> None:
    whole = f"n = 4; chance 25.0; above baselines; {MARK}"
    assert not missing(whole)
    for part in whole.split("; "):
        assert len(missing(whole.replace(part, ""))) == 1


def test_a_pdf_is_drawn_from_the_svg_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(charts, "_chart_to_svg", lambda chart: "<svg>all notes</svg>")
    monkeypatch.setattr(vl_convert, "svg_to_pdf", lambda text: drawn.append(text) or b"%PDF")
    charts.write_chart(None, tmp_path / "chart")
    assert drawn == [(tmp_path / "chart.svg").read_text()]


def test_a_claim_of_an_earlier_release_says_that_no_baseline_is_stated() -> None:
    old: Any = {"value": 0.5, "low": 0.4, "high": 0.6, "method": "wilson", "units": 9}
    said = Claim.read("accuracy", old).render(lambda value, ends, notes: (value, ends, notes))
    assert said == ("50.0", "[40.0, 60.0]", ["n = 9", "no baseline stated"])


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("parse_rate", "baseline not applicable"),
        ("median_attempts", "baseline not applicable"),
        ("recovered_rate", claims.OF_CHOSEN),
        ("element_share_rate", claims.OF_PARTS),
    ],
)
def test_a_figure_that_measures_no_skill_needs_no_baseline(name: str, verdict: str) -> None:
    figure: Any = {"value": 0.5, "low": 0.4, "high": 0.6, "method": "wilson", "units": 9}
    claim = Claim.read(name, figure).to_unit(100, "%", [])
    assert claim.verdict == verdict and Claim.read("", claim.to_record()).verdict == verdict


@pytest.mark.parametrize(
    ("low", "arrived", "verdict"),
    [
        (0.6, None, "above baselines"),
        (0.5, None, "not above the floor"),
        (0.2, 1.0, "not above chance"),
        (None, None, "no verdict"),
        (0.6, 0.9, "no verdict: 90.0% of replies arrived"),
    ],
)
def test_the_verdict(low: float | None, arrived: float | None, verdict: str) -> None:
    figure: Any = {
        "value": 0.7,
        "low": low,
        "high": 0.8,
        "method": None,
        "units": 9,
        "baselines": {"chance": 0.25, "floor": 0.5},
        "arrived": arrived,
    }
    assert Claim.read("accuracy", figure).verdict == verdict
