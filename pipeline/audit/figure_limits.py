"""Fairness figures with limits, and the collector that divides one false-alarm budget among tests.

A figure holds if it is at most, or at least, its limit; a figure without a limit informs. Limits of
statistical figures share one budget: on a fair dataset all of them together fail with at most that
probability, divided evenly among the tests (Bonferroni), each exact or conservative. Values dealt
in blocks need no budget: they must be exactly even.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Required, TypedDict

import numpy as np

from facelet.generators.options import fairness_statistics

Scope = tuple[str, str]
"""(split, cell), or (split, "") for a whole split."""


DECLARED = "declared: "
"""How the note of a figure begins whose limit is lifted by what a task declares."""


class FigureRecord(TypedDict, total=False):
    """A figure in the manifest, without the keys that it does not have; see `FairnessFigure`."""

    value: Required[float]
    at_most: float
    at_least: float
    n: int
    note: str


class SplitRecord(TypedDict):
    """The figures of one split, and those of its cells by label."""

    figures: dict[str, FigureRecord]
    cells: dict[str, dict[str, FigureRecord]]


ConfigRecord = dict[str, SplitRecord]
"""The figures of one config by split."""


@dataclass(frozen=True, slots=True)
class FairnessFigure:
    """One measured number.

    Attributes:
        value: the number.
        at_most: its upper limit, if it has one.
        at_least: its lower limit, if it has one.
        n: number of rows, items or labels that it is computed from.
        note: the worst case, when the figure is the worst of several.
    """

    value: float
    at_most: float | None = None
    at_least: float | None = None
    n: int = 0
    note: str = ""

    def is_within_limits(self) -> bool:
        """Return whether the figure is within its limits."""
        return (self.at_most is None or self.value <= self.at_most) and (
            self.at_least is None or self.value >= self.at_least
        )

    def to_record(self) -> FigureRecord:
        """Return the figure for the manifest, rounded to six decimal places.

        A value that would vanish keeps six significant digits.
        """
        said = FigureRecord(value=round(float(self.value), 6) or float(f"{self.value:.6g}"))
        if self.at_most is not None:
            said["at_most"] = round(float(self.at_most), 6)
        if self.at_least is not None:
            said["at_least"] = self.at_least
        said["n"] = self.n
        if self.note:
            said["note"] = self.note
        return said


@dataclass(slots=True)
class FigureCollector:
    """Collects figures; those with a budgeted limit wait until all tests are counted.

    Attributes:
        figures: the finished figures by scope and name.
        pending_tests: for each budgeted test its scope, name, tail probability, and the function
            from a false-alarm probability to its figure.
    """

    figures: dict[Scope, dict[str, FairnessFigure]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    pending_tests: list[tuple[Scope, str, float, Callable[[float], FairnessFigure]]] = field(
        default_factory=list
    )

    def add_figure(
        self,
        scope: Scope,
        name: str,
        value: float,
        *,
        n: int,
        note: str = "",
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> None:
        """Add a figure; of several under one name the greatest is kept.

        Args:
            scope: split and cell.
            name: name of the figure.
            value: the number.
            n: number of rows, items or labels that it is computed from.
            note: its unit, or the worst case.
            at_most: its upper limit; None for none.
            at_least: its lower limit; None for none.
        """
        known = self.figures[scope].get(name)
        if known is None or value > known.value:
            self.figures[scope][name] = FairnessFigure(value, at_most, at_least, n, note)

    def add_tail_test(self, scope: Scope, name: str, p: float, *, n: int, note: str = "") -> None:
        """Add a test by its tail probability, which must not be too small.

        Args:
            scope: split and cell.
            name: name of the figure.
            p: probability, 0 to 1, of the observation or a worse one on a fair dataset.
            n: number of rows, items or labels that it is computed from.
            note: what was tested.
        """
        self.pending_tests.append(
            (scope, name, p, lambda a: FairnessFigure(p, at_least=a, n=n, note=note))
        )

    def add_guess_test(
        self,
        scope: Scope,
        name: str,
        hits: int,
        n: int,
        chance: float,
        *,
        trials: int,
        note: str = "",
    ) -> None:
        """Add an attack by its hits, which must be plausible for guessing at `chance`.

        Args:
            scope: split and cell.
            name: name of the figure.
            hits: rows that the attack got right.
            n: rows that it answered.
            chance: share that guessing gets right, 0 to 1.
            trials: how many independent guesses that is worth, at most n.
            note: the attack.
        """
        p = fairness_statistics.binomial_tail(hits * trials // n, trials, chance)

        def build_guess_figure(alpha: float) -> FairnessFigure:
            limit = fairness_statistics.accuracy_bound(alpha, trials, chance)
            return FairnessFigure(hits / n, at_most=limit, n=n, note=note)

        self.pending_tests.append((scope, name, p, build_guess_figure))

    def add_divergence_test(
        self, scope: Scope, name: str, value: float, classes: int, n: int, *, part: float = 1.0
    ) -> None:
        """Add a divergence that must be plausible for `part` times that of n independent draws.

        Args:
            scope: split and cell.
            name: name of the figure.
            value: the divergence in bits.
            classes: number of classes of the draws.
            n: number of draws.
            part: the share that independent draws have, 0 to 1.
        """

        def build_divergence_figure(alpha: float) -> FairnessFigure:
            limit = part * fairness_statistics.jensen_shannon_bound(alpha, classes, n)
            return FairnessFigure(value, at_most=limit, n=n)

        tail = fairness_statistics.chi_square_tail(value / part * 8 * n * np.log(2), classes - 1)
        self.pending_tests.append((scope, name, tail, build_divergence_figure))

    def finish_figures(self, budget: float) -> dict[Scope, dict[str, FairnessFigure]]:
        """Return all figures; of tests that share a scope and name the least likely is kept."""
        alpha = budget / max(1, len(self.pending_tests))
        least: dict[tuple[Scope, str], tuple[float, Callable[[float], FairnessFigure]]] = {}
        for scope, name, p, finish in self.pending_tests:
            if (scope, name) not in least or p < least[scope, name][0]:
                least[scope, name] = (p, finish)
        for (scope, name), (_, finish) in least.items():
            self.figures[scope][name] = finish(alpha)
        self.pending_tests.clear()
        return self.figures


def list_closest_figures(config: Mapping[str, Any]) -> list[tuple[str, str, FigureRecord]]:
    """Return each limited figure of one config's audit where it is closest to its limit.

    Args:
        config: the config's part of the record.

    Returns:
        (figure, where, record of the figure), sorted by figure.
    """
    best: dict[str, tuple[str, FigureRecord]] = {}
    for split, inside in config.items():
        scopes = [(split, inside["figures"])]
        scopes += [(f"{split}/{label}", cell) for label, cell in inside["cells"].items()]
        for where, figures_ in scopes:
            for name, figure in figures_.items():
                if "at_most" not in figure and "at_least" not in figure:
                    continue
                if name not in best or _limit_closeness(figure) > _limit_closeness(best[name][1]):
                    best[name] = (where, figure)
    return [(name, *best[name]) for name in sorted(best)]


def list_excused_figures(config: Mapping[str, Any]) -> list[tuple[str, str, FigureRecord]]:
    """Return the figures of one config whose limit a task declaration lifts.

    Args:
        config: the config's part of the record.

    Returns:
        (figure, where, record of the figure), sorted by figure.
    """
    return sorted(
        (name, split, figure)
        for split, inside in config.items()
        for name, figure in inside["figures"].items()
        if str(figure.get("note", "")).startswith(DECLARED)
    )


def _limit_closeness(figure: FigureRecord) -> float:
    """Return how close a figure is to its limit; larger is closer."""
    if "at_least" in figure:
        return -float(figure["value"])
    limit = float(figure["at_most"])
    return float(figure["value"]) / limit if limit else float(figure["value"])


def format_limit(figure: FigureRecord) -> str:
    """Return a figure's limit in words."""
    if "at_most" in figure:
        return f"at most {figure['at_most']:.4g}"
    return f"at least {figure['at_least']:.2g}"
