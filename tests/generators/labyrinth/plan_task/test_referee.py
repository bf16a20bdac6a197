"""Error classes: each of the paper's four on plays that are wrong in a known way."""

from typing import Any

import pytest

from facelet.generators.core.seeding import generator
from facelet.generators.labyrinth.board import dealing, tiles
from facelet.generators.labyrinth.board.actions import Insert, Move, insertion
from facelet.generators.labyrinth.board.boards import CELLS, SLOTS, SPARE, Board, position
from facelet.generators.labyrinth.planning import instances
from facelet.generators.labyrinth.planning.instances import Instance
from facelet.generators.labyrinth.planning.referee import ErrorClass, Referee
from facelet.generators.labyrinth.planning.replies import write_plan
from facelet.generators.labyrinth.planning.wandering import CLOSENESS, random_closeness, wander
from facelet.generators.labyrinth.search import exact
from facelet.generators.labyrinth.showing.displays import Display
from facelet.generators.labyrinth.tasks.plan import TASK

DISPLAY = Display("symbolic", "target", 50)


def puzzle(turns: int, number: int) -> Instance:
    return instances.make(turns, DISPLAY, generator("tests", "referee", turns, number))


def fault(referee: Referee, *actions: Any) -> tuple[ErrorClass, int] | None:
    for action in actions:
        referee.act(action)
    offence = referee.verdict()
    return None if offence is None else (offence.error, offence.number)


def start(board: Board, target: str, turns: int = 2, inserting: bool = True) -> Referee:
    return Referee.begin(board, target, inserting, turns)


def test_illegal_insertions() -> None:
    made = puzzle(2, 0)
    board, target = made.board, made.target
    stay = Move(None)
    good = insertion(SLOTS[0], board.spare)
    for actions, number in (
        ([Insert("top", 6, 0)], 1),
        ([Insert("top", 0, 0)], 1),
        ([Insert("north", 1, 0)], 1),
        ([Insert("top", 1, 4)], 1),
        ([Insert("top", 1, -1)], 1),
        ([Move((0, 0))], 1),
        ([good, good], 2),
        ([good, stay, Insert("bottom", 1, 0)], 3),
        ([good, stay, stay], 3),
    ):
        assert fault(start(board, target), *actions) == (ErrorClass.INSERT_LEGALITY, number), (
            actions
        )
    assert fault(start(board, target, inserting=False), good) == (ErrorClass.INSERT_LEGALITY, 1)


def test_a_move_through_a_wall_is_an_adjacency_error() -> None:
    """Where no insertion came before, there is nothing to update: only walls can be misread."""
    for number in range(10):
        made = puzzle(0, number)
        walled = [c for c in range(CELLS) if c not in made.board.reachable()]
        for cell in walled[::7]:
            referee = start(made.board, made.target, 0, inserting=False)
            assert fault(referee, Move(position(cell))) == (ErrorClass.ADJACENCY, 1)
        referee = start(made.board, made.target, 0, inserting=False)
        assert fault(referee, Move((7, 0))) == (ErrorClass.ADJACENCY, 1)
        referee = start(made.board, made.target, 0, inserting=False)
        assert fault(referee, Move((-1, 3))) == (ErrorClass.ADJACENCY, 1)


def stale_move(board: Board) -> tuple[Insert, Move] | None:
    """Return an insertion and a move that was possible before it and no longer is."""
    for slot in SLOTS:
        after = board.insert(slot, board.spare)
        lost = sorted(board.reachable() - after.reachable())
        if lost:
            return insertion(slot, board.spare), Move(position(lost[0]))
    return None


def test_a_move_on_the_board_of_before_is_a_state_update_error() -> None:
    tried = 0
    for number in range(20):
        made = puzzle(2, number)
        actions = stale_move(made.board)
        if actions is not None:
            referee = start(made.board, made.target)
            assert fault(referee, *actions) == (ErrorClass.STATE_UPDATE, 2)
            assert referee.offence is not None and "it could if the insertion changes nothing" in (
                referee.offence.text
            )
            tried += 1
    assert tried > 10


