"""Summarize how replies ended, as a table and in a line.

See facelet.pipeline.scoring.grade.finish_reason_counts.
"""

from __future__ import annotations

from facelet.pipeline.scoring.grade.finish_reason_counts import KINDS
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import (
    TextTable,
    figure_title,
    iterate_splits,
    split_label,
)

ENDED = (
    "How replies ended: cut by a token limit, withheld by a filter, null, or empty. A reply may be "
    "in several groups. Each is graded as it is: a cut reply by its text, a null or empty one as "
    "wrong. A reply is known to be cut or filtered only if its record gives the reason."
)
"""What stands over the table."""


def finish_reason_table(model: results_schema.Model) -> TextTable:
    """Return how the replies of a model ended, a split a row, and all together."""
    counts = [
        (split_label(config, split), report["replies"])
        for config, split, report in iterate_splits(model)
    ]
    counts.append(("all", model["replies"]))
    return TextTable.from_rows(
        [
            {"config": name, **{figure_title(key): n for key, n in said.items()}}
            for name, said in counts
        ]
    )


def short_endings(model: results_schema.Model) -> list[str]:
    """Return a line about how the replies of a model ended."""
    said = model["replies"]
    told, every = said["reason_told"], said["replies"]
    if unusual := [f"{said[kind]:,} {kind}" for kind in KINDS if said[kind]]:
        return [f"  of {every:,} replies {', '.join(unusual)} ({told:,} say why they ended)"]
    known = "none is cut or filtered" if told else "none says whether it was cut or filtered"
    if 0 < told < every:
        known = f"of the {told:,} that say why they ended, {known}"
    return [f"  of {every:,} replies none is null or empty; {known}"]
