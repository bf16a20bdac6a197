"""The commands that the documents print, as a reader would type them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = (ROOT / "README.md", *sorted((ROOT / "conf" / "docs").glob("*.md")))


@dataclass(frozen=True)
class Command:
    """A command of a document.

    Attributes:
        document: the file's name.
        text: what a reader types, comments and all.
    """

    document: str
    text: str

    @property
    def words(self) -> list[str]:
        """What the shell makes of it."""
        return shlex.split(self.text, comments=True)

    def __str__(self) -> str:
        """Return it as a test's name."""
        return f"{self.document}: {shlex.join(self.words)}"


def commands() -> list[Command]:
    """Return all commands in the order of reading: README first, then the guides."""
    found = []
    for path in DOCUMENTS:
        for block in re.findall(r"^```sh\n(.*?)^```$", path.read_text(), re.DOTALL | re.MULTILINE):
            lines = block.replace("\\\n", " ").splitlines()
            found += [
                Command(path.name, line) for line in lines if shlex.split(line, comments=True)
            ]
    return found
