"""Tree discovery: the monitor against a twin, and the bounds over all trees."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from arcade_twins import INVALID, compare_games, make_puzzles

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.arcade.tasks.tree_discovery import TASK, Puzzle, TreeDiscovery
from facelet.generators.core.seeding import make_generator


class Twin:
    """Case N.9: every path is walked."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.size = row["size"]
        self.edges = {frozenset(map(int, edge.split("-"))) for edge in row["edges"]}

    def answer_line(self, line: str) -> str:
        if found := re.fullmatch(r"My Query: ([\d, ]+) \| ([\d, ]+) \| (\d+)", line):
            s, t = ([int(v) for v in re.findall(r"\d+", part)] for part in found.groups()[:2])
            v = int(found[3])
            if not {*s, *t, v} <= set(range(1, self.size + 1)) or len({*s, *t}) < len(s) + len(t):
                return INVALID
            return str(sum(v in self.find_path(a, b) for a in s for b in t))
        if not re.fullmatch(r"My Answer: \d+-\d+(?:,? \d+-\d+)*", line):
            return INVALID
        pairs = [tuple(map(int, pair.split("-"))) for pair in re.findall(r"\d+-\d+", line)]
        edges = {frozenset(pair) for pair in pairs}
        if len(pairs) != self.size - 1 or len(edges) < len(pairs):
            return INVALID
        if any(a == b or not {a, b} <= set(range(1, self.size + 1)) for a, b in pairs):
            return INVALID
        if edges != self.edges:
            return "Incorrect"
        self.has_won = True
        return "Correct"

    def find_path(self, a: int, b: int, before: int = 0) -> list[int]:
        if a == b:
            return [a]
        for edge in self.edges:
            if a in edge and before not in edge:
                (other,) = edge - {a}
                if rest := self.find_path(other, b, a):
                    return [a, *rest]
        return []


def test_a_fault_is_found() -> None:
    class Faulty(TreeDiscovery):
        """The ends of a path do not count as passed."""

        def answer_question(self, puzzle: Any, said: Any) -> int:
            inside = said.args[2] in (*said.args[0], *said.args[1])
            return 0 if inside else super().answer_question(puzzle, said)

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.parametrize(("size", "bound"), [(3, 3), (4, 5), (5, 7), (6, 10), (7, 13)])
def test_the_player_finds_all_trees(size: int, bound: int) -> None:
    """Of seven vertices every seventh tree, and one that takes longest."""
    blank = Puzzle(blank_terms("information_probing"), size, ())
    trees = list(TASK.list_candidates(blank) or ())
    assert len({tree.edges for tree in trees}) == size ** (size - 2)
    most = 0
    for tree in trees[:: 7 if size == 7 else 1]:
        said, won = TASK.play_reference(tree)
        assert won
        most = max(most, len(said))
    assert most == bound == TASK.bound(blank)


@pytest.mark.slow
def test_the_player_finds_all_trees_of_seven_vertices() -> None:
    blank = Puzzle(blank_terms("information_probing"), 7, ())
    plays = [TASK.play_reference(tree) for tree in TASK.list_candidates(blank) or ()]
    assert len(plays) == 7**5
    assert all(won and len(said) <= 13 for said, won in plays)


@pytest.mark.parametrize("level", [4, 6, 20])
def test_the_bound_holds_for_more_vertices(level: int) -> None:
    """Drawn trees, a path and a star."""
    (puzzle,) = make_puzzles(TASK, TASK.params(level=level), 1)
    rng = make_generator("trees", level)
    path = tuple(f"{v}-{v + 1}" for v in range(1, puzzle.size))
    star = tuple(f"1-{v}" for v in range(2, puzzle.size + 1))
    for other in [
        *TASK.draw_lookalikes(puzzle, 40, rng),
        *(replace(puzzle, edges=e) for e in (path, star)),
    ]:
        said, won = TASK.play_reference(other)
        assert won and len(said) <= TASK.bound(puzzle)


def test_every_query_about_four_vertices() -> None:
    for tree in TASK.list_candidates(Puzzle(blank_terms("information_probing"), 4, ())) or ():
        twin = Twin(TASK.encode(tree))
        for sides in product((0, 1, 2), repeat=4):
            s, t = ([v for v, side in enumerate(sides, start=1) if side == k] for k in (1, 2))
            for v in range(1, 5) if s and t else ():
                line = f"My Query: {', '.join(map(str, s))} | {', '.join(map(str, t))} | {v}"
                answer = TASK.open(tree).reply(line)
                assert answer.messages[-1].parts[0].text.startswith(twin.answer_line(line))
