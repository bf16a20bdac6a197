"""What a server is told: its rows, its address, its bounds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.command.shell_completion import list_suite_names

if TYPE_CHECKING:
    from facelet.pipeline.rollout.rewards import Weights

TOKEN = "FACELET_SERVE_TOKEN"
"""The variable that holds the token which every request must bring."""

ROWS, PLACE, BOUNDS, WORTH = "Rows", "Address", "Bounds", "Reward"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """What a server is told."""

    dataset: str = key(
        "Serve the rows of this dataset.",
        "",
        allowed="a built or downloaded dataset",
        place=True,
        paths=True,
        group=ROWS,
    )
    suite: str = key(
        "Serve an endless stream of these instead.",
        "",
        allowed="name of a suite, or of a task such as cube/move_effect",
        known=list_suite_names,
        group=ROWS,
    )
    levels: str = key(
        "Levels of the stream, as row ids show them.",
        "",
        allowed="whole numbers, as 1-3 or 1,2,5-8",
        shown="what the suite says",
        group=ROWS,
    )
    seed: int = key("Root of the stream's seeds.", 0, group=ROWS)
    sampler: Literal["uniform", "curriculum", "frontier", "pools"] = key(
        "Which level each row of the stream is of; the last two learn from the rewards.",
        "uniform",
        group=ROWS,
    )
    apart: tuple[str, ...] = key(
        "Datasets of whose test rows the stream shows nothing.",
        (),
        allowed="dataset folders, separated by commas",
        paths=True,
        group=ROWS,
    )
    host: str = key(
        f"Where it listens. Beyond this machine only with a token in {TOKEN}.",
        "127.0.0.1",
        allowed="an address of this machine",
        group=PLACE,
    )
    port: int = key("Its port; 0 takes a free one.", 8000, low=0, high=65535, group=PLACE)
    workers: int = key("Processes behind the port.", 1, low=1, high=256, group=PLACE)
    state: str = key(
        "Where sessions are kept, so that they outlive the server. Without it they outlive its "
        "workers only.",
        "",
        allowed="a file",
        shown="a file of the run",
        paths=True,
        group=PLACE,
    )
    log: Literal["json", "none"] = key(
        "What is written to stderr: a line of JSON a request, or nothing.", "json", group=PLACE
    )
    sessions: int = key("Most open sessions.", 16384, low=1, group=BOUNDS)
    idle: int = key(
        "Seconds without a reply after which a session ends.", 3600, low=1, group=BOUNDS
    )
    lifetime: int = key("Seconds after which a session ends.", 86400, low=1, group=BOUNDS)
    kept: int = key(
        "Seconds for which a session can be read after its play has ended.",
        600,
        low=1,
        group=BOUNDS,
    )
    over: int = key(
        "Most sessions of ended plays that can be read; the oldest are forgotten first.",
        16384,
        low=1,
        group=BOUNDS,
    )
    body: int = key("Most bytes of a request.", 8 << 20, low=1024, group=BOUNDS)
    items: int = key("Most items of one request.", 4096, low=1, group=BOUNDS)
    rate: float = key(
        "Most requests a second from one address, over all workers; 0 for any number.",
        0.0,
        low=0,
        group=BOUNDS,
    )
    partial: float = key(
        "What a wrong answer is worth per share of right labels.", 0.0, low=0, high=1, group=WORTH
    )
    format: float = key(
        "The part of the reward that the requested form has.", 0.0, low=0, high=1, group=WORTH
    )

    @property
    def reward_weights(self) -> Weights:
        """What the reward counts besides being right."""
        from facelet.pipeline.rollout.rewards import Weights  # help needs none of it

        return Weights(self.partial, self.format)


def check_settings(settings: ServeSettings) -> None:
    """Refuse settings that contradict each other.

    Raises:
        ValueError: so they do.
    """
    if bool(settings.dataset) == bool(settings.suite):
        raise ValueError("name either dataset=FOLDER or suite=NAME: the rows that are served")
    if settings.dataset and (settings.levels or settings.apart):
        raise ValueError("levels and apart are for a stream (suite=NAME); leave them out")
    if settings.host not in _LOOPBACK and not read_token():
        raise ValueError(
            f"host={settings.host} can be reached by others: set {TOKEN} to a secret that requests "
            "must bring, or leave host at 127.0.0.1"
        )


def read_token() -> str:
    """Return the token that requests must bring; "" for none."""
    return os.environ.get(TOKEN, "")
