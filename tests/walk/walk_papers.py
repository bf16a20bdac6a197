"""Walk every paper from build to comparison: `make walk-papers`.

    python tests/walk/walk_papers.py [papers=marble,cubebench] [smoke=true] [out=data/out/walk]

For each paper: build its as-published suites, play them with the reference player and with a noisy
one (75% of the items right, by a seeded draw), score, climb its ladders, make the report, and
compare. Prints a line for each table and figure that rests on model play: is it filled, is it
comparable with the paper's rows, and why not. A walk at paper size writes these lines into
conf/docs/paper_tables.md. The exit status is 1 if a table of a layout is not filled, if a
table is neither comparable nor explained, or if the reference player is not above chance and
shortcuts.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.argument_text import split_key_value
from facelet.pipeline.cli import main as run_facelet
from facelet.pipeline.command.setting_keys import list_conf_files
from facelet.pipeline.config.build_settings import BuildSettings
from facelet.pipeline.config.settings_resolver import resolve_settings
from facelet.pipeline.docs.docs_site import render_table
from facelet.pipeline.papers import paper_registry
from facelet.pipeline.papers.paper import FigureDifference, Paper
from facelet.pipeline.papers.printed_tables import load_tables
from facelet.pipeline.rollout import rows
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "conf" / "docs" / "paper_tables.md"
PLAYERS = ("reference", "noisy")
NOISY_RIGHT = 0.75
WRONG = ["I do not know."]
SAMPLES = 5
"""Replies of a player to a row of which the majority decides in a table."""
SIZES = {"inf_bench": ("levels=1-2", "count=16")}
"""Size of the walk of a paper whose ladders have no last level: one climb or two."""
PUBLISHED = "as_published"
FURTHER = ("methods", "variants")
"""Suites of which a walk builds the configs that layouts name, and a paper's other suite."""
FLAT = {
    "marble_as_published.assemble_easy": "a player that searches in part solves it",
    **{
        f"marble_variants.maze_opacity_{opacity}": "walking to the target wins"
        for opacity in (0, 20, 50, 80, 100)
    },
}
"""Configs that a player of part of the picture solves wholly, and how."""
UNDEFINED = {
    ("cube_bench", "7"): "The reference player never errs, so it has no row, and the noisy one "
    "recovers in no episode, so no median of attempts is defined."
}
"""Tables of which both players leave cells without a value, and why."""
SIZE_REASON = re.compile(
    r"the items are | (items|rows) in all; |the mean is over |(depths|levels) [\d, ]+ of the paper"
)
"""Reasons that a smoke build alone causes."""
HEAD = """# Tables of the papers

`make walk-papers` builds each paper's as-published suite at paper size, plays it with a reference
player and with one that gets 75% of the items right, scores, climbs, reports, and compares with the
paper's rows. It writes this page: the tables and figures that rest on model play, and whether a
scored model fills them and may be compared with the paper's rows. Inf-Bench is walked at two
levels, with questions for one climb or two: ladders have no last level, so the R of a player that
passes the highest one is a lower bound whatever the size. A model's row is comparable with 150
questions a level, and levels enough that no climb passes the last.
"""


@dataclass(frozen=True, slots=True)
class TableState:
    """What a walk found of one table or figure."""

    paper: str
    table: str
    filled: bool
    comparable: bool
    reasons: tuple[str, ...]

    def to_row(self) -> dict[str, str]:
        """Return the row of the page."""
        words = ("no", "yes")
        return {
            "paper": self.paper,
            "table": self.table,
            "filled": words[self.filled],
            "comparable": words[self.comparable],
            "reason": "; ".join(self.reasons) if self.reasons else "",
        }


