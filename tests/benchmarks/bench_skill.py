"""Games of the arcade against two players of bounded skill: what they win, level by level.

    make bench-skill GAMES="arcade/xor_breaking" PUZZLES=120
    python tests/benchmarks/bench_skill.py [puzzles=120] [GAME ...]

The searching player knows the rules, reads all answers, and thinks little. It keeps a sample of
worlds that fit what it was told: drawn anew where they run out, or the one that fits best, changed
a little at a time. It looks at some legal commands, and for a way to win in a few of its worlds,
and takes the command that is best in them: that wins, loses in few, and whose answers tell most of
them apart. Where its worlds agree on what is hidden it says so. Of circles and of the king of
Assiut chess no sample fits for long, so there it works out as many circles, or squares, as it may
hold. Against an opponent it sees a win that it can force within a few turns. It has three grades,
which differ in how much they hold and how far they look. A level may be so hard that the first
grade wins nothing of it, or so easy that the last wins all, so a game's curve is the mean over the
grades.

The careless player plays as the reference player does, but a reply of its in four holds no command:
it costs the turn, or the game where that is the rule. Its curve says how much a level forgives, and
is worked out of the rows: it loses more replies than the row has turns to spare, or it wins.

Items 0, 1, 2, ... of a level are drawn from the same places of seeds at every level. A curve that
falls says that levels get harder, not only larger. `puzzles` says how many the first grade is
given; the others have theirs in proportion.
"""

from __future__ import annotations

import math
import os
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.stats import binom

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from arcade_twins import make_puzzles

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.arcade.solvers.breadth_first_search import compute_distances
from facelet.generators.arcade.tasks import assiut_chess, circle_finding
from facelet.generators.arcade.tasks import dark_maze_exploration as dark_maze
from facelet.generators.core import task_registry
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import make_generator

LEVELS = (1, 2, 3)
JOBS = int(os.environ.get("WORKERS", "-1"))
LOST = 0.25
"""Share of the careless player's replies that hold no command."""
ANSWER = 0.5
"""What it is worth to tell all worlds apart, where a win is worth one."""


@dataclass(frozen=True, slots=True)
class SkillGrade:
    """How much a player holds and how far it looks.

    Attributes:
        worlds: worlds that it keeps.
        drawn: worlds that it draws, or mends, when they run out.
        moves: commands that it looks at.
        depth: turns within which it sees a win that it can force against an opponent.
        nodes: states that it looks through for a way to win, of all its worlds together.
        puzzles: puzzles that it is given; the more it thinks the fewer.
    """

    worlds: int
    drawn: int
    moves: int
    depth: int
    nodes: int
    puzzles: int


GRADES = (
    SkillGrade(worlds=8, drawn=32, moves=4, depth=1, nodes=32, puzzles=30),
    SkillGrade(worlds=16, drawn=96, moves=8, depth=3, nodes=96, puzzles=20),
    SkillGrade(worlds=24, drawn=256, moves=16, depth=6, nodes=256, puzzles=8),
)
PLANNED = 4
"""Worlds that it looks for a way in, at most."""


