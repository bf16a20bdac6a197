"""Records of what an episode of CubeBench allows and rewards, and of a command's result.

CubeBench, sections 3.1.4 (rewards) and 4.3 (agents).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from facelet.generators.cube.navigation.observations import Display

Reward = Literal["none", "sticker", "face", "heuristic"]
Agent = Literal["basic", "standard", "ideal"]
"""Which solver there is: none, one for URFDLB strings, or one for the text of observations."""

MOVES = 1_000_000
"""Most quarter turns of an episode; the most active model of the paper makes 438,194 on average."""

Kind = Literal["turn", "observation", "view", "solver", "final", "illegal", "over_budget"]


@dataclass(frozen=True, slots=True)
class NavigationRules:
    """What an episode allows and rewards.

    Attributes:
        display: how the state is displayed.
        reward: what make_move returns.
        agent: which solver there is.
        moves: quarter turns that the episode has.
    """

    display: Display
    reward: Reward
    agent: Agent
    moves: int = MOVES


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of one command.

    Attributes:
        command: the command.
        kind: what it was, or why it was refused ("illegal", "over_budget").
        reward: the reward of a turn, else 0.
        text: why it was refused, else "". Observations and answers of the solver are not in it:
            they are costly and often not needed; see `current_observation` and `ask_solver`.
    """

    command: str
    kind: Kind
    reward: int = 0
    text: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the command was not carried out."""
        return self.kind in ("illegal", "over_budget")


@dataclass
class CommandCounts:
    """Numbers of commands so far, by kind."""

    make_moves: int = 0
    observations: int = 0
    views: int = 0
    solver_calls: int = 0
    illegal: int = 0
    over_budget: int = 0
