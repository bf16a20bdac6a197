"""Partial-view players of cubes: one sticker, a row, a face, the centres, one move ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import eq, itemgetter
from typing import Any

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.cube.attempts.task import AttemptTask
from facelet.generators.cube.deformation.deformation_task import CubeDeformation, CubeWriting
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.cubies import from_facelets, permutation_parity
from facelet.generators.cube.engine.moves import turn_upright
from facelet.generators.cube.engine.notation import CENTRES, SOLVED, UNIT_MOVES
from facelet.generators.cube.navigation.replies import Mode, format_commands
from facelet.generators.options.letter_placement import LETTERS
from facelet.pipeline.audit.baseline_players import UNREADABLE, PartialViewPlayer, list_options
from facelet.pipeline.audit.deformation_players import (
    PartialPlayer,
    WritingPlayer,
    build_drawing_looker,
    build_followers,
    last_half,
)
from facelet.pipeline.cube.visible_relations import MATCHING
from facelet.pipeline.family_modules import AnyTask

_LAST = "the last half of the rotations, rounded up, and never all"
_AHEAD = "the stickers at home after one move"
_STEPPING = ("cube/step_by_step", "cube/step_tree", "cube/navigate")
_QUESTIONS = ("cube/move_prediction", "cube/reflection")
_CORNER = itemgetter(8, 9, 20)  # the corner between the upper, right and front faces
_TURNS = tuple(sorted(UNIT_MOVES["qtm"]))


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that look at a part, by name."""
    if isinstance(task, CubeWriting):
        if task.direction == "inverse":
            return {"fifty_lists": build_drawing_looker()}
        return {"last_half": WritingPlayer(_LAST, last_half).build_looker()}
    if isinstance(task, CubeDeformation):
        found = {
            "centres": PartialPlayer("the six centres alone", _centre_stickers),
            "one_sticker": PartialPlayer("one sticker, at which options differ most", followed=1),
            "quarter_turns": PartialPlayer(
                "whether the corners are an odd or an even order", _corner_parity
            ),
            "last_half": PartialPlayer(_LAST, keep_steps=last_half),
        }
        lookers = {name: player.build_looker(task.direction) for name, player in found.items()}
        lookers |= build_followers("sticker", task.direction)
        return {**lookers, "matching": MATCHING.build_looker(task.direction)}
    if task.name == "cube/verification":
        return {
            "one_sticker": PartialViewPlayer(
                "the top left sticker of the face alone", _verification_player(1)
            ),
            "top_row": PartialViewPlayer("the top row of the face alone", _verification_player(3)),
        }
    if task.name in _QUESTIONS:
        return {
            name: PartialViewPlayer(looks_at, partial(_play_best_option, score))
            for name, (looks_at, score) in _OPTION_SCORES.items()
        }
    if isinstance(task, AttemptTask) or task.name in _STEPPING:
        return {
            "one_ahead": PartialViewPlayer(
                _AHEAD, lambda instance, rng: _OneMovePlayer(instance, rng).next_reply
            )
        }
    if task.name == "cube/move_effect":
        return {"one_move": PartialViewPlayer("the first move alone", _one_move)}
    return {}


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no player that does a part."""
    return "each sticker is asked for by itself, and who sees a part of them gets that part"


def _centre_stickers(stickers: Sequence[int]) -> Sequence[int]:
    return [stickers[place] for place in CENTRES]


def _corner_parity(stickers: Sequence[int]) -> Sequence[int]:
    """Return the parity of the corners, which each quarter turn of a face changes."""
    upright = turn_upright(bytes(stickers).decode())[0]
    return [permutation_parity(from_facelets(upright).cp)]


def _verification_player(
    seen: int,
) -> Callable[[Any, np.random.Generator], Callable[[Prompt], str]]:
    """Return what compares the first stickers of the face with what is claimed of them."""

    def begin_play(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
        said, face = instance.proposition, instance.visible_face
        if said.template == "full_face":
            holds = said.letters[:seen] == face[:seen]
        else:
            holds = bool(rng.integers(2))
        return lambda prompt: f"Answer: {'Yes' if holds != instance.negated else 'No'}"

    return begin_play


def _count_undone_stickers(state: str, option: str) -> int:
    turns = notation.parse_maneuver(option)
    undone = notation.invert_maneuver(turns[len(turns) // 2 :])
    return sum(map(eq, moves.apply_maneuver(SOLVED, undone), state))


_OPTION_SCORES: Mapping[str, tuple[str, Callable[[str, str], int]]] = {
    "front_face": (
        "what each option makes of the front face",
        lambda state, option: max(Counter(moves.apply_maneuver(state, option)[18:27]).values()),
    ),
    "one_piece": (
        "what each option makes of one corner",
        lambda state, option: _CORNER(moves.apply_maneuver(state, option)) == _CORNER(SOLVED),
    ),
    "last_moves": ("the last half of each option, undone from solved", _count_undone_stickers),
}


def _play_best_option(
    score: Callable[[str, str], int], instance: Any, rng: np.random.Generator
) -> Callable[[Prompt], str]:
    """Choose any of the options with the greatest score."""
    question = getattr(instance, "question", instance)
    scores = [score(question.state.facelets, option) for option in question.options]
    found = [place for place, one in enumerate(scores) if one == max(scores)]
    letter = LETTERS[found[int(rng.integers(len(found)))]]
    return lambda prompt: f"Answer: {letter}"


def _one_move(instance: Any, rng: np.random.Generator) -> Callable[[Prompt], str]:
    """Say what the first move does, and of the others what most moves do."""
    said = (instance.effects[0], *("INCREASE",) * (len(instance.effects) - 1))
    lines = [
        f"<{letter}> {effect} </{letter}>" for letter, effect in zip(LETTERS, said, strict=False)
    ]
    return lambda prompt: "\n".join(lines)


class _OneMovePlayer:
    """Takes the move after which most stickers are at home, never back to where it was."""

    def __init__(self, instance: Any, rng: np.random.Generator) -> None:
        node = getattr(instance, "node", None)
        self._facelets = instance.state.facelets if node is None else node.state
        self._mode: Mode | None = getattr(instance, "mode", None)
        self._rng = rng
        self._seen = {self._facelets}

    def next_reply(self, prompt: Prompt) -> str:
        """Return the letter of a move, or the move itself where any may be made."""
        offers = list_options(prompt)
        if not offers and self._mode is None:
            return UNREADABLE
        choices = offers or {turn: turn for turn in _TURNS}
        letter = max(
            choices, key=lambda name: (self._count_home(choices[name]), self._rng.random())
        )
        self._facelets = moves.apply_maneuver(self._facelets, choices[letter])
        self._seen.add(self._facelets)
        if offers or self._mode is None:
            return f"<ANSWER>{letter}</ANSWER>"
        return format_commands([letter], self._mode)

    def _count_home(self, move: str) -> int:
        """Return how many stickers are at home after a move; few where it has been already."""
        after = moves.apply_maneuver(self._facelets, move)
        if after in self._seen:
            return -1
        return sum(a == b for a, b in zip(after, SOLVED, strict=True))
