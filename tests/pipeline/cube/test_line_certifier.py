"""facelet certify: one answer a line, in order, whatever the line."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline import cli
from facelet.pipeline.cube import line_certifier
from facelet.pipeline.cube.certify_input import meant_as_facelets
from facelet.pipeline.cube.settings import CertifySettings
from facelet.pipeline.cube.table_cache import open_table


@pytest.fixture(scope="module")
def solver() -> ExactSolver:
    return ExactSolver(open_table("htm-small", progress=False))


def certify_text(solver: ExactSolver, text: str, **keys: object) -> list[dict[str, object]]:
    return list(line_certifier.certify_lines(io.StringIO(text), solver, CertifySettings(**keys)))  # type: ignore[arg-type]


def test_lines_are_answered_in_order_and_bad_ones_by_number(solver: ExactSolver) -> None:
    lines = ["R U R' U'", "", "bogus", SOLVED, SOLVED + "B", SOLVED[:-1] + "U", "r U", "x y2"]
    found = certify_text(solver, "\n".join(lines), workers=2)
    assert [answer["input"] for answer in found] == [line for line in lines if line]
    errors = {answer["line"]: answer["error"] for answer in found if "error" in answer}
    assert sorted(errors) == [3, 5, 6]
    assert "has 54 letters, this one has 55" in str(errors[5])
    lengths = [answer.get("optimal_length") for answer in found]
    assert lengths == [4, None, 0, None, None, 2, 0]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("text", ["M E2 S'", "R L U2 D2 F' B", "(R U R' U')3", "Rw2 y F", "U U U"])
def test_solutions_solve_and_witness_the_length(
    solver: ExactSolver, text: str, threads: int
) -> None:
    (answer,) = certify_text(solver, text, workers=threads, first_moves=True)
    solution = notation.parse_maneuver(str(answer["solution"]))
    assert moves.apply_maneuver(str(answer["facelets"]), solution) == SOLVED
    assert notation.maneuver_length(solution, "htm") == answer["optimal_length"]
    assert answer["exhausted"] == len(solution) - 1
    assert not solution or solution[0] in answer["first_moves"]  # type: ignore[operator]


def test_a_line_without_end_is_an_error_and_the_next_is_read(solver: ExactSolver) -> None:
    long = "U " * line_certifier.MAX_LINE
    found = certify_text(solver, f"{long}\nR\n", workers=1)
    assert "longer than" in str(found[0]["error"])
    assert found[1]["optimal_length"] == 1


@settings(max_examples=60)
@example("#")
@example(" # R")
@given(
    st.text(max_size=80).filter(lambda text: not set("\r\n\x0b\x0c\x1c\x1d\x1e\x85") & set(text))
)
def test_no_line_stops_the_run(solver: ExactSolver, text: str) -> None:
    found = certify_text(solver, f"{text}\nF2\n", workers=1)
    assert found[-1]["optimal_length"] == 1
    is_comment = text.lstrip().startswith("#")
    assert len(found) == 1 + (bool(text.strip()) and not is_comment)


def test_files_in_and_out_and_exit_codes(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_bytes(b"R U\n\xff\xfe\nF\n")
    words = [f"input={source}", f"output={target}", "table=small", "progress=false"]
    assert cli.main(["certify", *words]) == 1
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [line.get("optimal_length") for line in lines] == [2, None, 1]
    source.write_text("U2\n", encoding="utf-8")
    assert cli.main(["certify", *words, "metric=qtm"]) == 0
    assert json.loads(target.read_text(encoding="utf-8"))["optimal_length"] == 2


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("metric=stm", "metric=stm is not one of htm, qtm"),
        ("table=larg", "did you mean 'large'"),
        ("workers=0", "workers=0 is out of range"),
        ("input=/nowhere/x", "cannot open /nowhere/x"),
        ("depth=3", "unknown key 'depth'"),
        ("mode=quik", "did you mean 'quick'"),
        ("nodes=5", "nodes=5 needs mode=quick"),
        ("mode=quick metric=qtm", "counts half turns as one"),
        ("mode=quick first_moves=true", "first_moves=true needs mode=exact"),
        ("mode=quick nodes=0", "nodes=0 is out of range"),
    ],
)
def test_bad_words_fail_at_once(word: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["certify", *word.split()]) == 2
    assert reason in capsys.readouterr().err


def test_a_state_is_answered_without_an_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["certify", "R U R' U'", "table=small"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["input"], answer["optimal_length"]) == ("R U R' U'", 4)
    assert cli.main(["certify", "Q", "table=small"]) == 1
    assert "error" in json.loads(capsys.readouterr().out)
    assert cli.main(["certify", "R", "input=x"]) == 2
    assert "state=R and input=x: leave one of them out" in capsys.readouterr().err
    assert cli.main(["certify", "R", "U"]) == 2
    assert "unexpected argument 'U'" in capsys.readouterr().err


def test_quick_answers_bound_the_depth_and_say_that_nothing_is_proven(solver: ExactSolver) -> None:
    lines = ["R U R' U'", "bogus", "M E2 S' y", SOLVED, "F L F U' R U F2 L2 U' L' B D' B' L2 U"]
    found = list(
        line_certifier.bound_lines(io.StringIO("\n".join(lines)), CertifySettings(workers=2))
    )
    assert [answer.get("upper_bound") for answer in found] == [4, None, 6, 0, 15]
    proven = certify_text(solver, "\n".join(lines[:4]))
    for quick, exact in zip(found, proven, strict=False):
        assert quick.keys() & exact.keys() >= {"input"}
        if "error" not in quick:
            solution = notation.parse_maneuver(str(quick["solution"]))
            assert moves.apply_maneuver(str(quick["facelets"]), solution) == SOLVED
            assert quick["proven"] is False
            assert quick["upper_bound"] == len(solution) >= exact["optimal_length"]  # type: ignore


def test_a_quick_answer_is_no_longer_than_the_maneuver_it_undoes() -> None:
    word = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    (answer,) = line_certifier.bound_lines(
        io.StringIO(word), CertifySettings(mode="quick", nodes=1, workers=1)
    )
    assert answer["upper_bound"] == 20
    (longer,) = line_certifier.bound_lines(
        io.StringIO(str(answer["facelets"])), CertifySettings(mode="quick", nodes=1, workers=1)
    )
    assert longer["upper_bound"] > 20


def test_quick_answers_from_the_command_line(tmp_path: Path) -> None:
    source, target = tmp_path / "in.txt", tmp_path / "out.jsonl"
    source.write_text("R2 U\nx\n", encoding="utf-8")
    assert cli.main(["certify", f"input={source}", f"output={target}", "mode=quick"]) == 0
    lines = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
    assert [line["upper_bound"] for line in lines] == [2, 0]


SCRAMBLED = moves.apply_maneuver(SOLVED, "R U2 F' L D B2")
COLOURED = SCRAMBLED.translate(str.maketrans("URFDLB", "WRGYOB"))


@pytest.mark.parametrize("letters", ["WRGYOB", "wrgyob", "GOWBRY", "RUFDLW", "abcdef"])
def test_any_six_letters_are_named_by_their_centres(solver: ExactSolver, letters: str) -> None:
    line = SCRAMBLED.translate(str.maketrans("URFDLB", letters))
    assert meant_as_facelets(line)
    (answer,) = certify_text(solver, line)
    assert answer["input"] == line and "turned" not in answer
    assert answer["facelets"] == SCRAMBLED and answer["optimal_length"] == 6


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (" ".join(SCRAMBLED[place : place + 9] for place in range(0, 54, 9)), "has no blanks"),
        (" ".join(SCRAMBLED), "has no blanks; without them, this one has 54 letters of 54"),
        (SCRAMBLED.lower(), "upper case"),
        (SCRAMBLED.capitalize(), "upper case"),
        (SCRAMBLED[:27], "has 54 letters, this one has 27"),
        (SCRAMBLED[:9], "has 54 letters, this one has 9"),
        (SCRAMBLED + "U", "has 54 letters, this one has 55"),
        (SCRAMBLED[:20] + "X" + SCRAMBLED[21:], "'X' at index 20"),
        (SCRAMBLED[:20] + "2" + SCRAMBLED[21:], "'2' at index 20"),
        (SCRAMBLED[:20] + "'" + SCRAMBLED[21:], "at index 20"),
        (COLOURED[:20] + "X" + COLOURED[21:], "are of 7 kinds, B G O R W X Y, with WRGYOB at"),
        (COLOURED.replace("Y", "W"), "are of 5 kinds, B G O R W, with WRGWOB at the centres"),
        (COLOURED[:-1], "has 54 letters, this one has 53"),
        (" ".join(COLOURED), "has no blanks"),
    ],
)
def test_a_facelet_string_with_mistakes_is_no_maneuver(
    solver: ExactSolver, line: str, reason: str
) -> None:
    (answer,) = certify_text(solver, line)
    assert reason in str(answer["error"])


@pytest.mark.parametrize("line", ["RUF", "R U F " * 4, "RURFLDBU", "R2U'F" * 6, "URF DLB"])
def test_maneuvers_are_still_maneuvers(line: str) -> None:
    assert not meant_as_facelets(line)


DEEP = "F L F U' R' U R F2 L2 U' L' B D' B' L2 U"


def test_a_limit_answers_with_bounds(solver: ExactSolver) -> None:
    hard, easy = certify_text(solver, f"{DEEP}\nR U\n", limit=1000, workers=1)
    assert easy["optimal_length"] == 2
    assert hard["not_proven_within"] == 1000
    assert 1 < hard["lower_bound"] <= hard["upper_bound"] == 16  # type: ignore[operator]
    solution = notation.parse_maneuver(str(hard["solution"]))
    assert moves.apply_maneuver(str(hard["facelets"]), solution) == SOLVED
    state = str(hard["facelets"])
    (again,) = certify_text(solver, state, limit=1000, workers=2)
    assert again["not_proven_within"] == 1000 and "optimal_length" not in again


def test_without_order_a_slow_line_holds_nobody_up(solver: ExactSolver) -> None:
    text = "".join([f"{DEEP}\n", *["R U\n"] * 5, "bogus\n"])
    found = certify_text(solver, text, workers=2, limit=5_000_000, ordered=False)
    assert sorted(answer["line"] for answer in found) == [1, 2, 3, 4, 5, 6, 7]  # type: ignore
    assert found[-1]["line"] == 1


def test_the_limit_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.txt"
    source.write_text(f"{DEEP}\n")
    words = [f"input={source}", "table=small", "progress=false", "ordered=false"]
    assert cli.main(["certify", *words, "limit=10"]) == 1
    assert json.loads(capsys.readouterr().out)["not_proven_within"] == 10
    assert cli.main(["certify", *words, "limit=0"]) == 2


@pytest.mark.parametrize("mode", ["exact", "quick"])
def test_a_stated_depth_names_the_key_that_reads_it(mode, capsys, monkeypatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("R U F2 # 3\nR Q\n"))
    words = ["table=small"] if mode == "exact" else []
    assert cli.main(["certify", f"mode={mode}", "progress=false", *words]) == 1
    stated, other = map(json.loads, capsys.readouterr().out.splitlines())
    assert "claims=true" in stated["error"] and "claims=true" not in other["error"]
