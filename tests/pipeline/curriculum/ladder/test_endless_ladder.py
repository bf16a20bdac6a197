"""Ladders without a dataset: a question for a name, batches, answers, and what is refused."""

import json
from pathlib import Path

import pytest

from facelet.pipeline.cli import main
from facelet.pipeline.curriculum.ladder.endless_ladder import (
    EndlessLadder,
    build_endless_ladder,
    grade_predictions,
    iterate_requests,
    list_endless_ladders,
)

CONFIG = "inf_bench.forward_2d_text"


@pytest.fixture(scope="module")
def ladder() -> EndlessLadder:
    return build_endless_ladder(CONFIG, 1000, 3, runs=2)


def test_ids_name_places_however_batches_spell_them(ladder: EndlessLadder) -> None:
    for place in (0, 29, 30, 29_999):
        identifier = ladder[place]
        assert ladder.find_place(identifier) == place
        assert ladder.find_place(identifier.replace("/", "-").replace(".", "-")) == place
    assert ladder[30] == f"{CONFIG}/l02/000000" and len(ladder) == 30_000
    for wrong in (f"{CONFIG}/l1001/000000", f"{CONFIG}/l01/000030", "other/l01/000000", ""):
        assert ladder.find_place(wrong) is None


def test_a_question_follows_from_its_name_alone(ladder: EndlessLadder) -> None:
    places = (0, 1, 400, 29_999)
    again = build_endless_ladder(CONFIG, 1000, 3, runs=2)
    first = [ladder.draw_instance(place).question for place in places]
    assert first == [again.draw_instance(place).question for place in reversed(places)][::-1]
    assert len({question.start for question in first}) == len(places)
    assert build_endless_ladder(CONFIG, 1000, 4, runs=2).draw_instance(0).question != first[0]
    assert [question.level for question in first] == [1, 1, 14, 1000]


def test_batches_climb_until_nothing_is_due(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Right at level 1, wrong beyond; judged by drawing the questions again."""
    ladder = build_endless_ladder(CONFIG, 1000, 3, runs=1)
    words = [f"ladder={CONFIG}", "top=1000", "seed=3", "runs=1"]
    file, answers = tmp_path / "answers.jsonl", list[str]()
    for _ in range(10):
        more = [f"predictions={file}"] if answers else []
        assert main(["next", *words, *more]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        if not lines:
            break
        for line in lines:
            place = ladder.find_place(line["custom_id"])
            assert place is not None and line["messages"][0]["role"] == "system"
            gold = ladder.draw_instance(place).question.answer
            reply = gold if "/l01/" in line["id"] else "ABCD"["BCDA".index(gold)]
            answers.append(json.dumps({"id": line["id"], "prediction": reply}))
        file.write_text("\n".join(answers) + "\n")
    assert len(answers) == 4 * 5
    assert main(["ladder", *words, f"predictions={file}", f"out={tmp_path}/l.json"]) == 0
    assert "R 2.00" in capsys.readouterr().out
    (said,) = json.loads((tmp_path / "l.json").read_text())
    assert said["mean"]["failed"]["value"] == 2 and said["missing"] == 0
    assert said["levels"] == [1, 1000] and said["floor"]["below"] < 0.02
    (found,) = list_endless_ladders(ladder, [file])
    assert sum(grade_predictions(ladder, [file])[found.model].values()) == 10


def test_different_replies_are_refused_or_resolved(ladder: EndlessLadder, tmp_path: Path) -> None:
    gold = ladder.draw_instance(0).question.answer
    other = "ABCD"["BCDA".index(gold)]
    file, name = tmp_path / "a.jsonl", ladder[0]

    def write(*samples: int) -> None:
        lines = [
            {"id": name, "prediction": reply, "sample_idx": sample}
            for reply, sample in zip((other, gold), samples, strict=True)
        ]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    write(0, 0)
    with pytest.raises(ValueError, match=r"line 2: .* duplicates=first or last"):
        grade_predictions(ladder, [file])
    for duplicates, won in (("first", False), ("last", True), ("samples", False)):
        assert list(grade_predictions(ladder, [file], duplicates)["a"].values()) == [won]
    write(1, 0)
    assert list(grade_predictions(ladder, [file])["a"].values()) == [True]


def test_what_is_no_ladder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"inf_bench\.nothing is unknown"):
        build_endless_ladder("inf_bench.nothing", 10, 0)
    with pytest.raises(ValueError, match="build a dataset of it"):
        build_endless_ladder("cube_bench.move_prediction", 10, 0)
    with pytest.raises(ValueError, match="level=1000000"):
        build_endless_ladder(CONFIG, 1_000_000, 0)
    with pytest.raises(ValueError, match="runs=0"):
        build_endless_ladder(CONFIG, 10, 0, runs=0)
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "x", "prediction": "A"}\n')
    with pytest.raises(ValueError, match="'x' is no question of"):
        list_endless_ladders(build_endless_ladder(CONFIG, 10, 0), [file])
    assert main(["next"]) == 2 and main(["ladder", f"predictions={file}"]) == 2


def test_questions_that_are_not_due_are_not_drawn(
    ladder: EndlessLadder, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn, make = list[int](), EndlessLadder.draw_instance

    def count_question(one: EndlessLadder, place: int) -> object:
        drawn.append(place)
        return make(one, place)

    monkeypatch.setattr(EndlessLadder, "draw_instance", count_question)
    (found,) = list_endless_ladders(ladder, [])
    assert len(list(iterate_requests(ladder, [found]))) == len(drawn) == 10
