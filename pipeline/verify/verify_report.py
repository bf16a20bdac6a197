"""Report the result of a verification in a few lines."""

from __future__ import annotations

from facelet.pipeline.verify.claim_prover import ProofVerdict
from facelet.pipeline.verify.dataset_verifier import VerifyResult
from facelet.pipeline.verify.settings import VerifySettings

MAX_FAILURES = 50
"""Failures that are printed; more are counted."""

MAX_NAMES = 6
"""Numbers that are named for each reason why they are not verified; more are counted."""


def format_verify_report(verified: VerifyResult, settings: VerifySettings) -> str:
    """Return what was found, in a few lines."""
    counts = verified.proofs.counts
    share = (
        "all" if settings.sample_share >= 1 else f"{settings.sample_share:.4g} of each difficulty"
    )
    lines = [
        f"whole   manifest.json has the SHA-256 {verified.manifest}; compare it with that of the "
        "release",
        f"files   {verified.shards} shards, {verified.rows:,} rows: bytes, SHA-256, content hashes",
        f"rows    {verified.checked_rows:,} rechecked ({share}, seed {settings.seed}): question, "
        "pictures, labels, reference replies",
        f"claims  {sum(counts.values()):,} distinct: {counts[ProofVerdict.PROVEN]:,} proven now, "
        f"{counts[ProofVerdict.STORED]:,} covered by the committed certificate store, "
        f"{counts[ProofVerdict.OPEN]:,} not proven, {counts[ProofVerdict.REFUTED]:,} refuted",
    ]
    if any(verified.resumed_counts):
        rows, claims = verified.resumed_counts
        lines.append(f"        of these, {rows:,} rows and {claims:,} claims are from the record")
    second = verified.proofs.confirmed_by_method
    methods = ", ".join(f"{count:,} {how}" for how, count in sorted(second.items())) or "none"
    lines.append(
        f"second  {sum(second.values()):,} of {counts[ProofVerdict.PROVEN]:,} "
        "proofs confirmed by a "
        f"method that does not rest on the first one's table: {methods}"
    )
    lines += _describe_blind_spot(verified)
    lines += _describe_numbers(verified)
    if verified.proofs.open_claims:
        some = ", ".join(verified.proofs.open_claims[:3])
        lines.append(f"        not proven: {some} ...; deep=true proves them")
    if not verified.failures:
        return "\n".join([*lines, "result  no failure"])
    lines.append(f"result  {len(verified.failures):,} failures")
    lines += [f"  {failure.where}: {failure.what}" for failure in verified.failures[:MAX_FAILURES]]
    if len(verified.failures) > MAX_FAILURES:
        lines.append(f"  and {len(verified.failures) - MAX_FAILURES:,} more")
    return "\n".join(lines)


def _describe_blind_spot(verified: VerifyResult) -> list[str]:
    """Return what a sample could not show; nothing where every row was rechecked."""
    if verified.checked_rows >= verified.rows:
        return []
    least = min_detectable_faults(verified.rows, verified.checked_rows)
    seen = f"{least:,}" if least is not None else "no number of"
    return [
        f"        a sample of {verified.checked_rows:,} of {verified.rows:,} rows "
        "finds at least one of "
        f"{seen} false rows",
        "        anywhere with a chance of 95%; fewer may stay unseen, if all hashes were made to "
        "fit: all=true",
    ]


def _describe_numbers(verified: VerifyResult) -> list[str]:
    """Return which numbers of the manifest were recomputed, and which are not verified."""
    numbers = verified.numbers
    if numbers is None:
        return [
            "numbers not verified: chance, floors, shortcuts, counts and audit are those that "
            "manifest.json states; all=true recomputes them from sound files"
        ]
    lines = [f"numbers {numbers.compared:,} of manifest.json recomputed, and the card rendered"]
    for reason, names in numbers.unverified.items():
        names = list(dict.fromkeys(names))
        shown = ", ".join(names[:MAX_NAMES])
        more = f" and {len(names) - MAX_NAMES:,} more" if len(names) > MAX_NAMES else ""
        lines.append(f"        not verified: {reason}: {shown}{more}")
    return lines


def min_detectable_faults(rows: int, checked: int, confidence: float = 0.95) -> int | None:
    """Return the least number of false rows of which a random sample likely holds one.

    Args:
        rows: rows in all.
        checked: rows in the sample, drawn without putting back.
        confidence: how likely at least.
    """
    missed = 1.0
    for false in range(1, rows + 1):
        # The false rows stand in the rest, one after the other.
        missed *= max(rows - checked - false + 1, 0) / (rows - false + 1)
        if missed <= 1 - confidence:
            return false
    return None
