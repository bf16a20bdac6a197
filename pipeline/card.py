"""The card: README.md, CHANGELOG.md and eval.yaml of a dataset, written from its manifest.

All that the card says is in the manifest, in the tasks' own column docs, or in the shards' schemas;
it is a pure function of these. `card.md.jinja` holds the words.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import DatasetInfo, Features, SplitDict, SplitInfo
from huggingface_hub import DatasetCardData
from jinja2 import Environment, PackageLoader, StrictUndefined

from generators.core import registry
from generators.core.task import Task
from pipeline import reading
from pipeline.fairness import meaning
from pipeline.files import write_text
from pipeline.limits import bound, closest
from pipeline.observing import Lookup
from pipeline.rows import COMMON, IMAGE

FILES = ("README.md", "CHANGELOG.md", "eval.yaml")
"""The files that `write` makes."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a suite's tasks come from, for the card's citation."""

    title: str
    authors: str


SOURCES = {
    "cube_bench": Source(
        "Cube Bench: A Benchmark for Spatial Visual Reasoning in MLLMs",
        "Dhruv Anand, Ehsan Shareghi",
    ),
    "cubebench": Source(
        "CubeBench: Diagnosing Interactive, Long-Horizon Spatial Reasoning under Partial "
        "Observations",
        "Huan-ang Gao, Zikang Zhang, Tianwei Luo and others",
    ),
    "evolarena": Source(
        "EvolArena: An Evolving Arena for Multi-Turn Reasoning in LLMs", "anonymous, under review"
    ),
    "marble": Source(
        "MARBLE: A Hard Benchmark for Multimodal Spatial Reasoning and Planning",
        "anonymous, under review",
    ),
    "inf_bench": Source(
        "Ascending the Infinite Ladder: Benchmarking Spatial Deformation Reasoning in "
        "Vision-Language Models",
        "anonymous, under review",
    ),
}
"""The papers that define the suites' tasks, by suite."""

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def write(out: Path, manifest: Mapping[str, Any], lookup: Lookup = registry.task) -> None:
    """Write README.md, CHANGELOG.md and eval.yaml into a dataset folder.

    Args:
        out: the folder; its shards are complete.
        manifest: the manifest, which need not be on disk yet.
        lookup: finds a task by its name.
    """
    write_text(out / "README.md", readme(out, manifest, lookup))
    write_text(out / "CHANGELOG.md", _template("changelog.md.jinja", manifest=manifest))
    write_text(out / "eval.yaml", _template("eval.yaml.jinja", manifest=manifest))


def readme(out: Path, manifest: Mapping[str, Any], lookup: Lookup = registry.task) -> str:
    """Return the dataset card: YAML for the Hub, then Markdown."""
    configs = manifest["configs"]
    tasks = {name: lookup(config["task"]) for name, config in configs.items()}
    shared = [
        column
        for column in next(iter(tasks.values())).columns
        if all(column in task.columns for task in tasks.values())
    ]
    body = _template(
        "card.md.jinja",
        manifest=manifest,
        rows=_rows(manifest),
        first=next(iter(configs)),
        first_split=next(iter(next(iter(configs.values()))["splits"])),
        overview=[_overview(name, config, tasks[name]) for name, config in configs.items()],
        smaller=[cell for name, config in configs.items() for cell in _smaller(name, config)],
        common=[(name, _kind(kind), doc) for name, kind, doc in COMMON],
        shared=shared,
        columns={
            name: [column for column in task.columns if column not in shared]
            for name, task in tasks.items()
        },
        audits={
            name: _audit(config["audit"]) for name, config in configs.items() if config["audit"]
        },
        sources=[
            SOURCES[suite]
            for suite in dict.fromkeys(config["suite"] for config in configs.values())
            if suite in SOURCES
        ],
    )
    return f"---\n{metadata(out, manifest).to_yaml()}\n---\n\n{body}"


def metadata(out: Path, manifest: Mapping[str, Any]) -> DatasetCardData:
    """Return the card's YAML: what the Hub's viewer and `datasets.load_dataset` read."""
    rows = _rows(manifest)
    names = list(manifest["configs"])
    suites = dict.fromkeys(config["suite"] for config in manifest["configs"].values())
    return DatasetCardData(
        pretty_name=manifest["name"],
        language=["en"],
        license="cc-by-4.0",
        size_categories=[next((name for top, name in _SIZES if rows < top), "n>10M")],
        task_categories=["image-text-to-text"],
        tags=[
            "benchmark",
            "spatial-reasoning",
            "multimodal",
            "synthetic",
            *(suite.replace("_", "-") for suite in suites),
        ],
        annotations_creators=["machine-generated"],
        source_datasets=["original"],
        canary=manifest["canary"],
        configs=[
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": f"{name}/{split}-*.parquet"}
                    for split in config["splits"]
                ],
                **({"default": True} if name == names[0] else {}),
            }
            for name, config in manifest["configs"].items()
        ],
        dataset_info=[
            _info(out, name, config)._to_yaml_dict() for name, config in manifest["configs"].items()
        ],
    )


