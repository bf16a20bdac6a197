"""Telling: what verifying found, in a few lines."""

from __future__ import annotations

from facelet.pipeline.verify.proving import Verdict
from facelet.pipeline.verify.settings import VerifySettings
from facelet.pipeline.verify.verify import Verified

SHOWN = 50
"""Failures that are printed; more are counted."""


def report(verified: Verified, settings: VerifySettings) -> str:
    """Return what was found, in a few lines."""
    counts = verified.proofs.counts
    share = "all" if settings.share >= 1 else f"{settings.share:.4g} of each difficulty"
    lines = [
        f"whole   manifest.json has the SHA-256 {verified.manifest}; compare it with that of the "
        "release",
        f"files   {verified.shards} shards, {verified.rows:,} rows: bytes, SHA-256, content hashes",
        f"rows    {verified.checked:,} rechecked ({share}, seed {settings.seed}): question, "
        "pictures, labels, reference replies",
        f"claims  {sum(counts.values()):,} distinct: {counts[Verdict.PROVEN]:,} proven now, "
        f"{counts[Verdict.STORED]:,} covered by the committed certificate store, "
        f"{counts[Verdict.OPEN]:,} not proven, {counts[Verdict.REFUTED]:,} refuted",
    ]
    if any(verified.recorded):
        rows, claims = verified.recorded
        lines.append(f"        of these, {rows:,} rows and {claims:,} claims are from the record")
    second = verified.proofs.confirmed
    methods = ", ".join(f"{count:,} {how}" for how, count in sorted(second.items())) or "none"
    lines.append(
        f"second  {sum(second.values()):,} of {counts[Verdict.PROVEN]:,} proofs confirmed by a "
        f"method that does not rest on the first one's table: {methods}"
    )
    lines += _blind_spot(verified)
    if verified.proofs.open:
        some = ", ".join(verified.proofs.open[:3])
        lines.append(f"        not proven: {some} ...; deep=true proves them")
    if not verified.failures:
        return "\n".join([*lines, "result  no failure"])
    lines.append(f"result  {len(verified.failures):,} failures")
    lines += [f"  {failure.where}: {failure.what}" for failure in verified.failures[:SHOWN]]
    if len(verified.failures) > SHOWN:
        lines.append(f"  and {len(verified.failures) - SHOWN:,} more")
    return "\n".join(lines)


def _blind_spot(verified: Verified) -> list[str]:
    """Return what a sample could not show; nothing where every row was rechecked."""
    if verified.checked >= verified.rows:
        return []
    least = detectable(verified.rows, verified.checked)
    seen = f"{least:,}" if least is not None else "no number of"
    return [
        f"        a sample of {verified.checked:,} of {verified.rows:,} rows finds at least one of "
        f"{seen} false rows",
        "        anywhere with a chance of 95%; fewer may stay unseen, if all hashes were made to "
        "fit: all=true",
    ]


def detectable(rows: int, checked: int, confidence: float = 0.95) -> int | None:
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
