"""Navigate: solve the cube by acting on it, under one of four observations. CubeBench, 3 and 4.

A multi-turn task. In generators.cube.navigation, commands and environment have the actions, episode
has steps and end, and observations has what is seen.

At short depths a player need not see the cube: as in the paper a step holds any number of moves,
and the episode ends when the cube is solved. One list of 62,340 quarter turns that runs through all
maneuvers of up to 4 face turns solves every such state, under any observation. So an episode has
no more quarter turns than a twentieth of the states of its depth: each turn of a list comes past
one state, so no list solves more than 5% of a depth (at depth 1, where a half turn takes two
quarter turns, 2 of 18 states). As in the paper, a million turns are allowed with `moves=1000000`;
then read the pass rate of the short horizon beside #MM and #MR, which are in the thousands for such
a player.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from facelet.generators.core.chance_level import BlindLimit, Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import (
    READ_REPLIES,
    Accuracy,
    Called,
    MaxOf,
    MeanOf,
    Measure,
    WeightedMeanOf,
)
from facelet.generators.core.params import check_range, param
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Traits
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.navigation import observations
from facelet.generators.cube.navigation.environment import MOVES, Agent, NavigationRules, Reward
from facelet.generators.cube.navigation.episode import COUNTED, EpisodeStart, NavigationEpisode
from facelet.generators.cube.navigation.observations import (
    OBSERVATIONS,
    START,
    Background,
    Display,
    SchemeName,
)
from facelet.generators.cube.navigation.replies import FINISH, TURNS, Mode, format_commands
from facelet.generators.cube.states import certified_states
from facelet.generators.cube.states.certified_states import (
    CertifiedState,
    CertifiedStates,
)
from facelet.generators.cube.states.state_task import CubeParams, StateTask
from facelet.renderers.scenes.records import CELLS

SPARING, MOST = 20, 400
"""Of how many states of a depth a list of turns may come past one, by default; and the most quarter
turns of an episode then, those that the paper's learned baseline has."""
SHORT, LONG = 4, 8
"""Greatest depth of the short horizon, least depth of the long one (section 3.2)."""
STATES: Mapping[str, tuple[int, ...]] = {
    "htm": (18, 243, 3_240, 43_239, 574_908, 7_618_438),
    "qtm": (12, 114, 1_068, 10_011, 93_840, 878_880, 8_221_632),
}
"""How many states there are at each optimal depth from 1 on, as long as there are few."""


