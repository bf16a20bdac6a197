"""The verb `facelet verify`: its keys, and what it tells."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from facelet.pipeline.verify.proving import Effort, Verdict
from facelet.pipeline.verify.verify import Verified, VerifySettings, verify
from facelet.pipeline.words import (
    Key,
    check_range,
    expand,
    help_table,
    plain,
    read_words,
    shows_progress,
)

SHOWN = 50
"""Failures that are printed; more are counted."""

KEYS = (
    Key(
        "dataset",
        "str",
        "",
        "the folder of a built dataset",
        "What to verify, from its files alone.",
    ),
    Key(
        "sample",
        "str",
        "0.05",
        "a number above 0 and up to 1",
        "Share of the rows of each difficulty that is rechecked and proven, at least one.",
    ),
    Key("all", "bool", "false", "true or false", "Recheck and prove every row."),
    Key("seed", "int", "0", "any whole number", "Which rows the sample holds."),
    Key(
        "deep",
        "bool",
        "false",
        "true or false",
        "Also prove what takes up to minutes a claim, such as depth 18 and more; without it, such "
        "claims are looked up in the committed store of certificates.",
    ),
    Key(
        "record",
        "str",
        "",
        "a file; made if missing",
        "What is found good is appended there, and what stands there of the same files and the "
        "same version of Facelet is not looked at again, so that a run that was stopped goes on.",
    ),
    Key(
        "workers", "int", "2", "at least 1", "Rows rechecked, and claims proven, at the same time."
    ),
    Key(
        "progress",
        "bool",
        "if stderr is a terminal",
        "true or false",
        "Show progress bars on stderr.",
    ),
)

HELP = f"""facelet verify OUT [key=value ...]

Proves a dataset from its published files alone: hashes of files, rows and pixels; questions and
pictures made again from the rows; labels by simulation; reference replies by the scorer's rules;
optimal depths by exhaustive search. Prints what failed with the ids of the rows, and exits with 1.

Keys, with their defaults:
{help_table(KEYS)}

Examples:
  facelet verify data/out/facelet-smoke all=true
  facelet verify data/out/facelet-paper all=true record=verified.jsonl  # goes on when repeated
  facelet verify data/out/facelet-paper sample=0.05 workers=4
"""


def report(verified: Verified, settings: VerifySettings) -> str:
    """Return what was found, in a few lines."""
    counts = verified.proofs.counts
    share = "all" if settings.sample >= 1 else f"{settings.sample:.4g} of each difficulty"
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


def read_settings(words: Sequence[str]) -> VerifySettings:
    """Return what the words of the command line ask for.

    Raises:
        ValueError: a key or a value is bad.
    """
    named = [word if "=" in word else f"dataset={word}" for word in words]
    values = read_words(named, KEYS)
    if not values.get("dataset"):
        raise ValueError("dataset is not set; give the folder of a built dataset, dataset=OUT")
    text = str(values.get("sample", "0.05"))
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise ValueError(f"sample={text} is out of range; use a number above 0 and up to 1")
    return VerifySettings(
        out=expand(str(values["dataset"])),
        sample=1.0 if values.get("all") else share,
        seed=int(str(values.get("seed", 0))),
        effort=Effort(
            deep=bool(values.get("deep", False)),
            workers=check_range("workers", int(str(values.get("workers", 2))), 1),
            progress=shows_progress(values.get("progress")),
        ),
        record=expand(str(values["record"])) if values.get("record") else None,
    )


def run(overrides: Sequence[str]) -> int:
    """Verify a dataset from the command line; 0 when nothing failed, 1 when something did.

    Raises:
        ValueError: a key is bad, or there is no dataset to verify.
    """
    settings = read_settings(overrides)
    verified = verify(settings)
    told = plain(report(verified, settings))
    print(told, file=sys.stderr if verified.failures else sys.stdout)
    return 1 if verified.failures else 0
