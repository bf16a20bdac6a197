"""Prover of "chamber/insight": without the named thing no plan is as short as the given one.

Each proof is a search without that one thing, or from the named trap; see
facelet.generators.chamber.plans.insight_proofs. That the given plan is a shortest one is a separate
claim, "chamber/shortest".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from facelet.generators.chamber.engine.static_tables import StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules, run_plan
from facelet.generators.chamber.plans import insight_proofs
from facelet.generators.chamber.world.chamber_records import parse_chamber, parse_step
from facelet.generators.core.task import Claim
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofEffort, ProofVerdict


class InsightProver:
    """The prover; it has no state."""

    def prove(self, claims: Sequence[Claim], effort: ProofEffort) -> Iterator[JudgedClaim]:
        """Yield each claim with its verdict.

        Args:
            claims: the claims.
            effort: nothing is read of it but whether progress is shown; a proof that was found once
                is found again within its limit.
        """
        yield from (
            _judge_claim(claim) for claim in tqdm(claims, "insights", disable=not effort.progress)
        )


def _judge_claim(claim: Claim) -> JudgedClaim:
    args = {name: str(value) for name, value in claim.args}
    if (name := args["name"]) not in insight_proofs.PROOFS:
        known = ", ".join(sorted(insight_proofs.PROOFS))
        return JudgedClaim(
            claim, ProofVerdict.REFUTED, f"{name!r} is no insight; use one of {known}"
        )
    try:
        rules = StepRules(StaticTables(parse_chamber(args["chamber"])))
        plan = tuple(map(parse_step, args["plan"].split("; ")))
    except ValueError as error:
        return JudgedClaim(claim, ProofVerdict.REFUTED, f"it is no chamber with a plan: {error}")
    if not run_plan(rules, plan).has_left:
        return JudgedClaim(claim, ProofVerdict.REFUTED, "the plan does not lead out")
    if insight_proofs.is_insight_proven(rules, plan, name):
        return JudgedClaim(claim, ProofVerdict.PROVEN)
    return JudgedClaim(claim, ProofVerdict.REFUTED, f"nothing proves {name}")


PROVER = InsightProver()
