"""Write all splits of a dataset in a streaming format; an interrupted run resumes.

A split is written to a temporary folder and renamed when it is complete. `source.json` names the
dataset and the format, so that a folder never mixes two.
"""

from __future__ import annotations

import shutil
from importlib import import_module
from pathlib import Path

from tqdm import tqdm

from facelet.pipeline.dataset.atomic_files import create_folder, publish_file, sync_path
from facelet.pipeline.dataset.dataset_reader import list_splits
from facelet.pipeline.dataset.manifest_file import read_manifest
from facelet.pipeline.formats import RepackForm
from facelet.pipeline.formats.format_writer import claim_folder, to_readable_json

SOURCE = "source.json"
"""The file that names the dataset, the format and the bound."""


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
        if not whole.exists():
            part = whole.with_name(f".{split.name}.part")
            shutil.rmtree(part, ignore_errors=True)
            create_folder(part)
            count = write(split, part, bound)
            if count != split.count_rows():
                raise ValueError(
                    f"{split.config}/{split.name}: {count} of {split.count_rows()} rows"
                )
            for path in sorted(part.rglob("*")):
                sync_path(path)
            publish_file(part, whole)
        rows += split.count_rows()
    return rows
