"""Blind and partial-view players of chambers.

Partial-view players know distances without devices, or one step at a time:

    chamber/fill_blanks       "walking" fills the blanks so that the walk through all named places
                              is shortest; "nearest" takes, blank after blank, the option nearest
                              to where the step before it ends; "one_step" takes the first option
                              that is possible at its turn
    chamber/plan_correctness  "first_half" executes half of the plan and assumes that the rest works
    chamber/act, chamber/plan "one_step" draws a possible step that changes something; a plan has as
                              many steps as the budget

Distances are those of facelet.generators.chamber.plans.walking_distance, which ignores devices,
heights and doors.

Blind players:

    chamber/act          sweeps through all commands that the names of the description allow, in an
                         order of verbs; or follows what each turn reports: from reachable floors,
                         with what it carries, and leaves as soon as that may work
    chamber/plan         writes plans of commands that the names allow: drawn evenly, or verb by
                         verb as in real plans, with a pair of portals before each entry
    chamber/fill_blanks  pairs the options that are edits of each other, puts each pair into the
                         blank where its verb is most likely, and takes one of the two by a rule of
                         thumb; or answers letters by position

The order, rule or position is tuned on half of the puzzles and judged on the other half.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, cycle, permutations, product
from math import log
from string import ascii_uppercase
from typing import Any

import numpy as np

from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, chamber_rules
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.plans.insight_proofs import LegalSteps
from facelet.generators.chamber.plans.step_sentences import parse_sentence
from facelet.generators.chamber.plans.walking_distance import Plan, walking_distances
from facelet.generators.chamber.replies.plan_parser import OPENING, write_plan
from facelet.generators.chamber.tasks import act
from facelet.generators.chamber.tasks.act import Played, to_command
from facelet.generators.chamber.tasks.fill_blanks import Gaps
from facelet.generators.chamber.tasks.plan import Whole
from facelet.generators.chamber.tasks.plan_correctness import Candidate
from facelet.generators.chamber.world.chamber_records import COMPASS, LEAVE, Step, parse_chamber
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.pipeline.audit.baseline_players import BlindPolicy, PartialViewPlayer, prompt_text
from facelet.pipeline.family_modules import AnyTask

Says = Callable[[Prompt], str]


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    if task.name == "chamber/fill_blanks":
        return {
            "walking": PartialViewPlayer(
                "the length of the whole way, at no device", _filling_player(_shortest_filling)
            ),
            "nearest": PartialViewPlayer(
                "which place is nearest, at no device", _filling_player(_nearest_filling)
            ),
            "one_step": PartialViewPlayer(
                "whether a step can be done when its turn comes", _filling_player(_doable_filling)
            ),
        }
    if task.name == "chamber/plan_correctness":
        return {"first_half": PartialViewPlayer("the first half of the plan", _first_half)}
    begin = _random_plan if task.name == "chamber/plan" else _wandering_player(1)
    return {
        "one_step": PartialViewPlayer("what can be done now, and leaves as soon as it can", begin)
    }


def legal(task: AnyTask) -> PartialViewPlayer | None:
    """Return the player of any step that can be done and changes something, or leaves."""
    if task.name != "chamber/act":
        return None
    return PartialViewPlayer("which steps can be done", _wandering_player(0))


def _filling_player(
    fill: Callable[[str, Plan, Sequence[Step], np.random.Generator], Sequence[int]],
) -> Callable[[Any, np.random.Generator], Says]:
    """Return what fills the blanks by a way to choose.

    Args:
        fill: from a chamber's text form, a plan with blanks, the options and randomness to the
            numbers of the options that it takes.
    """

    def begin_play(puzzle: Gaps, rng: np.random.Generator) -> Says:
        plan = [parse_sentence(text) if text else None for text in puzzle.gapped]
        options = [parse_sentence(text) for text in puzzle.choices]
        chosen = fill(puzzle.ground.chamber, plan, options, rng)
        said = f"Answer: {', '.join(ascii_uppercase[number] for number in chosen)}"
        return lambda prompt: said

    return begin_play


def _shortest_filling(
    chamber: str, plan: Plan, options: Sequence[Step], rng: np.random.Generator
) -> Sequence[int]:
    """Return the options with which the whole way is shortest; by lot if there are several."""
    order = [int(number) for number in rng.permutation(len(options))]
    return walking_distances(chamber).least_walk(plan, options, order)[1]


def _nearest_filling(
    chamber: str, plan: Plan, options: Sequence[Step], rng: np.random.Generator
) -> Sequence[int]:
    """Return, blank after blank, the option that is nearest to where the step before it ends."""
    known, order = (
        walking_distances(chamber),
        [int(number) for number in rng.permutation(len(options))],
    )
    place, chosen = known.start, list[int]()
    for step in plan:
        if step is None:
            here = place
            left = [number for number in order if number not in chosen]
            chosen.append(min(left, key=lambda k: known.walk_to_step(here, options[k])[1]))
            step = options[chosen[-1]]
        place = known.walk_to_step(place, step)[0]
    return chosen


def _doable_filling(
    chamber: str, plan: Plan, options: Sequence[Step], rng: np.random.Generator
) -> Sequence[int]:
    """Return, blank after blank, an option that can be done there; once none can, any."""
    order = [int(number) for number in rng.permutation(len(options))]
    engine, chosen = chamber_rules(parse_chamber(chamber)), list[int]()
    state: State | None = engine.beginning
    for step in plan:
        if step is None:
            left = [number for number in order if number not in chosen]
            can = [k for k in left if state is not None and _try_step(engine, state, options[k])]
            chosen.append((can or left)[0])
            step = options[chosen[-1]]
        state = None if state is None else _try_step(engine, state, step)
    return chosen


def _try_step(engine: StepRules, state: State, step: Step) -> State | None:
    """Return the state after a step; None if it cannot be done."""
    try:
        return engine.apply_step(state, step)
    except StepRefused:
        return None


def _first_half(puzzle: Candidate, rng: np.random.Generator) -> Says:
    """Say yes if the first half of the plan, the middle step included, can be done."""
    engine = chamber_rules(map_columns.read_chamber(puzzle.ground))
    state: State | None = engine.beginning
    for text in puzzle.candidate[: (len(puzzle.candidate) + 1) // 2]:
        state = None if state is None else _try_step(engine, state, parse_sentence(text))
    said = f"Answer: {'No' if state is None else 'Yes'}"
    return lambda prompt: said


def _wandering_player(eager: int) -> Callable[[Any, np.random.Generator], Says]:
    """Return what does one of the steps that can be done and change something, by lot.

    Args:
        eager: 1 to leave as soon as that can be done, 0 to leave by lot too.
    """

    def begin_play(puzzle: Played, rng: np.random.Generator) -> Says:
        said = _iterate_random_steps(
            chamber_rules(map_columns.read_chamber(puzzle.ground)), rng, eager
        )
        return lambda prompt: act.TASK.format_command(to_command(next(said)))

    return begin_play


def _random_plan(puzzle: Whole, rng: np.random.Generator) -> Says:
    """Write a plan of steps that can be done and change something, by lot."""
    steps = _iterate_random_steps(chamber_rules(map_columns.read_chamber(puzzle.ground)), rng, 1)
    plan: list[Step] = []
    while len(plan) < puzzle.budget and LEAVE not in plan:
        plan.append(next(steps))
    said = write_plan(tuple(plan))
    return lambda prompt: said


def _iterate_random_steps(
    engine: StepRules, rng: np.random.Generator, eager: int
) -> Iterator[Step]:
    state, possible = engine.beginning, LegalSteps(engine)
    while True:
        can = [(step, then) for step, then in possible.iterate_successors(state) if then != state]
        if _try_step(engine, state, LEAVE) is not None:
            can = [(LEAVE, state)] if eager else [*can, (LEAVE, state)]
        step, state = can[int(rng.integers(len(can)))] if can else (LEAVE, state)
        yield step


ORDERS = ("press enter stand drop take put", "take put drop stand press enter", "enter drop press")
"""Orders of verbs in which commands are swept through."""
_NAMES = re.compile(r"\b([A-Z])(\d{1,2})(?: to [A-Z](\d{1,2}))?(?=[;.])")
_STEP = re.compile(r"^Step \d+: (.+)$", re.MULTILINE)
_OPTION = re.compile(r"^([A-J])\. (.+)$", re.MULTILINE)
_FLOORS = re.compile(r"Floors that you can walk to: ([F\d, ]+)\.")
_CARRIED = re.compile(r"You carry ([CM]\d+)\.")


@dataclass(frozen=True, slots=True)
class TextPolicy:
    """Replies to the text of each prompt by a function.

    Attributes:
        name: names the randomness of its plays.
        reply: returns the reply, given the text of a prompt and the randomness of the play.
        weight: what a reply counts.
    """

    name: str
    reply: Callable[[str, np.random.Generator], str]
    weight: int = 1

    def begin(self, group: str) -> Says:
        """Return what replies to the prompts of one play."""
        rng = make_generator("blind", self.name, group)
        return lambda prompt: self.reply(prompt_text(prompt), rng)


def players(task: AnyTask, half: Sequence[Any]) -> Mapping[str, Sequence[BlindPolicy]]:
    """Return the players of a task, by kind.

    Args:
        task: the task.
        half: puzzles that verbs are counted on.
    """
    if task.name == "chamber/act":
        return {
            "sweeping": [SweepPolicy(order) for order in ORDERS],
            "told": [ToldPolicy(shooting) for shooting in (0.2, 0.5, 0.8)],
        }
    if task.name == "chamber/plan":
        return {
            "drawing": [
                TextPolicy("drawing", partial(write_random_plan, steps)) for steps in (1, 4, 16)
            ],
            "portals": [
                TextPolicy("portals", partial(write_portal_plan, pairs)) for pairs in (1, 2, 3)
            ],
        }
    if task.name == "chamber/fill_blanks":
        known = _count_verbs(half)
        return {
            "pairing": [
                TextPolicy("pairing", partial(pair_and_choose, thumb, known)) for thumb in _THUMBS
            ],
            "letters": [TextPolicy("letters", partial(choose_by_place, name)) for name in _PLACES],
        }
    return {}


# --- acting ---------------------------------------------------------------------------------------


def list_names(text: str) -> dict[str, list[str]]:
    """Return the names that a description counts, by letter."""
    found: dict[str, list[str]] = {
        letter: [f"{letter}{n}" for n in range(int(first), int(last or first) + 1)]
        for letter, first, last in _NAMES.findall(text)
    }
    return found


def iterate_commands(names: Mapping[str, Sequence[str]], order: str) -> Iterator[str]:
    """Yield commands with all names, verb by verb, two portals at a time last; each time to leave.

    Args:
        names: the names, by letter.
        order: the verbs.
    """
    letters = {"take": "CM", "put": "BQEPJT", "press": "S", "stand": "BE", "enter": "PJT"}
    for verb in order.split():
        for letter in letters.get(verb, "F"):
            yield from (f"{verb} {name}" for name in names.get(letter, ()))
        yield "leave"
    yield from (
        f"both {floor} {' '.join(pair)}"
        for floor, pair in product(names.get("F", ()), combinations(names.get("P", ()), 2))
    )


@dataclass(frozen=True, slots=True)
class SweepPolicy:
    """Tries every command that the names allow, in order, and ignores the results."""

    order: str
    weight: int = 1

    def begin(self, group: str) -> Says:
        """Return what replies; the description is read, answers are not."""
        said: Iterator[str] | None = None

        def next_reply(prompt: Prompt) -> str:
            nonlocal said
            if said is None:
                said = cycle(iterate_commands(list_names(prompt_text(prompt)), self.order))
            return f"My Step: {next(said)}"

        return next_reply


@dataclass(frozen=True, slots=True)
class ToldPolicy:
    """Draws commands that may be possible by what it was told, and leaves when floors are new.

    Attributes:
        shooting: how often it shoots portals when its hands are free.
    """

    shooting: float
    weight: int = 1

    def begin(self, group: str) -> Says:
        """Return what replies; it depends on what is told and on the puzzle's name."""
        rng = make_generator("blind", "told", group)
        names: dict[str, list[str]] = {}
        tried: set[str] = set()

        def next_reply(prompt: Prompt) -> str:
            text = prompt_text(prompt)
            names.update(list_names(text) if not names else {})
            told = _FLOORS.findall(text)
            floors = told[-1].split(", ") if told else names["F"]
            if (reached := " ".join(sorted(floors))) not in tried:
                tried.add(reached)
                return "My Step: leave"
            carried = _CARRIED.findall(text.rpartition("You are on")[2])
            return f"My Step: {self._draw_command(rng, names, floors, carried)}"

        return next_reply

    def _draw_command(
        self,
        rng: np.random.Generator,
        names: Mapping[str, Sequence[str]],
        floors: Sequence[str],
        carried: Sequence[str],
    ) -> str:
        """Return a command.

        Args:
            rng: the randomness of the play.
            names: all names.
            floors: those that it can walk to.
            carried: what it carries, if anything.
        """

        def draw_one(some: Sequence[str]) -> str:
            return some[int(rng.integers(len(some)))]

        panels = names.get("P", ())
        if not carried and len(panels) > 1 and rng.random() < self.shooting:
            places = rng.permutation(len(panels))[:2]
            return f"both {draw_one(floors)} {panels[places[0]]} {panels[places[1]]}"
        verbs = ("put",) if carried else ("take", "stand")
        some = [
            command
            for verb in ("press", "enter", "drop", *verbs)
            for command in iterate_commands({**names, "P": ()}, verb)
            if command != "leave"
        ]
        command = draw_one(some) if some else "leave"
        if command.startswith("put") and carried[0].startswith("M"):
            return f"turn {draw_one(('east', 'north', 'west', 'south'))} and {command}"
        return command


