"""Games of the arcade: monitor turns a second on one core, at the paper's hardest level.

    make bench-arcade           # or: python tests/benchmarks/bench_arcade.py [GAME ...]

A turn is a reply as text: parsed, judged, carried out and answered. Half of the plays are the
reference player's, half are random legal ones, as `random` of
tests/shared/prompt_only_players.py makes them. The figures of what a player knew are
worked out once, at the end of a play, and stand in a column of their own. Making is a row from
nothing, its reference play included.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from targets import BenchTarget, heading, print_row, summary

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

from arcade_twins import make_puzzles, without_figures

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome

LEVEL = 3
ROWS = 30
SECONDS = 0.5
MUST, REACH = 5_000, 20_000


def pair_replies(game: Any, puzzles: list[Any]) -> list[tuple[Any, list[str]]]:
    """Return puzzles and replies: of each the reference player's, and random ones."""
    found = []
    for number, puzzle in enumerate(puzzles):
        found.append((puzzle, game.reference(puzzle)))
        rng, state = make_generator("bench arcade", game.name, number), game.start(puzzle)
        lines: list[str] = []
        while len(lines) < game.turn_budget(puzzle) and game.result(puzzle, state) is None:
            said = game.random_command(puzzle, state, rng)
            state = game.step(puzzle, state, said, game.step_luck(puzzle, len(lines)))
            lines.append(game.format_command(said))
        found.append((puzzle, lines))
    return found


def measure_turn_rate(game: Any, transcripts: list[tuple[Any, list[str]]], seconds: float) -> float:
    """Return the turns a second."""
    turns, spent = 0, 0.0
    while spent < seconds:
        start = time.process_time()
        for puzzle, lines in transcripts:
            episode = game.open(puzzle)
            for line in lines:
                turns += 1
                if isinstance(episode.reply(line), Outcome):
                    break
        spent += time.process_time() - start
    return turns / spent


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1:]
    targets = []
    heading("game", "turns a second", "with figures", "making, rows a second")
    for name in task_registry.task_names():
        family, short = name.split("/")
        if family != "arcade" or (wanted and short not in wanted):
            continue
        game: Any = task_registry.load_task(name)
        start = time.process_time()
        puzzles = make_puzzles(game, game.params(level=LEVEL), ROWS)
        making = ROWS / (time.process_time() - start)
        transcripts = pair_replies(game, puzzles)
        measure_turn_rate(game, transcripts, SECONDS / 5)
        speed = measure_turn_rate(without_figures(game), transcripts, SECONDS)
        print_row(
            short,
            f"{speed:,.0f}",
            f"{measure_turn_rate(game, transcripts, SECONDS):,.0f}",
            f"{making:,.0f}",
        )
        targets.append(BenchTarget(f"{short}, turns a second", speed, MUST, REACH))
    summary(targets)


if __name__ == "__main__":
    main()
