"""Improving: lists of replies made better by small changes, each tried on puzzles.

A list is changed at one place: a piece is replaced, inserted, removed, swapped with another one or
said twice; the change is kept where it wins no fewer puzzles, and of as many lasts as long. Pieces
are all that may be said: what any legal moves say, what reference players say, and what a family
names as pieces of long replies.
A list is climbed to on one half of the puzzles and judged on the other half, both ways round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import generator
from facelet.generators.core.task import Outcome
from facelet.pipeline.audit import blind, plays
from facelet.pipeline.audit.blind import Case, Tally
from facelet.pipeline.audit.policies import Fixed, Pieces, Policy
from facelet.pipeline.families import AnyTask

LONGEST = 64
"""Most pieces of a list."""
FIRST = 24
"""Puzzles that changes are tried on at first; later four times as many, at last all."""
HARVEST = 40
"""Puzzles whose legal moves are pieces."""


@dataclass(frozen=True, slots=True)
class Climbed:
    """What lists won that were climbed to.

    Attributes:
        hits: puzzles that were won, of the halves that they were not made on.
        plays: of so many.
        says: the replies of the better list.
        replies: replies that were tried.
    """

    hits: int
    plays: int
    says: tuple[str, ...]
    replies: int


Write = Callable[[Sequence[str]], Policy]


def climb(task: AnyTask, cases: Sequence[Case], replies: int) -> Climbed | None:
    """Return what climbed lists win of some puzzles; None where there is nothing to say.

    Args:
        task: the task.
        cases: the puzzles; no two share a base puzzle.
        replies: replies that may be tried on each half.
    """
    halves = (cases[::2], cases[1::2])
    if not all(halves):
        return None
    hits = total = used = 0
    best: tuple[float, tuple[str, ...]] = (-1.0, ())
    for number, (half, other) in enumerate((halves, halves[::-1])):
        found = _Climb(task, half, generator("floors", "climb", task.name, number), replies)
        policy = found.run()
        if policy is None:
            return None
        tally = Tally(task, replies)
        won = tally.right(policy, other)
        hits, total, used = hits + won, total + tally.plays, used + replies - found.left
        best = max(best, (won / tally.plays, policy.replies))
    return Climbed(hits, total, best[1], used)


class _Climb:
    """One climb on some puzzles."""

    def __init__(
        self, task: AnyTask, half: Sequence[Case], rng: np.random.Generator, replies: int
    ) -> None:
        self.left = replies
        self._task, self._half, self._rng = task, half, rng
        self._made: Pieces | None = blind.pieces(task, half)
        self._known = _harvest(task, half)
        if self._made is not None:
            draws = [self._made.draw(1, rng)[0] for _ in range(400)]
            self._known = sorted({*draws})
        self._longest = LONGEST if self._made is None else min(512, self._made.longest)

    def run(self) -> Fixed | None:
        """Return the best list that was found within the replies."""
        if not self._known:
            return None
        best: list[str] = [self._piece()]
        wins = self._wins(best, FIRST)
        starts = [[*case.reference] for case in self._half[:8]]  # of who won: as good as any
        named = blind.players(self._task, self._half).values()
        starts += [[*one.replies] for kind in named for one in kind if isinstance(one, Fixed)]
        for said in starts:
            if self._made is None and (score := self._wins(said, FIRST)) > wins:
                best, wins = said, score
        if self._made is not None:
            length = 1
            while length <= self._longest:
                said = list(self._made.draw(length, self._rng))
                if (score := self._wins(said, FIRST)) >= wins:
                    best, wins = said, score
                length *= 2
        whole = self.left
        for size, until in ((FIRST, 0.6), (4 * FIRST, 0.25), (len(self._half), 0.0)):
            wins = self._wins(best, size)
            while self.left > until * whole:
                said = self._changed(best)
                if (score := self._wins(said, size)) >= wins:
                    best, wins = said, score
        return self._policy(best)

    def _policy(self, said: Sequence[str]) -> Fixed:
        if self._made is None:
            return Fixed(tuple(said))
        return Fixed((self._made.join(said),), self._made.weight(len(said)))

    def _wins(self, said: Sequence[str], size: int) -> tuple[int, int]:
        """Return how many puzzles a list wins, and how long it lasts: where none is won, on it."""
        tally = Tally(self._task, 1 << 30)
        wins = tally.right(self._policy(said), self._half[:size])
        spent = (1 << 30) - tally.left
        self.left -= spent
        return wins, spent if self._made is None else 0

    def _piece(self) -> str:
        return self._known[int(self._rng.integers(len(self._known)))]

    def _changed(self, said: Sequence[str]) -> list[str]:
        """Return a list that is changed at one place, or at a few."""
        after = list(said)
        for _ in range(1 + int(self._rng.integers(3)) // 2):
            place = int(self._rng.integers(len(after)))
            kind = int(self._rng.integers(5))
            if kind == 0:
                after[place] = self._piece()
            elif kind == 1 and len(after) < self._longest:
                after.insert(place, self._piece())
            elif kind == 2 and len(after) > 1:
                del after[place]
            elif kind == 3:
                other = int(self._rng.integers(len(after)))
                after[place], after[other] = after[other], after[place]
            elif len(after) < self._longest:
                after.insert(place, after[place])
        return after


def _harvest(task: AnyTask, half: Sequence[Case]) -> list[str]:
    """Return all that reference players and legal movers say of some puzzles."""
    said = {reply for case in half for reply in case.reference}
    mover = plays.legal(task)
    for case in half[:HARVEST]:
        if mover is None:
            break
        says = mover.begin(case.instance, generator("floors", "harvest", case.group))
        episode = task.open(case.instance).without_figures()
        shown: Prompt | Outcome = episode.prompt()
        for _ in range(blind.REPLIES):
            if isinstance(shown, Outcome):
                break
            said.add(text := says(shown))
            shown = episode.reply(text)
    return sorted(said)
