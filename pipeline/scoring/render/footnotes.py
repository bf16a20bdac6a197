"""Number the notes on the cells of a table, so that each appears once below it."""

from __future__ import annotations

from collections.abc import Sequence


class Footnotes(dict[str, int]):
    """The notes of a table with their numbers, in the order in which cells name them."""

    def mark(self, notes: Sequence[str]) -> str:
        """Return the numbers of some notes, such as "1,3"; new ones are added."""
        return ",".join(str(self.setdefault(text, len(self) + 1)) for text in notes)
