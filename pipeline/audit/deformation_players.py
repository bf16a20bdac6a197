"""Partial-view players of deformations, for the families that have deformations.

Each player knows the start, the given part and the four options. It applies operations, but looks
at some positions of the results only, or applies some of the operations only. Of equally good
options it draws one, and its figure is the mean over them. No player reads the answer column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.options.deformation.questions import (
    Direction,
    Question,
    end_state,
    steps_of,
)
from facelet.generators.options.deformation.world_protocol import Dice, Step, World
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.audit.baseline_players import PartialViewPlayer, Randomness

Visible = Callable[[Sequence[int]], Sequence[int]]
"""From the parts of a state to a player's view of it."""
StepFilter = Callable[[Sequence[Step]], Sequence[Step]]
"""Selects the operations to apply."""


@dataclass(frozen=True, slots=True)
class PartialPlayer:
    """A player that applies or sees only a part.

    Attributes:
        looks_at: the part, in words.
        visible: the part of a state that it sees.
        keep_steps: the operations that it applies.
        followed: how many positions it follows; 0 for all that it sees.
        sees_options: whether it chooses these after it has seen where the options differ; else it
            draws them.
        is_curve: whether it is a point of the curve over how many it follows.
    """

    looks_at: str
    visible: Visible = list
    keep_steps: StepFilter = list
    followed: int = 0
    sees_options: bool = True
    is_curve: bool = False

    def build_looker(self, direction: Direction) -> PartialViewPlayer:
        """Return the player for questions of a direction."""

        def list_equal_replies(instance: Any, drawing: Randomness) -> Sequence[str]:
            found = self.best_letters(instance.world, instance.question, direction, drawing)
            return [f"Answer: {letter}" for letter in found]

        player = PartialViewPlayer.from_equal(self.looks_at, list_equal_replies)
        return replace(player, amount=self.followed if self.is_curve else 0)

    def best_letters(
        self, world: World[Any], question: Question, direction: Direction, drawing: Randomness
    ) -> Sequence[str]:
        """Return the letters that match its view best.

        Args:
            world: the rules.
            question: the question; its answer is not read.
            direction: what is asked.
            drawing: draws the position to follow, where there are several.
        """
        if direction == "forward":
            goal = self._visible_result(world, question, question.given)
            options = list(map(self.visible, _read_states(world, question.results)))
        else:
            goal = self.visible(*_read_states(world, (question.given,)))
            options = [self._visible_result(world, question, text) for text in question.lists]
        places: Sequence[int] = range(len(goal))
        if self.followed:
            filled = [
                place for place, parts in enumerate(zip(goal, *options, strict=True)) if any(parts)
            ]
            places = self._choose_places(filled, options, drawing)
        agreed = [sum(option[place] == goal[place] for place in places) for option in options]
        most = max(agreed)
        return [letter for letter, same in zip(LETTERS, agreed, strict=True) if same == most]

    def _choose_places(
        self, filled: Sequence[int], options: Sequence[Sequence[int]], drawing: Randomness
    ) -> Sequence[int]:
        """Return the positions to follow: drawn, or one by one so that most options differ.

        Args:
            filled: the positions to choose from.
            options: its view of the options.
            drawing: draws positions.
        """
        if not self.sees_options:
            return [filled[k] for k in drawing().permutation(len(filled))[: self.followed]]
        chosen: list[int] = []
        for _ in range(self.followed):
            apart = [
                len({tuple(option[k] for k in (*chosen, place)) for option in options})
                for place in filled
            ]
            best = [place for place, many in zip(filled, apart, strict=True) if many == max(apart)]
            # A single position needs no draw.
            chosen.append(best[int(drawing().integers(len(best))) if len(best) > 1 else 0])
        return chosen

    def _visible_result(self, world: World[Any], question: Question, text: str) -> Sequence[int]:
        """Return its view of the result of operations."""
        return self.visible(_apply_steps(world, question.start, text, self.keep_steps))


# Several players use the same results and the same parts of the same lists in turn.
@lru_cache(maxsize=8)
def _read_states(world: World[Any], codes: tuple[str, ...]) -> tuple[Sequence[int], ...]:
    """Return the parts of some states, from their codes."""
    return tuple(world.state_parts(world.read(code)) for code in codes)


@lru_cache(maxsize=64)
def _apply_steps(world: World[Any], start: str, text: str, kept: StepFilter) -> Sequence[int]:
    """Return the parts of the result of the kept operations of a list."""
    if kept is list:
        return world.state_parts(end_state(world, start, text))
    return world.state_parts(world.follow_steps(world.read(start), kept(steps_of(world, text)))[-1])


@dataclass(frozen=True, slots=True)
class WritingPlayer:
    """A player that writes its answer and applies only some operations.

    Attributes:
        looks_at: the part, in words.
        keep_steps: the operations that it applies.
    """

    looks_at: str
    keep_steps: StepFilter = list

    def build_looker(self) -> PartialViewPlayer:
        """Return the player for forward questions."""

        def begin_written_play(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
            world, question = instance.world, instance.question
            steps = self.keep_steps(steps_of(world, question.given))
            code = world.write_state(world.follow_steps(world.read(question.start), steps)[-1])
            return lambda prompt: code

        return PartialViewPlayer(self.looks_at, begin_written_play, quick=True)


LISTS = 50
"""Lists of operations that the drawing player tries."""


def build_drawing_looker() -> PartialViewPlayer:
    """Return the player of inverse questions that draws lists and writes the nearest one."""

    def begin_drawn_play(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
        world, question = instance.world, instance.question
        start, goal = world.read(question.start), world.read(question.given)
        dice, best, least = Dice(rng), "", 1 << 30
        for _ in range(LISTS):
            steps = [world.draw_step(dice) for _ in range(question.level)]
            state = start
            for step in steps:
                state = world.apply_step(state, step)
            far = world.count_differences(goal, state)
            if far < least:
                best, least = world.write_steps(steps), far
        return lambda prompt: best

    return PartialViewPlayer(
        f"{LISTS} lists that it draws, of which it writes the nearest", begin_drawn_play
    )


def last_half(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the last half of some operations, rounded up, but never all; none of one."""
    return steps[max(1, len(steps) // 2) :]


FOLLOWED = (1, 2, 4, 8, 12)
"""Numbers of positions that players follow which draw them before they see options."""
CHOSEN = (2, 4)
"""Numbers of positions that players follow which choose them where options differ."""


def build_followers(noun: str, direction: Direction) -> dict[str, PartialViewPlayer]:
    """Return the players that follow some positions through all operations, by name.

    Args:
        noun: what is at a position, such as "sticker".
        direction: what is asked.
    """
    found = {
        f"follow_{k}": PartialPlayer(
            f"{k} {noun}{'s' * (k > 1)}, drawn before it sees the options",
            followed=k,
            sees_options=False,
            is_curve=True,
        )
        for k in FOLLOWED
    }
    found |= {
        f"follow_chosen_{k}": PartialPlayer(
            f"{k} {noun}s, at which options differ most", followed=k, is_curve=True
        )
        for k in CHOSEN
    }
    return {name: player.build_looker(direction) for name, player in found.items()}
