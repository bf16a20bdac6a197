"""Rows of a folder for tools that play a config entry by entry; see `environment.open_row`."""

from __future__ import annotations

from typing import Any

from facelet.pipeline.rollout.row_opener import rows


def list_config_rows(folder: str, config: str, split: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a config without their pictures, in published order.

    Args:
        folder: a built or downloaded dataset.
        config: name of the config.
        split: name of a split; None for all.

    Raises:
        ValueError: there is no such dataset, config or split, or it has no rows.
    """
    found = list(rows(folder, config, split))
    if not found:
        raise ValueError(f"{config} has no rows in {folder!r}; name another config or split")
    return found
