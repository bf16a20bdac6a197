"""Show what a dataset contains.

Shows configs, splits, rows, items, bytes a row, what guessing scores (chance), what the best player
scored that never looks at the puzzle (floor), content hashes, and depths that have fewer states
than requested. For games it also shows how they are won, and in how many turns; this comes from the
rows, not from the manifest.

Examples:
  facelet info data/out/facelet-smoke
  facelet info data/out/facelet-paper/manifest.json cells=true
  facelet info s3://bucket/facelet-paper
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is shown."""

    dataset: Path = key(
        "What to show.",
        allowed="a dataset folder, or its manifest.json, such as data/out/facelet-smoke",
        place=True,
        anywhere=True,
    )
    cells: bool = key("Show each difficulty of each config as well.", False)


def run(settings: Settings) -> int:
    """Show a dataset.

    Raises:
        ValueError: there is no such dataset.
    """
    from facelet.pipeline.dataset import dataset_reader
    from facelet.pipeline.dataset_info import format_info, summarize_columns

    path = settings.dataset
    out = path.parent if path.name == dataset_reader.MANIFEST else path
    manifest = dataset_reader.read_manifest(out)
    lines = [format_info(manifest, cells=settings.cells)]
    if told := summarize_columns(out, manifest):
        lines += ["", "Columns of the rows (numbers: mean, minimum to maximum):", *told]
    print(sanitize_text("\n".join(lines)))
    return 0
