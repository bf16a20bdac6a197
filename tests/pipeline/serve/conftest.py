"""A small dataset of episodes and single questions, and workers that share one store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from asgi import AsgiClient
from served import write_streams

from facelet.pipeline import family_modules
from facelet.pipeline.rollout.row_opener import rows
from facelet.pipeline.serve.episode_service import EpisodeService
from facelet.pipeline.serve.http_app import build_application
from facelet.pipeline.serve.row_source import open_source
from facelet.pipeline.serve.session_store import SessionStore
from facelet.pipeline.serve.settings import ServeSettings

PARTS = {
    "games.bit_query": ("arcade/bit_query", {"levels": "1"}),
    "mazes.maze_easy": ("labyrinth/plan", {"turns": 2, "setting": "visual"}),
}


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three rows of each."""
    return write_streams(tmp_path_factory.mktemp("served") / "data", PARTS, 3)


@pytest.fixture(scope="session")
def reference(served: Path) -> dict[str, list[str]]:
    """Replies that win each row."""
    found = {}
    for row in rows(served):
        task = family_modules.load_task(row["task"])
        found[row["id"]] = task.reference(task.decode(row))
    return found


@pytest.fixture
def worker(served: Path, tmp_path: Path) -> Callable[..., Any]:
    """Makes a worker; all of them share one store and one clock."""
    clock = SimpleNamespace(now=1000.0)

    def make_worker(token: str = "", **told: Any) -> Any:
        settings = ServeSettings(
            **{"dataset": str(served), "state": str(tmp_path / "state"), "log": "none", **told}
        )
        store = SessionStore(
            Path(settings.state),
            most=settings.sessions,
            idle=settings.idle,
            lifetime=settings.lifetime,
            most_over=settings.over,
            kept=settings.kept,
            clock=lambda: clock.now,
            wait=0.05,
        )
        source = open_source(settings)
        store.check_stamp(source.stamp)
        service = EpisodeService(source, store, settings, token)
        client = AsgiClient(build_application(service, settings, token), {})
        return SimpleNamespace(client=client, service=service, clock=clock, ask=client.ask)

    return make_worker