class BoundedPlayer:
    """One play of the bounded player."""

    def __init__(self, game: Any, puzzle: Any, grade: SkillGrade, rng: np.random.Generator) -> None:
        """Begin."""
        self.game, self.puzzle, self.grade, self.rng = game, puzzle, grade, rng
        self.said: list[Command] = []
        self.heard: list[Any] = []
        self.hides = bool(game._secret_columns)
        self.worlds: list[tuple[Any, Any]] = []
        self.best: Any = None

    def play_wins(self) -> bool:
        """Play, and return whether it wins."""
        game, puzzle = self.game, self.puzzle
        state, turns = game.start(puzzle), game.turn_budget(puzzle)
        for turn in range(turns):
            if (result := game.result(puzzle, state)) is not None:
                return result is True
            said = self._choose_command(state, turns - turn)
            if game.legal(puzzle, state, said):
                if game.illegal.kind == "end":
                    return False
                continue
            state = game.step(puzzle, state, said, game.step_luck(puzzle, len(self.said)))
            self.said.append(said)
            self.heard.append(game.observe(puzzle, state))
            self.worlds = [
                (world, after)
                for world, before in self.worlds
                if (after := self._step_world(world, before, said)) is not None
                and game.observe(world, after) == self.heard[-1]
            ]
        return game.result(puzzle, state) is True

    def _step_world(self, world: Any, state: Any, said: Command) -> Any:
        """Return the state of a world after a command; None where it is over or not allowed."""
        game = self.game
        if game.result(world, state) is not None or game.legal(world, state, said):
            return None
        return game.step(world, state, said, game.step_luck(world, int(self.rng.integers(1 << 30))))

    # --- what may be hidden -----------------------------------------------------------------------

    def _refill_worlds(self, state: Any) -> None:
        """Draw worlds that fit, and mend one that does not; where nothing is hidden it is one."""
        game, grade = self.game, self.grade
        if not self.hides:
            self.worlds = [(self.puzzle, state)]
            return
        if game.name in AHEAD:
            self.worlds = [
                (w, state) for w in game.draw_lookalikes(self.puzzle, grade.worlds, self.rng)
            ]
            return
        if fitting := FITTING.get(game.name):
            self.worlds = fitting(self.puzzle, self.said, self.heard, grade, self.rng)
            return
        if len(self.worlds) >= grade.worlds // 4:
            return
        mends = self.best is None or is_mendable(self.best, game._secret_columns)
        whole = not self.said or game.by_luck or not mends
        drawn = game.draw_lookalikes(
            self.puzzle, grade.drawn if whole else grade.drawn // 8, self.rng
        )
        if not drawn:
            return
        best = self.best or drawn[0]
        fit, _ = self._measure_fit(best, mends)
        for world in drawn:
            now, at = self._measure_fit(world, mends)
            fit, best = max((fit, best), (now, world), key=lambda one: one[0])
            if at is not None:
                self.worlds.append((world, at))
                if len(self.worlds) == grade.worlds:
                    break
        self.best = best
        if not self.worlds and mends and not game.by_luck:
            self._mend_worlds(fit, drawn)

    def _measure_fit(self, world: Any, whole: bool) -> tuple[float, Any]:
        """Return how well a world explains what was heard, and its state if it explains all.

        Args:
            world: the world.
            whole: whether to look beyond the first answer that it does not explain.
        """
        game, at, fit, right = self.game, self.game.start(world), 0.0, True
        for said, heard in zip(self.said, self.heard, strict=True):
            at = self._step_world(world, at, said)
            if at is None:
                return fit, None
            seen = game.observe(world, at)
            fit += likeness(seen, heard)
            right = right and seen == heard
            if not right and not whole:
                break
        return fit, at if right else None

    def _mend_worlds(self, fit: float, drawn: Sequence[Any]) -> None:
        """Change the world that fits best a little, again and again, and keep what fits more."""
        for _ in range(self.grade.drawn // 2):
            other = drawn[int(self.rng.integers(len(drawn)))]
            changed = mend_world(self.best, other, self.game._secret_columns, self.rng)
            try:
                self.game.hidden_target(changed, self.game.start(changed))
                now, at = self._measure_fit(changed, True)
            except (ValueError, IndexError):  # changed into what the rules do not know
                continue
            if now >= fit:
                fit, self.best = now, changed
            if at is not None:
                self.worlds.append((changed, at))
                if len(self.worlds) == self.grade.worlds:
                    return

    # --- what it does -----------------------------------------------------------------------------

    def _choose_command(self, state: Any, left: int) -> Command:
        """Return the next command.

        Args:
            state: the state; of it only what is seen is used.
            left: turns that are left.
        """
        game, rng = self.game, self.rng
        self._refill_worlds(state)
        options = [game.random_command(self.puzzle, state, rng) for _ in range(self.grade.moves)]
        if self.hides and self.worlds:
            world, at = self.worlds[int(rng.integers(len(self.worlds)))]
            options += self._list_answers(world, at)
        if eyes := EYES.get(game.name):
            options += eyes(self.puzzle, state)
        routes = self._count_routes(left)
        options = list(dict.fromkeys([*options, *routes]))
        return max(
            options,
            key=lambda said: (
                self._command_worth(said, left) + routes[said],
                -self._count_tries(said),
                rng.random(),
            ),
        )

    def _list_answers(self, world: Any, state: Any) -> list[Command]:
        """Return the command that ends a world well, if it is allowed now."""
        try:
            last = self.game.play_reference(world)[0][-1:]
        except (ValueError, IndexError, StopIteration):  # changed into what the rules do not know
            return []
        return [said for said in last if not self.game.legal(world, state, said)]

    def _count_tries(self, said: Command) -> int:
        """Return how often it has given a command; of equal ones it takes the newest."""
        return self.said.count(said)

    def _count_routes(self, left: int) -> Counter[Command]:
        """Return the first commands of ways to win that it finds, and in which share of worlds."""
        found: Counter[Command] = Counter()
        if self.game.questions or isinstance(self.game, Duel) or not self.worlds:
            return found
        places = self.rng.permutation(len(self.worlds))[:PLANNED]
        for place in places:
            way = self._find_way(*self.worlds[place], left, self.grade.nodes // len(places))
            if way is not None:
                found[way] += 1
        return Counter({said: count / len(places) for said, count in found.items()})

    def _find_way(self, world: Any, state: Any, left: int, nodes: int) -> Command | None:
        """Return the first command of a short way to win a world, if it finds one."""
        game, seen = self.game, {state}
        edge: list[tuple[Any, Command | None]] = [(state, None)]
        for _ in range(left):
            following = []
            for at, first in edge:
                for said in {
                    game.random_command(world, at, self.rng) for _ in range(self.grade.moves)
                }:
                    after = self._step_world(world, at, said)
                    nodes -= 1
                    if after is None or after in seen:
                        continue
                    seen.add(after)
                    result = game.result(world, after)
                    if result:
                        return first or said
                    if result is None:
                        following.append((after, first or said))
                    if nodes <= 0:
                        return None
            edge = following
        return None

    def _command_worth(self, said: Command, left: int) -> float:
        """Return how good a command is: that it wins, loses, and tells worlds apart."""
        game, worth, told = self.game, 0.0, Counter[Any]()
        for world, at in self.worlds:
            if isinstance(game, Duel):
                worth += self._forced_outcome(world, at, said, left)
                continue
            after = self._step_world(world, at, said)
            if after is None:
                worth -= game.illegal.kind == "end"
                continue
            told[game.observe(world, after)] += 1
            result = game.result(world, after)
            if result is not None or left == 1:
                worth += 1 if result else -1
            elif eyes := EYES.get(game.name):
                worth += bool(eyes(world, after))
            elif sense := SENSE.get(game.name):
                worth += sense(world, after)
        size = max(1, len(self.worlds))
        bits = -sum(n / size * math.log2(n / size) for n in told.values())
        return worth / size + (ANSWER * bits / math.log2(size) if size > 1 and left > 1 else 0.0)

    def _forced_outcome(self, puzzle: Any, state: Any, said: Command, left: int) -> float:
        """Return 1 if a move surely wins soon, -1 if the answer to it may win, else 0."""
        game: Any = self.game
        moved = game.apply_move(puzzle, state, said)
        if (result := game.result(puzzle, moved)) is not None:
            return 1.0 if result else -1.0
        hopes = []
        for after in game.list_opponent_states(puzzle, moved) or (moved,):
            won = game.result(puzzle, after)
            if won is False:
                return -1.0
            turns = 0 if won else game.turns_to_force_win(puzzle, after)
            hopes.append(turns is not None and turns < min(self.grade.depth, left))
        return float(all(hopes))


def find_rectangles(puzzle: Any, state: Any) -> list[Command]:
    """Return an answer of grid coloring that is right, if there is one: who looks at it sees it."""
    cells = dict(zip(zip(puzzle.xs, puzzle.ys, strict=True), puzzle.colours, strict=True))
    cells |= dict(zip(state.cells, state.colours, strict=True))
    rows: dict[int, dict[int, int]] = {}
    for (x, y), colour in cells.items():
        rows.setdefault(x, {})[y] = colour
    for left, right in combinations(sorted(rows), 2):
        for low, high in combinations(sorted(rows[left].keys() & rows[right].keys()), 2):
            if len({rows[x][y] for x in (left, right) for y in (low, high)}) == 4:
                return [Command("answer", (left, right, low, high))]
    return []


def list_circles(
    puzzle: Any,
    said: Sequence[Command],
    heard: Sequence[Any],
    grade: SkillGrade,
    rng: np.random.Generator,
) -> list[tuple[Any, Any]]:
    """Return worlds of circle finding: the circle of each radius that it tries, by what was heard.

    The greatest answer is the distance of the origin, which leaves a direction and a radius. An
    answer between it and none tells the direction of each radius, but for the side of the ray.
    """
    rays = {one.args: told for one, told in zip(said, heard, strict=True) if one.form == "query"}
    wrong = {one.args for one in said if one.form == "answer"}
    far = max(rays.values(), default=0)
    narrow = [(told, ray) for ray, told in rays.items() if 0 < told < far]
    exact, rough = [], []
    for _ in range(grade.drawn):
        radius = int(rng.integers(1, puzzle.limit + 1))
        away = far / circle_finding.UNIT + radius if far else radius + puzzle.limit * rng.random()
        angle = rng.uniform(-math.pi, math.pi)
        if narrow:
            told, ray = min(narrow)
            aside = math.asin(min(1.0, (told / circle_finding.UNIT + radius) / away))
            angle = math.atan2(ray[1], ray[0]) + (aside if rng.random() < 0.5 else -aside)
        circle = (round(away * math.cos(angle)), round(away * math.sin(angle)), radius)
        inside = max(map(abs, circle)) <= puzzle.limit
        if not inside or circle in wrong or radius + 1 > math.hypot(*circle[:2]):
            continue
        answers = [circle_finding._measure_distance(circle, ray) for ray in rays]
        world = replace(puzzle, circle=circle)
        if answers == list(rays.values()):
            exact.append(world)
        elif all(
            abs(one - told) < 2 * circle_finding.UNIT
            for one, told in zip(answers, rays.values(), strict=True)
        ):
            rough.append(world)
    found = list(dict.fromkeys(exact)) if far and exact else exact + rough
    return [(world, circle_finding.TASK.start(world)) for world in found[: grade.worlds]]


def list_kings(
    puzzle: Any,
    said: Sequence[Command],
    heard: Sequence[Any],
    grade: SkillGrade,
    rng: np.random.Generator,
) -> list[tuple[Any, Any]]:
    """Return worlds of Assiut chess: some of the squares where the king may be."""
    size = puzzle.size
    squares = {(x, y) for x in range(1, size + 1) for y in range(1, size + 1)}
    for queen, told in zip(said, heard, strict=True):
        moves = (
            assiut_chess._king_moves(size, queen.args, king, puzzle.king_moves) for king in squares
        )
        squares = {to for found in moves for way, to in found if way == told}
    places = rng.permutation(len(squares))[: grade.worlds]
    drawn = assiut_chess.TASK.draw_lookalikes(puzzle, len(places), rng)
    queen, told = (said[-1].args, heard[-1]) if said else ((), "")
    listed = sorted(squares)
    return [
        (world, assiut_chess.State(queen, listed[place], told, len(said)))
        for world, place in zip(drawn, places, strict=True)
    ]


def list_mazes(
    puzzle: Any,
    said: Sequence[Command],
    heard: Sequence[Any],
    grade: SkillGrade,
    rng: np.random.Generator,
) -> list[tuple[Any, Any]]:
    """Return worlds of the dark maze: mazes with the passages and the walls that were felt."""
    size, cell, felt = puzzle.size, (1, 1), {}
    for one, told in zip(said, heard, strict=True):
        after = dark_maze._step_cell(cell, one.args[0])
        felt[min(cell, after), max(cell, after)] = told != "BLOCKED"
        cell = cell if told == "BLOCKED" else after
    found = []
    for _ in range(grade.worlds):
        order = {
            pair: rng.random() - felt.get(pair, 0) for pair in dark_maze._list_cell_pairs(size)
        }
        roots: dict[Any, Any] = {}

        def find_root(at: Any, roots: dict[Any, Any] = roots) -> Any:
            while at in roots:
                at = roots[at]
            return at

        passages = set()
        for one, other in sorted(order, key=order.__getitem__):
            if felt.get((one, other), True) and find_root(one) != find_root(other):
                roots[find_root(one)] = find_root(other)
                passages.add((one, other))
        world = replace(puzzle, maze=dark_maze._build_maze(size, passages))
        found.append((world, dark_maze.State(cell, heard[-1] if heard else "")))
    return found


def likeness(seen: Any, heard: Any) -> float:
    """Return how like two answers are, from 0 to 1; numbers are the liker the nearer they are."""
    if seen == heard:
        return 1.0
    if isinstance(seen, int | float) and isinstance(heard, int | float):
        return 0.5 / (1 + abs(seen - heard))
    rows = isinstance(seen, str | tuple | list) and type(seen) is type(heard)
    if rows and len(seen) == len(heard):
        return 0.8 * sum(map(likeness, seen, heard)) / max(1, len(seen)) if len(seen) > 1 else 0.0
    return 0.0


def is_mendable(world: Any, names: Sequence[str]) -> bool:
    """Return whether what is hidden is rows of numbers or words, which can be changed a little."""
    hidden = [getattr(world, name) for name in names]
    return all(
        isinstance(row, str) or (isinstance(row, tuple) and isinstance(row[0], int))
        for row in hidden
    )


def mend_world(world: Any, other: Any, names: Sequence[str], rng: np.random.Generator) -> Any:
    """Return a world with a small change: two places exchanged, or one taken from another world."""
    name = names[int(rng.integers(len(names)))]
    one, two = getattr(world, name), getattr(other, name)
    if len(one) != len(two):
        return other
    parts: list[Any] = list(one)
    place, with_ = (int(at) for at in rng.integers(len(parts), size=2))
    if sorted(one) == sorted(two):
        parts[place], parts[with_] = parts[with_], parts[place]
    elif isinstance(one, str):
        parts[place] = two[place]
    elif parts == sorted(set(parts)):
        if two[with_] in parts:
            return world
        parts[place] = two[with_]
        parts.sort()
    else:
        parts[place] = draw_near(parts[place], two[place], rng)
    return replace(world, **{name: "".join(parts) if isinstance(one, str) else tuple(parts)})


def draw_near(one: int, two: int, rng: np.random.Generator) -> int:
    """Return another number for one: a second one, or between the two, mostly near the first."""
    return two if rng.random() < 0.3 else one + round((two - one) * float(rng.random()) ** 6)


def sorted_share(puzzle: Any, state: Any) -> float:
    """Return how much of a row of papers is in order: the share of them that may stay."""
    best: list[int] = []
    for number in filter(None, state.papers):
        place = bisect_right(best, number)
        best[place : place + 1] = [number]
    return len(best) / len(state.papers)


def commonest_share(puzzle: Any, state: Any) -> float:
    """Return the share of the commonest color."""
    cells = "".join(state.grid)
    return max(map(cells.count, cells)) / len(cells)


def exit_nearness(puzzle: Any, state: Any) -> float:
    """Return how near the exit is: the share of all cells that a way is shorter than."""
    return 1 - count_steps_out(puzzle.size, puzzle.maze)[state.cell] / puzzle.size**2


STEPS: dict[tuple[str, ...], dict[Any, int]] = {}
"""What `count_steps_out` has found of late; a cached function would not reach other processes."""


def count_steps_out(size: int, maze: tuple[str, ...]) -> dict[Any, int]:
    """Return the steps from each cell of a maze to the exit."""
    if maze in STEPS:
        return STEPS[maze]
    if len(STEPS) == 256:
        STEPS.clear()

    def iterate_neighbours(cell: Any) -> Iterator[Any]:
        for way in dark_maze.WAYS:
            after = dark_maze._step_cell(cell, way)
            if dark_maze._is_inside(size, after) and dark_maze._has_passage(maze, cell, way):
                yield after

    STEPS[maze] = compute_distances((size, size), iterate_neighbours)
    return STEPS[maze]


def king_confinement(puzzle: Any, state: Any) -> float:
    """Return how few moves a king has."""
    return 1 - len(assiut_chess._king_moves(puzzle.size, state.queen, state.king, "random")) / 8


def target_share(puzzle: Any, state: Any) -> float:
    """Return the share of the target that is at hand in one piece."""
    target = puzzle.target
    pieces = (piece for piece in state.compounds if piece in target)
    return max(map(len, pieces), default=0) / len(target)


def visited_share(puzzle: Any, state: Any) -> float:
    """Return the share of junctions that have been visited."""
    return len(state.visited) / int(puzzle.size)


FITTING = {
    "arcade/assiut_chess": list_kings,
    "arcade/circle_finding": list_circles,
    "arcade/dark_maze_exploration": list_mazes,
}
"""Worlds that fit, of games of which no drawn world does."""
EYES = {"arcade/grid_coloring": find_rectangles}
"""What is seen at a glance of games whose commands are too many to draw: commands that win."""
AHEAD = frozenset({"arcade/paper_numbering"})
"""Games that hide nothing but what is still to come."""
SENSE = {
    "arcade/assiut_chess": king_confinement,
    "arcade/chemical_synthesis": target_share,
    "arcade/color_magic": commonest_share,
    "arcade/dark_maze_exploration": exit_nearness,
    "arcade/paper_numbering": sorted_share,
    "arcade/treasure_hunt": visited_share,
}
"""How far a state is, from 0 to 1, of games in which everybody sees what comes nearer."""


def list_grades(most: int) -> list[SkillGrade]:
    """Return the grades, where the first is given so many puzzles."""
    return [
        replace(one, puzzles=math.ceil(one.puzzles * most / GRADES[0].puzzles)) for one in GRADES
    ]


def win_shares(name: str, level: int, most: int) -> tuple[list[float], list[float]]:
    """Return what each grade of the searching player wins of each puzzle, and the careless one.

    Returns:
        The share of its puzzles that each grade wins; the careless player's chance by puzzle.
    """
    game, grades = task_registry.load_task(name), list_grades(most)
    puzzles = make_puzzles(game, game.params(level=level), max(grade.puzzles for grade in grades))
    found = []
    for place, grade in enumerate(grades):
        wins = (
            BoundedPlayer(
                game, puzzle, grade, make_generator("skill", name, level, place, number)
            ).play_wins()
            for number, puzzle in enumerate(puzzles[: grade.puzzles])
        )
        found.append(sum(wins) / grade.puzzles)
    return found, [careless_chance(game, puzzle) for puzzle in puzzles]


def careless_chance(game: Any, puzzle: Any) -> float:
    """Return the chance that the reference player wins a row if it loses a reply in four."""
    needed, turns = puzzle.terms.reference_turns, puzzle.terms.turns
    if game.unreadable.kind == "end":
        return (1 - LOST) ** int(needed)
    return float(binom.sf(needed - 1, turns, 1 - LOST))


def mean_of_grades(
    found: Sequence[float], grades: Sequence[SkillGrade] = GRADES
) -> tuple[float, float]:
    """Return the mean over the grades and its standard error."""
    spread = []
    for share, grade in zip(found, grades, strict=True):
        wins = (share * grade.puzzles + 1) / (grade.puzzles + 2)  # none of eight is not surely none
        spread.append(wins * (1 - wins) / grade.puzzles)
    return sum(found) / len(grades), math.sqrt(sum(spread)) / len(grades)


def mean_of_chances(chances: Sequence[float]) -> tuple[float, float]:
    """Return the mean of the careless player's chances and its standard error."""
    return float(np.mean(chances)), float(np.std(chances) / math.sqrt(len(chances)))


def verdict(curve: Sequence[tuple[float, float]]) -> list[str]:
    """Return for each step up whether the curve falls beyond chance (95%, one-sided)."""
    words = []
    for (one, error), (other, wider) in pairwise(curve):
        beyond = one - other > 1.645 * math.hypot(error, wider)
        words.append(
            "falls" if beyond else "chance" if one > other else "none" if not one else "no"
        )
    return words


def main(words: list[str]) -> None:
    """Print the table, as the guide to games has it."""
    names = [word for word in words if "=" not in word]
    keys = dict(word.split("=") for word in words if "=" in word)
    if keys.keys() - {"puzzles"}:
        raise SystemExit(f"{', '.join(keys)}: the one key is puzzles=120, for the first grade")
    most = int(keys.get("puzzles", GRADES[0].puzzles))
    grades = list_grades(most)
    games = names or [name for name in task_registry.tasks() if name.startswith("arcade/")]
    print(f"puzzles of each grade: {', '.join(str(g.puzzles) for g in grades)}; percent, with half")
    print("of a 95% interval; then whether each curve falls to the second level and to the third\n")
    print("| game | search 1 | 2 | 3 | careless 1 | 2 | 3 | search | careless |")
    print("|---|--:|--:|--:|--:|--:|--:|---|---|")
    jobs = (delayed(win_shares)(name, level, most) for name in games for level in LEVELS)
    found = Parallel(n_jobs=JOBS, return_as="generator")(jobs)
    for name in games:
        levels = [next(found) for _ in LEVELS]
        curves = (
            [mean_of_grades(one, grades) for one, _ in levels],
            [mean_of_chances(other) for _, other in levels],
        )
        cells = (
            f"{100 * mean:.0f} ±{196 * error:.0f}" for curve in curves for mean, error in curve
        )
        words = (", ".join(verdict(curve)) for curve in curves)
        print(f"| `{name.split('/')[1]}` | {' | '.join((*cells, *words))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
