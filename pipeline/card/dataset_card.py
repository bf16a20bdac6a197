"""Render the card of a dataset from its manifest: README.md, its YAML header, and CHANGELOG.md.

All that the card states is in the manifest, in the tasks' own column docs, or in the shards'
schemas; it is a pure function of these. `card.md.jinja` contains the wording.

The YAML header is for the Hub's viewer and `load_dataset`. Features come from the shards' own
schema, counts from the manifest, sizes from the footers.

The datasheet (uses, origin, biases and limits) is written once, for the card and for the Croissant
file: each statement has a heading for people and, where there is one, the name of its property in
Croissant's vocabulary for responsible AI (rai:..., version 1.0). The Hub makes a Croissant file of
its own and fills none of these.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from datasets import DatasetInfo, Features, SplitDict, SplitInfo
from huggingface_hub import DatasetCardData
from jinja2 import Environment, PackageLoader, StrictUndefined

from facelet.pipeline.audit.fairness_figures import describe_figure
from facelet.pipeline.audit.figure_limits import (
    format_limit,
    list_closest_figures,
    list_excused_figures,
)
from facelet.pipeline.card import deviations_page
from facelet.pipeline.card.card_pictures import collect_pictures, picture_path
from facelet.pipeline.card.citations import (
    PLACE,
    dataset_bibtex,
    dataset_title,
    list_papers,
    list_suites,
    paper_bibtex,
)
from facelet.pipeline.card.episode_configs import list_episode_configs
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach
from facelet.pipeline.dataset import dataset_reader, duplicates, floor_record
from facelet.pipeline.dataset.manifest_file import ConfigEntry, Manifest
from facelet.pipeline.dataset.row_columns import COMMON_COLUMNS, IMAGE, is_training
from facelet.pipeline.dataset.store_address import arrow_source
from facelet.pipeline.family_modules import AnyTask, Lookup, load_task
from facelet.pipeline.papers.paper import PaperSource

_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def build_metadata(out: Path, manifest: Manifest) -> DatasetCardData:
    """Return the card's YAML: what the Hub's viewer and `datasets.load_dataset` read."""
    rows, said = count_rows(manifest), manifest.to_record()
    names = list(manifest.configs)
    suites = list_suites(said)
    return DatasetCardData(
        pretty_name=dataset_title(said),
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
        canary=_find_canary(manifest),
        configs=[
            {
                "config_name": name,
                "data_files": [
                    {"split": split, "path": f"{name}/{split}-*.parquet"} for split in config.splits
                ],
                **({"default": True} if name == names[0] else {}),
            }
            for name, config in manifest.configs.items()
        ],
        dataset_info=[
            _build_dataset_info(out, name, config)._to_yaml_dict()
            for name, config in manifest.configs.items()
        ],
    )


def _find_canary(manifest: Manifest) -> str | None:
    """Return the canary, if any split is evaluation data; else None, which is not written."""
    splits = {split for _, split, _ in manifest.iterate_splits()}
    return None if all(map(is_training, splits)) else manifest.canary


def _build_dataset_info(out: Path, name: str, config: ConfigEntry) -> DatasetInfo:
    """Return what `datasets` is told about one config."""
    files = {s.name: s for s in dataset_reader.list_splits(out) if s.config == name}
    splits = SplitDict(
        {
            split: SplitInfo(
                split, _compute_uncompressed_bytes(files[split]), inside.rows, dataset_name=None
            )
            for split, inside in config.splits.items()
        }
    )
    return DatasetInfo(
        config_name=name,
        features=Features.from_arrow_schema(next(iter(files.values())).arrow_schema()),
        splits=splits,
        download_size=sum(inside.bytes for inside in config.splits.values()),
        dataset_size=sum(split.num_bytes for split in splits.values()),
    )


def _compute_uncompressed_bytes(split: dataset_reader.SplitFiles) -> int:
    """Return the bytes of a split's columns before compression, from the footers."""
    return sum(map(_compute_uncompressed_file_bytes, split.paths))


