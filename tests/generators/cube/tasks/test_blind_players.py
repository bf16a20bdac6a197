"""Players that see options or statements only, over thousands of items: all stay at chance.

The attacks are those of the audit (generators.options.option_attacks); the bound is two-sided,
since a player that is reliably below chance only has to turn its answer round.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from facelet.generators.core.prompts import TextPart
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.cube.engine import moves
from facelet.generators.cube.questions import face_statements
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.generators.cube.tasks import move_effect, move_prediction, verification
from facelet.generators.options.fairness_statistics import binomial_tail
from facelet.generators.options.letter_placement import LETTERS
from facelet.generators.options.option_attacks import ChoiceRows, learn_labels, score_attacks

Pools = Callable[..., CertifiedStates]

FALSE_ALARM = 1e-4
"""Probability that one fair attack fails here; the seeds are fixed, so it does not flicker."""


def iterate_attacks_off_chance(
    found: dict[str, int], total: int, chance: float
) -> Iterator[tuple[str, float]]:
    """Yield the attacks that are not at chance, with their accuracy."""
    for name, hits in found.items():
        high = binomial_tail(hits, total, chance)
        low = binomial_tail(total - hits, total, 1 - chance)
        if min(high, low) < FALSE_ALARM:
            yield name, hits / total


def make_questions(pools: Pools, depth: int, count: int) -> list[Any]:
    """Return questions about different states, or, where there are few, about all, drawn anew.

    If each of a few states came equally often, what was right in one fold would be right less often
    in the others, and a learner would be reliably wrong.
    """
    pool = pools("htm", depth, count)
    if pool.capacity < count:
        drawn = make_generator("blind", depth).integers(pool.capacity, size=count)
        pool = CertifiedStates("htm", depth, tuple(pool.states[int(i)] for i in drawn))
    params = move_prediction.Params(depth=depth, modality="text")
    return [
        move_prediction.TASK.generate(params, Draw(("blind",), index), pool)[0].question
        for index in range(count)
    ]


@pytest.mark.some(4)
@pytest.mark.parametrize("depth", [1, 2, 3, 8])
def test_options_alone_tell_nothing(pools: Pools, depth: int) -> None:
    asked = make_questions(pools, depth, 2000)
    rows = ChoiceRows(
        labels=tuple(LETTERS),
        gold=np.array([LETTERS.index(question.answer) for question in asked]),
        groups=tuple(map(str, range(len(asked)))),
        options=tuple(question.options for question in asked),
    )
    found = score_attacks(rows)
    assert {"always:A", "shortest", "longest", "most_alike", "least_alike"} <= set(found)
    assert {"first_in_alphabet", "last_in_alphabet", "learned_options"} <= set(found)
    assert list(iterate_attacks_off_chance(found, len(asked), 0.25)) == []


@pytest.mark.parametrize("template", ["full_face", "mixed"])
def test_statements_alone_tell_nothing(pools: Pools, template: Any) -> None:
    pool = pools("htm", 5, 2000)
    params = verification.Params(template=template)
    made = [
        verification.TASK.generate(params, Draw(("blind",), index), pool)[0]
        for index in range(pool.capacity)
    ]
    rows = ChoiceRows(
        labels=("no", "yes"),
        gold=np.array([instance.answer == "yes" for instance in made]).astype(np.int64),
        groups=tuple(str(instance.pair) for instance in made),
        prompts=tuple(prompt_text(verification.TASK.open(instance).prompt()) for instance in made),
    )
    found = score_attacks(rows)
    assert {"always:yes", "learned_words", "most_mentioned"} <= set(found)
    for name in found.keys() - {"learned_words"}:
        assert found[name] == len(made) / 2, "exactly half of every pair"
    assert list(iterate_attacks_off_chance(found, len(made), 0.5)) == []


def test_pictures_alone_tell_nothing(pools: Pools) -> None:
    """A learner that sees the front face and not the statement."""
    pool = pools("htm", 5, 2000)
    made = [
        verification.TASK.generate(verification.Params(), Draw(("blind",), index), pool)[0]
        for index in range(pool.capacity)
    ]
    gold = np.array([instance.answer == "yes" for instance in made]).astype(np.int64)
    documents = [
        [
            (place, letter)
            for place, letter in enumerate(face_statements.front_face(instance.state.facelets))
        ]
        for instance in made
    ]
    guess = learn_labels(documents, gold, [str(instance.pair) for instance in made], 2)
    hits = int((guess == gold).sum())
    assert list(iterate_attacks_off_chance({"learned_front": hits}, len(made), 0.5)) == []


def prompt_text(prompt: Any) -> str:
    return "\n".join(part.text for part in prompt.messages[1].parts if isinstance(part, TextPart))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_slots_tell_nothing_of_effects(pools: Pools, depth: int) -> None:
    """The best effect for each slot is right as often as the most frequent effect anywhere."""
    pool = pools("htm", depth, 400, True)
    params = move_effect.Params(depth=depth)
    made = [
        move_effect.TASK.generate(params, Draw(("blind", depth, seed), index), pool)[0]
        for seed in range(400 // pool.capacity)
        for index in range(pool.capacity)
    ]
    shown = np.array([instance.effects for instance in made])
    assert len(shown) >= 240
    anywhere = max((shown == effect).mean() for effect in move_effect.EFFECTS)
    by_slot = np.mean(
        [max((column == effect).mean() for effect in move_effect.EFFECTS) for column in shown.T]
    )
    assert by_slot - anywhere < 0.03


def relation_features(options: Sequence[str], place: int) -> tuple[Any, ...]:
    """Return all that a move's relations to the others, and its turn, can tell of its effect."""
    profiles = [
        tuple(sorted(moves.turn_relation(one, two) for two in options if two != one))
        for one in options
    ]
    return profiles[place], tuple(sorted(profiles)), options[place][1:]


