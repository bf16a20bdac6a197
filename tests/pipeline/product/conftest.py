"""A small dataset of toy tasks, written by the layout alone: no build has a hand in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generators.core.measures import Accuracy, Binary, Confusion, MeanOf
from generators.core.prompts import Prompt, chat
from generators.core.seeding import Draw
from generators.core.task import Claim, Column, Outcome, Status
from pipeline import reading, rows
from pipeline.features import with_features
from pipeline.hashing import hash_file, hash_sequence
from renderers.api import render_png
from renderers.scenes import CubeNet

WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("ano", "elu", "isi", "oba", "ute")]
LETTERS = "ABCD"
CLASSES = ("DOWN", "SAME", "UP")


def net(number: int) -> CubeNet:
    """A picture that tells the number: its hash in base six."""
    data = hashlib.blake2b(str(number).encode(), digest_size=54).digest()
    return CubeNet("".join("URFDLB"[byte % 6] for byte in data), cell=16)


@dataclass(frozen=True)
class Item:
    number: int
    answer: tuple[str, ...]
    options: tuple[str, ...] = ()
    form: str = "picture"
    doublable: tuple[str, ...] = ()
    depth: int = 1


@dataclass
class Reply:
    task: Toy
    item: Item

    def prompt(self) -> Prompt:
        return self.task.prompt(self.item)

    def reply(self, text: str) -> Outcome:
        answer = tuple(text.split())
        status = Status.CORRECT if answer == self.item.answer else Status.WRONG
        return Outcome(status, True, self.item.answer, answer)


@dataclass(frozen=True)
class Params:
    """Knobs of the toys."""

    depth: int = 1
    size: str = "large"


@dataclass(frozen=True)
class Toy:
    """Base of the toys: a number, seen as a picture, and a question about it."""

    name: str
    columns: tuple[Column, ...]
    measures: tuple[Any, ...] = ()
    version: int = 1
    params: type[Params] = Params
    rows_per_item_: int = 1
    truth: Callable[[Item], list[str]] = field(default=lambda item: [])
    question: Callable[[Item], str] = field(default=lambda item: "What is it?")

    def rows_per_item(self, params: Any) -> int:
        return self.rows_per_item_

    def prompt(self, item: Item) -> Prompt:
        return chat("Look well.", net(item.number), self.question(item))

    def open(self, item: Item) -> Reply:
        return Reply(self, item)

    def gold(self, item: Item) -> str:
        return " ".join(item.answer)

    def group(self, item: Item) -> str:
        return f"n{item.number}"

    def reference(self, item: Item) -> list[str]:
        return [" ".join(item.answer)]

    def check(self, item: Item) -> list[str]:
        return self.truth(item)

    def claims(self, item: Item) -> Sequence[Claim]:
        return (Claim("toy/depth", (("depth", item.depth), ("number", item.number))),)

    def encode(self, item: Item) -> dict[str, Any]:
        full = {
            "number": str(item.number),
            "answer": list(item.answer),
            "options": list(item.options),
            "form": item.form,
            "doublable": list(item.doublable),
            "tokens": list(item.answer),
            "depth": item.depth,
            "canonical": f"n{item.number}",
            "family": f"f{item.number // 2}",
        }
        return {column.name: full[column.name] for column in self.columns}

    def decode(self, row: Mapping[str, Any]) -> Item:
        return Item(
            int(row["number"]),
            tuple(row["answer"]),
            tuple(row.get("options", ())),
            row.get("form", "picture"),
            tuple(row.get("doublable", ())),
            row["depth"],
        )


BASE = (
    Column("number", "string", "the number in the picture", role="puzzle"),
    Column("answer", "list<string>", "the right answer"),
    Column("depth", "int8", "how deep it is"),
    Column("canonical", "string", "the number up to nothing", role="canonical"),
    Column("family", "string", "the number's family", role="family"),
)
OPTIONS = Column("options", "list<string>", "words to choose from", role="options")


def choice_truth(item: Item) -> list[str]:
    right = WORDS[item.number % len(WORDS)]
    if item.options.count(right) != 1:
        return [f"{item.options.count(right)} options are right"]
    if LETTERS[item.options.index(right)] != item.answer[0]:
        return [f"{item.answer[0]} is not the right letter"]
    return []


def listed(item: Item) -> str:
    lines = (f"{x}: {o}" for x, o in zip(LETTERS, item.options, strict=False))
    return "\n".join((f"Which word is {item.form} number?", *lines))


CHOICE = Toy(
    "toy/choice",
    (*BASE, OPTIONS, Column("form", "string", "modality")),
    (Accuracy(by=("form",)),),
    rows_per_item_=2,
    truth=choice_truth,
    question=listed,
)
YESNO = Toy(
    "toy/yesno",
    (*BASE, Column("form", "string", "template")),
    (Binary(by=("form",)),),
    truth=lambda item: [] if item.answer[0] in ("yes", "no") else ["neither yes nor no"],
    question=lambda item: f"Does {item.form} hold? Answer yes or no.",
)
EFFECT = Toy(
    "toy/effect",
    (*BASE, OPTIONS, Column("doublable", "list<string>", "classes", role="doublable")),
    (Confusion(classes=CLASSES),),
    question=listed,
)
READING = Toy(
    "toy/reading",
    (*BASE, Column("tokens", "list<string>", "the stickers", role="answer")),
    (MeanOf(metric="elements"),),
)
TASKS = {task.name: task for task in (CHOICE, YESNO, EFFECT, READING)}


def draw(name: str, offset: int, index: int) -> Draw:
    return Draw((7, name, offset), index)


def choice_item(index: int, offset: int = 0) -> list[Item]:
    one = draw("choice", offset, index)
    number = offset + index
    gold = one.deal("gold", LETTERS)
    others = [w for w in WORDS if w != WORDS[number % len(WORDS)]]
    options = one.rng.permutation(others)[:4].tolist()
    options[LETTERS.index(gold)] = WORDS[number % len(WORDS)]
    forms = ("picture", "text")
    return [Item(number, (gold,), tuple(options), form, depth=1 + number % 3) for form in forms]


def yesno_item(index: int, offset: int = 0) -> list[Item]:
    cards = [(form, answer) for form in ("cell", "row") for answer in ("yes", "no")]
    form, answer = draw("yesno", offset, index).deal("card", cards)
    return [Item(offset + index, (answer,), form=form)]


def effect_item(index: int, offset: int = 0) -> list[Item]:
    one = draw("effect", offset, index)
    double, slot = one.deal("double", [(c, s) for c in CLASSES[1:] for s in range(4)])
    rest = one.rng.permutation([c for c in CLASSES]).tolist()
    rest.insert(slot, double)
    words = one.rng.permutation(WORDS)[:4].tolist()
    return [Item(offset + index, tuple(rest), tuple(words), doublable=CLASSES[1:])]


def reading_item(index: int, offset: int = 0) -> list[Item]:
    number = offset + index
    return [Item(number, tuple(net(number).facelets[18:27]))]


MAKERS = {
    "toy/choice": choice_item,
    "toy/yesno": yesno_item,
    "toy/effect": effect_item,
    "toy/reading": reading_item,
}


def published(task: Toy, config: str, split: str, cell: str, items: list[list[Item]]) -> list[dict]:
    made = []
    for number, (index, item) in enumerate((i, r) for i, rs in enumerate(items) for r in rs):
        chat_, scenes = rows.messages(task.prompt(item))
        drawn = [render_png(scene) for scene in scenes]
        name = rows.row_id(config, cell, number)
        made.append(
            {
                "id": name,
                "suite": "toys",
                "task": task.name,
                "task_version": task.version,
                "split": split,
                "difficulty_axis": "level",
                "difficulty": int(cell[-2:]),
                "group": task.group(item),
                "messages": chat_,
                "images": [
                    {"bytes": png, "path": f"{name}#{k}.png"} for k, (png, _) in enumerate(drawn)
                ],
                "image_hashes": [pixels for _, pixels in drawn],
                "gold": task.gold(item),
                "canary": rows.CANARY,
                "provenance": {"generator": "facelet toy", "seed_path": f"7/{index}", "attempt": 0},
                **task.encode(item),
            }
        )
    return made


def write_config(
    out: Path, task: Toy, cells: Mapping[tuple[str, str], list[list[Item]]], per_shard: int = 37
) -> dict[str, Any]:
    """Write one config; return its part of the manifest."""
    config = f"toys.{task.name.partition('/')[2]}"
    schema = with_features(rows.schema(task.columns))
    by_split: dict[str, dict[str, list[dict]]] = {}
    for (split, cell), items in cells.items():
        by_split.setdefault(split, {})[cell] = published(task, config, split, cell, items)
    splits = {}
    for split, inside in by_split.items():
        all_rows = [row for made in inside.values() for row in made]
        pieces = [all_rows[i : i + per_shard] for i in range(0, len(all_rows), per_shard)]
        shards = []
        for number, piece in enumerate(pieces):
            path = out / config / f"{split}-{number:05d}-of-{len(pieces):05d}.parquet"
            shards.append(write_shard(out, path, piece, schema))
        splits[split] = {
            "rows": len(all_rows),
            "items": sum(len(items) for (s, _), items in cells.items() if s == split),
            "bytes": sum(shard["bytes"] for shard in shards),
            "content_hash": hash_sequence(rows.content_hash(row) for row in all_rows),
            "cells": [
                {
                    "difficulty": int(cell[-2:]),
                    "label": cell,
                    "items": len(cells[split, cell]),
                    "asked": len(cells[split, cell]),
                    "capacity": None,
                    "note": "",
                }
                for cell in inside
            ],
            "shards": shards,
        }
    return {
        "suite": "toys",
        "task": task.name,
        "task_version": task.version,
        "params": {"depth": [1, 2], "size": "small"},
        "splits": splits,
    }


def write_shard(out: Path, path: Path, piece: list[dict], schema: pa.Schema) -> dict[str, Any]:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(piece, schema), path)
    return {
        "path": path.relative_to(out).as_posix(),
        "rows": len(piece),
        "bytes": path.stat().st_size,
        "sha256": hash_file(path),
        "content_hash": hash_sequence(rows.content_hash(row) for row in piece),
    }


def write_manifest(out: Path, configs: dict[str, Any]) -> dict[str, Any]:
    """Write and return the manifest of configs that are on disk."""
    hashes = {
        (name, split): inside["content_hash"]
        for name, config in configs.items()
        for split, inside in config["splits"].items()
    }
    content = {
        "manifest_version": 1,
        "schema_version": rows.SCHEMA_VERSION,
        "name": "Toys",
        "content_hash": rows.dataset_hash(hashes),
        "plan_hash": "0" * 32,
        "profile": "smoke",
        "seed": 7,
        "splits": {"test": 1, "train": 1},
        "code_version": "0.1.0+toys",
        "libraries": {"numpy": "2"},
        "tables": {},
        "canary": rows.CANARY,
        "left_out": [],
        "configs": configs,
        "audit": {},
    }
    (out / "manifest.json").write_text(json.dumps(content, indent=1))
    return content


def fair_cells(task: Toy, items: int = 64) -> dict[tuple[str, str], list[list[Item]]]:
    make = MAKERS[task.name]
    return {
        ("test", "d01"): [make(i) for i in range(items)],
        ("test", "d02"): [make(i, 10_000) for i in range(items)],
        ("train", "train-d01"): [make(i, 20_000) for i in range(items // 2)],
    }


@pytest.fixture(scope="session")
def toys() -> SimpleNamespace:
    return SimpleNamespace(
        tasks=TASKS,
        lookup=TASKS.__getitem__,
        fair_cells=fair_cells,
        write_config=write_config,
        write_manifest=write_manifest,
        write_shard=write_shard,
        words=WORDS,
        letters=LETTERS,
        classes=CLASSES,
        replace=replace,
    )


@pytest.fixture(scope="session")
def toy_dataset(toys: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fair dataset of all toys, with its manifest. Tests copy it before they change it."""
    return build(tmp_path_factory.mktemp("toys"), items=64, per_shard=37)


