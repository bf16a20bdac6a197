"""Write the card of labels: sampling, counts, and how many independent labels they are worth.

States of one coset resemble each other, so labels of few cosets are worth fewer independent ones.
Two figures measure that. What a coset's states share, such as which pieces are twisted, has as many
values as there are cosets. What differs among them, here the number of stickers with their own
face's colour, is measured: the error of its mean over cosets against that over states.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from facelet.generators.cube.distance.coset_search import COSETS, ELEMENTS
from facelet.pipeline.cube.labels.label_writer import LabelFile, StickerStatistics
from facelet.pipeline.cube.labels.settings import LabelsSettings


@dataclass(frozen=True, slots=True)
class CosetRecord:
    """What a coset gave.

    Attributes:
        number: the coset's.
        which: its place among the cosets of the run, from 0.
        base: facelets of the state that its elements follow: a state is this one, then the element.
        levels: how many states it has at distance 0, 1, ...
        files: what was written.
        measured: stickers of their own face's colour, by distance.
    """

    number: int
    which: int
    base: str
    levels: list[int] = field(default_factory=list)
    files: list[LabelFile] = field(default_factory=list)
    measured: dict[int, StickerStatistics] = field(default_factory=dict)

    def label_count(self, distance: int) -> int:
        """Return how many labels of a distance it gave."""
        return sum(file.rows for file in self.files if file.distance == distance)

    def to_json(self) -> dict[str, object]:
        """Return it as a JSON object."""
        return {
            "number": self.number,
            "which": self.which,
            "base": self.base,
            "levels": self.levels,
            "files": [file.to_json() for file in self.files],
            "measured": {str(depth): asdict(found) for depth, found in self.measured.items()},
        }

    @classmethod
    def from_json(cls, entry: dict[str, Any]) -> CosetRecord:
        """Return the record of a JSON object.

        Raises:
            KeyError, TypeError: it is not of this form.
        """
        return cls(
            entry["number"],
            entry["which"],
            entry["base"],
            entry["levels"],
            [LabelFile(**file) for file in entry["files"]],
            {int(depth): StickerStatistics(**found) for depth, found in entry["measured"].items()},
        )


def effective_numbers(cosets: list[CosetRecord], distance: int) -> tuple[float, float | None]:
    """Return effective numbers of the labels of a distance.

    Args:
        cosets: what each gave.
        distance: half turns from solved.

    Returns:
        That of what all states of a coset share, and that of the mean of the stickers of their own
        face's colour; None for the second where one coset alone has labels.
    """
    of = [coset for coset in cosets if coset.label_count(distance)]
    if not of:
        return 0.0, None
    sizes = np.array([coset.levels[distance] for coset in of], dtype=float)
    parts = sizes / sizes.sum()
    shared = float(1 / (parts**2).sum())
    if len(of) == 1:
        return shared, None
    found = [coset.measured[distance] for coset in of]
    means = np.array([one.total / one.count for one in found])
    squares = np.array([one.squares / one.count for one in found])
    mean = float(parts @ means)
    spread = float(parts @ squares) - mean**2
    count = sum(coset.label_count(distance) for coset in of)
    # The error of a weighted mean of clusters, with the correction for one mean that was estimated.
    error = float((parts**2 * (means - mean) ** 2).sum()) * len(of) / (len(of) - 1)
    return shared, min(float(count), spread / error) if error > 0 else float(count)


def write_card(settings: LabelsSettings, cosets: list[CosetRecord]) -> str:
    """Return the README of the labels."""
    splits = [split for split, _ in settings.split_weights]
    there = [s for s in splits if any(f.split == s for c in cosets for f in c.files)]
    names = "\n".join(f"  - split: {split}\n    path: {split}/*.parquet" for split in there)
    deepest = settings.distance_list[-1]
    rows = "\n".join(_card_row(cosets, distance) for distance in settings.distance_list)
    total = sum(file.rows for coset in cosets for file in coset.files)
    asked = "all that each holds" if not settings.count else f"{settings.count:,} of each distance"
    few = [
        d for d in settings.distance_list if sum(c.label_count(d) for c in cosets) < settings.count
    ]
    short = (
        f"\nThere are fewer than {settings.count:,} labels at {', '.join(map(str, few))}: "
        "a coset that holds fewer states than its share gave all of them.\n"
        if few
        else ""
    )
    columns = "`facelets` (54 letters in URFDLB order), " if settings.facelets else ""
    solved = "; `solution` solves the state in as many moves" if settings.solutions else ""
    return f"""---
license: cc-by-4.0
pretty_name: Cube states with exact distances
configs:
- config_name: default
  data_files:
{names}
---

# Cube states with exact distances

{total:,} states of the cube, each with its exact distance from solved in half turns.

Columns: {columns}`distance`, `coset`, `code`,
`weight`{solved}. `coset` and `code` together
name a state: it is the `base` of its coset in `.labels`, followed by the element of the group
<U, D, R2, L2, F2, B2> that the code numbers.

## How states were drawn

{settings.cosets} of {COSETS:,} cosets were drawn, each as likely as any other, no two of them
images of one another (seed {settings.seed}). A coset has {ELEMENTS:,} states. In each, every state
within {deepest} moves was found; no level is left unfinished. Of a level each coset
gave its share of the labels: {asked}, every state of the level with the same probability.
{short}
A label stands for `weight` states of its coset at its distance. With these weights the labels are a
sample of all states at that distance; without them, states of cosets with few are too frequent.

## What they are worth

States of one coset have the same pieces twisted and flipped. The effective number is how many
independent states would be worth as much: for what all states of a coset share, and for the mean of
how many stickers show the colour of their own face.

| distance | labels | cosets | states there | effective, shared | effective, stickers |
|--:|--:|--:|--:|--:|--:|
{rows}

## Why they are right

A search found all maneuvers of length 0, 1, 2, ... that make a state of the coset, so the length at
which a state is found first is its distance. `facelet certify` proves any of them again, by another
search with another table.

## Splits

{_split_table(settings, cosets)}
A state, its images under the 48 symmetries of the cube, and the inverses of them are in one split.
"""


def _card_row(cosets: list[CosetRecord], distance: int) -> str:
    of = [coset for coset in cosets if coset.label_count(distance)]
    shared, stickers = effective_numbers(cosets, distance)
    labels = sum(coset.label_count(distance) for coset in of)
    states = sum(coset.levels[distance] for coset in cosets)
    sticker_text = "unknown: one coset" if stickers is None and of else f"{stickers or 0:,.0f}"
    return f"| {distance} | {labels:,} | {len(of)} | {states:,} | {shared:.1f} | {sticker_text} |"


def _split_table(settings: LabelsSettings, cosets: list[CosetRecord]) -> str:
    lines = ["| split | labels |", "|---|--:|"]
    for split, _ in settings.split_weights:
        rows = sum(f.rows for c in cosets for f in c.files if f.split == split)
        lines.append(f"| {split} | {rows:,} |")
    return "\n".join(lines) + "\n"
