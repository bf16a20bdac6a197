"""Writing: a fine-tuning set as files that trainers load."""

from __future__ import annotations

import json
from collections.abc import Sequence

from facelet.pipeline import families
from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.finetune.chats import samples, scenes, spelled
from facelet.pipeline.finetune.settings import FinetuneSettings
from facelet.renderers.api import render_png


def write(settings: FinetuneSettings) -> int:
    """Write a set and return the number of its samples.

    Raises:
        ValueError: the folder is not empty, or the task or a param will not do.
    """
    if settings.out.exists() and any(settings.out.iterdir()):
        raise ValueError(f"out={settings.out} is not empty; name a new folder")
    task = families.task(settings.task)
    params, folder = _params(settings.params), settings.out
    folder.mkdir(parents=True, exist_ok=True)
    written, pictures = 0, False
    with (folder / "train.jsonl").open("w", encoding="utf-8") as file:
        for sample in samples(
            task, params, settings.count, settings.highest, settings.target, settings.seed
        ):
            names = []
            for scene in scenes(sample):
                data, digest = render_png(scene)
                path = folder / "images" / f"{digest[:2]}" / f"{digest[:32]}.png"
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                names.append(path.relative_to(folder).as_posix())
            pictures |= bool(names)
            file.write(json.dumps(spelled(sample, settings.form, names), ensure_ascii=False) + "\n")
            written += 1
    if settings.form == "sharegpt":
        columns = {"messages": "conversations", "system": "system"}
        columns |= {"images": "images"} if pictures else {}
        about = {"file_name": "train.jsonl", "formatting": "sharegpt", "columns": columns}
        write_text(folder / "dataset_info.json", json.dumps({"facelet": about}, indent=1) + "\n")
    return written


def _params(pairs: Sequence[str]) -> dict[str, object]:
    """Return params from "name:value" words, numbers and flags as such."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon:
            raise ValueError(f"params={pair} is no pair; write name:value")
        flags = {"true": True, "false": False}
        found[name] = int(value) if value.isdecimal() else flags.get(value, value)
    return found
