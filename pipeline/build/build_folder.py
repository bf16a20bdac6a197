"""Store the completion records and the state of one build in its dataset folder.

A folder of this machine is held by a lock (facelet.pipeline.build.folder_ownership). A store has
none: there the run that began last leads, and one that led before stops at its next shard. Both
would write the same bytes, so nothing is lost by it, and a run that was killed is in nobody's way.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

from facelet.pipeline.build.shard_store import WORK, CompletionRecord, ShardJob, hash_inputs
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import publish_file, remove_file, write_text
from facelet.pipeline.dataset.content_hash import (
    canonical_json,
    hash_file,
    open_record,
    seal_record,
)
from facelet.pipeline.dataset.store_address import StoreAddress, UnreachableError, remove_folder

LEADER = "leader"
"""What is kept of the run that leads, in a store."""


class BuildFolder:
    """The shards of one dataset folder, for the process that has locked it."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.work = out / WORK
        self.temporary = self.work / "tmp" / token_hex(8)

    @contextmanager
    def open_run(self, mark: Mapping[str, object], outdated: Collection[str]) -> Iterator[None]:
        """Write the mark of a plan, and keep a folder for temporary files during the block.

        Args:
            mark: marks the folder as the plan's.
            outdated: files of another plan that are removed first, with its shards.
        """
        self.mark_leader()
        for name in outdated:
            remove_file(self.out / name)
        if outdated:
            self.remove_strays([])
        self.save_json("plan", mark)
        # What killed runs left.
        remove_folder(self.work / "tmp")
        for path in () if isinstance(self.out, StoreAddress) else self.out.rglob(".*.tmp"):
            path.unlink()
        self.temporary.mkdir(parents=True)
        yield
        remove_folder(self.work / "tmp")

    def mark_leader(self) -> None:
        """Say that this run leads, where no lock can be held."""
        if isinstance(self.out, StoreAddress):
            self.save_json(LEADER, {"run": self.temporary.name})

    def check_leader(self) -> None:
        """Make sure that this run leads, before it changes what is published.

        Raises:
            ValueError: another run began since.
        """
        if not isinstance(self.out, StoreAddress):
            return
        said = self.load_json(LEADER)
        if said is None or said.get("run") != self.temporary.name:
            raise ValueError(
                f"another build began in {self.out}, and this one stops; let one build at a time "
                "write there, and run the same command again"
            )

    def remove_strays(self, keep: Iterable[str]) -> None:
        """Remove published shards but those of some paths, and folders left empty."""
        self.check_leader()
        kept = {self.out / path for path in keep}
        for path in dataset_reader.shard_paths(self.out):
            if path not in kept:
                path.unlink()
                if not any(path.parent.iterdir()):
                    path.parent.rmdir()

    def save_json(self, name: str, content: Mapping[str, object]) -> None:
        """Keep something beside the shards, as JSON: on one line, as of many levels it is long."""
        write_text(self.work / f"{name}.json", json.dumps(content) + "\n")

    def load_json(self, name: str) -> dict[str, Any] | None:
        """Return what was kept under a name; None if there is nothing, or it is damaged."""
        try:
            content = json.loads((self.work / f"{name}.json").read_text(encoding="utf-8"))
        except UnreachableError:
            raise
        except (OSError, ValueError):
            return None
        return content if isinstance(content, dict) else None

    def record_path(self, stage: str, key: str) -> Path:
        """Return the path of the record of a shard."""
        return self.work / "records" / stage / f"{key}.json"

    def load_record(self, stage: str, key: str) -> CompletionRecord:
        """Return the record of a shard as it was written.

        Raises:
            OSError, ValueError, TypeError, KeyError: there is none, or it is damaged.
        """
        return self._load_stamped_record(stage, key)[0]

    def _load_stamped_record(self, stage: str, key: str) -> tuple[CompletionRecord, str]:
        """Return the record of a shard, and what the store said of its file then."""
        content = open_record(json.loads(self.record_path(stage, key).read_text(encoding="utf-8")))
        stamp = str(content.pop("stamp", ""))
        return CompletionRecord(**{**content, "row_hashes": tuple(content["row_hashes"])}), stamp

    def find_completed(self, stage: str, job: ShardJob) -> CompletionRecord | None:
        """Return the record of a shard that needs no work, or None."""
        try:
            record, stamp = self._load_stamped_record(stage, job.key)
        except UnreachableError:
            raise
        except (OSError, ValueError, TypeError, KeyError):
            return None
        path = self.out / job.path
        if record.path != job.path or record.inputs != hash_inputs(job):
            return None
        if isinstance(path, StoreAddress) and stamp and path.object_stamp() == stamp:
            return record
        whole = (
            path.is_file()
            and path.stat().st_size == record.bytes
            and hash_file(path) == record.sha256
        )
        return record if whole else None

    def complete_shard(
        self, stage: str, key: str, temporary: Path, record: CompletionRecord
    ) -> None:
        """Give a finished shard its final name, then write its record.

        Args:
            stage: name of the stage.
            key: the shard's job key.
            temporary: where its file stands.
            record: its record.
        """
        self.check_leader()
        path = self.out / record.path
        publish_file(temporary, path)
        content = dataclasses.asdict(record)
        del content["slim_hash"]
        if isinstance(path, StoreAddress):
            content["stamp"] = path.object_stamp()
        write_text(self.record_path(stage, key), canonical_json(seal_record(content)) + "\n")

    def remove_old_records(self, stage: str, keys: Iterable[str]) -> None:
        """Remove the records of a stage's shards, all but those of the given keys."""
        root = self.work / "records" / stage
        keep = {self.record_path(stage, key) for key in keys}
        for path in sorted(root.rglob("*.json")):
            if path not in keep:
                path.unlink()
