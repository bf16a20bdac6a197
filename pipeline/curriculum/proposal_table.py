"""Telling: what is proposed, as a table."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.evolve.proposing import Proposal, Result
from facelet.pipeline.evolve.reading import Found
from facelet.pipeline.info import table
from facelet.pipeline.ladder.expecting import expected


def told(found: Found, proposals: Sequence[Proposal]) -> list[str]:
    """Return the proposals as lines of a table."""
    results = {result.config: result for result in found.results}
    rows = [("config", "scored", "ladder", "next", "rows", "why")]
    for proposal in proposals:
        result = results[proposal.config]
        rows.append(
            (
                proposal.config,
                " ".join(f"{one.level}:{one.accuracy:.0%}" for one in result.asked),
                f"{_reached(result):.1f}",
                ",".join(map(str, proposal.counts)),
                ",".join(map(str, dict.fromkeys(proposal.counts.values()))),
                proposal.why,
            )
        )
    return [f"model: {found.model}", *table(rows, left=(0, 1, 3, 4, 5))]


def _reached(result: Result) -> float:
    """Return the level that a ladder over the levels that were asked reaches on average."""
    levels = [one.level for one in result.asked]
    return expected([one.accuracy for one in result.asked], levels).below
