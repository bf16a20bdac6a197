"""Check that the rows in use are those of the content hash in the manifest.

    content  the shards that are read have the SHA-256 that the manifest says, and their rows the
             content hashes; pictures count by the hashes that rows name (default)
    rows     pictures are decoded as well: their pixels have the hashes that their rows name
    files    the SHA-256 alone: who changed rows may have changed the manifest's hashes of files
             beside them, so the content hash is what the manifest says, and no more
    no       nothing is checked, and whoever shows a figure must say so

What a content hash vouches for is whatever rows it was made of: a reader compares it with the
published one. `expect` does that for the manifest: whoever knows its SHA-256 from elsewhere knows
every byte of every file that it lists, pictures included, whichever depth but `no`.

The hashes of files cost a pass of SHA-256 over the shards (0.5 to 2 GB a second of one core), those
of rows 35 to 50 us a row, pictures 1 to 3 ms each. To score 4,793 rows of 19 configs took 1.7 s of
processor time with `files`, 1.9 s with `content`, and 12 s with `rows` (7,065 pictures).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.content_hash import hash_digests, hash_file
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import dataset_hash

Depth = Literal["content", "rows", "files", "no"]
"""How much is checked."""

DEPTHS: tuple[Depth, ...] = get_args(Depth)

_FIX_HINT = (
    "download or build the dataset again, or use verify=false, which writes unverified beside "
    "every figure"
)


FileStamp = tuple[int, int, int, int]
"""Size, times of change in nanoseconds, and inode of a file."""


@dataclass(frozen=True, slots=True)
class ContentChecker:
    """What a dataset folder's files are held against.

    Attributes:
        folder: the dataset folder.
        depth: how much is checked.
        manifest: its manifest; None where there is none and nothing is checked.
        manifest_sha256: hash of the manifest's bytes, or None.
        expected: whether that is the hash that the caller expected; False if he named none.
    """

    folder: Path
    depth: Depth
    manifest: Manifest | None
    manifest_sha256: str | None
    expected: bool = False
    _stamps: dict[Path, FileStamp] = field(default_factory=dict, repr=False, compare=False)

    def record_stamps(self, paths: Iterable[Path]) -> None:
        """Take note of files before anything is read of them; see `check_unchanged`."""
        self._stamps.update((path, _read_stamp(path)) for path in paths)

    def check_unchanged(self, paths: Iterable[Path]) -> None:
        """Refuse files that were written to since they were first looked at.

        Raises:
            ValueError: one was: what was read may not be what was checked.
        """
        if self.depth == "no":
            return
        for path in paths:
            if _read_stamp(path) != self._stamps.setdefault(path, _read_stamp(path)):
                name = path.relative_to(self.folder).as_posix()
                raise ValueError(
                    f"{name} is refused: it was written to while it was read; let nobody write to "
                    "the dataset, and run again"
                )

    def check_split(
        self,
        config: str,
        split: str,
        paths: Sequence[Path],
        each: file_integrity.JobRunner = file_integrity.run_in_process,
    ) -> None:
        """Check the files of a split.

        Args:
            config: name of the config.
            split: name of the split.
            paths: its shards that will be read, in order.
            each: who hashes their rows.

        Raises:
            ValueError: they are not the files that the manifest lists, byte by byte, or do not hold
                the rows or pictures that it says.
        """
        if self.depth == "no" or self.manifest is None:
            return
        entry = self.manifest.find_split(config, split)
        by_path = {
            shard.path: shard for shard in file_integrity.list_split_shards(config, split, entry)
        }
        names = [path.relative_to(self.folder).as_posix() for path in paths]
        if sorted(names) != sorted(by_path):
            raise ValueError(
                f"{config}/{split} is refused: the manifest lists {len(by_path)} shards of it, "
                f"and here are {', '.join(names[:3])}; {_FIX_HINT}"
            )
        self.check_unchanged(paths)
        digests = b""
        for name, path in zip(names, paths, strict=True):
            shard = by_path[name]
            if self.depth == "files":
                if (size := path.stat().st_size) != shard.bytes:
                    raise _refusal_error(name, f"{size:,} bytes", f"{shard.bytes:,}")
                if (sha256 := hash_file(path)) != shard.sha256:
                    raise _refusal_error(name, f"SHA-256 {sha256}", shard.sha256)
                continue
            found = file_integrity.read_shard(self.folder, shard, each)
            for failure in found.failures:
                raise ValueError(f"{failure.where} is refused: it {failure.what}; {_FIX_HINT}")
            digests += found.digests
            if self.depth == "rows":
                # Imported here: other depths load no Pillow.
                from facelet.pipeline.dataset.picture_check import check_shard_pictures

                for failure in check_shard_pictures(path):
                    raise ValueError(f"{failure.where} is refused: {failure.what}; {_FIX_HINT}")
        self.check_unchanged(paths)
        if self.depth != "files" and (content := hash_digests(digests)) != entry.content_hash:
            raise _refusal_error(f"{config}/{split}", f"content hash {content}", entry.content_hash)


def _read_stamp(path: Path) -> FileStamp:
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def check_expected_manifest(folder: Path, expect: str) -> None:
    """Refuse a dataset whose manifest is not the expected one.

    Args:
        folder: the dataset folder.
        expect: SHA-256 of its manifest.json; "" to expect nothing.

    Raises:
        ValueError: the manifest has another hash, or is not there.
    """
    path = folder / dataset_reader.MANIFEST
    if not expect:
        return
    found = hash_file(path) if path.is_file() else "none, for it is not there"
    if found != expect:
        raise ValueError(
            f"expect={expect}: {path} has SHA-256 {found}; this is another dataset, "
            "or it was changed: download it again"
        )


def open_checker(folder: Path, depth: Depth, expect: str = "") -> ContentChecker:
    """Return what the files of a dataset folder are held against.

    Args:
        folder: the dataset folder.
        depth: how much is checked.
        expect: SHA-256 that its manifest must have; "" for any.

    Raises:
        ValueError: the manifest is damaged, or not the expected one; or something is to be checked,
            and there is no manifest, or its content hash is not that of its splits.
    """
    check_expected_manifest(folder, expect)
    path = folder / dataset_reader.MANIFEST
    if not path.is_file():
        if depth == "no":
            return ContentChecker(folder, depth, None, None)
        raise ValueError(
            f"{str(folder)!r} has no {dataset_reader.MANIFEST}, so its rows cannot be "
            "checked; "
            f"{_FIX_HINT}"
        )
    before = hash_file(path)
    manifest = dataset_reader.read_manifest(folder)
    if hash_file(path) != before or (expect and before != expect):
        raise ValueError(f"{path} was written to while it was read; run again")
    if depth != "no":
        splits = {
            (config, split): inside.content_hash
            for config, split, inside in manifest.iterate_splits()
        }
        if (content := dataset_hash(splits)) != manifest.content_hash:
            raise _refusal_error(
                dataset_reader.MANIFEST, f"splits of content hash {content}", "another"
            )
    return ContentChecker(folder, depth, manifest, before, bool(expect))


def _refusal_error(name: str, found: str, said: str) -> ValueError:
    return ValueError(f"{name} is refused: it has {found}, the manifest lists {said}; {_FIX_HINT}")