# --- writing plans --------------------------------------------------------------------------------


def every_command(names: Mapping[str, Sequence[str]]) -> list[str]:
    """Return all commands with these names, a pair of portals at a time; not to leave."""
    verbs = "take put press stand enter drop"
    found = [one for one in iterate_commands(names, verbs) if one != "leave"]
    puts = [one for one in found if one.startswith("put")] if "M" in names else []
    return found + [f"turn {way} and {one}" for one in puts for way in COMPASS]


def write_random_plan(steps: int, text: str, rng: np.random.Generator) -> str:
    """Return a plan of so many commands, drawn evenly; the description is read.

    Args:
        steps: number of commands before it leaves.
        text: the text of the prompt.
        rng: the randomness of the play.
    """
    every = every_command(list_names(text))
    return _format_plan([every[int(k)] for k in rng.integers(len(every), size=steps)])


def write_portal_plan(pairs: int, text: str, rng: np.random.Generator) -> str:
    """Return a plan through so many pairs of portals; names of floors and panels are read.

    Args:
        pairs: number of pairs.
        text: the text of the prompt.
        rng: the randomness of the play.
    """
    names = list_names(text)
    floors, panels = names["F"], names.get("P", ["P1", "P2"])
    steps = []
    for _ in range(pairs):
        blue, orange = (panels[int(k)] for k in rng.permutation(len(panels))[:2])
        floor = floors[int(rng.integers(len(floors)))]
        steps += [f"both {floor} {blue} {orange}", f"enter {blue}"]
    return _format_plan(steps)


