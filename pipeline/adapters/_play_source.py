"""Open plays by number, of a task in memory or of a config of a folder, for game-like tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from facelet.pipeline.dataset.row_hashes import hash_value
from facelet.pipeline.family_modules import load_task
from facelet.pipeline.json_types import JSON
from facelet.pipeline.rollout.memory_dataset import Entries, create_dataset
from facelet.pipeline.rollout.row_episode import Play, open_row
from facelet.pipeline.rollout.row_opener import CONTENT_HASH, rows

DEFAULT_SIZE = 100
"""Entries of a task where the caller names no size; a task with fewer puzzles has fewer."""


class PlaySource(Protocol):
    """Opens plays by number; numbers restart after the last entry.

    Attributes:
        identity: what determines the entries, as plain JSON.
    """

    identity: dict[str, JSON]

    def open_play(self, number: int) -> Play:
        """Return a new play of an entry."""


class TaskPlays:
    """Plays of one task, whose entries are generated in memory.

    Attributes:
        entries: the entries.
        identity: what determines them.
    """

    def __init__(
        self,
        task: str,
        size: int | None,
        seed: int,
        params: Mapping[str, Any] | None,
        told: Mapping[str, str | None] | None = None,
    ) -> None:
        """Generate the entries; see `create_dataset` for the arguments."""
        self.entries: Entries = create_dataset(
            task, size, seed, told=told, params=params, at_most=DEFAULT_SIZE
        )
        self.identity: dict[str, JSON] = {
            "task": task,
            "version": load_task(task).version,
            "seed": seed,
            "params": repr(self.entries.params),
            "entries": len(self.entries),
        }

    def open_play(self, number: int) -> Play:
        """Return a new play of an entry."""
        return self.entries.play(self.entries[number % len(self.entries)])


class FolderPlays:
    """Plays of the rows of one config of a dataset folder.

    Attributes:
        rows: the rows without pictures, in published order.
        identity: what determines them.
    """

    def __init__(self, folder: str, config: str, split: str | None) -> None:
        """Read the rows.

        Args:
            folder: a built or downloaded dataset.
            config: name of the config.
            split: name of a split; None for all.

        Raises:
            ValueError: the dataset, the config or the split does not exist or has no rows.
        """
        self.rows = list(rows(folder, config, split))
        if not self.rows:
            raise ValueError(f"{config} has no rows in {folder!r}; name another config or split")
        shown = [[row["id"], row["task_version"], row.get(CONTENT_HASH)] for row in self.rows]
        self.identity: dict[str, JSON] = {"config": config, "rows": hash_value(shown)}

    def open_play(self, number: int) -> Play:
        """Return a new play of a row."""
        return open_row(self.rows[number % len(self.rows)])
