"""Items of other authors: each form is written by hand here, from puzzles whose columns are known.

So a reader is held against a writer that shares nothing with it, and what it reads must be the very
puzzle. One item of each game breaks a rule, and is kept apart with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from item_counts import OFFICIAL, OUTCOMES, count_items, read_counts

from facelet.generators.arcade.base.game import blank_terms
from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.cli import main
from facelet.pipeline.papers.evolarena.item_readers.game_readers import GAMES as READ

ROOT = Path(__file__).parents[3]

GAMES = {reader.authors_name: game for game, reader in READ.items()}

Form = Callable[[Any], dict[str, Any]]


def maxima_item(puzzle: Any) -> dict[str, Any]:
    lists: dict[str, list[int]] = {f"S{i + 1}": [] for i in range(puzzle.lists)}
    for place, owner in enumerate(puzzle.owners, 1):
        if owner:
            lists[f"S{owner}"].append(place)
    left = [
        max(number for place, number in enumerate(puzzle.array, 1) if place not in inside)
        for inside in lists.values()
    ]
    return {"array": list(puzzle.array), "subsets": lists, "answer": left}


def furthest_jumps(numbers: tuple[int, ...]) -> list[int]:
    pairs = [(a ^ b, i, j) for i, a in enumerate(numbers) for j, b in enumerate(numbers) if i < j]
    return list(max(pairs)[1:])


def zero_item(puzzle: Any) -> dict[str, Any]:
    places = [place for place, bit in enumerate(puzzle.bits, 1) if bit == "0"]
    bits = [int(bit) for bit in puzzle.bits]
    return {"list": bits, "k": puzzle.rank, "answer": places[puzzle.rank - 1]}


def grid_cells(places: Any, size: int) -> list[list[int]]:
    return [[place // size + 1, place % size + 1] for place in places]


def graph_item(pairs: Any) -> dict[str, Any]:
    return {"graph": [list(pair) for pair in pairs]}


def walled_item(puzzle: Any) -> dict[str, Any]:
    size, rooms = puzzle.size, {}
    for row in range(size):
        for column in range(size):
            sign = puzzle.maze[row][column]
            left = puzzle.maze[row][column - 1] if column else "."
            above = puzzle.maze[row - 1][column] if row else "."
            opened = {"E": sign in "EB", "S": sign in "SB", "W": left in "EB", "N": above in "SB"}
            walls = [way for way in "NESW" if not opened[way]]
            rooms[f"{row + 1},{column + 1}"] = {"walls": walls}
    return {"maze": {"size": size, "rooms": rooms, "paths": []}}


def forest_item(puzzle: Any) -> dict[str, Any]:
    near = [[int(other) for other in text.split()] for text in puzzle.joined]
    pairs = [(one, other) for one, others in enumerate(near, 1) for other in others if one < other]
    return {"scale": puzzle.size, **graph_item(pairs)}


def devices_item(puzzle: Any) -> dict[str, str]:
    hidden = iter(puzzle.devices)
    return {
        f"{row},{column}": next(hidden) if sign == "X" else "W" if sign == "W" else "-"
        for row, line in enumerate(puzzle.grid, 1)
        for column, sign in enumerate(line, 1)
    }


def knights_item(puzzle: Any) -> dict[str, Any]:
    half = puzzle.size // 2
    return {
        "white_start": list(puzzle.white),
        "black_start": list(puzzle.black),
        "white_target": [half, half],
        "black_target": [half + 1, half],
    }


def weights_item(puzzle: Any) -> dict[str, int]:
    size, ordered = puzzle.size, iter(puzzle.weights)
    nodes = range(1, size + 1)
    return {f"{one}-{size + other}": next(ordered) for one in nodes for other in nodes}


FORMS: dict[str, tuple[Form, dict[str, Any]]] = {
    "attendance_check": (
        lambda p: {"answer": [int(i != p.absent) for i in range(1, p.students + 1)]},
        {"answer": [1, 0, 0, 1]},
    ),
    "binary_number_guessing": (lambda p: {"answer": p.number}, {"answer": 10**5}),
    "bit_compare": (
        lambda p: {"list": list(p.numbers), "answer": furthest_jumps(p.numbers)},
        {"answer": [0, 0]},
    ),
    "bit_query": (
        lambda p: {"scale": p.size, "answer": "".join(map(str, p.array))},
        {"answer": "9999"},
    ),
    "circle_finding": (
        lambda p: {"scale": p.limit, "center": list(p.circle[:2]), "radius": p.circle[2]},
        {"center": [1, 1], "radius": 5},
    ),
    "geometric_distance": (
        lambda p: {
            "available_points": [list(pair) for pair in zip(p.xs, p.ys, strict=True)],
            "starting_point": list(p.start),
        },
        {"available_points": [[1, 1], [1, 1]]},
    ),
    "grid_game": (
        lambda p: {
            "scale": [p.rows, 4],
            "initial_grid": {
                f"({place // 4 + 1}, {place % 4 + 1})": number
                for place, number in enumerate(p.numbers)
            },
        },
        {"scale": [2, 2]},
    ),
    "guess_max": (maxima_item, {"answer": [1]}),
    "hidden_number_finding": (lambda p: {"scale": p.most, "answer": p.number}, {"answer": 0}),
    "linked_list_query": (
        lambda p: {
            "list": {
                str(place): {"value": value, "next": link}
                for place, (value, link) in enumerate(zip(p.values, p.links, strict=True), 1)
            },
            "answer": min(p.values),
        },
        {"answer": 1000},
    ),
    "median_query": (
        lambda p: {
            "list": list(p.numbers),
            "answer": [p.numbers.index(p.size // 2 + more) + 1 for more in (1, 0)],
        },
        {"list": [1, 1, 2, 3, 4, 5]},
    ),
    "password_breaking": (
        lambda p: {
            "k": p.base,
            "min_value": p.low,
            "max_value": p.low + p.span,
            "answer": p.password,
        },
        {"answer": -1},
    ),
    "permutation_discovery": (
        lambda p: {"p": list(p.hidden), "q": list(p.start)},
        {"p": [1, 1, 2, 3]},
    ),
    "train_pursuit": (
        lambda p: {"n": p.stations, "k": p.speed, "answer": p.station},
        {"answer": 0},
    ),
    "tree_discovery": (
        lambda p: {"answer": [edge.replace("-", "") for edge in reversed(p.edges)]},
        {"answer": ["12", "23", "13", "45"]},
    ),
    "word_guessing": (lambda p: {"answer": p.word.upper()}, {"answer": "a b"}),
    "xor_breaking": (lambda p: {"initial_number": p.number}, {"initial_number": 8}),
    "zero_finding": (zero_item, {"answer": 1000}),
    "find_the_impostors": (
        lambda p: {"answer": "".join("10"[i in p.impostors] for i in range(1, p.players + 1))},
        {"answer": "111110"},
    ),
    "min_max": (
        lambda p: {
            "answer": "".join(map(str, p.ranks)),
            "min_pos": p.ranks.index(1) + 1,
            "max_pos": p.ranks.index(max(p.ranks)) + 1,
        },
        {"answer": "13338"},
    ),
    "mahjong_detective": (
        lambda p: {"scale": p.values, "answer": [2, 0, 1]},
        {"answer": [1, 2]},
    ),
    "mimic_hunting": (lambda p: {"list": list(p.objects), "answer": p.mimic}, {"answer": 99}),
    "rotary_laser_lock": (
        lambda p: {"n": p.rings, "m": p.arc, "answer": [0, *p.offsets]},
        {"answer": [0, 1]},
    ),
    "cactus_search": (
        lambda p: {
            "graph": {
                "n": p.size,
                "m": len(p.paths),
                "paths": [[int(one) for one in path.split()] for path in p.paths],
            }
        },
        {"graph": {"n": 4, "m": 3, "paths": [[1, 2, 3, 4, 1], [1, 3]]}},
    ),
    "chemical_synthesis": (
        lambda p: {"initial_compounds": list(p.compounds), "target_compound": p.target},
        {"initial_compounds": ["ABC"], "target_compound": "ABC"},
    ),
    "color_magic": (
        lambda p: {"graph": {"size": len(p.grid), "initial_state": [list(row) for row in p.grid]}},
        {"graph": {"initial_state": [["R", "G"], ["R", "R"]]}},
    ),
    "dark_maze_exploration": (
        walled_item,
        {
            "maze": {
                "size": 2,
                "rooms": {
                    "1,1": {"walls": ["N", "W"]},
                    "1,2": {"walls": ["N", "E", "W"]},
                    "2,1": {"walls": ["W", "S"]},
                    "2,2": {"walls": ["E", "S"]},
                },
            }
        },
    ),
    "finding_biggest": (
        lambda p: {
            "graph": {
                "grid_size": p.size,
                "treasures": [
                    {"x": x, "y": y, "value": value}
                    for (x, y), value in zip(
                        reversed(grid_cells(p.cells, p.size)), reversed(p.values), strict=True
                    )
                ],
            }
        },
        {"graph": {"grid_size": 3, "treasures": [{"x": 1, "y": 2, "value": 5}]}},
    ),
    "magnetic_field_exploration": (
        lambda p: {
            "graph": {
                "size": len(p.grid),
                "grid": [list(row.translate(str.maketrans("1234", "NESW"))) for row in p.grid],
            }
        },
        {"graph": {"grid": ["..", ".."]}},
    ),
    "maze_navigation": (
        lambda p: {"grids": [list(row) for row in p.grid]},
        {"grids": ["..F", "F.."]},
    ),
    "rainbow_candy_factory": (
        lambda p: {"graph": {"size": len(p.grid), "target": p.target, "devices": devices_item(p)}},
        {"graph": {"size": 2, "target": "W", "devices": {}}},
    ),
    "safepath_finding": (
        lambda p: {"scale": p.size, "traps": grid_cells(reversed(p.traps), p.size)},
        {"traps": [[1, 1]]},
    ),
    "treasure_hunt": (forest_item, {"graph": [[1, 2], [3, 4]]}),
    "assiut_chess": (
        lambda p: {"scale": p.size, "initial_position": str(p.king)},
        {"initial_position": "(1, 9)"},
    ),
    "bee_chase": (
        lambda p: {"scale": p.vertices, **graph_item(zip(p.others, p.ones, strict=True))},
        graph_item([(k, k % 10 + 1) for k in range(1, 11)]),
    ),
    "grid_coloring": (
        lambda p: {
            "scale": p.size,
            "colored_cells": {
                f"({x}, {y})": colour for x, y, colour in zip(p.xs, p.ys, p.colours, strict=True)
            },
        },
        {"colored_cells": {"(1, 1)": 3, "(2, 2)": 3}},
    ),
    "knight_battle": (
        lambda p: {"scale": p.size, "answer": knights_item(p)},
        {"answer": {"white_start": [1, 1], "black_start": [1, 1]}},
    ),
    "paper_numbering": (
        lambda p: {"scale": p.size, "initial_value": p.first, "max_number": p.top},
        {"initial_value": 0},
    ),
    "pizza_slicing": (
        lambda p: {
            "points": {str(k): list(pair) for k, pair in enumerate(zip(p.xs, p.ys, strict=True), 1)}
        },
        {"points": {"1": [0, 0], "2": [0, 4], "3": [4, 4], "4": [4, 0]}},
    ),
    "zigzag_graph": (
        lambda p: {"scale": p.size, "edge_weights": weights_item(p)},
        {"edge_weights": {"1-2": 1}},
    ),
}
"""How the authors write a puzzle, and what of it breaks a rule."""


DRAWN: dict[str, set[str]] = {
    "assiut_chess": {"rolls"},
    "cactus_search": {"vertex"},
    "chemical_synthesis": {"order"},
    "color_magic": {"order"},
    "maze_navigation": {"swap_up_down", "swap_left_right"},
    "paper_numbering": {"later"},
    # The order of neighbors is that of the edges; a test of its own holds what they are.
    "treasure_hunt": {"joined", "view"},
}
"""Columns that no line of theirs holds, by game."""


def fit_puzzle(game: str, task: Any, params: Any, puzzle: Any) -> Any:
    """Return a puzzle that their form can hold."""
    if game == "mahjong_detective":  # as many tiles as values; the form of theirs adds one of 0
        puzzle = replace(puzzle, tiles=(1, 1, 0), triplets=0, straights=0)
        alike = len(list(task.list_candidates(task.without_hidden(puzzle))))
        puzzle = replace(puzzle, terms=replace(puzzle.terms, first_luck=1 / alike))
    elif game == "rainbow_candy_factory":  # their map shows which cells have no machine
        puzzle = replace(puzzle, devices=puzzle.devices.replace("-", "R"))
    elif game == "magnetic_field_exploration":  # their numbers always mean the same
        puzzle = replace(puzzle, directions="NESW")
    else:
        return puzzle
    return task.fill_terms(params, puzzle)


def make_puzzle(game: str) -> Any:
    task: Any = task_registry.load_task(f"arcade/{game}")
    params = task.params(level=1, published=True)
    for attempt in range(50):
        try:
            fresh = task.draw_puzzle(params, Draw(("import", game), 0, attempt))
            return fit_puzzle(game, task, params, fresh)
        except Reject:
            continue
    raise AssertionError(game)


def write_items(folder: Path, game: str, lines: list[dict[str, Any]], file: str = "easy") -> None:
    (name,) = [spelled for spelled, ours in GAMES.items() if ours == game]
    path = folder / "information_query" / name / f"{file}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def read_rows(out: Path) -> dict[str, dict[str, Any]]:
    rows = [row for path in out.glob("*/*.parquet") for row in pq.read_table(path).to_pylist()]
    return {row["id"]: row for row in rows}


def read_notes(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], Path]:
    """Return the dataset of an item of each game, their puzzles, and the folder of the items."""
    root = tmp_path_factory.mktemp("authors")
    puzzles = {game: make_puzzle(game) for game in FORMS}
    for game, (form, wrong) in FORMS.items():
        good = {"question_id": 7.0, "difficulty": "easy", "turns": 15.0, **form(puzzles[game])}
        write_items(root / "items", game, [good, {**good, "question_id": "8", **wrong}])
    write_items(root / "items", "zero_finding", [{"question_id": 9}], "zero_test")
    out = root / "theirs"
    assert main(["import", "format=mtr_bench", f"dir={root / 'items'}", f"out={out}"]) == 1
    return out, puzzles, root


def test_every_game_that_is_read_is_tried() -> None:
    assert FORMS.keys() == READ.keys()
    assert READ.keys() == {
        name.partition("/")[2] for name in task_registry.task_names() if name.startswith("arcade/")
    }


@pytest.mark.parametrize("game", FORMS)
def test_the_row_is_the_puzzle(game: str, imported: tuple[Path, dict[str, Any], Path]) -> None:
    out, puzzles, _ = imported
    row = read_rows(out)[f"mtr_bench.{game}/l01/7"]
    task: Any = task_registry.load_task(f"arcade/{game}")
    puzzle = task.decode(row)
    ours = task.encode(puzzles[game])
    drawn = {"seed"} | DRAWN.get(game, set())  # What is drawn in play is drawn anew.
    if task.by_luck or game in DRAWN:
        drawn |= {"reference_turns", "reference_bits"}
    found = {name: value for name, value in task.encode(puzzle).items() if name not in drawn}
    assert found == {name: ours[name] for name in found}
    assert task.find_faults(puzzle) == []
    assert "easy.jsonl" in row["provenance"]["seed_path"]


def test_what_is_broken_is_kept_apart_with_its_reason(
    imported: tuple[Path, dict[str, Any], Path],
) -> None:
    out, _, root = imported
    broken = read_notes(Path(f"{out}.broken.jsonl"))
    items = sum(len(read_notes(path)) for path in (root / "items").rglob("*.jsonl"))
    assert len(broken) + len(read_rows(out)) == items
    reasons = {(one["file"].split("/")[1], one["id"]): one["reason"] for one in broken}
    for game in FORMS:
        (name,) = [spelled for spelled, ours in GAMES.items() if ours == game]
        assert reasons[name, "8"]
    assert "exactly one student" in reasons["AttendanceCheck", "8"]
    assert (
        "9999" in broken[[one["reason"] for one in broken].index(reasons["BitQuery", "8"])]["held"]
    )
    assert "more than one cycle" in reasons["CactusSearch", "8"]
    assert "open from one side only" in reasons["DarkMaze", "8"]
    assert "draft" in reasons["ZeroFinding", "9"]


def test_a_forest_is_the_one_of_the_edges(imported: tuple[Path, dict[str, Any], Path]) -> None:
    out, puzzles, _ = imported
    row = read_rows(out)["mtr_bench.treasure_hunt/l01/7"]
    near = [sorted(text.split()) for text in row["joined"]]
    assert near == [sorted(text.split()) for text in puzzles["treasure_hunt"].joined]
    task: Any = task_registry.load_task("arcade/treasure_hunt")
    puzzle = task.decode(row)
    assert row["view"] == task.observe(puzzle, task.start(puzzle))


def test_verify_proves_the_dataset(imported: tuple[Path, dict[str, Any], Path]) -> None:
    assert main(["verify", str(imported[0]), "all=true", "workers=1"]) == 0


def test_transcripts_are_scored_by_replay(
    imported: tuple[Path, dict[str, Any], Path], tmp_path: Path
) -> None:
    _, puzzles, root = imported
    runs = tmp_path / "runs"
    for game in ("bit_query", "tree_discovery", "hidden_number_finding", "cactus_search"):
        task: Any = task_registry.load_task(f"arcade/{game}")
        replies = task.reference(puzzles[game])
        chat = [{"role": "user", "content": "their rules"}]
        for reply in replies:
            chat += [{"role": "assistant", "content": reply}, {"role": "user", "content": "so"}]
        lost = {"question_id": 7, "model": "weak", "choices": [{"turns": ["I give up."] * 15}]}
        won = {"question_id": "7", "model_id": "strong", "messages": chat}
        write_items(runs, game, [won, lost, {"question_id": 8, "messages": chat}])
    again = tmp_path / "again"
    words = ["format=mtr_bench", f"dir={root / 'items'}", f"out={again}", f"answers={runs}"]
    assert main(["import", *words]) == 1
    refused = read_notes(Path(f"{again}.answers.broken.jsonl"))
    assert sum("draws at random" in one["reason"] for one in refused) == 4
    assert sum("no imported item" in one["reason"] for one in refused) == 4
    answers = Path(f"{again}.answers.jsonl")
    assert len(read_notes(answers)) == 4
    scores = tmp_path / "scores"
    said = [f"dataset={again}", f"predictions={answers}", f"out={scores}", "missing=ignore"]
    assert main(["score", *said]) == 0
    judged = pq.read_table(scores / "items.parquet").to_pylist()
    statuses = {(one["id"], one["model"]): one["status"] for one in judged}
    for game in ("bit_query", "tree_discovery"):
        assert statuses[f"mtr_bench.{game}/l01/7", "strong"] == "correct"
        assert statuses[f"mtr_bench.{game}/l01/7", "weak"] != "correct"


REAL: dict[str, dict[str, Any]] = {
    "dynamic_adaptation/BitGuessing/medium": {
        "question_id": "4",
        "prompt": "Let's play ...",
        "type": "Dynamic Adaptation",
        "feedback": "Indirect Value Response",
        "difficulty": "hard",
        "title": "BitGuessing",
        "answer": 77,
    },
    "information_query/BitQuery/hard": {
        "question_id": "4",
        "prompt": "Let's play ...",
        "type": "Information Query",
        "feedback": "Indirect Value Response",
        "scale": 12,
        "difficulty": "hard",
        "title": "BitQuery",
        "answer": "012345678900",
    },
    "state_operation/SafepathFinder/easy": {
        "question_id": 4,
        "prompt": "Let's play ...",
        "type": "State Operation",
        "scale": 5,
        "difficulty": "easy",
        "title": "SafepathFinder",
        "traps": [[1, 2], [2, 2], [4, 4], [5, 4]],
    },
    "state_operation/DarkMaze/easy": {
        "question_id": 4,
        "prompt": "Let's play ...",
        "type": "State Operation",
        "scale": 2,
        "difficulty": "easy",
        "title": "DarkMazeExplorer",
        "maze": {
            "size": 2,
            "rooms": {
                "1,1": {"walls": ["N", "W"]},
                "1,2": {"walls": ["N", "E"]},
                "2,1": {"walls": ["W", "S", "E"]},
                "2,2": {"walls": ["E", "S", "W"]},
            },
            "paths": [[[1, 1], [1, 2]]],
        },
    },
}
"""Lines with exactly the fields, types and oddities of the real files, by file; values are ours."""


def import_lines(root: Path, lines: dict[str, list[dict[str, Any]]]) -> tuple[int, Path]:
    for name, inside in lines.items():
        path = root / "problem" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in inside), encoding="utf-8")
    out = root / "out"
    return main(["import", "format=mtr_bench", f"dir={root / 'problem'}", f"out={out}"]), out


def test_lines_as_in_the_real_files_become_rows(tmp_path: Path) -> None:
    code, out = import_lines(tmp_path, {name: [line] for name, line in REAL.items()})
    assert code == 0
    rows = read_rows(out)
    assert (rows["mtr_bench.binary_number_guessing/l02/4"]["most"]) == 150
    assert rows["mtr_bench.bit_query/l03/4"]["array"] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0]
    assert main(["verify", str(out), "all=true", "workers=1"]) == 0


def test_where_reason_does_not_lead_the_known_way_is_the_proof(tmp_path: Path) -> None:
    """Cells 2 and 7 of a grid of 5 rows are traps: nothing that is shown tells them apart."""
    line = REAL["state_operation/SafepathFinder/easy"]
    game: Any = task_registry.load_task("arcade/safepath_finding")
    columns, _ = READ["safepath_finding"].read(line)
    puzzle = game.instance(terms=blank_terms("state_operation"), **columns)
    params = game.params(level=1, published=True)
    assert not game.play_reference(puzzle)[1]
    with pytest.raises(Reject):
        game.fill_terms(params, puzzle)
    row = game.fill_terms(params, puzzle, informed=True)
    assert game.find_faults(row) == []
    assert len(game.reference(row)) == row.terms.reference_turns == len(game.shortest_commands(row))
    walled = replace(puzzle, traps=(1, 5, 6))
    with pytest.raises(Reject):
        game.fill_terms(params, walled, informed=True)


def test_three_outcomes_are_kept_apart(tmp_path: Path) -> None:
    query = REAL["information_query/BitQuery/hard"]
    safe = REAL["state_operation/SafepathFinder/easy"]
    swapped = {"question_id": 1, "scale": 4, "difficulty": "easy", "title": "PermutationDiscovery"}
    lines = {
        "information_query/BitQuery/medium": [{**query, "scale": 8, "answer": "51890949"}],
        "state_operation/SafepathFinder/hard": [{**safe, "traps": [[1, 2], [2, 1], [2, 2]]}],
        "information_query/MinMax/easy": [
            {"question_id": 1, "answer": "55555", "min_pos": 1, "max_pos": 2, "scale": 5}
        ],
        "information_query/BitQuery/easy": [{**query, "scale": 4, "answer": None}],
        "dynamic_adaptation/BitGuessing/medium_old": [
            REAL["dynamic_adaptation/BitGuessing/medium"]
        ],
        "state_operation/MagneticField/easy_add": [safe],
        "information_query/Wordle/easy_real": [query],
        "dynamic_adaptation/PermutationDiscovery/easy": [
            {**swapped, "p": [2, 1, 4, 3], "q": [1, 2, 3, 4]},
            {**swapped, "p": [2, 3, 1], "q": [1, 2, 3]},
            {**swapped, "p": [2, 1, 4, 3], "q": [1, 2, 3, 4]},
        ],
    }
    code, out = import_lines(tmp_path, lines)
    assert code == 1
    found = {
        (one["file"].split("/", 1)[1], one["line"]): (one["outcome"], one["reason"])
        for one in read_notes(Path(f"{out}.broken.jsonl"))
    }
    outcomes = {place: outcome for place, (outcome, _) in found.items()}
    assert outcomes == {
        ("BitQuery/medium.jsonl", 1): "refuted",
        ("SafepathFinder/hard.jsonl", 1): "not proven",
        ("MinMax/easy.jsonl", 1): "not proven",
        ("BitQuery/easy.jsonl", 1): "not read",
        ("BitGuessing/medium_old.jsonl", 1): "not read",
        ("MagneticField/easy_add.jsonl", 1): "not read",
        ("Wordle/easy_real.jsonl", 1): "not read",
        ("PermutationDiscovery/easy.jsonl", 3): "not read",
    }
    assert "contains 9" in found["BitQuery/medium.jsonl", 1][1]
    assert "superseded" in found["BitGuessing/medium_old.jsonl", 1][1]
    assert set(read_rows(out)) == {
        "mtr_bench.permutation_discovery/l01/1",
        "mtr_bench.permutation_discovery/l01/1-line2",
    }


def test_items_are_counted_by_game_and_outcome(
    imported: tuple[Path, dict[str, Any], Path],
) -> None:
    counts = {one.pop("game"): one for one in count_items(imported[0])}
    spelled = {ours: name for name, ours in GAMES.items()}
    assert set(counts) == {*(spelled[game] for game in FORMS), "all"}
    # A good item and a broken one of each game; a draft is no official item.
    assert all(counts[spelled[game]]["rows"] == "1" for game in FORMS)
    assert all(counts[spelled[game]]["all"] == "2" for game in FORMS)
    assert counts["CactusSearch"]["refuted"] == "1"
    total = counts.pop("all")
    for name in OUTCOMES:
        assert int(total[name]) == sum(int(one[name]) for one in counts.values())


def test_the_guide_counts_every_official_item_of_every_game() -> None:
    *counts, total = read_counts()
    assert {one["game"] for one in counts} == set(GAMES)
    for one in (*counts, total):
        assert int(one["all"]) == sum(int(one[name]) for name in OUTCOMES)
        assert one is total or one["all"] == str(OFFICIAL)
    for name in OUTCOMES:
        assert int(total[name]) == sum(int(one[name]) for one in counts)
