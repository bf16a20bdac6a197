"""Collect and check the files of a version before they are uploaded.

A version is what the manifest lists, the manifest, the card and the changelog; whatever else lies
in the folder stays here. So does what lies outside: a symbolic link is refused, since its target
would be read and sent under the link's name. Texts that name the place and the version are written
anew for the Hub (`facelet.pipeline.publish.hub_repository`); all other files go as they are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from facelet.pipeline.card import dataset_card
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_hashes import hash_file

_CHUNK = 1 << 20
_MAX_FAULTS = 50
"""So many faults are named."""


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A file of a version.

    Attributes:
        path: its path in the repository.
        source: where its bytes are: a file, or the bytes themselves.
        bytes: how many.
        sha256: their SHA-256.
        blob: the hash that git gives a file with these bytes.
    """

    path: str
    source: Path | bytes
    bytes: int
    sha256: str
    blob: str


def file_from_bytes(path: str, content: bytes) -> ReleaseFile:
    """Return the file of a version that holds some bytes."""
    blob = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    blob.update(content)
    sha256 = hashlib.sha256(content).hexdigest()
    return ReleaseFile(path, content, len(content), sha256, blob.hexdigest())


def file_from_path(path: str, source: Path) -> ReleaseFile:
    """Return the file of a version that is a file of this machine.

    Raises:
        OSError: it cannot be read.
    """
    size = source.stat().st_size
    sha256 = hashlib.sha256()
    blob = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    with source.open("rb") as file:
        while chunk := file.read(_CHUNK):
            sha256.update(chunk)
            blob.update(chunk)
    return ReleaseFile(path, source, size, sha256.hexdigest(), blob.hexdigest())


def check_folder(out: Path) -> Manifest:
    """Return the manifest of a dataset folder that may be published.

    Raises:
        ValueError: files, manifest, audit, card or changelog do not fit together; the message says
            what is wrong, the first of it if it is much.
    """
    _raise_faults(
        [*_find_symlinks(out, (dataset_reader.MANIFEST, *dataset_card.FILES))], out
    )  # before any of it is read
    manifest = dataset_reader.read_manifest(out)
    listed = file_integrity.list_shards(manifest)
    _raise_faults([*_find_symlinks(out, (shard.path for shard in listed))], out)
    parts = [file_integrity.read_shard(out, shard) for shard in listed]
    failures = [failure for part in parts for failure in part.failures]
    failures = failures or list(file_integrity.check_dataset(out, manifest, parts))
    wrong = [f"{failure.where} {failure.what}" for failure in failures]
    wrong += [*_find_audit_faults(manifest), *_find_stale_texts(out, manifest)]
    _raise_faults(wrong, out)
    return manifest


def _raise_faults(wrong: Sequence[str], out: Path) -> None:
    """Raise ValueError if something is wrong with a dataset folder, in lines of what."""
    if wrong:
        shown = list(wrong[:_MAX_FAULTS])
        shown += [f"and {len(wrong) - _MAX_FAULTS:,} more"] if len(wrong) > _MAX_FAULTS else []
        lines = "\n".join(f"  {line}" for line in shown)
        raise ValueError(f"{str(out)!r} is not fit to be published:\n{lines}")


def _find_symlinks(out: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield which files of a dataset folder are reached by a symbolic link inside it.

    The folder itself may be one: whoever names it means its target.

    Args:
        out: the dataset folder.
        names: paths inside it.
    """
    for name in names:
        for part in (PurePosixPath(name), *PurePosixPath(name).parents[:-1]):
            if (out / part).is_symlink():
                where = name if str(part) == name else f"{name}: {part}"
                yield f"{where} is a symbolic link; publish a copy without links (cp -rL)"
                break


def _find_audit_faults(manifest: Manifest) -> Iterator[str]:
    """Yield what the manifest's record of the audit lacks, or what the audit found."""
    if manifest.audit_violations is None:
        yield "manifest.json has no audit; build the dataset again"
        return
    yield from (f"the audit found: {line}" for line in manifest.audit_violations)
    yield from (
        f"{name} was not audited; build the dataset again"
        for name, config in manifest.configs.items()
        if not config.audit
    )


def _find_stale_texts(out: Path, manifest: Manifest) -> Iterator[str]:
    """Yield where the card or the changelog are those of another manifest."""
    said = {
        "content hash": manifest.content_hash,
        "SHA-256 of manifest.json": hash_file(out / dataset_reader.MANIFEST),
    }
    for name in dataset_card.FILES:
        if not (out / name).is_file():
            yield f"{name} is missing; build the dataset again"
            continue
        text = (out / name).read_text(encoding="utf-8")
        yield from (
            f"{name} does not name the {what}, {value}; it is another build's"
            for what, value in said.items()
            if value not in text
        )


def list_excluded(out: Path, files: Mapping[str, ReleaseFile]) -> list[str]:
    """Return what lies in a dataset folder and is no part of the version, folders with a slash."""
    found: set[str] = set()
    for path in sorted(out.rglob("*")):
        name = path.relative_to(out).as_posix()
        if path.is_file() and name not in files:
            hidden = next((part for part in Path(name).parts[:-1] if part.startswith(".")), None)
            found.add(f"{name.partition(hidden)[0]}{hidden}/" if hidden else name)
    return sorted(found)
