"""One scripted model over one small dataset, for every tool."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scripted import Scripted, scripted
from small_datasets import Published, publish

__all__ = ["publish"]


@pytest.fixture(scope="session")
def script(
    publish: Callable[..., Published],
    tmp_path_factory: pytest.TempPathFactory,
) -> Scripted:
    """Return the scripted model and its dataset."""
    return scripted(publish, tmp_path_factory.mktemp("scripted"))
