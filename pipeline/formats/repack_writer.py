"""Write all splits of a dataset in a streaming format; an interrupted run resumes.

A split is written to a temporary folder and renamed when it is complete, after a record of its
files' hashes; one that differs from its record is written again. `source.json` names the dataset
and the format, so that a folder never mixes two.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

from tqdm import tqdm

from facelet.pipeline.dataset.atomic_files import hash_folder, write_folder, write_text
from facelet.pipeline.dataset.dataset_reader import list_splits
from facelet.pipeline.dataset.manifest_file import read_manifest
from facelet.pipeline.dataset.row_hashes import open_record, seal_record
from facelet.pipeline.formats import RepackForm
from facelet.pipeline.formats.format_writer import claim_folder, to_readable_json

SOURCE = "source.json"
"""The file that names the dataset, the format and the bound."""

RECORDS = ".records"
"""The folder of the hashes of each split's files."""


def repack_dataset(
    dataset: Path, out: Path, form: RepackForm, bound: int, *, progress: bool = False
) -> int:
    """Write all splits of a dataset and return the number of their rows.

    Args:
        dataset: the dataset.
        out: a folder that is new, empty, or contains a part of the same.
        form: the format.
        bound: most bytes of a file; a single row may exceed it.
        progress: whether progress is shown.

    Raises:
        ValueError: there is no such dataset, the folder contains something else, or a package is
            missing.
        OSError: a file cannot be written.
    """
    found = list_splits(dataset)
    about = {
        "content_hash": read_manifest(dataset).content_hash,
        "form": form,
        "shard_bytes": bound,
    }
    write = import_module(f"facelet.pipeline.formats.{form}").write
    claim_folder(out, SOURCE, to_readable_json(about, sort_keys=True))
    rows = 0
    for split in tqdm(found, desc="splits", disable=not progress):
        whole = out / split.config / split.name
        record = out / RECORDS / split.config / f"{split.name}.json"
        if not _matches_record(whole, record):
            with write_folder(whole) as part:
                count = write(split, part, bound)
                if count != split.count_rows():
                    raise ValueError(
                        f"{split.config}/{split.name}: {count} of {split.count_rows()} rows"
                    )
                files = {"files": hash_folder(part)}
                write_text(record, to_readable_json(seal_record(files), sort_keys=True))
        rows += split.count_rows()
    return rows


def _matches_record(folder: Path, record: Path) -> bool:
    """Return whether a folder contains the files of its record, byte by byte."""
    try:
        files = open_record(json.loads(record.read_text(encoding="utf-8")))["files"]
    except (OSError, ValueError):
        return False
    return bool(files == hash_folder(folder))
