"""Deformation questions: a start, four lists of operations and their results, one of them right.

A forward question shows the start, the right list and the four results; an inverse question shows
the start, the right result and the four lists. So both hold the same, and the answer is the letter
of the pair. Every label is found by carrying the lists out again.

Starts come from two halves, "test" and "train", that no shape or cube shares with the other, not
even turned over: a hash of the canonical start says which half it is in. Where all starts are one
and the same (solved cubes), the four lists say it instead. So a set for fine-tuning is disjoint
from every test set, whatever seeds and counts made the two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise
from operator import eq, ne
from typing import Any, Literal

from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw, digest_names
from facelet.generators.core.task import Reject
from facelet.generators.options.deformation.question_sampler import (
    OPTIONS,
    carry_out,
    draw_published,
    replace_steps,
)
from facelet.generators.options.deformation.world_protocol import Dice, FourLists, S, Step, World
from facelet.generators.options.deformation.world_protocol import Direction as Direction
from facelet.generators.options.letter_placement import LETTERS

Half = Literal["test", "train"]

_STARTS = 200


@dataclass(frozen=True, slots=True)
class Question:
    """The labels of a question; codes and lists as the world writes them."""

    level: int = column("number of operations")
    start: str = column("code of the start", role="puzzle")
    given: str = column("what is shown beside it: the right list (forward) or result (inverse)")
    lists: tuple[str, ...] = column("the four lists of operations by letter", role="puzzle")
    results: tuple[str, ...] = column("code of what each list leads to")
    answer: str = column("letter of the list and the result that belong together", role="answer")
    edits: tuple[int, ...] = column("steps, from 1, at which the lists differ")
    half: Half = column("which half the start is from; no start is in both")
    canonical: str = column("the start up to turning it and mirroring it")


@dataclass(frozen=True, slots=True)
class Nearness:
    """What follows from a question about how near its wrong options are.

    Attributes:
        differing: by letter, places in which the result differs from the right one at the end.
        agreement: by letter, the share of places of the right result that it agrees with.
        idle: by letter, steps of the list that change nothing.
        even: the share of places that are the same in all results, or split them two and two.
        live: steps of the right list without which it leads elsewhere.
    """

    differing: tuple[int, ...]
    agreement: tuple[float, ...]
    idle: tuple[int, ...]
    even: float
    live: int


def half_of(world: World[S], start: S, lists: tuple[str, ...], *, one_start: bool) -> Half:
    """Return the half that a question belongs to.

    Args:
        world: the rules.
        start: the start.
        lists: the four lists, in any order.
        one_start: whether all starts are alike, so that the lists decide.
    """
    key = "\n".join(sorted(lists)) if one_start else world.canonical_code(start)
    return "train" if digest_names("half", key)[0] & 1 else "test"


def draw_question(
    world: World[S],
    direction: Direction,
    level: int,
    replaced: int,
    half: Half,
    draw: Draw,
    *,
    one_start: bool = False,
) -> Question:
    """Return a question.

    Args:
        world: the rules.
        direction: what is asked.
        level: number of operations.
        replaced: 0 for four lists by design; else how many operations of the right list each wrong
            one has replaced, at most all.
        half: the half that the start is drawn from.
        draw: the item's randomness.
        one_start: whether all starts are alike.

    Raises:
        Reject: the draw was unlucky.
    """
    dice = Dice(draw.rng)
    letter = draw.deal_card("gold", LETTERS)

    def draw_four(start: S) -> FourLists[S]:
        if not replaced:
            return world.draw_four(level, dice, start)
        return draw_published(world, level, min(replaced, level), dice, start)

    for _ in range(_STARTS):
        start = world.draw_start(dice)
        if one_start:
            drawn = draw_four(start)
            texts = tuple(world.write_steps(steps) for steps in drawn.lists)
            if half_of(world, start, texts, one_start=True) == half:
                return _place_options(
                    world, direction, drawn, half, letter, dice, hub=bool(replaced)
                )
        elif half_of(world, start, (), one_start=False) == half:
            drawn = draw_four(start)
            return _place_options(world, direction, drawn, half, letter, dice, hub=bool(replaced))
    raise Reject("no start of the half")


def question_about(
    world: World[S],
    direction: Direction,
    start: S,
    right: Sequence[Step],
    replaced: int,
    draw: Draw,
    *,
    one_start: bool = False,
) -> Question:
    """Return a question about a start and a list of operations that others chose.

    Args:
        world: the rules.
        direction: what is asked.
        start: the start.
        right: the list, which is the right one.
        replaced: how many of its operations each wrong list has replaced, at most all.
        draw: the item's randomness.
        one_start: whether all starts are alike.

    Raises:
        Reject: no wrong lists were found.
        ValueError: no turning leads to the start, or an operation is not one that is asked about.
    """
    world.check_lawful(start)
    if carry_out(world, start, right) is None:
        raise ValueError("an operation changes nothing, or leads to what the rules do not allow")
    dice = Dice(draw.rng)
    letter = draw.deal_card("gold", LETTERS)
    drawn = replace_steps(world, right, min(replaced, len(right)), dice, start)
    texts = tuple(world.write_steps(steps) for steps in drawn.lists)
    half = half_of(world, start, texts, one_start=one_start)
    return _place_options(world, direction, drawn, half, letter, dice, hub=True)


def _place_options(
    world: World[S],
    direction: Direction,
    drawn: FourLists[S],
    half: Half,
    letter: str,
    dice: Dice,
    *,
    hub: bool,
) -> Question:
    """Return the question with the four in random order; whichever has the letter is right.

    Args:
        world: the rules.
        direction: what is asked.
        drawn: the lists.
        half: the half of the start.
        letter: the letter of the right one.
        dice: the randomness.
        hub: whether the first list is the right one.
    """
    order = dice.draw_order(OPTIONS)
    if hub:
        first, right = order.index(0), LETTERS.index(letter)
        order[first], order[right] = order[right], order[first]
    lists = tuple(world.write_steps(drawn.lists[track]) for track in order)
    results = tuple(world.write_state(drawn.results[track]) for track in order)
    place = LETTERS.index(letter)
    return Question(
        level=len(drawn.lists[0]),
        start=world.write_state(drawn.start),
        given=(lists if direction == "forward" else results)[place],
        lists=lists,
        results=results,
        answer=letter,
        edits=_differing_steps(drawn.lists),
        half=half,
        canonical=world.canonical_code(drawn.start),
    )


def _differing_steps(lists: Sequence[Sequence[Step]]) -> tuple[int, ...]:
    """Return the steps, from 1, at which lists are not all the same."""
    first, *others = lists
    apart: set[int] = set()
    for other in others:
        # Compiled lists share the tuples of their steps, which are then compared in no time.
        apart.update(n for n, same in enumerate(map(eq, first, other), 1) if not same)
    return tuple(sorted(apart))


def find_given_part(question: Question, direction: Direction) -> str:
    """Return what a question of a direction shows beside its start."""
    place = LETTERS.index(question.answer)
    return (question.lists if direction == "forward" else question.results)[place]


def _follow_lists(
    world: World[S], question: Question, lists: Sequence[Sequence[Step]]
) -> list[list[S]]:
    """Return for each list the states from the start to the end.

    Raises:
        ValueError: the start is no code.
    """
    start = world.read(question.start)
    tracks: list[list[S]] = []
    for number, steps in enumerate(lists):
        # The lists share most of their steps, and what they begin with in common is followed once.
        most, of = max(
            ((_common_prefix(lists[k], steps), k) for k in range(number)), default=(0, 0)
        )
        begun = tracks[of][: most + 1] if most else [start]
        tracks.append(begun[:-1] + world.follow_steps(begun[-1], steps[most:]))
    return tracks


def _common_prefix(one: Sequence[Step], other: Sequence[Step]) -> int:
    """Return how many steps two lists begin with in common."""
    return [*map(ne, one, other), True].index(True)


def measure_nearness(world: World[S], question: Question) -> Nearness:
    """Return how near the wrong options are; costs one replay of the four lists."""
    lists = [steps_of(world, text) for text in question.lists]
    tracks = _follow_lists(world, question, lists)
    place = LETTERS.index(question.answer)
    right = tracks[place][-1]
    parts = list(zip(*(world.state_parts(track[-1]) for track in tracks), strict=True))
    differing = tuple(world.count_differences(right, track[-1]) for track in tracks)
    filled = [max(1, world.place_count(right, track[-1])) for track in tracks]
    return Nearness(
        differing=differing,
        agreement=tuple(round(1 - d / f, 4) for d, f in zip(differing, filled, strict=True)),
        idle=tuple(sum(map(eq, track, track[1:])) for track in tracks),
        even=round(sum(map(_is_even_split, parts)) / len(parts), 4),
        live=sum(world.live_steps(tracks[place], lists[place])),
    )


@lru_cache(maxsize=8)
def key_of(world: World[S], question: Question, direction: Direction, *, written: bool) -> str:
    """Return a digest of what a question shows, equal for all that symmetry makes of it.

    A list is the states that it leads through; of wrong lists, those where they differ. The order
    of options does not count.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        written: whether no options are shown.

    Raises:
        ValueError: a code, an operation or the letter is none.
    """
    inverse = direction == "inverse"
    tracks = _follow_lists(world, question, [steps_of(world, text) for text in question.lists])
    right = tracks.pop(LETTERS.index(question.answer))
    edits = question.edits if inverse else ()
    parts = [right[:1] + right[-1:] if inverse and written else right]
    parts.extend(
        [state for step, state in enumerate(track) if step in edits] + track[-1:]
        for track in (() if written else tracks)
    )
    images = []
    for image in map(iter, world.align_states(list(chain(*parts)))):
        first, *others = (tuple(islice(image, len(part))) for part in parts)
        images.append((first, sorted(others)))
    return digest_names("question", question.level, repr(min(images))).hex()


def _is_even_split(four: Sequence[int]) -> bool:
    """Return whether four are all the same, or two and two."""
    return {four.count(one) for one in four} <= {2, 4}


def find_question_faults(
    world: World[S], question: Question, direction: Direction, replaced: int, *, one_start: bool
) -> list[str]:
    """Return what is false about a question, in words; empty if nothing.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        replaced: as for `draw_question`.
        one_start: whether all starts are alike.
    """
    if len(question.lists) != OPTIONS or len(question.results) != OPTIONS:
        return [f"{len(question.lists)} lists and {len(question.results)} results instead of four"]
    if question.answer not in LETTERS:
        return [f"the answer {question.answer!r} is no letter"]
    try:
        parsed = [steps_of(world, text) for text in question.lists]
        tracks = _follow_lists(world, question, parsed)
        world.check_lawful(tracks[0][0])
    except ValueError as error:
        return [str(error)]
    wrong = [
        f"list {letter} leads to {world.write_state(track[-1])}, not to {said}"
        for letter, track, said in zip(LETTERS, tracks, question.results, strict=True)
        if world.write_state(track[-1]) != said
    ]
    if len({track[-1] for track in tracks}) != OPTIONS:
        wrong.append("two lists lead to the same result")
    if any(len(track) != question.level + 1 for track in tracks):
        wrong.append(f"a list is not {question.level} operations long")
    # Turns lead to and fro, so few of the steps of long lists differ.
    refused = {
        step
        for step in {step for track in tracks for step in pairwise(track)}
        if not world.is_offered(*step)
    }
    for letter, track, steps in zip(LETTERS, tracks, parsed, strict=True):
        for number, step in enumerate(pairwise(track) if refused else (), 1):
            if step in refused:
                wrong.append(f"step {number} of list {letter} is not one that is asked about")
        if not replaced and not all(world.live_steps(track, steps)):
            wrong.append(f"an operation of list {letter} can be left out")
    if find_given_part(question, direction) != question.given:
        wrong.append(f"what is shown is not the {direction} side of option {question.answer}")
    if (apart := _differing_steps(parsed)) != question.edits:
        wrong.append(f"the lists differ at steps {list(apart)}, not {list(question.edits)}")
    start = tracks[0][0]
    if half_of(world, start, question.lists, one_start=one_start) != question.half:
        wrong.append(f"the start is not of the half {question.half!r}")
    if world.canonical_code(start) != question.canonical:
        wrong.append("the canonical start is another")
    return wrong


def is_right_option(world: World[S], question: Question, direction: Direction, letter: str) -> bool:
    """Return whether the option of a letter is right, by carrying its operations out.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        letter: A, B, C or D.
    """
    place = LETTERS.index(letter)
    forward = direction == "forward"
    steps = question.given if forward else question.lists[place]
    led = _result_code(world, question.start, steps)
    return led == (question.results[place] if forward else question.given)


# A row is checked and played by many, who carry the same lists out one after the other.
@lru_cache(maxsize=8)
def _result_code(world: World[Any], start: str, steps: str) -> str:
    return world.write_state(end_state(world, start, steps))


@lru_cache(maxsize=64)
def end_state(world: World[S], start: str, steps: str) -> S:
    """Return what operations lead to from a start.

    Raises:
        ValueError: the start is no code, or an operation is none.
    """
    return world.follow_steps(world.read(start), steps_of(world, steps))[-1]


@lru_cache(maxsize=16)
def steps_of(world: World[Any], text: str) -> tuple[Step, ...]:
    """Return the operations of a text.

    Raises:
        ValueError: one is none.
    """
    return tuple(world.read_steps(text))
