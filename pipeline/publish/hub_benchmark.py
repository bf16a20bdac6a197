"""Write eval.yaml, which registers a dataset as a benchmark on the Hub.

The Hub asks for a name, a description and tasks, each with an id, a config and a split; entries of
`.eval_results` in a model's repository name the id (`facelet.pipeline.formats.hub_results`). It
takes an `evaluation_framework` of its own list only, and datasets without one: none is named, as
those of the list would promise scores that no replay vouches for.
"""

from __future__ import annotations

import yaml

from facelet.pipeline.card.citations import dataset_title
from facelet.pipeline.dataset.manifest_file import Manifest
from facelet.pipeline.dataset.row_columns import is_training

NAME = "eval.yaml"

_USUAL = "test"


def format_task_id(config: str, split: str) -> str:
    """Return the id of a task: its config, with the split where that is not the usual one.

    Args:
        config: the config.
        split: the split.
    """
    return config if split == _USUAL else f"{config}.{split}"


def render_eval_yaml(manifest: Manifest, version: str) -> str:
    """Return eval.yaml.

    Args:
        manifest: the manifest of the version.
        version: which it is.
    """
    said: dict[str, object] = {
        "name": dataset_title(manifest.to_record()),
        "description": (
            "Spatial reasoning with labels that are proven. Every reply is scored by playing it "
            f"again: facelet score. This is version {version}."
        ),
        "tasks": [
            {"id": format_task_id(config, split), "config": config, "split": split}
            for config, entry in manifest.configs.items()
            for split in entry.splits
            if not is_training(split)
        ],
    }
    text: str = yaml.safe_dump(said, sort_keys=False, width=100, allow_unicode=True)
    return text
