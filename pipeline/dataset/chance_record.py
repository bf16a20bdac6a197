"""Record, combine and format the chance level of a config.

A record is {"value", "of", "kind"}: the share that guessing scores, of what it is a share, and how
it is known: "exact", "mean" (of shares that differ between rows or difficulties), or "simulated",
which adds "low", "high" (95%) and "plays".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict, cast

from facelet.generators.core.chance_level import Chance, ExactChance, SimulatedChance
from facelet.generators.core.measures import F1_UNIT
from facelet.pipeline.family_modules import AnyTask


class ChanceRecord(TypedDict):
    """A chance as a manifest has it; see the module."""

    value: float
    of: str
    kind: str
    low: NotRequired[float]
    high: NotRequired[float]
    plays: NotRequired[int]


NOT_STATED = "not stated"
"""What is shown where a task declares no chance."""


def find_chance_column(task: AnyTask) -> str | None:
    """Return the column in which each row says its own chance; None if there is none."""
    return next((column.name for column in task.columns if column.role == "chance"), None)


def build_record(chance: Chance | None, mean: float | None) -> ChanceRecord | None:
    """Return the record of a declared chance.

    Args:
        chance: what the task declares.
        mean: the mean of the rows' own chances; None if they say none.

    Raises:
        ValueError: the rows should say their own chance, and do not.
    """
    if chance is None:
        return None
    if isinstance(chance, ExactChance):
        return {"value": _round_share(chance.value), "of": chance.of, "kind": "exact"}
    if isinstance(chance, SimulatedChance):
        return {
            "value": _round_share(chance.value),
            "of": chance.of,
            "kind": "simulated",
            "low": _round_share(chance.low),
            "high": _round_share(chance.high),
            "plays": chance.plays,
        }
    if mean is None:
        raise ValueError('no row contains its chance; give a column the role "chance"')
    return {"value": _round_share(mean), "of": chance.of, "kind": "mean"}


def combine_records(parts: Sequence[tuple[ChanceRecord | None, int]]) -> ChanceRecord | None:
    """Return the chance of several difficulties together.

    An interval of simulations is the mean of theirs, which is never narrower than it may be.

    Args:
        parts: the record and the number of rows of each difficulty.

    Returns:
        The mean over rows; None if one is not stated, or if they are shares of different things.
    """
    found = [(part, rows) for part, rows in parts if rows]
    records = [part for part, _ in found if part is not None]
    if len(records) < len(found) or len({part["of"] for part in records}) != 1:
        return None
    if all(part == records[0] for part in records):
        return records[0].copy()
    total = sum(rows for _, rows in found)

    def compute_weighted_mean(name: Literal["value", "low", "high"]) -> float:
        shares = zip(records, found, strict=True)
        return _round_share(
            sum(part.get(name, part["value"]) * n for part, (_, n) in shares) / total
        )

    whole: ChanceRecord = {
        "value": compute_weighted_mean("value"),
        "of": records[0]["of"],
        "kind": "mean",
    }
    if plays := sum(part.get("plays", 0) for part in records):
        whole["kind"] = "simulated"
        whole["low"], whole["high"], whole["plays"] = (
            compute_weighted_mean("low"),
            compute_weighted_mean("high"),
            plays,
        )
    return whole


def _round_share(value: float) -> float:
    """Return a number with nine digits: the same in every order of adding up."""
    return float(f"{value:.9g}")


def format_share(value: float, of: str) -> str:
    """Return a share as people read it: "25.0% of answers"; of a score, "F1 of yes 5.9%"."""
    return f"{of} {value:.1%}" if of.startswith(F1_UNIT) else f"{value:.1%} of {of}"


def format_chance(chance: ChanceRecord | None) -> str:
    """Return a chance as people read it: "25.0% of answers", "1 in 3,930,000 answers"."""
    if chance is None:
        return NOT_STATED
    value, of = chance["value"], chance["of"]
    text = (
        f"1 in {float(f'{1 / value:.3g}'):,.0f} {of}"
        if 0 < value < 0.001
        else format_share(value, of)
    )
    if "plays" in chance:
        ends = f"{chance['low']:.2%} to {chance['high']:.2%}"
        text += f" ({ends} in {chance['plays']:,} plays)"
    return text


def parse_chance(part: object) -> ChanceRecord | None:
    """Return the chance that a split's part of a manifest states, if it is a record of one.

    Args:
        part: any JSON value; a manifest may be damaged, or older than this record.
    """
    found = part.get("chance") if isinstance(part, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("of"), str):
        return None
    numbers = [found.get("value"), *(found[name] for name in ("low", "high") if name in found)]
    if not all(isinstance(x, int | float) and 0 <= x <= 1 for x in numbers):
        return None
    simulated = {"low", "high", "plays"} & found.keys()
    if simulated and not (len(simulated) == 3 and isinstance(found["plays"], int)):
        return None
    return cast(ChanceRecord, found)
