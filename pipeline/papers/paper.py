"""Define papers: the record that a package exports as PAPER, its tables and its reply rules.

Reply rules are data. The readers of facelet.generators.core.replies accept what a careful person
would read. A paper's own rule is often narrower, or takes the first match where a careful reader
takes the last. A `ReplyRule` finds what the paper would read in a reply and writes it in the format
that the task requests, so that the same code grades it. Two rules are equal only if they are the
same object. Patterns are searched in the whole reply, including thoughts, like a script that has
only the output. Each is linear: no repeat is followed by another that matches the same characters.

A layout belongs to one table. Each of its lines gives the row of a scored model, a cell for each
column; a cell that is None is a figure that nothing here measures. Figures belong to parts: a task
with certain params. A config of any suite matches a part if it has the task and these params.
`conditions` are further params that the paper used, and `items` the number of items for each
difficulty: if a config has others, its row is shown but is not comparable, and the reasons are
given.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import count
from typing import Literal

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


SUITE_ENDINGS = ("as_published", "", "variants", "methods")
"""How a paper's suites end, those first whose configs are taken where several fit as well."""


@dataclass(frozen=True, slots=True)
class TableFigure:
    """A figure of a report.

    Attributes:
        part: name of the part.
        figure: name of the figure.
        difficulty: the place on the config's axis; None for all of them together.
        by: values of the columns that the report is split by.
    """

    part: str
    figure: str
    difficulty: int | None = None
    split_values: Mapping[str, object] = field(default_factory=dict)

    @property
    def part_names(self) -> tuple[str, ...]:
        """The part."""
        return (self.part,)


@dataclass(frozen=True, slots=True)
class MeanFigure:
    """The mean of figures of several parts, each counted once.

    Attributes:
        places: the figures.
    """

    figures: tuple[TableFigure, ...]

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts, each once."""
        return tuple(dict.fromkeys(place.part for place in self.figures))


@dataclass(frozen=True, slots=True)
class LadderFigure:
    """The mean R of climbs through a part, or R expected from the accuracies at its levels.

    Attributes:
        part: name of the part.
        samples: samples of a question of which the majority decides; 1: the first one counts.
    """

    part: str
    samples: int = 1

    @property
    def part_names(self) -> tuple[str, ...]:
        """The part."""
        return (self.part,)


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """How much the R of a part is above that of another, as tables of differences print it.

    Attributes:
        one: the figure.
        other: what it is compared with.
    """

    one: LadderFigure
    other: LadderFigure

    @property
    def part_names(self) -> tuple[str, ...]:
        """Both parts."""
        return (self.other.part, self.one.part)


@dataclass(frozen=True, slots=True)
class IntervalFigure:
    """An end of the 95% interval of a figure, or half its width.

    Attributes:
        figure: the figure.
        measure: what of the interval.
    """

    figure: TableFigure | MeanFigure
    measure: Literal["low", "high", "half width"]

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts of the figure."""
        return self.figure.part_names


LayoutCell = TableFigure | MeanFigure | LadderFigure | FigureDifference | IntervalFigure


@dataclass(frozen=True, slots=True)
class LayoutRow:
    """The row that a model gets.

    Attributes:
        places: one a column of the table.
        setting: conditions of this row, in the table's own terms.
    """

    figures: tuple[LayoutCell | None, ...]
    setting: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PaperPart:
    """Items whose figures stand in a table: a task under some params.

    Attributes:
        name: what places and reasons call it; the name of its config in the paper's own suites.
        task: name of the task.
        told: params that make it this part and no other.
        conditions: further params that the paper used; what it leaves open is not named.
        items: number of items a difficulty in the paper; None where it does not say.
        totals: number of "items" (maps, states) and of "rows" of all difficulties in the paper.
        difficulties: the difficulties behind a figure over all of them.
    """

    name: str
    task: str
    defining_params: Mapping[str, object] = field(default_factory=dict)
    conditions: Mapping[str, object] = field(default_factory=dict)
    items: int | None = None
    totals: Mapping[str, int] = field(default_factory=dict)
    difficulties: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TableLayout:
    """Our rows of one table.

    Attributes:
        number: number of the table.
        lines: the rows that a model gets.
        parts: what their figures are of, in the order in which places first name them.
        axis: what difficulties are called.
        remark: what differs even so, in words; "" if nothing.
    """

    number: str
    lines: tuple[LayoutRow, ...]
    parts: tuple[PaperPart, ...]
    axis: str = "depths"
    remark: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError if places and parts do not name the same, in the same order."""
        cells = (cell for line in self.lines for cell in line.figures if cell is not None)
        named = tuple(dict.fromkeys(part for cell in cells for part in cell.part_names))
        if named != (parts := tuple(part.name for part in self.parts)):
            raise ValueError(f"table {self.number}: places name {named}, and the parts are {parts}")


def iterate_plain_figures(cells: Iterable[LayoutCell | None]) -> Iterator[TableFigure]:
    """Yield the figures behind cells, but for R, which all levels of a part give."""
    for cell in cells:
        if isinstance(cell, TableFigure):
            yield cell
        elif isinstance(cell, IntervalFigure):
            yield from iterate_plain_figures((cell.figure,))
        elif isinstance(cell, MeanFigure):
            yield from cell.figures


@dataclass(frozen=True, slots=True)
class PaperSource:
    """What a paper is, for citations.

    Attributes:
        name: what it is called for short.
        title: of the paper.
        authors: of it, with commas; "and others" at the end for more.
        state: what else is known of it, such as "under review"; "" for nothing.
        people: what it says of how people do, in a sentence; "" if it measured none.
    """

    name: str
    title: str
    authors: str
    state: str = ""
    people: str = ""

    @property
    def byline(self) -> str:
        """Its authors and state, in words."""
        return ", ".join(filter(None, (self.authors, self.state)))


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper.

    Attributes:
        name: name of its folder.
        source: how it is cited, and what its deviations stand under.
        tasks: how the names of its tasks begin; of several papers the longest beginning decides.
        suites: names of its suites, which further ones begin with, and a "_"; by default its own.
        layouts: our rows of its tables; the tables themselves stand in `tables.json` of its folder.
        reply_rules: how it parses replies, by what a task asks for (`Task.reply_form`).
        place: where it stands in lists of papers; those of one place stand by name.
        left_out: by table or figure that rests on model play and has no layout, the reason in a
            sentence.
        items: name of the form of its authors' own item files, which the module `items` of its
            folder reads (`facelet import`); "" for none.
    """

    name: str
    source: PaperSource
    tasks: tuple[str, ...]
    suites: tuple[str, ...] = ()
    layouts: tuple[TableLayout, ...] = ()
    reply_rules: Mapping[str, ReplyRule] = field(default_factory=dict)
    sort_order: int = 100
    left_out: Mapping[str, str] = field(default_factory=dict)
    items: str = ""

    def suite_ending(self, suite: str) -> str | None:
        """Return how a suite's name goes on behind the paper's; None if it is no suite of it."""
        found = [name for name in self.suites or (self.name,) if f"{suite}_".startswith(f"{name}_")]
        return suite[len(max(found, key=len)) :].removeprefix("_") if found else None
