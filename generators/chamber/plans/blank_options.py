"""Find which choices of options for the blanks of a plan lead out of a chamber.

The search performs the steps before a blank once for all assignments that share them, so it rejects
most assignments without playing them to the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.engine.time_step import StepRefused
from facelet.generators.chamber.world.step_records import LEAVE, Step


def iterate_fillings(
    rules: StepRules, plan: Sequence[Step | None], options: Sequence[Step]
) -> Iterator[tuple[int, ...]]:
    """Yield every choice of options, one for each blank and none twice, that succeeds.

    Args:
        rules: the rules of the chamber.
        plan: the steps; None is a blank.
        options: the options; choices are their numbers, in the order of the blanks.
    """
    yield from _fill_blanks(rules, rules.beginning, tuple(plan), tuple(options), ())


def _fill_blanks(
    rules: StepRules,
    state: State,
    plan: tuple[Step | None, ...],
    options: tuple[Step, ...],
    chosen: tuple[int, ...],
) -> Iterator[tuple[int, ...]]:
    due, later = plan[0], plan[1:]
    tried: list[tuple[Step, tuple[int, ...]]] = [] if due is None else [(due, chosen)]
    if due is None:
        left = (number for number in range(len(options)) if number not in chosen)
        tried = [(options[number], (*chosen, number)) for number in left]
    for step, now in tried:
        try:
            then = rules.apply_step(state, step)
        except StepRefused:
            continue
        if later:
            yield from _fill_blanks(rules, then, later, options, now)
        elif step == LEAVE:
            yield now


def is_unique_filling(
    rules: StepRules, plan: Sequence[Step], blanks: Sequence[int], wrong: Sequence[Step]
) -> bool:
    """Return whether nothing but a plan itself succeeds when some of its steps are blanks.

    Args:
        rules: the rules of the chamber.
        plan: the plan.
        blanks: numbers of the steps that are blanks, ascending.
        wrong: the options beside these steps.
    """
    open_plan = [None if number in blanks else step for number, step in enumerate(plan)]
    options = [*(plan[number] for number in blanks), *wrong]
    return list(iterate_fillings(rules, open_plan, options)) == [tuple(range(len(blanks)))]
