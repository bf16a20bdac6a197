"""No file crashes the scorer, hangs it, or scores above the truth."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from facelet.pipeline.scoring.render import markdown
from facelet.pipeline.scoring.render.prediction_tables import write_items
from facelet.pipeline.scoring.scorer import ScoreSettings, score

LOGS = Path(__file__).parent / "logs"
COUNT = 8
IDS = [f"toy.letters/d{1 + i % 3:02d}/{i:06d}" for i in range(COUNT)]
QUICK = ScoreSettings(resamples=100)
REFUSALS = re.compile(
    "no prediction names a row of this dataset|hold different replies"
    "|names no model, and may belong to"
)
"""What may be wrong with all of a file."""

fuzz = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

KEYS = [
    "id", "prediction", "messages", "model", "sample_idx", "error", "custom_id", "response",
    "body", "choices", "message", "content", "role", "result", "type", "text", "doc_id", "doc",
    "resps", "filtered_resps", "filter", "target", "epoch", "output", "completion", "samples",
    "eval", "status", "attachments", "status_code", "index",
]  # fmt: skip
WORDS = ["assistant", "succeeded", "text", "attachment://x", "A", "Answer: A", "none", ""]
scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(st.characters(), max_size=20)
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=6)
    ),
    max_leaves=25,
)


@pytest.fixture
def data(publish, letter_rows):
    return publish({"toy/letters": letter_rows(COUNT)})


def right_record(number):
    line = {"id": IDS[number], "prediction": f"<ANSWER>{'ABCD'[number % 4]}</ANSWER>"}
    return json.dumps(line).encode()


def score_content(data, tmp_path, content, name="p.jsonl"):
    """Return the number of correct rows, having made every output."""
    path = tmp_path / name
    path.write_bytes(content)
    try:
        scores = score(data, [path], QUICK)
    except ValueError as error:
        assert REFUSALS.search(str(error)), error
        return 0
    text = json.dumps(scores.results)
    assert json.loads(text) == scores.results
    markdown.render_document(scores.results).encode()
    markdown.render_summary(scores.results).encode()
    write_items(scores.populations, tmp_path / "items.parquet")
    best = 0.0
    for model in scores.results["models"]:
        for config in model["configs"].values():
            report = config["splits"]["test"]
            figures = report["cells"][0]["figures"]
            accuracy = figures["accuracy"]["value"]
            assert 0 <= figures["strict_accuracy"]["value"] <= accuracy <= 1
            counts = report["counts"]
            assert sum(counts.values()) - counts["duplicate"] == COUNT * report["samples_per_item"]
            best = max(best, accuracy)
    return round(best * COUNT, 6)


@fuzz
@given(content=st.binary(max_size=300))
def test_any_bytes(data, tmp_path, content):
    assert score_content(data, tmp_path, content) == 0


@fuzz
@given(
    magic=st.sampled_from([b"\x1f\x8b\x08\x00", b"PK\x03\x04", b"PAR1", b"\xef\xbb\xbf[", b"{\n"]),
    content=st.binary(max_size=300),
)
def test_any_bytes_behind_a_known_beginning(data, tmp_path, magic, content):
    assert score_content(data, tmp_path, magic + content) == 0


@fuzz
@given(records=st.lists(values, max_size=6), indent=st.sampled_from([None, 1]))
def test_any_json(data, tmp_path, records, indent):
    lines = [json.dumps(record) for record in records]
    assert score_content(data, tmp_path, "\n".join(lines).encode()) == 0
    assert score_content(data, tmp_path, json.dumps(records, indent=indent).encode(), "p.json") == 0


@fuzz
@given(
    garbage=st.dictionaries(
        st.integers(0, COUNT - 1), st.binary(max_size=60) | values.map(json.dumps), min_size=1
    ),
    first=st.booleans(),
)
def test_garbage_in_k_items_scores_at_most_the_rest(data, tmp_path, garbage, first):
    lines = [right_record(number) for number in range(COUNT)]
    for number, junk in garbage.items():
        lines[number] = junk.encode() if isinstance(junk, str) else junk
    rest = COUNT - len(garbage)
    if first:  # Where the file shows what it is, garbage takes nothing from the other items.
        lines.insert(0, b'{"id": "else", "prediction": "A"}')
        assert score_content(data, tmp_path, b"\n".join(lines)) == rest
    else:
        assert score_content(data, tmp_path, b"\n".join(lines)) <= rest


@pytest.mark.slow
@fuzz
@given(data_=st.data(), record=st.dictionaries(st.sampled_from(KEYS), values, max_size=8))
def test_an_id_alone_earns_nothing(data, tmp_path, data_, record):
    # A record that names a row, with anything but an answer in it.
    key = data_.draw(st.sampled_from(["id", "custom_id"]))
    record = {k: v for k, v in record.items() if "A" not in json.dumps(v)} | {key: IDS[0]}
    assert score_content(data, tmp_path, json.dumps(record).encode()) == 0


@fuzz
@given(
    name=st.sampled_from(sorted(p.name for p in LOGS.iterdir() if p.suffix.startswith(".json"))),
    edits=st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.sampled_from(["cut", "insert", "replace", "double"]),
            st.binary(min_size=1, max_size=4).filter(lambda b: not set(b) & set(b"Aa")),
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_mutated_logs_never_gain(data, tmp_path, name, edits):
    # Every log answers A to the one row whose letter is A; no edit can write another A, and the
    # letters B, C and D may only come to the rows where a mutation put them.
    content = bytearray((LOGS / name).read_bytes().replace(b">A<", b">Z<"))
    for place, kind, junk in edits:
        at = place % max(len(content), 1)
        if kind == "cut":
            del content[at : at + len(junk)]
        elif kind == "insert":
            content[at:at] = junk
        elif kind == "replace":
            content[at : at + len(junk)] = junk
        else:
            content[at:at] = content[at : at + 40]
    gained = score_content(data, tmp_path, bytes(content), name)
    assert gained <= len({at for at, _, junk in edits if set(junk) & set(b"BCDbcd")})


def test_bombs_are_bounded(data, tmp_path):
    lines = [
        b'{"id": "' + IDS[0].encode() + b'", "prediction": ' + b"[" * 10**6,
        b'{"id": "' + IDS[1].encode() + b'", "prediction": "' + b"<answer>" * 10**5 + b'"}',
        json.dumps({"id": IDS[2], "prediction": "A or B or " * 2 * 10**5}).encode(),
        json.dumps({"id": IDS[3], "prediction": ["x"] * 10**5}).encode(),
        json.dumps({"id": IDS[4], "prediction": " \n\t" * 10**6}).encode(),
    ]
    assert score_content(data, tmp_path, b"\n".join(lines)) == 0
