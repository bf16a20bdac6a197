"""How replies ended, as a table and in a line.

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
    "How replies ended: cut by a limit of tokens, held back by a filter, null, or empty. One may "
    "be several. Each is judged as it is: a cut reply by what it holds, a null or empty one is "
    "wrong. Only a reply whose record tells the reason can be known to be cut or filtered."
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
