"""Format figures for a page, each with its place in results.json.

A place is a JSON pointer (RFC 6901). The page contains it beside the number, so that a reader can
compare the two, as a test does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from facelet.pipeline.scoring.aggregate.claims import Baselines, Claim, Figure


@dataclass(frozen=True, slots=True)
class FigurePointer:
    """The place of a figure.

    Attributes:
        run: number of the dataset in the report, from 0.
        pointer: where in its results; "" where they are of several runs, and no file has it.
    """

    run: int
    pointer: str = ""

    def extend_pointer(self, *names: str | int) -> FigurePointer:
        """Return the place of what these names lead to."""
        steps = [str(name).replace("~", "~0").replace("/", "~1") for name in names]
        return FigurePointer(self.run, "/".join((self.pointer, *steps)))


def format_figure(
    name: str,
    figure: Figure | None,
    place: FigurePointer | None = None,
    n: int | None = None,
    baselines: Baselines | None = None,
) -> Markup:
    """Return a figure for a page, with its interval and all notes on it.

    Args:
        name: name of the figure, which says its unit.
        figure: the figure; None where there is none.
        place: where it stands in the results; None where no one file has it.
        n: n as it stands elsewhere in the table.
        baselines: the baselines that stand elsewhere in the table.
    """
    if figure is None or figure["value"] is None:
        return Markup('<span class="none">-</span>')
    said = (
        ""
        if place is None
        else Markup(' data-run="{}" data-at="{}"').format(place.run, place.pointer)
    )

    def write(value: str, ends: str, notes: Sequence[str]) -> Markup:
        small = ", ".join(filter(None, (ends, *notes)))
        rest = Markup(" <small>{}</small>").format(small) if small else ""
        return Markup('<data value="{}"{}>{}</data>{}').format(figure["value"], said, value, rest)

    return Claim.read(name, figure).render(write, n, baselines)


def format_percent(value: float | None) -> str:
    """Return a share in percent; a dash where there is none."""
    if value is None:
        return "-"
    return f"{100 * value:.1f}%" if value >= 0.001 or value == 0 else f"{100 * value:.2g}%"


def format_p_value(value: float | None) -> str:
    """Return a p-value as people read it."""
    if value is None:
        return "no test"
    return "p < 0.001" if value < 0.001 else f"p = {value:.2g}"
