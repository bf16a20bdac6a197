"""One scripted model over one small dataset, for every tool."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scripted import ChatScript, build_script
from small_datasets import PublishedTask, publish

__all__ = ["publish"]


@pytest.fixture(scope="session")
def script(
    publish: Callable[..., PublishedTask],
    tmp_path_factory: pytest.TempPathFactory,
) -> ChatScript:
    """Return the scripted model and its dataset."""
    return build_script(publish, tmp_path_factory.mktemp("scripted"))
