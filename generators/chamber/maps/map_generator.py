"""Generate a map: compose chambers and search them until one meets the knobs.

A map's labels must be the same under other readings of the rules
(facelet.generators.chamber.engine.static_tables). All rows of a map ask about its plan with some
steps mistaken or left out. So the labels are the same under a reading if the plan also leads out
there and no other filling of its mistaken steps does: this covers every combination of mistakes and
every way to fill the blanks. A shorter plan must not exist either; if the search for one gives up,
the reading counts as disputed.

Names and orientation are drawn last and independently of everything else: a map is a uniformly
random renaming (among the fixtures of a kind), turning and mirroring of the chamber that was found.
This is why no text distinguishes a mistake from the right step; see
facelet.generators.chamber.plans.plan_mistakes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from facelet.generators.chamber.composition.chamber_composer import compose_chamber
from facelet.generators.chamber.composition.chamber_plot import ChamberAims
from facelet.generators.chamber.engine.static_tables import OTHERS, StaticTables
from facelet.generators.chamber.engine.step_rules import StepRules
from facelet.generators.chamber.maps.map_columns import ChamberMap, Knobs
from facelet.generators.chamber.plans import (
    insight_proofs,
    plan_mistakes,
    plan_search,
    walking_distance,
)
from facelet.generators.chamber.plans.plan_mistakes import Mistake, is_unique_filling
from facelet.generators.chamber.plans.plan_search import LIMIT, Omission, find_shortest_plan
from facelet.generators.chamber.world.chamber_records import (
    COMPASS,
    SYMMETRIES,
    Chamber,
    Step,
    canonical_text,
    rename_fixtures,
    transform_chamber,
    transform_direction,
)
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.seeding import Name, make_generator
from facelet.generators.core.task import Reject


def find_disputed_readings(
    rules: StepRules, plan: Sequence[Step], mistakes: Sequence[Mistake], limit: int = LIMIT
) -> tuple[str, ...]:
    """Return the readings under which some row of a map has another label, by name.

    Args:
        rules: the rules of the map's chamber.
        plan: its plan.
        mistakes: its mistakes, in the order of their steps.
        limit: states that the search for a shorter plan may visit; 0 to look for none.
    """
    numbers = [mistake.number for mistake in mistakes]
    wrong = [mistake.step for mistake in mistakes]
    found = []
    for name, reading in OTHERS.items():
        other = StepRules(rules.chart.read_as(reading))
        if not (
            is_unique_filling(other, plan, numbers, wrong) and _is_shortest(other, plan, limit)
        ):
            found.append(name)
    return tuple(found)


def _is_shortest(rules: StepRules, plan: Sequence[Step], limit: int) -> bool:
    """Return whether it is proven that no plan is shorter."""
    if limit == 0 or len(plan) < 2:
        return True
    found = find_shortest_plan(rules, limit=limit, most=len(plan) - 1)
    return found.proven and found.plan is None


STATES = 25_000
"""States that a search may visit before its chamber is given up; most that take more never end."""
GROWTH = 0.7
"""Share of these states that a chamber may have for each room that it still lacks."""
ROOM = 3
"""Steps that each room that is not yet built is assumed to take."""
STRICT = 4
"""Chambers after which a plan below LONG steps may have one more mistake that shows early."""
LONG = 12
ATTEMPTS = 400
"""Chambers composed for one map before the knobs are rejected as too narrow."""
AIMS = {"momentum": 66, "trap": 50}
"""Of 100 maps, how many are to have an insight, where knobs leave room for it; more may."""
PATIENCE = 10
"""Chambers that are composed before one aim is dropped, the last one first."""
_LATE = plan_mistakes.MISTAKES - plan_mistakes.MOST_EARLY
_INERT = frozenset({"floor", "panel", "start", "exit", "spot", "liquid"})
_OPTIONAL = {
    "lasers": ("laser", "receiver", "mirror"),
    "bridges": ("bridge",),
    "beams": ("beam",),
    "plates": ("plate",),
    "lifts": ("lift", "stairs"),
    "dispensers": ("dispenser",),
    "shields": ("shield",),
    "mechanics": ("cover", "piston", "runway", "spring", "turret"),
}


def list_allowed_devices(knobs: Knobs) -> tuple[str, ...]:
    """Return the kinds of devices that a map may have, sorted."""
    barred = {kind for name, some in _OPTIONAL.items() if not getattr(knobs, name) for kind in some}
    return tuple(kind for kind in devices_by_kind() if kind not in barred)


def make_map(
    knobs: Knobs, names: Sequence[Name], splits: Sequence[tuple[str, int]], split: str
) -> ChamberMap:
    """Return the map that belongs to a path of names.

    Args:
        knobs: what it must be like.
        names: the path.
        splits: all splits with their weights; which of them a chamber belongs to follows from its
            canonical text.
        split: the split that it is for.

    Raises:
        ValueError: no chamber out of ATTEMPTS was like that.
    """
    knobs = knobs.resolve_knobs()
    aims = _draw_aims(knobs, make_generator(*names, "aims"))
    reasons: dict[str, int] = {}
    for attempt in range(ATTEMPTS):
        try:
            held = aims[: max(0, len(aims) - attempt // PATIENCE)]
            most = plan_mistakes.MOST_EARLY + (attempt >= STRICT and knobs.most < LONG)
            return _try_map(
                knobs, held, most, make_generator(*names, "attempt", attempt), splits, split
            )
        except Reject as reject:
            reasons[str(reject)] = reasons.get(str(reject), 0) + 1
    common = max(reasons, key=lambda reason: reasons[reason])
    raise ValueError(
        f"no chamber out of {ATTEMPTS} was as {knobs} asks (most often: {common}); "
        "choose knobs that leave more room"
    )


def _draw_aims(knobs: Knobs, rng: np.random.Generator) -> tuple[str, ...]:
    """Return the insights that a map should have, each of AIMS with its frequency.

    All, where knobs ask for insights.
    """
    dealt = [name for name in AIMS if int(rng.integers(100)) < AIMS[name] or knobs.insights]
    return tuple(name for name in dealt if knobs.portals or name != "momentum")


def _try_map(
    knobs: Knobs,
    aims: Sequence[str],
    most: int,
    rng: np.random.Generator,
    splits: Sequence[tuple[str, int]],
    split: str,
) -> ChamberMap:
    judge = _MapJudge(knobs, aims, most, rng, lambda key: split_of(key, splits) == split)
    chamber = compose_chamber(
        knobs.rooms,
        knobs.decoys,
        list_allowed_devices(knobs),
        rng,
        through_portals=knobs.portals,
        aims=ChamberAims("momentum" in aims, 2 + (knobs.rooms > 3) + (knobs.rooms > 5)),
        judge=judge,
    )
    rules, plan = judge.rules, judge.found.plan
    if rules is None or plan is None:
        raise AssertionError("a judge lets no chamber pass that has no plan")
    found_out = insight_proofs.find_insights(rules, plan)
    if len(found_out) < knobs.insights:
        raise Reject("a plan needs too few insights")
    whole = ChamberMap(chamber, plan, judge.found.visited, judge.wrong, judge.key, found_out)
    return disguise_map(whole, rng)


class _MapJudge:
    """Rejects chambers that cannot meet the knobs, as early as possible.

    Attributes:
        rules: the rules of the chamber that was last let pass.
        found: what the search for its plan found.
        wrong: the mistakes in its plan, if it is complete.
        key: the canonical text of it, if it is complete.
    """

    def __init__(
        self,
        knobs: Knobs,
        aims: Sequence[str],
        early: int,
        rng: np.random.Generator,
        own: Callable[[str], bool],
    ) -> None:
        """Judge by knobs, insights that are needed, early mistakes, and a canonical text."""
        self.rules: StepRules | None = None
        self.found = plan_search.PlanSearchResult(None, False, 0)
        self._knobs = knobs
        self._aims = aims
        self._early = early
        self._rng = rng
        self._own = own
        self.key = ""
        self.wrong: tuple[plan_mistakes.Mistake, ...] = ()

    def __call__(self, chamber: Chamber, number: int, asked: Sequence[str]) -> None:
        """Judge a chamber.

        Args:
            chamber: it.
            number: how many of its rooms there are; the last is complete, decoys and all.
            asked: the insights that it should need by now.

        Raises:
            Reject: it is no good.
        """
        knobs = self._knobs
        if not (left := knobs.rooms - number):
            if sum(fixture.kind not in _INERT for fixture in chamber.fixtures) < knobs.devices:
                raise Reject("a chamber has too few devices")
            self.key = canonical_text(chamber)
            if not self._own(self.key):
                raise Reject("a chamber belongs to another split")
        try:
            rules = StepRules(StaticTables(chamber))
            limit = int(STATES * GROWTH**left)
            most = max(number + 1, knobs.most - ROOM * left)
            found = plan_search.find_shortest_plan(rules, limit=limit, most=most)
        except ValueError as error:
            raise Reject(str(error)) from None
        plan = found.plan
        if plan is None:
            raise Reject("no plan is so short" if found.proven else "a search takes too long")
        plan = plan_mistakes.hasten_plan(rules, plan)
        if not left:
            self._judge_plan(rules, plan)
            self.wrong = plan_mistakes.choose_mistakes(rules, plan, self._rng, most=self._early)
            if walking_distance.is_betrayed_by_distance(chamber, plan, self.wrong):
                raise Reject("who walks least is right")
        elif plan_mistakes.count_late_steps(rules, plan) * (knobs.rooms - 1) < _LATE * (number - 2):
            raise Reject("too few steps of the first rooms can be mistaken so that it shows late")
        # Shorter plans are looked for at the end alone: four searches a room would take long.
        wrong, far = ((), 0) if left else (self.wrong, STATES)
        if disputed := find_disputed_readings(rules, plan, wrong, far):
            raise Reject(f"a label hangs on a reading: {disputed[0]}")
        for name in asked if left else self._aims:
            if not insight_proofs.is_insight_proven(rules, plan, name):
                raise Reject(f"a plan does without {name}")
        self.rules, self.found = rules, replace(found, plan=plan)

    def _judge_plan(self, rules: StepRules, plan: Sequence[Step]) -> None:
        """Judge the plan of a whole chamber."""
        knobs = self._knobs
        if len(plan) < knobs.steps:
            raise Reject("a shortest plan is shorter")
        if sum(step.verb in ("shoot", "both") for step in plan) < knobs.placements:
            raise Reject("a plan shoots too few portals")
        if knobs.portals and not _needs_portals(rules):
            raise Reject("a chamber can be solved without portals")


def _needs_portals(rules: StepRules) -> bool:
    """Return whether it is proven that there is no plan without a portal."""
    found = plan_search.find_shortest_plan(rules, limit=STATES, without=Omission(portals=True))
    return found.proven and found.plan is None


def split_of(key: str, splits: Sequence[tuple[str, int]]) -> str:
    """Return the split of a chamber, by the hash of its canonical text.

    Args:
        key: the text.
        splits: all splits with their weights.
    """
    place = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little")
    place %= sum(weight for _, weight in splits)
    for name, weight in splits:
        if place < weight:
            return name
        place -= weight
    raise AssertionError("weights are positive")


def disguise_map(found: ChamberMap, rng: np.random.Generator) -> ChamberMap:
    """Return a map with names dealt anew among the fixtures of each kind, turned and mirrored."""
    names: dict[str, str] = {}
    by_kind: dict[str, list[str]] = {}
    for fixture in found.chamber.fixtures:
        by_kind.setdefault(fixture.kind, []).append(fixture.name)
    for kind in sorted(by_kind):
        old = sorted(by_kind[kind])
        order = rng.permutation(len(old)).tolist()
        names |= {name: old[place] for name, place in zip(old, order, strict=True)}
    return transform_map(found, names, int(rng.choice(SYMMETRIES)))


def transform_map(found: ChamberMap, names: dict[str, str], symmetry: int) -> ChamberMap:
    """Return a map with other names, then turned and mirrored; its canonical text stays.

    Args:
        found: the map.
        names: the new name of each fixture; those that are left out keep theirs.
        symmetry: the symmetry of the grid.
    """

    def rename_word(said: str) -> str:
        if said in COMPASS:
            return COMPASS[transform_direction(COMPASS.index(said), symmetry)]
        return names.get(said, said)

    def rename_step(step: Step) -> Step:
        return Step(step.verb, tuple(map(rename_word, step.args)))

    return ChamberMap(
        transform_chamber(rename_fixtures(found.chamber, names), symmetry),
        tuple(map(rename_step, found.plan)),
        found.visited,
        tuple(replace(mistake, step=rename_step(mistake.step)) for mistake in found.mistakes),
        found.canonical,
        found.insights,
    )
