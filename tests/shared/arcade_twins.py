"""Twins of monitors: a game's rules written once more from the paper's text, and what compares.

A twin is made of a row (the columns of a puzzle, as plain values) and told what the player says,
line by line. For each it returns what the monitor has to say: a text, INVALID, or, where chance
decides, a set of the texts that it may say; `heard` then tells it which it was. `has_won` is None
while the game goes on, then True or False.

    class Twin:
        over = None
        def __init__(self, row): ...
        def answer(self, line): ...     # "0", INVALID, {"3 4", "4 3"}
        def heard(self, text): ...      # only where answers are sets

It stands as `Twin` in tests/generators/arcade/test_<game>.py, where test_arcade.py finds it.
`compare_games` plays the game and its twin side by side on random transcripts: legal, illegal and
unreadable lines mixed, some of them a while along the reference player's way. A text that ends the
game is not compared where the twin gives one only, as the player is not told it; how the game ends
always is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any, Protocol

import numpy as np

from facelet.generators.arcade.base.game import ArcadeGame
from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Outcome, Reject, Status

INVALID = "invalid"
AnyGame = ArcadeGame[Any, Any, Any]

UNREADABLE = (
    "I do not know.",
    "",
    "My",
    "Let me think about this first.",
    "My Answer",
    "My Query:",
    "My Query: the first one",
    "My Guess is the middle",
    "My Move: somewhere else",
    "Query 1 2 3",
    "\N{SNOWMAN} " * 40,
)


class Twin(Protocol):
    has_won: bool | None

    def answer_line(self, line: str) -> str | Collection[str]: ...


def make_puzzles(game: AnyGame, params: Any, count: int, seed: int = 0) -> list[Any]:
    """Return the first puzzles of some params, as a build of a seed makes them."""
    found = []
    for index in range(count):
        for attempt in range(200):
            try:
                draw = Draw((seed, game.name, params.level), index, attempt)
                found.append(game.generate(params, draw, None)[0])
                break
            except Reject:
                continue
        else:
            raise AssertionError(f"{game.name}: item {index} was rejected 200 times")
    return found


def compare_games(
    game: AnyGame,
    twin: Callable[[Mapping[str, Any]], Twin],
    *,
    monitor: AnyGame | None = None,
    levels: Sequence[int] = (1, 2, 3),
    transcripts: int = 2000,
    **params: Any,
) -> Counter[str]:
    """Play a game and its twin side by side; return how often what happened.

    Args:
        game: the game.
        twin: makes a twin from a row.
        monitor: the game that judges, where another one than that which makes the lines.
        levels: levels that puzzles are made of.
        transcripts: number of transcripts.
        params: other params.

    Raises:
        AssertionError: they differ, or some kind of line or ending has never occurred.
    """
    seen: Counter[str] = Counter()
    puzzles = [
        puzzle
        for level in levels
        for puzzle in make_puzzles(game, game.params(level=level, **params), 10)
    ]
    ways = [
        [game.format_command(said) for said in game.play_reference(puzzle)[0]] for puzzle in puzzles
    ]
    for number in range(transcripts):
        place = number % len(puzzles)
        rng = make_generator("twins", game.name, number)
        double = twin(game.encode(puzzles[place]))
        judge = monitor or game
        _play_transcript(
            judge if number % 50 == 0 else without_figures(judge),
            *(puzzles[place], double, ways[place], rng, seen),
        )
    missing = [kind for kind in ("answered", "illegal", "unreadable", "won") if not seen[kind]]
    assert not missing, f"no transcript has any of {missing}: {dict(seen)}"
    return seen


@cache
def without_figures(game: AnyGame) -> AnyGame:
    """Return a game without figures of its own, which take longer than the monitor."""
    found = copy(game)
    found.play_metrics = lambda *_: {}  # type: ignore[method-assign]
    return found


def _play_transcript(
    game: AnyGame,
    puzzle: Any,
    twin: Twin,
    way: Sequence[str],
    rng: np.random.Generator,
    seen: Counter[str],
) -> None:
    """Play one transcript."""
    episode = game.open(puzzle)
    follow = int(rng.integers(len(way) + 1)) if rng.random() < 0.5 else 0
    said: list[str] = []
    steps = refusals = 0
    for turn in range(1, game.turn_budget(puzzle) + 1):
        state = episode._states[-1]
        line = _draw_line(
            game, puzzle, state, way[steps : steps + 1] if steps < follow else [], rng
        )
        said.append(line)
        right = twin.answer_line(line)
        answer = episode.reply(line)
        steps += right != INVALID
        refusals += right == INVALID
        if isinstance(answer, Outcome) and not isinstance(right, str):
            last = str(game.describe_last_reply(puzzle, episode._states[-1]))
            assert last in right, _Difference(puzzle, said, right, twin.has_won, last)
            twin.note_answer(last)  # type: ignore[attr-defined]
        where = _Difference(puzzle, said, right, twin.has_won, answer)
        ended = twin.has_won is not None or turn == game.turn_budget(puzzle)
        assert isinstance(answer, Outcome) == ended, where
        if isinstance(answer, Outcome):
            assert (answer.status is Status.CORRECT) == (twin.has_won is True), where
            assert answer.metrics["solved"] == (twin.has_won is True), where
            wrong = answer.metrics["format_errors"] + answer.metrics["illegal_moves"]
            assert wrong == refusals, where
            ends = right == INVALID and "end" in (game.illegal.kind, game.unreadable.kind)
            assert answer.metrics["turns"] == turn - (ends and twin.has_won is not None), where
            if right == INVALID:
                unread = answer.status is Status.UNPARSED
                seen["unreadable" if unread else "illegal"] += 1
            seen["won" if twin.has_won else "lost"] += 1
            return
        text = shown_text(answer)
        if right == INVALID:
            kind = refusal_kind(text)
            assert kind, where
            seen[kind] += 1
            continue
        assert not refusal_kind(text), where
        assert text == right if isinstance(right, str) else text in right, where
        if not isinstance(right, str):
            twin.note_answer(text)  # type: ignore[attr-defined]
        seen["answered"] += 1


class _Difference:
    """Where two differ; it becomes words only where they do."""

    def __init__(self, *facts: Any) -> None:
        self.facts = facts

    def __repr__(self) -> str:
        puzzle, said, right, over, answer = self.facts
        return f"{puzzle}\n{said}\ntwin: {right!r}, over: {over}\ngame: {answer}"


def shown_text(prompt: Prompt | Outcome) -> str:
    """Return what a player is told, without the turns that are left."""
    assert isinstance(prompt, Prompt)
    parts = prompt.messages[-1].parts
    text = "\n".join(part.text for part in parts if isinstance(part, TextPart))
    return text.rpartition("\nTurns left: ")[0]


def refusal_kind(text: str) -> str:
    """Return "unreadable" or "illegal" where a text says so, else ""."""
    if text.startswith("That reply gives no command"):
        return "unreadable"
    return "illegal" if text.startswith("Not allowed: ") else ""


def _draw_line(
    game: AnyGame, puzzle: Any, state: Any, way: Sequence[str], rng: np.random.Generator
) -> str:
    """Return a line of a transcript: the next one of the way, or any."""
    chance = rng.random()
    if chance < 0.1:
        return UNREADABLE[int(rng.integers(len(UNREADABLE)))]
    if way and chance < 0.9:
        return way[0]
    line = game.format_command(game.random_command(puzzle, state, rng))
    return line if chance < 0.8 else spoil_line(line, rng)


def spoil_line(line: str, rng: np.random.Generator) -> str:
    """Return a line with one of its values replaced by one that is likely not allowed."""
    values = list(re.finditer(r"(?<=[:\s,|+-])[A-Za-z0-9]+(?=[,\s|]|$)", line))
    numbers = [value for value in values if value[0].isdigit()]
    place = (numbers or values)[int(rng.integers(len(numbers or values)))]
    other = ["0", "-1", "999999", *(value[0] for value in numbers)] if numbers else ["Q", "QQ", "7"]
    value = other[int(rng.integers(len(other)))]
    return line[: place.start()] + value + line[place.end() :]


def line_numbers(line: str, beginning: str) -> list[int] | None:
    """Return the whole numbers of a line that begins so and holds nothing else, or None.

    Args:
        line: the line.
        beginning: what it begins with, such as "My Query:".
    """
    rest = line.removeprefix(beginning)
    words = rest.replace(",", " ").split()
    if rest == line or not words or not all(re.fullmatch(r"-?\d+", word) for word in words):
        return None
    return [int(word) for word in words]
