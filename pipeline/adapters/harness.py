"""Write the tasks of lm-evaluation-harness or lmms-eval as YAML.

There is one file for each config and split, a group for each suite, and one module with the
functions that the files name. Values are JSON, a subset of YAML. Harnesses ask once, so episodes
are left out.
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
"""By tool: module of its adapter, functions of each task, and functions of tasks with pictures."""

MODULE = "facelet_rows"
LONGEST_REPLY = 4096


def render_task_files(
    tool: str,
    parts: Sequence[dataset_reader.SplitFiles],
    versions: Mapping[str, int],
    source: Mapping[str, object],
) -> dict[str, str]:
    """Return the text of each task file by file name.

    Args:
        tool: name of the harness.
        parts: splits of single questions.
        versions: version of the task of each config.
        source: the keys that name the source of the rows.

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
"""Key of each harness for the maximum length of a reply in tokens."""


def format_task_name(config: str, split: str) -> str:
    """Return the name of a harness task, from which `facelet score` finds the config.

    Args:
        config: name of the config.
        split: name of the split; "test" is left out of the name.
    """
    name = "facelet_" + config.replace(".", "_")
    return name if split == "test" else f"{name}_{split}"