def _format_plan(steps: Sequence[str]) -> str:
    lines = (f"Step {number}: {step}" for number, step in enumerate((*steps, "leave"), 1))
    return "\n".join([OPENING, *lines])


# --- filling blanks -------------------------------------------------------------------------------

Verbs = Mapping[tuple[str, str, int], int]
"""How often one verb follows another, so many steps later."""


def _find_verb(text: str) -> str:
    return parse_sentence(text).verb


def _count_verbs(half: Sequence[Gaps]) -> Verbs:
    """Count verbs behind each other, in plans without their blanks."""
    count: Counter[tuple[str, str, int]] = Counter()
    for puzzle in half:
        verbs = ["", *(step.split()[0] for step in puzzle.ground.plan)]
        for gap in (1, 2):
            count.update((a, b, gap) for a, b in zip(verbs, verbs[gap:], strict=False))
    return count


def _count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


def _find_number(text: str) -> int:
    return sum(map(int, re.findall(r"\d+", text)))


def _count_again(text: str, plan: str) -> int:
    return sum(plan.count(f"{name} ") + plan.count(f"{name},") for name in text.split())


_THUMBS: Mapping[str, Callable[[str, str], float]] = {
    "drawn": lambda option, plan: 0,
    "longer": lambda option, plan: -len(option),
    "lower": lambda option, plan: _find_number(option),
    "higher": lambda option, plan: -_find_number(option),
    "known": lambda option, plan: -_count_again(option, plan),
    "unknown": lambda option, plan: _count_again(option, plan),
}
"""Rules of thumb: of a pair the option with the lower figure is chosen, by lot if equal."""


