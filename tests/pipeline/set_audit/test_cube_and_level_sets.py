"""Audits of cube sets and levels: planted faults are refuted, sound items hold.

All fixtures are made here, in the format of each set.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.cube.engine import moves, notation
from facelet.pipeline.cli import main
from facelet.pipeline.set_audit.audit_runner import check_item
from facelet.pipeline.set_audit.checkers import cube_replay, repeats
from facelet.pipeline.set_audit.puzzle_set import CheckBudget, SetItem
from facelet.pipeline.set_audit.set_registry import list_set_names, load_set

BUDGET = CheckBudget(1_000_000, "small")

LEVEL = """\
##########
#@       #
# $ $ $$ #
#        #
#        #
# .  . . #
#      . #
#        #
##########
##########"""


def run_audit(name: str, folder: Path, *words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    out = folder / "out"
    code = main(
        ["audit-set", name, f"folder={folder}", f"out={out}", "table=small", "workers=1", *words]
    )
    assert code in (0, 1)
    lines = [json.loads(line) for line in (out / f"{name}.jsonl").read_text().splitlines()]
    return code, {line["id"]: line for line in lines}


def test_deepcubea_finds_each_planted_fault(tmp_path: Path) -> None:
    lines = ["R U F # 3", "R R R # 3", "R U # 5", "R Q # 2", "R U", "R U F' D # 5", "D D # 1"]
    (tmp_path / "cubes.txt").write_text("\n".join(lines))
    code, found = run_audit("deepcubea", tmp_path)
    verdicts = [found[f"cubes.txt:{k}"]["verdict"] for k in range(1, len(lines) + 1)]
    assert verdicts == [
        *("holds", "refuted", "refuted", "not read", "not read", "refuted", "not proven")
    ]
    assert code == 1 and found["cubes.txt:2"]["witness"] == {"solution": "R"}
    corrections = (tmp_path / "out" / "corrections.jsonl").read_text().splitlines()
    assert json.loads(corrections[0]) == {
        **{"id": "cubes.txt:2", "field": "length", "was": 3, "is": 1},
    }
    summary = (tmp_path / "out" / "summary.md").read_text()
    assert "| test | 1 | 25.0% (4.6% to 69.9%) | 3 | 1 | 2 |" in summary


def test_a_search_that_ends_early_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "cubes.txt").write_text("F R B U' R U U R U D R F R B R' F' U' R' F' F' U R' # 22")
    code, found = run_audit("deepcubea", tmp_path, "nodes=1")
    assert code == 0 and found["cubes.txt:1"]["verdict"] == "not proven"


def test_a_checker_that_rejects_refutes_nothing() -> None:
    puzzle_set = load_set("deepcubea")
    item = SetItem("a", "test", "R R R # 3")
    assert check_item(puzzle_set, item, budget=BUDGET).verdict == "refuted"
    strict = replace(puzzle_set, confirm=lambda item, witness: False)
    finding = check_item(strict, item, budget=BUDGET)
    assert finding.verdict == "not proven" and finding.correction is None


def test_the_cube_checker_rejects_wrong_witnesses() -> None:
    confirm = load_set("deepcubea").confirm
    item = SetItem("a", "test", "R R R # 3")
    assert confirm(item, {"solution": "R"})
    for solution in ("R'", "", "U", "R R R R R", "R Q", "R2 R'"):
        assert not confirm(item, {"solution": solution}), solution


@pytest.mark.parametrize("maneuver", ["R", "U2 R' F", "L D B' U R F2", "F' B D2 L U'"])
def test_the_replayed_cube_agrees_with_the_engine(maneuver: str) -> None:
    """The order of a maneuver, and which of its powers fix each number of stickers, agree."""
    state, text = notation.SOLVED, ""
    for _ in range(12):
        state = moves.apply_maneuver(state, notation.parse_maneuver(maneuver))
        text += f" {maneuver}"
        replayed = cube_replay.replay_moves(text)
        same_side = sum(home[3:] == at[3:] for home, at in replayed.items())
        assert same_side == sum(a == b for a, b in zip(state, notation.SOLVED, strict=True))


