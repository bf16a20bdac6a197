"""Tree discovery: find the edges of a hidden tree by counts of paths through a vertex.

EvolArena, cases N.9 and N.10; the puzzle is Codeforces 1129 E. Vertices are 1 to n. A query names
two disjoint sets of vertices and a vertex v; the reply is the number of paths from the one set to
the other that pass through v, ends included.

The reference player roots the tree at vertex 1 and asks for the size of each subtree: the number of
paths from 1 to all others that pass through its vertex. Then it takes the vertices by size, the
least first. Whole subtrees without a parent may hang from a vertex; one query counts how many of
the vertices of some of them are below it, and halving finds them. The rest hangs from 1.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from facelet.generators.arcade.game_toolkit import (
    ArcadeParams,
    ArcadePuzzle,
    Array,
    CandidateSet,
    Command,
    CommandForm,
    Deviation,
    Draw,
    FixedCandidates,
    FixedQuestionGame,
    Player,
    QuestionState,
    Sample,
    SharedCandidates,
    below,
    blank_terms,
    column,
    number_to_digits,
    several,
    shuffled,
)

LISTED = 7
"""Most vertices for which all trees are listed."""
BOUNDS = {3: 3, 4: 5, 5: 7, 6: 10, 7: 13}
"""Turns in which the reference player finds every tree, by vertices; all were played."""


@dataclass(frozen=True, slots=True)
class Puzzle(ArcadePuzzle):
    """The tree."""

    size: int = column("how many vertices there are", role="puzzle")
    edges: tuple[str, ...] = column("edges as a-b, a < b, in order", role="secret")


State = QuestionState[int, None]


class TreeDiscovery(FixedQuestionGame[ArcadeParams, Puzzle, int]):
    """A player finds a tree by counts of paths."""

    name = "arcade/tree_discovery"
    version = 3
    category = "information_probing"
    forms = (
        CommandForm(
            "query", "My Query: {ints} | {ints} | {int}", "My Query: s1 s2 ... | t1 t2 ... | v"
        ),
        CommandForm("answer", "My Answer: {pairs}", "My Answer: a-b c-d ..."),
    )
    sample = Sample(
        Puzzle(blank_terms("information_probing"), 4, ("1-2", "2-3", "2-4")),
        (
            Command("query", ((1, 2), (3,), 2)),
            Command("query", ((1, 3), (2, 4), 3)),
            Command("answer", (("1-2", "2-3", "4-2"),)),
        ),
        "There are 4 vertices, and edges 1-2, 2-3 and 2-4. The paths from 1 to 3 and from 2 to 3 "
        "both pass 2; of those from 1 and 3 to 2 and 4, the two that begin at 3 pass 3.",
    )
    deviations = (
        Deviation(
            "",
            "the ends of a path count as passed",
            "the paper's example counts the path from 2 to 3 as passing 2",
        ),
        Deviation(
            "",
            "a right tree wins (never in the published code); a wrong one costs a turn",
            "section 3.3 ends a conversation at a right answer",
        ),
        Deviation(
            "",
            "a wrong number of edges, or a repeated edge, is illegal and costs a turn",
            "it is no tree, whatever is hidden; a repeated answer is allowed, and wrong again",
        ),
    )

    def make(self, params: ArcadeParams, draw: Draw) -> Puzzle:
        size = params.level_size(5, 6, 7, 1)
        number = draw.unique_number("tree", self.capacity(params))
        terms = self.terms(params, draw, first_luck=1 / self.capacity(params))
        return Puzzle(
            terms, size, _pruefer_to_edges(number_to_digits(number, (size,) * (size - 2)))
        )

    def capacity(self, params: ArcadeParams) -> int:
        size = params.level_size(5, 6, 7, 1)
        return int(size ** (size - 2))

    def rules(self, puzzle: Puzzle) -> str:
        size = puzzle.size
        return (
            f"Discover the tree. A hidden tree has {size} vertices, numbered 1 to {size}, and "
            f"{size - 1} edges. Between any two vertices there is exactly one path.\n"
            "In each turn you either ask or answer.\n"
            "- Query: name a set S of vertices, a set T of vertices and a vertex v. Neither set is "
            "empty, and no vertex is in both. The vertex v may be any. I say for how many pairs of "
            "a vertex s in S and a vertex t in T the path from s to t passes through v. A path "
            "passes through its ends too.\n"
            f"- Answer: give all {size - 1} edges, each once, in any order. If all are right, you "
            "win. If not, I say Incorrect and the game goes on.\n"
            "You lose if your turns run out before you have won."
        )

    def opening(self, puzzle: Puzzle) -> str:
        return f"The vertices are 1 to {puzzle.size}. Give your first command."

    def legal(self, puzzle: Puzzle, state: State, command: Command) -> str:
        size = puzzle.size
        if command.form == "answer":
            edges = [sorted(map(int, edge.split("-"))) for edge in command.args[0]]
            if not all(1 <= a < b <= size for a, b in edges):
                return f"an edge joins two of the vertices 1 to {size}"
            if len(set(map(tuple, edges))) < len(edges):
                return "an edge is named twice"
            right = len(edges) == size - 1
            return "" if right else f"the tree has {size - 1} edges, not {len(edges)}"
        first, second, vertex = command.args
        if not all(1 <= named <= size for named in (*first, *second, vertex)):
            return f"vertices are numbered 1 to {size}"
        if len({*first, *second}) < len(first) + len(second):
            return "a vertex is named twice in the sets"
        return ""

    def answer_question(self, puzzle: Puzzle, command: Command) -> int:
        first, second, vertex = command.args
        s, t = _vertices_to_mask(first), _vertices_to_mask(second)
        apart = s.bit_count() * t.bit_count()
        for part in _tree_parts(puzzle.size, puzzle.edges)[vertex - 1]:
            apart -= (part & s).bit_count() * (part & t).bit_count()
        return apart

    def is_answer_true(self, puzzle: Puzzle, command: Command) -> bool:
        return _sort_edges(command.args[0]) == puzzle.edges

    def winning_answer(self, puzzle: Puzzle) -> tuple[tuple[str, ...]]:
        return (puzzle.edges,)

    def random_command(self, puzzle: Puzzle, state: State, rng: np.random.Generator) -> Command:
        size = puzzle.size
        if rng.random() < 0.5:
            return Command("answer", (_random_tree(size, rng),))
        order = [vertex + 1 for vertex in shuffled(rng, size)]
        first = 1 + below(rng, size - 1)
        second = first + 1 + below(rng, size - first)
        vertex = 1 + below(rng, size)
        return Command("query", (tuple(order[:first]), tuple(order[first:second]), vertex))

    def list_candidates(self, shown: Puzzle) -> Iterator[Puzzle] | None:
        size = shown.size
        if size > LISTED:
            return None
        codes = (
            number_to_digits(number, (size,) * (size - 2)) for number in range(size ** (size - 2))
        )
        return (replace(shown, edges=_pruefer_to_edges(code)) for code in codes)

    def draw_lookalikes(
        self, puzzle: Puzzle, count: int, rng: np.random.Generator
    ) -> Sequence[Puzzle]:
        return [replace(puzzle, edges=_random_tree(puzzle.size, rng)) for _ in range(count)]

    def candidate_set(self, puzzle: Puzzle) -> CandidateSet | None:
        size = puzzle.size
        if size > LISTED:
            return None
        return FixedCandidates(
            _list_shared_candidates(size), _tree_masks(size, puzzle.edges), _apply_command
        )

    def bound(self, shown: Puzzle) -> int:
        """Return the turns: all sizes, the search for each child, and the answer."""
        size = shown.size
        return BOUNDS.get(size) or size - 1 + (size - 2) * (size - 3).bit_length() + 1

    def player(self, shown: Puzzle) -> Player:
        everyone = range(1, shown.size + 1)
        size: dict[int, int] = {}
        for vertex in everyone[1:]:
            size[vertex] = yield Command("query", ((1,), tuple(everyone[1:]), vertex))
        below: dict[int, tuple[int, ...]] = {}
        edges: list[str] = []
        for vertex in sorted(size, key=lambda vertex: (size[vertex], vertex)):
            children = yield from _find_children(vertex, size[vertex] - 1, below)
            edges += [f"{vertex}-{child}" for child in children]
            below[vertex] = (vertex, *(v for child in children for v in below.pop(child)))
        edges += [f"1-{child}" for child in below]
        yield Command("answer", (_sort_edges(edges),))


TASK = TreeDiscovery()


def _find_children(
    vertex: int, total: int, below: dict[int, tuple[int, ...]]
) -> Generator[Command, int, list[int]]:
    """Find the children of a vertex among the roots of subtrees without a parent.

    Args:
        vertex: the vertex.
        total: how many vertices are below it.
        below: the vertices of each subtree, by its root.
    """
    # Groups of roots, with how many of their vertices are below the vertex. A root whose subtree
    # is greater than that is no child.
    found: list[int] = []
    groups = [(list(below), total)]
    while groups:
        group, inside = groups.pop()
        group = [root for root in group if len(below[root]) <= inside]
        if sum(len(below[root]) for root in group) == inside or len(group) == 1:
            found += group
            continue
        half = group[: len(group) // 2]
        named = tuple(v for root in half for v in below[root])
        part = yield Command("query", ((1,), named, vertex))
        groups += [(half, part), (group[len(half) :], inside - part)]
    return sorted(found)


def _pruefer_to_edges(code: Sequence[int]) -> tuple[str, ...]:
    """Return the edges of a tree by its Pruefer code, whose entries are vertices from 0."""
    size = len(code) + 2
    degree = [1 + code.count(vertex) for vertex in range(size)]
    edges = []
    for vertex in code:
        leaf = degree.index(1)
        edges.append(f"{leaf + 1}-{vertex + 1}")
        degree[leaf] -= 1
        degree[vertex] -= 1
    first, last = (vertex for vertex in range(size) if degree[vertex] == 1)
    return _sort_edges([*edges, f"{first + 1}-{last + 1}"])


def _sort_edges(edges: Sequence[str]) -> tuple[str, ...]:
    """Return edges as a-b with a < b, in order."""
    ends = sorted(tuple(sorted(map(int, edge.split("-")))) for edge in edges)
    return tuple(f"{a}-{b}" for a, b in ends)


def _random_tree(size: int, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw the edges of a tree, all trees equally likely."""
    return _pruefer_to_edges(several(rng, size, size - 2))


