"""Pictures: one of each config for the card on the Hub, taken from its own rows, byte for byte."""

from __future__ import annotations

from pathlib import Path

from facelet.pipeline.dataset import reading

FOLDER = "pictures"


def pictures(out: Path) -> dict[str, bytes]:
    """Return the first picture of each config that has any, PNG, by path in the repository."""
    found: dict[str, bytes] = {}
    for part in reading.splits(out):
        name = f"{FOLDER}/{part.config}.png"
        if name in found:
            continue
        for batch in part.batches([reading.IMAGES], size=1):
            (shown,) = batch.column(0).to_pylist()
            if shown:
                found[name] = shown[0]["bytes"]
            break
    return found


def gallery(paths: list[str]) -> str:
    """Return the part of a card that shows the pictures; "" if there are none."""
    if not paths:
        return ""
    lines = ["## What a row shows", "", "The first picture of the first row of each config.", ""]
    for path in paths:
        config = path.removeprefix(f"{FOLDER}/").removesuffix(".png")
        lines += [f"`{config}`", "", f"![{config}]({path})", ""]
    return "\n".join(lines) + "\n"


def is_picture(path: str) -> bool:
    """Return whether a path in the repository is that of such a picture."""
    return path.startswith(f"{FOLDER}/") and path.endswith(".png")
