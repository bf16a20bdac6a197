"""Error classes: each of the paper's four on plays that are wrong in a known way."""

from typing import Any

import numpy as np
import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.actions import InsertAction, MoveAction, make_insertion
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    SLOTS,
    SPARE,
    Board,
    cell_to_position,
)
from facelet.generators.labyrinth.plan_task import instances
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.plan_task.plan_parser import write_plan
from facelet.generators.labyrinth.plan_task.referee import (
    CLOSENESS,
    ErrorClass,
    Referee,
    random_closeness,
)
from facelet.generators.labyrinth.presentation.displays import Display
from facelet.generators.labyrinth.search import exact_search
from facelet.generators.labyrinth.tasks.plan import TASK

DISPLAY = Display("symbolic", "target", 50)


def make_puzzle(turns: int, number: int) -> Instance:
    return instances.draw_instance(
        turns, DISPLAY, make_generator("tests", "referee", turns, number)
    )


def find_error(referee: Referee, *actions: Any) -> tuple[ErrorClass, int] | None:
    for action in actions:
        referee.perform_action(action)
    offence = referee.first_error()
    return None if offence is None else (offence.error, offence.number)


def start_referee(board: Board, target: str, turns: int = 2, inserting: bool = True) -> Referee:
    return Referee.start_plan(board, target, inserting, turns)


def test_illegal_insertions() -> None:
    made = make_puzzle(2, 0)
    board, target = made.board, made.target
    stay = MoveAction(None)
    good = make_insertion(SLOTS[0], board.spare_tile)
    for actions, number in (
        ([InsertAction("top", 6, 0)], 1),
        ([InsertAction("top", 0, 0)], 1),
        ([InsertAction("north", 1, 0)], 1),
        ([InsertAction("top", 1, 4)], 1),
        ([InsertAction("top", 1, -1)], 1),
        ([MoveAction((0, 0))], 1),
        ([good, good], 2),
        ([good, stay, InsertAction("bottom", 1, 0)], 3),
        ([good, stay, stay], 3),
    ):
        assert find_error(start_referee(board, target), *actions) == (
            ErrorClass.INSERT_LEGALITY,
            number,
        ), actions
    assert find_error(start_referee(board, target, inserting=False), good) == (
        ErrorClass.INSERT_LEGALITY,
        1,
    )


def test_a_move_through_a_wall_is_an_adjacency_error() -> None:
    """Where no insertion came before, there is nothing to update: only walls can be misread."""
    for number in range(10):
        made = make_puzzle(0, number)
        walled = [c for c in range(CELLS) if c not in made.board.reachable_cells()]
        for cell in walled[::7]:
            referee = start_referee(made.board, made.target, 0, inserting=False)
            assert find_error(referee, MoveAction(cell_to_position(cell))) == (
                ErrorClass.ADJACENCY,
                1,
            )
        referee = start_referee(made.board, made.target, 0, inserting=False)
        assert find_error(referee, MoveAction((7, 0))) == (ErrorClass.ADJACENCY, 1)
        referee = start_referee(made.board, made.target, 0, inserting=False)
        assert find_error(referee, MoveAction((-1, 3))) == (ErrorClass.ADJACENCY, 1)


def find_stale_move(board: Board) -> tuple[InsertAction, MoveAction] | None:
    """Return an insertion and a move that was possible before it and no longer is."""
    for slot in SLOTS:
        after = board.insert_tile(slot, board.spare_tile)
        lost = sorted(board.reachable_cells() - after.reachable_cells())
        if lost:
            return make_insertion(slot, board.spare_tile), MoveAction(cell_to_position(lost[0]))
    return None


def test_a_move_on_the_board_of_before_is_a_state_update_error() -> None:
    tried = 0
    for number in range(20):
        made = make_puzzle(2, number)
        actions = find_stale_move(made.board)
        if actions is not None:
            referee = start_referee(made.board, made.target)
            assert find_error(referee, *actions) == (ErrorClass.STATE_UPDATE, 2)
            assert referee.offence is not None and "it could if the insertion changes nothing" in (
                referee.offence.text
            )
            tried += 1
    assert tried > 10


