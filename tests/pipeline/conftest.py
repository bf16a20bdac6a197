"""Small datasets of toy tasks; toy_tasks.py makes their items, toy_publishing.py writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import toy_publishing
import toy_tasks


@pytest.fixture(scope="session")
def toys() -> SimpleNamespace:
    return SimpleNamespace(
        tasks=toy_tasks.TASKS,
        lookup=toy_tasks.TASKS.__getitem__,
        fair_cells=toy_tasks.fair_cells,
        write_config=toy_publishing.write_config,
        write_manifest=toy_publishing.write_manifest,
        write_shard=toy_publishing.write_shard,
        words=toy_tasks.WORDS,
        letters=toy_tasks.LETTERS,
        classes=toy_tasks.CLASSES,
        replace=replace,
    )


@pytest.fixture(scope="session")
def toy_dataset(toys: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fair dataset of all toys, with its manifest. Tests copy it before they change it."""
    return toy_publishing.build(tmp_path_factory.mktemp("toys"), items=64, per_shard=37)


@pytest.fixture(scope="session")
def small_dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with an eighth of the items, in shards of 7 rows."""
    return toy_publishing.build(tmp_path_factory.mktemp("small"), items=8, per_shard=7)


@pytest.fixture(scope="session")
def tamper() -> Callable[..., None]:
    """Return a function that changes one row of a dataset on disk."""
    return toy_publishing.tamper
