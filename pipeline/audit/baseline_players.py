"""Baseline players: their policies, the players that a family provides, and how a play runs.

A `BlindPolicy` may depend on the format of replies, never on the puzzle; module
`blind_episode_players` tunes and judges them. A `PartialViewPlayer` receives the puzzle and states
which part of it it uses: its win rate is a shortcut, or chance where it makes any legal move.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import chain, cycle, repeat
from typing import Any, Protocol, Self

import numpy as np

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome
from facelet.generators.core.text_game import Player
from facelet.pipeline.family_modules import AnyTask, family_name, find_export

UNREADABLE = "?"
"""A reply that answers nothing."""

_REVEALED_LETTER = re.compile(r"\b(?:option|answer|choice)\b[^.\n]{0,60} is:? \*{0,2}([A-Z])\b")
_OFFER = re.compile(r"^[(*]{0,3}([A-Z])[*)]{0,3}[:.)] +(\S.*)$", re.MULTILINE)

Draw = Callable[[int, np.random.Generator], Sequence[str]]
"""From a length and randomness to so many pieces."""

Randomness = Callable[[], np.random.Generator]
"""Creates a generator on demand: creating one costs more than a play that draws nothing."""


@dataclass(frozen=True, slots=True)
class ReplyPieces:
    """The pieces of a task's long replies, as its family defines them.

    Attributes:
        draw: draws pieces, such as the turns of a plan, that are legal one after another in any
            puzzle, or in most puzzles.
        longest: the most pieces of one reply.
        join: joins pieces to a reply.
        fixed_replies: replies to try, each with its number of pieces.
        cost: how many plain replies a piece counts as, by the time that it takes.
    """

    draw: Draw
    longest: int
    join: Callable[[Sequence[str]], str]
    fixed_replies: tuple[tuple[str, int], ...] = ()
    cost: float = 1.0

    def reply_weight(self, length: int) -> int:
        """Return how many plain replies a reply of `length` pieces counts as."""
        return math.ceil(length * self.cost)


class BlindPolicy(Protocol):
    """A blind player."""

    @property
    def weight(self) -> int:
        """How many plain replies one of its replies counts as."""

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies to the prompts of one play."""


