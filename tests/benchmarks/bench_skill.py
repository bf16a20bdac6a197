"""Games of the arcade against a player of bounded skill: what it wins, level by level.

    make bench-skill            # or: python tests/benchmarks/bench_skill.py [GAME ...]

The player knows the rules, reads all answers, and thinks little. It keeps a sample of worlds that
fit what it was told (drawn anew where they run out), looks at some legal commands, and takes the
one that is best in its worlds: that wins soon when any legal commands follow, loses in few, and
whose answers tell most of them apart. Where its worlds agree on what is hidden it says so. Against
an opponent it sees a win that it can force within a few turns.

It has three grades, which differ in how much they hold and how far they look. A level may be so
hard that the first grade wins nothing of it, or so easy that the last wins all, so a game's curve
is the mean over the grades. A curve that falls says that levels get harder, not only larger.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import fisher_exact

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from arcade_twins import make

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.core import registry
from facelet.generators.core.forms import Said
from facelet.generators.core.seeding import generator

LEVELS = (1, 2, 3)
ANSWER = 0.5
"""What it is worth to tell all worlds apart, where a win is worth one."""


@dataclass(frozen=True, slots=True)
class Grade:
    """How much a player holds and how far it looks.

    Attributes:
        worlds: worlds that it keeps.
        drawn: worlds that it draws when they run out.
        moves: commands that it looks at.
        depth: turns within which it sees a win that it can force against an opponent.
        puzzles: puzzles that it is given; the more it thinks the fewer.
    """

    worlds: int
    drawn: int
    moves: int
    depth: int
    puzzles: int


GRADES = (
    Grade(worlds=8, drawn=64, moves=4, depth=2, puzzles=60),
    Grade(worlds=16, drawn=256, moves=8, depth=5, puzzles=60),
    Grade(worlds=48, drawn=2048, moves=24, depth=10, puzzles=20),
)
AHEAD, TRIES = 2, 2
"""Turns that any legal commands follow for, and how often."""


class Bounded:
    """One play of the bounded player."""

    def __init__(self, game: Any, puzzle: Any, grade: Grade, rng: np.random.Generator) -> None:
        """Begin."""
        self.game, self.puzzle, self.grade, self.rng = game, puzzle, grade, rng
        self.said: list[Said] = []
        self.heard: list[Any] = []
        self.hides = bool(game._secrets)
        self.worlds: list[tuple[Any, Any]] = []

    def won(self) -> bool:
        """Play, and return whether it wins."""
        game, puzzle = self.game, self.puzzle
        state, turns = game.start(puzzle), game.turns(puzzle)
        for turn in range(turns):
            if (result := game.result(puzzle, state)) is not None:
                return result is True
            said = self._chosen(state, turns - turn)
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
        """Draw worlds that fit; where nothing is hidden, the state itself is one."""
        game, grade = self.game, self.grade
        if not self.hides:
            self.worlds = [(self.puzzle, state)]
            return
        if len(self.worlds) >= grade.worlds // 4:
            return
        for world in game.alike(self.puzzle, grade.drawn if self.said else grade.worlds, self.rng):
            at = game.start(world)
            for said, heard in zip(self.said, self.heard, strict=True):
                at = self._stepped(world, at, said)
                if at is None or game.observe(world, at) != heard:
                    break
            else:
                self.worlds.append((world, at))
            if len(self.worlds) == grade.worlds:
                break

    def _chosen(self, state: Any, left: int) -> Said:
        """Return the next command.

        Args:
            state: the state; of it only what is seen is used.
            left: turns that are left.
        """
        game, rng = self.game, self.rng
        self._refill(state)
        options = [game.random_command(self.puzzle, state, rng) for _ in range(self.grade.moves)]
        if self.hides and self.worlds:
            world, at = self.worlds[int(rng.integers(len(self.worlds)))]
            last = game.played(world)[0][-1]
            if not game.legal(world, at, last):
                options.append(last)
        if eyes := EYES.get(game.name):
            options += eyes(self.puzzle, state)
        options = list(dict.fromkeys(options))
        return max(options, key=lambda said: (self._worth(said, left), rng.random()))

    def _worth(self, said: Said, left: int) -> float:
        """Return how good a command is: that it wins, loses, and tells worlds apart."""
        game, worth, told = self.game, 0.0, Counter[Any]()
        for world, at in self.worlds:
            if isinstance(game, Duel):
                worth += self._forced(world, at, said)
                continue
            after = self._stepped(world, at, said)
            if after is None:
                worth -= game.illegal.kind == "end"
                continue
            told[game.observe(world, after)] += 1
            result = game.result(world, after)
            if result is not None or left == 1:
                worth += 1 if result else -1
            elif not game.questions:
                worth += self._hoped(world, after)
            elif eyes := EYES.get(game.name):
                worth += bool(eyes(world, after))
        size = max(1, len(self.worlds))
        bits = -sum(n / size * math.log2(n / size) for n in told.values())
        return worth / size + (ANSWER * bits / math.log2(size) if size > 1 and left > 1 else 0.0)

    def _hoped(self, world: Any, after: Any) -> float:
        """Return how often any legal commands soon win from here."""
        game, wins = self.game, 0
        if eyes := EYES.get(game.name):
            return float(bool(eyes(world, after)))
        for _ in range(TRIES):
            then = after
            for _ in range(AHEAD):
                if game.result(world, then) is not None:
                    break
                following = self._stepped(world, then, game.random_command(world, then, self.rng))
                then = then if following is None else following
            wins += game.result(world, then) is True
        return wins / TRIES

    def _forced(self, puzzle: Any, state: Any, said: Said) -> float:
        """Return 1 if a move surely wins soon, -1 if the answer to it may win, else 0."""
        game: Any = self.game
        moved = game.move(puzzle, state, said)
        if (result := game.result(puzzle, moved)) is not None:
            return 1.0 if result else -1.0
        hopes = []
        for after in game.replies(puzzle, moved) or (moved,):
            won = game.result(puzzle, after)
            if won is False:
                return -1.0
            turns = 0 if won else game.outlook(puzzle, after)
            hopes.append(turns is not None and turns < self.grade.depth)
        return float(all(hopes))


def rectangles(puzzle: Any, state: Any) -> list[Said]:
    """Return an answer of grid coloring that is right, if there is one: who looks at it sees it."""
    cells = dict(zip(zip(puzzle.xs, puzzle.ys, strict=True), puzzle.colours, strict=True))
    cells |= dict(zip(state.cells, state.colours, strict=True))
    rows: dict[int, dict[int, int]] = {}
    for (x, y), colour in cells.items():
        rows.setdefault(x, {})[y] = colour
    for left, right in combinations(sorted(rows), 2):
        for low, high in combinations(sorted(rows[left].keys() & rows[right].keys()), 2):
            if len({rows[x][y] for x in (left, right) for y in (low, high)}) == 4:
                return [Said("answer", (left, right, low, high))]
    return []


EYES = {"arcade/grid_coloring": rectangles}
"""What is seen at a glance of games whose commands are too many to draw: commands that win."""


def share(name: str, level: int, place: int) -> int:
    """Return how many puzzles of a level a grade of the player wins."""
    game, grade = registry.task(name), GRADES[place]
    puzzles = make(game, game.params(level=level), grade.puzzles)
    return sum(
        Bounded(game, puzzle, grade, generator("skill", name, level, place, number)).won()
        for number, puzzle in enumerate(puzzles)
    )


def row(name: str, wins: list[list[int]]) -> tuple[str, bool]:
    """Return the line of a game, and whether it falls at each level.

    Args:
        name: the game.
        wins: wins by level and grade.
    """
    means = [
        sum(win / grade.puzzles for win, grade in zip(level, GRADES, strict=True)) / len(GRADES)
        for level in wins
    ]
    cells = (
        f"{100 * mean:5.1f} ({' '.join(f'{win:3d}' for win in level)})"
        for mean, level in zip(means, wins, strict=True)
    )
    plays = sum(grade.puzzles for grade in GRADES)
    words = []
    for (one, before), (other, after) in pairwise(zip(means, wins, strict=True)):
        table = [[sum(level), plays - sum(level)] for level in (before, after)]
        beyond = fisher_exact(table, alternative="greater").pvalue < 0.05
        words.append("falls" if one > other and beyond else "chance" if one > other else "no")
    if not any(map(any, wins[1:])) and any(wins[0]):
        words[1] = "beyond"
    return f"{name.split('/')[1]:28s} {'  '.join(cells)}  {', '.join(words)}", "no" not in words


def main(names: list[str]) -> None:
    """Print the table."""
    games = names or [name for name in registry.tasks() if name.startswith("arcade/")]
    print("wins in percent of all, and of " + ", ".join(str(g.puzzles) for g in GRADES), end="")
    print(" puzzles by grade; levels 1 to 3; then whether it falls to the second and the third:")
    print("by more than chance (falls), within chance, or to none from none (beyond)")
    jobs = (
        delayed(share)(name, level, place)
        for name in games
        for level in LEVELS
        for place in range(len(GRADES))
    )
    found = Parallel(n_jobs=-1, return_as="generator")(jobs)
    falling = 0
    for name in games:
        wins = [[next(found) for _ in GRADES] for _ in LEVELS]
        line, falls = row(name, wins)
        falling += falls
        print(line, flush=True)
    print(f"falls at each level, or to none, in {falling} of {len(games)} games")


if __name__ == "__main__":
    main(sys.argv[1:])
