"""Join public rows and their keys.

Joins public rows and their keys (facelet publish answers=split), so that you can play episodes and
verify labels. Every key must open the commitment of its row, and the resulting rows must be those
that were sealed. To score only, pass keys=FOLDER to facelet score instead.

Example:
  facelet unseal data/hub/name keys=data/hub/name-keys out=data/hub/name-whole
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is brought together, and where."""

    dataset: Path = key(
        "What was published without answers.", allowed="a folder of public rows", place=True
    )
    keys: Path = key(
        "Its answers; each must open its row's commitment.", allowed="a folder of keys"
    )
    out: Path = key("Where the whole goes.", allowed="a folder that is empty or not there yet")


def run(settings: Settings) -> int:
    """Unseal a dataset.

    Raises:
        ValueError: the keys do not open the rows, or the folder is not empty.
    """
    from facelet.pipeline.dataset import content_check
    from facelet.pipeline.dataset.atomic_files import check_new_folder, write_folder

    out = settings.out
    check_new_folder(out)
    with write_folder(out) as work:
        content_check.unseal_dataset(settings.dataset, settings.keys, work)
    print(sanitize_text(f"{out} contains the complete dataset"))
    return 0
