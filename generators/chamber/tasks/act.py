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

from facelet.generators.chamber.engine.resting import Refused
from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.runs import rules
from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.maps import ground
from facelet.generators.chamber.maps.ground import Asked, Ground
from facelet.generators.chamber.maps.records import Maps
from facelet.generators.chamber.replies import steps
from facelet.generators.chamber.showing import pictures, wording
from facelet.generators.chamber.world.grid import COMPASS
from facelet.generators.chamber.world.steps import COLOURS, LEAVE, Step
from facelet.generators.core.chance import Simulated
from facelet.generators.core.columns import column, nested
from facelet.generators.core.game import Game, Luck, Player
from facelet.generators.core.play import Shown
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.command import Form, Said
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Claim, Need, Traits

BUDGET = 2
"""Turns for each step of a shortest plan."""
LUCK = {
    7: Simulated(0.0, 0.0, 0.002, 1920),
    12: Simulated(0.0, 0.0, 0.005, 768),
    18: Simulated(0.0, 0.0, 0.0075, 512),
    24: Simulated(0.0, 0.0, 0.0075, 512),
}
"""Chance by the fewest steps of a plan, all other knobs left alone: 30, 12, 8 and 8 plays of each
of the 64 chambers of a band of the suite `marble`."""


@dataclass(frozen=True, slots=True)
class Played:
    """A row: a map and a budget."""

    ground: Ground = nested(Ground)
    budget: int = column("turns that the player has", type="int16")


@dataclass(frozen=True, slots=True)
class Moment:
    """Where a play stands.

    Attributes:
        state: the state of the chamber.
        left: whether the player walked out.
    """

    state: State
    left: bool = False


class Act(Game[Asked, Played, Moment]):
    """The game; see the module."""

    name: ClassVar[str] = "chamber/act"
    version: ClassVar[int] = 10
    params: ClassVar[type[Asked]] = Asked
    instance: ClassVar[type[Played]] = Played
    traits: ClassVar[Traits] = Traits(hidden=False, simulated=True)
    forms: ClassVar[tuple[Form, ...]] = (
        Form(
            "shoot",
            "My Step: shoot {symbols} {blue|orange} {symbols}",
            "My Step: shoot FLOOR blue PANEL   (or orange)",
        ),
        Form(
            "both",
            "My Step: both {symbols} {symbols} {symbols}",
            "My Step: both FLOOR BLUE_PANEL ORANGE_PANEL",
        ),
        Form("take", "My Step: take {symbols}", "My Step: take THING"),
        Form("put", "My Step: put {symbols}", "My Step: put TARGET   (what you carry)"),
        Form(
            "face",
            "My Step: turn {east|north|west|south} and put {symbols}",
            "My Step: turn DIRECTION and put TARGET   (a mirror cube that you carry)",
        ),
        Form("press", "My Step: press {symbols}", "My Step: press SWITCH"),
        Form("stand", "My Step: stand {symbols}", "My Step: stand BUTTON_OR_LIFT"),
        Form("enter", "My Step: enter {symbols}", "My Step: enter PANEL_OR_PLATE_OR_BEAM"),
        Form("drop", "My Step: drop {symbols}", "My Step: drop FLOOR   (jump down to it)"),
        Form("wait", "My Step: wait {symbols}", "My Step: wait FLOOR"),
        Form("leave", "My Step: leave", "My Step: leave"),
    )

    def read(self, reply: str) -> Parsed[Said]:
        """Return the command of a reply; a step in other words, alone in its last line, is one."""
        parsed = super().read(reply)
        several = reply.lower().count("my step:") > 1
        if parsed.value is None and not several and (step := steps.last(reply)):
            return Parsed(said_of(step), strict=False)
        return parsed

    def chance(self, params: Asked) -> Simulated | None:
        """Return how often luck gets out; None for knobs that it was not measured for."""
        asked = Asked(steps=params.steps, setting=params.setting, hint=params.hint)
        return LUCK.get(params.steps) if params == asked else None

    def needs(self, params: Asked) -> Need:
        """Return the maps."""
        return params.need()

    def generate(self, params: Asked, draw: Draw, resource: Maps) -> tuple[Played]:
        """Return the play of a map."""
        found = resource.maps[draw.index]
        return (Played(ground.ground(found, params), BUDGET * len(found.plan)),)

    # --- the rules --------------------------------------------------------------------------------

    def start(self, puzzle: Played) -> Moment:
        """Return the beginning."""
        return Moment(_engine(puzzle).beginning)

    def legal(self, puzzle: Played, state: Moment, said: Said) -> str:
        """Return why a step cannot be done."""
        try:
            _engine(puzzle).after(state.state, step_of(said))
        except Refused as refused:
            return f"{refused}."
        return ""

    def step(self, puzzle: Played, state: Moment, said: Said, luck: Luck) -> Moment:
        """Return what a step leads to."""
        step = step_of(said)
        return Moment(_engine(puzzle).after(state.state, step), left=step == LEAVE)

    def observe(self, puzzle: Played, state: Moment) -> str:
        """Return what holds now, in words."""
        return "\n".join(_told(_engine(puzzle), state.state))

    def result(self, puzzle: Played, state: Moment) -> bool | None:
        """Return True once the player is out."""
        return True if state.left else None

    # --- words ------------------------------------------------------------------------------------

    def turns(self, puzzle: Played) -> int:
        """Return the budget."""
        return puzzle.budget

    def rules(self, puzzle: Played) -> str:
        """Return the rules."""
        text = wording.described(puzzle.ground.chamber, puzzle.ground.setting)
        if ground.hinted(puzzle.ground):
            text = f"{text}\n{wording.HINT}"
        return f"{wording.SYSTEM}\n\n{text}\n\n{_TASK}"

    def opening(self, puzzle: Played) -> Sequence[Shown]:
        """Return the pictures and where everything is."""
        about = puzzle.ground
        scenes: tuple[Shown, ...] = ()
        if about.setting in pictures.PICTURED:
            scenes = pictures.scenes(ground.chamber(about), about.hint, about.setting)
        return (*scenes, self.observe(puzzle, self.start(puzzle)))

    def tell(self, puzzle: Played, state: Moment) -> Sequence[Shown]:
        """Return the plan, or the room that the player is in, as it is now, and what holds."""
        words, setting = self.observe(puzzle, state), puzzle.ground.setting
        if setting not in pictures.PICTURED:
            return (words,)
        return (pictures.now(_engine(puzzle), state.state, setting), words)

    # --- players ----------------------------------------------------------------------------------

    def player(self, shown: Played) -> Player:
        """Play the shortest plan that the row holds."""
        for step in ground.steps(shown.ground):
            yield said_of(step)

    def figures(
        self, puzzle: Played, said: Sequence[Said], states: Sequence[Moment]
    ) -> Mapping[str, float]:
        """Return the steps over those of a shortest plan, of a play that got out."""
        if not states[-1].left:
            return {}
        return {"steps_over_shortest": len(said) / len(puzzle.ground.plan)}

    def gold(self, instance: Played) -> str:
        """Return a shortest plan, a command a line."""
        return "\n".join(self.reference(instance))

    def group(self, instance: Played) -> str:
        """Return the digest of the chamber."""
        return instance.ground.canonical

    def check(self, instance: Played) -> list[str]:
        """Return what is false about the map or the budget."""
        found = ground.faults(instance.ground)
        if instance.budget != BUDGET * len(instance.ground.plan):
            found.append(f"the budget is {instance.budget}")
        return found or super().check(instance)

    def claims(self, instance: Played) -> Sequence[Claim]:
        """Return the claim that no plan is shorter."""
        return ground.claims(instance.ground)


