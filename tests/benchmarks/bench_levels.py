"""Games of the arcade: seconds that a row of a high level takes on one core, against a limit.

    make bench-levels           # or: python tests/benchmarks/bench_levels.py [GAME ...]

Of each game the first rows of level 100, or of the last level that it states, are drawn, proven and
written as text. Where one takes longer than the limit the game should state an earlier last level.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from arcade_twins import make_puzzles

from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params

LEVEL, ROWS, LIMIT = 100, 3, 2.0


def last_level(game: Any) -> int:
    """Return level 100, or the last one if that is earlier."""
    high = next(about.high for name, about, _ in list_params(game.params) if name == "level")
    return min(LEVEL, high or LEVEL)


def main(names: list[str]) -> int:
    """Print the table; return how many games pass the limit."""
    games = names or [name for name in task_registry.task_names() if name.startswith("arcade/")]
    late = 0
    print(f"{'game':28s} level  seconds a row, at most {LIMIT:g}")
    for name in games:
        game: Any = task_registry.load_task(name)
        make_puzzles(game, game.params(), 1)  # what is read and compiled once is no part of a row
        params = game.params(level=last_level(game))
        start = time.process_time()
        for puzzle in make_puzzles(game, params, ROWS):
            game.encode(puzzle)
            game.open(puzzle).prompt()
        spent = (time.process_time() - start) / ROWS
        late += spent > LIMIT
        mark = "  too long" if spent > LIMIT else ""
        print(f"{name.split('/')[1]:28s} {params.level:5d}  {spent:.2f}{mark}", flush=True)
    print(f"{len(games) - late} of {len(games)} games are within the limit")
    return late


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
