"""Players of deformations that apply no operation, but have learned which results match operations.

For each option the player computes features of how the operations show in the result, and weighs
them. The weights are a conditional logit, fitted on 3,000 generated questions for each track and
level by `tests/benchmarks/bench_surfaces.py`, which writes `matching.json` beside the module that
computes the features. A level without weights uses those of the next lower level.
"""

from __future__ import annotations

import json
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from facelet.generators.options.deformation.questions import Direction, Question
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.audit.baseline_players import PartialViewPlayer, Randomness

FILE = "matching.json"

Sights = Mapping[str, float]
"""Features of an option, by name: counts, or 0 to 1."""
Sight = Callable[[Question, int, Direction], Sights]
"""From a question, the index of an option and the direction to its features."""
Weights = Mapping[str, Mapping[str, Mapping[str, float]]]
"""By track and level: the weight of each feature."""


@dataclass(frozen=True, slots=True)
class MatchingPlayer:
    """A player with learned weights.

    Attributes:
        package: the package with its weights.
        sight: computes its features.
        space: from a world to the name of its space, which with the direction is the track.
    """

    package: str
    sight: Sight
    space: Callable[[Any], str]

    def build_looker(self, direction: Direction) -> PartialViewPlayer:
        """Return the player for questions of a direction."""

        def list_equal_replies(instance: Any, drawing: Randomness) -> Sequence[str]:
            track = f"{self.space(instance.world)} {direction}"
            letters = self.best_letters(instance.question, direction, track)
            return [f"Answer: {letter}" for letter in letters]

        return PartialViewPlayer.from_equal(
            "what of the operations can be seen in a result, weighed as 3,000 questions of its own "
            "at a level taught it",
            list_equal_replies,
        )

    def best_letters(self, question: Question, direction: Direction, track: str) -> Sequence[str]:
        """Return the letters with the highest rating.

        Args:
            question: the question; only what a player can see of it is read.
            direction: what is asked.
            track: the name of the weights.
        """
        weights = _select_level(_load_weights(self.package)[track], question.level)
        rated = [
            sum(weights.get(name, 0.0) * value for name, value in seen.items())
            for seen in (self.sight(question, place, direction) for place in range(len(LETTERS)))
        ]
        return [LETTERS[place] for place, one in enumerate(rated) if one >= max(rated) - 1e-9]


def _select_level(track: Mapping[str, Mapping[str, float]], level: int) -> Mapping[str, float]:
    known = sorted(map(int, track))
    return track[str(known[max(0, bisect(known, level) - 1)])]


@cache
def _load_weights(package: str) -> Weights:
    found: Weights = json.loads((files(package) / FILE).read_text(encoding="utf-8"))
    return found
