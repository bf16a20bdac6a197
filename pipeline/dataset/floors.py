"""Floors in a dataset: what the best blind player scores in a config, as a manifest records it.

A record is {"value", "low", "high", "of", "player", "items", "limit", "declared", "reason",
"players"}: the share that the best of the players got right which never look at the puzzle, its 95%
interval, of what it is a share (of the same as chance), which player it was, of how many puzzles;
the most that it could be before the build is refused, the share that this comes from, and why; and
the shares of all players. Where answers have classes, "kappa" is Cohen's kappa of the best player.

"levels" has the same for each level, by the label of its difficulty, with what chance is there, and
"shortcuts" what players win that look at a part of the puzzle, by their names. Where no chance is
declared, that of a level is what any legal moves win.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict, cast

from facelet.pipeline.dataset.chances import share


class Share(TypedDict):
    """What a player won: a share, its 95% interval, and of how many independent puzzles."""

    value: float
    low: float
    high: float
    items: int


class Level(Share):
    """The floor of one level of difficulty.

    `chance` is a share of the same; None where nobody knows it. `legal` is what any legal moves
    won, where that is chance. `studied` is whether the value is that of a recorded study, which is
    then greater than what the build's own audit found. `declared` and `reason` are the most that
    was allowed before sampling, and why.
    """

    player: str
    chance: float | None
    legal: NotRequired[Share]
    studied: NotRequired[bool]
    declared: NotRequired[float]
    reason: NotRequired[str]


class Shortcut(Share):
    """What a player wins that looks at a part of the puzzle, or does a part of what is asked.

    `looks_at` is that part in words, `levels` the same by level.
    """

    looks_at: str
    levels: dict[str, Share]


class Record(TypedDict):
    """A floor as a manifest has it; see the module. Older manifests have less."""

    value: float
    low: float
    high: float
    of: str
    player: str
    items: NotRequired[int]
    limit: NotRequired[float]
    declared: NotRequired[float]
    reason: NotRequired[str]
    players: NotRequired[dict[str, float]]
    kappa: NotRequired[float]
    levels: NotRequired[dict[str, Level]]
    shortcuts: NotRequired[dict[str, Shortcut]]


NOT_MEASURED = "not measured"
"""What is shown where a manifest has no floor."""


UNSTATED = 0.1
"""What a blind player may score where a task states neither chance nor limit."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What the tasks of a config declare of guessing.

    Attributes:
        chance: the chance level, over all its rows, 0 to 1; None where it is not stated.
        of: what it is a share of.
        limit: what blind players may score; None for chance.
        reason: why that may be more.
        repeats: why items may be equal; "" where they may not.
        levels: the same of each level, by its label; one that is not named declares what the whole
            does.
    """

    chance: float | None = None
    of: str = "answers"
    limit: float | None = None
    reason: str = ""
    repeats: str = ""
    levels: Mapping[str, Declared] = field(default_factory=dict)

    def allowed(self) -> tuple[float, str]:
        """Return what blind players may score, before sampling, and why."""
        if self.limit is not None:
            return self.limit, self.reason
        if self.chance is not None:
            return self.chance, "chance"
        return UNSTATED, "neither chance nor limit is stated"

    def at(self, level: str) -> Declared:
        """Return what is declared of one level, by its label."""
        return self.levels.get(level, self)


def words(floor: Record | None) -> str:
    """Return a floor as people read it: "58.9% of labels (57.1% to 60.7%, relations)"."""
    if floor is None:
        return NOT_MEASURED
    kappa = f"; kappa {floor['kappa']:.3f}" if "kappa" in floor else ""
    ends = f"{floor['low']:.1%} to {floor['high']:.1%}"
    return f"{share(floor['value'], floor['of'])} ({ends}, {floor['player']}{kappa})"


def read(config: object) -> Record | None:
    """Return the floor that a config's part of a manifest states, if it is a record of one.

    Args:
        config: any JSON value; a manifest may be damaged, or older than this record.
    """
    found = config.get("floor") if isinstance(config, dict) else None
    if not isinstance(found, dict):
        return None
    shares = [found.get(name) for name in ("value", "low", "high")]
    kappa = found.get("kappa", 0.0)
    fits = (
        all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares)
        and all(isinstance(found.get(name), str) for name in ("of", "player"))
        and isinstance(kappa, int | float)
        and isinstance(found.get("declared", 0.0), int | float)
        and -1 <= kappa <= 1
    )
    return cast(Record, found) if fits else None
