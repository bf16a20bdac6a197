"""Tune lists of replies by small changes, each tested on puzzles.

A change replaces, inserts, removes, swaps or doubles one piece; it is kept if the list wins no
fewer puzzles, and among equals lasts as long. Pieces are all possible replies: those of legal
moves, of reference players, and the family's pieces of long replies. A list is tuned on one half of
the puzzles and judged on the other, both ways round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.pipeline.audit import blind_episode_players
from facelet.pipeline.audit.baseline_players import (
    FixedScript,
    ReplyPieces,
    load_family_players,
    play_replies,
)
from facelet.pipeline.audit.blind_episode_players import PlayBudget, PlayCase
from facelet.pipeline.family_modules import AnyTask

LONGEST = 64
"""Most pieces of a list."""
FIRST = 24
"""Puzzles of the first round; the second has four times as many, the last all."""
HARVEST_PUZZLES = 40
"""Puzzles whose legal moves become pieces."""


@dataclass(frozen=True, slots=True)
class ClimbResult:
    """The result of tuned scripts.

    Attributes:
        hits: puzzles won, of the halves that they were not tuned on.
        plays: puzzles played.
        says: the replies of the better script.
        replies: replies spent.
    """

    hits: int
    plays: int
    says: tuple[str, ...]
    replies: int


Piece = TypeVar("Piece")
"""A reply, a piece of one, or a command."""


def climb_scripts(task: AnyTask, cases: Sequence[PlayCase], replies: int) -> ClimbResult | None:
    """Return the result of tuned scripts on some puzzles; None where there is no reply to send.

    Args:
        task: the task.
        cases: the puzzles; no two share a base puzzle.
        replies: replies to spend on each half.
    """
    halves = (cases[::2], cases[1::2])
    if not all(halves):
        return None
    hits = total = used = 0
    best: tuple[float, tuple[str, ...]] = (-1.0, ())
    for number, (half, other) in enumerate((halves, halves[::-1])):
        found = _ScriptClimb(
            task, half, make_generator("floors", "climb", task.name, number), replies
        )
        policy = found.search()
        if policy is None:
            return None
        tally = PlayBudget(task, replies)
        won = tally.count_wins(policy, other)
        hits, total, used = hits + won, total + tally.plays, used + replies - found.left
        best = max(best, (won / tally.plays, policy.replies))
    return ClimbResult(hits, total, best[1], used)


class _ScriptClimb:
    """The search for a script on some puzzles."""

    def __init__(
        self, task: AnyTask, half: Sequence[PlayCase], rng: np.random.Generator, replies: int
    ) -> None:
        self.left = replies
        self._task, self._half, self._rng = task, half, rng
        self._family = load_family_players(task)
        self._instances = [case.instance for case in half]
        self._made: ReplyPieces | None = self._family.pieces(task, self._instances)
        self._known = _collect_replies(task, half)
        if self._made is not None:
            draws = [self._made.draw(1, rng)[0] for _ in range(400)]
            self._known = sorted({*draws})
        self._longest = LONGEST if self._made is None else min(512, self._made.longest)

    def search(self) -> FixedScript | None:
        """Return the best script within the budget."""
        if not self._known:
            return None
        best: list[str] = [self._known[0]]
        wins = self._count_wins(best, FIRST)
        starts = [[*case.reference] for case in self._half[:8]]  # reference plays
        named = self._family.players(self._task, self._instances).values()
        starts += [[*one.replies] for kind in named for one in kind if isinstance(one, FixedScript)]
        for said in starts:
            if self._made is None and (score := self._count_wins(said, FIRST)) > wins:
                best, wins = said, score
        if self._made is not None:
            length = 1
            while length <= self._longest:
                said = list(self._made.draw(length, self._rng))
                if (score := self._count_wins(said, FIRST)) >= wins:
                    best, wins = said, score
                length *= 2
        whole = self.left
        for size, until in ((FIRST, 0.6), (4 * FIRST, 0.25), (len(self._half), 0.0)):
            wins = self._count_wins(best, size)
            while self.left > until * whole:
                said = mutate_script(best, self._known, self._longest, self._rng)
                if (score := self._count_wins(said, size)) >= wins:
                    best, wins = said, score
        return self._build_policy(best)

    def _build_policy(self, said: Sequence[str]) -> FixedScript:
        if self._made is None:
            return FixedScript(tuple(said))
        return FixedScript((self._made.join(said),), self._made.reply_weight(len(said)))

    def _count_wins(self, said: Sequence[str], size: int) -> tuple[int, int]:
        """Return how many puzzles a script wins, and how long it lasts."""
        tally = PlayBudget(self._task, 1 << 30)
        wins = tally.count_wins(self._build_policy(said), self._half[:size])
        spent = (1 << 30) - tally.remaining
        self.left -= spent
        return wins, spent if self._made is None else 0


def mutate_script(
    script: Sequence[Piece], known: Sequence[Piece], longest: int, rng: np.random.Generator
) -> list[Piece]:
    """Return a script with one change, or two.

    Args:
        script: the script.
        known: the pieces that scripts are made of.
        longest: the most pieces of a script.
        rng: the randomness.
    """
    after = list(script)
    for _ in range(1 + int(rng.integers(3)) // 2):
        place, kind = int(rng.integers(len(after) + 1)), int(rng.integers(5))
        if (kind == 0 and len(after) < longest) or not after:
            after.insert(place, known[int(rng.integers(len(known)))])
            continue
        place = min(place, len(after) - 1)
        if kind == 1 and len(after) > 1:
            del after[place]
        elif kind == 2:
            other = int(rng.integers(len(after)))
            after[place], after[other] = after[other], after[place]
        elif kind == 3 and len(after) < longest:
            after.insert(place, after[place])
        else:
            after[place] = known[int(rng.integers(len(known)))]
    return after


def _collect_replies(task: AnyTask, half: Sequence[PlayCase]) -> list[str]:
    """Return all replies of reference players and legal movers on some puzzles."""
    said = {reply for case in half for reply in case.reference}
    mover = load_family_players(task).legal(task)
    for case in half[:HARVEST_PUZZLES]:
        if mover is None:
            break
        says = mover.begin(case.instance, make_generator("floors", "harvest", case.group))

        def record_reply(prompt: Prompt, says: Callable[[Prompt], str] = says) -> str:
            said.add(text := says(prompt))
            return text

        play_replies(task, case.instance, record_reply, blind_episode_players.REPLIES)
    return sorted(said)
