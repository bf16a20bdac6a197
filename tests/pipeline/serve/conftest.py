"""A small dataset of episodes and single questions, and workers that share one store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgi import Client
from served import written

from facelet.pipeline import families
from facelet.pipeline.environment.rows import rows
from facelet.pipeline.serve.app import application
from facelet.pipeline.serve.service import Service
from facelet.pipeline.serve.settings import ServeSettings
from facelet.pipeline.serve.source import source_of
from facelet.pipeline.serve.store import Store

PARTS = {
    "games.bit_query": ("arcade/bit_query", {"levels": "1"}),
    "mazes.maze_easy": ("labyrinth/plan", {"turns": 2, "setting": "visual"}),
}


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three rows of each."""
    return written(tmp_path_factory.mktemp("served") / "data", PARTS, 3)


@pytest.fixture(scope="session")
def reference(served: Path) -> dict[str, list[str]]:
    """Replies that win each row."""
    found = {}
    for row in rows(served):
        task = families.task(row["task"])
        found[row["id"]] = task.reference(task.decode(row))
    return found


@pytest.fixture
def worker(served: Path, tmp_path: Path) -> Callable[..., Any]:
    """Makes a worker; all of them share one store and one clock."""
    clock = SimpleNamespace(now=1000.0)

    def make(token: str = "", **told: Any) -> Any:
        settings = ServeSettings(
            **{"dataset": str(served), "state": str(tmp_path / "state"), "log": "none", **told}
        )
        store = Store(
            Path(settings.state),
            most=settings.sessions,
            idle=settings.idle,
            lifetime=settings.lifetime,
            most_over=settings.over,
            kept=settings.kept,
            clock=lambda: clock.now,
            wait=0.05,
        )
        source = source_of(settings)
        store.check_stamp(source.stamp)
        service = Service(source, store, settings.weights, settings.items)
        client = Client(application(service, settings, token), {})
        return SimpleNamespace(client=client, service=service, clock=clock, ask=client.ask)

    return make
