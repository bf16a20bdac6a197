"""Records of chance levels: what a guessing player scores, declared by each task.

`Task.chance(params)` returns one of these records, or None where no chance level is known: then it
is published as "not stated". A chance is never the share of the commonest right answers: a player
that knows those has seen the answers.

The audit of a build attacks each config with players that never look at the puzzle; the share of
the best of them is the config's floor. It must not exceed chance by more than sampling allows,
unless `Task.blind_limit(params)` says how much it may, and why.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExactChance:
    """A share that follows from the rules: a guess is drawn evenly from what they allow.

    Attributes:
        value: the share that is right, 0 to 1.
        of: what it is a share of, such as "answers", or "elements" of answers of several.
    """

    value: float
    of: str = "answers"

    def __post_init__(self) -> None:
        """Check the share."""
        _check_shares(self.value)


@dataclass(frozen=True, slots=True)
class ChanceFromRows:
    """The mean over the rows of the column whose role is "chance"; each row's own is exact.

    Attributes:
        of: what the column is a share of.
    """

    of: str = "answers"


@dataclass(frozen=True, slots=True)
class SimulatedChance:
    """A share that plays of a guessing player came to.

    Attributes:
        value: the share that was right, 0 to 1.
        low: lower end of its 95% interval.
        high: upper end of it.
        plays: number of plays.
        of: what it is a share of.
    """

    value: float
    low: float
    high: float
    plays: int
    of: str = "answers"

    def __post_init__(self) -> None:
        """Check the shares and the number of plays."""
        _check_shares(self.low, self.value, self.high)
        if self.plays < 1:
            raise ValueError(f"plays={self.plays} is out of range; simulate at least one play")


Chance = ExactChance | ChanceFromRows | SimulatedChance


@dataclass(frozen=True, slots=True)
class BlindLimit:
    """The most that a player may score which never looks at the puzzle.

    Attributes:
        value: the share that may be right, 0 to 1, of what chance is a share of.
        reason: why it may be more than chance, in words for the card of a dataset.
    """

    value: float
    reason: str

    def __post_init__(self) -> None:
        """Check the share and the reason."""
        _check_shares(self.value)
        if not self.reason:
            raise ValueError(f"the limit {self.value} has no reason; say why it exceeds chance")


def _check_shares(*shares: float) -> None:
    """Raise ValueError unless shares are in order and from 0 to 1."""
    if list(shares) != sorted(shares) or not 0 <= shares[0] <= shares[-1] <= 1:
        raise ValueError(f"chance {', '.join(map(str, shares))} must be ascending, from 0 to 1")