def pair_and_choose(thumb: str, known: Verbs, text: str, rng: np.random.Generator) -> str:
    """Pair options, give each pair a blank, and choose one of each by a rule of thumb.

    Args:
        thumb: name of the rule.
        known: how often one verb follows another.
        text: the text of the prompt.
        rng: the randomness of the play.
    """
    text = text.rpartition("Here is a plan")[2]
    plan, offers = _STEP.findall(text), dict(_OPTION.findall(text))
    figure, given = _THUMBS[thumb], " ".join(plan)
    letters = []
    for pair in _place_pairs(known, plan, offers):
        drawn = [pair[k] for k in rng.permutation(2)]
        letters.append(min(drawn, key=lambda letter: figure(offers[letter], given)))
    return f"Answer: {', '.join(letters)}"


def _place_pairs(
    known: Verbs, plan: Sequence[str], offers: Mapping[str, str]
) -> Sequence[tuple[str, str]]:
    """Return the pairs in the order of the blanks."""
    pairs = pair_options(offers)
    verbs = ["" if line.startswith("____") else _find_verb(line) for line in plan]
    gaps = [place for place, verb in enumerate(verbs) if not verb]

    def likelihood(order: Sequence[tuple[str, str]]) -> float:
        said = ["", *verbs]
        for gap, (letter, _) in zip(gaps, order, strict=True):
            said[gap + 1] = _find_verb(offers[letter])
        return sum(
            log(1 + known.get((a, b, gap), 0))
            for gap in (1, 2)
            for a, b in zip(said, said[gap:], strict=False)
        )

    return max(permutations(pairs), key=likelihood)


