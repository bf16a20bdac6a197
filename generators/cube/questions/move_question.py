"""The move question: which of four maneuvers solves this cube? Cube Bench, section 4.3.3.

At depth 1 the options are single moves; at depth d they are maneuvers of length d, alike in form,
of which exactly one solves the state. Here is what the tasks that ask it share: the options, the
record, its columns, its checks, and its prompts.

Fairness rests on exchangeability: whichever of the four is the solution, the same four options are
equally likely. The published solution of a state is a random word, so it is enough that the others
are made from it by a symmetric rule.

- Two or more moves: a 2 x 2 factorial. Two places are chosen and an alternative move for each; the
  options are the solution, the solution with the first place changed, with the second, with both.
  An alternative has the same length in the metric and the same relation to its neighbours as the
  move that it replaces (same face, opposite faces or different axes). So all options are words of
  one length in which no turns merge, have the same pattern of axes, and each differs from one of
  the others in the first place, from one in the second, and from one in both.
- One move: three other moves, drawn uniformly.

Words are canonical: no two consecutive turns of one face, and of consecutive turns of opposite
faces the one of U, R, F first. That exactly one option solves is checked by applying all four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.replies.letter import FORM, choose, read_choice
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import one_label
from facelet.generators.core.task import Column, Outcome, Reject, Status, Task
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import (
    COST,
    FACE_MOVES,
    SOLVED,
    Maneuver,
    Metric,
    is_solved,
)
from facelet.generators.cube.engine.scrambles import random_word
from facelet.generators.cube.questions.distinct_options import draw_different
from facelet.generators.cube.states import appearance, certified_states, state_texts
from facelet.generators.cube.states.appearance import Appearance, Variant
from facelet.generators.cube.states.certified_states import CertifiedState, CertifiedStates
from facelet.generators.cube.states.state_texts import Serialisation
from facelet.generators.options.letter_placement import LETTERS, place_options
from facelet.renderers.scenes.records import Scene

TRIES = 64
"""Draws of places and moves before the draw is rejected."""


def draw_four_maneuvers(
    state: CertifiedState, rng: np.random.Generator
) -> tuple[Maneuver, tuple[Maneuver, Maneuver, Maneuver]]:
    """Return the maneuver that solves a state, and three of the same length that do not.

    Args:
        state: a certified state; its solution should be the inverse of a random word.
        rng: the item's generator.

    Raises:
        Reject: two of the options made lead to the same state, in each of TRIES draws.
    """
    word = notation.simplify_maneuver(state.witness_moves)
    for _ in range(TRIES):
        others = _factorial_options(word, state.metric, rng) or _draw_other_words(
            word, state.metric, rng
        )
        reached = [moves.apply_maneuver(state.facelets, option) for option in (word, *others)]
        if (
            len(set(reached)) == 4
            and [is_solved(after) for after in reached] == [True] + [False] * 3
        ):
            return word, others
    raise Reject("the options are not four different maneuvers of which one solves")


def _factorial_options(
    word: Maneuver, metric: Metric, rng: np.random.Generator
) -> tuple[Maneuver, Maneuver, Maneuver] | None:
    """Return the other three corners of a random factorial, or None if the word has none."""
    if len(word) == 2:
        changes = _list_change_pairs(word, metric)
    else:
        # The places are no neighbours, so what is allowed at one does not depend on the other.
        spots = {place: _list_alternatives(word, place, metric) for place in range(len(word))}
        pairs = [
            (one, two)
            for one, two in combinations(range(len(word)), 2)
            if two - one > 1 and spots[one] and spots[two]
        ]
        if not pairs:
            return None
        one, two = pairs[int(rng.integers(len(pairs)))]
        changes = tuple(((one, a), (two, b)) for a in spots[one] for b in spots[two])
    if not changes:
        return None
    first, second = changes[int(rng.integers(len(changes)))]
    return (
        _apply_change(word, first),
        _apply_change(word, second),
        _apply_change(_apply_change(word, first), second),
    )


_Change = tuple[int, str]


def _apply_change(word: Maneuver, change: _Change) -> Maneuver:
    place, move = change
    return (*word[:place], move, *word[place + 1 :])


@lru_cache(maxsize=512)
def _list_change_pairs(word: Maneuver, metric: Metric) -> tuple[tuple[_Change, _Change], ...]:
    """Return the pairs of changes of a word of two moves that keep its pattern at all corners."""
    kind = moves.turn_relation(*word)
    return tuple(
        ((0, one), (1, two))
        for one in _same_cost(word[0], metric)
        for two in _same_cost(word[1], metric)
        if moves.turn_relation(one, word[1])
        == moves.turn_relation(word[0], two)
        == moves.turn_relation(one, two)
        == kind
    )


def _list_alternatives(word: Maneuver, place: int, metric: Metric) -> list[str]:
    """Return the moves that may take a place without changing the word's pattern of axes."""
    near = [word[there] for there in (place - 1, place + 1) if 0 <= there < len(word)]
    return [
        move
        for move in _same_cost(word[place], metric)
        if all(
            moves.turn_relation(move, other) == moves.turn_relation(word[place], other)
            for other in near
        )
    ]


