"""Prove claims that only an exhaustive search can show, with the prover of their kind.

A claim is proven once, whoever makes it. Its kind names the module that exports its PROVER:
"cube/distance" is `facelet.pipeline.cube.distance`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from facelet.generators.core.task import Claim
from facelet.pipeline import family_modules
from facelet.pipeline.dataset.file_integrity import IntegrityFailure


class ProofVerdict(StrEnum):
    """What became of a claim."""

    PROVEN = "proven"
    """Proven now, by search."""
    STORED = "stored"
    """Too deep to prove now; the committed store of certificates holds a proof of it."""
    OPEN = "open"
    """Too deep to prove now, and in no store."""
    REFUTED = "refuted"
    """False."""


@dataclass(frozen=True, slots=True)
class ProofEffort:
    """How much work a prover may do.

    Attributes:
        deep: whether it also proves what takes minutes a claim.
        workers: how many claims it may prove at once.
        progress: whether it shows a bar on stderr.
        second: how many claims of a kind it also confirms by a method that shares as little as can
            be with the first.
    """

    deep: bool = False
    workers: int = 1
    progress: bool = True
    second_checks: int = 32


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim, its verdict, for a refuted one the truth in words, and the second method, if any."""

    claim: Claim
    verdict: ProofVerdict
    reason: str = ""
    second_method: str = ""


class ClaimProver(Protocol):
    """Proves claims of one kind."""

    def prove(self, claims: Sequence[Claim], effort: ProofEffort) -> Iterator[JudgedClaim]:
        """Yield each claim with its verdict, in any order."""


class ProofMemory(Protocol):
    """Remembers which claims are proven; see `facelet.pipeline.verify.dataset_verifier`."""

    def find_judged(self, claim: Claim) -> JudgedClaim | None:
        """Return the verdict that is held, or None."""

    def store_judged(self, found: JudgedClaim) -> None:
        """Take a verdict."""


@dataclass(slots=True)
class ProofSummary:
    """What became of all claims.

    Attributes:
        counts: number of distinct claims by verdict.
        failures: the refuted ones, under the id of each row that makes them.
        open: for each claim left open, a row that makes it.
        confirmed: number of proven claims that a second method confirmed, by method.
    """

    counts: Counter[ProofVerdict] = field(default_factory=Counter)
    failures: list[IntegrityFailure] = field(default_factory=list)
    open_claims: list[str] = field(default_factory=list)
    confirmed_by_method: Counter[str] = field(default_factory=Counter)

    def add_verdict(self, judged: JudgedClaim, rows: Sequence[str]) -> None:
        """Count a verdict on a claim that some rows make."""
        self.counts[judged.verdict] += 1
        if judged.second_method:
            self.confirmed_by_method[judged.second_method] += 1
        if judged.verdict is ProofVerdict.REFUTED:
            self.failures += [IntegrityFailure(row, judged.reason) for row in rows]
        elif judged.verdict is ProofVerdict.OPEN:
            self.open_claims.append(rows[0])


def load_provers(kinds: Iterable[str]) -> dict[str, ClaimProver]:
    """Return the provers of some kinds of claim.

    Raises:
        ValueError: a kind has none.
    """
    return {kind: family_modules.load_export(kind, "PROVER") for kind in sorted(set(kinds))}


def prove_claims(
    claims: Iterable[tuple[Claim, str]],
    effort: ProofEffort,
    known: Mapping[str, ClaimProver] | None = None,
    memory: ProofMemory | None = None,
) -> ProofSummary:
    """Prove claims, each with the id of a row that makes it; equal claims once.

    Args:
        claims: the claims.
        effort: how much work may be done.
        known: the provers by kind; those that the kinds name by default.
        memory: what is proven already is taken from it, and what is proven now goes there.
    """
    rows: dict[Claim, list[str]] = {}
    for claim, row in claims:
        rows.setdefault(claim, []).append(row)
    by_kind: dict[str, list[Claim]] = {}
    settled: list[JudgedClaim] = []
    for claim in rows:
        judged_before = None if memory is None else memory.find_judged(claim)
        if judged_before is None:
            by_kind.setdefault(claim.kind, []).append(claim)
        else:
            settled.append(judged_before)
    found = load_provers(by_kind) if known is None else known
    proofs = ProofSummary()
    for judged in settled:
        proofs.add_verdict(judged, rows[judged.claim])
    for kind, wanted in sorted(by_kind.items()):
        for judged in found[kind].prove(wanted, effort):
            proofs.add_verdict(judged, rows[judged.claim])
            if memory is not None:
                memory.store_judged(judged)
    proofs.failures.sort(key=lambda failure: (failure.where, failure.what))
    proofs.open_claims.sort()
    return proofs
