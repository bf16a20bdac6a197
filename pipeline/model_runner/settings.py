"""Define the settings of the verb `run`: rows, server, and sampling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.command.shell_completion import list_suite_names
from facelet.pipeline.model_runner.sampling_options import SamplingOptions

ROWS, SERVER = "Rows", "Server"


@dataclass(frozen=True, kw_only=True)
class RowSelection:
    """Selects rows of a dataset."""

    suites: tuple[str, ...] = key(
        "Suites to ask.",
        (),
        allowed="names of suites; [] for all",
        known=list_suite_names,
        group=ROWS,
    )
    configs: tuple[str, ...] = key(
        "Configs to ask.", (), allowed="names of configs; [] for all", group=ROWS
    )
    split: str = key("Split to ask.", "", allowed="name of a split", shown="all", group=ROWS)
    limit: int | None = key(
        "Maximum number of rows of each config and split, spread over its difficulties. A larger "
        "limit later includes the rows of a smaller one.",
        None,
        low=1,
        shown="all",
        group=ROWS,
    )


@dataclass(frozen=True, kw_only=True)
class ServerSettings:
    """Describes the server and the headers of requests."""

    base_url: str = key(
        "Address of a server with the chat completions API, or the Responses API "
        "(api=responses). The key is OPENAI_API_KEY; a server that is named here may need none.",
        "",
        allowed="an address such as http://localhost:8000/v1",
        shown="OPENAI_BASE_URL, else api.openai.com",
        group=SERVER,
    )
    headers: Mapping[str, str] = key(
        "Further headers of each request. Transcripts contain their names, never their values.",
        {},
        allowed='a JSON object of texts, such as \'{"X-Title": "facelet"}\'',
        group=SERVER,
    )
    retries: int = key("Retries of one request, after increasing pauses.", 5, low=0, group=SERVER)
    timeout: int = key("Maximum seconds of one request.", 600, low=1, group=SERVER)


@dataclass(frozen=True, kw_only=True)
class RunSettings(SamplingOptions, ServerSettings, RowSelection):
    """Selects the model, the rows and the transcript file."""

    model: str = key(
        "The model, as the server calls it, after openai/.", allowed="openai/NAME", place=True
    )
    dataset: Path = key(
        "The dataset.", allowed="a folder with a built or downloaded dataset", place=True
    )
    out: Path | None = key(
        "Transcript file; resumed if it exists.",
        None,
        allowed="a file",
        shown="<dataset>.run/NAME.jsonl",
    )
    name: str = key("Name of the model in transcripts.", "", allowed="a name", shown="the model's")
    workers: int = key("Number of concurrent plays.", 8, low=1)
    samples: int = key("Number of plays of each row.", 1, low=1)
    time_limit: int | None = key(
        "Maximum seconds of a play, such as 1800; it ends after the current reply, which still "
        "counts.",
        None,
        low=1,
        shown="none",
    )
    code: Literal["off", "jail", "none"] = key(
        "Where Python of replies runs if a row offers functions (cube/navigate): in the jail, or "
        "with none in a process with your rights. Its output is in the next prompt.",
        "off",
    )
    code_seconds: int = key("Maximum seconds of the code of a reply.", 10, low=1, high=86_400)
    yes: bool = key("Start without confirmation.", False)
