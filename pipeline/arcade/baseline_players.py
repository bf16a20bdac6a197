"""Baseline players of games: any legal command, constant lists, and plans from the first prompt.

Constant lists are also built from the shortest ways to win other puzzles, where a game knows them:
an exploring player needs many more commands. Where a game accepts several answers in turn, a list
of the most frequent right answers is built. The player of any legal command gives chance, because a
game states none. The planning player reads the first prompt, imagines what it hides, plays that to
the end, and sends those commands whatever the answers: a game that it wins measures planning, not
learning from answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from facelet.generators.arcade.base.game import ArcadeGame
from facelet.generators.arcade.obvious_rules.rule_registry import NO_RULE, RULES
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.pipeline.audit.baseline_players import (
    UNREADABLE,
    BlindPolicy,
    FixedScript,
    ObviousRule,
    PartialViewPlayer,
)
from facelet.pipeline.dataset.floor_record import OPEN_LOOP
from facelet.pipeline.family_modules import AnyTask

NAMED, ALIKE = 60, 2
"""Puzzles whose answers are counted at most, and how many are drawn that look like each."""
LISTS = 32
"""At most so many lists are tried."""


def players(task: AnyTask, instances: Sequence[Any]) -> Mapping[str, Sequence[BlindPolicy]]:
    """Return the players that say what wins other puzzles: the shortest ways, or many answers.

    Args:
        task: the task.
        instances: the puzzles to tune on.
    """
    if not isinstance(task, ArcadeGame):
        return {}
    said = Counter(tuple(task.shortest_commands(puzzle)) for puzzle in instances)
    del said[()]
    lists = sorted(said, key=lambda one: (-said[one], str(one)))[:LISTS]
    found = (
        {"direct": [FixedScript(tuple(map(task.format_command, one))) for one in lists]}
        if lists
        else {}
    )
    if task.answers and instances:
        most = max(map(task.turn_budget, instances))
        # No two rows of a small game are equal, so what they hide is no answer to another: what
        # looks like them is.
        rng = make_generator("named", task.name)
        others = (
            task.draw_lookalikes(puzzle, ALIKE, rng) or (puzzle,) for puzzle in instances[:NAMED]
        )
        plays = (task.play_reference(other)[0] for found in others for other in found)
        ends = Counter(play[-1] for play in plays if play)
        answers = sorted(ends, key=lambda one: (-ends[one], str(one)))[:most]
        found["named"] = [FixedScript(tuple(map(task.format_command, answers)))]
    return found


def legal(task: AnyTask) -> PartialViewPlayer | None:
    """Return the player of any legal command; None for what is no game."""
    if not isinstance(task, ArcadeGame):
        return None
    return PartialViewPlayer(
        "any legal command", lambda puzzle, rng: _LegalPlayer(task, puzzle, rng).next_reply
    )


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the player that plans by the first prompt and hears no answer."""
    if not isinstance(task, ArcadeGame):
        return {}
    return {
        OPEN_LOOP: PartialViewPlayer(
            "the first prompt alone, and plans all commands before the first answer",
            lambda puzzle, rng: _PlanningPlayer(task, puzzle, rng).reply,
        )
    }


def obvious_rule(task: AnyTask) -> ObviousRule | None:
    """Return the obvious rule of a game, or why it has none; None for what is no game."""
    if not isinstance(task, ArcadeGame):
        return None
    rule = RULES.get(task.name)
    if rule is None:
        return ObviousRule(NO_RULE.get(task.name, "nobody has written one"))
    words = (rule.__doc__ or "").strip().rstrip(".")
    return ObviousRule(words[:1].lower() + words[1:], rule)


class _LegalPlayer:
    """Draws legal commands; it keeps the state of the play, and uses nothing of what is hidden."""

    def __init__(self, game: Any, puzzle: Any, rng: np.random.Generator) -> None:
        self._game, self._puzzle, self._rng = game, puzzle, rng
        self._state = game.start(puzzle)
        self._said = 0

    def next_reply(self, prompt: Prompt) -> str:
        """Return a command."""
        game, puzzle = self._game, self._puzzle
        said = game.random_command(puzzle, self._state, self._rng)
        self._state = game.step(puzzle, self._state, said, game.step_luck(puzzle, self._said))
        self._said += 1
        text: str = game.format_command(said)
        return text


class _PlanningPlayer:
    """Says what the reference player would in a game that looks the same at the start."""

    def __init__(self, game: Any, puzzle: Any, rng: np.random.Generator) -> None:
        self._plan = iter(_imagine_play(game, puzzle, rng))

    def reply(self, prompt: Prompt) -> str:
        """Return the next command; what the prompt says is not read."""
        return next(self._plan, UNREADABLE)


def _imagine_play(game: Any, puzzle: Any, rng: np.random.Generator) -> list[str]:
    """Return what the reference player says in a game that looks like this one; [] if unknown.

    Where nothing is hidden and nothing is drawn, that is the game itself.
    """
    worlds = game.draw_lookalikes(puzzle, 1, rng)
    if not worlds and game.without_hidden(puzzle) == puzzle:
        worlds = (puzzle,)
    return (
        [game.format_command(said) for said in game.play_reference(worlds[0])[0]] if worlds else []
    )
