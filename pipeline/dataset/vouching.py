"""Vouching: before rows are used under a content hash, their files are the ones it was made of.

    files   every shard that is read has the size and the SHA-256 that the manifest says (default)
    rows    its rows have the content hashes as well, so the content hash alone vouches for them
    no      nothing is checked, and whoever shows a figure must say so

The first costs a pass of SHA-256 over the shards, pictures included (0.5 to 2 GB a second of one
core); the second some 50 us a row more. With the first, the manifest's own hash is what a reader
compares with the published one: whoever can change a shard can change the manifest beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from facelet.pipeline.dataset import integrity, reading
from facelet.pipeline.dataset.hashing import hash_file, hash_sequence
from facelet.pipeline.dataset.rows import dataset_hash

Depth = Literal["files", "rows", "no"]
"""How much is checked."""

DEPTHS: tuple[Depth, ...] = get_args(Depth)

_INSTEAD = (
    "download or build the dataset again, or use verify=false, which writes unverified beside "
    "every figure"
)


@dataclass(frozen=True, slots=True)
class Voucher:
    """What a dataset folder's files are held against.

    Attributes:
        folder: the dataset folder.
        depth: how much is checked.
        manifest: its manifest; empty where there is none and nothing is checked.
        manifest_sha256: hash of the manifest's bytes, or None.
    """

    folder: Path
    depth: Depth
    manifest: Mapping[str, Any]
    manifest_sha256: str | None

    def check(self, config: str, split: str, paths: Sequence[Path]) -> None:
        """Check the files of a split.

        Args:
            config: name of the config.
            split: name of the split.
            paths: its shards that will be read, in order.

        Raises:
            ValueError: they are not the files that the manifest lists, byte by byte.
        """
        if self.depth == "no":
            return
        listed = [
            shard
            for shard in integrity.shards(self.manifest)
            if (shard.config, shard.split) == (config, split)
        ]
        names = [path.relative_to(self.folder).as_posix() for path in paths]
        if sorted(names) != sorted(shard.path for shard in listed):
            raise ValueError(
                f"{config}/{split} is refused: the manifest lists {len(listed)} shards of it, "
                f"and here are {', '.join(names[:3])}; {_INSTEAD}"
            )
        by_path = {shard.path: shard for shard in listed}
        hashes: list[str] = []
        for name, path in zip(names, paths, strict=True):
            shard = by_path[name]
            if (size := path.stat().st_size) != shard.bytes:
                raise _refused(name, f"{size:,} bytes", f"{shard.bytes:,}")
            if (sha256 := hash_file(path)) != shard.sha256:
                raise _refused(name, f"SHA-256 {sha256}", shard.sha256)
            if self.depth == "rows":
                found = integrity.read(self.folder, shard)
                for failure in found.failures:
                    raise ValueError(f"{failure.where} is refused: it {failure.what}; {_INSTEAD}")
                hashes += found.hashes
        said = self.manifest["configs"][config]["splits"][split]["content_hash"]
        if self.depth == "rows" and (content := hash_sequence(hashes)) != said:
            raise _refused(f"{config}/{split}", f"content hash {content}", said)


def voucher(folder: Path, depth: Depth) -> Voucher:
    """Return what the files of a dataset folder are held against.

    Raises:
        ValueError: the manifest is damaged; or something is to be checked, and there is no
            manifest, or its content hash is not that of its splits.
    """
    path = folder / reading.MANIFEST
    if not path.is_file():
        if depth == "no":
            return Voucher(folder, depth, {}, None)
        raise ValueError(
            f"{str(folder)!r} has no {reading.MANIFEST}, so nothing says what its rows should be; "
            f"{_INSTEAD}"
        )
    manifest = reading.manifest(folder)
    if depth != "no":
        splits = {
            (config, split): inside["content_hash"]
            for config, part in manifest["configs"].items()
            for split, inside in part["splits"].items()
        }
        if (content := dataset_hash(splits)) != manifest["content_hash"]:
            raise _refused(reading.MANIFEST, f"splits of content hash {content}", "another")
    return Voucher(folder, depth, manifest, hash_file(path))


def _refused(name: str, found: str, said: str) -> ValueError:
    return ValueError(f"{name} is refused: it has {found}, the manifest says {said}; {_INSTEAD}")
