"""Generate the items of one cell, and the pool that they draw from, in this process.

Item i depends on the seed alone, not on the process or on the items that were generated before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files

from omegaconf import OmegaConf

from facelet.generators.core.seeding import Draw, digest_names
from facelet.generators.core.task import Difficulty, Params, Reject
from facelet.pipeline.family_modules import AnyTask, FamilySettings, family_name, load_task
from facelet.pipeline.resource_providers import PoolRequest, Resource, assign_pools, find_provider

ATTEMPTS = 1000
"""Draws of one item before it counts as impossible."""

Splits = tuple[tuple[str, int], ...]
"""Names and weights of splits."""


@dataclass(frozen=True, slots=True)
class StreamCell:
    """One task at one difficulty.

    Attributes:
        config: name of the config, "<suite>.<name>", or of the task in a stream of one task.
        task: name of the task.
        version: version of the task.
        params: all of its params, validated.
        split: split whose seeds are used.
        difficulty: position on the task's axis.
        label: path element of row ids.
    """

    config: str
    task: str
    version: int
    params: Params
    split: str
    difficulty: Difficulty
    label: str

    @property
    def cell_name(self) -> str:
        """Name of the cell: the prefix of its rows' ids."""
        return f"{self.config}/{self.label}"

    def seed_path(self, root: int) -> tuple[int | str, ...]:
        """Return the seed path of the cell.

        Args:
            root: root of all seeds.
        """
        axis, value = self.difficulty.axis, self.difficulty.value
        return (root, self.task, self.version, self.split, axis, value)


def read_family_defaults(family: str) -> dict[str, str | None]:
    """Return the default settings of a family."""
    path = files("facelet.conf").joinpath("family", f"{family}.yaml")
    if not path.is_file():
        return {}
    keys = OmegaConf.create(path.read_text(encoding="utf-8"))
    return {str(name): key["default"] for name, key in keys.items() if "default" in key}


def load_with_settings(
    name: str, told: FamilySettings
) -> tuple[AnyTask, dict[str, FamilySettings], dict[str, object]]:
    """Load a task with settings of its family.

    Args:
        name: name of the task.
        told: settings that differ from the family's defaults.

    Returns:
        The task, all settings by family, and the settings that are params of the task as well.
    """
    family = family_name(name)
    settings = {**read_family_defaults(family), **told}
    task = load_task(name, settings)
    shared = {field.name for field in fields(task.params)} & settings.keys()
    return task, {family: settings}, {key: settings[key] for key in sorted(shared)}


def pool_of(
    task: AnyTask,
    params: Params,
    count: int,
    seed: int,
    split: str,
    splits: Splits,
    told: Mapping[str, FamilySettings],
    *,
    lazy: bool = False,
) -> Resource | None:
    """Return the resource that a task needs; None if it needs none.

    Args:
        task: the task.
        params: its params.
        count: number of items.
        seed: root of all seeds.
        split: split that uses the resource.
        splits: all splits and their weights.
        told: settings by family.
        lazy: whether pieces are made when the task asks for them, where it allows that; then a
            piece may equal another one.
    """
    if (need := task.needs(params)) is None:
        return None
    request = PoolRequest(need, split, count)
    pool = assign_pools([request], seed, splits, told)[request]
    source, wishes = find_provider(need.kind), told[family_name(need.kind)]
    source.prepare([pool], wishes, False)
    if lazy and not task.whole_pool:
        return source.open(pool, wishes)
    parts = [source.make(pool, chunk, wishes) for chunk in range(pool.chunks)]
    return source.load(pool, source.merge(pool, parts, wishes))


def draw_item(
    task: AnyTask,
    params: Params,
    path: tuple[int | str, ...],
    index: int,
    resource: Resource | None,
) -> tuple[Draw, list[object]]:
    """Return the first draw of an item that the task accepts, and its instances.

    Args:
        task: the task.
        params: its params.
        path: the seed path.
        index: number of the item.
        resource: the resource that the task needs, or None.

    Raises:
        ValueError: every draw was rejected.
    """
    reason = ""
    for attempt in range(ATTEMPTS):
        draw = Draw(path, index, attempt)
        try:
            return draw, list(task.generate(params, draw, resource))
        except Reject as reject:
            reason = str(reject)
    raise ValueError(f"{task.name}: item {index} was rejected {ATTEMPTS} times (last: {reason})")


