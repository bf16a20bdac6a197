"""What every game of the arcade keeps; games are found by the registry, each by its own name.

    pytest tests/generators/arcade -k password_breaking

runs these for one game, and its own tests. A game's own file, test_<game>.py beside this one, holds
its `Twin` (see tests/shared/arcade_twins.py). What its players win is recorded in
tests/golden/arcade/<game>.txt; `make golden TASK=arcade/<game>` records it anew.
"""

import dataclasses
import difflib
import importlib.util
import os
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from statistics import mean
from types import ModuleType
from typing import Any, get_args

import pytest
from arcade_twins import compare, make, refused

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.arcade.base.game import ArcadeGame
from facelet.generators.arcade.base.params import LEVELS, Opponent
from facelet.generators.arcade.base.picking import legally, won
from facelet.generators.arcade.beliefs.worlds import Ruled
from facelet.generators.core import registry
from facelet.generators.core.game import Game
from facelet.generators.core.params import described
from facelet.generators.core.seeding import generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.options.blind import Wins, blind, unread
from facelet.pipeline.dataset.floors import UNSTATED
from facelet.pipeline.scoring.counting.statistics import wilson

GAMES = [name for name in registry.names() if name.startswith("arcade/")]
ROWS = 30
PAIRS = 240
DEEP = [level if level == 1 else pytest.param(level, marks=pytest.mark.slow) for level in LEVELS]
"""Level 1 in every run, the others in `make test-slow`."""
BEYOND = (4, 6, 9)
FOLDER = Path(__file__).parents[2] / "golden" / "arcade"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS", "")


@pytest.fixture(params=[pytest.param(name, id=name.split("/")[1]) for name in GAMES])
def game(request: pytest.FixtureRequest) -> Any:
    found = registry.task(request.param)
    assert isinstance(found, ArcadeGame)
    return found


@cache
def rows(name: str, level: int, count: int = ROWS, **params: Any) -> tuple[Any, ...]:
    task = registry.task(name)
    return tuple(make(task, task.params(level=level, **params), count))


@cache
def figures(name: str, level: int) -> dict[str, Wins]:
    """Return what players without eyes win of a level."""
    task: Any = registry.task(name)
    puzzles = rows(name, level)
    rng = generator("alike", name, level)
    others = [task.alike(puzzle, 24, rng) for puzzle in puzzles[:6]]
    found = dict(blind(task, puzzles, task.random_command, plays=4))
    if all(others):
        found["unread"] = unread(task, others)
    return found


