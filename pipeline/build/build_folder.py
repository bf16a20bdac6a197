"""The folder of a build: which shards are finished, and what else is kept beside them.

A folder of this machine is held by a lock (facelet.pipeline.build.ownership). A store has none:
there the run that began last leads, and one that led before stops at its next shard. Both would
write the same bytes, so nothing is lost by it, and a run that was killed is in nobody's way.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from secrets import token_hex
from typing import Any

from facelet.pipeline.build.shards import WORK, Job, Record, input_hash
from facelet.pipeline.dataset import reading
from facelet.pipeline.dataset.addresses import Address, UnreachableError, remove_folder
from facelet.pipeline.dataset.files import publish, write_text
from facelet.pipeline.dataset.hashing import canonical_json, hash_file

LEADER = "leader"
"""What is kept of the run that leads, in a store."""


class Folder:
    """The shards of one dataset folder, as the process that holds its lock sees them."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.work = out / WORK
        self.temporary = self.work / "tmp" / token_hex(8)

    def begin(self) -> None:
        """Sweep away what killed runs left, and make the folder for this run's temporary files."""
        remove_folder(self.work / "tmp")
        for path in () if isinstance(self.out, Address) else self.work.rglob(".*.tmp"):
            path.unlink()
        self.temporary.mkdir(parents=True)

    def end(self) -> None:
        """Remove the folder for temporary files."""
        remove_folder(self.work / "tmp")

    def lead(self) -> None:
        """Say that this run leads, where no lock can be held."""
        if isinstance(self.out, Address):
            self.keep(LEADER, {"run": self.temporary.name})

    def still_leads(self) -> None:
        """Make sure that this run leads, before it changes what is published.

        Raises:
            ValueError: another run began since.
        """
        if not isinstance(self.out, Address):
            return
        said = self.kept(LEADER)
        if said is None or said.get("run") != self.temporary.name:
            raise ValueError(
                f"another build began in {self.out}, and this one stops; let one build at a time "
                "write there, and run the same command again"
            )

    def remove_strays(self, keep: Iterable[str]) -> None:
        """Remove published shards but those of some paths, and folders left empty."""
        self.still_leads()
        kept = {self.out / path for path in keep}
        for path in reading.shard_paths(self.out):
            if path not in kept:
                path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()

    def keep(self, name: str, content: dict[str, object]) -> None:
        """Keep something beside the shards, as JSON: on one line, as of many levels it is long."""
        write_text(self.work / f"{name}.json", json.dumps(content) + "\n")

    def kept(self, name: str) -> dict[str, Any] | None:
        """Return what was kept under a name; None if there is nothing, or it is damaged."""
        try:
            content = json.loads((self.work / f"{name}.json").read_text(encoding="utf-8"))
        except UnreachableError:
            raise
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def record_path(self, stage: str, key: str) -> Path:
        """Return where the record of a shard stands."""
        return self.work / "records" / stage / f"{key}.json"

    def record(self, stage: str, key: str) -> Record:
        """Return the record of a shard as it was written.

        Raises:
            OSError, ValueError, TypeError, KeyError: there is none, or it is damaged.
        """
        return self._record(stage, key)[0]

    def _record(self, stage: str, key: str) -> tuple[Record, str]:
        """Return the record of a shard, and what the store said of its file then."""
        content = json.loads(self.record_path(stage, key).read_text(encoding="utf-8"))
        stamp = str(content.pop("stamp", ""))
        return Record(**{**content, "row_hashes": tuple(content["row_hashes"])}), stamp

    def completed(self, stage: str, job: Job) -> Record | None:
        """Return the record of a shard that needs no work, or None."""
        try:
            record, stamp = self._record(stage, job.key)
        except UnreachableError:
            raise
        except (OSError, ValueError, TypeError, KeyError):
            return None
        path = self.out / job.path
        if record.path != job.path or record.inputs != input_hash(job):
            return None
        if isinstance(path, Address) and stamp and path.stamp() == stamp:
            return record
        whole = (
            path.is_file()
            and path.stat().st_size == record.bytes
            and hash_file(path) == record.sha256
        )
        return record if whole else None

    def complete(self, stage: str, key: str, temporary: Path, record: Record) -> None:
        """Give a finished shard its final name, then write its record.

        Args:
            stage: name of the stage.
            key: the shard's job key.
            temporary: where its file stands.
            record: its record.
        """
        self.still_leads()
        path = self.out / record.path
        publish(temporary, path)
        content = dataclasses.asdict(record)
        del content["slim_hash"]
        if isinstance(path, Address):
            content["stamp"] = path.stamp()
        write_text(self.record_path(stage, key), canonical_json(content) + "\n")

    def forget(self, stage: str, keys: Iterable[str]) -> None:
        """Remove the records of a stage's shards, all but those of the given keys."""
        root = self.work / "records" / stage
        keep = {self.record_path(stage, key) for key in keys}
        for path in sorted(root.rglob("*.json")):
            if path not in keep:
                path.unlink()
