"""Toy tasks for tests of published datasets: one for each kind of question that an audit knows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from facelet.generators.core.measures import Accuracy, Binary, Confusion, MeanOf
from facelet.generators.core.prompts import Prompt, chat
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Claim, Column, Episode, Outcome, Reject, Status, Task
from facelet.renderers.scenes.records import CubeNet

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
class Reply(Episode):
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
class Toy(Task[Params, Item], vocabulary=True):
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

    def generate(self, params: Params, draw: Draw, resource: Any) -> list[Item]:
        raise Reject("the rows of the toys are written by hand")

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


def fair_cells(task: Toy, items: int = 64) -> dict[tuple[str, str], list[list[Item]]]:
    make = MAKERS[task.name]
    return {
        ("test", "d01"): [make(i) for i in range(items)],
        ("test", "d02"): [make(i, 10_000) for i in range(items)],
        ("train", "train-d01"): [make(i, 20_000) for i in range(items // 2)],
    }