def _vertices_to_mask(vertices: Sequence[int]) -> int:
    """Return vertices as a bit mask, vertex 1 lowest."""
    return sum(1 << vertex - 1 for vertex in vertices)


@lru_cache(maxsize=256)
def _tree_parts(size: int, edges: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return for each vertex the parts of the tree without it, as masks."""
    near: list[list[int]] = [[] for _ in range(size)]
    for edge in edges:
        a, b = (int(end) - 1 for end in edge.split("-"))
        near[a].append(b)
        near[b].append(a)
    # Below each vertex as seen from vertex 0, children before parents.
    order, parent = [0], [-1] * size
    for vertex in order:
        for other in near[vertex]:
            if other != parent[vertex]:
                parent[other] = vertex
                order.append(other)
    below = [1 << vertex for vertex in range(size)]
    for vertex in order[:0:-1]:
        below[parent[vertex]] |= below[vertex]
    everyone = (1 << size) - 1
    return tuple(
        tuple(everyone ^ below[v] if other == parent[v] else below[other] for other in near[v])
        for v in range(size)
    )


@cache
def _list_shared_candidates(size: int) -> SharedCandidates:
    """Return all trees, each as its masks."""
    codes = (number_to_digits(number, (size,) * (size - 2)) for number in range(size ** (size - 2)))
    return SharedCandidates(
        np.array([_tree_masks(size, _pruefer_to_edges(code)) for code in codes])
    )


def _tree_masks(size: int, edges: tuple[str, ...]) -> Array:
    """Return the parts of a tree and the neighbours of each vertex as masks, shape (size, size).

    Row v holds the parts of the tree without v, 0 where there are fewer, and in its last column the
    neighbours of v.
    """
    found = np.zeros((size, size), dtype=np.uint8)
    found[:, -1] = _neighbor_masks(size, edges)
    for vertex, masks in enumerate(_tree_parts.__wrapped__(size, edges)):
        found[vertex, : len(masks)] = masks
    return found


def _neighbor_masks(size: int, edges: Sequence[str]) -> list[int]:
    """Return the neighbours of each vertex as a mask."""
    near = [0] * size
    for edge in edges:
        a, b = map(int, edge.split("-"))
        near[a - 1] |= 1 << b - 1
        near[b - 1] |= 1 << a - 1
    return near


_ONES = np.array([mask.bit_count() for mask in range(1 << LISTED)])
"""The number of ones of each mask."""


def _apply_command(hidden: Array, command: Command) -> tuple[Array, Array]:
    """Return the reply to a command in each tree, and the trees."""
    if command.form == "answer":
        return (hidden[:, :, -1] == _neighbor_masks(hidden.shape[1], command.args[0])).all(
            axis=1
        ), hidden
    first, second, vertex = command.args
    s, t = _vertices_to_mask(first), _vertices_to_mask(second)
    parts = hidden[:, vertex - 1, :-1]
    joined = (_ONES[parts & s] * _ONES[parts & t]).sum(axis=1)
    return len(first) * len(second) - joined, hidden
