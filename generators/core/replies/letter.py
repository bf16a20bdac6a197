"""Letters: which option a reply chooses, or that it abstains."""

from __future__ import annotations

import re

from facelet.generators.core.remembering import remembered
from facelet.generators.core.replies import labels
from facelet.generators.core.replies.boundary import Parsed, visible
from facelet.generators.core.replies.plain_text import bare_text

_CHOICE = labels.label_form(
    "[a-d]", r"<ANSWER>\s*(?P<label>[A-D])\s*</ANSWER>", (" a", " b", " c", " d")
)

IDK = "IDK"
"""What stands for an abstention."""

_UNSURE = "i (?:[a-z]{2,12}ly )?(?:don'?t|do not) know"
_CHOICE_OR_IDK = labels.label_form(
    f"[a-e]|idk|{_UNSURE}",
    r"<ANSWER>\s*(?P<label>[A-D]|IDK)\s*</ANSWER>",
    (" a", " b", " c", " d", " e", " idk", " know"),
)
_UNSURE_SAID = re.compile(rf"(?<![\w']){_UNSURE}(?![\w'])")


@remembered
def choice(text: str) -> Parsed[str]:
    """Return the letter A to D that a reply chooses.

    Strict: `<ANSWER>B</ANSWER>` and nothing else. Lenient: also
    `ANSWER: B`, "the answer is (b)", `<B>`, a boxed letter, a letter alone on the last or first
    line, a single line that opens with it.
    """
    parsed = labels.read_label(text, _CHOICE)
    return labels.shared_result(parsed.value.upper(), parsed.strict) if parsed.value else parsed


@remembered
def choice_or_idk(text: str) -> Parsed[str]:
    """Return the letter A to D that a reply chooses, or IDK where it abstains.

    Strict: as in `choice`, or `<ANSWER>IDK</ANSWER>`. Lenient: IDK, a fifth option E, or the words
    "I don't know" wherever a letter could stand; and those words anywhere in a reply that announces
    no answer. A letter that is announced counts, whatever doubts surround it.
    """
    shown = visible(text)
    exact = _CHOICE_OR_IDK.strict.fullmatch(shown)
    if exact:
        return labels.shared_result(exact["label"], True)
    near = labels.read_ending(shown, _CHOICE_OR_IDK) if len(shown) > labels.NEAR else None
    label = near.value if near else None
    if label is None:
        bare = bare_text(shown)
        announced = labels.find_announced(bare, _CHOICE_OR_IDK)
        label = labels.read_loosely(bare, announced, _CHOICE_OR_IDK).value
        if label is None:
            unsure = not announced and _UNSURE_SAID.search(bare)
            return labels.shared_result(IDK if unsure else None)
    return labels.shared_result(label.upper() if label in "abcd" else IDK)
