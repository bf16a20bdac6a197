"""Collect and write one picture of each config for the dataset card.

The pictures are bytes of the rows. They are no part of a dataset's content: the manifest does not
list them, and publishing collects them from the rows again.
"""

from __future__ import annotations

from pathlib import Path

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.atomic_files import remove_file, write_atomically

FOLDER = "pictures"


def collect_pictures(out: Path) -> dict[str, bytes]:
    """Return the first picture of each config whose rows have any, PNG, by path in the folder."""
    by_path: dict[str, bytes] = {}
    for part in dataset_reader.list_splits(out):
        name = picture_path(part.config)
        if name not in by_path and (first := _read_first_picture(part)) is not None:
            by_path[name] = first
    return by_path


def picture_path(config: str) -> str:
    """Return the path of a config's picture in the folder of a dataset."""
    return f"{FOLDER}/{config}.png"


def _read_first_picture(part: dataset_reader.SplitFiles) -> bytes | None:
    """Return the first picture of a split; rows of one puzzle may show it in words first."""
    for batch in part.iterate_batches([dataset_reader.IMAGES], size=64):
        for shown in batch.column(0).to_pylist():
            if shown:
                data: bytes = shown[0]["bytes"]
                return data
    return None


def write_pictures(out: Path) -> None:
    """Write the pictures of a dataset beside its card, and remove outdated ones."""
    pictures = collect_pictures(out)
    for name, content in pictures.items():
        with write_atomically(out / name) as file:
            file.write(content)
    for path in sorted((out / FOLDER).glob("*.png")):
        if f"{FOLDER}/{path.name}" not in pictures:
            remove_file(path)
    if (out / FOLDER).is_dir() and not any((out / FOLDER).iterdir()):
        (out / FOLDER).rmdir()


def is_picture(path: str) -> bool:
    """Return whether a path in the repository is that of such a picture."""
    return path.startswith(f"{FOLDER}/") and path.endswith(".png")
