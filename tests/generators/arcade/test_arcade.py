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
from arcade_twins import compare_games, make_puzzles, refusal_kind
from prompt_only_players import (
    WinCount,
    prompt_only_win_rate,
    prompt_only_wins,
    read_fixed_share,
)

from facelet.generators.arcade.base.duel import Duel
from facelet.generators.arcade.base.game import ArcadeGame
from facelet.generators.arcade.base.params import LEVELS, Opponent
from facelet.generators.arcade.base.puzzle_selection import (
    wins_by_commands,
    wins_by_random_commands,
)
from facelet.generators.arcade.beliefs.candidate_sets import SimulatedCandidates
from facelet.generators.core import task_registry
from facelet.generators.core.params import list_params
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.core.text_game import Game
from facelet.pipeline.dataset.floor_record import UNSTATED
from facelet.pipeline.scoring.aggregate.statistics import wilson_interval

GAMES = [name for name in task_registry.task_names() if name.startswith("arcade/")]
ROWS = 30
PAIRS = 240
DEEP = [level if level == 1 else pytest.param(level, marks=pytest.mark.slow) for level in LEVELS]
"""Level 1 in every run, the others in `make test-slow`."""
BEYOND = (4, 6, 9)
FOLDER = Path(__file__).parents[2] / "golden" / "arcade"
RECORD = os.environ.get("FACELET_RECORD_GOLDENS", "")


@pytest.fixture(params=[pytest.param(name, id=name.split("/")[1]) for name in GAMES])
def game(request: pytest.FixtureRequest) -> Any:
    found = task_registry.load_task(request.param)
    assert isinstance(found, ArcadeGame)
    return found


@cache
def make_rows(name: str, level: int, count: int = ROWS, **params: Any) -> tuple[Any, ...]:
    task = task_registry.load_task(name)
    return tuple(make_puzzles(task, task.params(level=level, **params), count))


@cache
def count_wins(name: str, level: int) -> dict[str, WinCount]:
    """Return what players without eyes win of a level."""
    task: Any = task_registry.load_task(name)
    puzzles = make_rows(name, level)
    rng = make_generator("alike", name, level)
    others = [task.draw_lookalikes(puzzle, 24, rng) for puzzle in puzzles[:6]]
    found = dict(prompt_only_wins(task, puzzles, task.random_command, plays=4))
    if all(others):
        found["unread"] = prompt_only_win_rate(task, others)
    return found


def load_game_tests(name: str) -> ModuleType:
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
    puzzles = make_rows(game.name, level)
    assert len({game.group_key(puzzle) for puzzle in puzzles}) == ROWS
    canonical = [column.name for column in game.columns if column.role == "canonical"]
    keys = [tuple(map(str, (game.encode(p)[name] for name in canonical))) for p in puzzles]
    assert not canonical or len(set(keys)) == ROWS
    for puzzle in puzzles:
        assert game.find_faults(puzzle) == []
        terms = puzzle.terms
        assert 1 <= terms.reference_turns <= terms.turns
        sure = terms.bound is not None and terms.bound <= terms.turns
        assert sure == (terms.guarantee == "adversarial")
        assert not sure or terms.reference_turns <= terms.bound
        assert terms.optimum is None or terms.bound is None or terms.optimum <= terms.bound
        assert (terms.probability is None) == (terms.guarantee == "instance")
        assert game.group_key(puzzle) and hash(game.start(puzzle)) == hash(game.start(puzzle))


@pytest.mark.parametrize("level", DEEP)
def test_what_is_promised_holds_for_all_that_looks_alike(game: Any, level: int) -> None:
    """Other hidden things, and other luck, are won within the bound as well."""
    for puzzle in make_rows(game.name, level)[:6]:
        rng = make_generator("promised", game.name, level)
        others = game.draw_lookalikes(puzzle, 30, rng)
        won = 0
        for other in others:
            assert game.without_hidden(other) == game.without_hidden(puzzle)
            said, success = game.play_reference(other)
            won += success
            if puzzle.terms.guarantee == "adversarial":
                assert success and len(said) <= puzzle.terms.bound, other
        if puzzle.terms.guarantee == "probability" and others:
            low, high = wilson_interval(won, len(others))
            assert low - 0.1 <= puzzle.terms.probability <= high + 0.1