def _compute_uncompressed_file_bytes(path: Path) -> int:
    # The footer of a file of many columns is a megabyte in memory; a split may have any number.
    footer = pq.read_metadata(arrow_source(path))
    return sum(footer.row_group(group).total_byte_size for group in range(footer.num_row_groups))


def count_rows(manifest: Manifest) -> int:
    """Return the number of rows of a dataset."""
    return sum(split.rows for _, _, split in manifest.iterate_splits())


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a datasheet.

    Attributes:
        heading: for people.
        rai: the property of Croissant's vocabulary that holds it; "" for none.
        text: what is said, plain sentences.
    """

    heading: str
    rai: str
    text: str


def build_datasheet(manifest: Manifest, people: Sequence[str]) -> list[Statement]:
    """Return the statements about a dataset.

    Args:
        manifest: its manifest.
        people: for each paper that measured people, what it says of them.
    """
    splits = list(dict.fromkeys(split for _, split, _ in manifest.iterate_splits()))
    training = [name for name in splits if is_training(name)]
    stated = [
        Statement("Intended use", "rai:dataUseCases", _describe_uses(training)),
        Statement(
            "Origin",
            "rai:dataCollection",
            "All rows were made by a program from a configuration and a seed: puzzles are drawn, "
            "solved or simulated exactly, drawn as pictures and put into words. Nothing was "
            "collected from the web or from people, and nobody labelled anything by hand.",
        ),
        Statement(
            "People in the data",
            "rai:personalSensitiveInformation",
            "There are none: no names, faces, opinions or other personal information.",
        ),
        Statement("Biases", "rai:dataBiases", _describe_biases()),
        Statement("Known limits", "rai:dataLimitations", _describe_limits(manifest)),
        Statement(
            "Upkeep",
            "rai:dataReleaseMaintenancePlan",
            "A published version never changes. A fault is corrected in a new version, whose "
            "changelog lists the changed rows and the reason.",
        ),
    ]
    if people:
        stated.append(Statement("How people do", "", " ".join(people)))
    return stated


def _describe_uses(training: Sequence[str]) -> str:
    measured = (
        "Measuring how well language and vision-language models see, reason and plan in space, by "
        "difficulty."
    )
    if training:
        measured += f" The splits named {', '.join(training)} are for training and tuning."
    return (
        f"{measured} A score describes performance on puzzles of this kind; it is no evidence "
        "that a model can be trusted to move anything in the world."
    )


def _describe_biases() -> str:
    return (
        "Prompts are in English and in one wording for each config. Pictures are clean drawings in "
        "a few fixed palettes that tell much by colour, with none of the noise of photographs. "
        "Difficulties have equal counts as far as the supply goes, which is not how often they "
        "occur; so an average over them weighs rare puzzles as much as common ones."
    )


def _describe_limits(manifest: Manifest) -> str:
    """Return where guessing does better than chance, what is short, and what was left out."""
    configs = manifest.configs
    above = [
        name
        for name, config in configs.items()
        if (floor := config.floor) is not None and floor.get("reason", "chance") != "chance"
    ]
    short = [
        name
        for name, config in configs.items()
        if any(cell.items < cell.asked for split in config.splits.values() for cell in split.cells)
    ]
    found = [
        "The programs that make and solve the puzzles are public, so a model that may run code can "
        "compute answers instead of reasoning."
    ]
    if above:
        found.append(
            "Players that never look at the puzzle may do better than chance in "
            f"{', '.join(above)}; the fairness audit shows by how much."
        )
    if short:
        found.append(f"There are fewer puzzles than requested in {', '.join(short)}.")
    if manifest.left_out:
        found.append("Some configs were left out; the card lists them.")
    return " ".join(found)


FILES = ("README.md", "CHANGELOG.md")
"""The files of a card."""


def render_texts(out: Path, manifest: Manifest, lookup: Lookup = load_task) -> dict[str, str]:
    """Return the texts of README.md and CHANGELOG.md of a dataset folder, by FILES.

    Args:
        out: the folder; its shards are complete.
        manifest: the manifest, which need not be on disk yet.
        lookup: finds a task by its name.
    """
    return dict(
        zip(FILES, (render_readme(out, manifest, lookup), render_changelog(manifest)), strict=True)
    )


def render_changelog(manifest: Manifest) -> str:
    """Return the changelog of a dataset, of the one entry that its manifest describes."""
    return _render_template(
        "changelog.md.jinja", manifest=manifest, manifest_hash=manifest.sha256()
    )


def render_readme(out: Path, manifest: Manifest, lookup: Lookup = load_task) -> str:
    """Return the dataset card: YAML for the Hub, then Markdown.

    Args:
        out: the dataset folder.
        manifest: its manifest.
        lookup: finds a task by its name.
    """
    configs = manifest.configs
    tasks = {name: lookup(config.task) for name, config in configs.items()}
    said = manifest.to_record()
    sources, shown = list_papers(said), collect_pictures(out)
    axes = {
        split.config: next(
            (row["difficulty_axis"] for row in split.iterate_rows(["difficulty_axis"])), ""
        )
        for split in dataset_reader.list_splits(out)
    }
    shared = [
        column
        for column in next(iter(tasks.values())).columns
        if all(column in task.columns for task in tasks.values())
    ]
    first = next(iter(configs))
    parts = sorted(dataset_reader.list_splits(out), key=lambda part: part.config != first)
    first_id = next(row["id"] for part in parts for row in part.iterate_rows(["id"]))
    body = _render_template(
        "card.md.jinja",
        place=PLACE,
        title=dataset_title(said),
        bibtex=dataset_bibtex(said),
        papers=[paper_bibtex(source) for source in sources],
        pictures={name: path for name in configs if (path := picture_path(name)) in shown},
        manifest=manifest,
        manifest_hash=manifest.sha256(),
        rows=count_rows(manifest),
        first=first,
        first_split=next(iter(configs[first].splits)),
        first_id=first_id,
        evaluation=[name for name in _split_names(manifest) if not is_training(name)],
        training=[name for name in _split_names(manifest) if is_training(name)],
        episodes=list_episode_configs(parts, tasks.__getitem__),
        custom_id=re.sub(r"[^A-Za-z0-9_-]", "-", first_id),
        overview=[
            _build_overview_row(name, config, tasks[name], axes[name])
            for name, config in configs.items()
        ],
        depths="optimal_depth" in axes.values(),
        smaller=_list_short_cells(configs),
        common=[(name, _format_arrow_type(kind), doc) for name, kind, doc in COMMON_COLUMNS],
        shared=shared,
        alike=_list_overlap_rows(manifest),
        columns={
            name: [column for column in task.columns if column not in shared]
            for name, task in tasks.items()
        },
        floors={name: config.floor for name, config in configs.items()},
        levels={
            name: _build_level_table(config.floor, axes[name]) for name, config in configs.items()
        },
        excused=_group_floor_reasons(configs),
        violations=manifest.audit_violations or (),
        audits={
            name: _build_audit_view(config.audit)
            for name, config in configs.items()
            if config.audit
        },
        deviations=deviations_page.render_table(dict.fromkeys(tasks.values())),
        datasheet=build_datasheet(manifest, list_human_results(sources)),
        sources=sources,
    )
    return f"---\n{build_metadata(out, manifest).to_yaml()}\n---\n\n{body}"


def _split_names(manifest: Manifest) -> list[str]:
    """Return the names of all splits, each once."""
    return list(dict.fromkeys(split for _, split, _ in manifest.iterate_splits()))


def _group_floor_reasons(configs: Mapping[str, ConfigEntry]) -> dict[str, list[tuple[str, float]]]:
    """Return the configs whose floor may exceed chance, by the reason that their tasks state.

    Returns:
        By reason, the names of the configs, each with the share that its task allows.
    """
    found: dict[str, list[tuple[str, float]]] = {}
    for name, config in configs.items():
        floor = config.floor
        if floor is not None and floor.get("reason", "chance") != "chance":
            found.setdefault(str(floor["reason"]), []).append((name, floor["declared"]))
    return found


def list_human_results(sources: Iterable[PaperSource]) -> list[str]:
    """Return what papers say of how people do."""
    return [source.people for source in sources if source.people]


def _build_overview_row(
    name: str, config: ConfigEntry, task: AnyTask, axis: str
) -> dict[str, object]:
    """Return one line of the table of configs."""
    splits = config.splits
    cells = [cell for inside in splits.values() for cell in inside.cells if cell.items]
    difficulties = sorted({cell.difficulty for cell in cells})
    counts = sorted({cell.items for cell in cells})
    stated = dict.fromkeys(floor_record.format_chance(inside.chance) for inside in splits.values())
    return {
        "name": name,
        "says": " ".join([_task_summary(task), *_format_fixed_params(config, task)]),
        "splits": ", ".join(splits),
        "rows": sum(inside.rows for inside in splits.values()),
        "effective": _format_effective_counts(config),
        "difficulty": f"{axis.replace('_', ' ')} {_format_number_range(difficulties)}",
        "per_cell": _format_number_range(counts)
        if len(counts) < 3
        else f"{counts[0]} to {counts[-1]}",
        "chance": ", ".join(stated),
        "floor": floor_record.format_floor(config.floor),
        "shortcut": floor_record.best_shortcut(config.floor),
        "version": config.task_version,
    }


LADDERS = "level"
"""The axis of tasks that are climbed."""


def _build_level_table(floor: floor_record.FloorRecord | None, axis: str) -> dict[str, object]:
    """Return the table of a config's levels: its columns, its rows, how many it leaves out.

    Args:
        floor: the config's floor.
        axis: its difficulty axis; where it is that of ladders, each shortcut has its R.
    """
    rows, left = ([], 0) if floor is None else floor_record.level_rows(floor)
    names = list(dict.fromkeys(name for row in rows for name in row))
    looks = {} if floor is None else floor.get("shortcuts", {})
    reached = {} if floor is None or axis != LADDERS else _list_expected_ladder_levels(floor)
    return {
        "columns": names,
        "rows": [[row.get(name, "-") for name in names] for row in rows],
        "left": left,
        "looks": {name: one["looks_at"] + reached.get(name, "") for name, one in looks.items()},
        "planning": floor_record.floor_notes(floor),
        "no_shortcut": "" if floor is None else floor.get("no_shortcut", ""),
    }


def _list_expected_ladder_levels(floor: floor_record.FloorRecord) -> dict[str, str]:
    """Return by shortcut what R its shares lead one to expect on a ladder of these levels."""
    levels = floor_record.list_levels(floor)
    found = {}
    for name in floor.get("shortcuts", {}):
        won = [
            (level["difficulty"], mine[name]["value"]) for _, level, mine in levels if name in mine
        ]
        if won:
            reach = estimate_reach([value for _, value in won], [place for place, _ in won])
            found[name] = f"; on a ladder of these levels its R is {reach.failed:.2f}"
    return found


def _format_effective_counts(config: ConfigEntry) -> str:
    """Return how many independent trials the rows of each split are worth, in their order."""
    found = [duplicates.read_effective_count(config.audit, split) for split in config.splits]
    return ", ".join("-" if worth is None else f"{worth:,.0f}" for worth in found)


def _list_overlap_rows(manifest: Manifest) -> list[dict[str, object]]:
    """Return where rows of evaluation splits show what training rows show, and why they may."""
    found: list[dict[str, object]] = []
    for name, config in manifest.configs.items():
        for split, inside in config.audit.items():
            figures = inside.get("figures", {}) if isinstance(inside, dict) else {}
            figure = figures.get("shown_in_train") if isinstance(figures, dict) else None
            if not isinstance(figure, dict):
                continue
            share, rows, why = figure["value"], figure.get("n"), figure.get("note", "no row should")
            if isinstance(share, int | float) and isinstance(rows, int) and share:
                line = {"config": name, "split": split, "count": round(share * rows)}
                found.append({**line, "n": rows, "note": why})
    return found


def _build_audit_view(record: Mapping[str, object]) -> dict[str, object]:
    """Return one config's audit for the card: that must be 0, that are excused, and others."""
    lines = list_closest_figures(record)
    return {
        "excused": [
            {"name": name, "where": where} | figure
            for name, where, figure in list_excused_figures(record)
        ],
        "zero": [name for name, _, figure in lines if figure.get("at_most") == 0],
        "lines": [
            {
                "name": name,
                "means": describe_figure(name),
                "where": where,
                "allowed": format_limit(figure),
            }
            | figure
            for name, where, figure in lines
            if figure.get("at_most") != 0
        ],
    }


