"""Games of the arcade against a player of bounded skill: what it wins, level by level.

    make bench-skill            # or: python tests/benchmarks/bench_skill.py [GAME ...]

The player knows the rules, reads all answers, and thinks little. It keeps a sample of WORLDS worlds
that fit what it was told (drawn anew from DRAWN where they run out), and of MOVES legal commands
takes the one that wins most often in them when any legal commands follow for DEPTH turns; of equals
the one whose answers tell most worlds apart. Where its worlds agree on what is hidden it says so.
A level that asks for more than such a sample, or such a look ahead, is one that it seldom wins. A
curve that falls says that the levels get harder, not only larger.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binomtest

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from arcade_twins import make

from facelet.generators.core import registry
from facelet.generators.core.forms import Said
from facelet.generators.core.seeding import generator

LEVELS = (1, 2, 3)
PUZZLES = 120
WORLDS, DRAWN = 16, 128
MOVES, DEPTH, TRIES = 8, 2, 2


class Bounded:
    """One play of the bounded player."""

    def __init__(self, game: Any, puzzle: Any, rng: np.random.Generator) -> None:
        """Begin."""
        self.game, self.puzzle, self.rng = game, puzzle, rng
        self.said: list[Said] = []
        self.heard: list[Any] = []
        self.hides = bool(game._secrets)
        self.worlds: list[tuple[Any, Any]] = []

    def won(self) -> bool:
        """Play, and return whether it wins."""
        game, puzzle = self.game, self.puzzle
        state = game.start(puzzle)
        for _ in range(game.turns(puzzle)):
            if (result := game.result(puzzle, state)) is not None:
                return result is True
            said = self._chosen(state)
            if game.legal(puzzle, state, said):
                if game.illegal.kind == "end":
                    return False
                continue
            state = game.step(puzzle, state, said, game.luck(puzzle, len(self.said)))
            self.said.append(said)
            self.heard.append(game.observe(puzzle, state))
            self.worlds = [
                (world, after)
                for world, before in self.worlds
                if (after := self._stepped(world, before, said)) is not None
                and game.observe(world, after) == self.heard[-1]
            ]
        return game.result(puzzle, state) is True

    def _stepped(self, world: Any, state: Any, said: Said) -> Any:
        """Return the state of a world after a command; None where it is over or not allowed."""
        game = self.game
        if game.result(world, state) is not None or game.legal(world, state, said):
            return None
        return game.step(world, state, said, game.luck(world, int(self.rng.integers(1 << 30))))

    def _refill(self, state: Any) -> None:
        """Draw worlds that fit; where all is seen, or chance decides, the state itself is one."""
        game = self.game
        if not self.hides or game.by_luck:
            self.worlds = [(self.puzzle, state)]
            return
        if len(self.worlds) >= WORLDS // 4:
            return
        for world in game.alike(self.puzzle, DRAWN if self.said else WORLDS, self.rng):
            at = game.start(world)
            for said, heard in zip(self.said, self.heard, strict=True):
                at = self._stepped(world, at, said)
                if at is None or game.observe(world, at) != heard:
                    break
            else:
                self.worlds.append((world, at))
            if len(self.worlds) == WORLDS:
                break

    def _chosen(self, state: Any) -> Said:
        """Return the next command."""
        game, rng = self.game, self.rng
        self._refill(state)
        options = [game.random_command(self.puzzle, state, rng) for _ in range(MOVES)]
        if self.hides and not game.by_luck and self.worlds:
            world, at = self.worlds[int(rng.integers(len(self.worlds)))]
            last = game.played(world)[0][-1]
            if not game.legal(world, at, last):
                options.append(last)
        options = list(dict.fromkeys(options))
        return max(options, key=lambda said: (self._worth(said), rng.random()))

    def _worth(self, said: Said) -> tuple[float, int]:
        """Return how often a command is followed by a win, and how many answers it may have."""
        game, wins, told = self.game, 0.0, Counter[Any]()
        for world, at in self.worlds:
            after = self._stepped(world, at, said)
            if after is None:
                continue
            told[game.observe(world, after)] += 1
            result = game.result(world, after)
            if result is not None:
                wins += 2 * TRIES * (result is True)
                continue
            for _ in range(TRIES):
                then = after
                for _ in range(DEPTH):
                    if game.result(world, then) is not None:
                        break
                    following = self._stepped(
                        world, then, game.random_command(world, then, self.rng)
                    )
                    then = then if following is None else following
                wins += game.result(world, then) is True
        return wins / max(1, len(self.worlds)), len(told)


def share(name: str, level: int) -> int:
    """Return how many puzzles of a level the bounded player wins."""
    game = registry.task(name)
    puzzles = make(game, game.params(level=level), PUZZLES)
    return sum(
        Bounded(game, puzzle, generator("skill", name, level, number)).won()
        for number, puzzle in enumerate(puzzles)
    )


def main(names: list[str]) -> None:
    """Print the table."""
    games = names or [name for name in registry.tasks() if name.startswith("arcade/")]
    jobs = (delayed(share)(name, level) for name in games for level in LEVELS)
    found = list(Parallel(n_jobs=-1)(jobs))
    print(f"wins of {PUZZLES} puzzles, by level; 95% intervals in percent")
    falling = 0
    for place, name in enumerate(games):
        wins = found[len(LEVELS) * place : len(LEVELS) * (place + 1)]
        ends = (binomtest(win, PUZZLES).proportion_ci() for win in wins)
        cells = (
            f"{win:3d} ({100 * e.low:3.0f}-{100 * e.high:3.0f})"
            for win, e in zip(wins, ends, strict=True)
        )
        falls = all(a > b or a == b == 0 for a, b in pairwise(wins))
        falling += falls
        print(f"{name:40s} {'  '.join(cells)}  {'falls' if falls else '-'}")
    print(f"falls, or is 0 throughout, in {falling} of {len(games)} games")


if __name__ == "__main__":
    main(sys.argv[1:])
