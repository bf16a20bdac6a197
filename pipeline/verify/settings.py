"""Settings of a verification and of the verb `verify`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class VerifySettings:
    """What to verify."""

    dataset: Path = key(
        "What to verify, from its files alone.",
        allowed="the folder of a built dataset",
        place=True,
        anywhere=True,
    )
    sample: float = key(
        "Share of the rows of each difficulty that is rechecked and proven, at least one.",
        0.05,
        low=0,
        above=True,
        high=1,
    )
    all: bool = key("Recheck and prove every row.", False)
    seed: int = key("Seed of the sample of rows.", 0)
    deep: bool = key(
        "Also prove what takes up to minutes a claim, such as depth 18 and more; without it, such "
        "claims are looked up in the committed store of certificates.",
        False,
        group="Effort",
    )
    workers: int = key(
        "Rows rechecked, and claims proven, at the same time.", 2, low=1, group="Effort"
    )
    record: Path | None = key(
        "File to which results without failure are appended. A later run with the same dataset and "
        "version of Facelet skips what the file lists, so an interrupted run resumes.",
        None,
        allowed="a file; made if missing",
        group="Effort",
    )
    progress: bool | None = key(
        "Show progress bars on stderr.", None, shown="if stderr is a terminal", group="Effort"
    )

    @property
    def sample_share(self) -> float:
        """Share of the rows of each cell that is rechecked; 1.0 for all."""
        return 1.0 if self.all else self.sample
