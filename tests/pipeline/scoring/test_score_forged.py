"""Records that claim more than they say: none earns more than its replies do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import score_verb as cli
from describing import read_manifest

COUNT = 8
IDS = [f"toy.letters/d{1 + k % 3:02d}/{k:06d}" for k in range(COUNT)]
RIGHT = [f"<ANSWER>{'ABCD'[k % 4]}</ANSWER>" for k in range(COUNT)]
WRONG = "<ANSWER>Z</ANSWER>"
Record = dict[str, Any]


@pytest.fixture
def data(publish: Callable[..., Path], letter_rows: Callable[..., Any]) -> Path:
    return publish({"toy/letters": letter_rows(COUNT)})


def score_records(
    data: Path, records: list[Any], *more: str
) -> tuple[int, float | None, dict[str, Any]]:
    """Return the exit code, the accuracy, and the account of a file of records."""
    path = data.with_name("p.jsonl")
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    out = data.with_name("out")
    words = [f"dataset={data}", f"predictions={path}", f"out={out}", "resamples=100", *more]
    code = cli.run_score(words)
    if code:
        return code, None, {}
    results = json.loads((out / "results.json").read_text())
    (model,) = results["models"]
    cell = model["configs"]["toy.letters"]["splits"]["test"]["cells"][0]
    return code, cell["figures"]["accuracy"]["value"], results["inputs"][0]


def wrong_record(number: int = 0, **more: Any) -> Record:
    return {"id": IDS[number], "prediction": WRONG, **more}


def right_record(number: int = 0, **more: Any) -> Record:
    return {"id": IDS[number], "prediction": RIGHT[number], **more}


CLAIMS: dict[str, Record] = {
    "answers beside the reply": {name: "A" for name in ("answer", "gold", "response", "reply")},
    "an outcome": {"outcome": {"status": "correct", "strict": True, "metrics": {"score": 1e9}}},
    "a score": {"score": 1, "correct": True, "accuracy": 1.0, "metrics": {"accuracy": 1}},
    "a row": {"doc": {"id": IDS[1], "gold": "Z"}, "row": {"gold": "Z"}, "custom": {"gold": "Z"}},
}


@pytest.mark.parametrize("name", CLAIMS)
def test_what_a_record_says_of_itself_is_not_believed(data: Path, name: str) -> None:
    code, accuracy, _ = score_records(data, [wrong_record(k, **CLAIMS[name]) for k in range(COUNT)])
    assert (code, accuracy) == (0, 0.0)


@pytest.mark.parametrize(
    "key",
    [
        *("\0" + IDS[0], IDS[0] + "\0", IDS[0] + " ", IDS[0].upper(), "\ud800", "x" * (1 << 20)),
        *(0, -1, 10**30, True, 1.0, None, [IDS[0]], {"id": IDS[0]}, "", "../" + IDS[0]),
    ],
    ids=lambda key: repr(key)[:30],
)
def test_ids_that_are_none_earn_nothing(data: Path, key: Any) -> None:
    code, accuracy, account = score_records(
        data, [wrong_record(), {"id": key, "prediction": RIGHT[0]}]
    )
    assert (code, accuracy) == (0, 0.0)
    assert account["broken"] + account["unknown_ids"] == 1


@pytest.mark.parametrize("times", [1, 5])
def test_of_several_answers_of_an_id_the_caller_says_which_counts(data: Path, times: int) -> None:
    rest = [wrong_record(k) for k in range(1, COUNT)]
    for first, last in ((wrong_record(), right_record()), (right_record(), wrong_record())):
        records = [first, *rest, *[last] * times]
        assert score_records(data, records)[0] == 1
        won = first == right_record()
        assert score_records(data, records, "duplicates=first")[:2] == (0, won / COUNT)
        assert score_records(data, records, "duplicates=last")[:2] == (0, (not won) / COUNT)


def test_a_failure_that_is_said_beside_an_answer_earns_no_second_try(data: Path) -> None:
    rest = [wrong_record(k) for k in range(1, COUNT)]
    records = [wrong_record(), *rest, {"id": IDS[0], "error": "x"}, right_record()]
    assert score_records(data, records)[0] == 1
    assert score_records(data, records, "duplicates=first")[:2] == (0, 0.0)


@pytest.mark.parametrize("sample", [-1, 2**31, 10**30, True, "1", 1.0, [], None])
def test_samples_that_are_none_earn_nothing(data: Path, sample: Any) -> None:
    code, accuracy, account = score_records(data, [wrong_record(), right_record(sample_idx=sample)])
    assert (code, accuracy) == (0, 0.0)
    assert account["broken"] == 1


def test_a_sample_that_only_one_row_has_is_one_that_others_lack(data: Path) -> None:
    """With two samples a row, an accuracy is over all 16 of 8 rows, wherever they are missing."""
    records = [wrong_record(k) for k in range(COUNT)]
    code, accuracy, _ = score_records(data, [*records, right_record(sample_idx=1)])
    assert code == 0 and accuracy == pytest.approx(1 / (2 * COUNT))
    code, accuracy, _ = score_records(data, [*records, right_record(sample_idx=7)])
    assert code == 0 and accuracy is not None and accuracy <= 1 / (2 * COUNT)


def test_the_own_hash_does_not_vouch_for_targets_of_another_build(data: Path) -> None:
    own = read_manifest(data)["configs"]["toy.letters"]["splits"]["test"]["content_hash"]
    harness = {"doc_id": 0, "resps": [[RIGHT[0]]], "filter": "none"}
    records = [
        {**harness, "doc": {"id": name, "content_hash": own, "gold": gold}}
        for name, gold in zip(IDS, "ABDC" * 2, strict=True)
    ]
    assert score_records(data, records)[0] == 1


@pytest.mark.parametrize("place", [0, 3, COUNT - 1])
def test_one_record_of_another_build_refuses_the_file_wherever_it_stands(
    data: Path, place: int
) -> None:
    own = read_manifest(data)["configs"]["toy.letters"]["splits"]["test"]["content_hash"]
    records = [right_record(k, content_hash=own) for k in range(COUNT)]
    assert score_records(data, records)[1] == 1.0
    records[place]["content_hash"] = "0" * 32
    assert score_records(data, records)[0] == 1


def test_words_of_another_role_are_no_reply(data: Path) -> None:
    roles = ("user", "system", "tool", "Assistant", "assistant ", "developer")
    chat = [{"role": role, "content": RIGHT[0]} for role in roles]
    chat += [{"role": "assistant", "content": WRONG}, {"role": "user", "content": RIGHT[0]}]
    code, accuracy, _ = score_records(data, [{"id": IDS[0], "messages": chat}])
    assert (code, accuracy) == (0, 0.0)
