"""Progress: which config an audit measures, and which part of it, as a bar on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Literal, NoReturn

from tqdm import tqdm

Part = Literal["rows", "figures", "floor"]
"""What is measured of a config, in this order: its rows are read and replayed, attacked by what
reads them, and played by those who do not look."""

Say = Callable[[str, Part], None]
"""Is told the config and the part that begins."""


def silent(config: str, part: Part) -> None:
    """Say nothing."""


class Bar:
    """A bar over the configs of an audit; without `shown` it says nothing."""

    def __init__(self, total: int, *, shown: bool) -> None:
        self._terminal = sys.stderr.isatty()
        self._bar: tqdm[NoReturn] = tqdm(
            total=total,
            desc="audit   ",
            unit="config",
            file=sys.stderr,
            disable=not shown,
            mininterval=0.2 if self._terminal else 10,
        )

    def __enter__(self) -> Bar:
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

    def part(self, config: str, part: Part) -> None:
        """Say that a part of a config begins."""
        # In a terminal at once: a floor can take minutes, and nothing else moves meanwhile.
        self._bar.set_postfix_str(f"{config}: {part}", refresh=self._terminal)

    def done(self, config: str) -> None:
        """Count a config that is measured."""
        self._bar.set_postfix_str(config, refresh=False)
        self._bar.update()
