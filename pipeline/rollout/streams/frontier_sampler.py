"""The edge of ability: a sampler that draws where success is near a wanted share.

A group of replies that are all right or all wrong has no advantage to learn from. `Frontier` keeps
an estimate of success for each cell from the rewards that it is told, forgets old ones, and draws
cells whose success is plausibly near `wanted`:

    estimate   Beta(s + a m, t - s + a (1 - m)): t rewards of sum s, both halved every `memory`
               rewards, whatever cell those were of; a = PRIOR
    m          what the other levels of the config say, as harder levels are won no more often:
               `wanted`, or less where easier levels are won less, or more where harder ones are
    draw       one sample p of each estimate (Thompson); weights exp(-((p - wanted) / width)^2 / 2)

`Pools` sorts the cells into easy, normal and hard by the same estimates and gives each a share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from facelet.generators.core.seeding import make_generator
from facelet.pipeline.json_types import JSON
from facelet.pipeline.rollout.streams.samplers import (
    CellSampler,
    RowPlace,
    SampledCell,
    SamplerChoice,
)

Floats = NDArray[np.float64]
"""One number a cell; shape (cells,)."""

PRIOR = 4.0
"""How many rewards the other levels' word counts."""


@dataclass(frozen=True, slots=True)
class Frontier(SamplerChoice):
    """Draw where success is near a wanted share.

    Attributes:
        wanted: the share; between 0 and 1.
        width: how far from it success may be: a standard deviation, above 0.
        memory: after so many rewards one that was told counts half.
    """

    wanted: float = 0.5
    width: float = 0.12
    memory: int = 2048

    def __post_init__(self) -> None:
        """Check the ranges."""
        _check_memory(self.memory)
        if not 0 < self.wanted < 1:
            raise ValueError(f"wanted={self.wanted} is out of range; it is between 0 and 1")
        if not 0 < self.width <= 1:
            raise ValueError(f"width={self.width} is out of range; it is above 0, at most 1")

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> AdaptiveSampler:
        """Return a sampler that knows nothing yet."""
        return _FrontierSampler(cells, seed, self)


@dataclass(frozen=True, slots=True)
class Pools(SamplerChoice):
    """Shares of easy, normal and hard cells, by measured success.

    Attributes:
        easy_from: success from which a cell is easy.
        hard_to: success up to which a cell is hard.
        easy: share of rows from easy cells, where there are any.
        hard: share of rows from hard cells, where there are any.
        memory: as in `Frontier`.
    """

    easy_from: float = 0.9
    hard_to: float = 0.1
    easy: float = 0.05
    hard: float = 0.05
    memory: int = 2048

    def __post_init__(self) -> None:
        """Check the ranges."""
        _check_memory(self.memory)
        if not 0 <= self.hard_to < self.easy_from <= 1:
            raise ValueError(
                f"hard_to={self.hard_to} and easy_from={self.easy_from} are out of range; "
                "0 <= hard_to < easy_from <= 1"
            )
        if self.easy < 0 or self.hard < 0 or self.easy + self.hard > 1:
            raise ValueError(
                f"easy={self.easy} and hard={self.hard} are out of range; each is at least 0, "
                "and together at most 1"
            )

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> AdaptiveSampler:
        """Return a sampler that knows nothing yet."""
        return _PoolSampler(cells, seed, self)


def _check_memory(memory: int) -> None:
    if memory < 1:
        raise ValueError(f"memory={memory} is out of range; it is at least 1")