def own_tests(name: str) -> ModuleType:
    """Return a game's own test file."""
    path = Path(__file__).parent / f"test_{name.split('/')[1]}.py"
    assert path.exists(), f"{name} has no {path.name}; write one with a Twin of its monitor"
    spec = importlib.util.spec_from_file_location(f"twin_of_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# --- rows -----------------------------------------------------------------------------------------


@pytest.mark.some(2)
@pytest.mark.parametrize("level", DEEP)
def test_rows_are_distinct_and_won_inside_the_cap(game: Any, level: int) -> None:
    puzzles = rows(game.name, level)
    assert len({game.group(puzzle) for puzzle in puzzles}) == ROWS
    canonical = [column.name for column in game.columns if column.role == "canonical"]
    keys = [tuple(map(str, (game.encode(p)[name] for name in canonical))) for p in puzzles]
    assert not canonical or len(set(keys)) == ROWS
    for puzzle in puzzles:
        assert game.check(puzzle) == []
        terms = puzzle.terms
        assert 1 <= terms.reference_turns <= terms.turns
        sure = terms.bound is not None and terms.bound <= terms.turns
        assert sure == (terms.guarantee == "adversarial")
        assert not sure or terms.reference_turns <= terms.bound
        assert terms.optimum is None or terms.bound is None or terms.optimum <= terms.bound
        assert (terms.probability is None) == (terms.guarantee == "instance")
        assert game.group(puzzle) and hash(game.start(puzzle)) == hash(game.start(puzzle))


@pytest.mark.parametrize("level", DEEP)
def test_what_is_promised_holds_for_all_that_looks_alike(game: Any, level: int) -> None:
    """Other hidden things, and other luck, are won within the bound as well."""
    for puzzle in rows(game.name, level)[:6]:
        rng = generator("promised", game.name, level)
        others = game.alike(puzzle, 30, rng)
        won = 0
        for other in others:
            assert game.visible(other) == game.visible(puzzle)
            said, success = game.played(other)
            won += success
            if puzzle.terms.guarantee == "adversarial":
                assert success and len(said) <= puzzle.terms.bound, other
        if puzzle.terms.guarantee == "probability" and others:
            low, high = wilson(won, len(others))
            assert low - 0.1 <= puzzle.terms.probability <= high + 0.1


@pytest.mark.some(8)
def test_levels_grow_on(game: Any) -> None:
    """From level 4 on there are more and larger puzzles, won inside their caps."""
    before = ""
    for level in BEYOND:
        puzzles = rows(game.name, level, 3)
        assert len({game.group(puzzle) for puzzle in puzzles}) == 3
        assert all(game.check(puzzle) == [] for puzzle in puzzles)
        now = str(sorted(str(numbers_of(game, puzzle)) for puzzle in puzzles))
        assert now != before
        before = now
    assert total(game, rows(game.name, BEYOND[-1], 3)) > total(game, rows(game.name, 1)[:3])


@pytest.mark.slow
def test_the_last_level_is_drawn(game: Any) -> None:
    """Level 100, or the last one that is stated; `make bench-levels` says how long a row takes."""
    high = next(about.high for name, about, _ in described(game.params) if name == "level")
    (puzzle,) = rows(game.name, min(100, high), 1)
    assert game.check(puzzle) == []


def numbers_of(game: Any, puzzle: Any) -> list[float]:
    """Return the numbers of a row that a level may move: of the puzzle, and of its turns."""
    found: list[float] = []
    row = game.encode(puzzle)
    for column in game.columns:
        value = row[column.name]
        if column.role in ("puzzle", "secret") or column.name in ("turns", "bound"):
            whole = isinstance(value, int) and not isinstance(value, bool)
            found.append(value if whole else len(value) if isinstance(value, list | str) else 0)
    return found


def total(game: Any, puzzles: Any) -> float:
    """Return how large puzzles are: by the numbers of their rows, the turns and the prompt."""
    return mean(sum(numbers_of(game, puzzle)) for puzzle in puzzles)


@pytest.mark.some(6)
@pytest.mark.parametrize("level", LEVELS)
def test_the_papers_own_setting_can_be_had(game: Any, level: int) -> None:
    """Rows of `published` are won as well; where nothing can be, none is made."""
    for puzzle in rows(game.name, level, 3, published=True):
        assert game.check(puzzle) == []


def test_turns_can_be_set(game: Any) -> None:
    (usual,) = rows(game.name, 1, 1)
    (puzzle,) = rows(game.name, 1, 1, turns=usual.terms.turns + 5)
    assert game.turns(puzzle) == usual.terms.turns + 5
    assert game.check(puzzle) == []


@pytest.mark.some(4)
def test_no_turn_is_to_spare_where_that_is_asked(game: Any) -> None:
    for puzzle in rows(game.name, 1, 2, tight=True):
        assert game.check(puzzle) == []
        terms = puzzle.terms
        sure = terms.guarantee == "adversarial"
        assert terms.turns == (terms.bound if sure else terms.reference_turns)


@pytest.mark.some(4)
def test_a_game_that_forgets_shows_the_last_exchange_alone(game: Any) -> None:
    """What it is won by is the same, and notes in a reply come back once."""
    (puzzle,) = rows(game.name, 1, 1, forgetful=True)
    assert game.check(puzzle) == []
    episode = game.open(puzzle)
    first, replies = episode.prompt(), game.reference(puzzle)
    before = ""
    for number, reply in enumerate(replies):
        note = f"note {number} kept"
        answer = episode.reply(f"{note}\n{reply}")
        if isinstance(answer, Outcome):
            break
        text = " ".join(part.text for part in answer.messages[-1].parts)
        assert answer.fresh and answer.messages[0] == first.messages[0]
        assert answer.messages[-1].parts[: len(first.messages[1].parts)] == first.messages[1].parts
        assert note in text and "Turns left:" in text and not (before and before in text)
        before = note
    assert isinstance(answer, Outcome) and answer.status is Status.CORRECT
    assert not game.open(dataclasses.replace(puzzle, terms=plain(puzzle))).prompt().fresh


def plain(puzzle: Any) -> Any:
    """Return the terms of a puzzle whose game shows all turns."""
    return dataclasses.replace(puzzle.terms, forgetful=False)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.some(5)
@pytest.mark.parametrize(
    "transcripts", [pytest.param(400, id="some"), pytest.param(2000, marks=pytest.mark.slow)]
)
def test_the_monitor_agrees_with_its_twin(game: Any, transcripts: int) -> None:
    compare(game, own_tests(game.name).Twin, transcripts=transcripts)


@pytest.mark.parametrize("level", DEEP)
def test_random_players_keep_the_rules(game: Any, level: int) -> None:
    """Their commands are legal and can be written and read; luck does only what it may."""
    for number, puzzle in enumerate(rows(game.name, level)):
        rng = generator("rules", game.name, level, number)
        state, episode = game.start(puzzle), game.open(puzzle)
        for step in range(game.turns(puzzle)):
            said = game.random_command(puzzle, state, rng)
            assert game.legal(puzzle, state, said) == ""
            after = game.step(puzzle, state, said, game.luck(puzzle, step))
            assert after in list(game.outcomes(puzzle, state, said))
            answer = episode.reply(game.write(said))
            state = after
            if game.result(puzzle, state) is not None:
                break
            if step + 1 < game.turns(puzzle):
                assert not refused(answer.messages[-1].parts[0].text)
                assert episode._states[-1] == state


def test_luck_is_used_where_it_is_said_to_be(game: Any) -> None:
    """Other seeds make other plays, or there are none."""
    seeds = {puzzle.terms.seed for puzzle in rows(game.name, 1)}
    assert len(seeds) == (ROWS if game.by_luck else 1)


def test_worlds_are_those_of_the_rules(game: Any) -> None:
    """A game's own worlds agree with all that is possible, run one by one."""
    if type(game).worlds is ArcadeGame.worlds:
        return
    for number, puzzle in enumerate(rows(game.name, 1)[:8]):
        fast, slow = game.worlds(puzzle), Ruled(game, game.candidates(game.visible(puzzle)))
        state, rng = game.start(puzzle), generator("worlds", game.name, number)
        assert fast.count() == slow.count()
        for step in range(min(game.turns(puzzle), 8)):
            said = game.random_command(puzzle, state, rng)
            state = game.step(puzzle, state, said, game.luck(puzzle, step))
            heard = (game.observe(puzzle, state), game.result(puzzle, state))
            assert fast.hear(said, heard) == slow.hear(said, heard)
            assert fast.count() == slow.count() >= 1
            if heard[1] is not None:
                break


QUICK = ("lucks_out", "wins_by", "plan")
"""Methods that a game may have for speed, each with a slow twin."""


def test_quick_tries_end_as_those_that_are_played(game: Any) -> None:
    """Cheap players win the same puzzles, and draw the same, where no question is answered."""
    if all(getattr(type(game), name) is getattr(ArcadeGame, name) for name in QUICK):
        return
    for level in (1, 3):
        for number, puzzle in enumerate(rows(game.name, level)[:8]):
            seed = ("quick", game.name, level, number)
            quick, slow = generator(*seed), generator(*seed)
            for _ in range(6):
                assert game.lucks_out(puzzle, quick) == legally(game, puzzle, slow)
                assert quick.bit_generator.state == slow.bit_generator.state
            foreign = rows(game.name, 4 - level)[number]
            said = [game.random_command(foreign, game.start(foreign), quick) for _ in range(40)]
            for k in range(0, 40, 8):
                assert game.wins_by(puzzle, said[k:]) == won(game, puzzle, said[k:])
            for other in (puzzle, *game.alike(puzzle, 6, quick)):
                whole, part = game.played(other)[0], game.plan(other)
                assert won(game, other, part) == won(game, other, whole)
                wins = {game.wins_by(puzzle, part), game.wins_by(puzzle, whole)}
                assert wins == {won(game, puzzle, whole)}


@pytest.mark.some(7)
def test_opponents_can_be_chosen(game: Any) -> None:
    """What can be forced is won against each, and every move of the reference player keeps it."""
    if not isinstance(game, Duel):
        return
    for level in LEVELS:
        for opponent in get_args(Opponent):
            for puzzle in rows(game.name, level, 5, opponent=opponent):
                assert puzzle.opponent == opponent
                said, won = game.played(puzzle)
                states = [game.start(puzzle)]
                for number, command in enumerate(said):
                    luck = game.luck(puzzle, number)
                    states.append(game.step(puzzle, states[-1], command, luck))
                if puzzle.terms.guarantee == "adversarial":
                    found = game.figures(puzzle, said, states)
                    assert won and found["kept_winning_rate"] == 1.0


def test_who_sees_what_is_hidden_wins_sooner(game: Any) -> None:
    if type(game).direct is ArcadeGame.direct:
        return
    for puzzle in rows(game.name, 1)[:10]:
        said = game.direct(puzzle)
        assert len(said) <= puzzle.terms.reference_turns
        assert won(game, puzzle, said) and not won(game, puzzle, said[:-1])


# --- words ----------------------------------------------------------------------------------------


def test_the_example_is_an_exchange_by_the_rules(game: Any) -> None:
    text = game.example(rows(game.name, 1)[0])
    assert "You: " in text and "Not allowed" not in text and "can be read" not in text
    for deviation in game.deviations:
        assert deviation.here and deviation.why


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.some(8)
@pytest.mark.parametrize("level", DEEP)
def test_who_reads_no_answer_wins_no_more_than_is_said(game: Any, level: int) -> None:
    found = figures(game.name, level)
    limit = game.blind_limit(game.params(level=level))
    listed = UNSTATED if limit is None else limit.value
    most = {"repeat": listed, "fixed": listed, "unread": game.unread}
    for player in found.keys() & most.keys():
        wins = found[player]
        assert wilson(wins.won, wins.plays)[0] <= most[player], f"{player}: {wins}"


def borrowed(game: Any, params: Any) -> Wins:
    """Return how many puzzles the commands win that win another, as a build makes both."""
    room = game.capacity(params)
    each = PAIRS if room is None else min(PAIRS, room - 1)
    found, seed = [], 0
    while len(found) < PAIRS:
        puzzles = make(game, params, each + 1, seed)
        for puzzle, other in pairwise(puzzles):
            theirs = game.played(other)[0]
            found.append(theirs != game.played(puzzle)[0] and won(game, puzzle, theirs))
        seed += 1
    return Wins(sum(found), len(found))


@pytest.mark.slow
def test_commands_for_another_puzzle_win_as_many_as_is_said(game: Any) -> None:
    """Neither more, by 95% intervals, nor so many fewer that the share says nothing."""
    opponents: tuple[Any, ...] = get_args(Opponent) if isinstance(game, Duel) else ()
    settings = [game.params(), *(game.params(opponent=opponent) for opponent in opponents)]
    said: dict[float, Wins] = {}
    for params in settings:
        share, wins = game.borrowed(params), borrowed(game, params)
        low, _ = wilson(wins.won, wins.plays)
        assert low <= share, f"{params}: {wins}"
        said[share] = max(said.get(share, wins), wins, key=lambda found: found.share)
    for share, wins in said.items():
        _, high = wilson(wins.won, wins.plays)
        assert share == Game.fixed or share <= high, f"fixed = {share} of {wins}"


def report(game: Any, levels: Sequence[int]) -> Iterator[str]:
    """Yield a table: what is promised of the levels, and what the players win."""
    yield f"{game.name} version {game.version}"
    listed = ", ".join(f"{most:g} at level {level}" for level, most in game.lucky.items())
    yield f"listed wins at most {listed or UNSTATED}, unread at most {game.unread:g}"
    for level in levels:
        terms = [puzzle.terms for puzzle in rows(game.name, level)]
        yield f"\nlevel {level}, {len(terms)} rows"
        kinds = sorted({(t.guarantee, t.probability) for t in terms}, key=str)
        for kind, odds in kinds[:4]:
            count = sum((t.guarantee, t.probability) == (kind, odds) for t in terms)
            yield f"guarantee {kind}, probability {odds}: {count}"
        for name in ("turns", "bound", "optimum", "reference_turns", "first_luck"):
            values = [value for t in terms if (value := getattr(t, name)) is not None]
            if values:
                yield f"{name}: {min(values):g} to {max(values):g}, mean {mean(values):.3f}"
        bits = [t.reference_bits for t in terms if t.reference_bits is not None]
        if bits:
            yield f"reference_bits: mean {mean(bits):.3f}"
        for player, wins in figures(game.name, level).items():
            low, high = wilson(wins.won, wins.plays)
            yield f"{player} wins {wins.won} of {wins.plays}: {low:.3f} to {high:.3f}"


@pytest.mark.parametrize(
    "levels", [pytest.param((1,), id="first"), pytest.param(LEVELS, marks=pytest.mark.slow)]
)
@pytest.mark.some(3)
def test_the_figures_are_those_recorded(game: Any, levels: Sequence[int]) -> None:
    """Those of level 1 in every run, the others in `make test-slow` and where they are recorded."""
    path = FOLDER / f"{game.name.split('/')[1]}.txt"
    text = "\n".join(report(game, levels)) + "\n"
    if RECORD in ("1", "all", game.name) and levels == LEVELS:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    command = f"make golden TASK={game.name}"
    assert path.exists(), f"no figures of {game.name} are recorded; use `{command}` and read them"
    recorded = path.read_text(encoding="utf-8")
    if levels != LEVELS:
        recorded = recorded[: recorded.index(f"\nlevel {levels[-1] + 1}, ")]
    lines = difflib.unified_diff(recorded.splitlines(), text.splitlines(), "recorded", "now", n=1)
    assert text == recorded, f"use `{command}` if that is meant:\n" + "\n".join(lines)


def test_every_record_has_a_game() -> None:
    assert {f"arcade/{path.stem}" for path in FOLDER.glob("*.txt")} <= set(GAMES)


def test_a_blind_win_is_noticed(game: Any) -> None:
    """Were only one thing hidden in all rows, the blind player would win them all."""
    (puzzle,) = rows(game.name, 1, 1)
    assert unread(game, [[puzzle] * 4]).share == 1.0


def test_best_opponents_answer_as_their_outlook_says(game: Any) -> None:
    """A duel whose best opponent is found at once draws what is found move by move."""
    if not isinstance(game, Duel) or type(game).step is Duel.step:
        return
    for puzzle in rows(game.name, 2)[:4]:
        assert puzzle.opponent == "optimal"
        rng, state = generator("best", game.name, game.group(puzzle)), game.start(puzzle)
        for turn in range(game.turns(puzzle)):
            if game.result(puzzle, state) is not None:
                break
            said = game.random_command(puzzle, state, rng)
            quick = game.step(puzzle, state, said, game.luck(puzzle, turn))
            assert quick == Duel.step(game, puzzle, state, said, game.luck(puzzle, turn))
            state = quick