@dataclass(frozen=True, slots=True)
class Params(CubeParams):
    """Params of the task. The moves are at least twice the depth, so that every solution fits."""

    observation: Literal["matched", "symbolic", "net", "face", "vertex"] = param(
        "matched", "what the player sees; matched for all four, a row each"
    )
    reward: Reward = param("none", "the potential whose change a move is rewarded with")
    agent: Agent = param(
        "basic", "no solver (basic), one for URFDLB (standard) or for what is shown (ideal)"
    )
    mode: Mode = param("code", "whether the player may act through code, or plans lists")
    steps: int = param(20, "replies that an episode has", low=1, high=1000)
    moves: int = param(
        0,
        "quarter turns that an episode has; 0 for a twentieth of the states of its depth, at least "
        "twice the depth and at most 400 (with a solver always 400); the most is no limit in "
        "practice, as in the paper",
        low=0,
        high=MOVES,
    )
    scheme: SchemeName = param("cubebench", "colours; cubebench has orange on top, red in front")
    cell: int = param(
        40,
        "edge of a sticker in a net; faces and corners match",
        low=CELLS[0],
        high=CELLS[1],
        unit="pixels",
    )
    background: Background = param("white", "colour around the cube in the pictures")

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        CubeParams.validate(self)
        if self.moves:
            check_range("moves", self.moves, 2 * self.depth, MOVES)

    def turn_limit(self) -> int:
        """Return how many quarter turns an episode has; a solver's solutions fit at every depth."""
        if self.agent != "basic":
            return self.moves or MOST
        counts = STATES[self.metric]
        states = counts[self.depth - 1] if self.depth <= len(counts) else SPARING * MOST
        return self.moves or max(2 * self.depth, min(states // SPARING, MOST))

    def row_displays(self) -> tuple[Display, ...]:
        """Return the display of each row of an item."""
        chosen = OBSERVATIONS if self.observation == "matched" else (self.observation,)
        return tuple(Display(one, self.scheme, self.cell, self.background) for one in chosen)


@dataclass(frozen=True, slots=True)
class Instance:
    """A state to be solved, and the rules.

    Attributes:
        state: the certified state.
        plan: one of its shortest solutions, half turns as two quarter turns.
        rules: display, reward, solver and number of moves.
        mode: whether the player may act through code.
        steps: replies that an episode has.
    """

    state: CertifiedState
    plan: str
    rules: NavigationRules
    mode: Mode
    steps: int


def _effort_measures(by: tuple[str, ...]) -> tuple[Measure, ...]:
    """Return #MM (mean over ended, over solved, maximum) and #MR (section 3.2, appendix C)."""
    return (
        WeightedMeanOf(metric="make_moves", weight="terminated", by=by, share=False),
        WeightedMeanOf(metric="make_moves_solved", weight="solved", by=by, share=False),
        MaxOf(metric="make_moves", weight="terminated", by=by),
        WeightedMeanOf(metric="move_ratio", weight="terminated", by=by, share=False),
        WeightedMeanOf(metric="move_ratio_solved", weight="solved", by=by, share=False),
    )


class Navigate(StateTask[Params, Instance]):
    """The task; its metrics are those of facelet.generators.cube.navigation.episode."""

    name: ClassVar[str] = "cube/navigate"
    version: ClassVar[int] = 3
    params: ClassVar[type[Params]] = Params
    columns: ClassVar[tuple[Column, ...]] = (
        *certified_states.COLUMNS,
        Column("plan", "string", "a shortest solution in quarter turns", role="answer"),
        Column("chance", "float64", "probability that random turns follow the plan", role="chance"),
        *observations.COLUMNS,
        Column("reward", "string", "what moves are answered with: none, sticker, face, heuristic"),
        Column("agent", "string", "which solver there is: basic (none), standard or ideal"),
        Column("mode", "string", "whether the player may act through code: code or no_code"),
        Column("steps", "int16", "replies that an episode has"),
        Column("moves", "int32", "quarter turns that an episode has"),
        Column("horizon", "string", "short (depth to 4), middle, or long (from 8)"),
        Column("unseen", "string", "the state without what is seen at first", role="unseen"),
    )
    traits: ClassVar[Traits] = Traits(hidden=True, simulated=True)
    measures: ClassVar[tuple[Measure, ...]] = (
        Called(
            names=(
                ("accuracy", "pass rate"),
                ("make_moves", "#MM"),
                ("make_moves_solved", "#MM solved"),
                ("maximum_make_moves", "max #MM"),
                ("move_ratio", "#MR"),
                ("move_ratio_solved", "#MR solved"),
            )
        ),
        Accuracy(by=("tier",)),
        Accuracy(by=("horizon",)),
        Accuracy(by=("observation", "horizon")),
        *_effort_measures(()),
        *_effort_measures(("observation", "horizon")),
        MeanOf(metric="terminated"),
        READ_REPLIES,
        *(WeightedMeanOf(metric=metric, weight="terminated", share=False) for metric in COUNTED),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "an episode ends after 30 minutes",
            "no time limit",
            "you know your model",
            "pass `time_limit` of 1800 seconds to `environment.run`",
        ),
        Deviation(
            "five states of the authors' own at each depth",
            "five new states of proven depth; at 20 symmetric ones, or their images and "
            "inverses (column `sampling`)",
            "other seeds give others; uniform states of depth 20 cannot be found",
        ),
        Deviation(
            "only the learned baseline has a move limit: 16 at depths to 4, and 400",
            "quarter turns are limited to a twentieth of the depth's states, 400 at most",
            "one list of turns that never looks solved all states of the short horizon; "
            "`moves=16` and `moves=400` are the baseline's limits",
            "moves=1000000",
        ),
        Deviation(
            "a step returns the output of its code",
            "it returns the last 40 actions and the last 4 observations",
            "a step may make thousands of moves",
        ),
    )

    def rows_per_item(self, params: Params) -> int:
        """Return 4 for matched observations, else 1."""
        return len(params.row_displays())

    def chance_level(self, params: Params) -> Chance:
        """Return that each row says its own."""
        return ChanceFromRows()

    def blind_limit(self, params: Params) -> BlindLimit | None:
        """Return the share of a depth's states that a list of so many turns can pass."""
        counts = STATES[params.metric]
        if params.depth > len(counts):
            return None
        share = min(1.0, params.turn_limit() / counts[params.depth - 1])
        return BlindLimit(share, "a list of turns passes many states, and the solved one ends it")

    def generate(
        self, params: Params, draw: Draw, resource: CertifiedStates
    ) -> tuple[Instance, ...]:
        """Return the item's state under each observation asked for."""
        state = resource.states[draw.index]
        return tuple(
            Instance(
                state=state,
                plan=_quarter_turn_plan(state),
                rules=NavigationRules(display, params.reward, params.agent, params.turn_limit()),
                mode=params.mode,
                steps=params.steps,
            )
            for display in params.row_displays()
        )

    def open(self, instance: Instance) -> NavigationEpisode:
        """Return an episode of several replies."""
        state = instance.state
        start = EpisodeStart(
            state.facelets, state.optimal_depth, instance.rules, instance.mode, instance.steps
        )
        return NavigationEpisode(start)

    def gold_answer(self, instance: Instance) -> str:
        """Return a shortest solution in quarter turns; any other solution is right too."""
        return instance.plan

    def list_shown_keys(self, instance: Instance) -> list[str]:
        """Return the classes of the start and of the states that the published solution passes.

        A player may turn to any state there is, so not all that can be shown is listed.
        """
        found, now = [instance.state.canonical], instance.state.facelets
        for turn in instance.plan.split()[:-1]:
            now = moves.apply_maneuver(now, (turn,))
            found.append(symmetry.canonical_image(now)[0])
        return found

    def reference(self, instance: Instance) -> list[str]:
        """Return one step that solves the cube."""
        return [format_commands([*instance.plan.split(), FINISH], instance.mode)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the state, its solution or the conditions."""
        wrong = certified_states.find_state_faults(instance.state)
        if not wrong and instance.plan != _quarter_turn_plan(instance.state):
            wrong.append(f"the plan {instance.plan!r} is not the solution in quarter turns")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        state, display = instance.state, instance.rules.display
        return {
            **certified_states.encode_state(state),
            "plan": instance.plan,
            "chance": float(len(TURNS)) ** -len(instance.plan.split()),
            **observations.encode_display(display),
            "reward": instance.rules.reward,
            "agent": instance.rules.agent,
            "mode": instance.mode,
            "steps": instance.steps,
            "moves": instance.rules.moves,
            "horizon": depth_horizon(state.optimal_depth),
            "unseen": observations.hide_visible(state.facelets, START, display),
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return Instance(
            state=certified_states.decode_state(row),
            plan=row["plan"],
            rules=NavigationRules(
                observations.decode_display(row), row["reward"], row["agent"], row["moves"]
            ),
            mode=row["mode"],
            steps=row["steps"],
        )


def depth_horizon(depth: int) -> str:
    """Return "short" for depths to 4, "long" from 8, "middle" between (section 3.2)."""
    if depth <= SHORT:
        return "short"
    return "long" if depth >= LONG else "middle"


def _quarter_turn_plan(state: CertifiedState) -> str:
    """Return the solution of a state in quarter turns."""
    return notation.format_maneuver(notation.quarter_turns(state.witness_moves))


TASK = Navigate()
