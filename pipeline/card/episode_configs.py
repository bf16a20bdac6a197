"""List the configs whose plays may take more than one reply."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow.parquet as pq

from facelet.generators.core.prompts import Prompt
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.row_columns import catch_decode_errors
from facelet.pipeline.dataset.store_address import arrow_source
from facelet.pipeline.family_modules import AnyTask, Lookup


def list_episode_configs(parts: Sequence[dataset_reader.SplitFiles], tasks: Lookup) -> list[str]:
    """Return the names of the configs whose plays may take more than one reply.

    Judged by the last row of each split, the deepest: its reference has several replies, or a
    reply that says nothing does not end it.

    Args:
        parts: splits of a dataset.
        tasks: finds the task of a config by the config's name.

    Raises:
        ValueError: a row is none of its task's.
    """
    found = {
        part.config: None
        for part in parts
        for row in _read_last_row(part)
        if _has_several_turns(tasks(part.config), row)
    }
    return list(found)


def _read_last_row(part: dataset_reader.SplitFiles) -> list[dict[str, object]]:
    """Return the last row of a split without its pictures, if it has one."""
    file = pq.ParquetFile(arrow_source(part.paths[-1]))
    if not file.metadata.num_rows:
        return []
    columns = [name for name in file.schema_arrow.names if name != "images"]
    table = file.read_row_group(file.num_row_groups - 1, columns=columns)
    dataset_reader.check_common_columns(table, str(part.paths[-1]))
    rows: list[dict[str, object]] = table.slice(len(table) - 1).to_pylist()
    return rows


def _has_several_turns(task: AnyTask, row: dict[str, object]) -> bool:
    with catch_decode_errors(str(row.get("id")), "be played"):
        instance = task.decode(row)
        silent = task.open(instance).reply("")
        return isinstance(silent, Prompt) or len(task.reference(instance)) > 1
