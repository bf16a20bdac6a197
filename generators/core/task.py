"""The Task and Episode protocols, and the small records that cross them.

A task makes puzzles and judges replies. Everything that happens to a puzzle afterwards (export,
scoring, proof) goes through an Episode, so the rules that made a row are the rules that score it.
A single-turn question is an episode that ends after one reply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Literal, Protocol, TypeVar, runtime_checkable

from facelet.generators.core.measures import Measure
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import Draw


class Status(StrEnum):
    """How one prediction ended. The last four are given by the scorer, never by an episode."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    ILLEGAL = "illegal"
    UNGRADED = "ungraded"
    """A free-form reply that is asked for but has no right answer (a reflection)."""
    MISSING = "missing"
    DUPLICATE = "duplicate"
    API_ERROR = "api_error"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an episode.

    Attributes:
        status: how it ended.
        strict: whether every reply kept the requested format to the letter. A correct reply that
            is not strict counts in the lenient figure only.
        gold: the right labels, element by element (one for a multiple choice, nine for a face).
        answer: the labels understood from the replies; same length as gold, with "" where one is
            missing, or empty when nothing could be understood.
        metrics: named figures of this one episode, each in the unit its task documents.
        note: what went wrong first, in words for people, where a task can tell.
    """

    status: Status
    strict: bool
    gold: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    note: str = ""


class Reject(Exception):  # noqa: N818 - an unlucky draw is no error
    """The draw cannot become a puzzle; the caller tries the next attempt with a new seed."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """Where an item stands on its task's difficulty axis.

    Attributes:
        axis: name of the axis in the field's terms, such as "optimal_depth".
        value: the position on the axis; larger is harder.
        label: the path element of item ids, such as "d07"; lower-case ASCII, at most 12 letters.
    """

    axis: str
    value: int
    label: str


@dataclass(frozen=True, slots=True)
class Need:
    """A resource that the pipeline must hand to `generate`.

    Attributes:
        kind: which provider makes it, such as "cube/states".
        args: what to make, as sorted (name, value) pairs.
    """

    kind: str
    args: tuple[tuple[str, str | int], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A label that only an exhaustive search can prove, left to a prover of the pipeline.

    Attributes:
        kind: which prover knows it, such as "cube/distance".
        args: what is claimed, as sorted (name, value) pairs; equal claims are proven once.
    """

    kind: str
    args: tuple[tuple[str, str | int], ...]


Role = Literal[
    "", "answer", "options", "puzzle", "canonical", "family", "doublable", "chance", "unseen"
]


@dataclass(frozen=True, slots=True)
class Column:
    """A typed column of a task's published rows.

    Attributes:
        name: lower-case snake case, distinct from the common columns.
        type: an Arrow type by name: bool, int8, int16, int32, int64, float64, string,
            or list<...> of one of these.
        doc: one line for the dataset card.
        optional: whether a row may leave it null.
        role: what audits and contract tests take it for. "answer": what the player has to find
            out, on which no prompt depends; "options": the texts of the answer options, in the
            order of their letters; "puzzle": what no two items of a config may share;
            "canonical": the puzzle up to symmetry, and "family": what it was derived from,
            neither of which two splits may share; "doublable": the classes of which an item with
            every class once could have shown a second option; "chance": the probability that an
            answer drawn evenly from those that the rules allow is right; "unseen": what the first
            prompt does not show and the rest of the episode depends on, so that rows that differ
            in it may begin with the same prompt.
    """

    name: str
    type: str
    doc: str
    optional: bool = False
    role: Role = ""


class Params(Protocol):
    """Difficulty knobs of a task: a frozen dataclass whose fields have defaults.

    Every field's unit and bounds stand in the class docstring.
    """

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        ...

    def difficulty(self) -> Difficulty:
        """Return the place of these knobs on the task's difficulty axis."""
        ...


@runtime_checkable
class Episode(Protocol):
    """One play of one puzzle. Same replies, same prompts and outcome, on every machine.

    It may also offer functions to the player's code; see facelet.generators.core.tools.
    """

    def prompt(self) -> Prompt:
        """Return the messages that are new to the player now."""
        ...

    def reply(self, text: str) -> Prompt | Outcome:
        """Parse and judge one reply of the player and advance.

        The text is untrusted: any string of any length must be taken without an exception.
        """
        ...


P = TypeVar("P", bound=Params, contravariant=True)
I = TypeVar("I")  # noqa: E741 - reads as Instance in the signatures below


class Task(Protocol[P, I]):
    """A kind of puzzle. One module exports one instance of it, named TASK.

    Attributes:
        name: "family/task" in lower-case ASCII, such as "cube/move_prediction".
        version: moves when, and only when, what the task emits changes.
        params: the frozen dataclass of its knobs.
        columns: the typed columns that encode fills, besides the common ones.
        measures: what a report says beyond accuracy, parse rate and status counts.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    params: ClassVar[type[Any]]
    columns: ClassVar[tuple[Column, ...]]
    measures: ClassVar[tuple[Measure, ...]]

    def needs(self, params: P) -> Need | None:
        """Return the resource that generate must be handed, or None."""
        ...

    def rows_per_item(self, params: P) -> int | None:
        """Return how many rows one item becomes (matched modalities, linked stages).

        None says that it differs between items (decisions of a tree). Their ids then end in the
        numbers of the item and of the row in it, and only the first row of each item is held to
        what is promised of all items: labels dealt in blocks, no puzzle twice.
        """
        ...

    def generate(self, params: P, draw: Draw, resource: Any) -> Sequence[I]:
        """Return the rows of item number draw.index, `rows_per_item` of them, at least one.

        Args:
            params: validated knobs.
            draw: the item's index, its own random generator, and balanced dealing.
            resource: what `needs` asked for. Its `capacity` bounds the number of items.

        Raises:
            Reject: the draw was unlucky; the next attempt may not be.
        """
        ...

    def open(self, instance: I) -> Episode:
        """Return a fresh episode. Its prompts are built from the puzzle, never from the gold."""
        ...

    def gold(self, instance: I) -> str:
        """Return the canonical answer as published in the gold column; "" in an ungraded row."""
        ...

    def group(self, instance: I) -> str:
        """Return the key of the base puzzle; rows that share it are not independent samples."""
        ...

    def reference(self, instance: I) -> list[str]:
        """Return the replies of a player that succeeds: the proof that the puzzle is solvable."""
        ...

    def check(self, instance: I) -> list[str]:
        """Return what is false about this instance, in words; empty when all labels hold.

        Re-derives every label that simulation alone can prove; the others stand in `claims`.
        """
        ...

    def claims(self, instance: I) -> Sequence[Claim]:
        """Return the labels that need an exhaustive search, for the verify stage to prove."""
        ...

    def encode(self, instance: I) -> dict[str, Any]:
        """Return the typed columns of one published row."""
        ...

    def decode(self, row: Mapping[str, Any]) -> I:
        """Return the instance that a published row holds; encode's inverse."""
        ...
