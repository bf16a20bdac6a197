"""Prove which insights a chamber requires, by a search that forbids each of them.

    carried    a thing must be picked up again after it was put down or sent
    facing     a mirror cube must face one direction: without it no plan is as short
    lifted     a thing must be taken off a button again, which turns off what the button drove
    momentum   a portal must be left with the speed of a fall or a throw
    pressed    a switch must be pressed twice
    sent       a thing must be put into a beam, into a portal, or onto a plate, to travel alone
    shared     one laser must light one receiver, and later another one
    timed      switches that stay on for one step less (at least one) are too short: the steps in
               between must be done in one order, without a pause
    trap       beside the plan there is a legal step that seems to lead nearer to the exit, with
               devices ignored, and no plan leads out from there

"Must" means: with that one thing forbidden and all else unchanged, the planner has searched all
plans as short as a shortest one, and none leads out. A trap is proven by an exhaustive search from
the state behind it. If a search gives up, the insight is not proven and not listed.

That search lists the legal steps of a state (`LegalSteps`) and maps equivalent states to one
canonical state. Two equivalences make the state space small and keep shortest plans shortest. Walks
are free, so all places that are connected by walking count as one (`StepRules.settle_player`). The
two portals differ only by colour, so states that differ by an exchange of the colours count as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

from facelet.generators.chamber.engine.flight_paths import LostInFlight
from facelet.generators.chamber.engine.state import AWAY, CARRIED, UNSET, State
from facelet.generators.chamber.engine.step_rules import StepRefused, StepRules, run_plan
from facelet.generators.chamber.plans.plan_search import Omission, find_shortest_plan
from facelet.generators.chamber.plans.walking_distance import column_distances
from facelet.generators.chamber.world.chamber_records import BLUE, COMPASS, LEVEL, ORANGE, Step

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


LIMIT = 30_000
"""States that the search of one proof may visit."""

Plan = Sequence[Step]


def needs_omitted(rules: StepRules, plan: Plan, without: Omission, limit: int) -> bool:
    """Return whether it is proven that no plan as short does without something.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        without: what is forbidden.
        limit: states to visit at most.
    """
    found = find_shortest_plan(rules, limit=limit, without=without, most=len(plan))
    return found.proven and found.plan is None


def _needs_facing(rules: StepRules, plan: Plan, limit: int) -> bool:
    if not any(step.verb == "put" and len(step.args) == 2 for step in plan):
        return False
    return any(
        needs_omitted(rules, plan, Omission(facings=frozenset({way})), limit) for way in LEVEL
    )


def _needs_shared_panel(rules: StepRules, plan: Plan, limit: int) -> bool:
    names = {fixture.name for fixture in rules.chart.fixtures if fixture.kind == "receiver"}
    lit: dict[int, list[str]] = {}
    for laser, receiver in _iterate_lit_receivers(rules, plan):
        if receiver in names and receiver not in lit.setdefault(laser, []):
            lit[laser].append(receiver)
    alone = {
        name: needs_omitted(rules, plan, Omission(light=frozenset({name})), limit)
        for name in sorted({name for found in lit.values() if len(found) > 1 for name in found})
    }
    return any(
        alone[one] and alone[other]
        for found in lit.values()
        for one, other in combinations(found, 2)
    )


def _iterate_lit_receivers(rules: StepRules, plan: Plan) -> Iterator[tuple[int, str]]:
    """Yield each laser with a receiver that it lights, state by state."""
    chart = rules.chart
    at = {
        (chart.cell_to_number(fixture.first_cell), fixture.facing): fixture.name
        for fixture in chart.fixtures
        if fixture.kind == "receiver"
    }
    for state in run_plan(rules, tuple(plan)).states:
        yield from (
            (laser, at[path.end])
            for laser, kind, path in rules.resting_situation(state).paths
            if kind == "laser" and path.end in at
        )


def _has_trap(rules: StepRules, plan: Plan, limit: int) -> bool:
    return next(iterate_traps(rules, plan, limit), None) is not None


def iterate_traps(rules: StepRules, plan: Plan, limit: int) -> Iterator[tuple[int, Step]]:
    """Yield the traps beside a plan: the number of a step of it, and the step that is one.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        limit: states that the search from a trap may visit.
    """
    moves, far = LegalSteps(rules), exit_distances(rules)
    known: dict[State, bool] = {}
    for number, state in enumerate(run_plan(rules, tuple(plan)).states[:-1]):
        here = exit_nearness(rules, far, state)
        for step, after in moves.iterate_successors(moves.canonical_state(state)[0]):
            if exit_nearness(rules, far, after) >= here:
                continue
            if (kept := moves.canonical_state(after)[0]) not in known:
                found = find_shortest_plan(rules, limit=limit, start=kept)
                known[kept] = found.proven and found.plan is None
            if known[kept]:
                yield number, step


def exit_distances(rules: StepRules) -> list[int]:
    """Return how many columns each area is from the exit, over open columns, devices left out."""
    chart = rules.chart
    away = column_distances(chart.chamber, chart.number_to_cell(chart.exit)[:2])
    columns = [[chart.number_to_cell(cell)[:2] for cell in area] for area in chart.areas]
    return [min(away.get(column, chart.layer) for column in area) for area in columns]


def exit_nearness(rules: StepRules, far: Sequence[int], state: State) -> int:
    """Return the distance in columns from the exit to the nearest area the player can walk to.

    Args:
        rules: the rules of the chamber.
        far: what `exit_distances` returns.
        state: the state.
    """
    zone = rules.reachable_areas(state)
    near = [way for area, way in enumerate(far) if zone >> area & 1]
    return min(near, default=rules.chart.layer)


def _omission_proof(without: Omission, *verbs: str) -> Callable[[StepRules, Plan, int], bool]:
    """Return the proof that no plan does without something; tried where a plan has such steps."""

    def prove_needed(rules: StepRules, plan: Plan, limit: int) -> bool:
        said = {step.verb for step in plan}
        return said.issuperset(verbs) and needs_omitted(rules, plan, without, limit)

    return prove_needed


PROOFS: Mapping[str, Callable[[StepRules, Plan, int], bool]] = {
    "carried": _omission_proof(Omission(carrying=True), "take", "put"),
    "facing": _needs_facing,
    "lifted": _omission_proof(Omission(lifting=True), "take"),
    "momentum": _omission_proof(Omission(speed=True)),
    "pressed": _omission_proof(Omission(pressing=True), "press"),
    "sent": _omission_proof(Omission(sending=True), "put"),
    "shared": _needs_shared_panel,
    "timed": _omission_proof(Omission(time=1), "press"),
    "trap": _has_trap,
}
"""The proof of each insight, from rules, a shortest plan, and states that a search may visit."""


def is_insight_proven(rules: StepRules, plan: Plan, name: str, limit: int = LIMIT) -> bool:
    """Return whether an insight is proven.

    Args:
        rules: the rules of the chamber.
        plan: a shortest plan.
        name: the name of the insight, of `PROOFS`.
        limit: states that one search may visit.
    """
    return PROOFS[name](rules, plan, limit)


def find_insights(rules: StepRules, plan: Plan) -> tuple[str, ...]:
    """Return the names of all insights that are proven, sorted."""
    return tuple(name for name in sorted(PROOFS) if is_insight_proven(rules, plan, name))