def _same_cost(move: str, metric: Metric) -> list[str]:
    """Return the other moves of the same length."""
    cost = COST[metric]
    own = cost[FACE_MOVES.index(move) % 3]
    return [
        other for index, other in enumerate(FACE_MOVES) if cost[index % 3] == own and other != move
    ]


def _draw_other_words(
    word: Maneuver, metric: Metric, rng: np.random.Generator
) -> tuple[Maneuver, Maneuver, Maneuver]:
    """Return three other words for one that has no factorial.

    For a single move these are three moves of the same length in the metric. In qtm a few longer
    words have no factorial either, such as U2 D2: for these they are symmetric images of the word,
    and random words where there are too few images.
    """
    if len(word) == 1:
        others: list[Maneuver] = [(move,) for move in _same_cost(word[0], metric)]
    else:
        images = {
            notation.simplify_maneuver(symmetry.transform_maneuver(word, s))
            for s in range(symmetry.COUNT)
        }
        others = sorted(images - {word})
    chosen = [others[int(place)] for place in rng.permutation(len(others))[:3]]
    while len(chosen) < 3:
        another = random_word(metric, notation.maneuver_length(word, metric), rng)
        if another not in (word, *chosen):
            chosen.append(another)
    one, two, three = chosen
    return one, two, three


def refuting_stickers(facelets: str, maneuver: Maneuver) -> frozenset[int]:
    """Return the stickers that alone show that a maneuver does not solve a state.

    A sticker does if the maneuver carries it to a face of another colour (a face has the colour of
    its centre, which stays in place). Empty if the maneuver solves.
    """
    carried = moves.apply_maneuver(_LABELS, maneuver)
    sources = [_LABELS.index(label) for label in carried]
    return frozenset(
        source for source, home in zip(sources, SOLVED, strict=True) if facelets[source] != home
    )


_LABELS = "".join(chr(ord("!") + index) for index in range(54))
"""A state with 54 different stickers."""


@dataclass(frozen=True, slots=True)
class MoveQuestion:
    """A state and four options.

    Attributes:
        state: the certified state.
        options: four maneuvers, in the order of their letters.
        answer: the letter of the one that solves.
        look: how the picture looks.
        serialisation: how the text shows the state.
    """

    state: CertifiedState
    options: tuple[str, ...]
    answer: str
    look: Appearance
    serialisation: Serialisation


COLUMNS: tuple[Column, ...] = (
    *certified_states.COLUMNS,
    Column("options", "list<string>", "the four maneuvers A to D", role="options"),
    Column("answer", "string", "letter of the one option that solves the state", role="answer"),
    *appearance.COLUMNS,
    Column("state_text", "string", "how the prompt writes the state: net or facelets"),
)


DEEPER = Deviation(
    "one move from solved, with three random other moves",
    "every depth; from depth 2 on, maneuvers in a 2 x 2 design: the solution with "
    "one of two moves replaced, the other, or both",
    "options that differ from the solution alone reveal it",
    "ask for depth 1 only",
)

_ITEMS = ("cube/move_prediction", 2)
"""Name and version under which the items of the move question are drawn, in all its tasks."""


def derive_shared_draw(draw: Draw, task: Task[Any, Any]) -> Draw:
    """Return the draw of the same item in all tasks that ask the move question.

    Args:
        draw: the item's draw; on its path the task's name is followed by the task's version. Any
            other path stays as it is.
        task: the task.
    """
    path = draw.path
    for first in range(len(path) - 1):
        if path[first : first + 2] == (task.name, task.version):
            path = (*path[:first], *_ITEMS, *path[first + 2 :])
    return Draw(path, draw.index, draw.attempt)


