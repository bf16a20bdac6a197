"""Samplers: which cell row n of a stream is drawn from, and which of its rows.

Knows cells by number only, with the name and the difficulty of each. A steady sampler answers from
the number n alone, so that a stream goes on from one integer. Its rows come in blocks that hold
each cell as often as its share says, in an order that only the block's seed knows: every whole
block is exactly balanced.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import NamedTuple

from facelet.generators.core.seeding import make_generator
from facelet.pipeline.argument_text import check_range, unknown_word_error
from facelet.pipeline.json_types import JSON

LARGEST = 1000
"""Most rows of a block."""


class RowPlace(NamedTuple):
    """Where a row comes from: the number of its cell, and its own number in that cell."""

    cell: int
    number: int


@dataclass(frozen=True, slots=True)
class SampledCell:
    """What samplers know of a cell.

    Attributes:
        config: its config.
        task: its task.
        label: its difficulty as ids write it.
        level: its difficulty; larger is harder.
    """

    config: str
    task: str
    label: str
    level: int

    @property
    def cell_name(self) -> str:
        """Config and label."""
        return f"{self.config}/{self.label}"


class CellSampler(ABC):
    """Chooses the cell of each row.

    Attributes:
        steady: whether the place of row n follows from n alone. The rows of another sampler depend
            on the rewards that it was told, and are placed in order.
    """

    steady = True

    @abstractmethod
    def next_place(self, number: int) -> RowPlace:
        """Return the place of row `number`."""

    def learn_rewards(self, cell: int, rewards: Sequence[float]) -> None:
        """Learn what replies to a row of a cell were worth, each 0 to 1."""
        del cell, rewards

    def to_state(self) -> dict[str, JSON]:
        """Return all that the sampler has learned, as plain JSON."""
        return {}

    def restore_state(self, state: Mapping[str, JSON]) -> None:
        """Take a state that `to_state` returned.

        Raises:
            ValueError: it is of another sampler or of other cells.
        """
        if state:
            raise ValueError("the state is of a sampler that learns; name the same sampler again")


class SamplerChoice(ABC):
    """How a stream is to choose; `start_sampler` makes a sampler of the stream's cells."""

    @abstractmethod
    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler.

        Args:
            cells: the cells of the stream, in its order.
            seed: root of all seeds.
        """


@dataclass(frozen=True, slots=True)
class ScheduleStage:
    """Blocks that are alike.

    Attributes:
        block: the cells of a block, each as often as it occurs.
        blocks: number of blocks; None for endless.
    """

    block: tuple[int, ...]
    blocks: int | None = None


class ScheduledSampler(CellSampler):
    """A steady sampler: stages of blocks, the last one endless."""

    def __init__(self, stages: Sequence[ScheduleStage], seed: int) -> None:
        """Take the stages, and the root of all seeds."""
        self._seed = seed
        self._parts: list[tuple[int, ScheduleStage, Counter[int]]] = []
        begun, held = 0, Counter[int]()
        for stage in stages:
            self._parts.append((begun, stage, Counter(held)))
            blocks = stage.blocks or 0
            begun += blocks * len(stage.block)
            held.update({cell: n * blocks for cell, n in Counter(stage.block).items()})
        self._order = lru_cache(maxsize=64)(self._shuffle_block)

    def next_place(self, number: int) -> RowPlace:
        """Return the place of row `number`."""
        which = max(k for k, (begun, *_) in enumerate(self._parts) if begun <= number)
        begun, stage, held = self._parts[which]
        block, place = divmod(number - begun, len(stage.block))
        order = self._order(which, block)
        cell = order[place]
        before = order[:place].count(cell)
        return RowPlace(cell, held[cell] + block * stage.block.count(cell) + before)

    def _shuffle_block(self, stage: int, block: int) -> tuple[int, ...]:
        rng = make_generator("stream", self._seed, "stage", stage, "block", block)
        cells = self._parts[stage][1].block
        return tuple(cells[k] for k in rng.permutation(len(cells)).tolist())


@dataclass(frozen=True, slots=True)
class Uniform(SamplerChoice):
    """Every cell as often as every other."""

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler of one endless stage."""
        return ScheduledSampler([ScheduleStage(tuple(range(len(cells))))], seed)


