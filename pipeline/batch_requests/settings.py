"""Define the settings of the verb `requests`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.model_runner.settings import RowSelection, SamplingOptions


@dataclass(frozen=True, kw_only=True)
class RequestSettings(SamplingOptions, RowSelection):
    """Selects the model, the rows and the format of batch files."""

    model: str = key("The model, as the API calls it; each line contains it.", allowed="a name")
    dataset: Path = key("The dataset.", allowed="a folder with a built or downloaded dataset")
    out: Path | None = key(
        "The files.",
        None,
        allowed="an empty folder, or none",
        shown="<dataset>.requests/NAME-PASS",
    )
    answers: str = key(
        "The API's output files of all passes so far, in any order. Repeat the other arguments.",
        "",
        allowed="files, folders or patterns, separated by commas",
        shown="none",
        paths=True,
    )
    pictures: str = key(
        "Address to which you will upload the folder `pictures` of the output. Without it, lines "
        "contain pictures as data URLs.",
        "",
        allowed="an address such as https://host/folder or file:///folder",
        shown="in the lines",
    )
    lines: int = key(
        "Maximum number of requests of a file; the default is OpenAI's.", 50_000, low=1
    )
    mb: int = key("Maximum megabytes of a file; the default is OpenAI's.", 200, low=1)
    samples: int = key(
        "Plays of each row; sent as n in the first turn. With api=responses, one request each.",
        1,
        low=1,
    )
    name: str = key("Name of the model in transcripts.", "", allowed="a name", shown="the model's")