def _info(out: Path, name: str, config: Mapping[str, Any]) -> DatasetInfo:
    """Return what `datasets` is told about one config."""
    files = {s.name: s for s in reading.splits(out) if s.config == name}
    splits = SplitDict(
        {
            split: SplitInfo(split, _unpacked(files[split]), inside["rows"], dataset_name=None)
            for split, inside in config["splits"].items()
        }
    )
    return DatasetInfo(
        config_name=name,
        features=Features.from_arrow_schema(next(iter(files.values())).schema()),
        splits=splits,
        download_size=sum(inside["bytes"] for inside in config["splits"].values()),
        dataset_size=sum(split.num_bytes for split in splits.values()),
    )


def _unpacked(split: reading.Split) -> int:
    """Return the bytes of a split's columns before compression, from the footers."""
    footers = [pq.read_metadata(path) for path in split.paths]
    return sum(
        footer.row_group(group).total_byte_size
        for footer in footers
        for group in range(footer.num_row_groups)
    )


def _rows(manifest: Mapping[str, Any]) -> int:
    """Return the number of rows of a dataset."""
    return sum(
        split["rows"]
        for config in manifest["configs"].values()
        for split in config["splits"].values()
    )


def _overview(name: str, config: Mapping[str, Any], task: Task[Any, Any]) -> dict[str, Any]:
    """Return one line of the table of configs."""
    splits = config["splits"]
    cells = [cell for inside in splits.values() for cell in inside["cells"] if cell["items"]]
    difficulties = sorted({cell["difficulty"] for cell in cells})
    counts = sorted({cell["items"] for cell in cells})
    chance = next(
        (
            inside["figures"]["chance"]
            for inside in config["audit"].values()
            if "chance" in inside["figures"]
        ),
        None,
    )
    return {
        "name": name,
        "says": _says(task),
        "splits": ", ".join(splits),
        "rows": sum(inside["rows"] for inside in splits.values()),
        "difficulty": _range(difficulties),
        "per_cell": _range(counts) if len(counts) < 3 else f"{counts[0]} to {counts[-1]}",
        "chance": "" if chance is None else f"{chance['value']:.1%} of {chance['note']}",
        "version": config["task_version"],
    }


def _audit(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return one config's audit for the card: figures that must be 0, and the others in lines."""
    lines = closest(record)
    return {
        "zero": [name for name, _, figure in lines if figure.get("at_most") == 0],
        "lines": [
            {"name": name, "means": meaning(name), "where": where, "allowed": bound(figure)}
            | figure
            for name, where, figure in lines
            if figure.get("at_most") != 0
        ],
    }


def _says(task: Task[Any, Any]) -> str:
    """Return the first sentence of the module that defines a task."""
    doc = sys.modules[type(task).__module__].__doc__ or task.name
    first = re.split(r"(?<=[.?!])\s", doc.strip(), maxsplit=1)[0]
    return " ".join(first.split())


def _range(numbers: list[int]) -> str:
    """Return ascending numbers in words, an unbroken run by its ends."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(str(number) for number in numbers)


def _smaller(name: str, config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the cells of a config that have fewer items than asked for, with the reason."""
    return [
        {**cell, "config": name}
        for inside in config["splits"].values()
        for cell in inside["cells"]
        if cell["items"] < cell["asked"]
    ]


def _kind(kind: pa.DataType) -> str:
    """Return an Arrow type in short: the fields of structs stand in the YAML."""
    if pa.types.is_list(kind):
        return f"list<{_kind(kind.value_type)}>"
    if kind == IMAGE:
        return "image"
    return "struct" if pa.types.is_struct(kind) else str(kind)


def _cell(text: str) -> str:
    """Return plain text as it must be written in a cell of a Markdown table."""
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


def _template(name: str, **values: Any) -> str:
    """Return a template filled in; a name that is missing is an error."""
    environment = Environment(
        loader=PackageLoader("pipeline", "report"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown and YAML, not HTML
    )
    environment.filters["cell"] = _cell
    environment.filters["quoted"] = lambda text: json.dumps(str(text), ensure_ascii=False)
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment.get_template(name).render(**values)
