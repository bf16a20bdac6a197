"""Show what a dataset holds.

Configs, splits, rows, items, bytes a row, what guessing scores (chance) and what the best player
scored that never looks at the puzzle (floor), content hashes, and where a depth has fewer states
than asked for. Of games it also says by what right they are won, and in how many turns; that stands
in the rows, not in the manifest.

Examples:
  facelet info data/out/facelet-smoke
  facelet info data/out/facelet-paper/manifest.json cells=true
  facelet info s3://bucket/facelet-paper
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.keys import key
from facelet.pipeline.words import plain


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
    from facelet.pipeline.dataset import reading
    from facelet.pipeline.info import report, summed

    path = settings.dataset
    out = path.parent if path.name == reading.MANIFEST else path
    manifest = reading.manifest(out)
    lines = [report(manifest, cells=settings.cells)]
    if told := summed(out, manifest):
        lines += ["", "What the rows say of themselves (numbers: mean, fewest to most):", *told]
    print(plain("\n".join(lines)))
    return 0
