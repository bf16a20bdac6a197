"""Split a dataset folder into public rows and a folder of keys.

The public folder is a dataset like any other, to be published as such; the folder of keys goes to a
gated repository, or nowhere. Seed and plan stand with the keys, since whoever has them builds the
whole dataset again. `facelet.pipeline.dataset.content_check` has the cryptography and the way
back.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from facelet.pipeline import family_modules
from facelet.pipeline.build.emit_stage import parquet_options, shares_pictures
from facelet.pipeline.card import card_pictures, citations, dataset_card
from facelet.pipeline.card.dataset_card import build_metadata
from facelet.pipeline.dataset import content_check, dataset_reader
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.hub_features import with_features
from facelet.pipeline.dataset.manifest_file import Manifest, ShardEntry
from facelet.pipeline.dataset.row_columns import dataset_hash, is_training, row_hashes
from facelet.pipeline.dataset.row_hashes import hash_file, hash_sequence

HIDDEN_ROLES = ("secret", "unseen")
"""Roles of columns that no first prompt shows and that its answer depends on."""

_SECRET = 32
"""Bytes of a secret."""

_NOTICE = """## The answers are kept apart

Rows of evaluation splits hold what a model is shown, and no answer: `gold`, `provenance` and the
columns that a config adds are null, and `group` is a pseudonym that rows of one puzzle share.
`commitment` is the SHA-256 of a salt and the whole row, so the answers were fixed
when this was published and cannot be changed without notice. Whoever holds the keys scores with

```
facelet score dataset={place} predictions=predictions.jsonl keys=path/to/the/keys
```

which checks every key against its commitment. What this guards against is copying: answers cannot
be looked up. {limits} Episodes can be played by holders of the keys alone.

"""

_KEYS_CARD = """---
license: cc-by-4.0
viewer: false
---

# Keys of {name}

The answers of a dataset whose public rows hold none, content hash `{content}`. For scoring:

```
facelet score dataset=PUBLIC predictions=predictions.jsonl keys=THIS_FOLDER
```

Keep it out of training data, and do not pass it on. `manifest.json` is that of the whole dataset.
"""


@dataclass(frozen=True, slots=True)
class SplitDataset:
    """A dataset in two parts.

    Attributes:
        public: the folder of public rows.
        keys: the folder of keys.
    """

    public: Path
    keys: Path


def load_secret(path: Path) -> bytes:
    """Return the secret that a file holds; one is made where there is no file.

    Raises:
        ValueError: the file holds no secret.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(_SECRET) + "\n")
    try:
        secret = bytes.fromhex(path.read_text(encoding="ascii"))
    except ValueError:
        secret = b""
    if len(secret) != _SECRET:
        raise ValueError(
            f"{str(path)!r} contains no secret; name a file that seal made, or a new file"
        )
    return secret


def _describe_limits(manifest: Manifest) -> str:
    """Return in words for which configs a public row hides its answer, and for which it cannot."""
    hides: dict[bool, list[str]] = {True: [], False: []}
    for name, config in manifest.configs.items():
        columns = family_modules.load_task(config.task).columns
        hides[any(column.role in HIDDEN_ROLES for column in columns)].append(f"`{name}`")
    found = []
    if hides[False]:
        found.append(
            "They can still be worked out where the prompt and its pictures show the whole puzzle, "
            f"since a program that solves it finds what the label says: {', '.join(hides[False])}."
        )
    if hides[True]:
        found.append(
            "Nothing in these files determines what play uncovers and the first prompt hides: "
            f"{', '.join(hides[True])}."
        )
    return " ".join(found)


def split_answers(out: Path, manifest: Manifest, place: Path, secret: bytes) -> SplitDataset:
    """Split a dataset into two folders; equal input gives equal bytes.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        place: the folder that both go to, as `public` and `keys`; older ones are replaced.
        secret: what salts are derived from; the same one for all versions of a dataset, so that
            rows that stay the same look the same.
    """
    sealed = SplitDataset(place / "public", place / "keys")
    for folder in (sealed.public, sealed.keys):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    written: dict[str, ShardEntry] = {}
    hashes: dict[tuple[str, str], str] = {}
    for part in dataset_reader.list_splits(out):
        every: list[str] = []
        for path in part.paths:
            name = path.relative_to(out).as_posix()
            public, keys = content_check.seal_rows(
                dataset_reader.read_shard_table(path), secret, training=is_training(part.name)
            )
            public = public.cast(with_features(public.schema))
            options = parquet_options(public.schema, shared=shares_pictures(public))
            file = content_check.write_like(sealed.public / name, public, path, options)
            content_check.write_like(sealed.keys / name, keys, path)
            own = list(row_hashes(public))
            written[name] = file.to_entry(name, hash_sequence(own))
            every += own
        hashes[part.config, part.name] = hash_sequence(every)
    shown = replace(
        manifest.replace_shards(written).replace_hashes(hashes),
        content_hash=dataset_hash(hashes),
        plan_hash=hashlib.sha256(secret + manifest.plan_hash.encode()).hexdigest()[:32],
        seed=None,
        answers=content_check.ANSWERS_SPLIT,
    )
    _write_texts(out, sealed, manifest, shown)
    return sealed


def _write_texts(out: Path, sealed: SplitDataset, manifest: Manifest, shown: Manifest) -> None:
    """Write manifests and cards of both folders.

    Args:
        out: the dataset folder.
        sealed: the two folders.
        manifest: the manifest of the whole dataset.
        shown: that of its public part.
    """
    write_text(sealed.public / dataset_reader.MANIFEST, shown.to_text())
    body = (out / "README.md").read_text(encoding="utf-8").partition("\n---\n")[2]
    for was, now in (
        (manifest.content_hash, shown.content_hash),
        (hash_file(out / dataset_reader.MANIFEST), shown.sha256()),
    ):
        body = body.replace(was, now)
    notice = _NOTICE.format(place=citations.PLACE, limits=_describe_limits(manifest))
    body = body.replace("## Load\n", f"{notice}## Load\n", 1)
    yaml = build_metadata(sealed.public, shown).to_yaml()
    write_text(sealed.public / "README.md", f"---\n{yaml}\n---\n{body}")
    card_pictures.write_pictures(sealed.public)
    write_text(sealed.public / "CHANGELOG.md", dataset_card.render_changelog(shown))
    shutil.copyfile(out / dataset_reader.MANIFEST, sealed.keys / dataset_reader.MANIFEST)
    text = _KEYS_CARD.format(name=manifest.name, content=manifest.content_hash)
    write_text(sealed.keys / "README.md", text)
