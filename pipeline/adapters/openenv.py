"""Serve rows of a dataset or of a stream as an OpenEnv environment (`openenv-core`).

    uvicorn facelet.pipeline.adapters.openenv:app    # FACELET_DATASET=DIR, or FACELET_STREAM=TASK

    from facelet.pipeline.adapters.openenv import Reply, application
    app = application(dataset="data/out/training")

`conf/docs/examples/openenv_space` is an environment package with a Dockerfile and everything that a
hosted Space needs. `Client` plays over the network.

`reset(seed=n)` starts row n; without a seed the rows follow one another. `reset(episode_id=ID)`
starts the row with that id; any other ID is the name of the episode. An action is a reply. An
observation contains what is new: `messages` as chat completions, pictures as data URLs, and
`begins`, whether they begin a new chat. The reward comes with the last step. Sessions run in
parallel over OpenEnv's WebSocket, each with its own environment. Observations and states contain no
answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any
from uuid import uuid4

from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.rewards import Payer, Weights
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.serve.row_source import RowNotFoundError, RowSource, open_source
from facelet.pipeline.serve.settings import ServeSettings

_server = import_optional("openenv.core.env_server", "openenv")
_core = import_optional("openenv.core", "openenv")
_types = import_optional("openenv.core.client_types", "openenv")

SESSIONS = 1024
"""Default maximum number of concurrent sessions."""


class Reply(_server.Action):  # type: ignore[misc,name-defined]
    """A reply of the player."""

    text: str


class Told(_server.Observation):  # type: ignore[misc,name-defined]
    """What is new to the player; see the module."""

    id: str = ""
    messages: list[dict[str, object]] = []  # noqa: RUF012 - pydantic copies it
    begins: bool = True
    status: str = ""
    metrics: dict[str, float] = {}  # noqa: RUF012 - pydantic copies it


class EpisodeState(_server.State):  # type: ignore[misc,name-defined]
    """The state of an episode: row id and end, besides its name and number of steps."""

    id: str = ""
    done: bool = False


class Environment(_server.Environment):  # type: ignore[misc,name-defined]
    """One session, which plays one episode after another."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, source: RowSource, following: Callable[[], int], weights: Weights) -> None:
        """Store the source of rows.

        Args:
            source: the rows.
            following: returns the number of the next row.
            weights: weights of the reward.
        """
        super().__init__()
        self._source, self._following, self._weights = source, following, weights
        self._play: Play | None = None
        self._name = ""

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Told:
        """Start an episode.

        Args:
            seed: number of the row.
            episode_id: id of the row, or a name for the episode.
        """
        self._name = episode_id or str(uuid4())
        row = None
        if episode_id:
            try:
                row = self._source.read(episode_id)
            except RowNotFoundError:
                row = None  # a name that the client chose
        if row is None:
            number = self._following() if seed is None else seed
            row = self._source.read(self._source.id_at(number))
        self._play = Play(row)
        self._payer = Payer(self._play, self._weights)
        return Told(id=row.id, messages=self._play.messages)

    def step(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Told:
        """Take a reply.

        Args:
            action: the reply.
            timeout_s: not used, because steps are short.

        Raises:
            ValueError: no episode was started, or it is over.
        """
        if self._play is None:
            raise ValueError("call reset before step")
        outcome = self._play.reply(action.text)
        told: dict[str, object] = {"messages": [] if outcome else self._play.new_messages}
        if outcome is not None:
            told |= {"status": str(outcome.status), "metrics": dict(outcome.metrics)}
        return Told(
            id=self._play.id,
            begins=self._play.begins_chat,
            done=outcome is not None,
            reward=self._payer.pay(),
            **told,
        )

    @property
    def state(self) -> EpisodeState:
        """The state of the episode."""
        if self._play is None:
            return EpisodeState(episode_id=self._name or None)
        steps = len(self._play.replies)
        return EpisodeState(
            episode_id=self._name, step_count=steps, id=self._play.id, done=self._play.done
        )


def environment_factory(
    dataset: str = "",
    stream: str = "",
    *,
    levels: str = "",
    seed: int = 0,
    weights: Weights | None = None,
) -> Callable[[], Environment]:
    """Return a factory of environments that share their rows.

    Args:
        dataset: a built or downloaded dataset.
        stream: a suite or a task of an endless stream, instead of a dataset.
        levels: levels of the stream.
        seed: root of the stream's seeds.
        weights: weights of the reward.

    Raises:
        ValueError: the rows cannot be opened.
    """
    if bool(dataset) == bool(stream):
        raise ValueError("name either a dataset or a stream as the source of rows")
    settings = ServeSettings(dataset=dataset, suite=stream, levels=levels, seed=seed)
    source, numbers = open_source(settings), count()
    return lambda: Environment(source, numbers.__next__, weights or Weights())


def application(
    dataset: str = "", stream: str = "", *, sessions: int = SESSIONS, **told: Any
) -> Any:
    """Return the OpenEnv application that serves the environments.

    Args:
        dataset: a built or downloaded dataset.
        stream: a suite or a task, instead of a dataset.
        sessions: maximum number of concurrent sessions.
        told: further arguments of `environment_factory`.
    """
    made = environment_factory(dataset, stream, **told)
    return _server.create_app(made, Reply, Told, env_name="facelet", max_concurrent_envs=sessions)


def application_from_variables(told: Mapping[str, str]) -> Any:
    """Return the application that environment variables describe.

    Args:
        told: contains FACELET_DATASET, or FACELET_STREAM with FACELET_LEVELS and FACELET_SEED.

    Raises:
        ValueError: neither or both are set.
    """
    return application(
        told.get("FACELET_DATASET", ""),
        told.get("FACELET_STREAM", ""),
        levels=told.get("FACELET_LEVELS", ""),
        seed=int(told.get("FACELET_SEED", "0")),
    )


class Client(_core.EnvClient):  # type: ignore[misc,name-defined]
    """Plays over OpenEnv's WebSocket: `reset(seed=n)`, `step(Reply(text=...))`, `state()`."""

    def _step_payload(self, action: Reply) -> dict[str, Any]:
        return {"text": action.text}

    def _parse_result(self, payload: dict[str, Any]) -> Any:
        seen = dict(payload.get("observation", {}))
        told = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        return _types.StepResult(observation=Told(**{**seen, **told}), **told)

    def _parse_state(self, payload: dict[str, Any]) -> EpisodeState:
        return EpisodeState(**payload)


def __getattr__(name: str) -> Any:
    """Create `app` on first use from environment variables."""
    if name != "app":
        raise AttributeError(name)
    return application_from_variables(os.environ)
