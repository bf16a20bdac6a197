"""Conditions: under which rules CubeBench's cube is played, and what comes of a command.

CubeBench, sections 3.1.4 (rewards) and 4.3 (agents).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.generators.cube.navigation.observations import Display

Reward = Literal["none", "sticker", "face", "heuristic"]
REWARDS: tuple[Reward, ...] = ("none", "sticker", "face", "heuristic")
Agent = Literal["basic", "standard", "ideal"]
AGENTS: tuple[Agent, ...] = ("basic", "standard", "ideal")
"""Which solver there is: none, one that reads the URFDLB string, one that reads what is shown."""

MOVES = 1_000_000
"""Most quarter turns that a play may make; the paper's busiest model makes 438,194 on average."""

Kind = Literal["turn", "observation", "view", "solver", "final", "illegal", "over_budget"]


@dataclass(frozen=True, slots=True)
class Rules:
    """The conditions of a play.

    Attributes:
        display: how the state is displayed.
        reward: what make_move answers.
        agent: which solver there is.
        moves: quarter turns that a play may make.
    """

    display: Display
    reward: Reward
    agent: Agent
    moves: int = MOVES


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one command.

    Attributes:
        command: the command.
        kind: what it was, or why it was refused ("illegal", "over_budget").
        reward: the reward of a turn, else 0.
        text: why it was refused, else "". What an observation shows and what a solver answers costs
            more than all the rest and is often not wanted: see `Environment.seen` and `ask`.
    """

    command: str
    kind: Kind
    reward: int = 0
    text: str = ""

    @property
    def refused(self) -> bool:
        """Whether nothing was done."""
        return self.kind in ("illegal", "over_budget")


@dataclass
class Counts:
    """How often what was done."""

    make_moves: int = 0
    observations: int = 0
    views: int = 0
    solver_calls: int = 0
    illegal: int = 0
    over_budget: int = 0