@dataclass(frozen=True, slots=True)
class Mixture(SamplerChoice):
    """Shares by name: of a suite, a config, a task, or one cell ("<config>/<label>").

    Attributes:
        weights: by name, how much of all rows it gets, in any unit; its cells share it evenly. A
            cell that no name means is not drawn.
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler of one endless stage.

        Raises:
            ValueError: a name means no cell, or a cell that another means too; or a weight is not
                above 0, or too small beside the others.
        """
        found: dict[int, Fraction] = {}
        for name, weight in self.weights.items():
            if not isinstance(weight, int | float) or not 0 < weight < float("inf"):
                raise ValueError(f"mixture: {name}={weight!r} is out of range; use more than 0")
            own = [k for k, cell in enumerate(cells) if name in _cell_names(cell)]
            if not own:
                known = sorted({name for cell in cells for name in _cell_names(cell)})
                raise unknown_word_error("part of a mixture", name, known)
            for k in own:
                if k in found:
                    raise ValueError(
                        f"mixture names {cells[k].cell_name} twice; name each cell once"
                    )
                found[k] = Fraction(weight).limit_denominator(10**6) / len(own)
        if not found:
            raise ValueError("the mixture is empty; write it as {'<config>': weight, ...}")
        return ScheduledSampler([ScheduleStage(_build_weighted_block(found, cells))], seed)


def _cell_names(cell: SampledCell) -> tuple[str, ...]:
    return cell.config.partition(".")[0], cell.config, cell.task, cell.cell_name


def _build_weighted_block(
    weights: Mapping[int, Fraction], cells: Sequence[SampledCell]
) -> tuple[int, ...]:
    """Return the cells of a block, by weight; exact where a block of LARGEST rows can be."""
    total = sum(weights.values())
    shares = {k: weight / total for k, weight in weights.items()}
    size = min(lcm(*(share.denominator for share in shares.values())), LARGEST)
    counts = {k: int(share * size) for k, share in shares.items()}
    by_rest = sorted(shares, key=lambda k: (-(shares[k] * size - counts[k]), k))
    for k in by_rest[: size - sum(counts.values())]:
        counts[k] += 1
    if small := [cells[k].cell_name for k, count in counts.items() if not count]:
        raise ValueError(
            f"mixture: {small[0]} has less than one row in {LARGEST}; raise its weight, or leave "
            "it out"
        )
    return tuple(k for k in sorted(counts) for _ in range(counts[k]))


@dataclass(frozen=True, slots=True)
class Curriculum(SamplerChoice):
    """Levels one after the other: in each stage half of the rows are of a new level.

    The other half are of all levels before it, evenly. Where configs have different levels, the
    n-th of each belongs to stage n. After the last stage all levels stay, evenly.

    Attributes:
        rows: rows of a stage, rounded up to whole blocks.
    """

    rows: int = 2048

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler of a stage for each level, and an endless one.

        Raises:
            ValueError: `rows` is out of range.
        """
        check_range("rows of a curriculum", self.rows, 1)
        ranks: dict[int, list[int]] = {}
        for config in dict.fromkeys(cell.config for cell in cells):
            levels = sorted({cell.level for cell in cells if cell.config == config})
            for k, cell in enumerate(cells):
                if cell.config == config:
                    ranks.setdefault(levels.index(cell.level), []).append(k)
        stages, old = [], list[int]()
        for rank in sorted(ranks):
            new = ranks[rank]
            block = (*new * max(1, len(old)), *old * len(new))
            stages.append(ScheduleStage(block, -(-self.rows // len(block))))
            old += new
        return ScheduledSampler([*stages, ScheduleStage(tuple(range(len(cells))))], seed)
