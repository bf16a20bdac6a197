"""The rows that papers print, read without knowing what they mean; and their check against a text.

`tests/data/printed/<paper>.txt` holds the printed rows, as the papers' text has them: the number of
the table, a tab, the row's line; a row that takes two lines has a sign between them.

    python tests/pipeline/papers/printed.py FOLDER

says which of them stand in no text file of a folder of papers, and which rows of numbers there
are none of them. Where a line comes several times, each is counted.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

PRINTED = Path(__file__).parents[2] / "data" / "printed"
NEXT_LINE = " ⏎ "
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])")

CELL = re.compile(r"\(?(?:± ?)?([-+]?\d+(?:\.\d+)?(?:e-?\d+)?)(?: ?(?:±|\\pm) ?[\d.]+)?\)?")
"""A cell that is a number, or a number and its deviation."""
LINE_NUMBERS = 600


def printed_rows(paper: str) -> list[tuple[str, list[str]]]:
    """Return the number of the table and the lines of each printed row."""
    lines = (PRINTED / f"{paper}.txt").read_text(encoding="utf-8").splitlines()
    parts = (line.partition("\t") for line in lines)
    return [(number, row.split(NEXT_LINE)) for number, _, row in parts]


def row_numbers(lines: list[str]) -> list[float]:
    """Return the numbers behind the names of a row, as they follow one another."""
    found: list[float] = []
    for line in lines:
        cells = line.split("\t")
        # A manuscript may number its lines, from 1000 on: the name is then in the second cell.
        numbered = cells[0].strip().isdigit() and int(cells[0]) >= 1000
        body = "\t".join(cells[2 if numbered else 1 :])
        plain = re.sub(r"</?[a-z]+>", " ", body).replace("$", " ")
        found += map(float, NUMBER.findall(plain))
    return found


def is_result_row(line: str) -> bool:
    """Return whether a line of a text stands in a table of results: two cells are numbers alone.

    A manuscript numbers its lines, which a text may have in two columns: these are no cells.
    """
    cells = [re.sub(r"</?[a-z]+>|[$*%]", "", cell).strip() for cell in line.split("\t")[1:]]
    values = [float(found[1]) for cell in cells if (found := CELL.fullmatch(cell))]
    return len(values) > 1 and not all(value >= LINE_NUMBERS for value in values)


def main(folder: Path) -> int:
    """Print the rows that no text of the folder has, and those of texts that are not here."""
    texts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.txt")))
    there, wanted = Counter(texts.split("\n")), Counter[str]()
    missing = count = 0
    for path in sorted(PRINTED.glob("*.txt")):
        for number, lines in printed_rows(path.stem):
            count += 1
            wanted.update(lines)
            if any(wanted[line] > there[line] for line in lines):
                missing += 1
                print(f"{path.stem}, table {number}: no text has {lines}")
    print(f"{count - missing} of {count} printed rows stand in the texts of {folder}")
    left = {line: n for line, n in (there - wanted).items() if is_result_row(line)}
    for line in left:
        print(f"a row of the texts is not here: {line!r}")
    print(f"{sum(left.values())} rows of the texts are not here")
    return 1 if missing or left else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
