"""Count what became of EvolArena's own items, by game: `make import-items ITEMS=folder`.

    python tests/walk/item_counts.py ITEMS

ITEMS is the folder of the authors' item files. Imports them, counts by game the official items that
became rows, are refuted, are not proven and are not read, and writes the table into
conf/docs/import.md. The exit status is 1 if a game has other than 90 official items.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from facelet.pipeline.cli import main as run_facelet
from facelet.pipeline.docs.docs_site import render_table
from facelet.pipeline.rollout import rows

PAGE = Path(__file__).parents[2] / "conf" / "docs" / "import.md"
FIRST, LAST = "<!-- items by game -->", "<!-- end of items -->"
OUTCOMES = ("rows", "refuted", "not proven", "not read")
OFFICIAL = 90
UNOFFICIAL = ("a draft:", "superseded:", "extra:")
"""How the reasons of lines begin that are no official items."""


def count_items(out: Path) -> list[dict[str, str]]:
    """Return the rows of the table: by game, how many items have which outcome.

    Args:
        out: the dataset that an import wrote; its rejected lines are beside it.
    """
    counts: dict[str, Counter[str]] = {}
    for row in rows(out):
        game = _find_folder(row["provenance"]["seed_path"])
        counts.setdefault(game, Counter())["rows"] += 1
    broken = Path(f"{out}.broken.jsonl")
    for text in broken.read_text(encoding="utf-8").splitlines() if broken.is_file() else ():
        line = json.loads(text)
        if not line["reason"].startswith(UNOFFICIAL):
            game = Path(line["file"]).parent.name
            counts.setdefault(game, Counter())[line["outcome"]] += 1
    total = sum(counts.values(), Counter[str]())
    return [
        {"game": game, **{name: str(found[name]) for name in OUTCOMES}, "all": str(found.total())}
        for game, found in [*sorted(counts.items()), ("all", total)]
    ]


def _find_folder(seed_path: str) -> str:
    """Return the folder of the file that a row's provenance names: the game."""
    path = json.loads(seed_path)
    return Path(path[path.index("from") + 1]).parent.name


def read_counts() -> list[dict[str, str]]:
    """Return the rows of the table in the guide."""
    text = PAGE.read_text(encoding="utf-8").partition(FIRST)[2].partition(LAST)[0]
    lines = [line for line in text.splitlines() if line[:1] == "|"]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def main(items: str) -> int:
    """Import, write the table, and return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows"
        run_facelet(["import", "format=mtr_bench", f"dir={items}", f"out={out}"])
        counts = count_items(out)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(FIRST)
    table = "\n".join(render_table(counts))
    PAGE.write_text(f"{before}{FIRST}\n\n{table}\n\n{LAST}{rest.partition(LAST)[2]}", "utf-8")
    return int(any(one["all"] != str(OFFICIAL) for one in counts[:-1]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
