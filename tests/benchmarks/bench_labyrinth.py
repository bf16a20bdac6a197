"""Cost of the labyrinth: search, making and checking puzzles, pictures, random players.

    python tests/benchmarks/bench_labyrinth.py [puzzles a distance, default 8]

Times are processor time of one core. The ratio compares the compiled search with its plain twin in
Python on one turn.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.board_engine import LETTERS, SLOTS, Board, turn_tile
from facelet.generators.labyrinth.plan_task import instances
from facelet.generators.labyrinth.presentation import displays
from facelet.generators.labyrinth.presentation.displays import Display
from facelet.generators.labyrinth.search import exact_search
from facelet.renderers.api import render_png

DISPLAY = Display("overlay_symbolic", "target", 50)


def time_work(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what some work returns, and its processor time in milliseconds."""
    begin = time.process_time()
    result = work()
    return result, (time.process_time() - begin) * 1e3


def count_one_turn(board: Board, letter: str) -> int:
    """Count the ways in one turn without compiled code."""
    found = 0
    for slot in SLOTS:
        for tile in {turn_tile(board.spare_tile, quarters) for quarters in range(4)}:
            after = board.insert_tile(slot, tile)
            found += after.treasure_cell(letter) in after.reachable_cells()
    return found


def main(count: int) -> None:
    """Print the figures."""
    boards = [board_engine.draw_board(make_generator("bench", number)) for number in range(100)]
    spread: Counter[int] = Counter()
    for board in boards:
        spread.update(exact_search.survey_turns(board, LETTERS, 4).values())
    total = sum(spread.values())
    print("fewest insertions to the 24 treasures of random boards, pawn anywhere:")
    print("  " + ", ".join(f"{turns}: {spread[turns] / total:.2%}" for turns in sorted(spread)))
    plain, slow = time_work(lambda: [count_one_turn(board, "M") for board in boards[:20]])
    compiled, fast = time_work(
        lambda: [exact_search.count_ways(board, "M", 1).insertions for board in boards[:20]]
    )
    assert plain == compiled
    print(
        f"one turn: {slow / 20:.2f} ms in Python, {fast / 20:.4f} ms compiled: x {slow / fast:.0f}"
    )
    print("\nturns   make ms  prove ms  count ms   insertions        plans  random player")
    for turns in range(exact_search.LIMIT + 1):
        rng = make_generator("bench", "make", turns)
        made, making = time_work(
            lambda turns=turns, rng=rng: [
                instances.draw_instance(turns, DISPLAY, rng) for _ in range(count)
            ]
        )
        _, proving = time_work(
            lambda made=made: [exact_search.fewest_turns(p.board, p.target, p.turns) for p in made]
        )
        _, counting = time_work(
            lambda made=made: [
                exact_search.count_ways(p.board, p.target, max(1, p.turns)) for p in made
            ]
        )
        ways = [p.ways for p in made]
        print(
            f"{turns:5}  {making / count:8.1f}  {proving / count:8.2f}  {counting / count:8.2f}"
            f"  {sum(w.insertions for w in ways) / count:11.0f}"
            f"  {sum(w.plans for w in ways) / count:11.0f}"
            f"  {sum(w.chance for w in ways) / count:13.4%}"
        )
    print("\npicture             ms   bytes")
    for name, display in (
        ("plain, opacity 0", Display("visual", "target", 0)),
        ("opacity 50", Display("visual", "target", 50)),
        ("opacity 100", Display("visual", "target", 100)),
        ("overlay", DISPLAY),
        ("all, overlay", Display("overlay", "all", 50)),
    ):
        scenes = [displays.board_scene(board, "M", display) for board in boards[:20]]
        drawn, cost = time_work(lambda scenes=scenes: [render_png(scene) for scene in scenes])
        size = sum(len(data) for data, _ in drawn) / len(drawn)
        print(f"{name:<16}  {cost / 20:5.1f}  {size:6.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
