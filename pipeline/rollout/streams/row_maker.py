"""Making: the rows of a stream's cells, in this process or another.

A maker holds all that decides the rows and nothing that was made, so it travels to workers. A row
that the split may not hold, or that shows what is held out, is replaced by another of the same cell
under the same number: which one follows from the number alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from facelet.generators.core.seeding import digest
from facelet.generators.core.showing import classes, split_of
from facelet.pipeline.dataset.composing import Place as Where
from facelet.pipeline.dataset.composing import compose, pictured
from facelet.pipeline.environment.streams import samplers
from facelet.pipeline.environment.streams.items import Cell, Endless, Splits
from facelet.pipeline.families import Told

TRIES = 500
"""Rows that are tried in the place of one that may not be shown."""


@dataclass
class Maker:
    """Makes rows of cells.

    Attributes:
        cells: the cells.
        seed: root of all seeds.
        splits: all splits with their weights.
        told: what each family is told.
        without: classes that no row may show.
        images: whether rows have their pictures.
    """

    cells: tuple[Cell, ...]
    seed: int
    splits: Splits
    told: Mapping[str, Told]
    without: frozenset[str] = frozenset()
    images: bool = False
    _sources: dict[int, Endless] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, object]:
        """Return what another process needs: not what was made here."""
        return {**self.__dict__, "_sources": {}}

    def row(self, place: samplers.Place) -> dict[str, object]:
        """Return a row.

        Args:
            place: its cell, and its number there.

        Raises:
            ValueError: every row that was tried in its place is held out too.
        """
        cell, source = self.cells[place.cell], self._source(place.cell)
        per_item = source.task.rows_per_item(cell.params)
        index, own = (place.number, None) if per_item is None else divmod(place.number, per_item)
        for instead in range(TRIES):
            draw, instances = source.item(index, instead)
            allowed = [k for k in range(len(instances)) if self._may_show(source, instances[k])]
            if own is None:
                if not allowed:
                    continue
                ticket = int.from_bytes(digest(*draw.path, "row", index)[:8], "little")
                k = allowed[ticket % len(allowed)]
                number: tuple[int, int | None] = (index, k)
            elif own in allowed:
                k, number = own, (place.number, None)
            else:
                continue
            where = Where(cell.config, _suite(cell.config), cell.split, cell.difficulty, cell.label)
            row, scenes = compose(source.task, instances[k], where, number, draw)
            return pictured(row, scenes) if self.images else row
        raise ValueError(
            f"{cell.key}: {TRIES} rows in a row show what the datasets of apart=... hold out; "
            "there are too few puzzles at this level to train and test on: leave the level out"
        )

    def rows(self, places: Sequence[samplers.Place]) -> list[dict[str, object]]:
        """Return several rows; see `row`."""
        return [self.row(place) for place in places]

    def named(self) -> Iterator[samplers.Named]:
        """Yield what samplers know of the cells."""
        for cell in self.cells:
            level = cell.difficulty.value
            yield samplers.Named(cell.config, cell.task, cell.label, level)

    def _source(self, cell: int) -> Endless:
        if cell not in self._sources:
            self._sources[cell] = Endless(self.cells[cell], self.seed, self.splits, self.told)
        return self._sources[cell]

    def _may_show(self, source: Endless, instance: object) -> bool:
        """Whether a row may stand in the stream."""
        task = source.task
        key = task.parted(instance)
        if key and split_of(key, self.splits) != source.cell.split:
            return False
        shown = classes(task.name, task.shown(instance)) if self.without else ()
        return self.without.isdisjoint(shown)


def _suite(config: str) -> str:
    return config.partition(".")[0] if "." in config else ""
