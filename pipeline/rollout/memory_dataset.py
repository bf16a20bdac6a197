"""Generate rows of one task in memory and score answers to them, without a dataset folder.

    data = facelet.create_dataset("labyrinth/plan", size=100, seed=7, turns=2)
    entry = data[0]
    entry["question"], entry["answer"]          # the first prompt as text, and a right reply
    data.score_answer(reply, entry)             # 0.0 to 1.0, by replay

The rows equal those of a build with the same seed, params and split: item i does not depend on the
number of items. Tasks that draw from a pool (certified cube states) are the exception: the pool and
its rows depend on its size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypedDict, overload

from facelet.generators.core.task import Params
from facelet.pipeline.config.settings_resolver import read_params
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.family_modules import AnyTask, FamilySettings
from facelet.pipeline.resource_providers import Resource
from facelet.pipeline.rollout.chat_messages import Chat, chat_text
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow
from facelet.pipeline.rollout.streams.cell_items import draw_item, load_with_settings, pool_of


class MemoryEntry(TypedDict):
    """One entry; see `Entries.__getitem__`."""

    question: str
    answer: str | list[str]
    messages: Chat
    metadata: dict[str, Any]


ITEMS = 64
"""Items whose rows are cached; the oldest is dropped first."""


class Entries(Sequence[MemoryEntry]):
    """The entries of one task, each generated on first use; `create_dataset` returns them.

    Attributes:
        task: name of the task.
        params: all of its params.
        seed: root of all seeds.
        split: split whose seeds are used.
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
        """Store what entries are generated from.

        Args:
            task: the task.
            params: its validated params.
            size: number of entries.
            seed: root of all seeds.
            split: split whose seeds are used.
            resource: the resource that the task needs, or None.
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

        An entry has `question` (the first prompt as text, with placeholders for pictures), `answer`
        (a correct reply, or a list of replies for an episode of several turns), `messages` (the
        prompt as a chat with pictures as data URLs) and `metadata` (id, task, version, difficulty,
        gold and the row's own columns).
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
            "question": chat_text(play.messages, "[picture {}]"),
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
        """Return the reward of an answer to an entry, 0 to 1, by replaying it.

        Args:
            answer: the reply, or the replies of an episode in order; None for no reply.
            entry: an entry of this dataset, also after a round trip through JSON.
            weights: weights of partial answers and of the requested format.
        """
        replies = [] if answer is None else [answer] if isinstance(answer, str) else list(answer)
        play = self.play(entry)
        for reply in replies:
            if play.done:
                break
            play.reply(reply)
        return reward(play.outcome, weights, play.replies) if play.outcome else 0.0

    def play(self, entry: Mapping[str, Any]) -> Play:
        """Start an episode of an entry."""
        row = entry["metadata"]
        return self._open_play(row, self._task.decode(row))

    def _open_play(self, row: AnyRow, instance: object) -> Play:
        """Start an episode of a row."""
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
    size: int | None = None,
    seed: int = 0,
    *,
    split: str = "test",
    told: FamilySettings | None = None,
    params: Mapping[str, object] | None = None,
    at_most: int = 500,
    **more: object,
) -> Entries:
    """Return a dataset of one task in memory.

    Args:
        task: name of the task, such as "labyrinth/plan"; an unknown name lists all tasks.
        size: number of entries, at least 1. By default `at_most`, or all entries of a task that has
            fewer.
        seed: root of all seeds; the same seed gives the same entries.
        split: split whose seeds are used; those of "train" and "test" differ.
        told: keys of the task's family, such as {"table": "small"} for tasks of the cube.
        params: params of the task whose names are arguments here, such as {"size": 128}.
        at_most: number of entries where `size` is left out.
        more: params of the task; the others keep their defaults.

    Raises:
        ValueError: the task or a param is unknown or out of range, or the task has fewer entries
            than `size`.
    """
    count = at_most if size is None else size
    if count < 1:
        raise ValueError(f"size={count} is out of range; use at least 1")
    found, settings, values = load_with_settings(task, told or {})
    made = read_params(found, {**values, **more, **(params or {})}, task)
    if (per_item := found.rows_per_item(made)) is None:
        raise ValueError(
            f"items of {task} have different numbers of rows; build it into a folder with "
            "`facelet build`"
        )
    items = -(-count // per_item)
    resource = pool_of(found, made, items, seed, split, ((split, 1),), settings)
    capacity = found.capacity(made) if resource is None else resource.capacity
    if capacity is not None and capacity < items:
        if size is not None:
            raise ValueError(
                f"size={size} is out of range; {task} has {capacity * per_item} entries here"
            )
        count = capacity * per_item
    return Entries(found, made, count, seed, split, resource)