def draw_question(
    state: CertifiedState, variant: Variant, patches: int, serialisation: Serialisation, draw: Draw
) -> MoveQuestion:
    """Return a question about a state.

    A patch never hides the last visible sticker that refutes a wrong option, so the picture alone
    is always enough.

    Args:
        state: a certified state.
        variant: how the picture looks.
        patches: number of patches of an occluded picture, at most.
        serialisation: how the text shows the state.
        draw: the item's draw.

    Raises:
        Reject: the draw was unlucky.
    """
    right, wrong = draw_four_maneuvers(state, draw.rng)
    options, letter = place_options(right, wrong, draw)
    # The look is drawn last, so that an item has the same options under every variant.
    evidence = [refuting_stickers(state.facelets, option) for option in wrong]
    look = appearance.draw_appearance(
        variant,
        patches,
        draw.rng,
        range(54),
        lambda hidden: any(stickers <= hidden for stickers in evidence),
    )
    return MoveQuestion(
        state,
        tuple(notation.format_maneuver(option) for option in options),
        letter,
        look,
        serialisation,
    )


def of_item(
    pool: CertifiedStates,
    variant: Variant,
    patches: int,
    serialisation: Serialisation,
    draw: Draw,
) -> MoveQuestion:
    """Return the question of an item, with other options than earlier items of its state have.

    Args:
        pool: the states.
        variant: how the picture looks.
        patches: number of patches of an occluded picture, at most.
        serialisation: how the text shows the state.
        draw: the item's draw.

    Raises:
        Reject: the draw was unlucky.
    """
    return draw_different(
        draw,
        pool.capacity,
        lambda own: draw_question(pool.of_item(own.index), variant, patches, serialisation, own),
        lambda question: frozenset(question.options),
    )


def encode_question(question: MoveQuestion) -> dict[str, Any]:
    """Return the columns of COLUMNS."""
    return {
        **certified_states.encode_state(question.state),
        "options": list(question.options),
        "answer": question.answer,
        **appearance.encode_appearance(question.look),
        "state_text": question.serialisation,
    }


_made = fast_constructor(MoveQuestion)


def decode_question(row: Mapping[str, Any]) -> MoveQuestion:
    """Return the question that a row holds."""
    return _made(
        state=certified_states.decode_state(row),
        options=tuple(row["options"]),
        answer=row["answer"],
        look=appearance.decode_appearance(row),
        serialisation=row["state_text"],
    )


def is_right_letter(question: MoveQuestion, letter: str) -> bool:
    """Return whether the option of a letter solves the state, by applying it."""
    return _is_solving(question.state.facelets, question.options[LETTERS.index(letter)])


@lru_cache(maxsize=1024)
def _is_solving(facelets: str, option: str) -> bool:
    """Return whether an option solves a state, remembered for the matched rows of an item."""
    return is_solved(moves.apply_maneuver(facelets, tuple(option.split())))


def judge_reply(question: MoveQuestion, reply: str) -> Outcome:
    """Return the outcome of a reply: the letter it chooses is right if its maneuver solves."""
    parsed = choose(read_choice(reply), reply, question.options)
    if parsed.value is None:
        return one_label(Status.UNPARSED, False, question.answer)
    status = Status.CORRECT if is_right_letter(question, parsed.value) else Status.WRONG
    return one_label(status, parsed.strict, question.answer, parsed.value)


def find_question_faults(question: MoveQuestion) -> list[str]:
    """Return what is false about a question, in words; empty if nothing."""
    state, look = question.state, question.look
    wrong = [*certified_states.find_state_faults(state), *appearance.find_appearance_faults(look)]
    if len(question.options) != len(LETTERS):
        return [*wrong, f"{len(question.options)} options instead of {len(LETTERS)}"]
    try:
        parsed = [notation.parse_maneuver(option) for option in question.options]
        solving = [letter for letter in LETTERS if is_right_letter(question, letter)]
    except ValueError as error:
        return [*wrong, f"an option is no maneuver: {error}"]
    if solving != [question.answer]:
        wrong.append(f"the options that solve are {solving}, the answer is {question.answer!r}")
    if len({moves.apply_maneuver(state.facelets, option) for option in parsed}) != len(parsed):
        wrong.append("two options lead to the same state")
    for letter, option in zip(LETTERS, parsed, strict=True):
        if notation.maneuver_length(option, state.metric) != state.optimal_depth:
            wrong.append(f"option {letter} is not {state.optimal_depth} long")
        if letter not in solving and refuting_stickers(state.facelets, option) <= set(look.hidden):
            wrong.append(f"nothing in sight refutes option {letter}")
    return wrong


