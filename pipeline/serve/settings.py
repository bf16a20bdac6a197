"""Define the settings of the verb `serve`: rows, address, limits and reward."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from facelet.pipeline.command.setting_keys import key, list_suite_names
from facelet.pipeline.request_origin import is_loopback

if TYPE_CHECKING:
    from facelet.pipeline.rollout.rewards import Weights

TOKEN = "FACELET_SERVE_TOKEN"
"""Environment variable with the token that every request must contain."""

ROWS, PLACE, BOUNDS, WORTH = "Rows", "Address", "Bounds", "Reward"


@dataclass(frozen=True, kw_only=True)
class ServeSettings:
    """Settings of a server."""

    dataset: str = key(
        "Serve the rows of this dataset.",
        "",
        allowed="a built or downloaded dataset",
        place=True,
        paths=True,
        group=ROWS,
    )
    suite: str = key(
        "Serve an endless stream of this suite or task instead.",
        "",
        allowed="name of a suite, or of a task such as cube/move_effect",
        known=list_suite_names,
        group=ROWS,
    )
    levels: str = key(
        "Levels of the stream, as row ids show them.",
        "",
        allowed="whole numbers, as 1-3 or 1,2,5-8",
        shown="those of the suite",
        group=ROWS,
    )
    seed: int = key("Root of the stream's seeds.", 0, group=ROWS)
    sampler: Literal["uniform", "curriculum", "frontier", "pools"] = key(
        "Selects the level of each row of the stream; the last two learn from rewards.",
        "uniform",
        group=ROWS,
    )
    apart: tuple[str, ...] = key(
        "Datasets whose test rows the stream must not show.",
        (),
        allowed="dataset folders, separated by commas",
        paths=True,
        group=ROWS,
    )
    host: str = key(
        f"Address to listen at; other than this machine only with a token in {TOKEN}.",
        "127.0.0.1",
        allowed="an address of this machine",
        group=PLACE,
    )
    port: int = key("Port to listen at; 0 for a free port.", 8000, low=0, high=65535, group=PLACE)
    workers: int = key("Number of worker processes.", 1, low=1, high=256, group=PLACE)
    state: str = key(
        "File of sessions, which then survive a restart of the server. Without it they survive "
        "only crashes of workers.",
        "",
        allowed="a file",
        shown="a temporary file",
        paths=True,
        group=PLACE,
    )
    log: Literal["json", "none"] = key(
        "Log on stderr: a line of JSON per request, or nothing.", "json", group=PLACE
    )
    sessions: int = key("Maximum number of open sessions.", 16384, low=1, group=BOUNDS)
    idle: int = key(
        "Seconds without a reply after which a session ends.", 3600, low=1, group=BOUNDS
    )
    lifetime: int = key("Seconds after which a session ends.", 86400, low=1, group=BOUNDS)
    kept: int = key(
        "Seconds for which a finished session can be read.",
        600,
        low=1,
        group=BOUNDS,
    )
    over: int = key(
        "Maximum number of finished sessions that can be read; the oldest are removed first.",
        16384,
        low=1,
        group=BOUNDS,
    )
    body: int = key("Maximum bytes of a request.", 8 << 20, low=1024, group=BOUNDS)
    items: int = key("Maximum number of items of one request.", 4096, low=1, group=BOUNDS)
    rate: float = key(
        "Maximum requests per second from one address, over all workers; 0 for no limit.",
        0.0,
        low=0,
        group=BOUNDS,
    )
    attempts: int = key(
        "Maximum number of graded replies to a row of a dataset for each token. Equal replies "
        "count once, and so does a session.",
        16,
        low=1,
        group=BOUNDS,
    )
    training: bool = key("Grade any number of replies to a row.", False, group=BOUNDS)
    partial: float = key(
        "Reward of a wrong answer per share of correct labels.", 0.0, low=0, high=1, group=WORTH
    )
    format: float = key(
        "Part of the reward for the requested form.", 0.0, low=0, high=1, group=WORTH
    )

    @property
    def reward_weights(self) -> Weights:
        """Weights of the reward."""
        from facelet.pipeline.rollout.rewards import Weights  # not needed for help

        return Weights(self.partial, self.format)


def check_settings(settings: ServeSettings) -> None:
    """Check that the settings are consistent.

    Raises:
        ValueError: they contradict each other.
    """
    if bool(settings.dataset) == bool(settings.suite):
        raise ValueError("name either dataset=FOLDER or suite=NAME as the source of rows")
    if settings.dataset and (settings.levels or settings.apart):
        raise ValueError("levels and apart apply only to a stream (suite=NAME); leave them out")
    if not is_loopback(settings.host) and not read_token():
        raise ValueError(
            f"others can reach host={settings.host}: set {TOKEN} to a secret that requests must "
            "contain, or leave host at 127.0.0.1"
        )


def read_token() -> str:
    """Return the required token; "" for none."""
    return os.environ.get(TOKEN, "")
