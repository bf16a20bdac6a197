"""The fewest turns without a compiler, beside the compiled search."""

from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.board_engine import LETTERS, SLOTS
from facelet.generators.labyrinth.search import board_sampler, exact_search
from facelet.generators.labyrinth.search.exact_search import core


def test_it_finds_as_many_turns_as_the_compiled_search() -> None:
    found = set()
    for number in range(40):
        board = board_engine.draw_board(make_generator("tests", "plain search", number))
        if number % 2:
            board = board.insert_tile(SLOTS[number % 12], board.spare_tile)
        before = -1 if board.last is None else board.last.slot_number
        for letter in LETTERS[number % 6 :: 6]:
            place = board.treasure_cell(letter)
            turns = exact_search.least_turns(board.tiles, board.pawn, before, place, 2)
            told = core.least_turns(bytes(board.tiles), board.pawn, before, place, 2)
            assert turns == told
            found.add(turns)
    assert found == {1, 2}


def test_three_turns_and_more_are_told_apart() -> None:
    board, letter = board_sampler.find_board(3, make_generator("tests", "plain search", "far"))
    for limit in (2, 3):
        place = board.treasure_cell(letter)
        assert exact_search.least_turns(board.tiles, board.pawn, -1, place, limit) == 3
