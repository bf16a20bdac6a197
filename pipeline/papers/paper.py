"""Define the record that a paper's package exports as PAPER."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from facelet.pipeline.papers.reply_rules import ReplyRule
from facelet.pipeline.papers.table_places import TableLayout


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
    items: str = ""

    def suite_ending(self, suite: str) -> str | None:
        """Return how a suite's name goes on behind the paper's; None if it is no suite of it."""
        found = [name for name in self.suites or (self.name,) if f"{suite}_".startswith(f"{name}_")]
        return suite[len(max(found, key=len)) :].removeprefix("_") if found else None
