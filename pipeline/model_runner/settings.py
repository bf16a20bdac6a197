"""What a model on a server is asked, and how: the settings of `ask` and of its verb."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.command.shell_completion import list_suite_names
from facelet.pipeline.model_runner.sampling_options import SamplingOptions

ROWS, SERVER = "Rows", "Server"


@dataclass(frozen=True, kw_only=True)
class RowSelection:
    """Which rows of a dataset are asked."""

    suites: tuple[str, ...] = key(
        "Which suites are asked.",
        (),
        allowed="names of suites; [] for all",
        known=list_suite_names,
        group=ROWS,
    )
    configs: tuple[str, ...] = key(
        "Which configs are asked.", (), allowed="names of configs; [] for all", group=ROWS
    )
    split: str = key(
        "Which split is asked.", "", allowed="name of a split", shown="all", group=ROWS
    )
    limit: int | None = key(
        "Most rows of each config and split, spread over its difficulties. A larger limit later "
        "goes on from a smaller one.",
        None,
        low=1,
        shown="all",
        group=ROWS,
    )


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Where requests go, and what they carry beside their body."""

    base_url: str = key(
        "The server: anything that speaks chat completions, or Responses (api=responses). The key "
        "is OPENAI_API_KEY; a server that is named here may need none.",
        "",
        allowed="an address such as http://localhost:8000/v1",
        shown="OPENAI_BASE_URL, else api.openai.com",
        group=SERVER,
    )
    headers: Mapping[str, str] = key(
        "Further headers of each request. Their names are written, their values never.",
        {},
        allowed='a JSON object of texts, such as \'{"X-Title": "facelet"}\'',
        group=SERVER,
    )
    retries: int = key("Tries again of one request, after growing pauses.", 5, low=0, group=SERVER)
    timeout: int = key("Seconds that one request may take.", 600, low=1, group=SERVER)


@dataclass(frozen=True, kw_only=True)
class RunSettings(SamplingOptions, ServerSettings, RowSelection):
    """Which model is asked which rows, and where its replies go."""

    model: str = key("The model, as the server calls it, behind openai/.", allowed="openai/NAME")
    dataset: Path = key("The dataset.", allowed="a folder that holds a built or downloaded dataset")
    out: Path | None = key(
        "Transcripts; resumed if it is there.",
        None,
        allowed="a file",
        shown="<dataset>.run/NAME.jsonl",
    )
    name: str = key(
        "What the model is called in transcripts.", "", allowed="a name", shown="the model's"
    )
    workers: int = key("Plays at the same time.", 8, low=1)
    samples: int = key("Plays of each row.", 1, low=1)
    time_limit: int | None = key(
        "Seconds that a play may take, such as 1800; it ends after the reply that "
        "is under way, which still counts.",
        None,
        low=1,
        shown="none",
    )
    yes: bool = key("Begin without asking.", False)
