"""The players of labyrinths: their plans are legal, and win where all turns count."""

from __future__ import annotations

from dataclasses import replace

from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, generator
from facelet.generators.core.task import Reject, Status
from facelet.generators.labyrinth.planning.instances import Instance
from facelet.generators.labyrinth.tasks.plan import TASK, PlanParams
from facelet.pipeline.labyrinth.blind import LONGEST, pieces


def puzzles(count: int, budget: str) -> list[Instance]:
    found: list[Instance] = []
    params = PlanParams(turns=3, budget=budget)  # type: ignore[arg-type]
    while len(found) < count:
        for attempt in range(1000):
            try:
                found += TASK.generate(params, Draw(("plans",), len(found), attempt), None)
                break
            except Reject:
                pass
    return found


def test_a_long_plan_is_read_to_its_end_and_legal() -> None:
    some = puzzles(4, "unlimited")
    made = pieces(TASK, some)
    assert made is not None and made.longest == LONGEST
    for number, puzzle in enumerate(some):
        plan = made.join(made.draw(LONGEST, generator("plan", number)))
        outcome = replay(TASK.open(puzzle), [plan])
        assert outcome.status in (Status.WRONG, Status.CORRECT)
        assert outcome.metrics["plan_length"] == LONGEST or outcome.status is Status.CORRECT


def test_one_long_plan_wins_where_all_turns_count_and_nowhere_else() -> None:
    """A guess of legal turns reaches one board in some thousands."""
    some = puzzles(54, "unlimited")

    def won(budget: int) -> int:
        bounded = [replace(puzzle, budget=budget) for puzzle in some]
        made = pieces(TASK, bounded[:24])
        assert made is not None and made.longest == (budget or LONGEST)
        ((plan, _),) = made.series
        plays = (replay(TASK.open(puzzle), [plan]) for puzzle in bounded[24:])
        return sum(outcome.status is Status.CORRECT for outcome in plays)

    assert won(6) == 0
    assert won(0) >= 3
