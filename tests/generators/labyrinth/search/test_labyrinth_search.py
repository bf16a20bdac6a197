"""The compiled search, beside a brute-force twin and beside itself."""

from typing import Any

import pytest

from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.actions import InsertAction, MoveAction
from facelet.generators.labyrinth.board.board_engine import CELLS, LETTERS, SLOTS, SPARE, Board
from facelet.generators.labyrinth.search import exact_search
from facelet.generators.labyrinth.search.exact_search import core


def list_insertions(board: Board) -> list[tuple[Any, int]]:
    """Every legal insertion, each board once."""
    return [
        (slot, tile)
        for slot in SLOTS
        if board.may_insert(slot)
        for tile in sorted(
            {board_engine.turn_tile(board.spare_tile, quarters) for quarters in range(4)}
        )
    ]


def test_one_turn_is_the_twins(boards: list[Board], naive: Any) -> None:
    for board in boards[:12]:
        later = board.insert_tile(SLOTS[board.pawn % 12], board.spare_tile)
        for now in (board, later):
            for letter in LETTERS[::3]:
                counted = exact_search.count_ways(now, letter, 1)
                assert (counted.insertions, counted.plans, counted.chance) == naive(now).plans(
                    letter, 1
                )
                assert (exact_search.fewest_turns(now, letter, 1) == 1) == (counted.insertions > 0)


def test_two_turns_are_the_twins(naive: Any) -> None:
    """On pawns that reach little at first, so that every plan can be played out."""
    tried = 0
    for number in range(200):
        board = board_engine.draw_board(make_generator("tests", "two turns", number))
        stops = sum(
            len(board.insert_tile(*one).reachable_cells()) for one in list_insertions(board)
        )
        if stops > 130 or tried == 4:
            continue
        tried += 1
        for letter in (LETTERS[number % 24], LETTERS[(number + 7) % 24]):
            counted = exact_search.count_ways(board, letter, 2)
            assert (counted.insertions, counted.plans, counted.chance) == naive(board).plans(
                letter, 2
            )
    assert tried == 4


@pytest.mark.parametrize("turns", [2, 3, 4])
def test_counts_add_up_over_the_first_turn(boards: list[Board], turns: int) -> None:
    """What can be done in n turns is what can be done in n - 1 after each first turn."""
    board = boards[turns]
    letter = board.treasures[16 if turns % 2 else 30]
    total, first = 0, list_insertions(board)
    for slot, tile in first if turns < 4 else first[:1]:
        after = board.insert_tile(slot, tile)
        for stop in after.reachable_cells():
            total += exact_search.count_ways(after.move_pawn(stop), letter, turns - 1).plans
    whole = exact_search.count_ways(board, letter, turns).plans
    assert total == whole if turns < 4 else 0 < total <= whole


def test_least_turns_are_the_first_with_a_way(boards: list[Board]) -> None:
    for board in boards[:10]:
        found = exact_search.survey_turns(board, LETTERS, 3)
        for letter in LETTERS:
            least = exact_search.fewest_turns(board, letter, 3)
            assert found[board.pawn, letter] == least
            counts = [
                exact_search.count_ways(board, letter, number).insertions for number in (1, 2)
            ]
            assert least == next((n for n, count in enumerate(counts, 1) if count), least)
            assert least > 2 or counts[least - 1] > 0
            assert exact_search.fewest_turns(board, letter, 0) == 1


def test_a_survey_from_many_cells_is_that_from_each(boards: list[Board]) -> None:
    for board in boards[:3]:
        found = exact_search.survey_turns(board, LETTERS, 2, range(CELLS))
        assert len(found) == CELLS * len(LETTERS)
        for cell in range(0, CELLS, 5):
            here = board.move_pawn(cell)
            assert all(
                found[cell, letter] == exact_search.survey_turns(here, LETTERS, 2)[cell, letter]
                for letter in LETTERS
            )


def test_ways_can_be_picked_and_walked(boards: list[Board]) -> None:
    for board in boards[:15]:
        for letter in LETTERS[::5]:
            least = exact_search.fewest_turns(board, letter, 3)
            number = exact_search.count_ways(board, letter, least).insertions
            picks = {0, number // 2, number - 1}
            found = {exact_search.find_way(board, letter, least, pick) for pick in picks}
            assert len(found) == len(picks)
            assert exact_search.find_way(board, letter, least, number) == ()
            for path in found:
                assert reaches_target(board, letter, exact_search.build_plan(board, letter, path))


def reaches_target(board: Board, letter: str, plan: tuple[Any, ...]) -> bool:
    """Play a plan by the rules of the board."""
    for insert, move in plan:
        assert isinstance(insert, InsertAction) and isinstance(move, MoveAction)
        board = board.insert_tile(insert.board_slot(), insert.turn_spare_tile(board))
        cell = move.target_cell(board.pawn)
        assert cell in board.reachable_cells()
        assert move.to is None or cell != board.pawn
        board = board.move_pawn(cell)
    return board.pawn == board.treasure_cell(letter)


def test_a_walk_needs_insertions_that_lead_there(boards: list[Board]) -> None:
    board = boards[0]
    path = [(slot, board.spare_tile) for slot in SLOTS[:1]]
    after = board.insert_tile(*path[0])
    away = after.treasures[SPARE] if after.treasures[SPARE] != "-" else None
    hidden = [
        x for x in LETTERS if x != away and after.treasure_cell(x) not in after.reachable_cells()
    ]
    with pytest.raises(ValueError, match="do not lead to the treasure"):
        exact_search.build_plan(board, hidden[0], path)


def test_a_pushed_out_target_is_found_again(boards: list[Board]) -> None:
    """The target may leave the board and come back with the tile."""
    board = boards[0]
    lettered = [x for x in LETTERS if board.treasure_cell(x) != SPARE]
    slot = next(s for s in SLOTS if board.treasures[s.line_cells[-1]] in lettered)
    letter = board.treasures[slot.line_cells[-1]]
    gone = board.insert_tile(slot, board.spare_tile)
    assert gone.treasure_cell(letter) == SPARE
    least = exact_search.fewest_turns(gone, letter, 3)
    path = exact_search.find_way(gone, letter, least, 0)
    assert reaches_target(gone, letter, exact_search.build_plan(gone, letter, path))


def test_bad_input_is_refused() -> None:
    board = board_engine.draw_board(make_generator("tests", "bad input"))
    data = bytes(board.tiles)
    for args, message in (
        ((data[1:], 0, -1, 0, 1), "49 tiles; give 50"),
        ((bytes([16]) + data[1:], 0, -1, 0, 1), "tile 0 is 16"),
        ((data, 49, -1, 0, 1), "pawn 49"),
        ((data, 0, 12, 0, 1), "slot 12"),
        ((data, 0, -1, 50, 1), "target 50"),
        ((data, 0, -1, 0, 9), "turns is 9; allowed are 0 to 8"),
    ):
        with pytest.raises(ValueError, match=message):
            core.least_turns(*args)
    with pytest.raises(ValueError, match="no range"):
        core.survey(data, 3, 3, -1, 1, 1)
