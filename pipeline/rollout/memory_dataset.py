"""Datasets in memory: rows of one task made on the spot, without a folder, and scored one by one.

    data = facelet.create_dataset("labyrinth/plan", size=100, seed=7, turns=2)
    entry = data[0]
    entry["question"], entry["answer"]          # the first prompt as text, and a right reply
    data.score_answer(reply, entry)             # 0.0 to 1.0, by replay

The rows are those of a build with the same seed, params and split: item i does not depend on how
many there are. Where a task rests on a pool (certified cube states), the pool depends on its size,
and so do its rows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, overload

from facelet.generators.core.task import Params
from facelet.pipeline import family_modules
from facelet.pipeline.config.params_parser import read_params
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.family_modules import AnyTask, FamilySettings
from facelet.pipeline.resource_providers import Resource
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow
from facelet.pipeline.rollout.streams.cell_items import draw_item, pool_of, read_family_defaults


class MemoryEntry(TypedDict):
    """One entry; see `Entries.__getitem__`."""

    question: str
    answer: str | list[str]
    messages: Chat
    metadata: dict[str, Any]


ITEMS = 64
"""Items whose rows are kept, the oldest of them first to go."""


class Entries(Sequence[MemoryEntry]):
    """The entries of one task; `create_dataset` makes them. An entry is made when it is asked for.

    Attributes:
        task: name of the task.
        params: its params, all of them.
        seed: root of all seeds.
        split: the split that the seeds name.
    """

    def __init__(
        self,
        task: AnyTask,
        params: Params,
        size: int,
        seed: int,
        split: str,
        resource: Resource | None,
    ) -> None:
        """Hold what entries are made from.

        Args:
            task: the task.
            params: its validated params.
            size: number of entries.
            seed: root of all seeds.
            split: the split that the seeds name.
            resource: what the task asked for, or None.
        """
        self.task, self.params, self.seed, self.split = task.name, params, seed, split
        self._task, self._size, self._resource = task, size, resource
        self._rows: dict[int, list[object]] = {}

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._size

    @overload
    def __getitem__(self, index: int) -> MemoryEntry: ...

    @overload
    def __getitem__(self, index: slice) -> list[MemoryEntry]: ...

    def __getitem__(self, index: int | slice) -> MemoryEntry | list[MemoryEntry]:
        """Return an entry, or a list of them for a slice.

        An entry has `question` (the first prompt as text; pictures are named in it), `answer` (a
        right reply; a list of them for an episode of several turns), `messages` (the same prompt as
        a chat, pictures as data URLs) and `metadata` (id, task, version, difficulty, gold, and the
        row's own columns).
        """
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(self._size))]
        if not -self._size <= index < self._size:
            raise IndexError(f"entry {index} of {self._size}")
        index %= self._size
        per_item = self._task.rows_per_item(self.params) or 1
        instance = self._item_instances(index // per_item)[index % per_item]
        place = self.params.difficulty()
        row = {
            "id": f"{self.task}/{place.label}/{index:06d}",
            "task": self.task,
            "task_version": self._task.version,
            "difficulty": place.value,
            "gold": self._task.gold_answer(instance),
            **self._task.encode(instance),
        }
        play, said = self._open_play(row, instance), self._task.reference(instance)
        return {
            "question": _chat_text(play.messages),
            "answer": said[0] if len(said) == 1 else said,
            "messages": play.messages,
            "metadata": row,
        }

    def __iter__(self) -> Iterator[MemoryEntry]:
        """Yield the entries."""
        return (self[index] for index in range(self._size))

    def score_answer(
        self,
        answer: str | Sequence[str] | None,
        entry: Mapping[str, Any],
        weights: Weights | None = None,
    ) -> float:
        """Return what an answer to an entry is worth, 0 to 1, by replaying it.

        Args:
            answer: the reply, or the replies of an episode in order; None is no reply.
            entry: an entry of this dataset, also after JSON.
            weights: what partly right answers and the requested format are worth.
        """
        replies = [] if answer is None else [answer] if isinstance(answer, str) else list(answer)
        play = self.play(entry)
        for reply in replies:
            if play.done:
                break
            play.reply(reply)
        return reward(play.outcome, weights, play.replies) if play.outcome else 0.0

    def play(self, entry: Mapping[str, Any]) -> Play:
        """Return a fresh episode of an entry, for a player of many turns."""
        row = entry["metadata"]
        return self._open_play(row, self._task.decode(row))

    def _open_play(self, row: AnyRow, instance: object) -> Play:
        """Return a fresh episode of a row."""
        return Play(OpenedRow(str(row["id"]), self._task, instance, [], ()))

    def _item_instances(self, index: int) -> list[object]:
        """Return the instances of an item."""
        if index not in self._rows:
            if len(self._rows) >= ITEMS:
                del self._rows[next(iter(self._rows))]
            place = self.params.difficulty()
            path = (self.seed, self.task, self._task.version, self.split, place.axis, place.value)
            self._rows[index] = draw_item(self._task, self.params, path, index, self._resource)[1]
        return self._rows[index]


def create_dataset(
    task: str,
    size: int = 500,
    seed: int = 0,
    *,
    split: str = "test",
    told: FamilySettings | None = None,
    params: Mapping[str, object] | None = None,
    **more: object,
) -> Entries:
    """Return a dataset of one task in memory.

    Args:
        task: name of the task, such as "labyrinth/plan"; an unknown name lists what there is.
        size: number of entries; at least 1.
        seed: root of all seeds; the same seed gives the same entries.
        split: which split's seeds are used; those of "train" and "test" differ.
        told: keys of the task's family, such as {"table": "small"} for tasks of the cube.
        params: params of the task whose names are taken here, such as {"size": 128}.
        more: params of the task; the others keep their defaults.

    Raises:
        ValueError: the task or a param is unknown or out of range, or there are fewer entries.
    """
    if size < 1:
        raise ValueError(f"size={size} is out of range; ask for at least 1 entry")
    family = family_modules.family_name(task)
    wishes = {**read_family_defaults(family), **(told or {})}
    found = family_modules.load_task(task, wishes)
    values = {name: wishes[name] for name in _list_shared_keys(found, wishes)} | more
    made = read_params(found, {**values, **(params or {})}, task)
    per_item = found.rows_per_item(made)
    if per_item is None:
        raise ValueError(
            f"items of {task} become different numbers of rows; build it into a folder with "
            "`facelet build`"
        )
    items = -(-size // per_item)
    resource = pool_of(found, made, items, seed, split, ((split, 1),), {family: wishes})
    most = found.capacity(made) if resource is None else resource.capacity
    if most is not None and most < items:
        raise ValueError(f"size={size} is out of range; {task} has {most * per_item} entries here")
    return Entries(found, made, size, seed, split, resource)


def _list_shared_keys(task: AnyTask, wishes: FamilySettings) -> list[str]:
    """Return the keys of a family that are params of a task too."""
    names = {part.name for part in dataclasses.fields(task.params)}
    return sorted(names & wishes.keys())


def _chat_text(chat: Chat) -> str:
    """Return a chat as one text; pictures are named by their number."""
    parts: list[str] = []
    pictures = 0
    for message in chat:
        content = message["content"]
        if isinstance(content, str):
            parts.append(content)
            continue
        for part in content:
            if part["type"] == "text":
                parts.append(part["text"])
            else:
                pictures += 1
                parts.append(f"[picture {pictures}]")
    return "\n\n".join(parts)