def pair_options(offers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return options two by two, those together that differ in the fewest words."""
    left = sorted(offers)
    words = {letter: _count_words(offers[letter]) for letter in left}

    def count_differences(pair: tuple[str, str]) -> int:
        one, two = (words[letter] for letter in pair)
        # An exchange of two words leaves all words the same, in two sentences that differ.
        return ((one - two) + (two - one)).total()

    found = []
    while left:
        pair = min(combinations(left, 2), key=count_differences)
        found.append(pair)
        left = [letter for letter in left if letter not in pair]
    return found


_PLACES: Mapping[str, Callable[[int], Sequence[int]]] = {
    "first": lambda n: range(n),
    "last": lambda n: range(n, 2 * n),
    "every other": lambda n: range(0, 2 * n, 2),
    "backwards": lambda n: range(2 * n - 1, n - 1, -1),
    "again": lambda n: n * [0],
}
"""Letters by place, from the number of blanks."""


def choose_by_place(place: str, text: str, rng: np.random.Generator) -> str:
    """Return letters by their place alone; the blanks are counted.

    Args:
        place: name of the order of letters.
        text: the text of the prompt.
        rng: the randomness of the play.
    """
    blanks = len(re.findall(r"____ \(blank", text))
    return f"Answer: {', '.join(ascii_uppercase[k] for k in _PLACES[place](blanks))}"