@pytest.mark.some(8)
def test_levels_grow_on(game: Any) -> None:
    """From level 4 on there are more and larger puzzles, won inside their caps."""
    before = ""
    for level in BEYOND:
        puzzles = make_rows(game.name, level, 3)
        assert len({game.group_key(puzzle) for puzzle in puzzles}) == 3
        assert all(game.find_faults(puzzle) == [] for puzzle in puzzles)
        now = str(sorted(str(movable_numbers(game, puzzle)) for puzzle in puzzles))
        assert now != before
        before = now
    assert total_size(game, make_rows(game.name, BEYOND[-1], 3)) > total_size(
        game, make_rows(game.name, 1)[:3]
    )


@pytest.mark.slow
def test_the_last_level_is_drawn(game: Any) -> None:
    """Level 100, or the last one that is stated; `make bench-levels` says how long a row takes."""
    high = next(about.high for name, about, _ in list_params(game.params) if name == "level")
    (puzzle,) = make_rows(game.name, min(100, high), 1)
    assert game.find_faults(puzzle) == []


def movable_numbers(game: Any, puzzle: Any) -> list[float]:
    """Return the numbers of a row that a level may move: of the puzzle, and of its turns."""
    found: list[float] = []
    row = game.encode(puzzle)
    for column in game.columns:
        value = row[column.name]
        if column.role in ("puzzle", "secret") or column.name in ("turns", "bound"):
            whole = isinstance(value, int) and not isinstance(value, bool)
            found.append(value if whole else len(value) if isinstance(value, list | str) else 0)
    return found


def total_size(game: Any, puzzles: Any) -> float:
    """Return how large puzzles are: by the numbers of their rows, the turns and the prompt."""
    return mean(sum(movable_numbers(game, puzzle)) for puzzle in puzzles)


@pytest.mark.some(6)
@pytest.mark.parametrize("level", LEVELS)
def test_the_papers_own_setting_can_be_had(game: Any, level: int) -> None:
    """Rows of `published` are won as well; where nothing can be, none is made."""
    for puzzle in make_rows(game.name, level, 3, published=True):
        assert game.find_faults(puzzle) == []


def test_turns_can_be_set(game: Any) -> None:
    (usual,) = make_rows(game.name, 1, 1)
    (puzzle,) = make_rows(game.name, 1, 1, turns=usual.terms.turns + 5)
    assert game.turn_budget(puzzle) == usual.terms.turns + 5
    assert game.find_faults(puzzle) == []


@pytest.mark.some(4)
def test_no_turn_is_to_spare_where_that_is_asked(game: Any) -> None:
    for puzzle in make_rows(game.name, 1, 2, tight=True):
        assert game.find_faults(puzzle) == []
        terms = puzzle.terms
        sure = terms.guarantee == "adversarial"
        assert terms.turns == (terms.bound if sure else terms.reference_turns)


@pytest.mark.some(4)
def test_a_game_that_forgets_shows_the_last_exchange_alone(game: Any) -> None:
    """What it is won by is the same, and notes in a reply come back once."""
    (puzzle,) = make_rows(game.name, 1, 1, forgetful=True)
    assert game.find_faults(puzzle) == []
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
    assert not game.open(dataclasses.replace(puzzle, terms=plain_terms(puzzle))).prompt().fresh


def plain_terms(puzzle: Any) -> Any:
    """Return the terms of a puzzle whose game shows all turns."""
    return dataclasses.replace(puzzle.terms, forgetful=False)


# --- rules ----------------------------------------------------------------------------------------


@pytest.mark.some(5)
@pytest.mark.parametrize(
    "transcripts", [pytest.param(400, id="some"), pytest.param(2000, marks=pytest.mark.slow)]
)
def test_the_monitor_agrees_with_its_twin(game: Any, transcripts: int) -> None:
    compare_games(game, load_game_tests(game.name).Twin, transcripts=transcripts)


@pytest.mark.parametrize("level", DEEP)
def test_random_players_keep_the_rules(game: Any, level: int) -> None:
    """Their commands are legal and can be written and read; luck does only what it may."""
    for number, puzzle in enumerate(make_rows(game.name, level)):
        rng = make_generator("rules", game.name, level, number)
        state, episode = game.start(puzzle), game.open(puzzle)
        for step in range(game.turn_budget(puzzle)):
            said = game.random_command(puzzle, state, rng)
            assert game.legal(puzzle, state, said) == ""
            after = game.step(puzzle, state, said, game.step_luck(puzzle, step))
            assert after in list(game.list_outcomes(puzzle, state, said))
            answer = episode.reply(game.format_command(said))
            state = after
            if game.result(puzzle, state) is not None:
                break
            if step + 1 < game.turn_budget(puzzle):
                assert not refusal_kind(answer.messages[-1].parts[0].text)
                assert episode._states[-1] == state


