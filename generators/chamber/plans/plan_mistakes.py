"""Make wrong versions of single steps that no text distinguishes from the right ones.

Fillings come first: which choices of options for the blanks of a plan lead out of a chamber. The
search performs the steps before a blank once for all assignments that share them, so it rejects
most assignments without playing them to the end.

A mistake replaces one word of a step by another word of its sort, or exchanges two words:

    panel, thing, target, floor   another panel, thing to carry, device, or floor
    direction                     another direction for a mirror cube
    order                         the two portals exchanged

Most mistaken steps are legal, and the plan fails LATE or more steps later, for example at a door
that stays closed. Few mistaken steps are themselves illegal. `lag` counts the steps in between.

Why no text distinguishes right from wrong: the last stage of generation shuffles the names among
the fixtures of each kind and turns and mirrors the chamber, at random and independently of
everything else. A mistake is accepted only if an exchange of two names, or a reflection, turns the
right plan into the mistaken one and leaves every other word of the plan and of the other mistakes
unchanged. So for every chamber in which a text is right, an equally likely chamber exists in which
the same text is wrong and its mistaken version is right. A player that reads only the text cannot
beat chance. `are_exchangeable` checks this condition on the words.

Five mistakes are independent if the plan fails with every single one and with every combination.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, run_plan
from facelet.generators.chamber.world.chamber_records import COMPASS, LEAVE, Chamber, Step
from facelet.generators.chamber.world.device_registry import find_device
from facelet.generators.core.task import Reject


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


MISTAKES = 5
LATE = 3
"""Steps after which a mistake shows that is not seen at once."""
MOST_EARLY = 2
"""Default of the most mistakes of five that show earlier."""
_PREPARING = frozenset({"press", "take", "put"})
"""Verbs of steps that change what is driven, and leave the player where it is."""
_SORTS = {"panel": "panel", "floor": "floor", "cube": "thing", "mirror": "thing"}
"""Sorts of mistakes by the kind of the fixture that is replaced; others are targets."""
TRIES = 24
"""Choices of five mistakes that are tried; the one with most late mistakes wins."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A wrong version of a step.

    Attributes:
        number: the number of the step, from 0.
        step: what it becomes.
        sort: what is wrong; see the module.
        lag: how many steps later a step cannot be done any more; 0 for the mistaken one itself.
    """

    number: int
    step: Step
    sort: str
    lag: int = 0


def is_name(word: str) -> bool:
    """Return whether an argument of a step is the name of a fixture."""
    return word[-1].isdigit()


def count_names(steps: Sequence[Step]) -> Counter[str]:
    """Return how often each fixture is named."""
    return Counter(word for step in steps for word in step.args if is_name(word))


def list_named_directions(steps: Sequence[Step]) -> list[str]:
    """Return the directions that are named."""
    return [word for step in steps for word in step.args if word in COMPASS]


def iterate_candidates(chamber: Chamber, plan: Sequence[Step]) -> Iterator[Mistake]:
    """Yield all versions of single steps that are exchangeable, mistakes or not."""
    kind = {fixture.name: fixture.kind for fixture in chamber.fixtures}
    used = count_names(plan)
    spare: dict[str, list[str]] = {}
    driving = {name for fixture in chamber.fixtures for name in fixture.inputs}
    for fixture in chamber.fixtures:
        # A source that drives nothing would be known for a decoy without a look at the chamber.
        idle = find_device(fixture.kind).senses and fixture.name not in driving
        if fixture.name not in used and not idle:
            spare.setdefault(fixture.kind, []).append(fixture.name)
    for number, step in enumerate(plan):
        for place, word in enumerate(step.args):
            if is_name(word):
                if used[word] == 1:
                    for other in spare.get(kind[word], ()):
                        yield Mistake(
                            number,
                            replace_argument(step, place, other),
                            _SORTS.get(kind[word], "target"),
                        )
            elif word in COMPASS:
                for other in _iterate_reflections(word, list_named_directions(plan)):
                    yield Mistake(number, replace_argument(step, place, other), "direction")
        if step.verb == "both" and all(used[word] == 1 for word in step.args[1:]):
            origin, blue, orange = step.args
            yield Mistake(number, Step("both", (origin, orange, blue)), "order")


def replace_argument(step: Step, place: int, word: str) -> Step:
    """Return a step with another argument.

    Args:
        step: the step.
        place: the number of the argument, from 0.
        word: the new argument.
    """
    return Step(step.verb, (*step.args[:place], word, *step.args[place + 1 :]))


def _iterate_reflections(word: str, said: Sequence[str]) -> Iterator[str]:
    """Yield the images of a direction under reflections that keep the other directions."""
    own = COMPASS.index(word)
    others = [COMPASS.index(other) for other in said]
    others.remove(own)
    if all(other % 2 != own % 2 for other in others):
        yield COMPASS[(own + 2) % 4]
    if not others:
        yield COMPASS[(own + 1) % 4]
        yield COMPASS[(own + 3) % 4]


def are_exchangeable(plan: Sequence[Step], mistakes: Sequence[Mistake]) -> bool:
    """Return whether an exchange of words makes each mistake and leaves all other words alone."""
    for mistake in mistakes:
        right = plan[mistake.number]
        rest = [step for number, step in enumerate(plan) if number != mistake.number]
        rest += [other.step for other in mistakes if other is not mistake]
        differing = [
            (one, other)
            for one, other in zip(right.args, mistake.step.args, strict=True)
            if one != other
        ]
        if right.verb != mistake.step.verb or not differing:
            return False
        words = {word for pair in differing for word in pair}
        if len(words) != 2 or any(set(pair) != words for pair in differing):
            return False
        if words <= set(COMPASS):
            if not _is_reflection(words, list_named_directions(rest)):
                return False
        elif any(word in words for step in rest for word in step.args) or (
            len(differing) == 1
            and any(count > 1 for word, count in count_names([right]).items() if word in words)
        ):
            return False
    return True


def _is_reflection(words: set[str], others: Sequence[str]) -> bool:
    """Return whether a reflection exchanges two directions and keeps the others."""
    one, two = (COMPASS.index(word) for word in words)
    if (one - two) % 2:
        return not others
    return all((COMPASS.index(other) - one) % 2 for other in others)


def apply_mistakes(plan: Sequence[Step], mistakes: Sequence[Mistake]) -> tuple[Step, ...]:
    """Return a plan with some mistakes in it."""
    steps = list(plan)
    for mistake in mistakes:
        steps[mistake.number] = mistake.step
    return tuple(steps)


def plan_succeeds(rules: StepRules, plan: Sequence[Step]) -> bool:
    """Return whether a plan, all of it, leads out of the chamber."""
    return plan[-1] == LEAVE and run_plan(rules, tuple(plan)).has_left


def select_failing(
    rules: StepRules, plan: Sequence[Step], found: Sequence[Mistake]
) -> list[Mistake]:
    """Return those mistakes with which alone a plan fails, each with its lag."""
    states = run_plan(rules, tuple(plan)).states
    wrong = []
    for mistake in found:
        state = states[mistake.number]
        later = (mistake.step, *plan[mistake.number + 1 :])
        for lag, step in enumerate(later):
            try:
                state = rules.apply_step(state, step)
            except StepRefused:
                wrong.append(replace(mistake, lag=lag))
                break
    return wrong


def hasten_plan(rules: StepRules, plan: Sequence[Step]) -> tuple[Step, ...]:
    """Return a plan of the same steps in which what is not bound to its place is done early.

    What is done early and needed late can be mistaken so that it shows late.

    Args:
        rules: the rules of the chamber.
        plan: a plan that leads out.
    """
    steps = list(plan)
    states = list(run_plan(rules, tuple(plan)).states)
    for number, step in enumerate(plan[:-1]):
        if step.verb not in _PREPARING:
            continue
        for place in range(number):
            later = [step, *steps[place:number], *steps[number + 1 :]]
            after = _play_steps(rules, states[place], later)
            if after:
                steps[place:], states[place + 1 :] = later, after
                break
    return tuple(steps)


def _play_steps(rules: StepRules, state: State, steps: Sequence[Step]) -> list[State]:
    """Return the states after steps that can all be done and lead out; none if they do not."""
    found = []
    for step in steps:
        try:
            state = rules.apply_step(state, step)
        except StepRefused:
            return []
        found.append(state)
    return found


def choose_mistakes(
    rules: StepRules,
    plan: Sequence[Step],
    rng: np.random.Generator,
    count: int = MISTAKES,
    most: int = MOST_EARLY,
) -> tuple[Mistake, ...]:
    """Return independent mistakes in the order of their steps, of as many sorts as possible.

    At most `most` of them show before LATE steps have passed.

    Args:
        rules: the rules of the chamber.
        plan: its plan.
        rng: the randomness of the chamber.
        count: how many.
        most: how many may show early.

    Raises:
        Reject: the plan has no such mistakes.
    """
    found = select_failing(rules, plan, list(iterate_candidates(rules.chart.chamber, plan)))
    if _count_late(found) < count - most:
        raise Reject("a plan has too few steps whose mistakes show late")
    best: tuple[Mistake, ...] = ()
    for _ in range(TRIES):
        chosen = _draw_mistakes(found, rng, count, most)
        if len(chosen) < count or _count_late(chosen) <= _count_late(best):
            continue
        chosen.sort(key=lambda mistake: mistake.number)
        # If no other assignment fills all five blanks, none fills fewer of them, for the steps that
        # are given then are options here; with the plan's own steps it also covers all mixtures.
        if are_exchangeable(plan, chosen) and is_unique_filling(
            rules,
            plan,
            [mistake.number for mistake in chosen],
            [mistake.step for mistake in chosen],
        ):
            best = tuple(chosen)
    if not best:
        raise Reject("a plan has too few steps that one can mistake")
    return best


def count_late_steps(rules: StepRules, plan: Sequence[Step]) -> int:
    """Return how many steps of a plan have mistakes that show LATE steps later or more.

    Args:
        rules: the rules of the chamber.
        plan: its plan.
    """
    return _count_late(
        select_failing(rules, plan, list(iterate_candidates(rules.chart.chamber, plan)))
    )


def _count_late(found: Sequence[Mistake]) -> int:
    return len({mistake.number for mistake in found if mistake.lag >= LATE})


def _draw_mistakes(
    found: Sequence[Mistake], rng: np.random.Generator, count: int, most: int
) -> list[Mistake]:
    """Return mistakes of different steps and without a common word.

    Late ones come first, and then of the others as few as are left to draw; of either the rarest
    sorts first.
    """
    shuffled = [found[int(place)] for place in rng.permutation(len(found))]
    drawn: list[Mistake] = []
    words: set[str] = set()
    tally: Counter[str] = Counter()
    while len(drawn) < count:
        fitting = [
            mistake
            for mistake in shuffled
            if mistake.number not in {other.number for other in drawn}
            and not words & set(count_names([mistake.step]))
        ]
        if not fitting:
            break
        slow = [mistake for mistake in fitting if mistake.lag >= LATE]
        if sum(mistake.lag < LATE for mistake in drawn) == most and not slow:
            break
        fitting = slow or fitting
        least = min(tally[mistake.sort] for mistake in fitting)
        mistake = next(mistake for mistake in fitting if tally[mistake.sort] == least)
        drawn.append(mistake)
        tally[mistake.sort] += 1
        words |= set(count_names([mistake.step]))
    return drawn
