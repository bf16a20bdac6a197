"""Asking: how the models of a file were asked, as its transcripts say: temperature and so on.

It is repeated in the report, not believed, and bounded: it comes from strangers' files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from facelet.pipeline.redaction import Secrets

MOST = 8
"""Most different settings of one model that are told apart."""

LONGEST = 4_000
"""Longest settings in characters, as JSON."""

_SECRETS = Secrets()


@dataclass
class Settings:
    """How each model was asked.

    Attributes:
        counts: number of predictions by model and settings, as JSON.
        others: number of predictions by model whose settings are not told, for their number.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)

    def add(self, model: str, said: str) -> None:
        """Count a prediction; `said` is of `settings_of`."""
        counts = self.counts.setdefault(model, Counter())
        if said in counts or len(counts) < MOST:
            counts[said] += 1
        else:
            self.others[model] += 1

    def report(self, model: str) -> list[dict[str, Any]]:
        """Return the settings of a model and the number of predictions that say them."""
        told: list[dict[str, Any]] = [
            {"predictions": count, "settings": json.loads(said)}
            for said, count in sorted(self.counts.get(model, Counter()).items())
        ]
        if self.others[model]:
            told.append({"predictions": self.others[model], "settings": None})
        return told


def settings_of(record: Mapping[str, Any]) -> str:
    """Return how a record's model was asked, as JSON without secrets; "" if it says nothing."""
    settings = record.get("settings")
    if not isinstance(settings, Mapping) or not settings:
        return ""
    try:
        text = json.dumps(settings, sort_keys=True, allow_nan=False)
        if len(text) > LONGEST:
            return ""
        return json.dumps(_SECRETS.hide_in(settings), sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""


def words(part: Mapping[str, Any]) -> str:
    """Return one entry of a report in words, such as "api=chat, temperature=0.0"."""
    if part["settings"] is None:
        return "settings beyond those told"
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in part["settings"].items()
    )
