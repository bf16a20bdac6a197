"""Describe in sentences what a reader must know of a dataset and of prediction files."""

from __future__ import annotations

import json

from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.text_tables import REASON, escape_cell

MISSING = {
    "wrong": "Missing predictions and API errors count as wrong.",
    "ignore": "Rows without any prediction are left out (missing=ignore); API errors, and missing "
    "samples of rows with some, count as wrong.",
}
"""What becomes of rows without a prediction, in words."""

_VERIFIED = {
    "no": "UNVERIFIED: its files were not compared with this hash",
    "files": "files match manifest.json; the content hash was not recomputed",
    "content": "verified: recomputed from the rows of all splits scored; pictures were not decoded",
    "rows": "verified: recomputed from the rows of all splits scored, and their pictures have the "
    "pixels that the rows name",
}
_EXPECTED = "verified: manifest.json is the expected one, and the files match it"
_BASELINES = (
    "not verified here: chance, floors and shortcuts, which manifest.json states and "
    "`facelet verify all=true` recomputes"
)


def verification_note(dataset: results_schema.Dataset) -> str:
    """Return what of the dataset was checked, and against what, in words."""
    if dataset["verified"] == "no":
        return _VERIFIED["no"]
    sha256 = f"(manifest.json has SHA-256 `{dataset['manifest_sha256']}`)"
    said = _EXPECTED if dataset.get("expected") else _VERIFIED[dataset["verified"]]
    return f"{said} {sha256}; {_BASELINES}"


def file_notes(account: results_schema.Input, dataset: results_schema.Dataset) -> list[str]:
    """Return what a reader must know of a prediction file, in sentences."""
    lines = [account["stopped"]] if account["stopped"] else []
    seen = account["evidence"]
    if dataset["verified"] != "no" and seen["nothing"]:
        lines.append(
            f"{seen['nothing']:,} of {account['predictions']:,} predictions contain no content "
            "hash, prompt or target that shows that they answer this build"
        )
    if others := account["other_questions"]:
        lines.append(
            f"refused, because they contain another question than their row's: {others:,} records "
            "(questions=any scores them)"
        )
    if other := seen["other_words"]:
        lines.append(f"{other:,} questions with other words than their row's were accepted")
    if dataset["verified"] == "no":
        lines.append("not compared with the questions of this build (verify=false)")
    return lines


def settings_notes(model: results_schema.Model) -> list[str]:
    """Return how a model was asked, as its transcripts say, a line for each way."""
    return [
        f"{escape_cell(_format_settings(part), REASON)} ({part['predictions']:,} predictions)"
        for part in model["settings"]
    ]


def _format_settings(part: results_schema.Asked) -> str:
    """Return how a model was asked in words, such as "api=chat, temperature=0.0"."""
    if part["settings"] is None:
        return "more settings than are listed"
    return ", ".join(
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in part["settings"].items()
    )
