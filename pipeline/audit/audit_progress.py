"""Show the progress of an audit as a bar on stderr."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Literal, NoReturn

from tqdm import tqdm

Part = Literal["rows", "figures", "floor"]
"""The parts of a config's audit, in this order: rows are read and replayed, attacked by row-reading
players, and played by baseline players."""


class AuditBar:
    """A bar over the parts of an audit; without `shown` it is silent."""

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
        """Add parts to the total."""
        self._bar.total = (self._bar.total or 0) + parts

    def mark_done(self, config: str, part: Part) -> None:
        """Count a finished part."""
        # In a terminal at once: a floor can take minutes without any other output.
        self._bar.set_postfix_str(f"{config}: {part}", refresh=self._terminal)
        self._bar.update()
