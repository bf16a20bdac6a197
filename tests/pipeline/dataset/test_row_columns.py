from __future__ import annotations

import json

import pyarrow as pa
import pytest

from facelet import __version__
from facelet.generators.core.prompts import Message, PicturePart, Prompt, TextPart
from facelet.generators.core.task import Column
from facelet.pipeline.dataset.hub_features import to_features, with_features
from facelet.pipeline.dataset.row_columns import (
    COMMON_COLUMNS,
    arrow_schema,
    arrow_type,
    content_hash,
    dataset_hash,
    prompt_to_messages,
    row_hashes,
    row_id,
    without_bytes,
)
from facelet.pipeline.dataset.row_hashes import canonical_json, hash_sequence, hash_value
from facelet.renderers.scenes.records import CubeNet

COLOURS = ((255, 255, 255), (255, 0, 0), (0, 255, 0), (255, 255, 0), (255, 128, 0), (0, 0, 255))
COLUMNS = (
    Column("score", "float64", "a figure"),
    Column("marks", "list<int8>", "figures"),
    Column("note", "string", "words", optional=True),
)


def make_row(**changes):
    base = {
        "id": "s.t/d01/000000",
        "suite": "s",
        "task": "f/t",
        "task_version": 1,
        "split": "test",
        "difficulty_axis": "depth",
        "difficulty": 1,
        "group": "g",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "é?", "image": None}]},
        ],
        "images": [{"bytes": b"png", "path": "s.t/d01/000000#0.png"}],
        "image_hashes": ["aa"],
        "gold": "A",
        "canary": "c",
        "provenance": {"generator": "g", "seed_path": "[0]", "attempt": 0},
        "score": 0.1,
        "marks": [1, -2],
        "note": None,
    }
    return {**base, **changes}


def test_columns_stand_in_the_published_order():
    made = arrow_schema(COLUMNS)
    common = [name for name, _, _ in COMMON_COLUMNS]
    assert made.names == [*common, "score", "marks", "note"]
    assert common[:9] == [
        "id", "suite", "task", "task_version", "split", "difficulty_axis", "difficulty", "group",
        "messages",
    ]  # fmt: skip
    assert arrow_schema(COLUMNS, drawn=False).names == [
        name for name in made.names if name not in ("images", "image_hashes")
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([Column("gold", "string", "")], "'gold' is taken"),
        ([Column("a", "string", ""), Column("a", "string", "")], "'a' is taken"),
        ([Column("Big", "string", "")], "not lower-case snake case"),
        ([Column("a", "text", "")], "unknown column type 'text'; use bool"),
        ([Column("a", "list<list<int8>>", "")], "unknown column type"),
        ([Column("a", "list<>", "")], "unknown column type"),
    ],
)
def test_bad_columns(columns, message):
    with pytest.raises(ValueError, match=message):
        arrow_schema(columns)


@pytest.mark.parametrize(
    "name", ["bool", "int8", "int16", "int32", "int64", "float64", "string", "list<string>"]
)
def test_features_say_what_arrow_says(name):
    made = arrow_schema([Column("x", name, "")])
    arrow = to_features(made).arrow_schema
    assert arrow.field("x").type == made.field("x").type == arrow_type(name)


def test_hub_metadata_knows_the_pictures():
    made = with_features(arrow_schema(COLUMNS))
    assert made.remove_metadata() == arrow_schema(COLUMNS)
    info = json.loads(made.metadata[b"huggingface"])["info"]["features"]
    assert info["images"]["feature"]["_type"] == "Image"
    assert list(info) == made.names


def test_row_ids():
    assert row_id("cube_bench.move_prediction", "d01", 42) == (
        "cube_bench.move_prediction/d01/000042"
    )
    with pytest.raises(ValueError, match="at most 64"):
        row_id("s" * 60, "d01", 0)
    with pytest.raises(ValueError, match="letters a-z"):
        row_id("s.t", "d 1", 0)


def test_each_part_has_an_image_of_its_own_in_reading_order():
    one = CubeNet("U" * 54, COLOURS, cell=16)
    two = CubeNet("F" * 54, COLOURS, cell=16)
    parts = (TextPart("a"), PicturePart(two), PicturePart(one), PicturePart(two))
    prompt = Prompt((Message("system", (TextPart("s"),)), Message("user", parts)))
    chat, scenes = prompt_to_messages(prompt)
    assert scenes == [two, one, two]
    assert chat[0] == {
        "role": "system",
        "content": [{"type": "text", "text": "s", "image": None}],
    }
    assert [part["image"] for part in chat[1]["content"]] == [None, 0, 1, 2]
    assert [part["type"] for part in chat[1]["content"]] == ["text", "image", "image", "image"]


def test_image_bytes_are_the_only_thing_that_no_hash_sees():
    base = content_hash(make_row())
    assert (
        content_hash(make_row(images=[{"bytes": b"other", "path": "s.t/d01/000000#0.png"}])) == base
    )
    assert content_hash(make_row(images=[{"path": "s.t/d01/000000#0.png"}])) == base
    changed = {
        "id": "s.t/d01/000001",
        "image_hashes": ["ab"],
        "images": [{"bytes": b"png", "path": "x"}],
        "gold": "B",
        "messages": [],
        "provenance": {"generator": "g", "seed_path": "[0]", "attempt": 1},
        "score": 0.2,
        "marks": [1],
        "note": "",
        "task_version": 2,
    }
    hashes = [content_hash(make_row(**{name: value})) for name, value in changed.items()]
    assert base not in hashes
    assert len(set(hashes)) == len(hashes)


def test_order_of_columns_does_not_matter():
    assert content_hash(dict(reversed(list(make_row().items())))) == content_hash(make_row())


def test_hashes_of_a_table_are_those_of_its_rows():
    rows = [
        make_row(
            id=f"s.t/d01/{i:06d}", images=[{"bytes": b"x" * i, "path": str(k)} for k in range(i)]
        )
        for i in range(5)
    ]
    table = pa.Table.from_pylist(rows, schema=arrow_schema(COLUMNS))
    assert list(row_hashes(table)) == [content_hash(r) for r in rows]
    part = table.slice(2, 2)
    assert list(row_hashes(part)) == [content_hash(r) for r in rows[2:4]]
    bare = without_bytes(part).to_pylist()
    assert [[image["path"] for image in r["images"]] for r in bare] == [["0", "1"], ["0", "1", "2"]]


def test_dataset_hash_depends_on_names_and_not_on_their_order():
    parts = {("a", "test"): "00", ("b", "test"): "01"}
    assert dataset_hash(parts) == dataset_hash(dict(reversed(parts.items())))
    assert dataset_hash(parts) != dataset_hash({("a", "test"): "01", ("b", "test"): "00"})
    assert dataset_hash(parts) != dataset_hash({("a", "test"): "00", ("b", "dev"): "01"})


def test_sequence_hash_depends_on_order():
    assert hash_sequence(["00", "01"]) != hash_sequence(["01", "00"])
    assert hash_sequence([]) != hash_sequence(["00"])


def test_canonical_json_has_one_spelling():
    assert canonical_json({"b": (1, None), "a": "é"}) == '{"a":"\\u00e9","b":[1,null]}'
    assert hash_value({"a": 1}) != hash_value({"a": "1"}) != hash_value({"a": 1.0})
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json(float("nan"))


def test_version_is_the_packages():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert project["project"]["version"] == __version__
