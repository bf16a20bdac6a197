"""Collect the sampling settings of each model (temperature and so on) from its transcripts.

They are repeated in the report, not believed, and bounded: they come from untrusted files.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from facelet.pipeline.secret_redaction import SecretRedactor

MOST = 8
"""Most different settings of one model that are counted separately."""

LONGEST = 4_000
"""Longest settings in characters, as JSON."""

_SECRETS = SecretRedactor()


@dataclass
class ModelSettings:
    """The sampling settings of each model.

    Attributes:
        counts: number of predictions by code of the model and settings, as JSON; under "" alone
            if these are too many to count separately.
    """

    counts: dict[int, Counter[str]] = field(default_factory=dict)

    def count_prediction(self, code: int, said: str, count: int = 1) -> None:
        """Count predictions with the same settings.

        Args:
            code: number of the model.
            said: the settings as JSON, from `settings_of`; "" where a record has none.
            count: how many predictions there are.
        """
        own = self.counts.setdefault(code, Counter())
        own["" if "" in own else said] += count
        if len(own) > MOST or (len(own) > 1 and "" in own):
            count = own.total()
            own.clear()
            own[""] = count

    def by_model(self, codes: Iterable[int]) -> ModelSettings:
        """Return the settings by other codes: that of each code here, in order."""
        found = ModelSettings()
        for old, new in enumerate(codes):
            for said, count in self.counts.get(old, Counter()).items():
                found.count_prediction(new, said, count)
        return found


def settings_of(record: Mapping[str, object]) -> str:
    """Return the settings of a record's model, as JSON without secrets; "" for none."""
    settings = record.get("settings")
    if not isinstance(settings, Mapping) or not settings:
        return ""
    try:
        text = json.dumps(settings, sort_keys=True, allow_nan=False)
        if len(text) > LONGEST:
            return ""
        return json.dumps(_SECRETS.redact_json(settings), sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        return ""
