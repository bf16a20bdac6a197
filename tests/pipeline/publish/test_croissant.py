"""The Croissant file holds what the Hub's own leaves out, and points at what there is."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
from describing import read_manifest

from facelet.pipeline.card.dataset_card import build_datasheet
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.dataset.manifest_file import manifest_from_json
from facelet.pipeline.dataset.row_hashes import hash_file
from facelet.pipeline.publish.croissant import render_croissant
from facelet.pipeline.publish.dataset_diff import parse_version

HUB = "https://hub.example"


def test_every_reference_is_to_something(builds: Path) -> None:
    out = builds / "a"
    manifest = dataset_reader.read_manifest(out)
    held = json.loads(render_croissant(out, manifest, "org/name", parse_version("1.2.0"), HUB))
    assert held["version"] == "1.2.0" and manifest.content_hash in held["citeAs"]
    assert held["url"] == f"{HUB}/datasets/org/name"
    named = [item["@id"] for item in held["distribution"]]
    assert len(set(named)) == len(named)
    shards = {item["@id"]: item for item in held["distribution"] if "contentSize" in item}
    assert set(shards) == {
        path.relative_to(out).as_posix() for path in dataset_reader.shard_paths(out)
    }
    for path, item in shards.items():
        assert item["sha256"] == hash_file(out / path)
        assert item["contentSize"] == f"{(out / path).stat().st_size} B"
        assert item["contentUrl"] == f"{HUB}/datasets/org/name/resolve/v1.2.0/{path}"
    (records,) = held["recordSet"]
    schema = pq.read_schema(dataset_reader.shard_paths(out)[0])
    assert records["@id"] == "toys.count"
    columns = [field["source"]["extract"]["column"] for field in records["field"]]
    assert len(set(columns)) == len(columns) and set(columns) <= set(schema.names)
    assert set(schema.names) - set(columns) == {"messages", "provenance"}
    for field in records["field"]:
        assert field["source"]["fileSet"]["@id"] in named
        kind = str(schema.field(field["source"]["extract"]["column"]).type)
        assert field.get("repeated", False) is kind.startswith("list")
    kinds = {field["@id"]: field["dataType"] for field in records["field"]}
    assert kinds["toys.count/images"] == "sc:ImageObject"
    assert kinds["toys.count/difficulty"] == "sc:Integer"


def test_the_datasheet_stands_in_both(builds: Path) -> None:
    out = builds / "a"
    manifest = dataset_reader.read_manifest(out)
    held = json.loads(render_croissant(out, manifest, "org/name", parse_version("1.2.0"), HUB))
    card = (out / "README.md").read_text()
    stated = build_datasheet(manifest, [])
    assert len(stated) >= 6
    for statement in stated:
        assert held[statement.rai] == statement.text
        assert f"- **{statement.heading}.** {statement.text}" in card


def test_the_datasheet_says_where_it_ends(builds: Path) -> None:
    manifest = read_manifest(builds / "a")
    config = manifest["configs"]["toys.count"]
    told = {
        s.heading: s.text
        for s in build_datasheet(manifest_from_json(manifest), ["People score 3."])
    }
    assert "fewer puzzles than were asked for" not in told["Known limits"]
    assert told["How people do"] == "People score 3."
    config["splits"]["test"]["cells"][0]["asked"] = 999
    config["splits"]["train"] = config["splits"]["test"]
    manifest["left_out"] = ["x"]
    told = {s.heading: s.text for s in build_datasheet(manifest_from_json(manifest), [])}
    assert "requested in toys.count" in told["Known limits"]
    assert "configs were left out" in told["Known limits"]
    assert "The splits named train" in told["Intended use"]