class EndlessItems:
    """The endless items of a cell, generated in rounds.

    A round has as many items as a pool of `POOL` states should support, or as there are distinct
    items. Each round has its own seeds, and so another pool, other options and other looks. A
    smaller pool serves its round several times, each time with other seeds.

    A state is made when an item asks for it. Where items depend on the whole pool, the first rounds
    have pools of 2, 4, 8 states and so on, so that the first item costs two states.
    """

    POOL = 256
    """States of a pool; a power of 2."""

    def __init__(
        self, cell: StreamCell, seed: int, splits: Splits, told: Mapping[str, FamilySettings]
    ) -> None:
        """Store what items are generated from.

        Args:
            cell: the cell.
            seed: root of all seeds.
            splits: all splits and their weights.
            told: settings by family.
        """
        self.cell, self._seed, self._splits, self._told = cell, seed, splits, told
        self.task = load_task(cell.task, told[family_name(cell.task)])
        self._pooled = self.task.needs(cell.params) is not None
        self._capacity = self.task.capacity(cell.params)
        # Consecutive rows share items and pools, so a few of each are cached.
        self._pool = lru_cache(maxsize=2)(self._make_pool)
        self.item = lru_cache(maxsize=4)(self._draw_item)

    def _draw_item(self, index: int, instead: int = 0) -> tuple[Draw, list[object]]:
        """Return an item's draw and its instances.

        Args:
            index: number of the item.
            instead: 0 for the item itself, k for its k-th replacement.
        """
        pool, size = None, self._capacity
        if self._pooled:
            each = self.task.items_per_state(self.cell.params)
            turn, states, place = self._find_round(index, each, instead)
            root = self._round_root(turn)
            pool = self._pool(root, states)
            size = pool.capacity * each
            again, place = divmod(place, size)
            root = _hash_to_number(root, "again", again) if again else root
        else:
            turn, place = (0, index) if size is None else divmod(index, size)
            root = self._round_root(turn)
        if instead:
            root = _hash_to_number(root, "instead", index, instead)
            place = place if size is None else (place + instead) % size
        return draw_item(self.task, self.cell.params, self.cell.seed_path(root), place, pool)

    def _find_round(self, index: int, each: int, instead: int) -> tuple[int, int, int]:
        """Return the number of an item's round, the states of its pool, and the item's place."""
        turn, place = divmod(index, self.POOL * each)
        if not self.task.whole_pool or instead:  # a small pool may have no replacement
            return turn, self.POOL, place
        early = self.POOL - 2  # states of the rounds whose pools are smaller
        if index < early * each:
            turn = (index // each + 2).bit_length() - 2
            return turn, 2 << turn, index - ((2 << turn) - 2) * each
        turn, place = divmod(index - early * each, self.POOL * each)
        return turn + early.bit_length() - 1, self.POOL, place

    def _round_root(self, turn: int) -> int:
        """Return the root of the seeds of a round; round 0 uses the stream's seed."""
        return self._seed if turn == 0 else _hash_to_number(self._seed, "round", turn)

    def _make_pool(self, root: int, states: int) -> Resource:
        made = pool_of(
            self.task,
            self.cell.params,
            states,
            root,
            self.cell.split,
            self._splits,
            self._told,
            lazy=True,
        )
        assert made is not None
        if not made.capacity:
            raise ValueError(
                f"{self.cell.cell_name}: split {self.cell.split!r} has no state of this kind; "
                "leave the level out"
            )
        return made


def _hash_to_number(*names: int | str) -> int:
    """Hash names to a number below 2 ** 62."""
    return int.from_bytes(digest_names("stream", *names)[:8], "little") >> 2
