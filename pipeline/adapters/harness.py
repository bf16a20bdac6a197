"""Harness: the tasks of lm-evaluation-harness or lmms-eval, as YAML, from a manifest.

One file for each config and split, a group for each suite, and one module that they name functions
of. Values are written as JSON, which YAML contains. Harnesses ask once: episodes are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from facelet.pipeline.dataset import dataset_reader

TOOLS = {
    "lm-eval": ("lm_eval", ("doc_to_text", "process_results"), ("doc_to_image",)),
    "lmms-eval": (
        "lmms_eval",
        ("doc_to_messages", "doc_to_text", "doc_to_visual", "process_results"),
        (),
    ),
}
"""Module of the adapter, the functions that each task names, and those of tasks with pictures."""

MODULE = "facelet_rows"
LONGEST_REPLY = 4096


def render_task_files(
    tool: str,
    parts: Sequence[dataset_reader.SplitFiles],
    versions: Mapping[str, int],
    source: Mapping[str, object],
) -> dict[str, str]:
    """Return the files of the tasks by name.

    Args:
        tool: name of the harness.
        parts: splits of single questions.
        versions: version of the task of each config.
        source: the keys that say where the rows are read.

    Raises:
        ValueError: a split has no rows.
    """
    module, functions, of_pictures = TOOLS[tool]
    files = {
        f"{MODULE}.py": f"from facelet.pipeline.adapters.{module} import "
        f"{', '.join(sorted({*functions, *of_pictures}))}  # noqa: F401\n"
    }
    groups: dict[str, list[str]] = {}
    for part in parts:
        name = format_task_name(part.config, part.name)
        first = next(part.iterate_rows(["image_hashes"]), None)
        if first is None:
            raise ValueError(f"{part.config}/{part.name} has no rows; leave it out with configs=")
        pictured = first["image_hashes"]
        keys: dict[str, object] = {
            "task": name,
            **source,
            "dataset_name": part.config,
            "test_split": part.name,
            "output_type": "generate_until",
            "doc_to_target": "gold",
            "generation_kwargs": {"until": [], "do_sample": False, _LIMIT[tool]: LONGEST_REPLY},
            "metric_list": [
                {"metric": metric, "aggregation": "mean", "higher_is_better": True}
                for metric in ("acc", "strict_acc")
            ],
            "metadata": {"version": versions[part.config]},
        }
        calls = [*functions, *(of_pictures if pictured else ())]
        text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())
        files[f"{name}.yaml"] = text + "".join(
            f"{call}: !function {MODULE}.{call}\n" for call in calls
        )
        groups.setdefault(part.config.partition(".")[0], []).append(name)
    for suite, names in groups.items():
        group = {"group": f"facelet_{suite}", "task": names}
        text = "".join(f"{key}: {json.dumps(value)}\n" for key, value in group.items())
        files[f"_facelet_{suite}.yaml"] = text
    return files


_LIMIT = {"lm-eval": "max_gen_toks", "lmms-eval": "max_new_tokens"}
"""How each harness calls the longest reply in tokens."""


def format_task_name(config: str, split: str) -> str:
    """Return the name of a harness task; one that `facelet score` finds the config by.

    Args:
        config: name of the config.
        split: name of the split; test is not said.
    """
    name = "facelet_" + config.replace(".", "_")
    return name if split == "test" else f"{name}_{split}"