def test_a_pawn_that_is_not_carried_is_a_state_update_error() -> None:
    tried = 0
    for number in range(40):
        board = board_engine.draw_board(make_generator("tests", "carried", number))
        slot = next((s for s in SLOTS if board.pawn in s.line_cells), None)
        if slot is None:
            continue
        after = board.insert_tile(slot, board.spare_tile)
        wrong = after.reachable_cells(board.pawn) - after.reachable_cells()
        if wrong:
            referee = start_referee(board, next(x for x in board.treasures[:SPARE] if x != "-"))
            actions = (
                make_insertion(slot, board.spare_tile),
                MoveAction(cell_to_position(min(wrong))),
            )
            assert find_error(referee, *actions) == (ErrorClass.STATE_UPDATE, 2)
            tried += 1
    assert tried > 5


def test_going_where_the_target_was_is_a_state_update_error() -> None:
    tried = 0
    for number in range(300):
        board = board_engine.draw_board(make_generator("tests", "treasure", number))
        for slot in SLOTS:
            line = [c for c in slot.line_cells if board.treasures[c] != "-"]
            after = board.insert_tile(slot, board.spare_tile)
            seen = [c for c in line if c in after.reachable_cells()]
            if seen:
                target = board.treasures[seen[0]]
                referee = start_referee(board, target)
                actions = (
                    make_insertion(slot, board.spare_tile),
                    MoveAction(cell_to_position(seen[0])),
                )
                assert find_error(referee, *actions) == (ErrorClass.STATE_UPDATE, 2)
                tried += 1
                break
    assert tried > 50


def test_a_legal_plan_that_stops_short_is_shallow() -> None:
    for number in range(10):
        made = make_puzzle(3, number)
        referee = start_referee(made.board, made.target, 3)
        assert find_error(referee, *made.solution[0], made.solution[1][0]) == (
            ErrorClass.SHALLOW_PLANNING,
            3,
        )
        assert referee.turns_to_go == 2 and referee.best_progress == pytest.approx(1 / 3)
        assert find_error(start_referee(made.board, made.target)) == (
            ErrorClass.SHALLOW_PLANNING,
            0,
        )


def test_a_belief_is_dropped_when_the_plan_contradicts_it() -> None:
    """A player who used the moved corridors did not take the board for unmoved."""
    tried = 0
    for number in range(60):
        board = board_engine.draw_board(make_generator("tests", "beliefs", number))
        for slot in SLOTS:
            after = board.insert_tile(slot, board.spare_tile)
            fresh = after.reachable_cells() - board.reachable_cells()
            if fresh:
                referee = start_referee(board, next(x for x in board.treasures[:SPARE] if x != "-"))
                referee.perform_action(make_insertion(slot, board.spare_tile))
                referee.perform_action(MoveAction(cell_to_position(min(fresh))))
                kept = {belief.text for belief in referee._beliefs}
                assert "the insertion changes nothing" not in kept
                tried += 1
                break
    assert tried > 30


@pytest.mark.parametrize("turns", range(4))
def test_the_solution_is_faultless_and_every_step_brings_it_closer(turns: int) -> None:
    for number in range(5):
        made = make_puzzle(turns, number)
        referee = Referee.start_plan(made.board, made.target, made.starts_with_insertion, turns)
        for turn in made.solution:
            for action in turn:
                assert not referee.has_reached_target
                assert referee.perform_action(action)
        assert referee.has_reached_target and referee.first_error() is None
        assert referee.best_progress == 1 and referee.turns_to_go == 0
        assert referee.to_go == list(range(turns, -1, -1)) or turns == 0


def test_turns_to_go_are_those_of_the_search() -> None:
    made = make_puzzle(3, 99)
    referee = Referee.start_plan(made.board, made.target, True, 3)
    for turn in made.solution[:2]:
        for action in turn:
            referee.perform_action(action)
        assert referee.to_go[-1] == exact_search.fewest_turns(referee.board, made.target, 3)


def test_outcomes_tell_class_figures_and_first_offence() -> None:
    made = make_puzzle(2, 7)
    (insert, move), second = made.solution
    outcome = TASK.open(made).reply(
        write_plan([(insert, move), (InsertAction("top", 2, 0), MoveAction(None))])
    )
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
    longer = TASK.open(made).reply(write_plan([(insert, move), second, (insert, MoveAction(None))]))
    assert longer.status == "correct" and not longer.strict
    assert longer.metrics["plan_length"] == 3 and longer.note == ""


