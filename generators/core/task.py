"""The base classes Task and Episode, and the small records that they exchange.

A task makes instances and judges replies. Everything that happens to an instance afterwards
(export, scoring, proof) goes through an Episode, so the rules that made a row are the rules that
score it. A single-turn question is an episode that ends after one reply.

Both are base classes with defaults. A subclass defines what differs and nothing else that is
public: a misspelt method is an error when the class is made, not an unnoticed default.
"""

from __future__ import annotations

import difflib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from facelet.generators.core.chance_level import BlindLimit, Chance
from facelet.generators.core.code_tools import Tools
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.params import Difficulty as Difficulty
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.row_schema import Column as Column
from facelet.generators.core.row_schema import columns_of, make_decoder, make_encoder
from facelet.generators.core.seeding import Draw
from facelet.generators.core.shown_keys import RowQuota, of_columns, puzzle_of


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
        one_reply: whether the play had room for one reply only, so that the reply did not end it
            early; plays set it.
    """

    status: Status
    strict: bool
    gold: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    one_reply: bool = False


class Reject(Exception):  # noqa: N818 - an unlucky draw is no error
    """The draw cannot become a puzzle; the caller tries the next attempt with a new seed."""


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


@dataclass(frozen=True, slots=True)
class Traits:
    """What a task is, as far as tests and audits treat tasks differently.

    Attributes:
        hidden: what has to be found out is not shown at the start, so that rows that differ in
            columns of role "unseen" or "answer" may begin with the same prompt.
        simulated: an answer is played out, so that what solves one instance may solve another.
        passes: replies that every play has, where their number is fixed and each is asked for
            otherwise, else 0. A prediction of fewer is refused: nothing tells which they are.
        leaks: a column, and the value of it under which a row tells its own answer by design; such
            a config is left out of the mean of its suite. ("", "") where none does.
    """

    hidden: bool = False
    simulated: bool = False
    passes: int = 0
    leaks: tuple[str, str] = ("", "")


class Params(Protocol):
    """Params of a task as the pipeline sees them; facelet.generators.core.params has a base."""

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""

    def difficulty(self) -> Difficulty:
        """Return the place of these params on the task's difficulty axis."""


