"""`facelet finetune`: a fine-tuning set in one command."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from facelet.pipeline import families
from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.finetune.chats import FORMS, TARGETS, Form, Target, samples, scenes, spelled
from facelet.pipeline.words import Key, check_range, expand, help_table, read_words, unknown
from facelet.renderers.api import render_png

T = TypeVar("T", bound=str)

KEYS = (
    Key("task", "str", "", "a task with levels and halves", "What is asked."),
    Key("out", "str", "", "a folder that is new or empty", "Where the set goes."),
    Key("count", "int", "20000", "at least 1", "Number of samples."),
    Key("highest", "int", "10", "at least 1", "Levels 1 to this one have as many samples each."),
    Key("form", "str", "messages", ", ".join(FORMS), "Who loads it: see below."),
    Key("target", "str", "letter", ", ".join(TARGETS), "What the model is to reply."),
    Key("params", "list", "[]", "name:value pairs", "Other params of the task."),
    Key("seed", "int", "0", "a whole number", "Root of all seeds."),
)

HELP = f"""facelet finetune task=TASK out=DIR [key=value ...]

Makes a fine-tuning set: out/train.jsonl, out/images where it has pictures, and for LLaMA-Factory
out/dataset_info.json. The samples are spread evenly over the levels, are all different, and share
no start with any test set, not even turned over: starts come from a half that test sets leave out.
With target=reasoning the reply carries the operations out one by one before it names the letter.

Keys:
{help_table(KEYS)}

Forms: sharegpt for LLaMA-Factory; messages for TRL (SFTTrainer) and Axolotl (chat_template).

Examples:
  facelet finetune task=shapes/forward_deformation out=sft 'params=[space:2.5d,input:text]'
  facelet finetune task=cube/inverse_deformation out=sft form=sharegpt target=reasoning count=2000

Exit status: 0 done, 2 a bad word, or a folder that is not empty.
"""


def run(words: Sequence[str]) -> int:
    """Write the set that the words ask for and return the exit status.

    Raises:
        ValueError: a word is bad, or the folder is not empty.
    """
    values = read_words(words, KEYS)
    for name in ("task", "out"):
        if name not in values:
            raise ValueError(f"{name}=... is needed; `facelet finetune --help` explains the keys")
    form = _one_of("form", str(values.get("form", "messages")), FORMS)
    target = _one_of("target", str(values.get("target", "letter")), TARGETS)
    count = check_range("count", int(str(values.get("count", 20_000))), 1)
    highest = check_range("highest", int(str(values.get("highest", 10))), 1)
    folder = expand(str(values["out"]))
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"out={folder} is not empty; name a new folder")
    written = write(
        folder,
        str(values["task"]),
        _params(values.get("params", [])),
        count,
        highest,
        form,
        target,
        int(str(values.get("seed", 0))),
    )
    print(f"{written} samples in {folder}/train.jsonl", file=sys.stderr)
    return 0


def _one_of(key: str, word: str, known: tuple[T, ...]) -> T:
    """Return the one of some words that is meant; raise ValueError if it is none."""
    for one in known:
        if one == word:
            return one
    raise unknown(key, word, [str(one) for one in known])


def _params(pairs: object) -> dict[str, object]:
    """Return params from "name:value" words, numbers and flags as such."""
    found: dict[str, object] = {}
    for pair in pairs if isinstance(pairs, list) else []:
        name, colon, value = str(pair).partition(":")
        if not colon:
            raise ValueError(f"params={pair} is no pair; write name:value")
        flags = {"true": True, "false": False}
        found[name] = int(value) if value.isdecimal() else flags.get(value, value)
    return found


def write(
    folder: Path,
    task_name: str,
    params: dict[str, object],
    count: int,
    highest: int,
    form: Form,
    target: Target,
    seed: int = 0,
) -> int:
    """Write a set and return the number of its samples.

    Args:
        folder: where it goes.
        task_name: the task.
        params: its params, but level and half.
        count: number of samples.
        highest: the greatest level.
        form: how a line is written.
        target: what is to be replied.
        seed: root of the seeds.

    Raises:
        ValueError: the task or a param will not do.
    """
    task = families.task(task_name)
    folder.mkdir(parents=True, exist_ok=True)
    written, pictures = 0, False
    with (folder / "train.jsonl").open("w", encoding="utf-8") as file:
        for sample in samples(task, params, count, highest, target, seed):
            names = []
            for scene in scenes(sample):
                data, digest = render_png(scene)
                path = folder / "images" / f"{digest[:2]}" / f"{digest[:32]}.png"
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                names.append(path.relative_to(folder).as_posix())
            pictures |= bool(names)
            file.write(json.dumps(spelled(sample, form, names), ensure_ascii=False) + "\n")
            written += 1
    if form == "sharegpt":
        columns = {"messages": "conversations", "system": "system"}
        columns |= {"images": "images"} if pictures else {}
        about = {"file_name": "train.jsonl", "formatting": "sharegpt", "columns": columns}
        write_text(folder / "dataset_info.json", json.dumps({"facelet": about}, indent=1) + "\n")
    return written
