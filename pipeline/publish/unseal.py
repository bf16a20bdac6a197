"""Unseal: public rows and their keys become the whole dataset again."""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.dataset import sealing
from facelet.pipeline.words import Key, expand, help_table, plain, read_words

KEYS = (
    Key("dataset", "str", "", "a folder of public rows", "What was published without answers."),
    Key("keys", "str", "", "a folder of keys", "Its answers; each must open its row's commitment."),
    Key("out", "str", "", "a folder that is empty or not there yet", "Where the whole goes."),
)

HELP = f"""facelet unseal PUBLIC keys=FOLDER out=FOLDER

Brings public rows and their keys together (facelet publish answers=split), so that episodes can be
played and labels verified. Every key must open the commitment of its row, and the rows that come
out must be those that were sealed. For scoring alone, facelet score keys=FOLDER does it by itself.

Keys, with their defaults:
{help_table(KEYS)}

Example:
  facelet unseal data/hub/name keys=data/hub/name-keys out=data/hub/name-whole
"""


def run(words: Sequence[str]) -> int:
    """Unseal a dataset from the command line.

    Raises:
        ValueError: a key is bad, or the keys do not open the rows.
    """
    values = read_words([w if "=" in w else f"dataset={w}" for w in words], KEYS)
    for name in ("dataset", "keys", "out"):
        if not values.get(name):
            raise ValueError(f"{name} is not set; see facelet unseal --help")
    out = expand(str(values["out"]))
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"out={out} is not empty; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    sealing.unseal(expand(str(values["dataset"])), expand(str(values["keys"])), out)
    print(plain(f"{out} holds the whole dataset"))
    return 0
