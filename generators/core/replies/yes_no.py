"""Yes or no: which of the two a reply says."""

from __future__ import annotations

import re

from facelet.generators.core.remembering import remembered
from facelet.generators.core.replies import labels
from facelet.generators.core.replies.boundary import Parsed

FORM = "Answer: {}"
"""The requested form of an answer, as prompts show it; {} stands for Yes or No."""

_YES_NO = labels.label_form(
    "yes|no", FORM.format("(?P<label>Yes|No)"), (" yes", " no"), judging=True
)
_BOOLEAN = re.compile(r"(?<=[\"'])\s?:\s?(?:(true)|false)\b")


@remembered
def yes_no(text: str) -> Parsed[str]:
    """Return "yes" or "no".

    Strict: `Answer: Yes` or `Answer: No` and nothing else. Lenient: as in `choice`; in JSON also
    true and false.
    """
    parsed = labels.read_label(text, _YES_NO)
    if parsed.value is None and '"' in text:
        said = _BOOLEAN.sub(lambda found: ": yes" if found[1] else ": no", text)
        return parsed if said == text else labels.read_label(said, _YES_NO)
    return parsed
