"""Estimate what the configs of a plan cost a model: requests, prompt tokens and pictures.

Each config is measured on one item of its lowest difficulty, played by the task's own reference
player, and multiplied by its rows. Higher difficulties and longer replies cost more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.task import Need, Outcome
from facelet.pipeline.build.build_plan import DEFAULT_SPLIT, BuildPlan, count_rows
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.resource_providers import Resource
from facelet.pipeline.rollout.row_selection import SIGNS_PER_TOKEN
from facelet.pipeline.rollout.streams.cell_items import draw_item, load_with_settings, pool_of


@dataclass(frozen=True, slots=True)
class ConfigCost:
    """What all rows of a config cost.

    Attributes:
        config: its name.
        task: name of its task.
        rows: its rows.
        requests: requests, one a turn.
        tokens: characters of all prompts, divided by four; each turn sends the chat so far.
        pictures: pictures in all prompts.
    """

    config: str
    task: str
    rows: int
    requests: int
    tokens: int
    pictures: int


def estimate_costs(plan: BuildPlan, seed: int = 0) -> Iterator[ConfigCost]:
    """Yield the cost of each config of a plan.

    Args:
        plan: the plan.
        seed: root of the seeds of the items that are measured.
    """
    resources: dict[Need, Resource | None] = {}
    for config, cells in plan.cells_by_config().items():
        first = cells[0]
        task, told, _ = load_with_settings(first.task, {})
        params = first.make_params(task)
        need = task.needs(params)
        if need is not None and need not in resources:
            splits = ((DEFAULT_SPLIT, 1),)
            resources[need] = pool_of(task, params, 1, seed, DEFAULT_SPLIT, splits, told)
        resource = None if need is None else resources[need]
        _, instances = draw_item(task, params, (seed, *first.seed_names), 0, resource)
        rows = count_rows(cells) or sum(cell.asked for cell in cells) * len(instances)
        measured = (rows * number for number in _measure_play(task, instances[0]))
        yield ConfigCost(config, first.task, rows, *measured)


def _measure_play(task: AnyTask, instance: object) -> tuple[int, int, int]:
    """Return requests, prompt tokens and pictures of a play by the reference player."""
    episode = task.open(instance)
    prompt: Prompt | Outcome = episode.prompt()
    requests = signs = pictures = chat_signs = chat_pictures = 0
    for reply in task.reference(instance):
        if isinstance(prompt, Outcome):
            break
        if prompt.fresh:
            chat_signs = chat_pictures = 0
        parts = [part for message in prompt.messages for part in message.parts]
        texts = [part.text for part in parts if isinstance(part, TextPart)]
        chat_signs += sum(map(len, texts))
        chat_pictures += len(parts) - len(texts)
        requests += 1
        signs += chat_signs
        pictures += chat_pictures
        chat_signs += len(reply)
        prompt = episode.reply(reply)
    return requests, signs // SIGNS_PER_TOKEN, pictures
