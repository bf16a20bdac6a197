"""`facelet harness`: the tasks of lm-evaluation-harness or lmms-eval, as YAML, from a manifest.

One file for each config and split, a group for each suite, and one module that they name functions
of. Values are written as JSON, which YAML contains. Harnesses ask once: episodes are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from facelet.pipeline import families
from facelet.pipeline.card.episodes import episodes
from facelet.pipeline.dataset import manifests, reading
from facelet.pipeline.environment.choosing import choose, words_of
from facelet.pipeline.words import Key, expand, help_table, plain, read_words, unknown

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

KEYS = (
    Key("tool", "str", "lm-eval", ", ".join(TOOLS), "The harness."),
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    Key("hub", "str", "the folder", "ORG/NAME", "Read rows from the Hub instead of the folder."),
    Key("revision", "str", "main", "a tag, branch or commit", "Which version on the Hub."),
    Key("out", "str", "<dataset>.harness/TOOL", "an empty folder, or none", "The files."),
    Key("suites", "list", "[]", "names of suites; [] for all", "Which suites are written."),
    Key("configs", "list", "[]", "names of configs; [] for all", "Which configs are written."),
    Key("split", "str", "all", "name of a split", "Which split is written."),
)

HELP = f"""facelet harness dataset=DIR [tool=lm-eval|lmms-eval] [key=value ...]

Writes tasks that the harness runs from --include_path: facelet_<config>, and facelet_<suite> for
all of a suite. Replies are scored by replay (acc, strict_acc); rows are logged with their ids,
so that `facelet score` takes the harness's own samples (--log_samples) for all other figures.
Episodes of many turns cannot be asked so, and are left out by name; `facelet run` plays them. Name
single tasks for models without pictures.

Keys:
{help_table(KEYS)}

Examples:
  facelet harness dataset=data/out/facelet-paper out=tasks
  lm_eval --model hf --model_args pretrained=NAME --include_path tasks \\
      --tasks facelet_cube_bench --apply_chat_template --log_samples --output_path logs

Exit status: 0 done, 2 a bad word, dataset or folder.
"""


def run(words: Sequence[str]) -> int:
    """Write the tasks and return the exit status.

    Raises:
        ValueError: a word is bad, or the dataset or folder cannot be used.
        OSError: a file cannot be written.
    """
    values = {name: value for name, value in read_words(words, KEYS).items() if value != ""}
    if "dataset" not in values:
        raise ValueError("dataset=... is needed; `facelet harness --help` explains the keys")
    tool, folder = str(values.get("tool", "lm-eval")), expand(str(values["dataset"]))
    if tool not in TOOLS:
        raise unknown("tool", tool, list(TOOLS))
    out = expand(str(values.get("out", f"{str(folder).rstrip('/')}.harness/{tool}")))
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ValueError(f"{str(out)!r} is there already; name another folder with out=...")
    parts = choose(
        folder,
        words_of(values, "suites"),
        words_of(values, "configs"),
        str(values.get("split", "")),
    )
    content = manifests.manifest(folder)
    configs = {part.config: content.config(part.config) for part in parts}
    long = episodes(parts, lambda config: families.task(configs[config].task))
    source: dict[str, Any] = {"dataset_path": str(values.get("hub", folder.resolve()))}
    if "revision" in values:
        source["dataset_kwargs"] = {"revision": str(values["revision"])}
    files = texts(
        tool,
        [part for part in parts if part.config not in long],
        {config: configs[config].task_version for config in configs},
        source,
    )
    out.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (out / name).write_text(text, encoding="utf-8")
    print(plain(f"{out}: {len(files) - 1} tasks and groups for {tool}"))
    if long:
        print(f"left out, as they are episodes: {', '.join(long)}")
    return 0


def texts(
    tool: str,
    parts: Sequence[reading.Split],
    versions: Mapping[str, int],
    source: Mapping[str, Any],
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
        name = task_name(part.config, part.name)
        first = next(part.rows(["image_hashes"]), None)
        if first is None:
            raise ValueError(f"{part.config}/{part.name} has no rows; leave it out with configs=")
        pictured = first["image_hashes"]
        keys: dict[str, Any] = {
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


def task_name(config: str, split: str) -> str:
    """Return the name of a harness task; one that `facelet score` finds the config by.

    Args:
        config: name of the config.
        split: name of the split; test is not said.
    """
    name = "facelet_" + config.replace(".", "_")
    return name if split == "test" else f"{name}_{split}"