@pytest.fixture(scope="session")
def small_dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with an eighth of the items, in shards of 7 rows."""
    return build(tmp_path_factory.mktemp("small"), items=8, per_shard=7)


def build(out: Path, *, items: int, per_shard: int) -> Path:
    configs = {
        f"toys.{task.name.partition('/')[2]}": write_config(
            out, task, fair_cells(task, items), per_shard
        )
        for task in TASKS.values()
    }
    write_manifest(out, configs)
    return out


@pytest.fixture(scope="session")
def tamper() -> Callable[..., None]:
    """Return a function that changes one row of a dataset on disk."""
    return _tamper


def _tamper(out: Path, name: str, change: Callable[[dict], None], *, rehash: bool) -> None:
    """Change the row of an id; with `rehash`, cover it up in every hash of the manifest."""
    manifest = reading.manifest(out)
    config = name.partition("/")[0]
    found = 0
    for split in manifest["configs"][config]["splits"].values():
        for shard in split["shards"]:
            path = out / shard["path"]
            table = pq.read_table(path)
            content = table.to_pylist()
            hit = next((row for row in content if row["id"] == name), None)
            if hit is None:
                continue
            found += 1
            change(hit)
            pq.write_table(pa.Table.from_pylist(content, table.schema), path)
            if rehash:
                shard |= {"bytes": path.stat().st_size, "sha256": hash_file(path)}
                shard["content_hash"] = hash_sequence(map(rows.content_hash, content))
    assert found == 1
    if rehash:
        hashes = {}
        for part in reading.splits(out):
            said = manifest["configs"][part.config]["splits"][part.name]
            said["content_hash"] = hash_sequence(map(rows.content_hash, part.rows(images=True)))
            hashes[part.config, part.name] = said["content_hash"]
        manifest["content_hash"] = rows.dataset_hash(hashes)
        (out / "manifest.json").write_text(json.dumps(manifest))
