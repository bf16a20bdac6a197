"""Verify a published dataset from its files alone.

    files    every shard has the bytes, and every row the content, that the manifest lists
    rows     a sample of each cell, or all rows, is rechecked: question, pictures, labels, replies
    claims   what only a search can show is proven again
    numbers  with every row: what manifest.json and the card show is recomputed

The sample is seeded and contains at least one row of every cell.

A record of what was proved lets an interrupted run resume. It is a file of JSON Lines that is only
appended to. Each line bears a mark, the hash of the manifest and of this program's code: lines of
another dataset or another version are ignored. Only what passed is written; what failed is checked
again. To trust a record is to trust its file, so there is none unless a run names one.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tqdm import tqdm

from facelet.generators.core.seeding import digest_names
from facelet.generators.core.task import Claim
from facelet.pipeline.argument_text import can_show_progress
from facelet.pipeline.build.job_runner import open_workers, run_jobs
from facelet.pipeline.config.build_settings import RunnerSettings
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.atomic_files import append_line, create_folder
from facelet.pipeline.dataset.content_check import check_has_answers
from facelet.pipeline.dataset.file_integrity import IntegrityFailure, ListedShard, ShardReading
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_hashes import hash_file, hash_value, open_record, seal_record
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources
from facelet.pipeline.family_modules import Lookup, TaskUnavailable, load_task
from facelet.pipeline.verify.claim_prover import (
    ClaimProver,
    JudgedClaim,
    ProofEffort,
    ProofSummary,
    ProofVerdict,
    prove_claims,
)
from facelet.pipeline.verify.number_check import NumberCheck, check_numbers
from facelet.pipeline.verify.row_check import RowChecks, check_rows, read_expected
from facelet.pipeline.verify.settings import VerifySettings

_BEGIN = b'{"mark":"'
"""How every line begins."""


def _foreign_file_error(path: Path, number: int) -> ValueError:
    return ValueError(f"record={path}: line {number} is not of a record; name another file")


class VerificationRecord:
    """What earlier runs found good, and where this one writes it.

    Attributes:
        rows: number of rows that were taken from it.
        claims: number of claims that were taken from it.
    """

    def __init__(self, path: Path | None, mark: str) -> None:
        """Read a record.

        Args:
            path: its file, made if missing; None for no record.
            mark: hash of all that what it says depends on.

        Raises:
            ValueError: the file holds a line that is none of a record's.
        """
        self.rows = self.claims = 0
        self._mark = mark
        self._chunks: dict[str, dict[str, Any]] = {}
        self._claims: dict[str, str] = {}
        self._file: int | None = None
        if path is None:
            return
        self._path = path
        if path.is_file():
            self._read_lines(path)
        create_folder(path.parent)
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def _read_lines(self, path: Path) -> None:
        *lines, last = path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            try:
                held = json.loads(line)
                chunk, confirmed = held.get("chunk"), held.get("confirmed")
                if chunk is None and not isinstance(confirmed, str):
                    raise ValueError
                if held["mark"] != self._mark:
                    continue
                open_record(held)
                if chunk is None:
                    self._claims[held["claim"]] = confirmed
                else:
                    self._chunks[chunk] = held
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                raise _foreign_file_error(path, number) from None
        if last:
            # A run that was killed left a part of a line.
            if last[: len(_BEGIN)] != _BEGIN[: len(last)]:
                raise _foreign_file_error(path, len(lines) + 1)
            os.truncate(path, path.stat().st_size - len(last))

    def find_checked(self, shard: str, numbers: Sequence[int]) -> RowChecks | None:
        """Return what is held of some rows of a shard, or None."""
        if (held := self._chunks.get(hash_value([shard, list(numbers)]))) is None:
            return None
        self.rows += len(numbers)
        claims = tuple((_parse_claim(content), row) for content, row in held["claims"])
        return RowChecks(len(numbers), (), claims)

    def store_checked(self, shard: str, numbers: Sequence[int], found: RowChecks) -> None:
        """Write that some rows are good, if they are.

        Args:
            shard: path of their shard.
            numbers: their numbers in it.
            found: what rechecking them found.
        """
        if not found.failures:
            claims = [[_claim_to_json(claim), row] for claim, row in found.claims]
            self._write_line({"chunk": hash_value([shard, list(numbers)]), "claims": claims})

    def find_judged(self, claim: Claim) -> JudgedClaim | None:
        """Return that a claim is proven, if that is held."""
        if (confirmed := self._claims.get(hash_value(_claim_to_json(claim)))) is None:
            return None
        self.claims += 1
        return JudgedClaim(claim, ProofVerdict.PROVEN, second_method=confirmed)

    def store_judged(self, found: JudgedClaim) -> None:
        """Write that a claim is proven, if it is."""
        if found.verdict is ProofVerdict.PROVEN:
            self._write_line(
                {"claim": hash_value(_claim_to_json(found.claim)), "confirmed": found.second_method}
            )

    def _write_line(self, content: dict[str, object]) -> None:
        if self._file is not None:
            sealed = seal_record({"mark": self._mark, **content})
            line = json.dumps(sealed, separators=(",", ":"))
            append_line(self._path, self._file, line.encode("ascii"))

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)


def _claim_to_json(claim: Claim) -> list[object]:
    return [claim.kind, [list(pair) for pair in claim.args]]


def _parse_claim(content: Sequence[Any]) -> Claim:
    return Claim(content[0], tuple((name, value) for name, value in content[1]))


T = TypeVar("T")

CODE = ("facelet.generators", "facelet.pipeline", "facelet.renderers")
"""What a record is good for: the code that found it."""

CHUNK = 64
"""Rows that a worker rechecks at once."""


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """What verifying found.

    Attributes:
        shards: number of shards.
        rows: number of rows in them.
        checked: number of rows rechecked.
        proofs: what became of their claims.
        failures: all that is wrong.
        manifest: SHA-256 of the manifest.
        recorded: how many of the rows and of the claims an earlier run with the record had done.
        numbers: what recomputing the manifest's numbers found; None unless every row was rechecked.
    """

    shards: int
    rows: int
    checked_rows: int
    proofs: ProofSummary
    failures: tuple[IntegrityFailure, ...]
    manifest: str = ""
    resumed_counts: tuple[int, int] = (0, 0)
    numbers: NumberCheck | None = None


def verify_dataset(
    settings: VerifySettings,
    lookup: Lookup = load_task,
    provers: Mapping[str, ClaimProver] | None = None,
) -> VerifyResult:
    """Verify a dataset.

    Args:
        settings: what to verify.
        lookup: finds a task by its name; with several workers it must be importable.
        provers: the provers by kind of claim; all there are by default.

    Raises:
        ValueError: there is no dataset, or it was made by a version of a task unknown here.
    """
    out = settings.dataset
    manifest = dataset_reader.read_manifest(out)
    check_has_answers(manifest, out)
    listed = file_integrity.list_shards(manifest)
    missing = unknown_tasks(manifest, lookup)
    effort = ProofEffort(settings.deep, settings.workers, can_show_progress(settings.progress))
    parts = _run_parallel(
        file_integrity.read_shard,
        [(out, shard) for shard in listed],
        "files",
        "shard",
        effort,
    )
    failures = [failure for part in parts for failure in part.failures]
    failures += [*file_integrity.check_dataset(out, manifest, parts), *missing.values()]
    wants = {config: read_expected(manifest, config) for config in manifest.configs}
    sha256 = hash_file(out / dataset_reader.MANIFEST)
    with closing(
        VerificationRecord(settings.record, hash_value([sha256, fingerprint_sources(CODE)]))
    ) as record:
        checked: list[RowChecks] = []
        todo: list[tuple[ListedShard, tuple[int, ...]]] = []
        for part, numbers in sample_rows(parts, settings.sample_share, settings.seed):
            if part.shard.config in missing:
                continue
            held = None if part.failures else record.find_checked(part.shard.path, numbers)
            if held is None:
                todo.append((part.shard, numbers))
            else:
                checked.append(held)
        jobs = [(out, shard, numbers, wants[shard.config], lookup) for shard, numbers in todo]

        def store_result(number: int, found: RowChecks) -> None:
            shard, numbers = todo[number]
            record.store_checked(shard.path, numbers, found)

        checked += _run_parallel(check_rows, jobs, "rows", "chunk", effort, store_result)
        failures += [failure for part in checked for failure in part.failures]
        claims = [pair for part in checked for pair in part.claims]
        proofs = prove_claims(claims, effort, provers, record)
    recomputed = None
    if settings.sample_share >= 1 and not failures:
        recomputed = check_numbers(
            out, manifest, parts, lookup, workers=settings.workers, progress=effort.progress
        )
        failures += recomputed.failures
    return VerifyResult(
        len(parts),
        sum(part.row_count for part in parts),
        sum(part.rows for part in checked),
        proofs,
        (*failures, *proofs.failures),
        sha256,
        (record.rows, record.claims),
        recomputed,
    )


def unknown_tasks(manifest: Manifest, lookup: Lookup) -> dict[str, IntegrityFailure]:
    """Return, by config, that its rows cannot be rechecked where its task cannot be had here.

    Raises:
        ValueError: a config's rows were made by a version of its task that is unknown here.
    """
    missing: dict[str, IntegrityFailure] = {}
    for name, config in manifest.configs.items():
        try:
            task = lookup(config.task)
        except TaskUnavailable as error:
            missing[name] = IntegrityFailure(name, f"cannot be rechecked: {error}")
            continue
        if not task.plays_version(config.task_version):
            raise ValueError(
                f"{name} was made by version {config.task_version} of {task.name}, here is "
                f"version {task.version}; verify it with Facelet {manifest.code_version}"
            )
    return missing


def sample_rows(
    parts: Iterable[ShardReading], share: float, seed: int
) -> Iterator[tuple[ShardReading, tuple[int, ...]]]:
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
        for name in part.row_ids:
            cells.setdefault(name.rpartition("/")[0], []).append(name)
    chosen: set[str] = set()
    for names in cells.values():
        names.sort(key=lambda name: digest_names("verify", seed, name))
        chosen.update(names[: math.ceil(share * len(names))])
    for part in parts:
        numbers = [number for number, name in enumerate(part.row_ids) if name in chosen]
        for start in range(0, len(numbers), CHUNK):
            yield part, tuple(numbers[start : start + CHUNK])


def _run_parallel(
    make: Callable[..., T],
    jobs: Sequence[tuple[object, ...]],
    name: str,
    unit: str,
    effort: ProofEffort,
    keep: Callable[[int, T], None] = lambda number, result: None,
) -> list[T]:
    """Run jobs on the workers and return their results in order.

    Args:
        make: does one job.
        jobs: the arguments of each.
        name: what the progress bar is called.
        unit: what it counts.
        effort: how many workers, and whether the bar is shown.
        keep: called with the number and the result of each, as soon as it is there.
    """
    runner = RunnerSettings(workers=effort.workers)
    done: dict[int, T] = {}
    with (
        tqdm(total=len(jobs), desc=f"{name:<8}", unit=unit, disable=not effort.progress) as bar,
        open_workers(runner),
    ):
        for number, result in run_jobs(runner, make, jobs):
            keep(number, result)
            done[number] = result
            bar.update()
    return [done[number] for number in range(len(jobs))]


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
