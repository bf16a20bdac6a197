"""The columns that all games share, as a record nested in each puzzle.

`guarantee` states what is certain of a row:

    adversarial  a player that plays like the reference player wins within `bound` turns, whatever
                 is hidden, drawn or played against it; `bound` is at most `turns`
    probability  it wins with `probability`, over everything that may be hidden, drawn or played
    instance     it wins this row; nothing is certain of other puzzles with the same first prompt

In all three cases the reference player wins this row, in `reference_turns` turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.generators.core.row_schema import column

Category = Literal[
    "information_probing", "dynamic_adaptation", "state_operation", "strategic_gaming"
]
Guarantee = Literal["adversarial", "instance", "probability"]


@dataclass(frozen=True, slots=True)
class Terms:
    """The shared columns; `ArcadeGame.terms` creates and `ArcadeGame.generate` completes them."""

    category: Category = column("the paper's class of the game")
    turns: int = column("turns that the player has, the last answer included")
    guarantee: Guarantee = column("adversarial, instance or probability: what surely wins")
    probability: float | None = column("chance that the reference player wins; null if unknown")
    bound: int | None = column("turns within which it surely wins; null if there is no such number")
    optimum: int | None = column("fewest turns in which any player surely wins; null if unknown")
    reference_turns: int = column("turns in which the reference player wins this row")
    reference_bits: float | None = column("information that it gains a turn, in bits; null if none")
    first_luck: float = column("greatest chance of any first command to win at once")
    seed: str = column("what the monitor's random draws follow from", role="unseen")
    forgetful: bool = column("whether turns show nothing before the last reply and its answer")
