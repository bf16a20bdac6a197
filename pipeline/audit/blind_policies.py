"""Policies: what a blind player of episodes may do, one play after another.

A policy may depend on the format of replies, never on the puzzle; see
facelet.pipeline.audit.blind_episode_players for how they are tuned and judged.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, repeat
from typing import Any, Protocol

import numpy as np

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.seeding import make_generator

UNREADABLE = "?"
"""A reply that gives no answer to anything."""

_REVEALED_LETTER = re.compile(r"\b(?:option|answer|choice)\b[^.\n]{0,60} is:? \*{0,2}([A-Z])\b")
_OFFER = re.compile(r"^[(*]{0,3}([A-Z])[*)]{0,3}[:.)] +(\S.*)$", re.MULTILINE)

Draw = Callable[[int, np.random.Generator], Sequence[str]]
"""From a length and randomness to so many pieces."""

Randomness = Callable[[], np.random.Generator]
"""Makes a generator, which costs more than many a player's play that draws nothing."""


@dataclass(frozen=True, slots=True)
class ReplyPieces:
    """What the long replies of a task are made of, as its family says.

    Attributes:
        draw: draws so many pieces, such as the turns of a plan, that are legal one after another
            whatever the puzzle is, or most of the time.
        longest: the most pieces that one reply may have.
        series: replies that are worth a try, each with the number of its pieces.
        join: makes a reply of some pieces.
        cost: how many plain replies a piece counts as, by the time that it takes.
    """

    draw: Draw
    longest: int
    join: Callable[[Sequence[str]], str]
    fixed_replies: tuple[tuple[str, int], ...] = ()
    cost: float = 1.0

    def reply_weight(self, length: int) -> int:
        """Return what a reply of so many pieces counts."""
        return math.ceil(length * self.cost)


class BlindPolicy(Protocol):
    """A blind player of one play after another."""

    @property
    def weight(self) -> int:
        """Return how many plain replies one of its replies counts as."""
        ...

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return what replies to the prompts of one play."""
        ...


@dataclass(frozen=True, slots=True)
class PartialViewPlayer:
    """A player that is handed the puzzle, and says which part of it it looks at.

    Attributes:
        looks_at: that part, in words that complete "looks at ...", for cards.
        begin: from an instance and randomness to what replies to the prompts of one play.
        quick: whether it plays in a millisecond or less, so that it tries more puzzles.
        equal: from an instance, and randomness for those who ask for it, to the replies among
            which `begin` draws. Each is played and their mean counts, so that the draw adds no
            noise. None to play what it says.
    """

    looks_at: str
    begin: Callable[[Any, np.random.Generator], Callable[[Prompt], str]]
    quick: bool = False
    equal: Callable[[Any, Randomness], Sequence[str]] | None = None


@dataclass(frozen=True, slots=True)
class FixedScript:
    """Says a list of replies again and again; one that holds long replies, once."""

    replies: tuple[str, ...]
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return what replies; the prompts are not looked at."""
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
        """Return what replies; it depends on the puzzle's name only."""
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
        """Return what replies; it looks for the options that are offered, at nothing else."""
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
    """Repeats the letter that a prompt last said to be the answer, and nothing until one does."""

    write: Callable[[str], str]
    weight: int = 1

    def begin(self, group: str) -> Callable[[Prompt], str]:
        """Return what replies; it looks for a letter that is told, at nothing else."""
        letter = ""

        def repeat_letter(prompt: Prompt) -> str:
            nonlocal letter
            letter = read_revealed_letter(prompt) or letter
            return self.write(letter) if letter else UNREADABLE

        return repeat_letter


def read_revealed_letter(prompt: Prompt) -> str:
    """Return the letter that a prompt says to be the answer, the last one; "" if it says none."""
    texts = [part.text for m in prompt.messages for part in m.parts if isinstance(part, TextPart)]
    found = _REVEALED_LETTER.findall("\n".join(texts))
    return found[-1] if found else ""


def list_options(prompt: Prompt) -> Mapping[str, str]:
    """Return the options that a prompt lists, by letter; the last list counts."""
    texts = [part.text for m in prompt.messages for part in m.parts if isinstance(part, TextPart)]
    found: dict[str, str] = {}
    for match in _OFFER.finditer("\n".join(texts)):
        letter, option = match[1], match[2].strip()
        if letter == "A":
            found = {}
        found[letter] = option
    return found if len(found) > 1 else {}


def draw_evenly(pieces_: tuple[str, ...]) -> Draw:
    """Return what draws each piece evenly."""

    def draw_pieces(length: int, rng: np.random.Generator) -> Sequence[str]:
        return [pieces_[place] for place in rng.integers(len(pieces_), size=length)]

    return draw_pieces
