"""Settings of `facelet labels`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import can_show_progress, parse_numbers, parse_splits
from facelet.pipeline.command.setting_keys import key

DEEPEST = 17
"""The greatest distance that labels have."""

ONE_MAP = 15
"""The greatest distance for which one map of a coset is enough."""


@dataclass(frozen=True, kw_only=True)
class LabelsSettings:
    """Which states are labelled, and where the labels go."""

    out: Path = key("Where the labels go.", allowed="a folder that is new, or that of the same run")
    count: int = key(
        "Labels of each distance, shared evenly by the cosets; 0 for all that the cosets hold.",
        100_000,
        low=0,
        high=10**10,
    )
    depths: str = key(
        "Distances in half turns; 17 takes forty minutes of a processor a coset.",
        "12-15",
        allowed=f"numbers and ranges from 1 to {DEEPEST}, such as 12-15 or 13,15",
    )
    cosets: int = key("Cosets that are searched; none is a mirror image of another.", 4, low=1)
    solutions: bool = key(
        "Also write an optimal solution of each state: a second search, and 32 bytes a label more "
        "of memory.",
        False,
    )
    facelets: bool = key("false: no facelets, a quarter of the bytes.", True)
    splits: str = key("Splits and their weights.", "train:98,validation:1,test:1", allowed="pairs")
    shard: int = key("Labels of a file, about.", 2_000_000, low=1, high=50_000_000)
    seed: int = key("Root of all seeds.", 0)
    workers: int | None = key("Threads; the bytes are the same.", None, low=1, shown="all cores")
    progress: bool | None = key("Show progress on stderr.", None, shown="if stderr is a terminal")

    @property
    def distance_list(self) -> tuple[int, ...]:
        """The distances, rising."""
        return parse_numbers(self.depths, "depths")

    @property
    def split_weights(self) -> tuple[tuple[str, int], ...]:
        """The splits and their weights."""
        return parse_splits(self.splits)

    @property
    def map_count(self) -> int:
        """Maps of a coset that a search needs at the same time."""
        return 1 if self.distance_list[-1] <= ONE_MAP else 2

    @property
    def shows_progress(self) -> bool:
        """Whether progress is shown on stderr."""
        return can_show_progress(self.progress)

    def labels_per_coset(self, which: int) -> int | None:
        """Return how many labels of each distance a coset gives; None for all."""
        if not self.count:
            return None
        return self.count // self.cosets + (which < self.count % self.cosets)

    def plan_record(self) -> dict[str, object]:
        """Return what decides the bytes of the labels."""
        return {
            "format": 1,
            "count": self.count,
            "depths": list(self.distance_list),
            "cosets": self.cosets,
            "solutions": self.solutions,
            "facelets": self.facelets,
            "splits": dict(self.split_weights),
            "shard": self.shard,
            "seed": self.seed,
        }

    def check_feasible(self) -> None:
        """Refuse what cannot be made, before any work.

        Raises:
            ValueError: a value is out of range.
        """
        if self.distance_list[-1] > DEEPEST:
            raise ValueError(
                f"depths={self.depths}: {self.distance_list[-1]} is out of range; allowed: 1 to "
                f"{DEEPEST}, as one coset to 18 would take a day"
            )
        if self.count and self.count < self.cosets:
            raise ValueError(
                f"count={self.count} gives some of {self.cosets} cosets no label; raise count, "
                f"or take cosets={self.count}"
            )
        if (total := sum(weight for _, weight in self.split_weights)) > 10**6:
            raise ValueError(
                f"splits={self.splits}: the weights sum to {total:,}; use at most 1,000,000"
            )
        if self.solutions and (not self.count or self.count > 10**7):
            raise ValueError(
                f"solutions=true needs memory for each label: use count=1 to count=10000000, "
                f"not count={self.count}"
            )
