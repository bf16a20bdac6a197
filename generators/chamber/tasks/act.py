"""Act: the chamber step by step, with the simulator as monitor; beyond MARBLE's two tasks.

The player gives one step a reply, is told what came of it and, where there are pictures, shown
the plan, or the room that it is in, as it then is. A step that cannot be done, or that the player
would not survive, is refused and costs a turn like any other. The budget is twice the length of a
shortest plan.

Chance is measured, for the bands that the suites ask for: a player who knows which steps are
possible and draws one of them evenly at each turn, steps that change nothing left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, chamber_rules
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import MapParams, MapPool, MapRecord, MapTask
from facelet.generators.chamber.presentation import chamber_scenes, rule_text
from facelet.generators.chamber.replies import plan_parser
from facelet.generators.chamber.world.chamber_records import COLOURS, COMPASS, LEAVE, Step
from facelet.generators.core.chance_level import SimulatedChance
from facelet.generators.core.game_rules import Shown
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.command import Command, CommandForm
from facelet.generators.core.row_schema import column, nest_record
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Traits
from facelet.generators.core.text_game import Game, Luck, Player

BUDGET = 2
"""Turns for each step of a shortest plan."""
LUCK = {
    7: SimulatedChance(0.0, 0.0, 0.002, 1920),
    12: SimulatedChance(0.0, 0.0, 0.005, 768),
    18: SimulatedChance(0.0, 0.0, 0.0075, 512),
    24: SimulatedChance(0.0, 0.0, 0.0075, 512),
}
"""Chance by the fewest steps of a plan, all other knobs left alone: 30, 12, 8 and 8 plays of each
of the 64 chambers of a band of the suite `marble`."""


@dataclass(frozen=True, slots=True)
class Played:
    """A row: a map and a budget."""

    ground: MapRecord = nest_record(MapRecord)
    budget: int = column("turns that the player has", type="int16")


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a play.

    Attributes:
        state: the state of the chamber.
        left: whether the player walked out.
    """

    state: State
    left: bool = False


class Act(MapTask, Game[MapParams, Played, Moment]):
    """The game; see the module."""

    name: ClassVar[str] = "chamber/act"
    version: ClassVar[int] = 10
    params: ClassVar[type[MapParams]] = MapParams
    instance: ClassVar[type[Played]] = Played
    traits: ClassVar[Traits] = Traits(hidden=False, simulated=True)
    forms: ClassVar[tuple[CommandForm, ...]] = (
        CommandForm(
            "shoot",
            "My Step: shoot {symbols} {blue|orange} {symbols}",
            "My Step: shoot FLOOR blue PANEL   (or orange)",
        ),
        CommandForm(
            "both",
            "My Step: both {symbols} {symbols} {symbols}",
            "My Step: both FLOOR BLUE_PANEL ORANGE_PANEL",
        ),
        CommandForm("take", "My Step: take {symbols}", "My Step: take THING"),
        CommandForm("put", "My Step: put {symbols}", "My Step: put TARGET   (what you carry)"),
        CommandForm(
            "face",
            "My Step: turn {east|north|west|south} and put {symbols}",
            "My Step: turn DIRECTION and put TARGET   (a mirror cube that you carry)",
        ),
        CommandForm("press", "My Step: press {symbols}", "My Step: press SWITCH"),
        CommandForm("stand", "My Step: stand {symbols}", "My Step: stand BUTTON_OR_LIFT"),
        CommandForm("enter", "My Step: enter {symbols}", "My Step: enter PANEL_OR_PLATE_OR_BEAM"),
        CommandForm("drop", "My Step: drop {symbols}", "My Step: drop FLOOR   (jump down to it)"),
        CommandForm("wait", "My Step: wait {symbols}", "My Step: wait FLOOR"),
        CommandForm("leave", "My Step: leave", "My Step: leave"),
    )

    def read(self, reply: str) -> Parsed[Command]:
        """Return the command of a reply; a step in other words, alone in its last line, is one."""
        parsed = super().read(reply)
        several = reply.lower().count("my step:") > 1
        if parsed.value is None and not several and (step := plan_parser.read_last_step(reply)):
            return Parsed(to_command(step), strict=False)
        return parsed

    def chance_level(self, params: MapParams) -> SimulatedChance | None:
        """Return how often luck gets out; None for knobs that it was not measured for."""
        asked = MapParams(steps=params.steps, setting=params.setting, hint=params.hint)
        return LUCK.get(params.steps) if params == asked else None

    def generate(self, params: MapParams, draw: Draw, resource: MapPool) -> tuple[Played]:
        """Return the play of a map."""
        found = resource.maps[draw.index]
        return (Played(map_columns.map_to_record(found, params), BUDGET * len(found.plan)),)

    # --- the rules --------------------------------------------------------------------------------

    def start(self, puzzle: Played) -> Moment:
        """Return the beginning."""
        return Moment(_chamber_engine(puzzle).beginning)

    def legal(self, puzzle: Played, state: Moment, said: Command) -> str:
        """Return why a step cannot be done."""
        try:
            _chamber_engine(puzzle).apply_step(state.state, step_of(said))
        except StepRefused as refused:
            return f"{refused}."
        return ""

    def step(self, puzzle: Played, state: Moment, said: Command, luck: Luck) -> Moment:
        """Return what a step leads to."""
        step = step_of(said)
        return Moment(_chamber_engine(puzzle).apply_step(state.state, step), left=step == LEAVE)

    def observe(self, puzzle: Played, state: Moment) -> str:
        """Return the current state in words."""
        return "\n".join(_iterate_state_lines(_chamber_engine(puzzle), state.state))

    def result(self, puzzle: Played, state: Moment) -> bool | None:
        """Return True once the player is out."""
        return True if state.left else None

    # --- words ------------------------------------------------------------------------------------

    def turn_budget(self, puzzle: Played) -> int:
        """Return the budget."""
        return puzzle.budget

    def rules(self, puzzle: Played) -> str:
        """Return the rules."""
        text = rule_text.describe_rules(puzzle.ground.chamber, puzzle.ground.setting)
        if map_columns.has_hint(puzzle.ground):
            text = f"{text}\n{rule_text.HINT}"
        return f"{rule_text.SYSTEM}\n\n{text}\n\n{_TASK}"

    def opening(self, puzzle: Played) -> Sequence[Shown]:
        """Return the pictures and where everything is."""
        about = puzzle.ground
        scenes: tuple[Shown, ...] = ()
        if about.setting in chamber_scenes.PICTURED:
            scenes = chamber_scenes.chamber_scenes(
                map_columns.read_chamber(about), about.hint, about.setting
            )
        return (*scenes, self.observe(puzzle, self.start(puzzle)))

    def describe_last_reply(self, puzzle: Played, state: Moment) -> Sequence[Shown]:
        """Return the plan, or the room of the player, and the current state in words."""
        words, setting = self.observe(puzzle, state), puzzle.ground.setting
        if setting not in chamber_scenes.PICTURED:
            return (words,)
        return (chamber_scenes.current_scene(_chamber_engine(puzzle), state.state, setting), words)

    # --- players ----------------------------------------------------------------------------------

    def player(self, shown: Played) -> Player:
        """Play the shortest plan of the row."""
        yield from (to_command(step) for step in map_columns.plan_steps(shown.ground))

    def play_metrics(
        self, puzzle: Played, said: Sequence[Command], states: Sequence[Moment]
    ) -> Mapping[str, float]:
        """Return the steps over those of a shortest plan, of a play that got out."""
        if not states[-1].left:
            return {}
        return {"steps_over_shortest": len(said) / len(puzzle.ground.plan)}

    def gold_answer(self, instance: Played) -> str:
        """Return a shortest plan, a command a line."""
        return "\n".join(self.reference(instance))

    def find_faults(self, instance: Played) -> list[str]:
        """Return what is false about the map or the budget."""
        found = map_columns.find_map_faults(instance.ground)
        if instance.budget != BUDGET * len(instance.ground.plan):
            found.append(f"the budget is {instance.budget}")
        return found or super().find_faults(instance)