def _task_summary(task: AnyTask) -> str:
    """Return the first sentence of the module that defines a task."""
    doc = sys.modules[type(task).__module__].__doc__ or task.name
    first = re.split(r"(?<=[.?!])\s", doc.strip(), maxsplit=1)[0]
    return " ".join(first.split())


def _format_fixed_params(config: ConfigEntry, task: AnyTask) -> list[str]:
    """Return the params of a config that are fixed and not at their default, in words."""
    default = {param.name: param.default for param in dataclasses.fields(task.params)}
    set_here = {
        name: value
        for name, value in config.params.items()
        if not isinstance(value, list) and value != default.get(name)
    }
    words = [f"{name}={value}" for name, value in set_here.items()]
    return [f"({', '.join(words)})"] if words else []


def _format_number_range(numbers: list[int]) -> str:
    """Return ascending numbers in words, an unbroken run by its ends."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(str(number) for number in numbers)


def _list_short_cells(configs: Mapping[str, ConfigEntry]) -> list[dict[str, object]]:
    """Return the cells that have fewer items than asked for; equal ones of many configs in one."""
    found: dict[tuple[str, int, int, str], list[str]] = {}
    for name, config in configs.items():
        for inside in config.splits.values():
            for cell in inside.cells:
                if cell.items < cell.asked:
                    key = (cell.label, cell.items, cell.asked, cell.note)
                    found.setdefault(key, []).append(f"`{name}`")
    return [
        {
            "label": label,
            "got": items,
            "asked": asked,
            "note": note,
            "where": "all" if len(names) == len(configs) else ", ".join(names),
        }
        for (label, items, asked, note), names in found.items()
    ]


def _format_arrow_type(kind: pa.DataType) -> str:
    """Return an Arrow type in short; the YAML lists the fields of structs."""
    if pa.types.is_list(kind):
        return f"list<{_format_arrow_type(kind.value_type)}>"
    if kind == IMAGE:
        return "image"
    return "struct" if pa.types.is_struct(kind) else str(kind)


def _escape_cell(text: str) -> str:
    """Return plain text as it must be written in a cell of a Markdown table."""
    return text.replace("\n", " ").replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


def _render_template(name: str, **values: object) -> str:
    """Return a template filled in; a name that is missing is an error."""
    environment = Environment(
        loader=PackageLoader("facelet.pipeline", "card"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # Markdown and YAML, not HTML
    )
    environment.filters["cell"] = _escape_cell
    environment.filters["quoted"] = lambda text: json.dumps(str(text), ensure_ascii=False)
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment.get_template(name).render(**values)
