"""Choose the widget with which a person gives a reply in the form that the row requests.

A widget depends on the form of the reply alone, never on the answer: it is the same for all rows of
a config that request the same form. A family may add widgets in the module `people` of its folder,
whose WIDGETS maps names of tasks to widgets. The person sees every text that a widget makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from facelet.pipeline import family_modules
from facelet.pipeline.rollout.row_opener import OpenedRow


class Widget(TypedDict):
    """What the page shows to make a reply with.

    `kind` is choice (one of `options` goes into `form`), grid (one of `options` for each of `keys`,
    a line of `form` each), paint (one of `options` for each of `size` cells, all of which go into
    `form` in order), moves (any number of `options`, in the order of clicks, parted by `between`),
    or text (typed). An option is what stands in the reply, and how it is shown; of paint, a colour.
    """

    kind: str
    form: str
    options: Sequence[tuple[str, str]]
    keys: NotRequired[Sequence[str]]
    size: NotRequired[tuple[int, int]]
    between: NotRequired[str]


TEXT: Widget = {"kind": "text", "form": "{}", "options": ()}
"""Typed as it is."""


def _letter_widget(form: str, *more: tuple[str, str]) -> Widget:
    return {"kind": "choice", "form": form, "options": (*((x, x) for x in "ABCD"), *more)}


FORMS: Mapping[str, Widget] = {
    "letter": _letter_widget("<ANSWER>{}</ANSWER>"),
    "letter_or_idk": _letter_widget("<ANSWER>{}</ANSWER>", ("IDK", "I don't know")),
    "yes_no": {
        "kind": "choice",
        "form": "Answer: {}",
        "options": (("Yes", "Yes"), ("No", "No")),
    },
    "effects": {
        "kind": "grid",
        "form": "<{key}> {value} </{key}>",
        "keys": ("A", "B", "C", "D"),
        "options": (
            ("DECREASE", "nearer"),
            ("NO_CHANGE", "no change"),
            ("INCREASE", "farther"),
        ),
    },
}
"""Widgets by what a task asks for (`Task.reply_form`)."""


def build_widget(row: OpenedRow) -> Widget:
    """Return how a person gives a reply to a row."""
    own: Mapping[str, Widget] = (
        family_modules.find_export(
            f"{family_modules.family_name(row.task.name)}/people_page_widgets", "WIDGETS"
        )
        or {}
    )
    return own.get(row.task.name) or FORMS.get(row.task.reply_form(row.instance), TEXT)
