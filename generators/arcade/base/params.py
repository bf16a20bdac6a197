"""Params that all games share: level, turns, and the published setting.

Levels 1, 2 and 3 have the paper's easy, medium and hard sizes (EvolArena, appendix N), or larger
ones where a player that ignores replies wins many puzzles of those. From level 4 on a size grows by
one step a level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from facelet.generators.core.params import BaseParams, param

LEVELS = (1, 2, 3)
"""The paper's easy, medium and hard."""
LAST = 999_999
"""The default last level: the command line accepts six digits."""
TURNS = 15
"""Turns of an episode in the paper (appendix F)."""


Picked = Literal["hard", "any"]


def level_param(last: int = LAST) -> Any:
    """Return the field of a game's levels; see `facelet.generators.core.params.param`.

    Args:
        last: the last level of a game whose later levels take too long.
    """
    return param(
        1,
        "1, 2 and 3 are the paper's easy, medium and hard; later levels grow on",
        low=1,
        high=last,
        axis="level",
    )


@dataclass(frozen=True, slots=True)
class ArcadeParams(BaseParams):
    """Params of every game."""

    level: int = level_param()
    published: bool = param(
        False, "the paper's own sizes, turns and rules where the game departs from them"
    )
    turns: int = param(
        0, "turns of an episode; 0 for what the game gives", low=0, high=9999, unit="turns"
    )
    picked: Picked = param(
        "hard",
        "hard passes over puzzles that any legal commands, or a list of commands that hears no "
        "answer, often win; any asks all, as the paper does",
    )

    tight: bool = param(
        False,
        "no turn more than the reference player surely needs, or needs in the row",
        harder=(False, True),
    )
    forgetful: bool = param(
        False,
        "a turn shows the rules, the start, the last reply and its answer, and nothing before",
        harder=(False, True),
    )

    def level_size(
        self,
        easy: int,
        medium: int,
        hard: int,
        step: int,
        paper: tuple[int, int, int] | None = None,
    ) -> int:
        """Return the size of a level.

        Args:
            easy: the size of level 1.
            medium: the size of level 2.
            hard: the size of level 3.
            step: what every later level adds.
            paper: the paper's three sizes, where this package uses larger ones.
        """
        beyond = max(0, self.level - 3)
        sizes = paper if paper and self.published else (easy, medium, hard)
        return sizes[min(self.level, 3) - 1] + step * beyond


Opponent = Literal["random", "greedy", "optimal"]
Side = Literal["auto", "random", "greedy", "optimal"]


@dataclass(frozen=True, slots=True)
class DuelParams(ArcadeParams):
    """Params of a game against an opponent."""

    opponent: Side = param(
        "auto",
        "how the other side plays: at random as in the paper, for the moment, or best; auto is "
        "best, and at random where the game is as published",
        harder=("random", "greedy", "optimal"),
    )

    @property
    def opponent_kind(self) -> Opponent:
        """The kind of opponent."""
        if self.opponent == "auto":
            return "random" if self.published else "optimal"
        return self.opponent
