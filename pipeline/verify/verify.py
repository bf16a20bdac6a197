"""Verify: is a published dataset what it says, proven from its files alone?

files    every shard has the bytes, and every row the content, that the manifest says
rows     a sample of each cell, or all rows, is rechecked: question, pictures, labels, replies
claims   what only a search can show is proven again

The sample is seeded and holds at least one row of every cell.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed
from tqdm import tqdm

from facelet.generators.core.seeding import digest
from facelet.pipeline import families
from facelet.pipeline.dataset import integrity, reading
from facelet.pipeline.dataset.hashing import hash_file, hash_value
from facelet.pipeline.dataset.integrity import Failure, Read, Shard
from facelet.pipeline.dataset.sealing import demand_answers
from facelet.pipeline.dataset.sources import fingerprint
from facelet.pipeline.families import Lookup, Unavailable
from facelet.pipeline.leader import local_workers
from facelet.pipeline.verify import proving
from facelet.pipeline.verify.proving import Effort, Proofs, Prover, Verdict
from facelet.pipeline.verify.record import Record
from facelet.pipeline.verify.rows import Checked, expected, recheck
from facelet.pipeline.words import (
    Key,
    check_range,
    expand,
    help_table,
    plain,
    read_words,
    shows_progress,
)

T = TypeVar("T")

CODE = ("facelet.generators", "facelet.pipeline", "facelet.renderers")
"""What a record is good for: the code that found it."""

CHUNK = 64
"""Rows that a worker rechecks at once."""

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


@dataclass(frozen=True, slots=True)
class VerifySettings:
    """What to verify.

    Attributes:
        out: the dataset folder.
        sample: share of the rows of each cell that is rechecked; 1.0 for all.
        seed: which rows the sample holds.
        effort: how much work proofs may take, and how many processes.
        record: file that says what earlier runs found good; None for none.
    """

    out: Path
    sample: float = 0.05
    seed: int = 0
    effort: Effort = field(default_factory=Effort)
    record: Path | None = None


@dataclass(frozen=True, slots=True)
class Verified:
    """What verifying found.

    Attributes:
        shards: number of shards.
        rows: number of rows in them.
        checked: number of rows rechecked.
        proofs: what became of their claims.
        failures: all that is wrong.
        manifest: SHA-256 of the manifest.
        recorded: how many of the rows and of the claims an earlier run with the record had done.
    """

    shards: int
    rows: int
    checked: int
    proofs: Proofs
    failures: tuple[Failure, ...]
    manifest: str = ""
    recorded: tuple[int, int] = (0, 0)


def verify(
    settings: VerifySettings,
    lookup: Lookup = families.task,
    provers: Mapping[str, Prover] | None = None,
) -> Verified:
    """Verify a dataset.

    Args:
        settings: what to verify.
        lookup: finds a task by its name; with several workers it must be importable.
        provers: the provers by kind of claim; all there are by default.

    Raises:
        ValueError: there is no dataset, or it was made by a version of a task unknown here.
    """
    out = settings.out
    manifest = reading.manifest(out)
    demand_answers(manifest, out)
    listed = integrity.shards(manifest)
    missing = unknown_tasks(manifest, lookup)
    effort = settings.effort
    parts = _run(
        [delayed(integrity.read)(out, shard) for shard in listed], "files", "shard", effort
    )
    failures = [failure for part in parts for failure in part.failures]
    failures += [*integrity.whole(out, manifest, parts), *missing.values()]
    wants = {config: expected(manifest, config) for config in manifest["configs"]}
    sha256 = hash_file(out / reading.MANIFEST)
    with closing(Record(settings.record, hash_value([sha256, fingerprint(CODE)]))) as record:
        checked: list[Checked] = []
        todo: list[tuple[Shard, tuple[int, ...]]] = []
        for part, numbers in sample(parts, settings.sample, settings.seed):
            if part.shard.config in missing:
                continue
            held = None if part.failures else record.checked(part.shard.path, numbers)
            if held is None:
                todo.append((part.shard, numbers))
            else:
                checked.append(held)
        jobs = [
            delayed(recheck)(out, shard, numbers, wants[shard.config], lookup)
            for shard, numbers in todo
        ]

        def keep(number: int, found: Checked) -> None:
            shard, numbers = todo[number]
            record.keep_checked(shard.path, numbers, found)

        checked += _run(jobs, "rows", "chunk", effort, keep)
        failures += [failure for part in checked for failure in part.failures]
        claims = [pair for part in checked for pair in part.claims]
        proofs = proving.prove(claims, effort, provers, record)
    return Verified(
        len(parts),
        sum(len(part.ids) for part in parts),
        sum(part.rows for part in checked),
        proofs,
        (*failures, *proofs.failures),
        sha256,
        (record.rows, record.claims),
    )


def unknown_tasks(manifest: Mapping[str, Any], lookup: Lookup) -> dict[str, Failure]:
    """Return, by config, that its rows cannot be rechecked where its task cannot be had here.

    Raises:
        ValueError: a config's rows were made by a version of its task that is unknown here.
    """
    missing: dict[str, Failure] = {}
    for name, config in manifest["configs"].items():
        try:
            task = lookup(config["task"])
        except Unavailable as error:
            missing[name] = Failure(name, f"cannot be rechecked: {error}")
            continue
        if task.version != config["task_version"]:
            raise ValueError(
                f"{name} was made by version {config['task_version']} of {task.name}, here is "
                f"version {task.version}; verify it with Facelet {manifest.get('code_version')}"
            )
    return missing


def sample(
    parts: Iterable[Read], share: float, seed: int
) -> Iterator[tuple[Read, tuple[int, ...]]]:
    """Yield chunks of the rows to recheck: a shard, and numbers of rows in it, ascending.

    Of each cell the rows with the least hashes of (seed, id) are taken, so that a larger sample
    holds a smaller one.

    Args:
        parts: the shards that were read.
        share: share of the rows of each cell, above 0 and up to 1.
        seed: which rows are chosen.
    """
    parts = list(parts)
    cells: dict[str, list[str]] = {}
    for part in parts:
        for name in part.ids:
            cells.setdefault(name.rpartition("/")[0], []).append(name)
    chosen: set[str] = set()
    for names in cells.values():
        names.sort(key=lambda name: digest("verify", seed, name))
        chosen.update(names[: math.ceil(share * len(names))])
    for part in parts:
        numbers = [number for number, name in enumerate(part.ids) if name in chosen]
        for start in range(0, len(numbers), CHUNK):
            yield part, tuple(numbers[start : start + CHUNK])


def _run(
    jobs: Sequence[tuple[Callable[..., T], Any, Any]],
    name: str,
    unit: str,
    effort: Effort,
    keep: Callable[[int, T], None] = lambda number, result: None,
) -> list[T]:
    """Run jobs on the workers and return their results in order.

    Args:
        jobs: function, arguments and keyword arguments of each.
        name: what the progress bar is called.
        unit: what it counts.
        effort: how many workers, and whether the bar is shown.
        keep: called with the number and the result of each, as soon as it is there.
    """
    workers = min(effort.workers, len(jobs))
    bar = tqdm(total=len(jobs), desc=f"{name:<8}", unit=unit, disable=not effort.progress)
    with bar, local_workers(max(workers, 1)):
        if workers < 2:
            results = (job[0](*job[1], **job[2]) for job in jobs)
        else:
            results = Parallel(return_as="generator")(jobs)
        done: list[T] = []
        for result in results:
            keep(len(done), result)
            done.append(result)
            bar.update()
        return done


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
