"""Prover of "chamber/shortest": no plan of a chamber has fewer steps than is claimed.

Proof is a breadth-first search of all that can be done, without a limit worth the name: all states
at distance k are visited before any at k + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.plans.search import shortest
from facelet.generators.chamber.world.chambers import read
from facelet.generators.core.task import Claim
from facelet.pipeline.verify.proving import Effort, Judged, Verdict

LIMIT, DEEP_LIMIT = 120_000, 2_000_000
"""States to visit: four times as many as any map may take when it is made; and with `deep`."""


class Shortest:
    """The prover; it has no state."""

    def prove(self, claims: Sequence[Claim], effort: Effort) -> Iterator[Judged]:
        """Yield each claim with its verdict.

        Args:
            claims: the claims.
            effort: whether to search on where most searches have ended.
        """
        limit = DEEP_LIMIT if effort.deep else LIMIT
        for claim in tqdm(claims, "shortest plans", disable=not effort.progress):
            yield _judged(claim, limit)


def _judged(claim: Claim, limit: int) -> Judged:
    args = dict(claim.args)
    try:
        found = shortest(Rules(Chart(read(str(args["chamber"])))), limit=limit)
    except ValueError as error:
        return Judged(claim, Verdict.REFUTED, f"it is no chamber: {error}")
    if not found.proven:
        return Judged(claim, Verdict.OPEN)
    steps = 0 if found.plan is None else len(found.plan)
    if steps == args["steps"]:
        return Judged(claim, Verdict.PROVEN)
    return Judged(claim, Verdict.REFUTED, f"a shortest plan has {steps} steps, 0 for none at all")


PROVER = Shortest()