_TASK = """\
You are an expert at solving the Rubik's Cube. You are given a cube {given}and four candidates, \
labeled A to D. The cube can be solved in exactly {count}, and exactly one candidate solves it. \
Find that candidate."""

_BASICS = """\
Moves
{moves}{several}

Reading the cube
- Every face is named by the color of its center. The cube is solved when the nine stickers of \
each face have one color.
{reading}"""

_RULES = """\
Rules for the answer
- Exactly one of A, B, C, D is right; the question is never ambiguous. Should two seem equally \
good, take the one that comes first in the order A, B, C, D.
- Think in silence. Reply with one line that matches ^\\s*<ANSWER>\\s*[ABCD]\\s*</ANSWER>\\s*$ and \
with nothing else: no reasons, no moves, no other words inside or outside the tags."""

_GIVEN = {
    (True, True): "as text, the same cube as a picture, ",
    (True, False): "as text ",
    (False, True): "as a picture ",
}
_AUTHORITY = {
    (True, True): "Text and picture show the same cube. Should they seem to differ, the text is "
    "right.",
    (True, False): "There is no picture; the text says all there is.",
    (False, True): "There is no text of the state; read it off the picture, an unfolded cube with "
    "labeled faces.",
}
_SEVERAL = "\n- A candidate of several moves is carried out from left to right."

ONE_LINE = "Reply with exactly one line, with the letter of your choice for X:\n" + FORM.format("X")


def system_message(question: MoveQuestion, *, with_text: bool, with_picture: bool) -> str:
    """Return the system message of a modality: the task and its rules.

    Args:
        question: the question.
        with_text: whether the prompt has the state as text.
        with_picture: whether it has the picture; one of the two at least.
    """
    state = question.state
    task = _TASK.format(
        given=_GIVEN[with_text, with_picture],
        count=format_move_count(state.optimal_depth, state.metric),
    )
    explained = notation_text(question, with_text=with_text, with_picture=with_picture)
    return f"{task}\n\n{explained}\n\n{_RULES}"


def notation_text(question: MoveQuestion, *, with_text: bool, with_picture: bool) -> str:
    """Return what moves and states mean, in a modality.

    Args:
        question: the question.
        with_text: whether the prompt has the state as text.
        with_picture: whether it has the picture.
    """
    reading = [state_texts.reading_text(question.serialisation)] if with_text else []
    reading.append(_AUTHORITY[with_text, with_picture])
    if with_picture and question.look.prompt_remark:
        reading.append(question.look.prompt_remark)
    return _BASICS.format(
        moves=state_texts.MOVES,
        several=_SEVERAL if question.state.optimal_depth > 1 else "",
        reading="\n".join(f"- {line}" for line in reading),
    )


def format_move_count(depth: int, metric: Metric) -> str:
    """Return a number of moves in words, with the way of counting."""
    if depth == 1:
        return "1 move" if metric == "htm" else "1 quarter turn"
    if metric == "htm":
        return f"{depth} moves, a half turn counted as one"
    return f"{depth} quarter turns, a half turn counted as two"


def puzzle_parts(
    question: MoveQuestion, *, with_text: bool, with_picture: bool
) -> list[str | Scene]:
    """Return the state in a modality and the four candidates, as parts of a message.

    Args:
        question: the question.
        with_text: whether the state is there as text.
        with_picture: whether it is there as a picture.
    """
    parts: list[str | Scene] = []
    if with_text:
        state = state_texts.state_text(question.state.facelets, question.serialisation)
        parts.append(f"Cube state:\n{state}")
    if with_picture:
        parts.append(question.look.build_scene(question.state.facelets))
    lines = (f"{letter}: {o}" for letter, o in zip(LETTERS, question.options, strict=True))
    parts.append("Candidates:\n" + "\n".join(lines))
    return parts


def question_prompt(question: MoveQuestion, *, with_text: bool, with_picture: bool) -> Prompt:
    """Return the whole question in a modality (Cube Bench, appendix B.3).

    Args:
        question: the question.
        with_text: whether the prompt has the state as text.
        with_picture: whether it has the picture.
    """
    shown = puzzle_parts(question, with_text=with_text, with_picture=with_picture)
    rules = system_message(question, with_text=with_text, with_picture=with_picture)
    return chat_prompt(rules, *shown[:-1], f"{shown[-1]}\n\n{ONE_LINE}")
