"""Select the cell of row n of a stream, and the number of the row in that cell.

Samplers know the number, name and difficulty of each cell. A steady sampler depends on n alone, so
one integer is enough to resume a stream. Its rows come in blocks that contain each cell in
proportion to its share, shuffled by the seed of the block, so every whole block is balanced.
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
"""Maximum number of rows of a block."""


class RowPlace(NamedTuple):
    """The place of a row: the number of its cell, and its number in that cell."""

    cell: int
    number: int


@dataclass(frozen=True, slots=True)
class SampledCell:
    """A cell as samplers need it.

    Attributes:
        config: its config.
        task: its task.
        label: its difficulty as ids spell it.
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
    """Selects the cell of each row.

    Attributes:
        steady: whether the place of row n depends on n alone. Otherwise it depends on earlier
            rewards, and rows must be placed in order.
    """

    steady = True

    @abstractmethod
    def next_place(self, number: int) -> RowPlace:
        """Return the place of row `number`."""

    def learn_rewards(self, cell: int, rewards: Sequence[float]) -> None:
        """Learn from rewards of replies to a row of a cell, each 0 to 1."""
        del cell, rewards

    def to_state(self) -> dict[str, JSON]:
        """Return what the sampler has learned as plain JSON."""
        return {}

    def restore_state(self, state: Mapping[str, JSON]) -> None:
        """Restore a state that `to_state` returned.

        Raises:
            ValueError: the state belongs to another sampler or to other cells.
        """
        if state:
            raise ValueError("the state belongs to a sampler that learns; use the same sampler")


class SamplerChoice(ABC):
    """The configuration of a sampler; `start_sampler` creates it for the cells of a stream."""

    @abstractmethod
    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler.

        Args:
            cells: the cells of the stream, in its order.
            seed: root of all seeds.
        """


@dataclass(frozen=True, slots=True)
class ScheduleStage:
    """Equal blocks.

    Attributes:
        block: the cells of a block, repeated by their counts.
        blocks: number of blocks; None for endless.
    """

    block: tuple[int, ...]
    blocks: int | None = None


class ScheduledSampler(CellSampler):
    """A steady sampler of stages of blocks; the last stage is endless."""

    def __init__(self, stages: Sequence[ScheduleStage], seed: int) -> None:
        """Store the stages and the root of all seeds."""
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
    """All cells with equal shares."""

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler of one endless stage."""
        return ScheduledSampler([ScheduleStage(tuple(range(len(cells))))], seed)


@dataclass(frozen=True, slots=True)
class Mixture(SamplerChoice):
    """Shares by name: of a suite, a config, a task, or one cell ("<config>/<label>").

    Attributes:
        weights: share of rows by name, in any unit, divided evenly among the cells of the name.
            Cells without a name are not drawn.
    """

    weights: Mapping[str, float] = field(default_factory=dict)

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> CellSampler:
        """Return a sampler of one endless stage.

        Raises:
            ValueError: a name matches no cell, or two names match the same cell; or a weight is not
                above 0, or too small in comparison with the others.
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
                        f"mixture matches {cells[k].cell_name} twice; match each cell once"
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
    """Return the cells of a block by weight, exact if a block of LARGEST rows allows it."""
    total = sum(weights.values())
    shares = {k: weight / total for k, weight in weights.items()}
    size = min(lcm(*(share.denominator for share in shares.values())), LARGEST)
    counts = {k: int(share * size) for k, share in shares.items()}
    by_rest = sorted(shares, key=lambda k: (-(shares[k] * size - counts[k]), k))
    for k in by_rest[: size - sum(counts.values())]:
        counts[k] += 1
    if small := [cells[k].cell_name for k, count in counts.items() if not count]:
        raise ValueError(
            f"mixture: {small[0]} has less than one row in {LARGEST}; raise its weight, or remove "
            "it"
        )
    return tuple(k for k in sorted(counts) for _ in range(counts[k]))


@dataclass(frozen=True, slots=True)
class Curriculum(SamplerChoice):
    """Levels one after another: half of the rows of each stage have a new level.

    The other half is divided evenly among the earlier levels. If configs have different levels, the
    n-th level of each belongs to stage n. After the last stage all levels have equal shares.

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