def select_configs(paper: Paper) -> list[str]:
    """Return the words of a build: the as-published suite, and what layouts name elsewhere."""
    there = list_conf_files("suite")
    named = {part.name for layout in paper.layouts for part in layout.parts}
    tasks = {entry: None for entry in _list_entries(f"{paper.name}_{PUBLISHED}")}
    suites = [f"{paper.name}_{PUBLISHED}"]
    for ending in FURTHER:
        suite = f"{paper.name}_{ending}"
        if suite in there and (more := named & {*_list_entries(suite)} - set(tasks)):
            suites.append(suite)
            tasks |= dict.fromkeys(sorted(more))
    return [f"suites=[{','.join(suites)}]", f"tasks=[{','.join(tasks)}]"]


def _list_entries(suite: str) -> list[str]:
    entries = resolve_settings(BuildSettings(suites=(suite,)))[0].entries
    return [entry.name for entry in entries]


def is_right(row: OpenedRow, replies: Sequence[str]) -> bool:
    """Return whether replies solve a row."""
    episode = row.task.open(row.instance)
    episode.prompt()
    for reply in replies:
        found = episode.reply(reply)
        if isinstance(found, Outcome):
            return found.status == Status.CORRECT
    return False


def count_words(messages: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of words of a prompt."""
    parts = (part.get("text") or "" for one in messages for part in one["content"])
    return sum(len(text.split()) for text in parts)


def play_rows(folder: Path, out: Path, voted: Collection[str] = ()) -> None:
    """Write the replies of both players to every row, with their words as tokens.

    Args:
        folder: the dataset.
        out: the file.
        voted: configs of whose rows each is answered SAMPLES times.
    """
    last: dict[str, list[str]] = {}  # by config, replies to the row before
    with out.open("w", encoding="utf-8") as file:
        for row in rows(folder):
            opened = read_row(row)
            right = list(opened.task.reference(opened.instance))
            config = opened.id.partition("/")[0]
            noisy = right
            if make_generator("walk", opened.id).random() >= NOISY_RIGHT:
                noisy = last.get(config, WRONG)
                noisy = WRONG if is_right(opened, noisy) else noisy
            last[config] = right
            for player, replies in zip(PLAYERS, (right, noisy), strict=True):
                usage = {
                    "prompt_tokens": count_words(row["messages"]),
                    "completion_tokens": len(" ".join(replies).split()),
                }
                line = {
                    "id": opened.id,
                    "model": player,
                    "prediction": replies,
                    "usage": usage,
                }
                for sample in range(SAMPLES if config.partition(".")[2] in voted else 1):
                    file.write(f"{json.dumps(line | {'sample_idx': sample})}\n")


def run_verb(*words: str) -> None:
    """Run a command of facelet.

    Raises:
        RuntimeError: it failed.
    """
    print("+ facelet", *words, file=sys.stderr, flush=True)
    if status := run_facelet(words):
        raise RuntimeError(f"facelet {' '.join(words)} ended with status {status}")


def walk_paper(paper: Paper, out: Path, *, smoke: bool) -> dict[str, Any]:
    """Build, play, score, climb and report one paper's suites; return what scoring found."""
    out.mkdir(parents=True, exist_ok=True)
    folder, plays, scores = out / "rows", out / "plays.jsonl", out / "scores"
    size = SIZES.get(paper.name, ())
    if smoke:
        size = ("profile=smoke", *(word for word in size if "count" not in word), "count=16")
    cells = [cell for layout in paper.layouts for line in layout.lines for cell in line.figures]
    voted = {
        cell.one.part
        for cell in cells
        if isinstance(cell, FigureDifference) and cell.one.samples > 1
    }
    run_verb(
        "build",
        *select_configs(paper),
        *size,
        f"out={folder}",
        "quiet=true",
        "unfair=write",
        "replace=true",
    )
    play_rows(folder, plays, voted)
    words = (f"dataset={folder}", f"predictions={plays}")
    run_verb("score", *words, "patterns=lexical", f"out={scores}")
    if any("R" == c.metric for t in load_tables(paper.name).values() for c in t.columns):
        run_verb("ladder", *words, f"out={out / 'climbs.json'}")
    run_verb("report", f"results={scores}", f"out={out / 'site'}")
    found: dict[str, Any] = json.loads((scores / "results.json").read_text(encoding="utf-8"))
    return found


def list_table_states(paper: Paper, results: Mapping[str, Any]) -> Iterator[TableState]:
    """Yield the state of each table and figure of a paper that rests on model play.

    A table is filled if both players have all its rows, and one of them a value in each cell that
    its layout fills: of a player that errs nowhere, no share of errors is defined.
    """
    told = [
        {table["table"]: table for table in model["papers"] if table["paper"] == paper.name}
        for model in results["models"]
    ]
    layouts = {layout.number: layout for layout in paper.layouts}
    for number in load_tables(paper.name):
        if number not in layouts:
            yield TableState(paper.name, number, False, False, (paper.left_out.get(number, ""),))
            continue
        layout, tables = layouts[number], [part.get(number) for part in told]
        wanted = [[cell is not None for cell in line.figures] for line in layout.lines]
        known = [table for table in tables if table is not None]
        lines = [
            [dict(row["setting"]) for row in table["rows"]]
            == [dict(x.setting) for x in layout.lines]
            for table in known
        ]
        values = zip(*([row["values"] for row in table["rows"]] for table in known), strict=True)
        there = [
            [any(v is not None for v in cell) for cell in zip(*row, strict=True)] for row in values
        ]
        filled = len(known) == len(PLAYERS) and all(lines) and there == wanted
        reasons = dict.fromkeys(reason for table in known for reason in table["reasons"])
        if not filled and (why := UNDEFINED.get((paper.name, number))):
            reasons[why] = None
        comparable = bool(known) and all(table["comparable"] for table in known)
        yield TableState(paper.name, number, filled, comparable, tuple(reasons))
    for name, reason in paper.left_out.items():
        if name not in load_tables(paper.name):
            yield TableState(paper.name, name, False, False, (reason,))


def list_weak_configs(results: Mapping[str, Any], *, smoke: bool) -> Iterator[str]:
    """Yield the configs in which the reference player is not above every baseline.

    Configs that leak their answers, that a known rule solves (their floor says so), or that stand
    in FLAT are left out. Of a few rows a baseline player
    may win all, so in a smoke walk the reference player may be equal to it.
    """
    (model,) = (one for one in results["models"] if one["model"] == PLAYERS[0])
    for name, config in model["configs"].items():
        for split in config["splits"].values():
            figure = split["cells"][0]["figures"].get("accuracy")
            solved = name in FLAT or (split.get("floor") or {}).get("known_rule")
            if figure is None or split.get("leaks") or solved:
                continue
            for baseline, won in figure.get("baselines", {}).items():
                if figure["value"] < won or (figure["value"] == won and not smoke):
                    yield f"{name}: {figure['value']:.3f}, {baseline} {won:.3f}"


def render_page(rows: Sequence[Mapping[str, str]]) -> str:
    """Return the page of the documentation."""
    return "\n".join((HEAD, *render_table(rows))) + "\n"


def read_page() -> list[dict[str, str]]:
    """Return the rows of the page."""
    text = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    lines = [line for line in text.splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def main(words: Sequence[str]) -> int:
    """Walk the papers; return the exit status."""
    told = dict(split_key_value(word) for word in words)
    papers = paper_registry.load_papers()
    names = [name for name in told.get("papers", "").split(",") if name] or list(papers)
    smoke, out = told.get("smoke") == "true", Path(told.get("out") or ROOT / "data/out/walk")
    states: list[TableState] = []
    faults: list[str] = []
    for name in names:
        results = walk_paper(papers[name], out / name, smoke=smoke)
        states += list_table_states(papers[name], results)
        faults += list_weak_configs(results, smoke=smoke)
    faults += [
        f"{state.paper} {state.table}: no reason is given"
        for state in states
        if not (state.filled and state.comparable) and not any(state.reasons)
    ]
    found = [state.to_row() for state in states]
    print(render_page(found))
    if not smoke:
        kept = [row for row in read_page() if row["paper"] not in names]
        order = sorted((*kept, *found), key=lambda row: list(papers).index(row["paper"]))
        PAGE.write_text(render_page(order), encoding="utf-8")
    for fault in faults:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
