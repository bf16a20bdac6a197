"""Learners of several shapes, in simulation: what share of groups of replies teaches nothing.

A learner has a skill for each config; a reply to level l is right with probability
top * logistic((skill - l) / width). Skill grows by the groups that hold right and wrong replies, as
a policy gradient's does, and may be forgotten or end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from facelet.pipeline.rollout.streams.samplers import SampledCell, SamplerChoice

GROUP = 16
"""Replies to one row."""

CELLS = tuple(
    SampledCell(config, config, f"d{k}", k) for config in ("t.a", "t.b") for k in range(1, 17)
)


@dataclass(frozen=True)
class LearnerShape:
    """How a learner learns.

    Attributes:
        begins: its skill at first.
        step: how much a group of half right replies adds.
        width: how many levels it takes from winning to losing, about a quarter of them.
        lost: how much of its skill is lost in each group.
        top: the most that it ever wins of a level.
        end: its greatest skill.
    """

    first_rate: float = 4.0
    step: float = 0.01
    width: float = 1.5
    lost_share: float = 0.0
    top: float = 1.0
    end: float = float("inf")


LEARNERS = {
    "logistic": LearnerShape(),
    "forgets": LearnerShape(first_rate=6.0, lost_share=0.004),
    "saturates": LearnerShape(first_rate=7.0, step=0.03, end=9.0, width=0.9, top=0.97),
}


def dead_group_share(
    choice: SamplerChoice, shape: LearnerShape, groups: int, seed: int = 0
) -> float:
    """Return the share of groups whose replies are all right or all wrong.

    Args:
        choice: how rows are chosen.
        shape: the learner.
        groups: how many rows it answers, GROUP times each.
        seed: root of all randomness.
    """
    sampler, rng = choice.start_sampler(CELLS, seed), np.random.default_rng(seed)
    skill = dict.fromkeys((cell.config for cell in CELLS), shape.first_rate)
    dead = 0
    for number in range(groups):
        place = sampler.next_place(number)
        cell = CELLS[place.cell]
        odds = shape.top / (1 + np.exp((cell.level - skill[cell.config]) / shape.width))
        right = rng.random(GROUP) < odds
        share = float(right.mean())
        dead += share in (0, 1)
        sampler.learn_rewards(place.cell, right.astype(float).tolist())
        for config in skill:
            skill[config] = max(0.0, skill[config] - shape.lost_share)
        gained = skill[cell.config] + shape.step * 4 * share * (1 - share)
        skill[cell.config] = min(shape.end, gained)
    return dead / groups