@dataclass(frozen=True, slots=True)
class PartialViewPlayer:
    """A player that receives the puzzle and uses a part of it.

    Attributes:
        looks_at: that part, in words that complete "looks at ...", for cards.
        begin: from an instance and randomness to the function that replies to the prompts of one
            play.
        quick: whether it plays in a millisecond or less, so that it plays more puzzles.
        equal: from an instance and randomness to the replies among which `begin` draws. Each is
            played and their mean counts, so the draw adds no noise. None to play `begin`.
        amount: how much it sees, where it is a point of a curve over that, which is shown but is
            no baseline: the last points see nearly everything. 0 elsewhere.
    """

    looks_at: str
    begin: Callable[[Any, np.random.Generator], Callable[[Prompt], str]]
    quick: bool = False
    equal: Callable[[Any, Randomness], Sequence[str]] | None = None
    amount: int = 0

    @classmethod
    def from_equal(cls, looks_at: str, equal: Callable[[Any, Randomness], Sequence[str]]) -> Self:
        """Return the quick player that draws one of several equally good replies.

        Args:
            looks_at: the part that it uses.
            equal: from an instance and randomness to those replies.
        """

        def begin_play(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
            found = equal(instance, lambda: rng)
            said = found[int(rng.integers(len(found)))]
            return lambda prompt: said

        return cls(looks_at, begin_play, quick=True, equal=equal)


@dataclass(frozen=True, slots=True)
class ObviousRule:
    """The rule by which anyone would play a game at first sight.

    Attributes:
        words: the rule in words that complete "follows the rule: ..."; why there is none where
            `play` is None.
        play: from a puzzle without its hidden columns to the commands.
    """

    words: str
    play: Callable[[Any], Player] | None = None


NONE_NAMED = "its family defines no player with a partial view"
"""Why a task has no shortcut where its family does not give the reason."""


@dataclass(frozen=True, slots=True)
class FamilyPlayers:
    """The baseline players of a family: functions of its module `baseline_players`, by these names.

    Attributes:
        pieces: from a task and puzzles to tune on to the pieces of its long replies, or None.
        players: from the same to blind players by kind; the best of each kind is judged.
        shortcuts: from a task to its players with a partial view, by name.
        no_shortcut: from a task to the reason why it has none.
        legal: from a task to the player of any legal move, or None.
        hide_puzzle: from a task and the text of a prompt to the text without what it shows of the
            puzzle; None where the text as a whole is the puzzle.
        obvious_rule: from a game to its obvious rule; None for what is no game.
    """

    pieces: Callable[[AnyTask, Sequence[Any]], ReplyPieces | None] = lambda task, half: None
    players: Callable[[AnyTask, Sequence[Any]], Mapping[str, Sequence[BlindPolicy]]] = (
        lambda task, half: {}
    )
    shortcuts: Callable[[AnyTask], Mapping[str, PartialViewPlayer]] = lambda task: {}
    no_shortcut: Callable[[AnyTask], str] = lambda task: NONE_NAMED
    legal: Callable[[AnyTask], PartialViewPlayer | None] = lambda task: None
    hide_puzzle: Callable[[AnyTask, str], str | None] = lambda task, text: None
    obvious_rule: Callable[[AnyTask], ObviousRule | None] = lambda task: None

    def modules(self) -> set[str]:
        """Return the names of the modules that define them."""
        return {getattr(self, one.name).__module__ for one in fields(self)}


def load_family_players(task: AnyTask) -> FamilyPlayers:
    """Return the baseline players of a task's family."""
    module = f"{family_name(task.name)}/baseline_players"
    found = {one.name: find_export(module, one.name) for one in fields(FamilyPlayers)}
    return FamilyPlayers(**{name: made for name, made in found.items() if made is not None})


def play_replies(
    task: AnyTask,
    instance: object,
    says: Callable[[Prompt], str],
    replies: int,
) -> Outcome:
    """Return how a play ends.

    Args:
        task: the task.
        instance: the puzzle.
        says: replies to each prompt.
        replies: the play is halted after this many replies.
    """
    episode = task.open(instance).without_figures()
    shown = episode.prompt()
    for _ in range(replies):
        result = episode.reply(says(shown))
        if isinstance(result, Outcome):
            return result
        shown = result
    outcome: Outcome = episode.outcome_when_halted()
    return outcome


@dataclass(frozen=True, slots=True)
class FixedScript:
    """Repeats a list of replies; a list of long replies is sent once."""

    replies: tuple[str, ...]
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies; it ignores the prompts."""
        said = cycle(self.replies) if self.weight == 1 else chain(self.replies, repeat(UNREADABLE))
        return lambda prompt: next(said)


@dataclass(frozen=True, slots=True)
class RandomPlayer:
    """Draws each reply."""

    draw: Draw
    join: Callable[[Sequence[str]], str]
    length: int = 1
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies; it depends on the puzzle's name only."""
        rng = make_generator("blind", "random", self.length, group)
        return lambda prompt: self.join(self.draw(self.length, rng))


@dataclass(frozen=True, slots=True)
class StallingPlayer:
    """Sends unreadable replies, then chooses by how often an option was offered."""

    unreadable: int
    most: bool
    write: Callable[[str], str]
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies; it reads only the options on offer."""
        seen: Counter[str] = Counter()
        waited = 0

        def choose_reply(prompt: Prompt) -> str:
            nonlocal waited
            offers = list_options(prompt)
            seen.update(offers.values())
            if waited < self.unreadable or not offers:
                waited += 1
                return UNREADABLE
            sign = 1 if self.most else -1
            letter = max(sorted(offers), key=lambda name: sign * seen[offers[name]])
            waited = 0
            seen.clear()
            return self.write(letter)

        return choose_reply


@dataclass(frozen=True, slots=True)
class RepeatingPlayer:
    """Repeats the letter that a prompt last revealed as the answer."""

    write: Callable[[str], str]
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies; it reads only a revealed letter."""
        letter = ""

        def repeat_letter(prompt: Prompt) -> str:
            nonlocal letter
            letter = read_revealed_letter(prompt) or letter
            return self.write(letter) if letter else UNREADABLE

        return repeat_letter


def prompt_text(prompt: Prompt) -> str:
    """Return the texts of a prompt, one below the other."""
    return "\n".join(
        part.text for m in prompt.messages for part in m.parts if isinstance(part, TextPart)
    )


def read_revealed_letter(prompt: Prompt) -> str:
    """Return the last letter that a prompt reveals as the answer; "" if there is none."""
    found = _REVEALED_LETTER.findall(prompt_text(prompt))
    return found[-1] if found else ""


def list_options(prompt: Prompt) -> Mapping[str, str]:
    """Return the options that a prompt lists, by letter; the last list counts."""
    found: dict[str, str] = {}
    for match in _OFFER.finditer(prompt_text(prompt)):
        letter, option = match[1], match[2].strip()
        if letter == "A":
            found = {}
        found[letter] = option
    return found if len(found) > 1 else {}


def draw_evenly(known: tuple[str, ...]) -> Draw:
    """Return the function that draws each piece evenly."""

    def draw_pieces(length: int, rng: np.random.Generator) -> Sequence[str]:
        return [known[place] for place in rng.integers(len(known), size=length)]

    return draw_pieces
