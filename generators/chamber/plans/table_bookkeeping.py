"""Execute a plan by a table: which source drives what, and on which button each thing starts.

The table contains no place, distance, wall, sight line or ray. What it says about a plan is what a
player can know that reads the connections and keeps books about them. `plan_mistakes` accepts a
mistake only if the table says the same about the plan with it as about the right plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from facelet.generators.chamber.world.chamber_records import Chamber, Fixture
from facelet.generators.chamber.world.device_registry import find_device
from facelet.generators.chamber.world.step_records import Step


@dataclass(frozen=True, slots=True)
class TableResult:
    """What the table says about a plan.

    Attributes:
        faults: steps that it refuses: what they name is off, or not there.
        working: how many fixtures of each kind that sources drive are on at the end, sorted.
    """

    faults: int
    working: tuple[tuple[str, int], ...]


class ConnectionTable:
    """The table of one chamber."""

    def __init__(self, chamber: Chamber) -> None:
        """Note what drives what, and the button that each thing starts on."""
        self._fixtures = {fixture.name: fixture for fixture in chamber.fixtures}
        self._driven = [fixture for fixture in chamber.fixtures if fixture.inputs]
        buttons = {one.cells: one.name for one in chamber.fixtures if one.kind == "button"}
        self._start = {
            one.name: "" if one.inputs else buttons.get(one.cells, one.name)
            for one in chamber.fixtures
            if find_device(one.kind).thing
        }

    def execute_plan(self, plan: Sequence[Step]) -> TableResult:
        """Return what the table says about a plan."""
        places, pressed, held, faults = dict(self._start), set[str](), "", 0
        for verb, args in plan:
            on = pressed | set(places.values())
            if verb == "take":
                held = args[0]
                faults += not places.get(held) and not self._is_on(self._fixtures[held], on)
                places[held] = ""
            elif verb == "put":
                faults += not held
                places[held] = args[0]
            elif verb in ("press", "stand"):
                pressed.add(args[0])
            if verb in ("stand", "enter"):
                faults += not self._is_on(self._fixtures[args[0]], on)
        on = pressed | set(places.values())
        working = Counter(one.kind for one in self._driven if self._is_on(one, on))
        return TableResult(faults, tuple(sorted(working.items())))

    def _is_on(self, fixture: Fixture, on: set[str]) -> bool:
        """Return whether all inputs are on; whether a laser ends on a receiver is not known."""
        return all(
            self._is_on(self._fixtures[name], on)
            if self._fixtures[name].kind == "dispenser"
            else name in on or self._fixtures[name].kind == "receiver"
            for name in fixture.inputs
        )
