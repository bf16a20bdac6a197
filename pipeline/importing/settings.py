"""What is imported, and how much is proven of it: the settings of the work and of its verb."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.command.setting_keys import key

PUZZLES = "puzzles"
"""The form that is nobody's own; see `facelet.pipeline.importing.puzzle_items`."""


def list_formats() -> Sequence[str]:
    """Return the forms that are read: our own, and those of papers' authors."""
    from facelet.pipeline.importing.item_formats import list_author_formats

    return (PUZZLES, *list_author_formats())


PUZZLE_GROUP, AUTHOR_GROUP = "For puzzles", "For the items of a paper's authors"


@dataclass(frozen=True, kw_only=True)
class ImportSettings:
    """Whose items are read, and where the rows go."""

    format: str = key("The form of the items.", allowed="a form of the help", known=list_formats)
    out: Path = key("The dataset that is made.", allowed="a folder that is not there yet")
    seed: int = key("What our own options are drawn from.", 0, low=0)
    task: str = key(
        "The task whose rows are made.", "", allowed="family/task", shown="none", group=PUZZLE_GROUP
    )
    file: Path | None = key(
        "The puzzles, one JSON object a line.",
        None,
        allowed="a file",
        shown="none",
        group=PUZZLE_GROUP,
    )
    metric: Literal["htm", "qtm"] = key(
        "Half turns of a cube count one (htm) or two (qtm).", "htm", group=PUZZLE_GROUP
    )
    table: Literal["small", "default", "large"] = key(
        "Size of the table that depths are proven with; see `facelet certify`.",
        "default",
        group=PUZZLE_GROUP,
    )
    limit: int | None = key(
        "Nodes that the proof of one depth may take; a puzzle that takes more is kept apart.",
        None,
        low=1,
        shown="none",
        group=PUZZLE_GROUP,
    )
    cache: Path | None = key(
        "Where tables are kept.",
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
        "Transcripts of their runs, written anew as predictions of our rows.",
        None,
        allowed="a file of JSON Lines, or a folder of them",
        shown="none",
        group=AUTHOR_GROUP,
    )

    @property
    def source_path(self) -> Path:
        """The file or the folder that is read; `check_keys` says that there is one."""
        found = self.file if self.format == PUZZLES else self.dir
        assert found is not None
        return found

    def check_keys(self) -> None:
        """Refuse keys that the form does not heed, and miss none that it needs.

        Raises:
            ValueError: there is one.
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
