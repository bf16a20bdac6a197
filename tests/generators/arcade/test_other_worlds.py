"""What rows promise holds in worlds that no row has: 180 of each game, 7,200 of all.

A world is all that a player is not told: what is hidden, and what is drawn or played while the game
goes on. Rows of the paper's three levels are made, and for each other worlds that look the same at
its start; a world that is that of a row is passed over. Of a row of guarantee

    adversarial  the reference player wins each world within the `bound`, which the turns allow,
                 also where what may come of a command is drawn evenly, whatever the opponent likes
    probability  it wins the share of worlds that the column says
    instance     nothing is said of worlds that look alike, so other rows are the worlds

and of all, the player that is handed what the row shows wins the row in `reference_turns`, and no
first command wins more worlds than `first_luck` says. All is played here turn by turn, not by what
a game says of its own play.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from arcade_twins import make_puzzles

from facelet.generators.arcade.base.game import ArcadeGame
from facelet.generators.arcade.base.params import LEVELS
from facelet.generators.core import task_registry
from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import make_generator
from facelet.pipeline.scoring.aggregate.statistics import wilson_interval

GAMES = [name for name in task_registry.task_names() if name.startswith("arcade/")]
ROWS = 20
EACH = 60
"""Worlds of a game and a level."""
ROUNDS = 12
"""Times that each row may be asked for worlds; few look the same as a small puzzle."""
SEEDS = 12
"""Seeds that other rows are made from."""

AnyGame = ArcadeGame[Any, Any, Any]
Chooses = Callable[[int, Any, Command], Any]
"""The state that follows the turn of a number, a state and a command."""


@dataclass
class WorldTrials:
    """What came of the worlds of a game and a level.

    Attributes:
        sure: worlds that are won for certain.
        odds: worlds of which a chance is said, as (won, chance).
        own: worlds that are rows themselves.
    """

    certain_wins: int = 0
    odds: list[tuple[bool, float]] = field(default_factory=list)
    own_rows: int = 0

    @property
    def world_count(self) -> int:
        return self.certain_wins + len(self.odds) + self.own_rows


def play_reference(game: AnyGame, puzzle: Any, follow: Chooses) -> tuple[list[Command], bool]:
    """Return the commands of the reference player, which is shown the start, and if they win."""
    player, state = game.player(game.without_hidden(puzzle)), game.start(puzzle)
    commands: list[Command] = []
    said = next(player)
    while len(commands) < game.turn_budget(puzzle):
        assert game.legal(puzzle, state, said) == "", f"{said} is not allowed"
        commands.append(said)
        state = follow(len(commands) - 1, state, said)
        if (over := game.result(puzzle, state)) is not None:
            return commands, over
        try:
            said = player.send(game.observe(puzzle, state))
        except StopIteration:
            break
    return commands, False


def follow_luck(game: AnyGame, puzzle: Any) -> Chooses:
    """Return what the rules and the luck of the puzzle make of a command."""
    return lambda turn, state, said: game.step(puzzle, state, said, game.step_luck(puzzle, turn))


def follow_evenly(game: AnyGame, puzzle: Any, rng: np.random.Generator) -> Chooses:
    """Return any that may come of a command: no opponent or draw is left out."""

    def choose_evenly(turn: int, state: Any, said: Command) -> Any:
        found = list(game.list_outcomes(puzzle, state, said))
        return found[int(rng.integers(len(found)))]

    return choose_evenly


def world_key(game: AnyGame, puzzle: Any) -> Hashable:
    """Return what tells one world from another."""
    return game.group_key(puzzle), puzzle.terms.seed


def iterate_worlds(game: AnyGame, rows: Sequence[Any], level: int) -> Iterator[tuple[Any, Any]]:
    """Yield rows, each with a world that looks like it and is that of no row; none twice."""
    known = {world_key(game, row) for row in rows}
    for number in range(ROUNDS):
        for place, row in enumerate(rows):
            rng = make_generator("other worlds", game.name, level, number, place)
            for world in game.draw_lookalikes(row, 4, rng):
                if world_key(game, world) not in known:
                    known.add(world_key(game, world))
                    yield row, world


def check_row(game: AnyGame, row: Any) -> None:
    """Assert what a row says of itself."""
    terms = row.terms
    commands, won = play_reference(game, row, follow_luck(game, row))
    assert won and len(commands) == terms.reference_turns <= terms.turns, row
    assert (terms.guarantee == "adversarial") == (
        terms.bound is not None and terms.bound <= terms.turns
    )
    assert terms.optimum is None or terms.bound is None or terms.optimum <= terms.bound
    assert (terms.probability == 1.0) == (terms.guarantee == "adversarial")


def check_first_commands(game: AnyGame, rows: Sequence[Any], level: int) -> None:
    """Assert that first commands win no more worlds than rows say, beyond what luck gives.

    Of worlds that look alike a half gives commands, any legal ones and those that win at last, and
    the other half tries them.
    """
    tries, expected, won = 0, 0.0, 0
    for place, row in enumerate(rows):
        rng = make_generator("first commands", game.name, level, place)
        givers, takers = game.draw_lookalikes(row, 10, rng), game.draw_lookalikes(row, 20, rng)
        state = game.start(row)
        said = [game.random_command(row, state, rng) for _ in takers[:10]]
        said += [game.play_reference(world)[0][-1] for world in givers]
        for command, world in zip(said, takers, strict=True):
            state = game.start(world)
            if not game.legal(world, state, command):
                after = game.step(world, state, command, game.step_luck(world, 0))
                won += game.result(world, after) is True
            tries, expected = tries + 1, expected + row.terms.first_luck
    assert won <= expected + 4 * expected**0.5, f"{won} of {tries} win at once, not {expected:.1f}"


def try_worlds(game: AnyGame, level: int, wanted: int) -> WorldTrials:
    """Try rows of a level and worlds that look like them, or else other rows.

    Args:
        game: the game.
        level: the level.
        wanted: worlds to try; a small level may have fewer.
    """
    params, found = game.params(level=level), WorldTrials()
    rows = make_puzzles(game, params, ROWS)
    for row in rows:
        check_row(game, row)
    check_first_commands(game, rows, level)
    for row, world in iterate_worlds(game, rows, level):
        assert game.without_hidden(world) == game.without_hidden(row)
        terms = row.terms
        if terms.guarantee == "instance":
            continue
        commands, won = play_reference(game, world, follow_luck(game, world))
        if terms.guarantee == "probability":
            found.odds.append((won, terms.probability))
        else:
            assert won and len(commands) <= terms.bound, f"{len(commands)} turns, {won}: {world}"
            if game.by_luck:
                rng = make_generator("any that may come", game.name, world.terms.seed)
                commands, won = play_reference(game, world, follow_evenly(game, world, rng))
                assert won and len(commands) <= terms.bound, f"{commands}, {won}: {world}"
            found.certain_wins += 1
        if found.world_count >= wanted:
            return found
    ours, seed = {world_key(game, row) for row in rows}, 0
    while found.world_count < wanted and seed < SEEDS:
        seed += 1
        for world in make_puzzles(game, params, ROWS, seed):
            if world_key(game, world) not in ours:
                ours.add(world_key(game, world))
                check_row(game, world)
                found.own_rows += 1
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_what_rows_promise_holds_in_other_worlds(name: str) -> None:
    game: Any = task_registry.load_task(name)
    all_, left = 0, EACH * len(LEVELS)
    for levels_left, level in zip((3, 2, 1), LEVELS, strict=True):
        found = try_worlds(game, level, left // levels_left)
        all_, left = all_ + found.world_count, left - found.world_count
        if found.odds:
            won, expected = sum(won for won, _ in found.odds), sum(odds for _, odds in found.odds)
            low, high = wilson_interval(won, len(found.odds))
            assert low <= expected / len(found.odds) <= high, f"{won}, not {expected}"
        print(
            f"{name} {level}: {found.certain_wins} sure, {len(found.odds)} by "
            f"odds, {found.own_rows} rows"
        )
    assert all_ >= EACH * len(LEVELS)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_a_chance_that_is_stated_is_that_of_all_worlds(name: str) -> None:
    """Where all that may be hidden can be listed and nothing is drawn, the share is exact."""
    game: Any = task_registry.load_task(name)
    if game.by_luck or type(game).odds is ArcadeGame.win_probability:
        return
    for level in LEVELS:
        for row in make_puzzles(game, game.params(level=level), ROWS):
            if row.terms.guarantee != "probability":
                continue
            worlds = list(game.list_candidates(game.without_hidden(row)) or ())
            won = sum(play_reference(game, world, follow_luck(game, world))[1] for world in worlds)
            assert worlds and won / len(worlds) == pytest.approx(row.terms.probability)


@pytest.mark.parametrize("name", ["arcade/median_query", "arcade/xor_breaking"])
def test_a_player_that_needs_a_turn_more_is_noticed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game: Any = task_registry.load_task(name)

    def play_slower(shown: Any) -> Iterator[Command]:
        """Say the first command for nothing, and only then play."""
        yield next(type(game).player(game, shown))
        yield from type(game).player(game, shown)

    rows = make_puzzles(game, game.params(level=1), 2)
    for row in rows:
        check_row(game, row)
    monkeypatch.setattr(game, "player", play_slower)
    with pytest.raises((AssertionError, StopIteration)):
        for row in rows:
            check_row(game, row)
