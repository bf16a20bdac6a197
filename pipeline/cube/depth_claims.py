"""Compare claimed depths with proven ones.

A maneuver claims its own length, as typed: "a cube at 7 steps" is mostly the result of 7 random
moves. Any line may claim another depth after a #, as in `R U F2 # 3`; a facelet string claims none
without it. Claims are in the metric of the proof.
"""

from __future__ import annotations

import re
from collections import Counter

from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.notation import Metric
from facelet.pipeline.cube.certify_input import meant_as_facelets
from facelet.pipeline.dataset_info import align_table

_SAID = re.compile(r"^(.*\S)\s*#\s*(\d{1,3})\s*$")


def split_claim(line: str) -> tuple[str, int | None]:
    """Return a line without its claim, and the claim behind its #, if it has one."""
    said = _SAID.match(line)
    return (said[1], int(said[2])) if said else (line, None)


def compute_claimed_depth(line: str, said: int | None, metric: Metric) -> int | None:
    """Return the depth that a line claims; None if it claims none.

    Args:
        line: the line without what is behind its #.
        said: what is behind its #.
        metric: how half turns are counted.

    Raises:
        ValueError: it is neither a maneuver nor a facelet string.
    """
    if said is not None or meant_as_facelets(line):
        return said
    return notation.maneuver_length(notation.parse_maneuver(line), metric)


class DepthClaims:
    """The claims of many lines, with what was proven."""

    def __init__(self, metric: Metric) -> None:
        """Begin with none."""
        self._metric = metric
        self._proven: Counter[tuple[int, int]] = Counter()
        self._open: Counter[int] = Counter()

    def add_answer(self, answer: dict[str, object]) -> None:
        """Take an answer of `certify`; one without a claim is passed over."""
        claim, depth = answer.get("claimed_length"), answer.get("optimal_length")
        if not isinstance(claim, int):
            return
        if isinstance(depth, int):
            self._proven[claim, depth] += 1
        else:
            self._open[claim] += 1

    def format_summary(self) -> str:
        """Return a table by claimed depth, and a line about all of them."""
        if not (claims := sorted({claim for claim, _ in self._proven} | set(self._open))):
            return "no line claims a depth"
        rows: list[tuple[str, ...]] = [
            ("claimed", "cubes", "as deep", "nearer", "deeper", "mean depth", "not proven")
        ]
        rows.extend((str(claim), *self._summary_row([claim])) for claim in claims)
        rows.append(("all", *self._summary_row(claims)))
        total = sum(self._proven.values())
        nearer = sum(n for (claim, depth), n in self._proven.items() if depth < claim)
        share = f"{nearer / total:.1%}" if total else "none"
        head = f"{share} of {total:,} proven cubes are nearer than claimed ({self._metric})"
        return "\n".join([head, "", *align_table(rows, left=())])

    def _summary_row(self, claims: list[int]) -> tuple[str, ...]:
        found = {key: n for key, n in self._proven.items() if key[0] in claims}
        total = sum(found.values())

        def format_share(count: int) -> str:
            return f"{count} ({count / total:.0%})" if total else "-"

        same = sum(n for (claim, depth), n in found.items() if depth == claim)
        nearer = sum(n for (claim, depth), n in found.items() if depth < claim)
        mean = sum(depth * n for (_, depth), n in found.items()) / total if total else 0.0
        return (
            str(total + sum(self._open[claim] for claim in claims)),
            *(format_share(same), format_share(nearer), format_share(total - same - nearer)),
            f"{mean:.2f}" if total else "-",
            str(sum(self._open[claim] for claim in claims)),
        )
