"""Write chains of reasoning by rule: every step of a player that makes no mistake.

A chain follows every operation, names the state after it, and ends with the letter on a line of its
own. It is text for examples and for fine-tuning; `right` proves it by reading the letter back.
"""

from __future__ import annotations

from facelet.generators.options.deformation.questions import Direction, Question
from facelet.generators.options.deformation.world_protocol import S, World
from facelet.generators.options.letter_placement import LETTERS


def write_chain(
    world: World[S], question: Question, direction: Direction, *, written: bool = False
) -> str:
    """Return the reasoning that solves a question, found from what its prompt shows alone.

    Where the answer is written, an inverse question is not solved, but its list is carried out.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        written: whether the answer is written, so that no options are shown.

    Raises:
        ValueError: no option, or several, fit what is shown.
    """
    lines = [f"Start: {question.start}"]
    if written:
        steps = question.lists[LETTERS.index(question.answer)]
        end = _follow_operations(world, question.start, steps, lines)
        return "\n".join([*lines, end if direction == "forward" else steps])
    if direction == "forward":
        end = _follow_operations(world, question.start, question.given, lines)
        fitting = [x for x, code in zip(LETTERS, question.results, strict=True) if code == end]
        lines.append(f"The result is {end}.")
    else:
        lines.append(f"Result: {question.given}")
        fitting = []
        for x, text in zip(LETTERS, question.lists, strict=True):
            lines.append(f"List {x}:")
            end = _follow_operations(world, question.start, text, lines)
            same = end == question.given
            lines.append(f"That {'is' if same else 'is not'} the result.")
            if same:
                fitting.append(x)
    if len(fitting) != 1:
        raise ValueError(f"the options {fitting} fit; exactly one should")
    return "\n".join([*lines, f"That is option {fitting[0]}.", fitting[0]])


def _follow_operations(world: World[S], start: str, operations: str, lines: list[str]) -> str:
    """Carry operations out, add a line for each, and return the code of the end."""
    state = world.read(start)
    for number, step in enumerate(world.read_steps(operations), 1):
        after = world.apply_step(state, step)
        lines.append(f"{number}. {world.explain_step(state, step, after)}")
        state = after
    return world.write_state(state)