def test_boxoban_finds_each_planted_fault(tmp_path: Path) -> None:
    levels = {
        "sound": LEVEL,
        "fewer goals": LEVEL.replace("      . ", "        "),
        "no player": LEVEL.replace("@", " "),
        "short": LEVEL.rpartition("\n")[0],
        "strange": LEVEL.replace("@", "?"),
    }
    turned = "\n".join("".join(column) for column in zip(*LEVEL.split("\n"), strict=True))
    (tmp_path / "train").mkdir()
    (tmp_path / "valid").mkdir()
    text = "\n\n".join(f"; {name}\n{level}" for name, level in levels.items())
    (tmp_path / "train" / "000.txt").write_text(text + "\n")
    (tmp_path / "valid" / "000.txt").write_text(f"; 0\n{turned}\n")
    code, found = run_audit("boxoban", tmp_path)
    verdicts = {name.partition(":")[2]: line["verdict"] for name, line in found.items()}
    assert code == 1 and verdicts == {
        "sound": "holds",
        **dict.fromkeys(("fewer goals", "no player", "short"), "refuted"),
        "strange": "not read",
        "0": "refuted",
    }
    assert found["valid/000.txt:0"]["witness"]["repeats"] == "train/000.txt:sound"


def test_the_level_checker_rejects_wrong_witnesses() -> None:
    confirm = load_set("boxoban").confirm
    item = SetItem("a", "train", LEVEL)
    for witness in (
        {"rows": 9},
        {"players": 1, "boxes": 4, "goals": 4},
        {"players": 1, "boxes": 3, "goals": 4},
    ):
        assert not confirm(item, witness), witness
    assert not repeats.is_same_grid("ab\ncd", "ab\ndc") and repeats.is_same_grid("ab\ncd", "ca\ndb")


def test_a_repeat_that_the_checker_rejects_refutes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from facelet.pipeline.set_audit import repeated_items

    for split in ("train", "valid"):
        mirrored = "\n".join(row[::-1] for row in LEVEL.split("\n"))
        (tmp_path / f"{split}.txt").write_text(f"; 0\n{LEVEL if split == 'train' else mirrored}\n")
    monkeypatch.setattr(repeated_items, "is_same_grid", lambda first, second: False)
    code, found = run_audit("boxoban", tmp_path)
    assert code == 0 and found["valid.txt:0"]["verdict"] == "not proven"


def test_a_sample_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    (tmp_path / "cubes.txt").write_text("\n".join(["R U # 2"] * 40))
    first, again, other = (
        list(run_audit("deepcubea", tmp_path, "limit=5", f"seed={seed}")[1]) for seed in (1, 1, 2)
    )
    assert len(first) == 5 and first == again != other


def test_every_set_is_listed_with_what_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit-set", "list"]) == 0
    shown = capsys.readouterr().out
    for name in list_set_names():
        one = load_set(name)
        assert f"{name}: {one.title}" in shown and one.claim_source in shown
        assert one.source and one.licence and one.claim and one.form


def test_checkers_import_nothing_of_the_program() -> None:
    folder = Path(repeats.__file__).parent
    for path in folder.glob("*.py"):
        assert "facelet" not in path.read_text(), path


def test_reasoning_gym_finds_a_repeat_between_seeds(tmp_path: Path) -> None:
    rows = [
        json.dumps({"question": f"q{k}", "answer": "1", "metadata": {"k": k}}) for k in range(4)
    ]
    moved = json.dumps({"question": "q1", "answer": "1", "metadata": {"k": 0}})
    other = json.dumps({"question": "q1", "answer": "2"})
    (tmp_path / "sums-train.jsonl").write_text("\n".join([*rows[:2], "no JSON"]))
    (tmp_path / "sums-valid.jsonl").write_text("\n".join([rows[3], moved, other]))
    code, found = run_audit("reasoning_gym", tmp_path)
    assert code == 1 and [line["verdict"] for line in found.values()] == [
        *("holds", "holds", "not read", "holds", "refuted", "holds")
    ]
    assert found["sums-valid:2"]["witness"] == {"repeats": "sums-train:2"}


def test_a_fault_of_the_check_says_nothing_of_the_set() -> None:
    def check_wrongly(item: SetItem, budget: CheckBudget) -> Any:
        raise KeyError("cell")

    broken = replace(load_set("boxoban"), check=check_wrongly)
    found = check_item(broken, SetItem("a:1", "test", LEVEL), budget=BUDGET)
    assert found.verdict == "not proven" and "the check failed: KeyError" in found.reason


def test_names_and_lengths_of_strangers_do_no_harm(tmp_path: Path) -> None:
    endless = "\n".join(["##########"] * 100_000)
    (tmp_path / "levels.txt").write_text(f"; 0\x1b[2J\u202e\n{endless}\n; 1\n{LEVEL}\n")
    code, found = run_audit("boxoban", tmp_path)
    assert code == 1
    assert [(name, one["verdict"]) for name, one in found.items()] == [
        (r"levels.txt:0\x1b[2J\u202e", "refuted"),
        ("levels.txt:1", "holds"),
    ]
    assert found[r"levels.txt:0\x1b[2J\u202e"]["witness"] == {"rows": 11}
