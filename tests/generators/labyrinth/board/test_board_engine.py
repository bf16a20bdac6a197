"""The board: random play beside a naive twin, reachability beside networkx."""

import dataclasses
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facelet.generators.core.seeding import make_generator
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    EMPTY,
    FIXED,
    LETTERS,
    SLOTS,
    SPARE,
    Board,
    Slot,
    cell_at,
    cell_to_position,
    find_board_faults,
)

SEEDS = st.integers(0, 10**6)
MOVES = st.lists(
    st.tuples(st.sampled_from(SLOTS), st.integers(0, 3), st.integers(0, 48)), max_size=9
)


def tile_openings(tile: int) -> str:
    return "".join(letter for letter, side in board_engine.OPENINGS.items() if tile & side)


def corridor_graph(board: Board) -> Any:
    """Return the corridors of a board as a graph; nodes are (cell, side) and (cell, "middle")."""
    graph = nx.Graph()
    for cell in range(CELLS):
        graph.add_node((cell, "middle"))
        for side in tile_openings(board.tiles[cell]):
            graph.add_edge((cell, "middle"), (cell, side))
    for x in range(7):
        for y in range(7):
            if x < 6:
                doors = ((cell_at(x, y), "E"), (cell_at(x + 1, y), "W"))
                graph.add_edges_from([doors] if all(door in graph for door in doors) else [])
            if y < 6:
                doors = ((cell_at(x, y), "S"), (cell_at(x, y + 1), "N"))
                graph.add_edges_from([doors] if all(door in graph for door in doors) else [])
    return graph


@settings(max_examples=60)
@given(seed=SEEDS, moves=MOVES)
def test_random_play_agrees_with_the_twin(seed: int, moves: list[Any], naive: Any) -> None:
    board = board_engine.draw_board(make_generator("tests", "play", seed))
    twin = naive(board)
    for slot, quarters, wish in moves:
        tile = board_engine.turn_tile(board.spare_tile, quarters)
        action = (slot.side, slot.lane, frozenset(tile_openings(tile)))
        if action not in twin.insertions():
            with pytest.raises(ValueError, match="undoes the last insertion"):
                board.insert_tile(slot, tile)
            continue
        before = board
        board, twin = board.insert_tile(slot, tile), twin.insert(*action)
        reach = board.reachable_cells()
        assert {divmod(cell, 7) for cell in reach} == twin.reachable()
        wish = sorted(reach)[wish % len(reach)]
        board, twin = board.move_pawn(wish), twin.at(divmod(wish, 7))
        assert vars(naive(board)) == vars(twin)
        assert find_board_faults(board) == []
        assert sorted(board.treasures) == sorted(before.treasures)
        moved = {cell for cell in range(CELLS) if before.tiles[cell] != board.tiles[cell]}
        assert moved <= set(slot.line_cells)


@settings(max_examples=40)
@given(seed=SEEDS)
def test_reachability_agrees_with_networkx(seed: int) -> None:
    board = board_engine.draw_board(make_generator("tests", "reach", seed))
    graph = corridor_graph(board)
    for cell in range(CELLS):
        joined = nx.node_connected_component(graph, (cell, "middle"))
        assert board.reachable_cells(cell) == {where for where, side in joined if side == "middle"}


def test_pawns_wrap_and_treasures_leave() -> None:
    board = board_engine.draw_board(make_generator("tests", "wrap"))
    for slot in SLOTS:
        line = slot.line_cells
        marked = dataclasses.replace(
            board, pawn=line[-1], treasures="-" * line[-1] + "A" + "-" * (SPARE - line[-1])
        )
        after = marked.insert_tile(slot, marked.spare_tile)
        assert after.pawn == line[0]
        assert after.treasure_cell("A") == SPARE
        assert (
            after.tiles[line[0]] == marked.spare_tile and after.spare_tile == marked.tiles[line[-1]]
        )
        assert not after.may_insert(slot.opposite_slot)
        assert all(after.may_insert(other) for other in SLOTS if other != slot.opposite_slot)
        aside = next(other for other in SLOTS if not set(other.line_cells) & set(line))
        back = after.insert_tile(aside, after.spare_tile)
        assert back.treasure_cell("A") == aside.line_cells[0]
        assert back.may_insert(slot.opposite_slot)


def test_slots_are_numbered_and_face_each_other() -> None:
    assert [slot.slot_number for slot in SLOTS] == list(range(12))
    for slot in SLOTS:
        assert slot.opposite_slot.opposite_slot == slot
        assert slot.opposite_slot.line_cells == slot.line_cells[::-1]
        assert not set(slot.line_cells) & FIXED.keys()
    assert Slot("left", 3).line_cells == tuple(range(21, 28))
    assert Slot("top", 1).line_cells == (1, 8, 15, 22, 29, 36, 43)


def test_an_insertion_must_be_possible() -> None:
    board = board_engine.draw_board(make_generator("tests", "insert"))
    other = next(
        tile
        for tile in board_engine.NAMES
        if board_engine.tile_shape(tile) != board_engine.tile_shape(board.spare_tile)
    )
    with pytest.raises(ValueError, match="no rotation of the spare tile"):
        board.insert_tile(SLOTS[0], other)


def test_positions_are_column_then_row() -> None:
    assert cell_to_position(cell_at(2, 4)) == (2, 4)
    assert cell_at(2, 4) == 30
    assert tile_openings(FIXED[30]) == "NEW"


def test_boards_are_dealt_by_the_rules() -> None:
    boards = [
        board_engine.draw_board(make_generator("tests", "deal", number)) for number in range(300)
    ]
    for board in boards:
        assert find_board_faults(board) == []
        assert set(board.treasures) == {*LETTERS, EMPTY}
        for cell, tile in FIXED.items():
            assert (board.treasures[cell] == EMPTY) == (board_engine.tile_shape(tile) == "L")
        for place in set(range(CELLS + 1)) - set(FIXED):
            assert (
                board_engine.tile_shape(board.tiles[place]) != "T"
                or board.treasures[place] != EMPTY
            )
            assert (
                board_engine.tile_shape(board.tiles[place]) != "I"
                or board.treasures[place] == EMPTY
            )
    assert len(set(boards)) == len(boards)
    assert {board.pawn for board in boards} == set(range(CELLS))


def test_impossible_boards_are_explained() -> None:
    board = board_engine.draw_board(make_generator("tests", "faults"))
    broken = {
        "50 tiles": dataclasses.replace(board, treasures=board.treasures[1:]),
        "no tile has the openings 0": dataclasses.replace(board, tiles=(0, *board.tiles[1:])),
        "a fixed tile": dataclasses.replace(board, tiles=(3, *board.tiles[1:])),
        "the loose tiles are": dataclasses.replace(
            board,
            tiles=tuple(10 if place not in FIXED else t for place, t in enumerate(board.tiles)),
        ),
        "a treasure lies on two tiles": dataclasses.replace(board, treasures="AA" + "-" * 48),
        "off the board": dataclasses.replace(board, pawn=49),
    }
    for what, wrong in broken.items():
        assert any(what in fault for fault in find_board_faults(wrong)), what
