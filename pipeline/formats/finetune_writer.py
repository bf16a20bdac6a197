"""Write a fine-tuning set as the files that trainers load.

Paths of pictures in train.jsonl are relative to the set, as LLaMA-Factory takes them. Trainers that
read lines of messages take them relative to wherever they run; for those a set with pictures is
written once more, as train.parquet that holds the pictures themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.row_columns import IMAGE
from facelet.pipeline.dataset.whole_folder import check_new_folder, write_folder
from facelet.pipeline.formats.chat_formats import (
    TaskTrack,
    find_track,
    format_sample,
    mix_tracks,
)
from facelet.pipeline.formats.finetune_settings import FinetuneSettings
from facelet.pipeline.formats.format_writer import open_json_lines, to_readable_json
from facelet.renderers.api import render_png


def write_finetune_set(settings: FinetuneSettings) -> int:
    """Write a set and return the number of its samples.

    Raises:
        ValueError: the folder is not empty, a task or a param will not do, or only some tasks
            have pictures.
    """
    check_new_folder(settings.out)
    if len(set(settings.task)) < len(settings.task):
        raise ValueError(f"task={','.join(settings.task)} names one twice; name each once")
    given = _parse_params(settings.params)
    tracks = [find_track(name, given) for name in settings.task]
    with write_folder(settings.out) as folder:
        return _write_samples(settings, tracks, folder)


def _write_samples(settings: FinetuneSettings, tracks: Sequence[TaskTrack], folder: Path) -> int:
    """Write the files of a set and return the number of its samples."""
    pictures = False
    group: list[dict[str, object]] = []
    table: pq.ParquetWriter | None = None
    with ExitStack() as stack, open_json_lines(folder / "train.jsonl") as lines:
        for sample in mix_tracks(
            tracks, settings.count, settings.highest, settings.target, settings.seed
        ):
            names = []
            for scene in sample.prompt.iterate_scenes():
                data, digest = render_png(scene)
                path = folder / "images" / f"{digest[:2]}" / f"{digest[:32]}.png"
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                names.append(path.relative_to(folder).as_posix())
            if lines.count and bool(names) != pictures:
                raise ValueError(
                    "some of these tasks have pictures and some have none; make a set of each"
                )
            pictures = bool(names)
            line = format_sample(sample, settings.form, names)
            lines.write(line)
            if names and settings.form == "messages":
                if table is None:
                    table = stack.enter_context(_open_table(folder / "train.parquet"))
                held = [
                    {"bytes": (folder / name).read_bytes(), "path": Path(name).name}
                    for name in names
                ]
                group.append({**line, "images": held})
                if len(group) == _GROUP:
                    _write_row_group(table, group)
        if table is not None:
            _write_row_group(table, group)
    if settings.form == "sharegpt":
        columns = {"messages": "conversations", "system": "system"}
        columns |= {"images": "images"} if pictures else {}
        about = {"file_name": "train.jsonl", "formatting": "sharegpt", "columns": columns}
        write_text(folder / "dataset_info.json", to_readable_json({"facelet": about}))
    return lines.count


_GROUP = 100
"""Samples of a row group."""
_TEXT = pa.list_(pa.struct({"type": pa.string(), "text": pa.string()}))
_SCHEMA = pa.schema(
    {
        "messages": pa.list_(pa.struct({"role": pa.string(), "content": _TEXT})),
        "images": pa.list_(IMAGE),
    }
)


def _open_table(path: Path) -> pq.ParquetWriter:
    """Return a writer of samples that hold their pictures."""
    from facelet.pipeline.dataset.hub_features import with_features  # loads datasets, in seconds

    return pq.ParquetWriter(path, with_features(_SCHEMA))


def _write_row_group(table: pq.ParquetWriter, group: list[dict[str, object]]) -> None:
    """Write the samples of a row group, and empty the list."""
    if group:
        table.write_table(pa.Table.from_pylist(group, schema=table.schema))
        group.clear()


def _parse_params(pairs: Sequence[str]) -> dict[str, object]:
    """Return params from "name:value" words, numbers and flags as such."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon:
            raise ValueError(f"params={pair} is not a pair; write name:value")
        flags = {"true": True, "false": False}
        found[name] = int(value) if value.isdecimal() else flags.get(value, value)
    return found
