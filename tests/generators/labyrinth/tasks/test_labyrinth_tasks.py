"""The four tasks: what they show, how they judge, and how players fare."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from facelet.generators.core.prompts import Text
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw, generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.labyrinth.board import columns, dealing, tiles
from facelet.generators.labyrinth.board.actions import Insert, Move, insertion
from facelet.generators.labyrinth.board.boards import CELLS, SIDE, SLOTS, SPARE, Board, position
from facelet.generators.labyrinth.board.treasures import LETTERS
from facelet.generators.labyrinth.parsing.instances import Params as ParsingParams
from facelet.generators.labyrinth.planning.instances import Instance
from facelet.generators.labyrinth.planning.instances import Params as PlanningParams
from facelet.generators.labyrinth.planning.replies import write_plan
from facelet.generators.labyrinth.search import finding
from facelet.generators.labyrinth.showing.displays import SETTINGS
from facelet.generators.labyrinth.tasks import act, board_parsing, game_state_parsing, plan
from facelet.renderers.scenes.labyrinth import LabyrinthBoard

PLAYING = (plan.TASK, act.TASK)


def items(task: Any, params: Any, count: int) -> Iterator[Any]:
    for index in range(count):
        yield from task.generate(params, Draw(("tests", task.name), index), None)


def text_of(prompt: Any) -> str:
    return "\n".join(
        part.text for message in prompt.messages for part in message.parts if isinstance(part, Text)
    )


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turns", "count"), [(0, 20), (1, 20), (2, 20), (3, 8), (4, 2)])
def test_the_reference_player_succeeds_at_every_distance(turns: int, count: int) -> None:
    for task in PLAYING:
        for made in items(task, PlanningParams(turns=turns), count if task is plan.TASK else 2):
            assert task.check(made) == []
            assert task.decode(task.encode(made)) == made
            outcome = replay(task.open(made), task.reference(made))
            assert outcome.status is Status.CORRECT and outcome.strict
            assert outcome.metrics["plan_length"] == max(1, turns)
            assert outcome.metrics["turn_closeness"] == outcome.metrics["success_at_budget"] == 1


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_no_plan_of_fewer_turns_exists(turns: int, naive: Any) -> None:
    """Played out by the twin, from every cell that can be reached on the way, for one turn less."""
    made = next(items(plan.TASK, PlanningParams(turns=turns), 1))
    now = [naive(made.board)]
    for turn in range(turns):
        assert all(one.place(made.target) not in {one.pawn} for one in now)
        if turn == 0:
            assert now[0].place(made.target) not in now[0].reachable()
        after = [one.insert(*action) for one in now for action in one.insertions()]
        found = any(one.place(made.target) in one.reachable() for one in after)
        assert found == (turn == turns - 1)
        if turn == turns - 2 and turns == 3:
            break  # The twin would need minutes for the last turn of three.
        now = [one.at(cell) for one in after for cell in sorted(one.reachable())]


def test_false_labels_are_found() -> None:
    made = next(items(plan.TASK, PlanningParams(turns=2), 1))
    row = plan.TASK.encode(made)
    inner = next(cell for cell in made.board.reachable() if cell != made.board.pawn)
    for changes, message in (
        ({"minimal_turns": 1}, "not exactly 1 turns away"),
        ({"minimal_turns": 3}, "not exactly 3 turns away"),
        ({"minimal_turns": 0}, "cannot be walked to"),
        ({"optimal_plans": row["optimal_plans"] + 1}, "there are Ways"),
        ({"optimal_insertions": row["optimal_insertions"] - 1}, "there are Ways"),
        ({"solution": row["solution"][::-1]}, "the reference is not"),
        ({"target": "Z"}, "does not lie on the board"),
        ({"tiles": [*row["tiles"][1:], row["tiles"][0]]}, "a fixed tile"),
        (
            {
                "treasures": row["treasures"].replace(made.target, "-")[:inner]
                + made.target
                + row["treasures"].replace(made.target, "-")[inner + 1 :]
            },
            "can be walked to",
        ),
    ):
        wrong = plan.TASK.check(plan.TASK.decode({**row, **changes}))
        assert any(message in fault for fault in wrong), (changes, wrong)


def test_the_solution_kept_does_not_favour_a_side() -> None:
    sides = [made.solution[0][0].side for made in items(plan.TASK, PlanningParams(turns=1), 240)]
    assert all(sides.count(side) > 30 for side in ("top", "right", "bottom", "left"))


def test_boards_repeat_nowhere_and_turned_boards_are_one() -> None:
    made = list(items(plan.TASK, PlanningParams(turns=1), 60))
    assert len({columns.canonical(one.board) for one in made}) == len(made)
    board = made[0].board
    source = [SIDE * (SIDE - 1 - cell % SIDE) + cell // SIDE for cell in range(CELLS)]
    once = Board(
        (*(tiles.turned(board.tiles[cell]) for cell in source), tiles.turned(board.spare, 3)),
        "-" * 50,
        0,
    )
    assert columns.canonical(once) == columns.canonical(board)
    assert columns.canonical(board.insert(SLOTS[0], board.spare)) != columns.canonical(board)


def test_a_draw_without_a_board_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "BOARDS", 1)
    with pytest.raises(Exception, match="none of 1 boards has a treasure 4 turns away"):
        for number in range(40):
            finding.find(4, generator("tests", "reject", number))


# --- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_shows_what_it_says(setting: Any) -> None:
    for objects in ("target", "all"):
        params = PlanningParams(turns=1, setting=setting, objects=objects, opacity=20)
        made = next(items(plan.TASK, params, 1))
        prompt = plan.TASK.open(made).prompt()
        text, scenes = text_of(prompt), list(prompt.scenes())
        rows = json.dumps([tiles.name(tile) for tile in made.board.tiles[:SIDE]])
        told = setting.endswith("symbolic")
        assert (rows in text) == (f"Pawn: {position(made.board.pawn)}" in text) == told
        assert (f"Extra tile: {tiles.name(made.board.spare)}" in text) == told
        assert len(scenes) == (setting != "symbolic")
        for scene in scenes:
            assert isinstance(scene, LabyrinthBoard)
            assert scene.overlay == setting.startswith("overlay") and scene.opacity == 20
            assert scene.tiles == made.board.tiles and scene.target == made.target
            shown = set(scene.treasures) - {"-"}
            assert shown == ({made.target} if objects == "target" else set(LETTERS))
        assert ("Letters: " in text) == (told and objects == "all")


def test_boards_match_across_settings_and_looks() -> None:
    looks = [
        PlanningParams(),
        PlanningParams(setting="symbolic"),
        PlanningParams(objects="all", opacity=0),
    ]
    boards = {tuple(made.board for made in items(plan.TASK, params, 4)) for params in looks}
    assert len(boards) == 1


# --- acting ---------------------------------------------------------------------------------------


def test_acting_shows_every_new_state() -> None:
    made = next(items(act.TASK, PlanningParams(turns=2, setting="visual_symbolic"), 1))
    episode = act.TASK.open(made)
    (insert, move), _ = made.solution
    prompt = episode.reply(str(insert))
    after = made.board.insert(insert.slot(), insert.tile(made.board))
    assert not isinstance(prompt, Outcome)
    assert [message.role for message in prompt.messages] == ["user"]
    text = text_of(prompt)
    assert "Phase: MOVE" in text and "Actions left: 3" in text
    assert f"Last insertion: side {insert.side}, slot {insert.lane}" in text
    assert f"Pawn: {position(after.pawn)}" in text
    (scene,) = prompt.scenes()
    assert isinstance(scene, LabyrinthBoard)
    assert (scene.tiles, scene.pawn) == (after.tiles, after.pawn)
    assert episode.prompt() == prompt
    prompt = episode.reply(f"Now\n{move}")
    assert not isinstance(prompt, Outcome) and "Phase: INSERT" in text_of(prompt)


def test_acting_ends_on_budget_illegality_and_silence() -> None:
    made = next(items(act.TASK, PlanningParams(turns=2), 1))
    idle = [str(insertion(SLOTS[0], made.board.spare)), "MOVE()"]
    episode = act.TASK.open(made)
    outcome = replay(episode, [*idle, *idle])
    assert outcome.status in (Status.WRONG, Status.ILLEGAL)
    assert outcome.metrics["success_at_budget"] == 0
    outcome = replay(act.TASK.open(made), ["MOVE()"])
    assert outcome.status is Status.ILLEGAL and outcome.metrics["error_insert_legality"] == 1
    outcome = replay(act.TASK.open(made), [idle[0], "I stop."])
    assert outcome.status is Status.UNPARSED and not outcome.strict
    assert outcome.metrics["error_shallow_planning"] == outcome.metrics["plan_length"] == 1
    outcome = replay(act.TASK.open(made), [idle[0] + "\nMOVE()"])
    assert outcome.status is Status.UNPARSED


def test_the_budget_is_two_actions_a_turn() -> None:
    for turns, actions in ((0, 1), (1, 2), (3, 6)):
        made = next(items(act.TASK, PlanningParams(turns=turns), 1))
        assert act.budget(made) == actions
        assert len(act.TASK.reference(made)) == actions


def random_plan(made: Instance, rng: Any) -> str:
    """Return a legal plan of as many turns as are needed, with random insertions and stops."""
    board, turns = made.board, []
    for _ in range(made.turns):
        open_slots = [slot for slot in SLOTS if board.may_insert(slot)]
        slot = open_slots[int(rng.integers(len(open_slots)))]
        tile = tiles.turned(board.spare, int(rng.integers(4)))
        board = board.insert(slot, tile)
        reach = sorted(board.reachable())
        cell = reach[int(rng.integers(len(reach)))]
        board = board.move(cell)
        turns.append((insertion(slot, tile), Move(position(cell))))
    return write_plan(turns)


@pytest.mark.parametrize(("turns", "plays"), [(1, 30), (2, 10)])
def test_a_random_player_succeeds_as_often_as_the_rows_say(turns: int, plays: int) -> None:
    rng = generator("tests", "random player")
    made = list(items(plan.TASK, PlanningParams(turns=turns), 60))
    expected = sum(one.ways.chance for one in made) * plays
    outcomes = [
        plan.TASK.open(one).reply(random_plan(one, rng)) for one in made for _ in range(plays)
    ]
    assert all(isinstance(one, Outcome) and one.status != Status.ILLEGAL for one in outcomes)
    found = sum(one.status is Status.CORRECT for one in outcomes)
    assert abs(found - expected) <= 4 * expected**0.5 + 1
    assert found < len(outcomes) / 30


# --- perception -----------------------------------------------------------------------------------


def test_board_parsing_counts_cells() -> None:
    for made in items(board_parsing.TASK, ParsingParams(), 10):
        rows = json.loads(board_parsing.TASK.gold(made))
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
        plain = "\n".join(" | ".join(row) for row in json.loads(board_parsing.TASK.gold(made)))
        assert board_parsing.TASK.open(made).reply(plain).status is Status.CORRECT


def test_game_state_parsing_counts_each_part() -> None:
    task = game_state_parsing.TASK
    for made in items(task, ParsingParams(), 10):
        state = json.loads(task.gold(made))
        board = made.board
        assert "".join(map("".join, state["treasures"])) == board.treasures[:CELLS]
        assert state["pawn"] == list(position(board.pawn))
        assert state["target_position"] == list(position(board.place(made.target)))
        assert state["extra_tile"] == tiles.name(board.tiles[SPARE])
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
    made = list(items(game_state_parsing.TASK, ParsingParams(), 480))
    targets = [one.target for one in made]
    assert all(8 <= targets.count(letter) <= 40 for letter in LETTERS)
    assert len({one.board.pawn for one in made}) == CELLS
    assert len({dealing.deal(generator("tests", n)).spare for n in range(300)}) == 10


def test_perception_shows_no_state_in_text() -> None:
    for task in (board_parsing.TASK, game_state_parsing.TASK):
        made = next(items(task, ParsingParams(setting="overlay", objects="target"), 1))
        prompt = task.open(made).prompt()
        (scene,) = prompt.scenes()
        assert isinstance(scene, LabyrinthBoard) and scene.overlay
        assert set(scene.treasures) == {"-", made.target}
        other = next(items(task, ParsingParams(objects="target"), 2))
        assert text_of(prompt).replace("Each tile carries", "") != ""
        assert text_of(task.open(other).prompt()) in text_of(prompt).replace(
            " Each tile carries its position x,y in its upper left corner and its name in its "
            "lower right corner.",
            "",
        )


def test_params_are_refused() -> None:
    with pytest.raises(ValueError, match="turns=5 is out of range; use a whole number 0 to 4"):
        PlanningParams(turns=5).validate()
    assert PlanningParams(turns=4).difficulty().label == "t4"
    assert isinstance(Insert("top", 1, 0).slot(), type(SLOTS[0]))