class Episode(ABC):
    """One play of one instance. Same replies, same prompts and outcome, on every machine."""

    __slots__ = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Refuse public methods that no episode has."""
        super().__init_subclass__(**kwargs)
        _refuse_unknown(cls, Episode)

    @abstractmethod
    def prompt(self) -> Prompt:
        """Return the messages that are new to the player now."""

    @abstractmethod
    def reply(self, text: str) -> Prompt | Outcome:
        """Parse and judge one reply of the player and advance.

        The text is untrusted: any string of any length must be taken without an exception.
        """

    @property
    def takes_one_reply(self) -> bool:
        """Whether the first reply ends every play of the puzzle."""
        return False

    def outcome_when_halted(self) -> Outcome:
        """Return the outcome when the player sends no more replies; UNPARSED and not strict.

        An episode whose earlier replies still count returns their outcome.
        """
        return Outcome(Status.UNPARSED, strict=False)

    def without_figures(self) -> Self:
        """Return this episode, just begun, without figures that only a report reads.

        Status, labels and prompts are the same, and many episodes are played faster.
        """
        return self

    def current_distance(self) -> int | None:
        """Return how many steps are still needed at least; None where that is not proven here.

        It is for rewards of learners, and no player is told. 0 is the goal.
        """
        return None

    def live_environment(self) -> Tools | None:
        """Return the functions of the step that is due, or None if it takes replies only.

        What they do leaves the episode as it is; see facelet.generators.core.code_tools.
        """
        return None


P = TypeVar("P", bound=Params)
I = TypeVar("I")  # noqa: E741 - reads as Instance in the signatures below


class Task(ABC, Generic[P, I]):
    """A kind of puzzle. One module exports one instance of it, named TASK.

    Attributes:
        name: "family/task" in lower-case ASCII, such as "cube/move_prediction".
        version: moves when, and only when, what the task emits changes.
        older_versions: versions whose rows this one plays as they were played then: only the
            choice of puzzles has changed since.
        params: the frozen dataclass of its params.
        instance: the record of one row, where its fields are the columns (see
            facelet.generators.core.row_schema); a task without one says columns, encode and decode.
        columns: the typed columns that encode fills, besides the common ones.
        measures: what a report says beyond accuracy, parse rate and status counts.
        traits: what tests and audits should know about it.
        deviations: where it does otherwise than the paper that defines it.
        classed_by: a column whose values class the tasks of a suite, such as its paper's classes;
            a report pools the rows of all tasks of the suite that name one. "" for none.
        paired_by: the column with the number of the pair that asks one question with opposite
            answers, negative for a row that is asked alone. An audit holds the labels of pairs to
            be exactly even over any column, and those of rows alone as even as draws are. "" where
            all rows are dealt alike.
        cost: a metric of solved rows of which less is better, such as their turns; paired reports
            compare models by it on the rows that both solved. "" for none.
        summed: columns, of numbers or of few words, that `facelet info` sums up by config.
        depth: a column that counts the steps of a row without which its result is another, where
            its difficulty counts all of them; ladders give R in both. "" where there is none.
        decided_by: columns that decide the outcome of one reply to a row, as long as the row is as
            the task made it; then one row may be judged for all that share them. () where more of
            the row counts.
        shared_group: why rows whose first prompts differ may share a group, and why few groups may
            have many rows; "" where each prompt is a group of its own.
        whole_pool: whether an item depends on the whole pool that `needs` asks for, as where items
            are balanced over it; else on its own piece alone, and on the number of pieces.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    older_versions: ClassVar[tuple[int, ...]] = ()
    params: ClassVar[type[Any]]
    instance: ClassVar[type[Any] | None] = None
    columns: ClassVar[tuple[Column, ...]]
    measures: ClassVar[tuple[Measure, ...]] = ()
    traits: ClassVar[Traits] = Traits()
    deviations: ClassVar[tuple[Deviation, ...]] = ()
    classed_by: ClassVar[str] = ""
    paired_by: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    summed: ClassVar[tuple[str, ...]] = ()
    depth: ClassVar[str] = ""
    decided_by: ClassVar[tuple[str, ...]] = ()
    shared_group: ClassVar[str] = ""
    whole_pool: ClassVar[bool] = False
    _vocabulary: ClassVar[tuple[str, ...]] = ()

    def plays_version(self, version: int) -> bool:
        """Return whether rows of a version are played as they were then."""
        return version in (self.version, *self.older_versions)

    def __init_subclass__(cls, *, vocabulary: bool = False, **kwargs: Any) -> None:
        """Derive the columns, and refuse public methods that no task has.

        Args:
            vocabulary: whether the class is a base that adds methods for its subclasses to define.
            kwargs: for other bases.
        """
        super().__init_subclass__(**kwargs)
        cls._vocabulary = (*cls._vocabulary, *(vars(cls) if vocabulary else ()))
        if cls.__dict__.get("instance") is not None and "columns" not in cls.__dict__:
            cls.columns = columns_of(cls.__dict__["instance"])
        _refuse_unknown(cls, Task, cls._vocabulary)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Refuse a class that leaves methods undefined, and say what they are for."""
        if missing := sorted(getattr(cls, "__abstractmethods__", ())):
            words = (
                f"{name}: {(inspect.getdoc(getattr(cls, name)) or '?').splitlines()[0]}"
                for name in missing
            )
            raise TypeError(
                f"{cls.__module__}.{cls.__qualname__} lacks {', '.join(missing)}; define\n  "
                + "\n  ".join(words)
            )
        return super().__new__(cls)

    def needs(self, params: P) -> Need | None:
        """Return the resource that generate must be handed, or None."""
        return None

    def capacity(self, params: P) -> int | None:
        """Return how many distinct items there are; None where no count could exhaust them."""
        return None

    def items_per_state(self, params: P) -> int:
        """Return how many items may be made of each piece of the resource that is needed.

        Item number i takes piece i modulo their number. Items of one piece share their group.
        """
        return 1

    def repeat_reason(self, params: P) -> str:
        """Return why items may be equal, in words for cards and audits; "" where none may be.

        A build is refused when items are equal and nothing is said of it.
        """
        return ""

    def chance_level(self, params: P) -> Chance | None:
        """Return the score of a player that only guesses; None where it is unknown."""
        return None

    def reply_form(self, instance: I) -> str:
        """Return the name of the form of reply that is asked for, such as "letter"; "" for none.

        A paper's own way to parse replies is found by it (facelet.pipeline.papers); then reports
        have its figures too.
        """
        return ""

    def blind_limit(self, params: P) -> BlindLimit | None:
        """Return what a player may score that never looks at the puzzle; None for chance.

        A build is refused when a blind player of its audit scores more than sampling allows.
        """
        return None

    def rows_per_item(self, params: P) -> int | None:
        """Return how many rows one item becomes (matched modalities, linked stages).

        None says that it differs between items (decisions of a tree). Their ids then end in the
        numbers of the item and of the row in it, and only the first row of each item is held to
        what is promised of all items: labels dealt in blocks, no puzzle twice.
        """
        return 1

    @abstractmethod
    def generate(self, params: P, draw: Draw, resource: Any) -> Sequence[I]:
        """Return the rows of item number draw.index, `rows_per_item` of them, at least one.

        Args:
            params: validated params.
            draw: the item's index, its own random generator, and balanced dealing.
            resource: what `needs` asked for. Its `capacity`, times `items_per_state`, bounds the
                number of items.

        Raises:
            Reject: the draw was unlucky; the next attempt may not be.
        """

    @abstractmethod
    def open(self, instance: I) -> Episode:
        """Return a fresh episode. Its prompts are built from the puzzle, never from the gold."""

    def gold_answer(self, instance: I) -> str:
        """Return the canonical answer as published in the gold column; "" in an ungraded row.

        By default the columns of role "answer", one a line.
        """
        row = self.encode(instance)
        answers = [row[column.name] for column in self.columns if column.role == "answer"]
        parts = [part for value in answers for part in (value if _has_many(value) else (value,))]
        return "\n".join(map(str, parts))

    def group_key(self, instance: I) -> str:
        """Return the key of the base puzzle; rows that share it are not independent samples.

        By default the columns of role "puzzle".
        """
        return puzzle_of(self.columns, self.encode(instance))

    def list_shown_keys(self, instance: I) -> Sequence[str]:
        """Return a canonical key of all that the row, or any turn of its episode, can show.

        The first is that of the first prompt. Rows that show the same class are no independent
        trials. By default the one of the columns of role "canonical", else of role "puzzle".
        """
        return of_columns(self.columns, self.encode(instance)) or (self.group_key(instance),)

    def split_key(self, instance: I) -> str:
        """Return the key whose hash says which split may hold the row; "" if any may."""
        return ""

    def row_quota(self, params: P) -> RowQuota | None:
        """Return how many rows of a config may share a value of a column; None for any number."""
        return None

    @abstractmethod
    def reference(self, instance: I) -> list[str]:
        """Return the replies of a player that succeeds: the proof that it can be solved."""

    def write_reasoned_reply(self, instance: I) -> str:
        """Return a reply that reasons by rule before it answers, for fine-tuning.

        Raises:
            ValueError: nothing reasons for this task.
        """
        raise ValueError(f"nothing reasons for {self.name}; take its replies without reasoning")

    @abstractmethod
    def find_faults(self, instance: I) -> list[str]:
        """Return what is false about this instance, in words; empty when all labels hold.

        Re-derives every label that simulation alone can prove; `claims` lists the others.
        """

    def claims(self, instance: I) -> Sequence[Claim]:
        """Return the labels that need an exhaustive search, for the verify stage to prove."""
        return ()

    def encode(self, instance: I) -> dict[str, Any]:
        """Return the typed columns of one published row."""
        return make_encoder(type(instance))(instance)

    def decode(self, row: Mapping[str, Any]) -> I:
        """Return the instance that a published row holds; encode's inverse."""
        if self.instance is None:
            raise TypeError(f"{self.name} has no `instance`; define encode and decode")
        found: I = make_decoder(self.instance)(row)
        return found


def _has_many(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _refuse_unknown(cls: type, base: type, more: Sequence[str] = ()) -> None:
    """Raise TypeError if a class has a public method that its base does not know."""
    names = (*dir(base), *base.__annotations__, *more)
    known = {name for name in names if not name.startswith("_")}
    for name, value in vars(cls).items():
        if name.startswith("_") or name in known or not callable(value):
            continue
        close = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"it may have {', '.join(sorted(known))}"
        raise TypeError(
            f"{cls.__module__}.{cls.__qualname__}: {base.__name__} has no {name!r}; {hint} "
            "(begin the names of helpers with an underscore)"
        )
