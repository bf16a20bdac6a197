"""Items of one cell, made in this process: what rests on a pool has it made here too.

Knows how a task is asked for item i: seeds, attempts, and the pool that it draws from. Item i does
not depend on who asks, nor on what was asked before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from omegaconf import OmegaConf

from facelet.generators.core.seeding import Draw, digest_names
from facelet.generators.core.task import Difficulty, Params, Reject
from facelet.pipeline import family_modules
from facelet.pipeline.family_modules import AnyTask, FamilySettings
from facelet.pipeline.resource_providers import PoolRequest, Resource, assign_pools, find_provider

ATTEMPTS = 1000
"""Draws of one item before it is given up."""

Splits = tuple[tuple[str, int], ...]
"""Names of splits with their weights."""


@dataclass(frozen=True, slots=True)
class StreamCell:
    """One task at one difficulty.

    Attributes:
        config: name of the config, "<suite>.<name>", or the task's where it stands alone.
        task: name of the task.
        version: its version.
        params: its params, all of them, validated.
        split: the split that its seeds name.
        difficulty: place on the task's axis.
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
        """Name of the cell, the beginning of its rows' ids."""
        return f"{self.config}/{self.label}"

    def seed_path(self, root: int) -> tuple[int | str, ...]:
        """Return the names of the cell's seeds.

        Args:
            root: the root of all seeds.
        """
        axis, value = self.difficulty.axis, self.difficulty.value
        return (root, self.task, self.version, self.split, axis, value)


def read_family_defaults(family: str) -> dict[str, str | None]:
    """Return what a family is told where nobody says otherwise."""
    path = files("facelet.conf").joinpath("family", f"{family}.yaml")
    if not path.is_file():
        return {}
    keys = OmegaConf.create(path.read_text(encoding="utf-8"))
    return {str(name): key["default"] for name, key in keys.items() if "default" in key}


def pool_of(
    task: AnyTask,
    params: Params,
    count: int,
    seed: int,
    split: str,
    splits: Splits,
    told: Mapping[str, FamilySettings],
) -> Resource | None:
    """Return what a task asks for, made in this process; None if it asks for nothing.

    Args:
        task: the task.
        params: its params.
        count: number of items.
        seed: root of all seeds.
        split: the split that the resource is for.
        splits: all splits with their weights.
        told: what each family is told.
    """
    need = task.needs(params)
    if need is None:
        return None
    request = PoolRequest(need, split, count)
    pool = assign_pools([request], seed, splits, told)[request]
    source, wishes = find_provider(need.kind), told[family_modules.family_name(need.kind)]
    source.prepare([pool], wishes, False)
    parts = [source.make(pool, chunk, wishes) for chunk in range(pool.chunks)]
    return source.load(pool, source.merge(pool, parts, wishes))


def draw_item(
    task: AnyTask,
    params: Params,
    path: tuple[int | str, ...],
    index: int,
    resource: Resource | None,
) -> tuple[Draw, list[object]]:
    """Return the first draw of an item that is not rejected, and its instances.

    Args:
        task: the task.
        params: its params.
        path: the names of the seed.
        index: number of the item.
        resource: what the task asked for, or None.

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
    """The items of a cell without end: where pieces or distinct items run out, they begin anew.

    A round is as many items as a pool of `POOL` pieces should carry, or as there are distinct ones.
    Each round has seeds of its own, and so another pool, other options, other looks; a pool that is
    smaller serves its round several times, each with seeds of its own.
    """

    POOL = 256
    """Pieces of a pool: made in one go when the first of them is asked for."""

    def __init__(
        self, cell: StreamCell, seed: int, splits: Splits, told: Mapping[str, FamilySettings]
    ) -> None:
        """Hold what items are made from.

        Args:
            cell: the cell.
            seed: root of all seeds.
            splits: all splits with their weights.
            told: what each family is told.
        """
        self.cell, self._seed, self._splits, self._told = cell, seed, splits, told
        self.task = family_modules.load_task(cell.task, told[family_modules.family_name(cell.task)])
        self._pooled = self.task.needs(cell.params) is not None
        self._capacity = self.task.capacity(cell.params)
        # Rows that follow each other share items and pools; a few of each are kept.
        self._pool = lru_cache(maxsize=2)(self._make_pool)
        self.item = lru_cache(maxsize=4)(self._draw_item)

    def _draw_item(self, index: int, instead: int = 0) -> tuple[Draw, list[object]]:
        """Return an item's draw and its instances.

        Args:
            index: number of the item.
            instead: 0 for the item itself, k for the k-th that may stand in its place.
        """
        pool, size = None, self._capacity
        if self._pooled:
            each = self.task.items_per_state(self.cell.params)
            turn, place = divmod(index, self.POOL * each)
            root = self._round_root(turn)
            pool = self._pool(root)
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

    def _round_root(self, turn: int) -> int:
        """Return the root of the seeds of a round; the first has the stream's own."""
        return self._seed if turn == 0 else _hash_to_number(self._seed, "round", turn)

    def _make_pool(self, root: int) -> Resource:
        made = pool_of(
            self.task,
            self.cell.params,
            self.POOL,
            root,
            self.cell.split,
            self._splits,
            self._told,
        )
        assert made is not None
        if not made.capacity:
            raise ValueError(
                f"{self.cell.cell_name}: no state of this kind belongs to the "
                f"split {self.cell.split!r}; "
                "leave the level out"
            )
        return made


def _hash_to_number(*names: int | str) -> int:
    """Return a number below 2 ** 62 that follows from names."""
    return int.from_bytes(digest_names("stream", *names)[:8], "little") >> 2