def test_luck_is_used_where_it_is_said_to_be(game: Any) -> None:
    """Other seeds make other plays, or there are none."""
    seeds = {puzzle.terms.seed for puzzle in make_rows(game.name, 1)}
    assert len(seeds) == (ROWS if game.by_luck else 1)


def test_worlds_are_those_of_the_rules(game: Any) -> None:
    """A game's own worlds agree with all that is possible, run one by one."""
    if type(game).candidate_set is ArcadeGame.candidate_set:
        return
    for number, puzzle in enumerate(make_rows(game.name, 1)[:8]):
        fast, slow = (
            game.candidate_set(puzzle),
            SimulatedCandidates(game, game.list_candidates(game.without_hidden(puzzle))),
        )
        state, rng = game.start(puzzle), make_generator("worlds", game.name, number)
        assert fast.count_candidates() == slow.count_candidates()
        for step in range(min(game.turn_budget(puzzle), 8)):
            said = game.random_command(puzzle, state, rng)
            state = game.step(puzzle, state, said, game.step_luck(puzzle, step))
            heard = (game.observe(puzzle, state), game.result(puzzle, state))
            assert fast.observe_answer(said, heard) == slow.observe_answer(said, heard)
            assert fast.count_candidates() == slow.count_candidates() >= 1
            if heard[1] is not None:
                break


QUICK = ("wins_randomly", "wins_by", "reference_plan")
"""Methods that a game may have for speed, each with a slow twin."""


def test_quick_tries_end_as_those_that_are_played(game: Any) -> None:
    """Cheap players win the same puzzles, and draw the same, where no question is answered."""
    if all(getattr(type(game), name) is getattr(ArcadeGame, name) for name in QUICK):
        return
    for level in (1, 3):
        for number, puzzle in enumerate(make_rows(game.name, level)[:8]):
            seed = ("quick", game.name, level, number)
            quick, slow = make_generator(*seed), make_generator(*seed)
            for _ in range(6):
                assert game.wins_randomly(puzzle, quick) == wins_by_random_commands(
                    game, puzzle, slow
                )
                assert quick.bit_generator.state == slow.bit_generator.state
            foreign = make_rows(game.name, 4 - level)[number]
            said = [game.random_command(foreign, game.start(foreign), quick) for _ in range(40)]
            for k in range(0, 40, 8):
                assert game.wins_by(puzzle, said[k:]) == wins_by_commands(game, puzzle, said[k:])
            for other in (puzzle, *game.draw_lookalikes(puzzle, 6, quick)):
                whole, part = game.play_reference(other)[0], game.reference_plan(other)
                assert wins_by_commands(game, other, part) == wins_by_commands(game, other, whole)
                wins = {game.wins_by(puzzle, part), game.wins_by(puzzle, whole)}
                assert wins == {wins_by_commands(game, puzzle, whole)}


@pytest.mark.some(7)
def test_opponents_can_be_chosen(game: Any) -> None:
    """What can be forced is won against each, and every move of the reference player keeps it."""
    if not isinstance(game, Duel):
        return
    for level in LEVELS:
        for opponent in get_args(Opponent):
            for puzzle in make_rows(game.name, level, 5, opponent=opponent):
                assert puzzle.opponent == opponent
                said, won = game.play_reference(puzzle)
                states = [game.start(puzzle)]
                for number, command in enumerate(said):
                    luck = game.step_luck(puzzle, number)
                    states.append(game.step(puzzle, states[-1], command, luck))
                if puzzle.terms.guarantee == "adversarial":
                    found = game.play_metrics(puzzle, said, states)
                    assert won and found["kept_winning_rate"] == 1.0


def test_who_sees_what_is_hidden_wins_sooner(game: Any) -> None:
    if type(game).shortest_commands is ArcadeGame.shortest_commands:
        return
    for puzzle in make_rows(game.name, 1)[:10]:
        said = game.shortest_commands(puzzle)
        assert len(said) <= puzzle.terms.reference_turns
        assert wins_by_commands(game, puzzle, said) and not wins_by_commands(
            game, puzzle, said[:-1]
        )


# --- words ----------------------------------------------------------------------------------------


def test_the_example_is_an_exchange_by_the_rules(game: Any) -> None:
    text = game.sample_exchange(make_rows(game.name, 1)[0])
    assert "You: " in text and "Not allowed" not in text and "can be read" not in text
    for deviation in game.deviations:
        assert deviation.here and deviation.why


