"""Sample cells whose success is near a target share, from rewards.

A group of replies that are all correct or all wrong has no advantage to learn from. `Frontier`
estimates the success of each cell from rewards, forgets old ones, and draws cells whose success is
plausibly near `wanted`:

    estimate   Beta(s + a m, t - s + a (1 - m)): t rewards of sum s, both halved every `memory`
               rewards of any cell; a = PRIOR
    m          prior from the other levels of the config, because success does not rise with
               difficulty: `wanted`, or less if easier levels have less success, or more if harder
               levels have more
    draw       one sample p of each estimate (Thompson); weights exp(-((p - wanted) / width)^2 / 2)

`Pools` divides the cells into easy, normal and hard by the same estimates, each with a share.
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
"""One number per cell; shape (cells,)."""

PRIOR = 4.0
"""Weight of the prior from other levels, in rewards."""


@dataclass(frozen=True, slots=True)
class Frontier(SamplerChoice):
    """Draw cells whose success is near a target share.

    Attributes:
        wanted: the target share; between 0 and 1.
        width: tolerated deviation of success, as a standard deviation, above 0.
        memory: half-life of a reward, in rewards.
    """

    wanted: float = 0.5
    width: float = 0.12
    memory: int = 2048

    def __post_init__(self) -> None:
        """Check the ranges."""
        _check_memory(self.memory)
        if not 0 < self.wanted < 1:
            raise ValueError(f"wanted={self.wanted} is out of range; use a number between 0 and 1")
        if not 0 < self.width <= 1:
            raise ValueError(
                f"width={self.width} is out of range; use a number above 0 and at most 1"
            )

    def start_sampler(self, cells: Sequence[SampledCell], seed: int) -> AdaptiveSampler:
        """Return a sampler without rewards."""
        return _FrontierSampler(cells, seed, self)


@dataclass(frozen=True, slots=True)
class Pools(SamplerChoice):
    """Shares of easy, normal and hard cells, by measured success.

    Attributes:
        easy_from: success from which a cell is easy.
        hard_to: success up to which a cell is hard.
        easy: share of rows from easy cells, if there are any.
        hard: share of rows from hard cells, if there are any.
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
        """Return a sampler without rewards."""
        return _PoolSampler(cells, seed, self)


def _check_memory(memory: int) -> None:
    if memory < 1:
        raise ValueError(f"memory={memory} is out of range; use at least 1")


class AdaptiveSampler(CellSampler):
    """A sampler that learns from rewards and places rows in order."""

    steady = False
    wanted = 0.5

    def __init__(self, cells: Sequence[SampledCell], seed: int, memory: int) -> None:
        """Start without rewards.

        Args:
            cells: the cells.
            seed: root of all seeds.
            memory: half-life of a reward, in rewards.
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
            ValueError: the number is another.
        """
        if number != self._next:
            raise ValueError(
                f"row {number} is not the next row, {self._next}: its cell depends on rewards; "
                "take rows in order, or a row by its id"
            )
        rng = make_generator("stream", self._seed, "edge", number)
        weights = self.cell_weights(rng)
        cell = int(rng.choice(len(weights), p=weights / weights.sum()))
        place = RowPlace(cell, self._drawn[cell])
        self._drawn[cell] += 1
        self._next += 1
        return place

    def cell_weights(self, rng: np.random.Generator) -> Floats:
        """Return the weight of each cell for the next draw, in any unit."""
        raise NotImplementedError

    def learn_rewards(self, cell: int, rewards: Sequence[float]) -> None:
        """Learn from rewards of replies to a row of a cell.

        Raises:
            ValueError: a reward is not from 0 to 1.
        """
        for reward in rewards:
            if not 0 <= reward <= 1:
                raise ValueError(f"reward {reward} is out of range; use 0 to 1")
        kept = 0.5 ** (len(rewards) / self._memory)
        self._sums *= kept
        self._trials *= kept
        self._sums[cell] += sum(rewards)
        self._trials[cell] += len(rewards)

    def estimate_success(self) -> Floats:
        """Return the estimated success of each cell, 0 to 1."""
        return (self._sums + PRIOR * self._prior_success()) / (self._trials + PRIOR)

    def _prior_success(self) -> Floats:
        """Return the prior success of each cell from the other levels of its config."""
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
        """Return what was learned as plain JSON."""
        return {
            "cells": list(self._names),
            "sums": self._sums.tolist(),
            "trials": self._trials.tolist(),
            "drawn": list(self._drawn),
            "next": self._next,
        }

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Restore a state that `to_state` returned.

        Raises:
            ValueError: the state belongs to another sampler or to other cells.
        """
        if state.get("cells") != self._names:
            raise ValueError(
                "the state belongs to other cells; open a stream of the same tasks and levels"
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
        """Return the weight of each cell, from a sample of its estimated success."""
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
        """Return the weight of each cell: the share of its pool, divided evenly."""
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