_TASK = """\
Get out of the chamber: give one step in each reply. A step that cannot be done is refused and \
costs its turn all the same."""


def _engine(puzzle: Played) -> Rules:
    return rules(ground.chamber(puzzle.ground))


def step_of(said: Said) -> Step:
    """Return the step of a command; names may be in lower case."""
    if said.form == "face":
        way, target = said.args
        return Step("put", (target.upper(), way))
    args = (arg if arg in COLOURS else arg.upper() for arg in said.args)
    return Step(said.form, tuple(args))


def said_of(step: Step) -> Said:
    """Return the command of a step; the inverse of `step_of`."""
    if step.verb == "put" and len(step.args) == 2:
        return Said("face", (step.args[1], step.args[0]))
    return Said(step.verb, step.args)


def _told(engine: Rules, state: State) -> Iterator[str]:
    """Yield what holds in a state, a line each."""
    chart = engine.chart
    zone = engine.zone(state)
    floors = [chart.area_name[a] for a in range(len(chart.areas)) if zone >> a & 1]
    here = chart.area_of.get(state.player)
    if here is None:
        ground_cell = chart.ground(state.player % chart.layer)
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
            place = ",".join(map(str, chart.place(cell)))
            way = f", facing {COMPASS[facing]}" if facing >= 0 else ""
            yield f"{name} is at {place}{way}."
    for colour, panel in zip(COLOURS, state.portals, strict=True):
        if panel != UNSET:
            yield f"The {colour} portal is on {chart.fixtures[chart.panels[panel]].name}."
    now = engine.situation(state)
    on = [
        fixture.name
        for number, (fixture, kind) in enumerate(zip(chart.fixtures, chart.devices, strict=True))
        if now.on[number] and (kind.source or fixture.inputs) and not kind.thing
    ]
    yield f"On are: {', '.join(on) or 'none'}."


TASK = Act()
