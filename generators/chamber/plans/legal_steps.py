"""List the legal steps of a state, and map equivalent states to one canonical state.

Two equivalences make the state space small and keep shortest plans shortest. Walks are free, so all
places that are connected by walking count as one (`StepRules.settle_player`). The two portals
differ only by colour, so states that differ by an exchange of the colours count as one.
"""

from __future__ import annotations

from collections.abc import Iterator

from facelet.generators.chamber.engine.flight_paths import LostInFlight
from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.engine.time_step import StepRefused
from facelet.generators.chamber.world.grid import COMPASS, LEVEL
from facelet.generators.chamber.world.step_records import BLUE, ORANGE, Step

Act = tuple[Step, int, tuple[int, int] | None, int]
"""A step, where the player is after it, the portals if it shoots, the switch it presses or -1."""


class LegalSteps:
    """The steps that are possible, state by state.

    Attributes:
        goal: the area of the exit.
    """

    def __init__(self, rules: StepRules, *, portals: bool = True) -> None:
        """Sort the fixtures by what can be done with them."""
        self._rules = rules
        chart = rules.chart
        self.goal = chart.area_of[chart.exit]
        pairs = list(zip(chart.fixtures, chart.devices, strict=True))
        self._names = [chart.fixtures[i].name for i in chart.panels]
        self._fixed = [
            Step(verb, (fixture.name,))
            for verb in ("press", "stand", "enter")
            for fixture, kind in pairs
            if verb in kind.verbs
        ]
        self._fixed += [Step("drop", (name,)) for name in sorted(chart.area_named)]
        self._puts = [fixture.name for fixture, kind in pairs if "put" in kind.verbs]
        self._shoots = portals
        self._known: dict[object, list[Act]] = {}

    def canonical_state(self, state: State) -> tuple[State, bool]:
        """Return the canonical state of a search, and whether colours were exchanged for it."""
        state = self._rules.settle_player(state)
        blue, orange = state.portals
        swap = blue > orange if UNSET not in (blue, orange) else blue == UNSET != orange
        return (state._replace(portals=(orange, blue)), True) if swap else (state, False)

    def iterate_successors(self, state: State) -> Iterator[tuple[Step, State]]:
        """Yield the steps that are possible in a state, and where they lead; leaving left out."""
        rules = self._rules
        burdened = CARRIED in state.things
        acts = self._list_acts(state, burdened)
        for step in self._iterate_handling_steps(state, burdened):
            try:
                yield step, rules.apply_step(state, step)
            except StepRefused:
                continue
        for step, player, portals, pressed in acts:
            done = state._replace(player=player)
            if portals is not None:
                done = done._replace(portals=portals)
            if pressed >= 0:
                done = rules.start_timer(done, pressed)
            try:
                yield step, rules.pass_time(done, pressed)
            except StepRefused:
                continue

    def _iterate_handling_steps(self, state: State, burdened: bool) -> Iterator[Step]:
        """Yield the steps with things that may be possible, and waiting.

        Waiting matters while a timer runs, and to a player off plain floor, which it moves to a
        floor.
        """
        chart = self._rules.chart
        running = any(
            time and lasts for time, lasts in zip(state.timers, chart.lasting, strict=True)
        )
        if running or state.player not in chart.area_of:
            yield from (Step("wait", (name,)) for name, _ in self._list_origins(state))
        if not burdened:
            yield from (
                Step("take", (chart.fixtures[chart.things[thing]].name,))
                for thing, cell in enumerate(state.things)
                if cell != AWAY
            )
            return
        thing = state.things.index(CARRIED)
        turns = chart.devices[chart.things[thing]].turns
        for name in self._puts:
            if turns:
                yield from (Step("put", (name, COMPASS[d])) for d in LEVEL)
            else:
                yield Step("put", (name,))

    def _list_acts(self, state: State, burdened: bool) -> list[Act]:
        """Return all other steps that are possible, with what they change.

        None of them depends on where things lie, except through the situation; so they are the
        same whenever that and the player's place are.
        """
        rules = self._rules
        key = (
            rules.resting_situation(state),
            rules.walking_situation(state),
            state.player,
            burdened,
        )
        if (found := self._known.get(key)) is None:
            found = [] if burdened or not self._shoots else [*self._iterate_shots(state)]
            for step in self._fixed:
                try:
                    done, pressed = rules.perform_act(state, step)
                except (StepRefused, LostInFlight):
                    continue
                found.append((step, done.player, None, pressed))
            self._known[key] = found
        return found

    def _iterate_shots(self, state: State) -> Iterator[Act]:
        chart = self._rules.chart
        walking, here = self._rules.walking_situation(state), self._rules.resting_situation(state)
        blue, orange = state.portals
        for origin, cell in self._list_origins(state):
            now = walking if cell in chart.area_of else here
            seen = [p for p in range(len(chart.panels)) if now.sees_panel(cell, p)]
            for one in seen:
                name = self._names[one]
                if one not in (blue, orange):
                    yield Step("shoot", (origin, BLUE, name)), cell, (one, orange), -1
                    # With no portal yet, the other colour leads to a state that counts as the same.
                    if blue != UNSET:
                        yield Step("shoot", (origin, ORANGE, name)), cell, (blue, one), -1
                for other in seen:
                    if one < other and {one, other} != {blue, orange}:
                        if not chart.both_seen(cell, (one, other), now.closed):
                            continue
                        both = Step("both", (origin, name, self._names[other]))
                        yield both, cell, (one, other), -1

    def _list_origins(self, state: State) -> list[tuple[str, int]]:
        """Return where the player may be to shoot or to wait: names and cells."""
        chart = self._rules.chart
        zone = self._rules.reachable_areas(state)
        origins = [
            (chart.area_name[area], anchor)
            for area, anchor in enumerate(chart.anchor)
            if zone >> area & 1
        ]
        if state.player not in chart.area_of:
            if (ground := chart.ground_cell(state.player % chart.layer)) in chart.special:
                origins.append((chart.fixtures[chart.special[ground]].name, state.player))
        return origins
