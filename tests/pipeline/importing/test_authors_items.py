"""Items of other authors: each form is written by hand here, from puzzles whose columns are known.

So a reader is held against a writer that shares nothing with it, and what it reads must be the very
puzzle. One item of each game breaks a rule, and is kept apart with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from facelet.generators.core import registry
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.cli import main
from facelet.pipeline.papers.evolarena.item_names import GAMES
from facelet.pipeline.papers.evolarena.items import READERS

ROOT = Path(__file__).parents[3]

Form = Callable[[Any], dict[str, Any]]


def maxima(puzzle: Any) -> dict[str, Any]:
    lists: dict[str, list[int]] = {f"S{i + 1}": [] for i in range(puzzle.lists)}
    for place, owner in enumerate(puzzle.owners, 1):
        if owner:
            lists[f"S{owner}"].append(place)
    left = [
        max(number for place, number in enumerate(puzzle.array, 1) if place not in inside)
        for inside in lists.values()
    ]
    return {"array": list(puzzle.array), "subsets": lists, "answer": left}


def furthest(numbers: tuple[int, ...]) -> list[int]:
    pairs = [(a ^ b, i, j) for i, a in enumerate(numbers) for j, b in enumerate(numbers) if i < j]
    return list(max(pairs)[1:])


def zero(puzzle: Any) -> dict[str, Any]:
    places = [place for place, bit in enumerate(puzzle.bits, 1) if bit == "0"]
    bits = [int(bit) for bit in puzzle.bits]
    return {"list": bits, "k": puzzle.rank, "answer": places[puzzle.rank - 1]}


FORMS: dict[str, tuple[Form, dict[str, Any]]] = {
    "attendance_check": (
        lambda p: {"answer": [int(i != p.absent) for i in range(1, p.students + 1)]},
        {"answer": [1, 0, 0, 1]},
    ),
    "binary_number_guessing": (lambda p: {"scale": p.most, "answer": p.number}, {"answer": 10**5}),
    "bit_compare": (
        lambda p: {"list": list(p.numbers), "answer": furthest(p.numbers)},
        {"answer": [0, 0]},
    ),
    "bit_query": (
        lambda p: {"scale": p.size, "answer": " ".join(map(str, p.array))},
        {"answer": "9 9 9 9"},
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
    "guess_max": (maxima, {"answer": [1]}),
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
    "zero_finding": (zero, {"answer": 1000}),
}
"""How the authors write a puzzle, and what of it breaks a rule."""


def puzzle_of(game: str) -> Any:
    task: Any = registry.task(f"arcade/{game}")
    params = task.params(level=1, published=True)
    for attempt in range(50):
        try:
            return task.fresh(params, Draw(("import", game), 0, attempt))
        except Reject:
            continue
    raise AssertionError(game)


def write(folder: Path, game: str, lines: list[dict[str, Any]], file: str = "easy") -> None:
    (name,) = [spelled for spelled, ours in GAMES.items() if ours == game]
    path = folder / "information_query" / name / f"{file}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def rows_of(out: Path) -> dict[str, dict[str, Any]]:
    rows = [row for path in out.glob("*/*.parquet") for row in pq.read_table(path).to_pylist()]
    return {row["id"]: row for row in rows}


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], Path]:
    """Return the dataset of an item of each game, their puzzles, and the folder of the items."""
    root = tmp_path_factory.mktemp("authors")
    puzzles = {game: puzzle_of(game) for game in FORMS}
    for game, (form, wrong) in FORMS.items():
        good = {"question_id": 7.0, "difficulty": "easy", "turns": 15.0, **form(puzzles[game])}
        write(root / "items", game, [good, {**good, "question_id": "8", **wrong}])
    write(root / "items", "cactus_search", [{"question_id": 1, "difficulty": "easy", "graph": {}}])
    write(root / "items", "zero_finding", [{"question_id": 9}], "zero_test")
    out = root / "theirs"
    assert main(["import", "format=mtr_bench", f"dir={root / 'items'}", f"out={out}"]) == 1
    return out, puzzles, root


def test_every_game_that_is_read_is_tried() -> None:
    assert FORMS.keys() == READERS.keys()
    guide = (ROOT / "conf" / "docs" / "import.md").read_text(encoding="utf-8")
    assert all((name in guide) == (game in READERS) for name, game in GAMES.items())
    assert set(GAMES.values()) == {
        name.partition("/")[2] for name in registry.names() if name.startswith("arcade/")
    }


@pytest.mark.parametrize("game", FORMS)
def test_the_row_is_the_puzzle(game: str, imported: tuple[Path, dict[str, Any], Path]) -> None:
    out, puzzles, _ = imported
    row = rows_of(out)[f"mtr_bench.{game}/l01/7"]
    task: Any = registry.task(f"arcade/{game}")
    puzzle = task.decode(row)
    ours = task.encode(puzzles[game])
    drawn = {"seed"}  # What is drawn in play is drawn anew.
    if task.by_luck:
        drawn |= {"reference_turns", "reference_bits"}
    found = {name: value for name, value in task.encode(puzzle).items() if name not in drawn}
    assert found == {name: ours[name] for name in found}
    assert task.check(puzzle) == []
    assert "easy.jsonl" in row["provenance"]["seed_path"]


def test_what_is_broken_is_kept_apart_with_its_reason(
    imported: tuple[Path, dict[str, Any], Path],
) -> None:
    out, _, root = imported
    broken = told(Path(f"{out}.broken.jsonl"))
    items = sum(len(told(path)) for path in (root / "items").rglob("*.jsonl"))
    assert len(broken) + len(rows_of(out)) == items
    reasons = {(one["file"].split("/")[1], one["id"]): one["reason"] for one in broken}
    for game in FORMS:
        (name,) = [spelled for spelled, ours in GAMES.items() if ours == game]
        assert reasons[name, "8"]
    assert "exactly one student" in reasons["AttendanceCheck", "8"]
    assert (
        "9 9 9 9"
        in broken[[one["reason"] for one in broken].index(reasons["BitQuery", "8"])]["held"]
    )
    assert "these are: attendance_check" in reasons["CactusSearch", "1"]
    assert "draft" in reasons["ZeroFinding", "9"]


def test_verify_proves_the_dataset(imported: tuple[Path, dict[str, Any], Path]) -> None:
    assert main(["verify", str(imported[0]), "all=true", "workers=1"]) == 0


def test_transcripts_are_scored_by_replay(
    imported: tuple[Path, dict[str, Any], Path], tmp_path: Path
) -> None:
    _, puzzles, root = imported
    runs = tmp_path / "runs"
    for game in ("bit_query", "tree_discovery", "hidden_number_finding"):
        task: Any = registry.task(f"arcade/{game}")
        replies = task.reference(puzzles[game])
        chat = [{"role": "user", "content": "their rules"}]
        for reply in replies:
            chat += [{"role": "assistant", "content": reply}, {"role": "user", "content": "so"}]
        lost = {"question_id": 7, "model": "weak", "choices": [{"turns": ["I give up."] * 15}]}
        won = {"question_id": "7", "model_id": "strong", "messages": chat}
        write(runs, game, [won, lost, {"question_id": 8, "messages": chat}])
    again = tmp_path / "again"
    words = ["format=mtr_bench", f"dir={root / 'items'}", f"out={again}", f"answers={runs}"]
    assert main(["import", *words]) == 1
    refused = told(Path(f"{again}.answers.broken.jsonl"))
    assert sum("draws at random" in one["reason"] for one in refused) == 2
    assert sum("no imported item" in one["reason"] for one in refused) == 3
    answers = Path(f"{again}.answers.jsonl")
    assert len(told(answers)) == 4
    scores = tmp_path / "scores"
    said = [f"dataset={again}", f"predictions={answers}", f"out={scores}", "missing=ignore"]
    assert main(["score", *said]) == 0
    judged = pq.read_table(scores / "items.parquet").to_pylist()
    statuses = {(one["id"], one["model"]): one["status"] for one in judged}
    for game in ("bit_query", "tree_discovery"):
        assert statuses[f"mtr_bench.{game}/l01/7", "strong"] == "correct"
        assert statuses[f"mtr_bench.{game}/l01/7", "weak"] != "correct"
