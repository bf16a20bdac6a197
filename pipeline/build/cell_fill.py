"""Count the items that each cell of a plan gets, given its pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from facelet.generators.core import task_registry
from facelet.pipeline.build.build_plan import PlanCell
from facelet.pipeline.build.pool_stages import PoolFile
from facelet.pipeline.family_modules import AnyTask


@dataclass(frozen=True, slots=True)
class CellFill:
    """How many items a cell gets.

    Attributes:
        cell: the cell of the plan.
        task: its task.
        items: number of items.
        capacity: most items that its pool or its task allows; None where nothing bounds them.
        note: why there are fewer items, or fewer pieces of the pool, than requested; "" if there
            are as many.
        pieces: pieces of the pool that its items use; None without a pool.
    """

    cell: PlanCell
    task: AnyTask
    items: int
    capacity: int | None = None
    note: str = ""
    pieces: int | None = None


def fill_cells(cells: Sequence[PlanCell], pools: Mapping[str, PoolFile]) -> list[CellFill]:
    """Return how many items each cell gets, in the order of the plan.

    Args:
        cells: the cells of the plan.
        pools: the finished pools by key.

    Raises:
        ValueError: no cell gets any.
    """
    filled = [
        _fill_cell(cell, task_registry.load_task(cell.task), pools.get(cell.pool or ""))
        for cell in cells
    ]
    if not any(one.items for one in filled):
        notes = "; ".join(sorted({one.note for one in filled}))
        raise ValueError(f"no item can be made: {notes}; choose other params, depths or levels")
    return filled


def _fill_cell(cell: PlanCell, task: AnyTask, pool: PoolFile | None) -> CellFill:
    """Return how many items a cell gets.

    Args:
        cell: the cell.
        task: its task.
        pool: its pool; None without one.
    """
    params = cell.make_params(task)
    if pool is not None:
        about, draws = pool.record.about, task.items_per_state(params)
        capacity = about["capacity"]
        items = min(cell.asked, capacity * draws)
        note = about["shortfall"] if capacity < cell.asked else ""
        if note and items > capacity:
            note += f"; {items} items are made of them, at most {draws} of each"
        return CellFill(cell, task, items, capacity * draws, note, min(items, capacity))
    if (most := task.capacity(params)) is None or most >= cell.asked:
        return CellFill(cell, task, cell.asked, most)
    note = f"{cell.task} has {most} distinct items here, {cell.asked} were asked for"
    return CellFill(cell, task, most, most, note)
