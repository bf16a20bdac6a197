"""Compose the row of an instance, with the messages and pictures of its first prompt.

Builds and streams make their rows here, so that a row says the same wherever it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from facelet._version import __version__
from facelet.generators.core.seeding import Draw
from facelet.generators.core.shown_keys import list_sorted_classes
from facelet.generators.core.task import Difficulty
from facelet.pipeline.dataset.row_columns import canary_value, prompt_to_messages, row_id
from facelet.pipeline.dataset.row_hashes import canonical_json
from facelet.pipeline.family_modules import AnyTask
from facelet.renderers.api import render_png
from facelet.renderers.scenes.records import Scene

GENERATOR = f"facelet {__version__}"


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row stands.

    Attributes:
        config: name of its config, "<suite>.<name>".
        suite: name of its suite.
        split: name of its split.
        difficulty: its place on the task's axis.
        label: path element of its id.
    """

    config: str
    suite: str
    split: str
    difficulty: Difficulty
    label: str


def build_provenance(draw: Draw) -> dict[str, object]:
    """Return how an item came about, as its rows say it."""
    names = [*draw.path, "item", draw.index, "attempt", draw.attempt]
    return {
        "generator": GENERATOR,
        "seed_path": canonical_json(names),
        "attempt": draw.attempt,
    }


def compose_row(
    task: AnyTask, instance: object, place: RowPlace, number: tuple[int, int | None], draw: Draw
) -> tuple[dict[str, Any], list[Scene]]:
    """Return the row of an instance and the scenes of its first prompt.

    Args:
        task: the task that made the instance.
        instance: the instance.
        place: where the row stands.
        number: number and place in its item, as `row_id` takes them.
        draw: the draw that the instance came of.

    Raises:
        ValueError: the encoded columns are not those that the task declares.
    """
    typed = task.encode(instance)
    _check_columns(task, typed)
    chat, scenes = prompt_to_messages(task.open(instance).prompt())
    row = {
        "id": row_id(place.config, place.label, *number),
        "suite": place.suite,
        "task": task.name,
        "task_version": task.version,
        "split": place.split,
        "difficulty_axis": place.difficulty.axis,
        "difficulty": place.difficulty.value,
        "group": task.group_key(instance),
        "messages": chat,
        "gold": task.gold_answer(instance),
        "canary": canary_value(place.split),
        "provenance": build_provenance(draw),
        "shown": list_sorted_classes(task.name, task.list_shown_keys(instance)),
        **typed,
    }
    return row, scenes


def _check_columns(task: AnyTask, typed: Mapping[str, object]) -> None:
    """Raise ValueError if encoded columns are not those that the task declares."""
    declared = {column.name: column for column in task.columns}
    missing = [
        name for name, column in declared.items() if not column.optional and typed.get(name) is None
    ]
    extra = sorted(typed.keys() - declared.keys())
    if missing or extra:
        raise ValueError(
            f"{task.name}.encode leaves out {missing} and adds {extra}; it must fill "
            f"{sorted(declared)}"
        )


def attach_pictures(row: Mapping[str, Any], scenes: Sequence[Scene]) -> dict[str, Any]:
    """Return a row with its pictures and their pixel hashes.

    Args:
        row: the row, yet undrawn.
        scenes: the scenes of its messages, in reading order.
    """
    drawn = [_render_scene(scene) for scene in scenes]
    images = [{"bytes": data, "path": f"{row['id']}#{k}.png"} for k, (data, _) in enumerate(drawn)]
    return {**row, "images": images, "image_hashes": [pixels for _, pixels in drawn]}


@lru_cache(maxsize=1024)
def _render_scene(scene: Scene) -> tuple[bytes, str]:
    """Draw a scene; rows that show the same puzzle stand close to each other."""
    return render_png(scene)
