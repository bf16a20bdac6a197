r"""Published readings: how a paper says that its replies are parsed, as data.

The readings of facelet.generators.core.answers and forms are what a careful person would read. A
paper's own rule is often narrower, or takes the first place where a careful reader takes the last.
A `Reading` is such a rule: it finds what the paper would read in a reply, and says it in the format
that the task asks for, so that the same rules judge it. What it does not find, it does not read.

Expressions are searched for in the whole reply, thoughts included, as a script that has nothing but
the output does. Each is linear: no repeat is followed by another that takes the same characters.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from facelet.generators.core.forms import Form


class Reading(ABC):
    """A paper's rule.

    Attributes:
        words: the rule in words, with its source, for reports.
    """

    __slots__ = ()
    words: str

    @abstractmethod
    def read(self, reply: str) -> str | None:
        """Return what the rule reads, in the requested format, or None if it reads nothing."""

    def free(self, turn: int) -> bool:
        """Return whether the reply of a turn, from 0, is not parsed at all."""
        return False


@dataclass(frozen=True, slots=True)
class Pattern(Reading):
    """Regular expressions, of which the first that is found counts.

    Attributes:
        words: the rule in words.
        patterns: in the order in which they are tried; group 1 of each is the answer.
        written: how the answer is written in the requested format, with {} for it.
        replaced: answers that stand for others, in upper case, such as E for IDK.
        thoughts: turns whose replies are not parsed, from 0.
    """

    words: str
    patterns: tuple[re.Pattern[str], ...]
    written: str
    replaced: tuple[tuple[str, str], ...] = ()
    thoughts: frozenset[int] = frozenset()

    def read(self, reply: str) -> str | None:
        """Return the first match of the first expression that matches."""
        for pattern in self.patterns:
            if found := pattern.search(reply):
                return self.written.format(dict(self.replaced).get(found[1].upper(), found[1]))
        return None

    def free(self, turn: int) -> bool:
        """Return whether the turn is for thoughts."""
        return turn in self.thoughts


@dataclass(frozen=True, slots=True)
class Keyed(Reading):
    """An expression for each of several keys: the first entry of each key counts.

    Attributes:
        words: the rule in words.
        patterns: in the order in which they are tried; group 1 is the key, group 2 its value.
        written: how an entry is written in the requested format, with {key} and {value}.
    """

    words: str
    patterns: tuple[re.Pattern[str], ...]
    written: str

    def read(self, reply: str) -> str | None:
        """Return the entries that are found, one a line."""
        found: dict[str, str] = {}
        for pattern in self.patterns:
            for entry in pattern.finditer(reply):
                found.setdefault(entry[1].upper(), entry[2].upper())
        lines = (self.written.format(key=key, value=found[key]) for key in sorted(found))
        return "\n".join(lines) or None


@dataclass(frozen=True, slots=True)
class Commands(Reading):
    """The commands of a game, spelled as its rules spell them, in the order of the rules.

    Attributes:
        words: the rule in words.
        forms: the commands.
    """

    words: str
    forms: tuple[Form, ...]

    def read(self, reply: str) -> str | None:
        """Return the first command of the first form that is found."""
        return next(filter(None, (form.first(reply) for form in self.forms)), None)


_IGNORE = re.IGNORECASE
_TAG = re.compile(r"<answer>\s*([abcd])\s*</answer>", _IGNORE)
_COLON = re.compile(r"\banswer:\s*([abcd])\b", _IGNORE)
_CHOICE = (
    "an <ANSWER> tag with one letter, else ANSWER: and a letter, in any case; the first counts"
)

CUBE_BENCH_CHOICE = Pattern(
    f"Cube Bench, 4.3.3 and A.8: {_CHOICE}", (_TAG, _COLON), "<ANSWER>{}</ANSWER>"
)
CUBE_BENCH_REFLECTION = Pattern(
    f"Cube Bench, 4.3.3 and 4.3.4: {_CHOICE}; the reflection itself is not parsed",
    (_TAG, _COLON),
    "<ANSWER>{}</ANSWER>",
    thoughts=frozenset({1}),
)
CUBE_BENCH_ABSTENTION = Pattern(
    "Cube Bench, A.6.1: an <ANSWER> tag with a letter or IDK, else ANSWER: and a letter, IDK or E, "
    "else the words I don't know, in any case; the first counts",
    (
        re.compile(r"<answer>\s*([abcd]|idk)\s*</answer>", _IGNORE),
        re.compile(r"\banswer:\s*([abcde]|idk)\b", _IGNORE),
        re.compile(r"(i don't know)", _IGNORE),
    ),
    "<ANSWER>{}</ANSWER>",
    replaced=(("E", "IDK"), ("IDK", "IDK"), ("I DON'T KNOW", "IDK")),
)
CUBE_BENCH_YES_NO = Pattern(
    "Cube Bench, 4.3.2 and table 3: Answer: Yes or Answer: No, spelled so; the first counts",
    (re.compile(r"\bAnswer:\s*(Yes|No)\b"),),
    "Answer: {}",
)
CUBE_BENCH_EFFECTS = Keyed(
    "Cube Bench, 4.3.6: a tag a letter, such as <A> DECREASE </A>, else A: DECREASE, in any case; "
    "the first of a letter counts",
    (
        re.compile(r"<([abcd])>\s*(decrease|no_change|increase)\s*</\1>", _IGNORE),
        re.compile(r"\b([abcd]):\s*(decrease|no_change|increase)\b", _IGNORE),
    ),
    "<{key}> {value} </{key}>",
)
EVOLARENA_WORDS = (
    "EvolArena, monitors of section N: a query, move or answer spelled as the rules spell it; the "
    "first of the first kind in the rules' order counts"
)
