"""Proving: what only an exhaustive search can show, handed to the prover of its kind.

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
from facelet.pipeline import families
from facelet.pipeline.dataset.integrity import Failure


class Verdict(StrEnum):
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
class Effort:
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
    second: int = 32


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim, its verdict, for a refuted one the truth in words, and the second method, if any."""

    claim: Claim
    verdict: Verdict
    reason: str = ""
    confirmed: str = ""


class Prover(Protocol):
    """Proves claims of one kind."""

    def prove(self, claims: Sequence[Claim], effort: Effort) -> Iterator[Judged]:
        """Yield each claim with its verdict, in any order."""
        ...


class Memory(Protocol):
    """Remembers which claims are proven; see `facelet.pipeline.verify.record`."""

    def judged(self, claim: Claim) -> Judged | None:
        """Return the verdict that is held, or None."""
        ...

    def keep_judged(self, found: Judged) -> None:
        """Take a verdict."""
        ...


@dataclass(slots=True)
class Proofs:
    """What became of all claims.

    Attributes:
        counts: number of distinct claims by verdict.
        failures: the refuted ones, under the id of each row that makes them.
        open: for each claim left open, a row that makes it.
        confirmed: number of proven claims that a second method confirmed, by method.
    """

    counts: Counter[Verdict] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    confirmed: Counter[str] = field(default_factory=Counter)

    def add(self, judged: Judged, rows: Sequence[str]) -> None:
        """Count a verdict on a claim that some rows make."""
        self.counts[judged.verdict] += 1
        if judged.confirmed:
            self.confirmed[judged.confirmed] += 1
        if judged.verdict is Verdict.REFUTED:
            self.failures += [Failure(row, judged.reason) for row in rows]
        elif judged.verdict is Verdict.OPEN:
            self.open.append(rows[0])


def provers(kinds: Iterable[str]) -> dict[str, Prover]:
    """Return the provers of some kinds of claim.

    Raises:
        ValueError: a kind has none.
    """
    return {kind: families.export(kind, "PROVER") for kind in sorted(set(kinds))}


def prove(
    claims: Iterable[tuple[Claim, str]],
    effort: Effort,
    known: Mapping[str, Prover] | None = None,
    memory: Memory | None = None,
) -> Proofs:
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
    settled: list[Judged] = []
    for claim in rows:
        held = None if memory is None else memory.judged(claim)
        if held is None:
            by_kind.setdefault(claim.kind, []).append(claim)
        else:
            settled.append(held)
    found = provers(by_kind) if known is None else known
    proofs = Proofs()
    for judged in settled:
        proofs.add(judged, rows[judged.claim])
    for kind, wanted in sorted(by_kind.items()):
        for judged in found[kind].prove(wanted, effort):
            proofs.add(judged, rows[judged.claim])
            if memory is not None:
                memory.keep_judged(judged)
    proofs.failures.sort(key=lambda failure: (failure.where, failure.what))
    proofs.open.sort()
    return proofs
