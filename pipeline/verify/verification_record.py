"""Record what a verification proved, so that an interrupted run resumes.

A file of JSON Lines that is only appended to. Each line bears a mark, the hash of the manifest and
of this program's code: lines of another dataset or another version count for nothing. Only what is
good is written; what failed is looked at again. Whoever trusts a record trusts its file, so there
is none unless a run names one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from facelet.generators.core.task import Claim
from facelet.pipeline.dataset.atomic_files import append_line, create_folder
from facelet.pipeline.dataset.content_hash import hash_value, open_record, seal_record
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofVerdict
from facelet.pipeline.verify.row_check import RowChecks

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