def test_a_pawn_that_is_not_carried_is_a_state_update_error() -> None:
    tried = 0
    for number in range(40):
        board = dealing.deal(generator("tests", "carried", number))
        slot = next((s for s in SLOTS if board.pawn in s.line), None)
        if slot is None:
            continue
        after = board.insert(slot, board.spare)
        wrong = after.reachable(board.pawn) - after.reachable()
        if wrong:
            referee = start(board, next(x for x in board.treasures[:SPARE] if x != "-"))
            actions = insertion(slot, board.spare), Move(position(min(wrong)))
            assert fault(referee, *actions) == (ErrorClass.STATE_UPDATE, 2)
            tried += 1
    assert tried > 5


def test_going_where_the_target_was_is_a_state_update_error() -> None:
    tried = 0
    for number in range(300):
        board = dealing.deal(generator("tests", "treasure", number))
        for slot in SLOTS:
            line = [c for c in slot.line if board.treasures[c] != "-"]
            after = board.insert(slot, board.spare)
            seen = [c for c in line if c in after.reachable()]
            if seen:
                target = board.treasures[seen[0]]
                referee = start(board, target)
                actions = insertion(slot, board.spare), Move(position(seen[0]))
                assert fault(referee, *actions) == (ErrorClass.STATE_UPDATE, 2)
                tried += 1
                break
    assert tried > 50


def test_a_legal_plan_that_stops_short_is_shallow() -> None:
    for number in range(10):
        made = puzzle(3, number)
        referee = start(made.board, made.target, 3)
        assert fault(referee, *made.solution[0], made.solution[1][0]) == (
            ErrorClass.SHALLOW_PLANNING,
            3,
        )
        assert referee.distance == 2 and referee.closeness == pytest.approx(1 / 3)
        assert fault(start(made.board, made.target)) == (ErrorClass.SHALLOW_PLANNING, 0)


def test_a_belief_is_dropped_when_the_plan_contradicts_it() -> None:
    """A player who used the moved corridors did not take the board for unmoved."""
    tried = 0
    for number in range(60):
        board = dealing.deal(generator("tests", "beliefs", number))
        for slot in SLOTS:
            after = board.insert(slot, board.spare)
            fresh = after.reachable() - board.reachable()
            if fresh:
                referee = start(board, next(x for x in board.treasures[:SPARE] if x != "-"))
                referee.act(insertion(slot, board.spare))
                referee.act(Move(position(min(fresh))))
                kept = {belief.text for belief in referee._beliefs}
                assert "the insertion changes nothing" not in kept
                tried += 1
                break
    assert tried > 30


@pytest.mark.parametrize("turns", range(4))
def test_the_solution_is_faultless_and_every_step_brings_it_closer(turns: int) -> None:
    for number in range(5):
        made = puzzle(turns, number)
        referee = Referee.begin(made.board, made.target, made.inserting, turns)
        for turn in made.solution:
            for action in turn:
                assert not referee.reached
                assert referee.act(action)
        assert referee.reached and referee.verdict() is None
        assert referee.closeness == 1 and referee.distance == 0
        assert referee.to_go == list(range(turns, -1, -1)) or turns == 0


def test_turns_to_go_are_those_of_the_search() -> None:
    made = puzzle(3, 99)
    referee = Referee.begin(made.board, made.target, True, 3)
    for turn in made.solution[:2]:
        for action in turn:
            referee.act(action)
        assert referee.to_go[-1] == exact.turns(referee.board, made.target, 3)


def test_outcomes_tell_class_figures_and_first_offence() -> None:
    made = puzzle(2, 7)
    (insert, move), second = made.solution
    outcome = TASK.open(made).reply(write_plan([(insert, move), (Insert("top", 2, 0), Move(None))]))
    assert outcome.status == "illegal" and outcome.strict
    assert outcome.metrics["error_insert_legality"] == 1
    assert sum(v for k, v in outcome.metrics.items() if k.startswith("error_")) == 1
    assert sum(v for k, v in outcome.metrics.items() if k.startswith("first_error_")) == 1
    assert outcome.metrics["offending_action"] == 3
    assert outcome.metrics["turn_closeness"] == 0.5 and outcome.metrics["turn_distance"] == 1
    assert outcome.metrics["plan_length"] == 2
    assert outcome.note == (
        "insert_legality: action 3, INSERT(side='top', slot=2, rotation=0): there is no such slot "
        "or rotation"
    )
    longer = TASK.open(made).reply(write_plan([(insert, move), second, (insert, Move(None))]))
    assert longer.status == "correct" and not longer.strict
    assert longer.metrics["plan_length"] == 3 and longer.note == ""


