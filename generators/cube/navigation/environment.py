"""The environment: one cube, acted on command by command (CubeBench, sections 3.1, 3.2 and 4.3).

Rewards are whole numbers: differences of a potential before and after a move, or with "none" 1 for
the move that solves the cube and 0 for all others. The potentials count the progress of a cube, as
CubeBench's dense rewards do (section 3.1.4):

    sticker     stickers on their home face, centres included; 6 (the paper says 9) to 54
    face        faces whose nine stickers are all their own, 0 to 6
    heuristic   the highest of the seven steps of the layer-by-layer method (appendix J) that is
                complete, all steps before it included; 0 to 7

The bottom layer of that method is D; the centres never move:

    1   bottom cross        the four D edges are in their places, the right way round
    2   bottom corners      the four D corners too
    3   second layer        the four edges between the layers too
    4   top cross           the four U edges show U on top, in whatever order
    5   top edges           they are in their places
    6   top corners         the four U corners are in their places, twisted or not
    7   top corners turned  the cube is solved

Potentials take facelet strings with the centres of the solved state, unchecked here, for speed.

The episode of cube/navigate acts on a `CubeEnvironment`, and a live harness may hand one to a
model's code: five functions with the paper's names and meanings (appendix I), which use nothing but
the cube. An illegal command changes nothing, is counted, and is answered with the reason:
`run_command` returns it, the five functions raise it as a ValueError, so that the calling code
notices. Whatever the reward, the episode ends when the cube is solved.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from json import dumps
from operator import eq, itemgetter
from typing import Any, Literal

from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.cubies import CORNER_FACELETS, CORNERS, EDGE_FACELETS, EDGES
from facelet.generators.cube.engine.notation import FACES, SOLVED
from facelet.generators.cube.navigation import observations, replies, solver_tools
from facelet.generators.cube.navigation.observations import Display, observe_state
from facelet.generators.cube.navigation.replies import (
    FINISH,
    OBSERVE,
    REFUSED,
    SOLVE,
    Mode,
    format_commands,
)
from facelet.renderers.scenes.records import Scene

Potential = Callable[[str], int]
Dense = Literal["sticker", "face", "heuristic"]


def count_home_stickers(facelets: str) -> int:
    """Return how many of the 54 stickers are on their home face, centres included."""
    return sum(map(eq, facelets, SOLVED))


def count_solved_faces(facelets: str) -> int:
    """Return how many faces are uniform in the colour of their centre."""
    return sum([facelets[start : start + 9] == own for start, own in _FACES])


_FACES = tuple((9 * place, letter * 9) for place, letter in enumerate(FACES))


def count_layer_steps(facelets: str) -> int:
    """Return the highest step of the layer-by-layer method that is complete, 0 to 7."""
    for done, (shown, wanted) in enumerate(_STEPS):
        if shown(facelets) != wanted:
            return done
    if not all([set(shown(facelets)) == wanted for shown, wanted in _TOP_CORNERS]):
        return 5
    return 7 if facelets == SOLVED else 6


_Shown = Callable[[str], tuple[str, ...]]


def _facelet_reader(places: tuple[int, ...]) -> tuple[_Shown, tuple[str, ...]]:
    """Return a function that reads some facelets, and what it returns when they are solved."""
    read = itemgetter(*places)
    return read, read(SOLVED)


def _layer_facelets(
    layer: str, names: tuple[str, ...], stickers: tuple[tuple[int, ...], ...]
) -> list[int]:
    """Return the facelets of the pieces of a layer: "D", "U", or "" for the edges of neither."""
    return [
        index
        for name, places in zip(names, stickers, strict=True)
        if (layer and layer in name) or (not layer and not set("UD") & set(name))
        for index in places
    ]


_STEPS = (
    _facelet_reader(tuple(_layer_facelets("D", EDGES, EDGE_FACELETS))),
    _facelet_reader(tuple(_layer_facelets("D", CORNERS, CORNER_FACELETS))),
    _facelet_reader(tuple(_layer_facelets("", EDGES, EDGE_FACELETS))),
    _facelet_reader(
        tuple(index for index in _layer_facelets("U", EDGES, EDGE_FACELETS) if SOLVED[index] == "U")
    ),
    _facelet_reader(tuple(_layer_facelets("U", EDGES, EDGE_FACELETS))),
)
"""Steps 1 to 5: a function that reads the facelets of the step, and what it must return."""

_TOP_CORNERS = tuple(
    (itemgetter(*places), set(name))
    for name, places in zip(CORNERS, CORNER_FACELETS, strict=True)
    if "U" in name
)
"""Step 6: the three colours that each place must show, in any order."""

POTENTIALS: dict[Dense, Potential] = {
    "sticker": count_home_stickers,
    "face": count_solved_faces,
    "heuristic": count_layer_steps,
}
"""The potentials by name."""


Reward = Literal["none", "sticker", "face", "heuristic"]
Agent = Literal["basic", "standard", "ideal"]
"""Which solver there is: none, one for URFDLB strings, or one for the text of observations."""

MOVES = 1_000_000
"""Most quarter turns of an episode; the most active model of the paper makes 438,194 on average."""

Kind = Literal["turn", "observation", "view", "solver", "final", "illegal", "over_budget"]


@dataclass(frozen=True, slots=True)
class NavigationRules:
    """What an episode allows and rewards.

    Attributes:
        display: how the state is displayed.
        reward: what make_move returns.
        agent: which solver there is.
        moves: quarter turns that the episode has.
    """

    display: Display
    reward: Reward
    agent: Agent
    moves: int = MOVES


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of one command.

    Attributes:
        command: the command.
        kind: what it was, or why it was refused ("illegal", "over_budget").
        reward: the reward of a turn, else 0.
        text: why it was refused, else "". Observations and answers of the solver are not in it:
            they are costly and often not needed; see `current_observation` and `ask_solver`.
    """

    command: str
    kind: Kind
    reward: int = 0
    text: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether the command was not carried out."""
        return self.kind in ("illegal", "over_budget")


@dataclass
class CommandCounts:
    """Numbers of commands so far, by kind."""

    make_moves: int = 0
    observations: int = 0
    views: int = 0
    solver_calls: int = 0
    illegal: int = 0
    over_budget: int = 0


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
        viewpoint: where the viewer is now; see facelet.generators.cube.navigation.observations.
        counts: what was done so far.
        finished: whether final_answer was given.
    """

    rules: NavigationRules
    state: str
    viewpoint: str = observations.START
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

        See facelet.generators.core.task.
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
        self._run_live_call(direction, direction in observations.DIRECTIONS)

    def solve(self, text: str) -> str:
        """Return the solver's answer about a state in text, such as "U3 F2 R1 (3f)".

        A text that no cube can have is answered too, with what is wrong.

        Raises:
            ValueError: there is no solver.
            Over: the episode is over, or the step is full.
        """
        (command,) = replies.parse_entry(f"{SOLVE}{text}"[: replies.LONGEST])
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
        if command in observations.DIRECTIONS:
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
        if self._refused == replies.REFUSALS:
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
        self.viewpoint = observations.walk_quarter(self.viewpoint, direction)
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
    known = [*replies.TURNS, OBSERVE]
    known += observations.DIRECTIONS if rules.display.is_partial else ()
    known += [f"{SOLVE}TEXT"] if rules.agent != "basic" else []
    return ", ".join([*known, FINISH])


_TURNS = frozenset(replies.TURNS)
_SHOWN = 40
"""Characters of an unknown command that an answer repeats."""
