"""Show the progress of an audit as a bar on stderr."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Literal, NoReturn

from tqdm import tqdm

Part = Literal["rows", "figures", "floor"]
"""What is measured of a config, in this order: its rows are read and replayed, attacked by what
reads them, and played by those who do not look."""


class AuditBar:
    """A bar over the parts of an audit; without `shown` it says nothing."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._terminal = sys.stderr.isatty()
        self._bar: tqdm[NoReturn] = tqdm(
            total=total,
            desc="audit   ",
            unit="part",
            file=sys.stderr,
            disable=not shown,
            mininterval=0.2 if self._terminal else 10,
        )

    def __enter__(self) -> AuditBar:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the line of the bar."""
        self._bar.close()

    def add_total(self, parts: int) -> None:
        """Count so many parts more that are to be done."""
        self._bar.total = (self._bar.total or 0) + parts

    def mark_done(self, config: str, part: Part) -> None:
        """Count a part that is done."""
        # In a terminal at once: a floor can take minutes, and nothing else moves meanwhile.
        self._bar.set_postfix_str(f"{config}: {part}", refresh=self._terminal)
        self._bar.update()