def test_a_play_may_show_several_classes() -> None:
    """As people label plays in the paper; the first class is that of the first offence."""
    tried = 0
    for number in range(20):
        made = puzzle(2, number)
        stale = stale_move(made.board)
        if stale is None:
            continue
        walled = next(cell for cell in range(CELLS) if cell not in made.board.reachable())
        lost = [*stale, Insert("top", 4, 0), Move(None)]
        referee = start(made.board, made.target)
        for action in lost:
            referee.act(action)
        assert referee.shown == {ErrorClass.STATE_UPDATE, ErrorClass.INSERT_LEGALITY}
        assert referee.offence is not None and referee.offence.error is ErrorClass.STATE_UPDATE
        assert not referee.reached and referee.completed == 0 and referee.done == 1
        outcome = TASK.open(made).reply(write_plan([lost[:2], lost[2:]]))
        assert outcome.metrics["error_state_update"] == 1
        assert outcome.metrics["error_insert_legality"] == 1
        assert outcome.metrics["first_error_insert_legality"] == 0
        assert outcome.metrics["error_shallow_planning"] == 0
        referee = start(made.board, made.target, inserting=False)
        for action in (Move(position(walled)), Insert("top", 4, 0), Move((0, 9))):
            referee.act(action)
        assert referee.shown == {ErrorClass.ADJACENCY, ErrorClass.INSERT_LEGALITY}
        tried += 1
    assert tried > 10


def test_what_follows_an_offence_is_taken_as_it_was_meant() -> None:
    """An error alone makes no second one: the pawn is where the plan sent it."""
    made = puzzle(2, 3)
    walled = next(cell for cell in range(CELLS) if cell not in made.board.reachable())
    referee = start(made.board, made.target, inserting=False)
    referee.act(Move(position(walled)))
    for slot in SLOTS[:3]:
        referee.act(insertion(slot, referee.board.spare))
        referee.act(Move(position(min(referee.board.reachable()))))
    assert referee.shown == {ErrorClass.ADJACENCY}
    assert referee.board.last == SLOTS[2] and referee.to_go == [2]
    referee.act(Insert("bottom", 5, 0))
    assert referee.shown == {ErrorClass.ADJACENCY, ErrorClass.INSERT_LEGALITY}
    assert referee.board.last == SLOTS[2].opposite


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_random_turns_are_as_close_as_the_table_says(turns: int) -> None:
    plays = [
        wander(made.board, made.target, turns, 4, generator("tests", "wander", number))
        for number in range(120)
        for made in (puzzle(turns, 1000 + number),)
    ]
    for number in (1, 4):
        found = [play[number - 1] for play in plays]
        spread = (sum((x - sum(found) / 120) ** 2 for x in found) / 120) ** 0.5
        assert abs(sum(found) / 120 - random_closeness(turns, number)) <= 4 * spread / 11 + 0.01
    assert random_closeness(turns, 0) == 0
    assert random_closeness(turns, 99) == max(CLOSENESS[turns])
    assert list(CLOSENESS[turns]) == sorted(CLOSENESS[turns])


def test_any_spare_shape_can_be_believed_in() -> None:
    """Beliefs hold other spare tiles than the truth; no play may trip over that."""
    rng = generator("tests", "beliefs survive")
    for _ in range(30):
        board = dealing.deal(rng)
        referee = Referee.begin(board, "M", True, 4)
        for _ in range(6):
            slot = SLOTS[int(rng.integers(12))]
            quarters = int(rng.integers(4))
            referee.act(insertion(slot, tiles.turned(referee.board.spare, quarters)))
            reach = sorted(referee.board.reachable())
            referee.act(Move(position(reach[int(rng.integers(len(reach)))])))
        assert referee.reached == (referee.verdict() is None)
