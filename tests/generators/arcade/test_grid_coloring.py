"""Grid coloring: the monitor against a twin, the bound against all that colours may do."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import networkx as nx
import pytest
from arcade_twins import INVALID, compare_games, line_numbers, make_puzzles

from facelet.generators.arcade.tasks.grid_coloring import TASK, GridColoring, State


class Twin:
    """Case N.73; a new colour is any from 1 to 2n."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.has_won: bool | None = None
        self.n, self.lenient = row["size"], row["lenient"]
        cells = zip(row["xs"], row["ys"], row["colours"], strict=True)
        self.grid = {(x, y): colour for x, y, colour in cells}
        self.chosen: tuple[int, ...] = ()

    def answer_line(self, line: str) -> str | set[str]:
        choice, guess = line_numbers(line, "My Choice:"), line_numbers(line, "My Answer:")
        named = choice or guess
        if named is None or len(named) != (2 if choice else 4):
            return INVALID
        fits = set(named) <= set(range(1, self.n + 1))
        if guess:
            x1, x2, y1, y2 = guess
            self.has_won = False
            if not fits or x1 == x2 or y1 == y2:
                return INVALID
            four = [self.grid.get(cell) for cell in ((x1, y1), (x1, y2), (x2, y1), (x2, y2))]
            self.has_won = None not in four and len(set(four)) == 4
            if self.lenient and not self.has_won:
                self.has_won = None
                return "Wrong."
            return ""
        if self.lenient and tuple(named) in self.grid:
            return "Wrong."
        if not fits or tuple(named) in self.grid:
            self.has_won = False
            return INVALID
        self.chosen = tuple(named)
        x, y = named
        return {f"Cell ({x}, {y}) has color {c}" for c in range(1, 2 * self.n + 1)}

    def note_answer(self, text: str) -> None:
        self.grid[self.chosen] = int(text.split()[-1])


def test_a_colour_against_the_player_is_of_a_round_that_the_cell_closes() -> None:
    """networkx finds the rounds; where there are two apart, each is spoiled at times."""
    spoiled: set[int] = set()
    for puzzle in make_puzzles(TASK, TASK.params(level=1), 12):
        commands = [said for said in TASK.play_reference(puzzle)[0] if said.form == "choice"]
        graph = nx.Graph()
        for x, y, colour in zip(puzzle.xs, puzzle.ys, puzzle.colours, strict=True):
            graph.add_edge(("x", x), ("y", y), colour=colour)
        state = TASK.start(puzzle)
        for turn, said in enumerate(commands):
            x, y = said.args
            ways = list(nx.edge_disjoint_paths(graph, ("x", x), ("y", y)))
            state = TASK.step(puzzle, state, said, TASK.step_luck(puzzle, turn))
            colours = [
                {graph.edges[pair]["colour"] for pair in itertools.pairwise(way)} for way in ways
            ]
            of = [k for k, way in enumerate(sorted(colours, key=len)) if state.colours[-1] in way]
            assert of
            spoiled |= set(of) if len(ways) > 1 else set()
            graph.add_edge(("x", x), ("y", y), colour=state.colours[-1])
    assert len(spoiled) == 2


def test_as_published_it_is_as_printed() -> None:
    compare_games(TASK, Twin, transcripts=600, published=True)


def test_a_fault_is_found() -> None:
    class Faulty(GridColoring):
        """Three colours are enough."""

        def _color_cell(self, puzzle: Any, state: Any, said: Any) -> State:
            return State(
                state.cells, state.colours, not super()._color_cell(puzzle, state, said).won
            )

    with pytest.raises(AssertionError, match="twin:"):
        compare_games(TASK, Twin, monitor=Faulty())


@pytest.mark.some(3)
@pytest.mark.parametrize("level", [1, 2, 3])
def test_the_player_wins_whatever_the_colours(level: int) -> None:
    """A chord's colour matters by the edge of the cycle that has it: all are tried."""
    for puzzle in make_puzzles(TASK, TASK.params(level=level), 6):
        shown, most = TASK.without_hidden(puzzle), 0
        waiting: list[tuple[int, ...]] = [()]
        while waiting:
            colours = waiting.pop()
            player, state = TASK.player(shown), TASK.start(puzzle)
            said = next(player)
            for colour in colours:
                state = State((*state.cells, said.args), (*state.colours, colour))
                said = player.send(colour)
            if said.form == "answer":
                assert TASK.list_outcomes(puzzle, state, said)[0].won
                most = max(most, len(colours) + 1)
                continue
            assert TASK.legal(puzzle, state, said) == ""
            if len(colours) < 2 or level == 1:
                tried = range(1, 2 * puzzle.size + 1, 1 if level == 1 and not colours else 4)
            else:
                tried = range(1, 2 * puzzle.size + 1, 17)
            waiting += [(*colours, colour) for colour in tried]
        assert 2 <= most <= puzzle.terms.bound <= 6


def test_there_is_no_rectangle_at_the_start() -> None:
    for puzzle in make_puzzles(TASK, TASK.params(level=1), 30):
        cells = set(zip(puzzle.xs, puzzle.ys, strict=True))
        assert len(cells) == 2 * puzzle.size == len(set(puzzle.colours))
        assert not any(
            {(a, d), (c, b)} <= cells for a, b in cells for c, d in cells if a != c and b != d
        )
