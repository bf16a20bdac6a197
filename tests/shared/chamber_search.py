"""The twin of the compiled planner: the same search, every step played with the rules in Python."""

from facelet.generators.chamber.engine.rules import Rules
from facelet.generators.chamber.engine.state import State
from facelet.generators.chamber.plans.moves import Moves
from facelet.generators.chamber.plans.search import LIMIT, Found, in_play
from facelet.generators.chamber.world.steps import Step


def shortest(rules: Rules, *, limit: int = LIMIT, portals: bool = True) -> Found:
    """Return a shortest plan; the arguments are those of the planner."""
    search = Moves(rules, portals=portals)
    first = search.canonical(rules.beginning)[0]
    order: list[State] = [first]
    came: dict[State, tuple[int, Step, bool] | None] = {first: None}
    for number, state in enumerate(order):
        if rules.zone(state) >> search.goal & 1:
            return Found(in_play(_way(order, came, number)), proven=True, visited=len(order))
        if len(order) > limit:
            return Found(None, proven=False, visited=len(order))
        for step, after in search.successors(state):
            kept, swapped = search.canonical(after)
            if kept not in came:
                came[kept] = (number, step, swapped)
                order.append(kept)
    return Found(None, proven=True, visited=len(order))


def _way(
    order: list[State], came: dict[State, tuple[int, Step, bool] | None], number: int
) -> list[tuple[Step, bool]]:
    way: list[tuple[Step, bool]] = []
    while (origin := came[order[number]]) is not None:
        number, step, swapped = origin
        way.append((step, swapped))
    return way[::-1]
