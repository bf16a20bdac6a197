"""Read yes or no from a reply."""

from __future__ import annotations

import re

from facelet.generators.core.memoization import memoize_short
from facelet.generators.core.replies import labels
from facelet.generators.core.replies.boundary import Parsed

FORM = "Answer: {}"
"""The requested form of an answer, as prompts show it; {} stands for Yes or No."""

_YES_NO = labels.label_form(
    "yes|no", FORM.format("(?P<label>Yes|No)"), (" yes", " no"), judging=True
)
_BOOLEAN = re.compile(
    r"(?<=[\"'])\s?:\s?(?:(true)|false)\b|\A\W*(?:(true)|false)\W*\Z", re.IGNORECASE
)
_SAID = re.compile(r"\b(?:yes|no)\b", re.IGNORECASE)
_STATED = re.compile(
    r"(?:(?<![^\n])|(?<=[.!] ))(?:(?:so|hence|thus|therefore),? )?(?:this is )?(?:the|this) (?:"
    r"statement (?:is|was)(?: indeed| clearly| therefore| actually)?(?: (?P<not>not|un)[ -]?)? ?"
    r"(?:(?P<true>true|correct|right)|false|incorrect|wrong)\b"
    r"|player (?:(?:does|do|can|will|would|did)(?P<never>(?: not|n['\u2019]t|not))? )?gets?"
    r"(?P<out> out)\b)(?![^.!?\n]*\b(?:but|if|unless|except)\b)",
    re.IGNORECASE,
)
"""What answers the question by repeating it."""


@memoize_short
def yes_no(text: str) -> Parsed[str]:
    """Return "yes" or "no".

    Strict: `Answer: Yes` or `Answer: No` and nothing else. Lenient: as in `choice`; also true and
    false alone or in JSON, and a sentence that repeats the question.
    """
    parsed = labels.read_label(text, _YES_NO)
    if parsed.value is not None or len(text) > labels.NEAR:
        return parsed
    said, small = text, text.lower()
    # These words, which they need, are found in less time.
    if "true" in small or "false" in small:
        said = _BOOLEAN.sub(lambda found: f": {'yes' if found[1] or found[2] else 'no'}", text)
    if said == text and ("statement" in small or "player" in small) and not _SAID.search(text):
        said = _STATED.sub(_answer, text)
    return parsed if said == text else labels.read_label(said, _YES_NO)


def _answer(said: re.Match[str]) -> str:
    """Return what a sentence that repeats the question answers."""
    right = bool(said["true"] or said["out"]) != bool(said["not"] or said["never"])
    return f"answer is {'yes' if right else 'no'},"
