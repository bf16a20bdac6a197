"""The fewest turns without a compiler, beside the compiled search."""

from facelet.generators.core.seeding import generator
from facelet.generators.labyrinth.board import dealing
from facelet.generators.labyrinth.board.boards import SLOTS
from facelet.generators.labyrinth.board.treasures import LETTERS
from facelet.generators.labyrinth.search import finding, plain
from facelet.generators.labyrinth.search.compiled import core


def test_it_finds_as_many_turns_as_the_compiled_search() -> None:
    found = set()
    for number in range(40):
        board = dealing.deal(generator("tests", "plain search", number))
        if number % 2:
            board = board.insert(SLOTS[number % 12], board.spare)
        before = -1 if board.last is None else board.last.number
        for letter in LETTERS[number % 6 :: 6]:
            place = board.place(letter)
            turns = plain.least_turns(board.tiles, board.pawn, before, place, 2)
            told = core.least_turns(bytes(board.tiles), board.pawn, before, place, 2)
            assert turns == told
            found.add(turns)
    assert found == {1, 2}


def test_three_turns_and_more_are_told_apart() -> None:
    board, letter = finding.find(3, generator("tests", "plain search", "far"))
    for limit in (2, 3):
        place = board.place(letter)
        assert plain.least_turns(board.tiles, board.pawn, -1, place, limit) == 3
