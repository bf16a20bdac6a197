"""Generate the rows of a stream's cells, in this process or in workers.

A row maker contains everything that determines the rows but no generated rows, so it can be sent to
workers. A row that belongs to another split or shows excluded states is replaced by another row of
the same cell and number, which depends on the number alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from facelet.generators.core.seeding import digest_names
from facelet.generators.core.shown_keys import list_sorted_classes, split_of
from facelet.pipeline.dataset.row_composer import RowPlace, attach_pictures, compose_row
from facelet.pipeline.family_modules import FamilySettings
from facelet.pipeline.rollout.streams import samplers
from facelet.pipeline.rollout.streams.cell_items import EndlessItems, Splits, StreamCell

TRIES = 500
"""Maximum number of replacements of an excluded row."""


@dataclass
class RowMaker:
    """Generates rows of cells.

    Attributes:
        cells: the cells.
        seed: root of all seeds.
        splits: all splits and their weights.
        told: settings by family.
        without: classes that no row may show.
        images: whether rows have pictures.
    """

    cells: tuple[StreamCell, ...]
    seed: int
    splits: Splits
    told: Mapping[str, FamilySettings]
    without: frozenset[str] = frozenset()
    images: bool = False
    _sources: dict[int, EndlessItems] = field(default_factory=dict, repr=False)

    def __getstate__(self) -> dict[str, object]:
        """Return the state for another process, without generated items."""
        return {**self.__dict__, "_sources": {}}

    def make_row(self, place: samplers.RowPlace) -> dict[str, object]:
        """Return a row.

        Args:
            place: its cell, and its number there.

        Raises:
            ValueError: all replacements of the row are excluded too.
        """
        cell, source = self.cells[place.cell], self._cell_items(place.cell)
        per_item = source.task.rows_per_item(cell.params)
        index, own = (place.number, None) if per_item is None else divmod(place.number, per_item)
        for instead in range(TRIES):
            draw, instances = source.item(index, instead)
            allowed = [k for k in range(len(instances)) if self._may_show(source, instances[k])]
            if own is None:
                if not allowed:
                    continue
                ticket = int.from_bytes(digest_names(*draw.path, "row", index)[:8], "little")
                k = allowed[ticket % len(allowed)]
                number: tuple[int, int | None] = (index, k)
            elif own in allowed:
                k, number = own, (place.number, None)
            else:
                continue
            where = RowPlace(
                cell.config, _suite_name(cell.config), cell.split, cell.difficulty, cell.label
            )
            row, scenes = compose_row(source.task, instances[k], where, number, draw)
            return attach_pictures(row, scenes) if self.images else row
        raise ValueError(
            f"{cell.cell_name}: {TRIES} rows in a row show what apart=... excludes; this level "
            "has too few puzzles for training and testing, so leave it out"
        )

    def make_item(self, cell: int) -> list[dict[str, object]]:
        """Return the rows of the first item of a cell; one if items have any number of rows."""
        count = self._cell_items(cell).task.rows_per_item(self.cells[cell].params) or 1
        return [self.make_row(samplers.RowPlace(cell, number)) for number in range(count)]

    def make_rows(self, places: Sequence[samplers.RowPlace]) -> list[dict[str, object]]:
        """Return several rows; see `make_row`."""
        return [self.make_row(place) for place in places]

    def iterate_cells(self) -> Iterator[samplers.SampledCell]:
        """Yield the cells as samplers need them."""
        for cell in self.cells:
            level = cell.difficulty.value
            yield samplers.SampledCell(cell.config, cell.task, cell.label, level)

    def _cell_items(self, cell: int) -> EndlessItems:
        if cell not in self._sources:
            self._sources[cell] = EndlessItems(self.cells[cell], self.seed, self.splits, self.told)
        return self._sources[cell]

    def _may_show(self, source: EndlessItems, instance: object) -> bool:
        """Return whether the stream may contain a row."""
        task = source.task
        key = task.split_key(instance)
        if key and split_of(key, self.splits) != source.cell.split:
            return False
        shown = (
            list_sorted_classes(task.name, task.list_shown_keys(instance)) if self.without else ()
        )
        return self.without.isdisjoint(shown)


def _suite_name(config: str) -> str:
    return config.partition(".")[0] if "." in config else ""
