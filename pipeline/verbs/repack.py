"""Write a dataset's rows as WebDataset, MDS or Lance, for trainers that stream.

Writes all splits row for row in another form, each into out/CONFIG/SPLIT: tars for WebDataset
(<id>.json with all columns, <id>.0.png and so on), shards with an index for MosaicML's Streaming,
or a Lance table (needs the extra lance). Parquet stays the form that is scored, verified and
published. The ids are the same, so you can score predictions against it. The same dataset gives the
same tars and shards byte for byte. Repeat the command to resume after an interruption.

Examples:
  facelet repack dataset=data/out/facelet-paper form=webdataset out=tars
  facelet repack dataset=data/out/facelet-paper form=mds out=shards shard_megabytes=64

Exit status: 0 written, 2 a bad word, no such dataset, or a folder that contains something else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.formats import RepackForm


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is written, and how."""

    dataset: Path = key(
        "The dataset.", allowed="a folder that holds a built or downloaded dataset", place=True
    )
    out: Path = key("Where it goes.", allowed="a folder that is new, empty, or a part of the same")
    form: RepackForm = key("Who reads it.", "webdataset")
    shard_megabytes: int = key(
        "Size of a file, in millions of bytes; one row may go beyond.", 256, low=1, high=2000
    )
    progress: bool | None = key(
        "Whether progress is shown.", None, allowed="true, false", shown="true in a terminal"
    )


def run(settings: Settings) -> int:
    """Write the files and return the exit status.

    Raises:
        ValueError: there is no such dataset, the folder holds something else, or a package lacks.
    """
    from facelet.pipeline.argument_text import can_show_progress
    from facelet.pipeline.dataset.atomic_files import wait_for_lock
    from facelet.pipeline.formats.repack_writer import repack_dataset

    shown = can_show_progress(settings.progress)
    bound = 1_000_000 * settings.shard_megabytes
    out = settings.out
    with wait_for_lock(
        out.with_name(f".{out.name}.lock"), f"waiting for the run that writes {out}"
    ):
        rows = repack_dataset(settings.dataset, out, settings.form, bound, progress=shown)
    print(sanitize_text(f"{rows:,} rows; written: {out}"))
    return 0