_TASK = """\
Get out of the chamber: give one step in each reply. A step that cannot be done is refused and \
costs its turn all the same."""


def _chamber_engine(puzzle: Played) -> StepRules:
    return chamber_rules(map_columns.read_chamber(puzzle.ground))


def step_of(said: Command) -> Step:
    """Return the step of a command; names may be in lower case."""
    if said.form == "face":
        way, target = said.args
        return Step("put", (target.upper(), way))
    args = (arg if arg in COLOURS else arg.upper() for arg in said.args)
    return Step(said.form, tuple(args))


def to_command(step: Step) -> Command:
    """Return the command of a step; the inverse of `step_of`."""
    if step.verb == "put" and len(step.args) == 2:
        return Command("face", (step.args[1], step.args[0]))
    return Command(step.verb, step.args)


def _iterate_state_lines(engine: StepRules, state: State) -> Iterator[str]:
    """Yield the description of a state, line by line."""
    chart = engine.chart
    zone = engine.reachable_areas(state)
    floors = [chart.area_name[a] for a in range(len(chart.areas)) if zone >> a & 1]
    if (here := chart.area_of.get(state.player)) is None:
        ground_cell = chart.ground_cell(state.player % chart.layer)
        special = chart.special.get(ground_cell)
        where = "in the air" if special is None else f"on {chart.fixtures[special].name}"
    else:
        where = f"on {chart.area_name[here]}"
    yield f"You are {where}. Floors that you can walk to: {', '.join(floors) or 'none'}."
    for number, cell, facing in zip(chart.things, state.things, state.facings, strict=True):
        name = chart.fixtures[number].name
        if cell == CARRIED:
            yield f"You carry {name}."
        elif cell != AWAY:
            place = ",".join(map(str, chart.number_to_cell(cell)))
            way = f", facing {COMPASS[facing]}" if facing >= 0 else ""
            yield f"{name} is at {place}{way}."
    for colour, panel in zip(COLOURS, state.portals, strict=True):
        if panel != UNSET:
            yield f"The {colour} portal is on {chart.fixtures[chart.panels[panel]].name}."
    now = engine.resting_situation(state)
    on = [
        fixture.name
        for number, (fixture, kind) in enumerate(zip(chart.fixtures, chart.devices, strict=True))
        if now.on[number] and (kind.senses or fixture.inputs) and not kind.thing
    ]
    yield f"On are: {', '.join(on) or 'none'}."


TASK = Act()
