"""Settings of `facelet import`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.command.setting_keys import key

PUZZLES = "puzzles"
"""Our own format; see `facelet.pipeline.importing.imported_items`."""


def list_formats() -> Sequence[str]:
    """Return the formats that can be read: our own, and those of papers' authors."""
    from facelet.pipeline.papers.paper_registry import load_papers

    return (PUZZLES, *(paper.items for paper in load_papers().values() if paper.items))


PUZZLE_GROUP, AUTHOR_GROUP = "For puzzles", "For the items of a paper's authors"


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """Which items are imported, and where the rows go."""

    format: str = key("Format of the items.", allowed="a format of the help", known=list_formats)
    out: Path = key("The dataset to write.", allowed="a folder that does not exist yet")
    seed: int = key("Root of the seeds of our own options.", 0, low=0)
    task: str = key(
        "The task of the rows.", "", allowed="family/task", shown="none", group=PUZZLE_GROUP
    )
    file: Path | None = key(
        "The puzzles, one JSON object a line.",
        None,
        allowed="a file",
        shown="none",
        group=PUZZLE_GROUP,
    )
    metric: Literal["htm", "qtm"] = key(
        "Metric of a cube's depth: a half turn counts one (htm) or two (qtm).",
        "htm",
        group=PUZZLE_GROUP,
    )
    table: Literal["small", "default", "large"] = key(
        "Size of the table that proves depths; see `facelet certify`.",
        "default",
        group=PUZZLE_GROUP,
    )
    limit: int | None = key(
        "Node limit of the proof of one depth; a puzzle beyond it is not proven.",
        None,
        low=1,
        shown="none",
        group=PUZZLE_GROUP,
    )
    cache: Path | None = key(
        "Folder of the tables.",
        None,
        allowed="a folder",
        shown="~/.cache/facelet",
        group=PUZZLE_GROUP,
    )
    dir: Path | None = key(
        "The folder of their item files.",
        None,
        allowed="a folder",
        shown="none",
        group=AUTHOR_GROUP,
    )
    answers: Path | None = key(
        "Transcripts of their runs, to convert to predictions of our rows.",
        None,
        allowed="a file of JSON Lines, or a folder of them",
        shown="none",
        group=AUTHOR_GROUP,
    )

    @property
    def source_path(self) -> Path:
        """The file or folder to read; `check_keys` ensures that there is one."""
        found = self.file if self.format == PUZZLES else self.dir
        assert found is not None
        return found

    def check_keys(self) -> None:
        """Check that the keys fit the format.

        Raises:
            ValueError: a key is missing, or the format has no use for it.
        """
        if self.format not in list_formats():
            raise unknown_word_error("format", self.format, list_formats())
        own, theirs = ("task", "file"), ("dir", "answers")
        if self.format == PUZZLES:
            missing = [name for name in own if not getattr(self, name)]
            strange = [name for name in theirs if getattr(self, name)]
        else:
            missing = [] if self.dir else ["dir"]
            usual = {"metric": "htm", "table": "default", "limit": None, "cache": None}
            strange = [name for name in own if getattr(self, name)]
            strange += [name for name, value in usual.items() if getattr(self, name) != value]
        if missing:
            raise ValueError(f"format={self.format} needs {' and '.join(f'{n}=' for n in missing)}")
        if strange:
            raise ValueError(f"{strange[0]}= is not for format={self.format}; leave it out")
