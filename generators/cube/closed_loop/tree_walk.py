"""Walk: the measure of decisions that are published as a tree, one row a decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.core.measures import Measure


@dataclass(frozen=True, slots=True)
class Walk(Measure):
    """Figures of walks through trees of decisions, one row a decision, one tree an item.

    A tree that lacks a decision that an option of another leads to is left out.
    A walk of a model and sample begins at node 0 and goes where its answers lead. It ends at an
    option that leads to no node, and at a reply that says nothing; a prediction that is missing is
    such a reply. An abstention takes the right option's way, or ends it, as the row's policy says.
    Figures: the adherence of all walks, and those of abstention where it is allowed, pooled over
    walks, under the names of the live episodes' metrics (generators.cube.closed_loop.adherence).

    Attributes:
        item: the column whose value the rows of one tree share.
        node: number of the decision in its tree.
        step: which move of the way is decided, from 1; each option leads one step on.
        next: node that each option leads to; -1 for none, -2 for the goal.
        answer: letter of the right option.
        length: moves of the whole way.
        policy: what becomes of an abstention: "off" (there are none), "teacher_on_abstain" (as
            if the right option had been chosen) or "skip_item" (the walk ends).
        credit: what an abstention is worth, 0 to 1.
    """

    counted_by: ClassVar[str] = "cube/walking"
    item: str = "item"
    node: str = "node"
    step: str = "step"
    next: str = "next"
    answer: str = "answer"
    length: str = "optimal_depth"
    policy: str = "abstain"
    credit: str = "idk_credit"
