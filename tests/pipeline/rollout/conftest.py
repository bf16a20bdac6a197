"""Small datasets of every task as a build publishes them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from small_datasets import PublishedTask, publish

from facelet.generators.core import task_registry

__all__ = ["publish"]


@pytest.fixture(params=list(task_registry.tasks()))
def published(
    request: pytest.FixtureRequest, publish: Callable[..., PublishedTask]
) -> PublishedTask:
    """A small dataset of each task of the registry."""
    return publish(request.param)


@pytest.fixture
def acting(publish: Callable[..., PublishedTask]) -> PublishedTask:
    """A small dataset of episodes of several turns, each with a picture."""
    return publish("labyrinth/act", turns=2, setting="visual")
