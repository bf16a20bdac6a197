"""What a pass of batch files asks: the settings of `write_pass` and of its verb."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.model_runner.sampling_options import SamplingOptions
from facelet.pipeline.model_runner.settings import RowSelection


@dataclass(frozen=True, kw_only=True)
class RequestSettings(SamplingOptions, RowSelection):
    """Which model is asked which rows, and how the files are written."""

    model: str = key("The model, as the API calls it; each line says it.", allowed="a name")
    dataset: Path = key("The dataset.", allowed="a folder that holds a built or downloaded dataset")
    out: Path | None = key(
        "The files.",
        None,
        allowed="an empty folder, or none",
        shown="<dataset>.requests/NAME-PASS",
    )
    answers: str = key(
        "The API's output files of all passes so far, in any order. Say the other words again.",
        "",
        allowed="files, folders or patterns, separated by commas",
        shown="none",
        paths=True,
    )
    pictures: str = key(
        "Where you will put the folder `pictures` of the output; lines then name pictures there. "
        "Else they hold them as data URLs.",
        "",
        allowed="an address such as https://host/folder or file:///folder",
        shown="in the lines",
    )
    lines: int = key("Most requests of a file; the default is OpenAI's.", 50_000, low=1)
    mb: int = key("Most megabytes of a file; the default is OpenAI's.", 200, low=1)
    samples: int = key(
        "Plays of each row; sent as n in the first turn. With api=responses, one request each.",
        1,
        low=1,
    )
    name: str = key(
        "What the model is called in transcripts.", "", allowed="a name", shown="the model's"
    )
