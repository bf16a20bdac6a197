"""Plan: the whole way out of a chamber at once, judged by carrying it out (MARBLE, 2.1).

The paper states the objective as a plan P with the reward R(P): 1 if the exit is passed, 0 if not.
It cannot play its maps and asks for parts of given plans instead; here the simulator carries a
plan out. Any plan that leads out is right, shortest or not. It ends at the first step that cannot
be done. The budget is twice the steps of a shortest plan; later steps count for nothing, nor do
those behind the exit.

Chance is measured: plans of as many steps as count, each drawn evenly from all commands that the
names in the description allow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from facelet.generators.chamber.engine.step_rules import chamber_rules, run_plan
from facelet.generators.chamber.maps import map_columns
from facelet.generators.chamber.maps.map_columns import MapParams, MapPool, MapRecord, MapTask
from facelet.generators.chamber.replies.plan_parser import OPENING, read_plan, write_plan
from facelet.generators.chamber.world.chamber_records import LEAVE
from facelet.generators.core.chance_level import SimulatedChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import MeanOf, Measure
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.row_schema import column, nest_record
from facelet.generators.core.seeding import Draw
from facelet.generators.core.single_turn import QuestionTask
from facelet.generators.core.task import Outcome, Status, Traits

BUDGET = 2
"""Steps that count for each step of a shortest plan."""
OUT, IN = "out", "not out"
LUCK = SimulatedChance(0.0, 0.0, 0.0004, 9_984)
"""Chance in each band of the suites, with all other knobs at their defaults, over this many plans
for the 64 chambers of a band of the suite `marble`."""
MEASURED = (7, 12, 18, 24)


@dataclass(frozen=True, slots=True)
class Whole:
    """A row: a map and a budget."""

    ground: MapRecord = nest_record(MapRecord)
    budget: int = column("steps of a plan that count", type="int16")


class ChamberPlan(MapTask, QuestionTask[MapParams, Whole]):
    """The task.

    Metrics of an outcome:

        carried_out          share of the steps that count which were carried out
        planned              steps of the plan
        success_in_fewest    1 if it leads out in the fewest steps that are possible
        steps_when_solved    steps up to the exit, of a plan that leads out
        steps_over_shortest  these over those of a shortest plan
    """

    name: ClassVar[str] = "chamber/plan"
    version: ClassVar[int] = 6
    params: ClassVar[type[MapParams]] = MapParams
    instance: ClassVar[type[Whole]] = Whole
    traits: ClassVar[Traits] = Traits(simulated=True)
    cost: ClassVar[str] = "steps_when_solved"
    measures: ClassVar[tuple[Measure, ...]] = (
        MeanOf(metric="carried_out"),
        MeanOf(metric="success_in_fewest"),
        MeanOf(metric="planned", share=False),
    )
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "parts of given plans are asked for; none is carried out",
            "the whole plan is asked for and carried out",
            "a chamber here can be played; the reward of a plan is the paper's objective",
        ),
    )

    def chance_level(self, params: MapParams) -> SimulatedChance | None:
        """Return how often a drawn plan leads out; None for knobs it was not measured for."""
        asked = MapParams(steps=params.steps, setting=params.setting, hint=params.hint)
        return LUCK if params == asked and params.steps in MEASURED else None

    def generate(self, params: MapParams, draw: Draw, resource: MapPool) -> tuple[Whole]:
        """Return the row of a map."""
        found = resource.maps[draw.index]
        return (Whole(map_columns.map_to_record(found, params), BUDGET * len(found.plan)),)

    def gold_answer(self, instance: Whole) -> str:
        """Return a shortest plan, a step a line; any other plan that leads out is as good."""
        return write_plan(map_columns.plan_steps(instance.ground)).partition("\n")[2]

    def reference(self, instance: Whole) -> list[str]:
        """Return a shortest plan in the requested format."""
        return [write_plan(map_columns.plan_steps(instance.ground))]

    def find_faults(self, instance: Whole) -> list[str]:
        """Return what is false about the map or the budget; the plan is carried out."""
        found = map_columns.find_map_faults(instance.ground)
        if instance.budget != BUDGET * len(instance.ground.plan):
            found.append(f"the budget is {instance.budget}")
        return found

    def _question_prompt(self, instance: Whole) -> Prompt:
        task = _TASK.format(budget=instance.budget, commands=COMMANDS, opening=OPENING)
        return map_columns.map_prompt(instance.ground, task)

    def _judge_reply(self, instance: Whole, reply: str) -> Outcome:
        parsed = read_plan(reply)
        if parsed.value is None:
            return Outcome(Status.UNPARSED, strict=False, gold=(OUT,), metrics=_plan_metrics(0, 0))
        counted = parsed.value[: instance.budget]
        if LEAVE in counted:
            counted = counted[: counted.index(LEAVE) + 1]
        went = run_plan(chamber_rules(map_columns.read_chamber(instance.ground)), counted)
        done = len(went.states) - 1
        figures = _plan_metrics(done / len(counted), len(parsed.value))
        note = ""
        if went.has_left:
            fewest = len(instance.ground.plan)
            figures |= {
                "success_in_fewest": float(done == fewest),
                "steps_when_solved": float(done),
                "steps_over_shortest": done / fewest,
            }
            status = Status.CORRECT
        elif went.failed_step is None:
            status, note = Status.WRONG, f"after {done} steps the player is still inside"
        else:
            status, note = (
                Status.ILLEGAL,
                f"step {went.failed_step + 1} cannot be done: {went.reason}",
            )
        answer = (OUT if went.has_left else IN,)
        return Outcome(status, parsed.strict, (OUT,), answer, figures, note)


COMMANDS = """\
shoot FLOOR blue PANEL   (or orange: one portal, from a floor)
both FLOOR BLUE_PANEL ORANGE_PANEL   (both portals, from a floor)
take THING
put TARGET   (what you carry)
turn DIRECTION and put TARGET   (a mirror cube that you carry; east, north, west or south)
press SWITCH
stand BUTTON_OR_LIFT
enter PANEL_OR_PLATE_OR_BEAM
drop FLOOR   (jump down to it)
wait FLOOR
leave"""
_TASK = """\
Write a complete plan that leads from the start out through the exit. It is carried out step by \
step, and you see nothing in between. It fails at the first step that cannot be done. Only its \
first {budget} steps count. A step is one of these commands, with names where there are capitals; \
FLOOR may also be the button or lift that the player stands on:
{commands}

End your reply with the plan in exactly this form, one line a step:
{opening}
Step 1: COMMAND
Step 2: COMMAND"""


def _plan_metrics(carried_out: float, planned: int) -> dict[str, float]:
    return {
        "carried_out": carried_out,
        "planned": float(planned),
        "success_in_fewest": 0.0,
    }


TASK = ChamberPlan()
