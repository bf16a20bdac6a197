"""The environment: one cube, acted on command by command (CubeBench, sections 3.1 and 3.2).

The episode of cube/navigate acts on an Environment, and a live harness may hand one to a model's
code: five functions with the paper's names and meanings (appendix I), which use nothing but the
cube. An illegal command changes nothing, is counted, and is answered with the reason: `run_command`
returns it, the five functions raise it as a ValueError, so that the calling code notices.

Rewards are whole numbers: differences of a potential, or with "none" 1 for the move that solves the
cube and 0 for all others. In all cases the episode ends when the cube is solved.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from json import dumps
from typing import Any

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.navigation import commands, solver_tools, viewpoints
from facelet.generators.cube.navigation.commands import FINISH, OBSERVE, REFUSED, SOLVE
from facelet.generators.cube.navigation.observations import observe_state
from facelet.generators.cube.navigation.replies import Mode, format_commands
from facelet.generators.cube.navigation.reward_potentials import POTENTIALS
from facelet.generators.cube.navigation.rules import CommandCounts, CommandResult, NavigationRules
from facelet.renderers.scenes.records import Scene

RECORD = 1_000_000
"""Longest record of a step, in characters: a little less than the scorer reads of one reply. It has
room for at least 330,000 moves."""

_FRAME = 20
"""Characters of a record that are not its commands."""


class Over(RuntimeError):  # noqa: N818 - the name says what it is
    """The episode is over, or the step is full: nothing more is carried out."""


@dataclass
class CubeEnvironment:
    """A cube that is acted on.

    Attributes:
        rules: display, reward, solver and number of moves.
        state: facelet string of the cube as it is now.
        viewpoint: where the viewer is now; see facelet.generators.cube.navigation.viewpoints.
        counts: what was done so far.
        finished: whether final_answer was given.
    """

    rules: NavigationRules
    state: str
    viewpoint: str = viewpoints.START
    counts: CommandCounts = field(default_factory=CommandCounts)
    finished: bool = False
    _record: list[str] = field(default_factory=list)
    _size: int = _FRAME
    _refused: int = 0
    _potential: int = 0

    def __post_init__(self) -> None:
        self._potential = self._current_potential()

    @property
    def is_solved(self) -> bool:
        """Whether every face has the colour of its centre."""
        return self.state == SOLVED

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self.finished or self.is_solved

    def list_allowed_functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions that the rules allow, by name.

        See facelet.generators.core.code_tools.
        """
        chosen: list[Callable[..., Any]] = [self.make_move, self.get_observation]
        if self.rules.display.is_partial:
            chosen.append(self.apply_view_transformation)
        if self.rules.agent != "basic":
            chosen.append(self.solve)
        return {function.__name__: function for function in (*chosen, self.final_answer)}

    # --- the five functions of the paper ----------------------------------------------------------

    def make_move(self, move: str) -> int:
        """Turn a face by 90 degrees and return the reward.

        Args:
            move: one of F F' B B' L L' R R' U U' D D'; names belong to the faces of the cube,
                wherever the viewer stands.

        Raises:
            ValueError: there is no such move, or all moves are used up.
            Over: the episode is over, or the step is full.
        """
        return self._run_live_call(move, isinstance(move, str) and move in _TURNS).reward

    def get_observation(self) -> str | Scene:
        """Return the observation: the text of 54 letters, or the scene of a picture.

        Raises:
            Over: the episode is over, or the step is full.
        """
        self._run_live_call(OBSERVE)
        return self.current_observation()

    def apply_view_transformation(self, direction: str) -> None:
        """Walk a quarter circle around the cube; in face and vertex view only.

        Args:
            direction: up, down, left or right.

        Raises:
            ValueError: there is no such direction, or the whole cube is in sight already.
            Over: the episode is over, or the step is full.
        """
        self._run_live_call(direction, direction in viewpoints.DIRECTIONS)

    def solve(self, text: str) -> str:
        """Return the solver's answer about a state in text, such as "U3 F2 R1 (3f)".

        A text that no cube can have is answered too, with what is wrong.

        Raises:
            ValueError: there is no solver.
            Over: the episode is over, or the step is full.
        """
        (command,) = commands.parse_entry(f"{SOLVE}{text}"[: commands.LONGEST])
        return self.ask_solver(self._run_live_call(command, command.startswith(SOLVE)).command)

    def final_answer(self, answer: object = "") -> None:
        """End the episode; the argument does not matter.

        Raises:
            Over: the episode is over, or the step is full.
        """
        self._run_live_call(FINISH)

    # --- one command after the other --------------------------------------------------------------

    def run_command(self, command: str) -> CommandResult:
        """Carry out a command and return its result.

        Raises:
            Over: the episode is over.
        """
        if self.is_over:
            raise Over(
                "the play is over: " + ("solved" if self.is_solved else "final_answer given")
            )
        if command in _TURNS:
            return self._turn_face(command)
        if command == OBSERVE:
            self.counts.observations += 1
            return CommandResult(command, "observation")
        if command in viewpoints.DIRECTIONS:
            return self._walk_around(command)
        if command == FINISH:
            self.finished = True
            return CommandResult(command, "final")
        if command.startswith(SOLVE) and self.rules.agent != "basic":
            self.counts.solver_calls += 1
            return CommandResult(command, "solver")
        self.counts.illegal += 1
        return CommandResult(command, "illegal", text=self._refusal_reason(command))

    def current_observation(self) -> str | Scene:
        """Return what get_observation returns, without counting it."""
        return observe_state(self.state, self.viewpoint, self.rules.display)

    def ask_solver(self, command: str) -> str:
        """Return the solver's answer to a "solve: ..." command, without counting it."""
        text = command.removeprefix(SOLVE)
        if self.rules.agent == "standard":
            return solver_tools.solve_standard(text)
        return solver_tools.solve_ideal(text, self.rules.display.facelet_codec)

    def fork_environment(self) -> CubeEnvironment:
        """Return a copy with an empty record, on which live code can act."""
        twin = copy.copy(self)
        twin.counts = copy.copy(self.counts)
        twin._record, twin._size, twin._refused = [], _FRAME, 0
        return twin

    def build_recorded_reply(self, mode: Mode = "code") -> str:
        """Return the calls since the fork, as the reply of one step."""
        return format_commands(self._record, mode, dense=True)

    def _run_live_call(self, command: str, known: bool = True) -> CommandResult:
        """Carry out and record a call of live code; one without a command is refused."""
        if not known:
            command = (REFUSED + str(command))[:_SHOWN].strip()
        size = self._size + (
            len(command) + 1
            if command in _TURNS
            else len(dumps(command)) + 5 * command.count("<") + 6
        )
        if size > RECORD:
            raise Over(f"the step is full: its record would pass {RECORD:,} characters; end it")
        if self._refused == commands.REFUSALS:
            raise Over(f"the step is full: {self._refused:,} of its actions were refused; end it")
        result = self.run_command(command)
        self._record.append(command)
        self._size = size
        if result.is_refused:
            self._refused += 1
            raise ValueError(result.text)
        return result

    def _turn_face(self, move: str) -> CommandResult:
        if self.counts.make_moves >= self.rules.moves:
            self.counts.over_budget += 1
            text = f"all {self.rules.moves:,} moves of this episode are used up"
            return CommandResult(move, "over_budget", text=text)
        self.counts.make_moves += 1
        self.state = moves.apply_maneuver(self.state, (move,))
        before, self._potential = self._potential, self._current_potential()
        return CommandResult(move, "turn", self._potential - before)

    def _walk_around(self, direction: str) -> CommandResult:
        if not self.rules.display.is_partial:
            self.counts.illegal += 1
            text = f"{direction}: there is one view only, which shows all of the cube"
            return CommandResult(direction, "illegal", text=text)
        self.counts.views += 1
        self.viewpoint = viewpoints.walk_quarter(self.viewpoint, direction)
        return CommandResult(direction, "view")

    def _current_potential(self) -> int:
        if self.rules.reward == "none":
            return int(self.state == SOLVED)
        return POTENTIALS[self.rules.reward](self.state)

    def _refusal_reason(self, command: str) -> str:
        """Return why a command cannot be carried out, in words for the player."""
        if command.startswith(SOLVE):
            return "there is no solver in this episode"
        command = command.removeprefix(REFUSED)
        shown = command if len(command) <= _SHOWN else command[:_SHOWN] + "..."
        if command[:1] in "FBLRUD" and command[1:] in ("2", "2'", "3", "1", "w"):
            face = command[0]
            return f"{shown!r} is no move here: a move is a quarter turn; write {face} or {face}'"
        return f"{shown!r} is no action; use one of {_list_allowed(self.rules)}"


@lru_cache(maxsize=64)
def _list_allowed(rules: NavigationRules) -> str:
    """Return the commands that the rules allow, in words for the player."""
    known = [*commands.TURNS, OBSERVE]
    known += viewpoints.DIRECTIONS if rules.display.is_partial else ()
    known += [f"{SOLVE}TEXT"] if rules.agent != "basic" else []
    return ", ".join([*known, FINISH])


_TURNS = frozenset(commands.TURNS)
_SHOWN = 40
"""Characters of an unknown command that an answer repeats."""
