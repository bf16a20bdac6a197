"""Toy tasks for tests of published datasets: one for each kind of question that an audit knows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from facelet.generators.core.measures import Accuracy, Binary, Confusion, MeanOf
from facelet.generators.core.prompts import Prompt, chat_prompt
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Claim, Column, Episode, Outcome, Reject, Status, Task
from facelet.renderers.scenes.records import CubeNet

WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("ano", "elu", "isi", "oba", "ute")]
LETTERS = "ABCD"
CLASSES = ("DOWN", "SAME", "UP")


def number_net(number: int) -> CubeNet:
    """A picture that tells the number: its hash in base six."""
    data = hashlib.blake2b(str(number).encode(), digest_size=54).digest()
    return CubeNet("".join("URFDLB"[byte % 6] for byte in data), cell=16)


@dataclass(frozen=True)
class ToyItem:
    number: int
    answer: tuple[str, ...]
    options: tuple[str, ...] = ()
    form: str = "picture"
    doublable: tuple[str, ...] = ()
    depth: int = 1


@dataclass
class ReplyEpisode(Episode):
    task: ToyQuestion
    item: ToyItem

    def prompt(self) -> Prompt:
        return self.task.build_prompt(self.item)

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
class ToyQuestion(Task[Params, ToyItem], vocabulary=True):
    """Base of the toys: a number, seen as a picture, and a question about it."""

    name: str
    columns: tuple[Column, ...]
    measures: tuple[Any, ...] = ()
    version: int = 1
    params: type[Params] = Params
    rows_per_item_: int = 1
    truth: Callable[[ToyItem], list[str]] = field(default=lambda item: [])
    question: Callable[[ToyItem], str] = field(default=lambda item: "What is it?")

    def rows_per_item(self, params: Any) -> int:
        return self.rows_per_item_

    def generate(self, params: Params, draw: Draw, resource: Any) -> list[ToyItem]:
        raise Reject("the rows of the toys are written by hand")

    def build_prompt(self, item: ToyItem) -> Prompt:
        return chat_prompt("Look well.", number_net(item.number), self.question(item))

    def open(self, item: ToyItem) -> ReplyEpisode:
        return ReplyEpisode(self, item)

    def gold_answer(self, item: ToyItem) -> str:
        return " ".join(item.answer)

    def group_key(self, item: ToyItem) -> str:
        return f"n{item.number}"

    def reference(self, item: ToyItem) -> list[str]:
        return [" ".join(item.answer)]

    def find_faults(self, item: ToyItem) -> list[str]:
        return self.truth(item)

    def claims(self, item: ToyItem) -> Sequence[Claim]:
        return (Claim("toy/depth", (("depth", item.depth), ("number", item.number))),)

    def encode(self, item: ToyItem) -> dict[str, Any]:
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

    def decode(self, row: Mapping[str, Any]) -> ToyItem:
        return ToyItem(
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


def find_choice_truth(item: ToyItem) -> list[str]:
    right = WORDS[item.number % len(WORDS)]
    if item.options.count(right) != 1:
        return [f"{item.options.count(right)} options are right"]
    if LETTERS[item.options.index(right)] != item.answer[0]:
        return [f"{item.answer[0]} is not the right letter"]
    return []


def list_options(item: ToyItem) -> str:
    lines = (f"{x}: {o}" for x, o in zip(LETTERS, item.options, strict=False))
    return "\n".join((f"Which word is {item.form} number?", *lines))


CHOICE = ToyQuestion(
    "toy/choice",
    (*BASE, OPTIONS, Column("form", "string", "modality")),
    (Accuracy(by=("form",)),),
    rows_per_item_=2,
    truth=find_choice_truth,
    question=list_options,
)
YESNO = ToyQuestion(
    "toy/yesno",
    (*BASE, Column("form", "string", "template")),
    (Binary(by=("form",)),),
    truth=lambda item: [] if item.answer[0] in ("yes", "no") else ["neither yes nor no"],
    question=lambda item: f"Does {item.form} hold? Answer yes or no.",
)
EFFECT = ToyQuestion(
    "toy/effect",
    (*BASE, OPTIONS, Column("doublable", "list<string>", "classes", role="doublable")),
    (Confusion(classes=CLASSES),),
    question=list_options,
)
READING = ToyQuestion(
    "toy/reading",
    (*BASE, Column("tokens", "list<string>", "the stickers", role="answer")),
    (MeanOf(metric="elements"),),
)
TASKS = {task.name: task for task in (CHOICE, YESNO, EFFECT, READING)}


def make_draw(name: str, offset: int, index: int) -> Draw:
    return Draw((7, name, offset), index)


def make_choice_item(index: int, offset: int = 0) -> list[ToyItem]:
    one = make_draw("choice", offset, index)
    number = offset + index
    gold = one.deal_card("gold", LETTERS)
    others = [w for w in WORDS if w != WORDS[number % len(WORDS)]]
    options = one.rng.permutation(others)[:4].tolist()
    options[LETTERS.index(gold)] = WORDS[number % len(WORDS)]
    forms = ("picture", "text")
    return [ToyItem(number, (gold,), tuple(options), form, depth=1 + number % 3) for form in forms]


def make_yesno_item(index: int, offset: int = 0) -> list[ToyItem]:
    cards = [(form, answer) for form in ("cell", "row") for answer in ("yes", "no")]
    form, answer = make_draw("yesno", offset, index).deal_card("card", cards)
    return [ToyItem(offset + index, (answer,), form=form)]


def make_effect_item(index: int, offset: int = 0) -> list[ToyItem]:
    one = make_draw("effect", offset, index)
    double, slot = one.deal_card("double", [(c, s) for c in CLASSES[1:] for s in range(4)])
    rest = one.rng.permutation([c for c in CLASSES]).tolist()
    rest.insert(slot, double)
    words = one.rng.permutation(WORDS)[:4].tolist()
    return [ToyItem(offset + index, tuple(rest), tuple(words), doublable=CLASSES[1:])]


def make_reading_item(index: int, offset: int = 0) -> list[ToyItem]:
    number = offset + index
    return [ToyItem(number, tuple(number_net(number).facelets[18:27]))]


MAKERS = {
    "toy/choice": make_choice_item,
    "toy/yesno": make_yesno_item,
    "toy/effect": make_effect_item,
    "toy/reading": make_reading_item,
}


def make_fair_cells(
    task: ToyQuestion, items: int = 64
) -> dict[tuple[str, str], list[list[ToyItem]]]:
    make = MAKERS[task.name]
    return {
        ("test", "d01"): [make(i) for i in range(items)],
        ("test", "d02"): [make(i, 10_000) for i in range(items)],
        ("train", "train-d01"): [make(i, 20_000) for i in range(items // 2)],
    }