# --- figures --------------------------------------------------------------------------------------


@pytest.mark.some(8)
@pytest.mark.parametrize("level", DEEP)
def test_who_reads_no_answer_wins_no_more_than_is_said(game: Any, level: int) -> None:
    found = count_wins(game.name, level)
    limit = game.blind_limit(game.params(level=level))
    listed = UNSTATED if limit is None else limit.value
    most = {"repeat": listed, "fixed": listed, "unread": game.unread}
    for player in found.keys() & most.keys():
        wins = found[player]
        assert wilson_interval(wins.won, wins.plays)[0] <= most[player], f"{player}: {wins}"


def count_borrowed_wins(game: Any, params: Any) -> WinCount:
    """Return how many puzzles the commands win that win another, as a build makes both."""
    room = game.capacity(params)
    each = PAIRS if room is None else min(PAIRS, room - 1)
    found, seed = [], 0
    while len(found) < PAIRS:
        puzzles = make_puzzles(game, params, each + 1, seed)
        for puzzle, other in pairwise(puzzles):
            theirs = game.play_reference(other)[0]
            found.append(
                theirs != game.play_reference(puzzle)[0] and wins_by_commands(game, puzzle, theirs)
            )
        seed += 1
    return WinCount(sum(found), len(found))


@pytest.mark.slow
def test_commands_for_another_puzzle_win_as_many_as_is_said(game: Any) -> None:
    """Neither more, by 95% intervals, nor so many fewer that the share says nothing."""
    opponents: tuple[Any, ...] = get_args(Opponent) if isinstance(game, Duel) else ()
    settings = [game.params(), *(game.params(opponent=opponent) for opponent in opponents)]
    said: dict[float, WinCount] = {}
    for params in settings:
        share, wins = read_fixed_share(game, params), count_borrowed_wins(game, params)
        low, _ = wilson_interval(wins.won, wins.plays)
        assert low <= share, f"{params}: {wins}"
        said[share] = max(said.get(share, wins), wins, key=lambda found: found.win_share)
    for share, wins in said.items():
        _, high = wilson_interval(wins.won, wins.plays)
        assert share == Game.fixed or share <= high, f"fixed = {share} of {wins}"


def render_report(game: Any, levels: Sequence[int]) -> Iterator[str]:
    """Yield a table: what is promised of the levels, and what the players win."""
    yield f"{game.name} version {game.version}"
    listed = ", ".join(f"{most.value:g} at level {level}" for level, most in game.lucky.items())
    yield f"listed wins at most {listed or UNSTATED}, unread at most {game.unread:g}"
    for level in levels:
        terms = [puzzle.terms for puzzle in make_rows(game.name, level)]
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
        for player, wins in count_wins(game.name, level).items():
            low, high = wilson_interval(wins.won, wins.plays)
            yield f"{player} wins {wins.won} of {wins.plays}: {low:.3f} to {high:.3f}"


@pytest.mark.parametrize(
    "levels", [pytest.param((1,), id="first"), pytest.param(LEVELS, marks=pytest.mark.slow)]
)
@pytest.mark.some(3)
def test_the_figures_are_those_recorded(game: Any, levels: Sequence[int]) -> None:
    """Those of level 1 in every run, the others in `make test-slow` and where they are recorded."""
    path = FOLDER / f"{game.name.split('/')[1]}.txt"
    recording = RECORD in ("1", "all", game.name)
    if recording and levels != LEVELS:
        return
    text = "\n".join(render_report(game, levels)) + "\n"
    if recording:
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
    (puzzle,) = make_rows(game.name, 1, 1)
    assert prompt_only_win_rate(game, [[puzzle] * 4]).win_share == 1.0


def test_best_opponents_answer_as_their_outlook_says(game: Any) -> None:
    """A duel whose best opponent is found at once draws what is found move by move."""
    if not isinstance(game, Duel) or type(game).step is Duel.step:
        return
    for puzzle in make_rows(game.name, 2)[:4]:
        assert puzzle.opponent == "optimal"
        rng, state = make_generator("best", game.name, game.group_key(puzzle)), game.start(puzzle)
        for turn in range(game.turn_budget(puzzle)):
            if game.result(puzzle, state) is not None:
                break
            said = game.random_command(puzzle, state, rng)
            quick = game.step(puzzle, state, said, game.step_luck(puzzle, turn))
            assert quick == Duel.step(game, puzzle, state, said, game.step_luck(puzzle, turn))
            state = quick
