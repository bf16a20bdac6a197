"""Run the audit of one set: draw a sample, check, confirm each witness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from itertools import islice
from math import log2
from pathlib import Path
from typing import Any

from facelet.pipeline.input_gate import clean_text
from facelet.pipeline.set_audit.puzzle_set import CheckBudget, Finding, PuzzleSet, SetItem
from facelet.pipeline.set_audit.repeated_items import count_repeats, judge_repeat
from facelet.pipeline.set_audit.set_result import SetResult

MAX_ITEMS = 2_000_000
"""Items of a set that are read."""

MAX_TEXT = 100_000
"""Characters of an item; a longer one is not read."""


def audit_set(
    puzzle_set: PuzzleSet, folder: Path, *, limit: int, seed: int, budget: CheckBudget, workers: int
) -> SetResult:
    """Audit the set in a folder.

    Args:
        puzzle_set: its adapter.
        folder: its files.
        limit: items that are checked; a sample by a hash of seed and id if there are more.
        seed: selects the sample.
        budget: how far the check of one item may search.
        workers: items that are checked at the same time.

    Raises:
        ValueError: the folder lacks the files.
        OSError: a file cannot be read.
    """
    items = list(islice(puzzle_set.iterate_items(folder), MAX_ITEMS))
    repeats = count_repeats(puzzle_set, items)
    ranked = sorted(range(len(items)), key=lambda k: _hash_id(seed, items[k].id))
    sample = [items[k] for k in sorted(ranked[:limit])]
    first = repeats.first if puzzle_set.distinct_splits else {}
    check_one = partial(check_item, puzzle_set, budget=budget)
    with ThreadPoolExecutor(workers) as pool:
        findings = list(pool.map(check_one, sample))
    checked = [
        (item, (judge_repeat(item, first) or finding) if finding.verdict == "holds" else finding)
        for item, finding in zip(sample, findings, strict=True)
    ]
    return SetResult(len(items), checked, repeats, _measure_entropy(items))


def check_item(puzzle_set: PuzzleSet, item: SetItem, *, budget: CheckBudget) -> Finding:
    """Check an item; a refutation stands only if the checker accepts its witness.

    Args:
        puzzle_set: its set.
        item: the item, from a stranger.
        budget: how far the check may search.
    """
    if len(item.text) > MAX_TEXT:
        return Finding("not read", f"it is longer than {MAX_TEXT:,} characters")
    try:
        finding = puzzle_set.check(item, budget)
    except ValueError as error:
        return Finding("not read", clean_text(str(error))[:200])
    except Exception as error:  # a fault of the check, which says nothing of the set
        return Finding("not proven", f"the check failed: {error!r:.200}")
    if finding.verdict != "refuted" or _is_accepted(puzzle_set.confirm, item, finding):
        return finding
    reason = f"the checker rejects the witness: {finding.reason}"
    return replace(finding, verdict="not proven", reason=reason, correction=None)


def _is_accepted(confirm: Callable[[SetItem, Any], bool], item: SetItem, finding: Finding) -> bool:
    try:
        return bool(finding.witness) and confirm(item, finding.witness)
    except Exception:  # A checker that cannot read a witness rejects it.
        return False


def _hash_id(seed: int, name: str) -> bytes:
    return blake2b(f"{seed}/{name}".encode(), digest_size=16).digest()


def _measure_entropy(items: list[SetItem]) -> tuple[float, int] | None:
    """Return the entropy of the published answers in bits, and how many are distinct."""
    counts = Counter(item.answer for item in items if item.answer)
    if not (total := counts.total()):
        return None
    bits = -sum(n / total * log2(n / total) for n in counts.values())
    return abs(bits), len(counts)
