r"""Define the rules by which papers parse replies, as data.

The readers of facelet.generators.core.replies accept what a careful person would read. A paper's
own rule is often narrower, or takes the first match where a careful reader takes the last. A
`ReplyRule` finds what the paper would read in a reply and writes it in the format that the task
requests, so that the same code grades it. Two rules are equal only if they are the same object.

Patterns are searched in the whole reply, including thoughts, like a script that has only the
output. Each is linear: no repeat is followed by another that matches the same characters.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import count

from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.text_game import Game
from facelet.pipeline.family_modules import AnyTask

_SHORT = 200
"""In texts of up to so many characters an expression is searched for at once."""
_LITERAL_TRIES = 16
"""At so many places of its sign an expression is tried one by one before it is searched for."""

_BEFORE_SIGN = re.compile(r"(?:\\b)?((?:[a-zA-Z ]|\(\[[a-z]+\]\)|\[[a-z]+\])*)([<>:'])(?![*+?{|])")


@cache
def find_literal(pattern: re.Pattern[str]) -> tuple[str, int]:
    """Return a sign that all matches of an expression hold, and how many characters precede it.

    That is the same number in all of them. A sign is found many times as fast as an expression
    whose letters may be of either case. It is "" if there is none.
    """
    text = pattern.pattern
    if text[:1] + text[-1:] == "()" and not re.search(r"[|()]", text[1:-1]):
        text = text[1:-1]
    if not (found := _BEFORE_SIGN.match(text)) or "|" in re.sub(r"\([^()]*\)", "", text):
        return "", 0
    return found[2], len(re.sub(r"\(?\[[a-z]+\]\)?", "x", found[1]))


def iterate_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Return what `pattern.finditer` does, in less time where the pattern's sign is rare."""
    mark, ahead = find_literal(pattern)
    if not mark or len(text) <= _SHORT:
        return pattern.finditer(text)
    return _iterate_near_literal(pattern, text, mark, ahead)


def _iterate_near_literal(
    pattern: re.Pattern[str], text: str, mark: str, ahead: int
) -> Iterator[re.Match[str]]:
    end, place = 0, text.find(mark, ahead)
    for tried in count():
        if place < 0:
            return
        if tried == _LITERAL_TRIES:
            yield from pattern.finditer(text, max(end, place - ahead))
            return
        if found := pattern.match(text, place - ahead):
            yield found
            end = found.end()
        place = text.find(mark, max(place + 1, end + ahead))


class ReplyRule(ABC):
    """A paper's rule.

    Attributes:
        words: the rule in words, with its source, for reports.
    """

    __slots__ = ()
    words: str

    @abstractmethod
    def read(self, reply: str) -> str | None:
        """Return what the rule reads, in the requested format, or None if it reads nothing."""

    def is_unparsed(self, turn: int) -> bool:
        """Return whether the reply of a turn, from 0, is not parsed at all."""
        return False

    def bind_task(self, task: AnyTask) -> ReplyRule:
        """Return the rule for the replies to a task."""
        return self


@dataclass(frozen=True, slots=True, eq=False)
class PatternRule(ReplyRule):
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
    answer_format: str
    aliases: tuple[tuple[str, str], ...] = ()
    thought_turns: frozenset[int] = frozenset()

    def read(self, reply: str) -> str | None:
        """Return the first match of the first expression that matches."""
        for pattern in self.patterns:
            short = len(reply) <= _SHORT
            if (
                found := pattern.search(reply)
                if short
                else next(iterate_matches(pattern, reply), None)
            ):
                said = found[1]
                if self.aliases:
                    said = dict(self.aliases).get(said.upper(), said)
                return self.answer_format.format(said)
        return None

    def is_unparsed(self, turn: int) -> bool:
        """Return whether the turn is for thoughts."""
        return turn in self.thought_turns


@dataclass(frozen=True, slots=True, eq=False)
class KeyedRule(ReplyRule):
    """An expression for each of several keys: the first entry of each key counts.

    Attributes:
        words: the rule in words.
        patterns: in the order in which they are tried; group 1 is the key, group 2 its value.
        written: how an entry is written in the requested format, with {key} and {value}.
    """

    words: str
    patterns: tuple[re.Pattern[str], ...]
    entry_format: str

    def read(self, reply: str) -> str | None:
        """Return the entries that are found, one a line."""
        found: dict[str, str] = {}
        for pattern in self.patterns:
            for entry in iterate_matches(pattern, reply):
                found.setdefault(entry[1].upper(), entry[2].upper())
        lines = (self.entry_format.format(key=key, value=found[key]) for key in sorted(found))
        return "\n".join(lines) or None


@dataclass(frozen=True, slots=True, eq=False)
class CommandRule(ReplyRule):
    """The commands of a game, spelled as its rules spell them, in the order of the rules.

    Attributes:
        words: the rule in words.
        forms: the commands; those of the game where a paper has one rule for all its games.
    """

    words: str
    forms: tuple[CommandForm, ...] = ()

    def read(self, reply: str) -> str | None:
        """Return the first command of the first form that is found, a longer one before its end."""
        return next(
            filter(None, (form.first_place(reply) for form in _sort_longer_first(self.forms))), None
        )

    def bind_task(self, task: AnyTask) -> ReplyRule:
        """Return the rule with the commands of a game."""
        return replace(self, forms=task.forms) if isinstance(task, Game) else self


@lru_cache(maxsize=256)
def _sort_longer_first(forms: tuple[CommandForm, ...]) -> tuple[CommandForm, ...]:
    return tuple(sorted(forms, key=lambda form: any(map(form.may_contain, forms))))
