"""Boards and states that are read off pictures: what counts, and what is shown."""

import json

from labyrinth_items import iterate_items, prompt_text

from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Status
from facelet.generators.labyrinth.board import board_engine
from facelet.generators.labyrinth.board.board_engine import CELLS, LETTERS, SPARE, cell_to_position
from facelet.generators.labyrinth.board_transcription.task import Params as ParsingParams
from facelet.generators.labyrinth.tasks import board_parsing, game_state_parsing
from facelet.renderers.scenes.labyrinth import LabyrinthBoard


def test_board_parsing_counts_cells() -> None:
    for made in iterate_items(board_parsing.TASK, ParsingParams(), 10):
        rows = json.loads(board_parsing.TASK.gold_answer(made))
        assert [len(row) for row in rows] == [7] * 7
        other = {"I0": "I2", "I1": "I3"}
        alias = json.dumps([[other.get(name, name) for name in row] for row in rows])
        outcome = board_parsing.TASK.open(made).reply(alias)
        assert outcome.status is Status.CORRECT and not outcome.strict
        rows[1][1] = "T0" if rows[1][1] != "T0" else "T1"
        outcome = board_parsing.TASK.open(made).reply(f"The board is:\n{json.dumps(rows)}")
        assert outcome.status is Status.WRONG and outcome.strict
        assert outcome.metrics["cell_accuracy"] == 48 / 49
        assert outcome.metrics["loose_accuracy"] == 32 / 33
        assert outcome.metrics["board_accuracy"] == 0
        short = json.dumps([row[:6] for row in rows])
        assert board_parsing.TASK.open(made).reply(short).status is Status.UNPARSED
        plain = "\n".join(
            " | ".join(row) for row in json.loads(board_parsing.TASK.gold_answer(made))
        )
        assert board_parsing.TASK.open(made).reply(plain).status is Status.CORRECT


def test_game_state_parsing_counts_each_part() -> None:
    task = game_state_parsing.TASK
    for made in iterate_items(task, ParsingParams(), 10):
        state = json.loads(task.gold_answer(made))
        board = made.board
        assert "".join(map("".join, state["treasures"])) == board.treasures[:CELLS]
        assert state["pawn"] == list(cell_to_position(board.pawn))
        assert state["target_position"] == list(cell_to_position(board.treasure_cell(made.target)))
        assert state["extra_tile"] == board_engine.tile_name(board.tiles[SPARE])
        pretty = f"The state is:\n{json.dumps(state, indent=1)}"
        outcome = task.open(made).reply(pretty)
        assert outcome.status is Status.CORRECT and outcome.strict
        state["pawn"] = [(state["pawn"][0] + 1) % 7, state["pawn"][1]]
        state["treasures"][1][1] = "A" if state["treasures"][1][1] != "A" else "B"
        outcome = task.open(made).reply(f"The state is:\n{json.dumps(state)}")
        assert outcome.status is Status.WRONG and outcome.strict
        assert outcome.metrics["pawn_accuracy"] == outcome.metrics["state_accuracy"] == 0
        assert outcome.metrics["cell_accuracy"] == 48 / 49
        assert outcome.metrics["target_accuracy"] == outcome.metrics["extra_tile_accuracy"] == 1
        partly = task.open(made).reply(f'target: {made.target}, "pawn": [{board.pawn % 7}, 9]')
        assert partly.status is Status.WRONG and partly.metrics["target_accuracy"] == 1
        assert partly.metrics["cell_accuracy"] == partly.metrics["pawn_accuracy"] == 0
        assert task.open(made).reply('{"treasures": ' + "[" * 4000).status is Status.UNPARSED


def test_targets_and_pawns_are_spread_evenly() -> None:
    made = list(iterate_items(game_state_parsing.TASK, ParsingParams(), 480))
    targets = [one.target for one in made]
    assert all(8 <= targets.count(letter) <= 40 for letter in LETTERS)
    assert len({one.board.pawn for one in made}) == CELLS
    assert (
        len({board_engine.draw_board(make_generator("tests", n)).spare_tile for n in range(300)})
        == 10
    )


def test_perception_shows_no_state_in_text() -> None:
    for task in (board_parsing.TASK, game_state_parsing.TASK):
        made = next(iterate_items(task, ParsingParams(setting="overlay", objects="target"), 1))
        prompt = task.open(made).prompt()
        (scene,) = prompt.iterate_scenes()
        assert isinstance(scene, LabyrinthBoard) and scene.overlay
        assert set(scene.treasures) == {"-", made.target}
        other = next(iterate_items(task, ParsingParams(objects="target"), 2))
        assert prompt_text(prompt).replace("Each tile carries", "") != ""
        assert prompt_text(task.open(other).prompt()) in prompt_text(prompt).replace(
            " Each tile carries its position x,y in its upper left corner and its name in its "
            "lower right corner.",
            "",
        )
