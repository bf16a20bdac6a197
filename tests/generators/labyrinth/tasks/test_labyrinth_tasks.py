"""The four tasks: what they show, how they judge, and how players fare."""

import json
from collections import Counter
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import pytest
from labyrinth_items import iterate_items, prompt_text

from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.generators.labyrinth.board import board_columns, board_engine
from facelet.generators.labyrinth.board.actions import InsertAction, MoveAction, make_insertion
from facelet.generators.labyrinth.board.board_engine import (
    CELLS,
    FIXED,
    LETTERS,
    LOOSE_LETTERS,
    SIDE,
    SLOTS,
    Board,
    cell_to_position,
)
from facelet.generators.labyrinth.plan_task.instances import Instance
from facelet.generators.labyrinth.plan_task.instances import Params as PlanningParams
from facelet.generators.labyrinth.plan_task.plan_parser import write_plan
from facelet.generators.labyrinth.presentation.displays import Setting
from facelet.generators.labyrinth.search import board_sampler
from facelet.generators.labyrinth.tasks import act, plan
from facelet.renderers.scenes.labyrinth import LabyrinthBoard

PLAYING = (plan.TASK, act.TASK)


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("turns", "count"), [(0, 20), (1, 20), (2, 20), (3, 8), (4, 2)])
def test_the_reference_player_succeeds_at_every_distance(turns: int, count: int) -> None:
    for task in PLAYING:
        for made in iterate_items(
            task, PlanningParams(turns=turns), count if task is plan.TASK else 2
        ):
            assert task.find_faults(made) == []
            assert task.decode(task.encode(made)) == made
            outcome = replay(task.open(made), task.reference(made))
            assert outcome.status is Status.CORRECT and outcome.strict
            assert outcome.metrics["plan_length"] == max(1, turns)
            assert outcome.metrics["turn_closeness"] == outcome.metrics["success_at_budget"] == 1


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_no_plan_of_fewer_turns_exists(turns: int, naive: Any) -> None:
    """Played out by the twin, from every cell that can be reached on the way, for one turn less."""
    made = next(iterate_items(plan.TASK, PlanningParams(turns=turns), 1))
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
    made = next(iterate_items(plan.TASK, PlanningParams(turns=2), 1))
    row = plan.TASK.encode(made)
    inner = next(cell for cell in made.board.reachable_cells() if cell != made.board.pawn)
    for changes, message in (
        ({"minimal_turns": 1}, "not exactly 1 turns away"),
        ({"minimal_turns": 3}, "not exactly 3 turns away"),
        ({"minimal_turns": 0}, "cannot be walked to"),
        ({"optimal_plans": row["optimal_plans"] + 1}, "there are WayCounts"),
        ({"optimal_insertions": row["optimal_insertions"] - 1}, "there are WayCounts"),
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
        wrong = plan.TASK.find_faults(plan.TASK.decode({**row, **changes}))
        assert any(message in fault for fault in wrong), (changes, wrong)


def test_the_solution_kept_does_not_favour_a_side() -> None:
    sides = [
        made.solution[0][0].side for made in iterate_items(plan.TASK, PlanningParams(turns=1), 240)
    ]
    assert all(sides.count(side) > 30 for side in ("top", "right", "bottom", "left"))


def test_boards_repeat_nowhere_and_turned_boards_are_one() -> None:
    made = list(iterate_items(plan.TASK, PlanningParams(turns=1), 60))
    assert len({board_columns.canonical_key(one.board) for one in made}) == len(made)
    board = made[0].board
    source = [SIDE * (SIDE - 1 - cell % SIDE) + cell // SIDE for cell in range(CELLS)]
    once = Board(
        (
            *(board_engine.turn_tile(board.tiles[cell]) for cell in source),
            board_engine.turn_tile(board.spare_tile, 3),
        ),
        "-" * 50,
        0,
    )
    assert board_columns.canonical_key(once) == board_columns.canonical_key(board)
    assert board_columns.canonical_key(
        board.insert_tile(SLOTS[0], board.spare_tile)
    ) != board_columns.canonical_key(board)


def test_a_draw_without_a_board_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_sampler, "BOARDS", 1)
    with pytest.raises(Exception, match="none of 1 boards has a treasure 4 turns away"):
        for number in range(40):
            board_sampler.find_board(4, make_generator("tests", "reject", number))


def test_how_soon_insertions_bring_two_places_together() -> None:
    """Against a walk over boards: every list of two insertions, from every cell."""
    board = board_engine.draw_board(make_generator("tests", "met"))
    marked = replace(board, treasures="".join(map(chr, range(65, 65 + CELLS + 1))), last=None)
    least = {(cell, cell): 0 for cell in range(CELLS)}
    for turns in (1, 2):
        for slots in product(SLOTS, repeat=turns):
            for cell in range(CELLS):
                now = marked.move_pawn(cell)
                for slot in slots:
                    now = replace(now, last=None).insert_tile(slot, now.spare_tile)
                met_at = marked.treasures.index(now.treasures[now.pawn])
                least.setdefault((cell, met_at), turns)
    for cell, row in enumerate(board_sampler.meeting_insertions()):
        for place, fewest in enumerate(row):
            assert least.get((cell, place), 3) == min(fewest, 3), (cell, place)


def list_winning_turns(made: Instance) -> set[tuple[str, int, int, int]]:
    """Return every turn, as it would be written, that reaches the target at once."""
    if not made.starts_with_insertion:
        return {("", 0, 0, made.board.treasure_cell(made.target))}
    won = set()
    for slot, rotation in product(SLOTS, range(4)):
        insert = InsertAction(slot.side, slot.lane, rotation)
        after = made.board.insert_tile(slot, insert.turn_spare_tile(made.board))
        if (goal := after.treasure_cell(made.target)) in after.reachable_cells():
            won.add((slot.side, slot.lane, rotation, goal))
    return won


def named_reply_share(turns: int, targets: Any) -> float:
    """Return what one turn for each name of a target wins, tuned and judged on other boards."""
    params = PlanningParams(turns=turns, targets=targets)
    made = [(one.target, list_winning_turns(one)) for one in iterate_items(plan.TASK, params, 1200)]
    won = 0
    for tuned_on, judged_on in ((made[::2], made[1::2]), (made[1::2], made[::2])):
        wins = {name: Counter[Any]() for name in LETTERS}
        for name, turns_ in tuned_on:
            wins[name].update(turns_)
        best = {
            name: min(found, key=lambda turn: (-found[turn], turn))
            for name, found in wins.items()
            if found
        }
        won += sum(best.get(name) in turns_ for name, turns_ in judged_on)
    return won / len(made)


def test_the_name_of_a_target_reveals_no_cell() -> None:
    """On loose tiles it may be on 33 cells; half of all treasures never move."""
    assert named_reply_share(1, "loose") <= 0.02 and named_reply_share(1, "any") > 0.04
    assert named_reply_share(0, "loose") <= 0.06 and named_reply_share(0, "any") > 0.45


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_targets_are_spread_evenly_over_loose_cells(turns: int) -> None:
    made = list(iterate_items(plan.TASK, PlanningParams(turns=turns), 660))
    cells = Counter(one.board.treasure_cell(one.target) for one in made)
    loose = {cell for cell in range(CELLS) if cell not in FIXED}
    assert set(cells) == loose and {one.target for one in made} == set(LOOSE_LETTERS)
    # Of 20 expected; 33 Poisson variables stay between these with probability 99.9%.
    assert 5 <= min(cells.values()) and max(cells.values()) <= 40


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_no_plan_of_insertions_alone_is_right(turns: int) -> None:
    for made in iterate_items(plan.TASK, plan.PlanParams(turns=turns), 30):
        assert (
            board_sampler.meeting_insertions()[made.board.pawn][
                made.board.treasure_cell(made.target)
            ]
            > made.budget
        )
    met = [
        board_sampler.meeting_insertions()[made.board.pawn][made.board.treasure_cell(made.target)]
        for made in iterate_items(plan.TASK, plan.PlanParams(turns=turns, shifted="any"), 60)
    ]
    assert min(met) <= 2 * turns


# --- what is shown --------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", get_args(Setting))
def test_a_setting_shows_what_it_says(setting: Any) -> None:
    for objects in ("target", "all"):
        params = PlanningParams(turns=1, setting=setting, objects=objects, opacity=20)
        made = next(iterate_items(plan.TASK, params, 1))
        prompt = plan.TASK.open(made).prompt()
        text, scenes = prompt_text(prompt), list(prompt.iterate_scenes())
        rows = json.dumps([board_engine.tile_name(tile) for tile in made.board.tiles[:SIDE]])
        told = setting.endswith("symbolic")
        assert (rows in text) == (f"Pawn: {cell_to_position(made.board.pawn)}" in text) == told
        assert (f"Extra tile: {board_engine.tile_name(made.board.spare_tile)}" in text) == told
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
    boards = {tuple(made.board for made in iterate_items(plan.TASK, params, 4)) for params in looks}
    assert len(boards) == 1


# --- acting ---------------------------------------------------------------------------------------


def test_acting_shows_every_new_state() -> None:
    made = next(iterate_items(act.TASK, PlanningParams(turns=2, setting="visual_symbolic"), 1))
    episode = act.TASK.open(made)
    (insert, move), _ = made.solution
    prompt = episode.reply(str(insert))
    after = made.board.insert_tile(insert.board_slot(), insert.turn_spare_tile(made.board))
    assert not isinstance(prompt, Outcome)
    assert [message.role for message in prompt.messages] == ["user"]
    text = prompt_text(prompt)
    assert "Phase: MOVE" in text and "Actions left: 3" in text
    assert f"Last insertion: side {insert.side}, slot {insert.lane}" in text
    assert f"Pawn: {cell_to_position(after.pawn)}" in text
    (scene,) = prompt.iterate_scenes()
    assert isinstance(scene, LabyrinthBoard)
    assert (scene.tiles, scene.pawn) == (after.tiles, after.pawn)
    assert episode.prompt() == prompt
    prompt = episode.reply(f"Now\n{move}")
    assert not isinstance(prompt, Outcome) and "Phase: INSERT" in prompt_text(prompt)


def test_acting_ends_on_budget_illegality_and_silence() -> None:
    made = next(iterate_items(act.TASK, PlanningParams(turns=2), 1))
    idle = [str(make_insertion(SLOTS[0], made.board.spare_tile)), "MOVE()"]
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
        made = next(iterate_items(act.TASK, PlanningParams(turns=turns), 1))
        assert act.action_budget(made) == actions
        assert len(act.TASK.reference(made)) == actions


def draw_plan(made: Instance, rng: Any) -> str:
    """Return a legal plan of as many turns as are needed, with random insertions and stops."""
    board, turns = made.board, []
    for _ in range(made.turns):
        open_slots = [slot for slot in SLOTS if board.may_insert(slot)]
        slot = open_slots[int(rng.integers(len(open_slots)))]
        tile = board_engine.turn_tile(board.spare_tile, int(rng.integers(4)))
        board = board.insert_tile(slot, tile)
        reach = sorted(board.reachable_cells())
        cell = reach[int(rng.integers(len(reach)))]
        board = board.move_pawn(cell)
        turns.append((make_insertion(slot, tile), MoveAction(cell_to_position(cell))))
    return write_plan(turns)


@pytest.mark.parametrize(("turns", "plays"), [(1, 30), (2, 10)])
def test_a_random_player_succeeds_as_often_as_the_rows_say(turns: int, plays: int) -> None:
    rng = make_generator("tests", "random player")
    made = list(iterate_items(plan.TASK, PlanningParams(turns=turns), 60))
    expected = sum(one.ways.chance for one in made) * plays
    outcomes = [
        plan.TASK.open(one).reply(draw_plan(one, rng)) for one in made for _ in range(plays)
    ]
    assert all(isinstance(one, Outcome) and one.status != Status.ILLEGAL for one in outcomes)
    found = sum(one.status is Status.CORRECT for one in outcomes)
    assert abs(found - expected) <= 4 * expected**0.5 + 1
    assert found < len(outcomes) / 30


# --- the budget of a plan -------------------------------------------------------------------------


def draw_long_plan(made: Instance, rng: Any, at_least: int) -> list[Any] | None:
    """Return a random legal plan that reaches the target in at least so many turns."""
    board, turns = made.board, []
    for _ in range(60):
        open_slots = [slot for slot in SLOTS if board.may_insert(slot)]
        slot = open_slots[int(rng.integers(len(open_slots)))]
        board = board.insert_tile(
            slot, tile := board_engine.turn_tile(board.spare_tile, int(rng.integers(4)))
        )
        place = board.treasure_cell(made.target)
        reach = sorted(board.reachable_cells())
        if place in reach and len(turns) + 1 >= at_least:
            return [*turns, (make_insertion(slot, tile), MoveAction(cell_to_position(place)))]
        cell = next((cell for cell in reach if cell != place), None)
        if cell is None:
            return None
        board = board.move_pawn(cell)
        turns.append((make_insertion(slot, tile), MoveAction(cell_to_position(cell))))
    return None


def play_turns(made: Instance, turns: Any) -> Outcome:
    outcome = plan.TASK.open(made).reply(write_plan(turns))
    assert isinstance(outcome, Outcome)
    return outcome


@pytest.mark.parametrize(("budget", "counted"), [("double", 2), ("fewest", 1), ("unlimited", 0)])
def test_only_turns_inside_the_budget_count(budget: Any, counted: int) -> None:
    rng = make_generator("tests", "long way", budget)
    seen = set()
    for made in iterate_items(plan.TASK, plan.PlanParams(turns=1, budget=budget), 30):
        assert made.budget == counted
        assert play_turns(made, made.solution).metrics["success_in_fewest"] == 1
        for least in (1, 2, 3):
            way = draw_long_plan(made, rng, least)
            if way is None:
                continue
            outcome, length = play_turns(made, way), len(way)
            inside = not counted or length <= counted
            metrics = outcome.metrics
            assert outcome.status is (Status.CORRECT if inside else Status.WRONG)
            assert metrics["success_at_budget"] == metrics["turn_closeness"] == inside
            assert metrics["success_in_fewest"] == (length == 1)
            assert metrics["success_beyond_budget"] == (not inside)
            assert metrics["turns_beyond_budget"] == (0 if inside else length - counted)
            assert metrics["plan_length"] == length
            errors = metrics["error_shallow_planning"] + metrics["error_state_update"]
            assert errors == (not inside)
            seen.add((inside, length > 2))
    assert len(seen) >= 2


def test_what_is_illegal_beyond_the_budget_is_no_error_of_the_plan() -> None:
    for made in iterate_items(plan.TASK, plan.PlanParams(turns=1), 20):
        slots = [
            slot for slot in SLOTS if made.board.treasure_cell(made.target) not in slot.line_cells
        ][:2]
        idle = [(make_insertion(slot, made.board.spare_tile), MoveAction(None)) for slot in slots]
        bad = [(InsertAction("top", 2, 0), MoveAction(None))]
        outcome = play_turns(made, [*idle, *bad])
        if outcome.metrics["success_at_budget"] == outcome.metrics["error_insert_legality"] == 0:
            assert outcome.status is Status.WRONG
            assert outcome.metrics["success_beyond_budget"] == 0
            assert outcome.metrics["turns_beyond_budget"] == 1
            break
    else:
        raise AssertionError("no board on which two idle turns are legal and reach nothing")


def test_the_prompt_tells_the_budget() -> None:
    for params, told in (
        (plan.PlanParams(turns=4), "Only its first 8 turns count."),
        (plan.PlanParams(turns=1, budget="fewest"), "Only its first turn counts."),
        (plan.PlanParams(turns=0, budget="fewest"), "Only its first turn counts."),
        (plan.PlanParams(turns=2, budget="unlimited"), ""),
    ):
        text = prompt_text(plan.TASK.open(next(iterate_items(plan.TASK, params, 1))).prompt())
        assert told in text and (" count" in text) == bool(told)


def draw_fixed_turns(rng: Any, number: int) -> list[Any]:
    """Return turns that are legal on every board: the pawn never walks."""
    turns: list[Any] = []
    while len(turns) < number:
        slot = SLOTS[int(rng.integers(len(SLOTS)))]
        if not turns or turns[-1][0].board_slot() != slot.opposite_slot:
            turns.append(
                (InsertAction(slot.side, slot.lane, int(rng.integers(4))), MoveAction(None))
            )
    return turns


def reaches_target(made: Instance, turns: list[Any]) -> bool:
    """Return whether fixed turns bring the pawn onto the target, without the referee."""
    board = made.board
    for insert, _ in turns:
        board = board.insert_tile(insert.board_slot(), insert.turn_spare_tile(board))
        if board.pawn == board.treasure_cell(made.target):
            return True
    return False


def test_a_fixed_reply_wins_nothing_inside_the_budget() -> None:
    """It is the best of 200 on half of the boards, and is judged on the other half."""
    rng = make_generator("tests", "fixed replies")
    made = list(iterate_items(plan.TASK, plan.PlanParams(turns=3, shifted="any"), 80))
    players = [draw_fixed_turns(rng, 200) for _ in range(200)]
    reach = {one.budget for one in made}
    assert reach == {6}

    def count_wins(boards: list[Instance], turns: list[Any]) -> int:
        return sum(reaches_target(one, turns) for one in boards)

    tuned = max(players, key=lambda turns: count_wins(made[:40], turns[:6]))
    judged = [play_turns(one, tuned) for one in made[40:]]
    assert sum(outcome.status is Status.CORRECT for outcome in judged) <= 1
    # Without a budget it would win, and the outcome says so.
    beyond = sum(int(outcome.metrics["success_beyond_budget"]) for outcome in judged)
    assert beyond + count_wins(made[40:], tuned[:6]) == count_wins(made[40:], tuned) > 2


def test_planned_and_acted_labyrinths_are_the_same() -> None:
    for turns in (0, 2):
        planned = list(iterate_items(plan.TASK, plan.PlanParams(turns=turns, setting="overlay"), 5))
        acted = list(iterate_items(act.TASK, PlanningParams(turns=turns), 5))
        assert [(one.board, one.target) for one in planned] == [
            (one.board, one.target) for one in acted
        ]
        assert planned[0].budget == max(1, turns) * 2 and acted[0].budget == max(1, turns)


def test_params_are_refused() -> None:
    with pytest.raises(ValueError, match="turns=5 is out of range; use a whole number 0 to 4"):
        PlanningParams(turns=5).validate()
    assert PlanningParams(turns=4).difficulty().label == "t4"
    assert isinstance(InsertAction("top", 1, 0).board_slot(), type(SLOTS[0]))
