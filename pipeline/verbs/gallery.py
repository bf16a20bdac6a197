"""Make pages that show items of a dataset as a model sees them.

Writes a folder that opens from disk, without a server or a network. For every config it shows some
items of each level with pictures and options, and the right answer folded away. Every item has its
own address.

Examples:
  facelet gallery data/out/facelet-paper
  facelet gallery data/out/facelet-paper out=gallery items=5

Exit status: 0 written, 2 a bad option, no such dataset.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is shown, and where."""

    dataset: Path = key(
        "The dataset.", allowed="a folder that holds a built or downloaded dataset", place=True
    )
    out: Path | None = key(
        "Where the pages go; a site that is there is replaced.",
        None,
        allowed="a folder; made if missing",
        shown="<dataset>.gallery",
    )
    items: int = key("Items of each level.", 2, low=1, high=1000)
    progress: bool | None = key(
        "Whether progress is shown.", None, allowed="true, false", shown="true in a terminal"
    )


def run(settings: Settings) -> int:
    """Write the site and return the exit status.

    Raises:
        ValueError: there is no such dataset, or the folder holds something else.
    """
    from facelet.pipeline.argument_text import can_show_progress
    from facelet.pipeline.dataset.store_address import folder_beside
    from facelet.pipeline.report.gallery import write_gallery

    out = settings.out or folder_beside(settings.dataset, "gallery")
    shown = can_show_progress(settings.progress)
    count = write_gallery(settings.dataset, out, items=settings.items, progress=shown)
    print(sanitize_text(f"{count:,} items; written: {out}/index.html"))
    return 0
