"""Prover of "chamber/insight": no plan as short as the given one does without what is named.

Each proof is a search with that one thing taken away, or from the trap that is named; see
facelet.generators.chamber.plans.insights. That the given plan is a shortest one is a claim of its
own, "chamber/shortest".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tqdm import tqdm

from facelet.generators.chamber.engine.chart import Chart
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import run
from facelet.generators.chamber.plans import insights
from facelet.generators.chamber.world.chambers import read
from facelet.generators.chamber.world.steps import parse
from facelet.generators.core.task import Claim
from facelet.pipeline.verify.proving import Effort, Judged, Verdict


class Insight:
    """The prover; it has no state."""

    def prove(self, claims: Sequence[Claim], effort: Effort) -> Iterator[Judged]:
        """Yield each claim with its verdict.

        Args:
            claims: the claims.
            effort: nothing is read of it but whether progress is shown; a proof that was found once
                is found again within its limit.
        """
        for claim in tqdm(claims, "insights", disable=not effort.progress):
            yield _judged(claim)


def _judged(claim: Claim) -> Judged:
    args = {name: str(value) for name, value in claim.args}
    name = args["name"]
    if name not in insights.PROOFS:
        known = ", ".join(sorted(insights.PROOFS))
        return Judged(claim, Verdict.REFUTED, f"{name!r} is no insight; use one of {known}")
    try:
        rules = Rules(Chart(read(args["chamber"])))
        plan = tuple(map(parse, args["plan"].split("; ")))
    except ValueError as error:
        return Judged(claim, Verdict.REFUTED, f"it is no chamber with a plan: {error}")
    if not run(rules, plan).left:
        return Judged(claim, Verdict.REFUTED, "the plan does not lead out")
    if insights.proven(rules, plan, name):
        return Judged(claim, Verdict.PROVEN)
    return Judged(claim, Verdict.REFUTED, f"nothing proves {name}")


PROVER = Insight()
