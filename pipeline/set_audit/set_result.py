"""The result of an audit, and the files that show it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet._version import __version__
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.scoring.aggregate.statistics import wilson_interval
from facelet.pipeline.set_audit.puzzle_set import VERDICTS, Finding, PuzzleSet, SetItem
from facelet.pipeline.set_audit.repeated_items import RepeatCounts

SHOWN = 10
"""Refuted items that the summary lists."""


@dataclass(frozen=True, slots=True)
class SetResult:
    """What an audit found.

    Attributes:
        items: number of items in the folder.
        checked: the sample, with findings, in the order of the set.
        repeats: repeats among all items.
        answer_entropy: of all published answers, in bits, with the number of distinct answers.
    """

    items: int
    checked: list[tuple[SetItem, Finding]]
    repeats: RepeatCounts
    answer_entropy: tuple[float, int] | None

    def count_verdicts(self, group: str = "") -> dict[str, int]:
        """Return how many checked items have each verdict, in all or in one split."""
        found = [one.verdict for item, one in self.checked if group in ("", item.split)]
        return {verdict: found.count(verdict) for verdict in VERDICTS}


def write_results(
    name: str, puzzle_set: PuzzleSet, result: SetResult, out: Path, command: str
) -> str:
    """Write SET.jsonl, corrections.jsonl and summary.md; return the summary.

    Args:
        name: the set's name.
        puzzle_set: its adapter.
        result: what the audit found.
        out: the folder to write to.
        command: the command that repeats the audit.

    Raises:
        OSError: a file cannot be written.
    """
    lines, corrections = [], []
    for item, finding in result.checked:
        line: dict[str, Any] = {"id": item.id, "verdict": finding.verdict}
        line |= {"reason": finding.reason} if finding.reason else {}
        lines.append(line | ({"witness": finding.witness} if finding.witness else {}))
        if finding.correction and puzzle_set.corrects:
            changed = zip(("field", "was", "is"), finding.correction, strict=True)
            corrections.append({"id": item.id, **dict(changed)})
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / f"{name}.jsonl", _format_lines(lines))
    if puzzle_set.corrects:
        write_text(out / "corrections.jsonl", _format_lines(corrections))
    summary = render_summary(puzzle_set, result, command)
    write_text(out / "summary.md", summary)
    return summary


def render_summary(puzzle_set: PuzzleSet, result: SetResult, command: str) -> str:
    """Return the summary in Markdown; what holds comes first.

    Args:
        puzzle_set: the set's adapter.
        result: what the audit found.
        command: the command that repeats the audit.
    """
    splits = list(dict.fromkeys(item.split for item, _ in result.checked))
    rows = [_table_row(split, result.count_verdicts(split)) for split in splits]
    if len(splits) > 1:
        rows.append(_table_row("all", result.count_verdicts()))
    repeats = result.repeats
    lines = [
        f"# Audit of {puzzle_set.title}",
        "",
        f"- Claim: {puzzle_set.claim}",
        f"- Stated in: {puzzle_set.claim_source}",
        f"- Source: {puzzle_set.source}; licence {puzzle_set.licence}",
        f"- Items: {len(result.checked):,} of {result.items:,} checked",
        f"- Facelet {__version__}, `{command}`",
        "",
        "| split | holds | of those decided (95%) | refuted | not proven | not read |",
        "|---|--:|--:|--:|--:|--:|",
        *rows,
        "",
        "Among all items:",
        f"- exact repeats: {repeats.exact_within:,} within a split, {repeats.exact_between:,} "
        "between splits",
    ]
    if puzzle_set.list_symmetric_texts:
        lines.append(
            f"- turned or mirrored repeats: {repeats.turned_within:,} within a split, "
            f"{repeats.turned_between:,} between splits"
        )
    if result.answer_entropy:
        bits, count = result.answer_entropy
        lines.append(f"- answers: {count:,} distinct, entropy {bits:.2f} bits")
    refuted = [(item, one) for item, one in result.checked if one.verdict == "refuted"]
    if refuted:
        lines += [
            "",
            f"Refuted: {len(refuted):,}, up to {SHOWN} of them here (all are in the .jsonl):",
            "",
        ]
        lines += [f"- `{item.id}`: {one.reason}" for item, one in refuted[:SHOWN]]
    return "\n".join(lines) + "\n"


def _table_row(name: str, counts: Mapping[str, int]) -> str:
    decided = counts["holds"] + counts["refuted"]
    share = "-"
    if decided:
        low, high = wilson_interval(counts["holds"], decided)
        share = f"{counts['holds'] / decided:.1%} ({low:.1%} to {high:.1%})"
    cells = (counts["holds"], share, *(counts[verdict] for verdict in VERDICTS[1:]))
    return f"| {name} | {' | '.join(map(str, cells))} |"


def _format_lines(lines: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