def test_a_play_may_show_several_classes() -> None:
    """As people label plays in the paper; the first class is that of the first offence."""
    tried = 0
    for number in range(20):
        made = make_puzzle(2, number)
        stale = find_stale_move(made.board)
        if stale is None:
            continue
        walled = next(cell for cell in range(CELLS) if cell not in made.board.reachable_cells())
        lost = [*stale, InsertAction("top", 4, 0), MoveAction(None)]
        referee = start_referee(made.board, made.target)
        for action in lost:
            referee.perform_action(action)
        assert referee.shown == {ErrorClass.STATE_UPDATE, ErrorClass.INSERT_LEGALITY}
        assert referee.offence is not None and referee.offence.error is ErrorClass.STATE_UPDATE
        assert (
            not referee.has_reached_target
            and referee.count_completed_turns == 0
            and referee.done == 1
        )
        outcome = TASK.open(made).reply(write_plan([lost[:2], lost[2:]]))
        assert outcome.metrics["error_state_update"] == 1
        assert outcome.metrics["error_insert_legality"] == 1
        assert outcome.metrics["first_error_insert_legality"] == 0
        assert outcome.metrics["error_shallow_planning"] == 0
        referee = start_referee(made.board, made.target, inserting=False)
        for action in (
            MoveAction(cell_to_position(walled)),
            InsertAction("top", 4, 0),
            MoveAction((0, 9)),
        ):
            referee.perform_action(action)
        assert referee.shown == {ErrorClass.ADJACENCY, ErrorClass.INSERT_LEGALITY}
        tried += 1
    assert tried > 10


def test_what_follows_an_offence_is_taken_as_it_was_meant() -> None:
    """An error alone makes no second one: the pawn is where the plan sent it."""
    made = make_puzzle(2, 3)
    walled = next(cell for cell in range(CELLS) if cell not in made.board.reachable_cells())
    referee = start_referee(made.board, made.target, inserting=False)
    referee.perform_action(MoveAction(cell_to_position(walled)))
    for slot in SLOTS[:3]:
        referee.perform_action(make_insertion(slot, referee.board.spare_tile))
        referee.perform_action(MoveAction(cell_to_position(min(referee.board.reachable_cells()))))
    assert referee.shown == {ErrorClass.ADJACENCY}
    assert referee.board.last == SLOTS[2] and referee.to_go == [2]
    referee.perform_action(InsertAction("bottom", 5, 0))
    assert referee.shown == {ErrorClass.ADJACENCY, ErrorClass.INSERT_LEGALITY}
    assert referee.board.last == SLOTS[2].opposite_slot


def walk_randomly(
    board: Board, target: str, turns: int, number: int, rng: np.random.Generator
) -> tuple[float, ...]:
    """Take random turns, and return the closeness after each of them.

    Args:
        board: the board; an INSERT is due.
        target: the letter of the treasure.
        turns: the fewest turns that are needed.
        number: turns to take; the rest is not played once the target is reached.
        rng: the player's generator.
    """
    found: list[float] = []
    for _ in range(number):
        slots = [slot for slot in SLOTS if board.may_insert(slot)]
        slot = slots[int(rng.integers(len(slots)))]
        lying = sorted(
            {
                board_engine.turn_tile(board.spare_tile, quarters)
                for quarters in range(board_engine.ROTATIONS)
            }
        )
        board = board.insert_tile(slot, lying[int(rng.integers(len(lying)))])
        cells = sorted(board.reachable_cells())
        board = board.move_pawn(cells[int(rng.integers(len(cells)))])
        best = found[-1] if found else 0.0
        to_go = exact_search.turns_to_go(board, target, turns - 1)
        found.append(max(best, 1 - to_go / turns))
        if found[-1] == 1:
            break
    return (*found, *[1.0] * (number - len(found)))


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_random_turns_are_as_close_as_the_table_says(turns: int) -> None:
    plays = [
        walk_randomly(made.board, made.target, turns, 4, make_generator("tests", "wander", number))
        for number in range(120)
        for made in (make_puzzle(turns, 1000 + number),)
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
    rng = make_generator("tests", "beliefs survive")
    for _ in range(30):
        board = board_engine.draw_board(rng)
        referee = Referee.start_plan(board, "M", True, 4)
        for _ in range(6):
            slot = SLOTS[int(rng.integers(12))]
            quarters = int(rng.integers(4))
            referee.perform_action(
                make_insertion(slot, board_engine.turn_tile(referee.board.spare_tile, quarters))
            )
            reach = sorted(referee.board.reachable_cells())
            referee.perform_action(
                MoveAction(cell_to_position(reach[int(rng.integers(len(reach)))]))
            )
        assert referee.has_reached_target == (referee.first_error() is None)
