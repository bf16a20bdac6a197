"""Write steps as sentences in several surface forms, and parse these sentences exactly.

The form of a sentence does not depend on the step. A fixture is always named with its noun, as in
"panel P4". `parse_sentence(format_sentence(step, form)) == step` for every step and form.
"""

from __future__ import annotations

import re
from functools import cache

from facelet.generators.chamber.world.chamber_records import COLOURS, COMPASS, Step
from facelet.generators.chamber.world.device_registry import devices_by_kind

FORMS = 3
"""Surface forms of each verb."""

_FORMS: dict[str, tuple[str, ...]] = {
    "shoot": (
        "From {}, shoot the {} portal at {}.",
        "Stand on {} and fire the {} portal onto {}.",
        "Choose a place on {} and open the {} portal on {}.",
    ),
    "both": (
        "From {}, shoot the blue portal at {} and the orange one at {}.",
        "Stand on {} and open the blue portal on {}, the orange portal on {}.",
        "Choose a place on {}, and place the portals: blue on {}, orange on {}.",
    ),
    "take": ("Pick up {}.", "Take {} into your hands.", "Go to {} and lift it."),
    "put": (
        "Put what you carry on {}.",
        "Let go of what you carry at {}.",
        "Set down what you are carrying on {}.",
    ),
    "put facing": (
        "Put what you carry on {}, facing {}.",
        "Let go of what you carry at {}, turned {}.",
        "Set down what you are carrying on {} so that it looks {}.",
    ),
    "press": ("Press {}.", "Walk to {} and press it.", "Go and push {}."),
    "stand": ("Step onto {}.", "Go and stand on {}.", "Walk onto {} and stay on it."),
    "enter": ("Step into {}.", "Go to {} and let it take you.", "Move into {}."),
    "drop": ("Jump down to {}.", "Drop down onto {}.", "Go over the edge, down to {}."),
    "wait": ("Wait on {} for one step.", "Be on {} and let a step pass.", "Spend one step on {}."),
    "leave": (
        "Leave through the exit.",
        "Walk out through the exit.",
        "Go to the exit and leave the chamber.",
    ),
}
_NAME = re.compile(r"([A-Z])\d{1,2}")


@cache
def _nouns_by_letter() -> dict[str, str]:
    """Return the noun of each letter that names begin with."""
    return {kind.letter: kind.noun for kind in devices_by_kind().values()}


def name_with_noun(name: str) -> str:
    """Return a fixture's name with its noun, such as "panel P4"."""
    return f"{_nouns_by_letter()[name[0]]} {name}"


def format_sentence(step: Step, form: int) -> str:
    """Return a step in words.

    Args:
        step: the step.
        form: which of its forms, from 0 to FORMS - 1.
    """
    verb, args = step
    key = "put facing" if verb == "put" and len(args) == 2 else verb
    words = (name_with_noun(arg) if _NAME.fullmatch(arg) else arg for arg in args)
    return _FORMS[key][form].format(*words)


def parse_sentence(text: str) -> Step:
    """Return the step of a sentence.

    Raises:
        ValueError: the text is no sentence that `format_sentence` writes.
    """
    if len(text) <= 200:
        for key, pattern in _sentence_patterns():
            if found := pattern.fullmatch(text):
                verb = key.removesuffix(" facing")
                return Step(verb, tuple(part.split()[-1] for part in found.groups()))
    raise ValueError(f"{text[:80]!r} is no step; write it as `format_sentence` does")


@cache
def _sentence_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the expression of every form."""
    names = "|".join(
        rf"{re.escape(noun)} {letter}\d{{1,2}}" for letter, noun in _nouns_by_letter().items()
    )
    word = f"({names}|{'|'.join((*COLOURS, *COMPASS))})"
    return tuple(
        (key, re.compile(re.escape(form).replace(r"\{\}", word)))
        for key, forms in _FORMS.items()
        for form in forms
    )