class AdaptiveSampler(CellSampler):
    """A sampler that learns from rewards; its rows are placed in order."""

    steady = False
    wanted = 0.5

    def __init__(self, cells: Sequence[SampledCell], seed: int, memory: int) -> None:
        """Begin with no reward.

        Args:
            cells: the cells.
            seed: root of all seeds.
            memory: after so many rewards one that was told counts half.
        """
        self._seed, self._memory = seed, memory
        self._names = [cell.cell_name for cell in cells]
        configs = dict.fromkeys(cell.config for cell in cells)
        self._ladders = [
            sorted((k for k, c in enumerate(cells) if c.config == config), key=_cell_levels(cells))
            for config in configs
        ]
        self._sums: Floats = np.zeros(len(cells))
        self._trials: Floats = np.zeros(len(cells))
        self._drawn = [0] * len(cells)
        self._next = 0

    def next_place(self, number: int) -> RowPlace:
        """Return the place of row `number`, which must be the next one.

        Raises:
            ValueError: it is not.
        """
        if number != self._next:
            raise ValueError(
                f"row {number} is not the next, {self._next}: which cell it is of depends on "
                "rewards; take the rows in order, or a row by its id"
            )
        rng = make_generator("stream", self._seed, "edge", number)
        weights = self.cell_weights(rng)
        cell = int(rng.choice(len(weights), p=weights / weights.sum()))
        place = RowPlace(cell, self._drawn[cell])
        self._drawn[cell] += 1
        self._next += 1
        return place

    def cell_weights(self, rng: np.random.Generator) -> Floats:
        """Return how likely each cell is drawn next, in any unit."""
        raise NotImplementedError

    def learn_rewards(self, cell: int, rewards: Sequence[float]) -> None:
        """Learn what replies to a row of a cell were worth.

        Raises:
            ValueError: a reward is not from 0 to 1.
        """
        for reward in rewards:
            if not 0 <= reward <= 1:
                raise ValueError(f"a reward of {reward} is out of range; it is from 0 to 1")
        kept = 0.5 ** (len(rewards) / self._memory)
        self._sums *= kept
        self._trials *= kept
        self._sums[cell] += sum(rewards)
        self._trials[cell] += len(rewards)

    def estimate_success(self) -> Floats:
        """Return the estimated success of each cell, 0 to 1."""
        return (self._sums + PRIOR * self._prior_success()) / (self._trials + PRIOR)

    def _prior_success(self) -> Floats:
        """Return what the other levels of its config say of each cell."""
        found: Floats = np.full(len(self._names), self.wanted)
        for ladder in self._ladders:
            at_most = 1.0
            bounds = []
            for k in ladder:
                bounds.append(at_most)
                own = (self._sums[k] + PRIOR * at_most) / (self._trials[k] + PRIOR)
                at_most = min(at_most, own)
            at_least = 0.0
            for k, most in zip(reversed(ladder), reversed(bounds), strict=True):
                found[k] = min(max(self.wanted, at_least), most)
                own = (self._sums[k] + PRIOR * at_least) / (self._trials[k] + PRIOR)
                at_least = max(at_least, own)
        return found

    def to_state(self) -> dict[str, JSON]:
        """Return all that was learned, as plain JSON."""
        return {
            "cells": list(self._names),
            "sums": self._sums.tolist(),
            "trials": self._trials.tolist(),
            "drawn": list(self._drawn),
            "next": self._next,
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Take a state that `to_state` returned.

        Raises:
            ValueError: it is of another sampler or of other cells.
        """
        if state.get("cells") != self._names:
            raise ValueError(
                "the state is of other cells; make the stream of the same tasks and levels"
            )
        self._sums = np.array(state["sums"], dtype=np.float64)
        self._trials = np.array(state["trials"], dtype=np.float64)
        self._drawn = [int(count) for count in state["drawn"]]
        self._next = int(state["next"])


def _cell_levels(cells: Sequence[SampledCell]) -> Any:
    return lambda k: cells[k].level


class _FrontierSampler(AdaptiveSampler):
    """The sampler of `Frontier`."""

    def __init__(self, cells: Sequence[SampledCell], seed: int, told: Frontier) -> None:
        super().__init__(cells, seed, told.memory)
        self.wanted, self._width = told.wanted, told.width

    def cell_weights(self, rng: np.random.Generator) -> Floats:
        """Return how likely each cell is drawn next: by samples of what its success may be."""
        prior = self._prior_success().clip(1e-3, 1 - 1e-3)
        right = self._sums + PRIOR * prior
        wrong = self._trials - self._sums + PRIOR * (1 - prior)
        sampled = rng.beta(right, np.maximum(wrong, 1e-9))
        found: Floats = np.exp(-0.5 * ((sampled - self.wanted) / self._width) ** 2) + 1e-12
        return found


class _PoolSampler(AdaptiveSampler):
    """The sampler of `Pools`."""

    def __init__(self, cells: Sequence[SampledCell], seed: int, told: Pools) -> None:
        super().__init__(cells, seed, told.memory)
        self._told = told

    def cell_weights(self, rng: np.random.Generator) -> Floats:
        """Return how likely each cell is drawn next: its pool's share, even inside the pool."""
        del rng
        told, success = self._told, self.estimate_success()
        easy, hard = success >= told.easy_from, success <= told.hard_to
        normal = ~(easy | hard)
        found: Floats = np.zeros(len(success))
        for pool, share in (
            (easy, told.easy),
            (hard, told.hard),
            (normal, 1 - told.easy - told.hard),
        ):
            if pool.any():
                found[pool] = share / pool.sum()
        return found if found.sum() else np.ones(len(success))
