"""Prover of "chamber/shortest": no plan of a chamber has fewer steps than claimed.

The proof is a breadth-first search of all possible actions: all states at distance k are visited
before any at k + 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.plans.plan_search import find_shortest_plan
from facelet.generators.chamber.world.chamber_records import parse_chamber
from facelet.generators.core.task import Claim
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofEffort, ProofVerdict

LIMIT, DEEP_LIMIT = 120_000, 2_000_000
"""States to visit: four times as many as any map may take when it is made; and with `deep`."""


class ShortestPlanProver:
    """The prover; it has no state."""

    def prove(self, claims: Sequence[Claim], effort: ProofEffort) -> Iterator[JudgedClaim]:
        """Yield each claim with its verdict.

        Args:
            claims: the claims.
            effort: whether to search on where most searches have ended.
        """
        limit = DEEP_LIMIT if effort.deep else LIMIT
        yield from (
            _judge_claim(claim, limit)
            for claim in tqdm(claims, "shortest plans", disable=not effort.progress)
        )


def _judge_claim(claim: Claim, limit: int) -> JudgedClaim:
    args = dict(claim.args)
    try:
        found = find_shortest_plan(
            StepRules(StaticTables(parse_chamber(str(args["chamber"])))), limit=limit
        )
    except ValueError as error:
        return JudgedClaim(claim, ProofVerdict.REFUTED, f"it is no chamber: {error}")
    if not found.proven:
        return JudgedClaim(claim, ProofVerdict.OPEN)
    steps = 0 if found.plan is None else len(found.plan)
    if steps == args["steps"]:
        return JudgedClaim(claim, ProofVerdict.PROVEN)
    return JudgedClaim(
        claim, ProofVerdict.REFUTED, f"a shortest plan has {steps} steps, 0 for none at all"
    )


PROVER = ShortestPlanProver()
