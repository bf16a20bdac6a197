"""The blind player of attempts (`cube/learning_curve`, `cube/recovery`) that undoes its own moves.

It never looks at the cube. It reads the four moves on offer and the stated distance from solved,
and remembers its moves. So it knows the distance of each state that it visited, relative to the
start, and takes a move that

    leads to a state that it knows to be nearer;
    else to one that it has not visited and that may be nearer: one turn changes a distance by at
    most one, so a neighbour of a state that is known to be far is not near.

So it undoes a move that led away, and tries another one. States are facelet strings of the moves
since the start on a solved cube: two ways to one state are one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from facelet.generators.core.prompts import Prompt
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.notation import UNIT_MOVES, Metric
from facelet.pipeline.audit.baseline_players import UNREADABLE, list_options, prompt_text

_FAR = re.compile(r"\bThe cube is (\d{1,2}) (?:move|quarter turn)s? from solved\b")


@dataclass(frozen=True, slots=True)
class UndoPolicy:
    """Undoes what led away, and tries another move.

    Attributes:
        metric: what distances count.
        unreadable: unreadable replies before each choice; of the moves that may be right the one
            that was offered most often meanwhile is taken.
        weight: what a reply counts.
    """

    metric: Metric
    unreadable: int = 0
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return what replies to the prompts of one play."""
        return _UndoPlay(self).next_reply


@dataclass(slots=True)
class _UndoPlay:
    """What is known in one play.

    Attributes:
        policy: how it plays.
        here: the state now, as the moves since the start make it of a solved cube.
        far: distances of the states that it was in, by what the prompts said there.
        seen: how often each move was offered since the last choice.
        waited: unreadable replies since the last choice.
        last: the move before this state; "" at the beginning.
    """

    policy: UndoPolicy
    here: str = SOLVED
    far: dict[str, int] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)
    waited: int = 0
    last: str = ""

    def next_reply(self, prompt: Prompt) -> str:
        """Return the reply to a prompt."""
        offers, distance = list_options(prompt), read_distance(prompt)
        if not offers or distance is None or not self._is_legal(offers):
            return UNREADABLE
        self.far[self.here] = distance
        self.seen.update(offers.values())
        if self.waited < self.policy.unreadable:
            self.waited += 1
            return UNREADABLE
        letter = max(sorted(offers), key=lambda name: self._rank_move(offers[name], distance))
        self.last, self.waited = offers[letter], 0
        self.here = moves.apply_maneuver(self.here, (self.last,))
        self.seen.clear()
        return f"<ANSWER>{letter}</ANSWER>"

    def _is_legal(self, offers: Mapping[str, str]) -> bool:
        return set(offers.values()) <= set(UNIT_MOVES[self.policy.metric])

    def _rank_move(self, move: str, distance: int) -> tuple[int, int, bool]:
        """Return how good a move seems.

        First whether it is sure, possible or wrong; then how often it was offered; then whether it
        turns the face that the last move turned, which may have been the right face.

        Args:
            move: a move on offer.
            distance: of the state now.
        """
        after = moves.apply_maneuver(self.here, (move,))
        known = self.far.get(after)
        beside = move[0] == self.last[:1]
        if known is not None:
            return 2 if known < distance else 0, self.seen[move], beside
        around = (moves.apply_maneuver(after, (turn,)) for turn in UNIT_MOVES[self.policy.metric])
        ruled_out = any(self.far.get(state, 0) > distance for state in around)
        return 0 if ruled_out else 1, self.seen[move], beside


def read_distance(prompt: Prompt) -> int | None:
    """Return how far from solved a prompt says that the cube is, the last time that it does."""
    found = _FAR.findall(prompt_text(prompt))
    return int(found[-1]) if found else None
