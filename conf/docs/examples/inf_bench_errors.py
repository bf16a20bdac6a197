"""Inf-Bench's case study (its figure 5): who pairs directly, and which errors are made.

    python conf/docs/examples/inf_bench_errors.py data/out/inf_bench answers.jsonl

The answers are what `facelet score` takes, with whole replies. Of each config it prints the share
of replies that pair directly, and how the wrong ones divide into four errors. The paper sorted 900
replies by hand; here `facelet.generators.options.deformation.reply_traces` sorts by the codes that
a reply writes, so a model has to be let think in the open (`prompt=step_by_step`).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from facelet import environment
from facelet.generators.core import task_registry
from facelet.generators.core.task import Status
from facelet.generators.options.deformation import reply_traces
from facelet.generators.options.deformation.deformation_task import Deformation
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord
from facelet.pipeline.scoring.ingest.record_formats import detect_format, record_of

PUBLISHED_SHARES = {"pairing": 31.72, "encoding": 15.76, "abstracting": 41.81, "executing": 10.71}
"""Shares of 476 wrong replies of three models, in percent (section 6.1)."""


def iterate_replies(path: Path) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the id and the replies of each prediction of a file.

    Raises:
        ValueError: a line cannot be read.
    """
    for located in read_records(path):
        if isinstance(located.value, UnreadableRecord):
            raise ValueError(f"{path} {located.unit} {located.number}: {located.value}")
        record = record_of(located.value)
        for prediction in detect_format(record).read(record):
            if prediction.failure is None and prediction.replies:
                yield str(prediction.key), prediction.replies


def classify_replies(
    rows: Iterable[dict[str, Any]], said: dict[str, Sequence[str]]
) -> dict[str, tuple[Counter[str], Counter[str]]]:
    """Return by config how replies went about it, and the errors of those that are wrong.

    Args:
        rows: rows of a dataset; those of other tasks are passed over.
        said: replies by id.
    """
    found: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for row in rows:
        task = task_registry.load_task(row["task"])
        if row["id"] not in said or not isinstance(task, Deformation):
            continue
        told, instance = said[row["id"]], task.decode(row)
        given = (instance.world, instance.question, task.direction, "\n".join(told))
        pictured = instance.setting.input == "picture"
        ways, errors = found.setdefault(row["id"].partition("/")[0], (Counter(), Counter()))
        ways[reply_traces.classify_way(*given, pictured=pictured)] += 1
        play = environment.open_row(row, replies=told)
        if play.outcome is None or play.outcome.status is not Status.CORRECT:
            errors[reply_traces.classify_error(*given, pictured=pictured)] += 1
    return found


def format_error_table(found: dict[str, tuple[Counter[str], Counter[str]]]) -> list[str]:
    """Return the lines of the table; shares in percent."""
    lines = [f"| config | replies | direct | wrong | {' | '.join(reply_traces.ERRORS)} |"]
    lines.append("|---|--:|--:|--:|" + "--:|" * len(reply_traces.ERRORS))
    for config, (ways, errors) in sorted(found.items()):
        wrong = errors.total()
        shares = [f"{100 * errors[e] / wrong:.1f}" if wrong else "-" for e in reply_traces.ERRORS]
        direct = f"{100 * ways['direct'] / ways.total():.1f}"
        lines.append(f"| {config} | {ways.total()} | {direct} | {wrong} | {' | '.join(shares)} |")
    printed = " | ".join(f"{PUBLISHED_SHARES[error]:.1f}" for error in reply_traces.ERRORS)
    return [*lines, f"| printed, three models | 900 | - | 476 | {printed} |"]


def main(words: Sequence[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(description="Inf-Bench's figure 5, of any model's replies.")
    parser.add_argument("dataset", type=Path)
    parser.add_argument("predictions", type=Path)
    asked = parser.parse_args(words)
    said = dict(iterate_replies(asked.predictions))
    print("\n".join(format_error_table(classify_replies(environment.rows(asked.dataset), said))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