def cohen_kappa(gold: list[str], said: list[str]) -> float:
    observed = np.mean([a == b for a, b in zip(gold, said, strict=True)])
    count, answers = Counter(gold), Counter(said)
    expected = sum(count[label] * answers[label] for label in count) / len(gold) ** 2
    return float((observed - expected) / (1 - expected))


def learned_kappa(made: Sequence[move_effect.Instance]) -> float:
    """Return the kappa of a player that learns from half of the items what relations tell.

    It says the effect that its clue makes likelier than usual by the largest factor: a player that
    says the most frequent one always has a kappa of 0, whatever it knows.
    """
    order = make_generator("halves").permutation(len(made))
    halves = [made[int(i)] for i in order[::2]], [made[int(i)] for i in order[1::2]]
    gold: list[str] = []
    said: list[str] = []
    for learned, judged in (halves, halves[::-1]):
        seen: dict[Any, Counter[str]] = {}
        usual: Counter[str] = Counter()
        for instance in learned:
            for place, effect in enumerate(instance.effects):
                seen.setdefault(relation_features(instance.options, place), Counter())[effect] += 1
                usual[effect] += 1
        for instance in judged:
            for place, effect in enumerate(instance.effects):
                told = seen.get(relation_features(instance.options, place), usual)
                gold.append(effect)
                said.append(max(usual, key=lambda label: (told[label] / usual[label], label)))
    return cohen_kappa(gold, said)


def say_three_of_face(options: Sequence[str]) -> list[str]:
    """Say NO_CHANGE to three turns of one face, and INCREASE to every other move."""
    faces = [option[0] for option in options]
    return [
        "NO_CHANGE" if 3 in map(faces.count, faces) and faces.count(face) == 3 else "INCREASE"
        for face in faces
    ]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_relations_between_moves_tell_nothing_of_effects(pools: Pools, depth: int) -> None:
    pool = pools("htm", depth, 600, True)
    for rule, learns in (("even", (-0.08, 0.08)), ("paper", (0.45, 0.7))):
        params = move_effect.Params(depth=depth, options=rule)  # type: ignore[arg-type]
        made = [
            move_effect.TASK.generate(params, Draw(("related", depth, seed), index), pool)[0]
            for seed in range(600 // pool.capacity)
            for index in range(pool.capacity)
        ]
        assert learns[0] < learned_kappa(made) < learns[1], rule
        gold = [effect for instance in made for effect in instance.effects]
        said = [effect for instance in made for effect in say_three_of_face(instance.options)]
        if rule == "even":
            assert cohen_kappa(gold, said) == 0
        else:
            assert cohen_kappa(gold, said) > 0.25
