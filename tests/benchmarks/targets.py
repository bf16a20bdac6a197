"""Tables of figures on the terminal, in Markdown, and how the figures stand to their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BenchTarget:
    """A line of the summary.

    Attributes:
        measure: what was measured.
        value: the figure.
        must: what it must come up to.
        reach: what would be good.
        more: whether more is better; otherwise less is.
    """

    measure: str
    value: float
    must: float
    reach: float
    more: bool = True

    @property
    def verdict(self) -> str:
        """Whether the figure is good, enough, or neither."""
        sign = 1 if self.more else -1
        if sign * self.value >= sign * self.reach:
            return "good"
        return "enough" if sign * self.value >= sign * self.must else "MISSED"


def heading(*cells: str) -> None:
    """Print the head of a table."""
    print("\n| " + " | ".join(cells) + " |\n|" + "--:|" * len(cells), flush=True)


def print_row(*cells: object) -> None:
    """Print a row of a table."""
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def summary(targets: Sequence[BenchTarget]) -> None:
    """Print how the figures stand to their targets; nothing if there are none."""
    if not targets:
        return
    heading("measure", "here", "must", "reach for", "verdict")
    for target in targets:
        numbers = (target.value, target.must, target.reach)
        shown = (f"{n:,.0f}" if n >= 100 else f"{n:.3g}" for n in numbers)
        print_row(target.measure, *shown, target.verdict)
