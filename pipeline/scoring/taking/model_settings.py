"""Settings: how the models of a file were asked, as its transcripts say: temperature and so on.

It is repeated in the report, not believed, and bounded: it comes from strangers' files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

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

    def of(self, model: str) -> list[tuple[str, int]]:
        """Return the settings of a model, as JSON, and the number of predictions that say them."""
        return sorted(self.counts.get(model, Counter()).items())


def settings_of(record: Mapping[str, object]) -> str:
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
