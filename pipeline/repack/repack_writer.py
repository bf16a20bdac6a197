"""Writing: all splits of a dataset in another form, resumed split by split.

A split is written beside its place and takes its name when it is whole, so a run that was stopped
goes on with the split that it was at. `source.json` says which dataset it was, so that no two are
ever mixed.
"""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from pathlib import Path

from tqdm import tqdm

from facelet.pipeline.dataset.atomic_files import create_folder, publish_file, sync_path, write_text
from facelet.pipeline.dataset.dataset_reader import list_splits
from facelet.pipeline.dataset.manifest_file import read_manifest
from facelet.pipeline.repack.forms import Form

SOURCE = "source.json"
"""The file that names the dataset, the form and the bound."""


def repack_dataset(
    dataset: Path, out: Path, form: Form, bound: int, *, progress: bool = False
) -> int:
    """Write all splits of a dataset and return the number of their rows.

    Args:
        dataset: the dataset.
        out: a folder that is new, empty, or holds a part of the same.
        form: the form.
        bound: bytes of a file that no second row goes beyond.
        progress: whether progress is shown.

    Raises:
        ValueError: there is no such dataset, the folder holds something else, or a package lacks.
        OSError: a file cannot be written.
    """
    found = list_splits(dataset)
    about = {
        "content_hash": read_manifest(dataset).content_hash,
        "form": form,
        "shard_bytes": bound,
    }
    write = import_module(f"facelet.pipeline.repack.forms.{form}").write
    _claim_folder(out, about)
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


def _claim_folder(out: Path, about: dict[str, object]) -> None:
    """Take a folder for what is written now.

    Raises:
        ValueError: it holds something else.
    """
    told = json.dumps(about, indent=1, sort_keys=True) + "\n"
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        create_folder(out)
        write_text(out / SOURCE, told)
        return
    path = out / SOURCE
    if not path.is_file() or path.read_text() != told:
        raise ValueError(
            f"out={out} holds something else than this dataset in this form; name a new folder"
        )
