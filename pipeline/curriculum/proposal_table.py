"""Format proposals as a table."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.curriculum.proposals import ConfigResult, LevelProposal
from facelet.pipeline.curriculum.results_reader import CurriculumInput
from facelet.pipeline.dataset_info import align_table


def format_proposals(found: CurriculumInput, proposals: Sequence[LevelProposal]) -> list[str]:
    """Return the proposals as lines of a table."""
    results = {result.config: result for result in found.results}
    rows = [("config", "scored", "ladder", "next", "rows", "why")]
    for proposal in proposals:
        result = results[proposal.config]
        rows.append(
            (
                proposal.config,
                " ".join(f"{one.level}:{one.accuracy:.0%}" for one in result.level_results),
                f"{_mean_reached_level(result):.1f}",
                ",".join(map(str, proposal.counts)),
                ",".join(map(str, dict.fromkeys(proposal.counts.values()))),
                proposal.why,
            )
        )
    return [f"model: {found.model}", *align_table(rows, left=(0, 1, 3, 4, 5))]


def _mean_reached_level(result: ConfigResult) -> float:
    """Return the level that a ladder over the levels that were asked reaches on average."""
    levels = [one.level for one in result.level_results]
    return estimate_reach([one.accuracy for one in result.level_results], levels).below
