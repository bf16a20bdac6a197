"""The protocol of a world: the rules of things that operations deform.

A world is a frozen record: its fields are the columns that say which rules hold. States and steps
are small hashable values of its own kind; text is made and read at the edges only.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np

from facelet.generators.core.replies.written import Grammar
from facelet.renderers.scenes.records import Scene

S = TypeVar("S", bound=Hashable)
"""A state: a shape, a cube."""

Direction = Literal["forward", "inverse"]

Step = tuple[int, int]
"""An operation: its kind, and what it takes (a colour, a piece), as the world numbers them."""

_BLOCK = 64


class Dice:
    """Whole numbers from one generator, drawn in blocks: one at a time is many times as dear."""

    __slots__ = ("below", "left", "more")

    below: Callable[[int], int]
    """Return a number from 0 to size - 1."""

    left: list[float]
    """What is drawn and not yet used, from 0 to less than 1; the last is the next."""

    more: Callable[[], None]
    """Draw one more block, when nothing is left."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Start with nothing drawn."""
        left: list[float] = []
        # Functions of their own rather than methods: looking nothing up halves the time.
        pop = left.pop

        def draw_block() -> None:
            left.extend(rng.random(_BLOCK).tolist())

        def draw_below(size: int) -> int:
            if not left:
                draw_block()
            return int(pop() * size)

        self.below, self.left, self.more = draw_below, left, draw_block

    def draw_order(self, size: int) -> list[int]:
        """Return the numbers 0 to size - 1 in random order."""
        order, below = list(range(size)), self.below
        for place in range(size - 1, 0, -1):
            other = below(place + 1)
            order[place], order[other] = order[other], order[place]
        return order


@dataclass(frozen=True, slots=True)
class FourLists(Generic[S]):
    """Four lists of operations from one start.

    Attributes:
        start: the start.
        lists: the lists, all of one length.
        results: what they lead to, all different.
    """

    start: S
    lists: tuple[tuple[Step, ...], ...]
    results: tuple[S, ...]


class World(Hashable, Protocol[S]):
    """The rules of one kind of thing.

    Attributes:
        item_noun: what one such thing is called: "shape", "cube".
        code_description: how a code is written, for who sees pictures.
    """

    item_noun: ClassVar[str]
    code_description: ClassVar[str]

    def draw_start(self, dice: Dice) -> S:
        """Return a start state."""
        ...

    def draw_step(self, dice: Dice) -> Step:
        """Return an operation: first a kind, each as likely, then what it takes."""
        ...

    def apply_step(self, state: S, step: Step) -> S:
        """Return the state after an operation."""
        ...

    def is_offered(self, before: S, after: S) -> bool:
        """Return whether a step that leads from one state to the other may be asked about."""
        ...

    def follow_steps(self, start: S, steps: Sequence[Step]) -> list[S]:
        """Return the states from a start to what operations lead to, one more than there are."""
        ...

    def live_steps(self, states: Sequence[S], steps: Sequence[Step]) -> tuple[bool, ...]:
        """Return of each operation whether the list would lead elsewhere without it.

        Args:
            states: those that `follow_steps` returns.
            steps: the list.
        """
        ...

    def draw_four(self, level: int, dice: Dice, start: S) -> FourLists[S]:
        """Return four lists by design, as `question_sampler` says.

        Args:
            level: number of operations.
            dice: the randomness.
            start: the start.

        Raises:
            Reject: none were found.
        """
        ...

    def write_state(self, state: S) -> str:
        """Return the code of a state, one line without blanks."""
        ...

    def read(self, code: str) -> S:
        """Return the state of a code, however its lines are cut; raise ValueError if it is none."""
        ...

    def check_lawful(self, state: S) -> None:
        """Raise ValueError if no start and no operations lead to a state."""
        ...

    def write_steps(self, steps: Sequence[Step]) -> str:
        """Return a list of operations as text."""
        ...

    def read_steps(self, text: str) -> list[Step]:
        """Return the operations of a text; raise ValueError if one is none."""
        ...

    def canonical_code(self, state: S) -> str:
        """Return the code of the state that represents all that symmetry makes of this one."""
        ...

    def align_states(self, states: Sequence[S]) -> Sequence[Sequence[S | str]]:
        """Return all images of some states, moved by one symmetry, of which the first is the least.

        States that symmetry makes of each other have the same images. There are several where the
        first state is symmetric itself.
        """
        ...

    def count_differences(self, one: S, other: S) -> int:
        """Return the number of places in which two states differ: quadrants, stickers."""
        ...

    def place_count(self, one: S, other: S) -> int:
        """Return the number of places that are filled in one state or the other."""
        ...

    def state_parts(self, state: S) -> Sequence[int]:
        """Return the content of each place of a state, always as many: stickers, pieces."""
        ...

    def format_state(self, state: S) -> str:
        """Return a state as text for a prompt; may have several lines."""
        ...

    def build_scene(
        self, states: Sequence[S], labels: Sequence[str], *, letters: bool, size: int = 0
    ) -> Scene:
        """Return a picture of some states.

        Args:
            states: one to many states.
            labels: the text beside each; "" for none.
            letters: whether colours are told by letters as well.
            size: edge of a state in pixels, where at most four are shown; 0 for the usual.
        """
        ...

    def rules_text(self, level: int) -> str:
        """Return what the prompts say of states and operations.

        Args:
            level: 0 for the least that will do, 1 for the usual, 2 for all details.
        """
        ...

    def lesson_steps(self) -> Sequence[tuple[S, Step, str]]:
        """Return for each kind of operation a state, a step and its name, to be shown."""
        ...

    def grammar(self, direction: Direction) -> Grammar:
        """Return how a code (forward) or a list of operations (inverse) is written in a reply."""
        ...

    def reading_description(self, *, pictures: bool) -> str:
        """Return how a state is to be read, off pictures or from its code."""
        ...

    def explain_step(self, before: S, step: Step, after: S) -> str:
        """Return one line of a chain of reasoning: what the step does to the state."""
        ...
