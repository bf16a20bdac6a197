"""Traces: how a reply to a deformation question went about it, and where it went wrong.

Inf-Bench sorts replies by hand (section 6.1, figure 5); this does it by rule, from the codes that a
reply writes, carried out against the rules of the world.

- Step by step: it writes a code that its question did not show. All else is direct pairing.
- A wrong reply has one of four errors, the first that fits. Pairing: it pairs directly, or follows
  its operations rightly and then chooses another option. Encoding: its start is not the one of the
  picture. Abstracting: an operation is wrong that it nowhere has right, so it does not know what
  the operation does. Executing: an operation is wrong that it has right elsewhere.

A reply that thinks in words alone counts as direct pairing, and so does every reply to a question
of one operation that shows its codes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from facelet.generators.options.deformation.questions import Direction, Question
from facelet.generators.options.deformation.world_protocol import Step, World

Way = Literal["direct", "stepwise"]
Error = Literal["pairing", "encoding", "abstracting", "executing"]
ERRORS: tuple[Error, ...] = ("pairing", "encoding", "abstracting", "executing")


def list_codes(world: World[Any], reply: str) -> list[str]:
    """Return the codes in a reply, in order; one that is at once repeated, once."""
    found: list[str] = []
    for match in re.finditer(world.grammar("forward").item, reply):
        try:
            code = world.write_state(world.read(match[0]))
        except ValueError:
            continue
        if not found or found[-1] != code:
            found.append(code)
    return found


def classify_way(
    world: World[Any], question: Question, direction: Direction, reply: str, *, pictured: bool
) -> Way:
    """Return how a reply went about its question.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        reply: the reply.
        pictured: whether states are shown as pictures alone, so that every code is the reply's own.
    """
    shown: set[str] = set()
    if not pictured:
        ends = question.results if direction == "forward" else (question.given,)
        shown = {question.start, *ends}
    return "stepwise" if set(list_codes(world, reply)) - shown else "direct"


def classify_error(
    world: World[Any], question: Question, direction: Direction, reply: str, *, pictured: bool
) -> Error:
    """Return the error of a reply whose answer is wrong.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        reply: the reply.
        pictured: whether states are shown as pictures alone.
    """
    if classify_way(world, question, direction, reply, pictured=pictured) == "direct":
        return "pairing"
    written = list_codes(world, reply)
    if pictured and written[0] != question.start:
        return "encoding"
    if direction == "forward":
        lists, ends = [question.given], set[str]()
    else:
        lists, ends = list(question.lists), {question.given}
    steps = [world.read_steps(text) for text in lists]
    right, wrong = _follow_lists(
        world, question.start, steps, [c for c in written if c not in ends]
    )
    if not wrong:
        return "pairing"
    return "executing" if wrong <= right else "abstracting"


def _follow_lists(
    world: World[Any], start: str, lists: Sequence[Sequence[Step]], written: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Return the kinds of operations that codes have right, and those that they have wrong.

    Some may be left out: a code that is right a few operations later has them all right. What
    follows a wrong code is judged from that code on. The lists come one after another, unless a
    code lies on the way of another one.
    """
    right, wrong = set[str](), set[str]()
    number, place, state = 0, 0, start
    for code in written:
        if code == start:
            number, place, state = min(number + (place > 0), len(lists) - 1), 0, start
            continue
        if place == len(lists[number]) and number + 1 < len(lists):
            number, place, state = number + 1, 0, start
        tries = [(number, place, state), *((one, 0, start) for one in range(len(lists)))]
        for other, begin, before in tries:
            if end := _steps_to_code(world, before, lists[other], begin, code):
                right |= {_operation_kind(world, step) for step in lists[other][begin:end]}
                number, place = other, end
                break
        else:
            if place < len(lists[number]):
                wrong.add(_operation_kind(world, lists[number][place]))
                place += 1
        state = code
    return right, wrong


def _steps_to_code(
    world: World[Any], before: str, steps: Sequence[Step], begin: int, code: str
) -> int | None:
    """Return after how many operations of a list a code is reached; None if it never is.

    Args:
        world: the rules.
        before: what stands before operation `begin`.
        steps: the list.
        begin: the first operation that is carried out, from 0.
        code: what is looked for.
    """
    state = world.read(before)
    for place in range(begin, len(steps)):
        state = world.apply_step(state, steps[place])
        if world.write_state(state) == code:
            return place + 1
    return None


def _operation_kind(world: World[Any], step: Step) -> str:
    """Return what an operation is called, without what it takes."""
    return world.write_steps([step]).partition("(")[0]
