"""A family of one task and one resource, for tests of the pipeline: no cube, no solver.

The puzzle is a net of stickers with some white ones; the question is how many. Numbers of white
stickers come from a pool; depth 3 has fewer of them than anyone asks for. TOY_PAUSE (seconds) slows
every shard down, so that a test can kill a build in its middle. TOY_LEADER (a process id) makes
every other process that would make a shard die, as for lack of memory. TOY_KILL_ONCE (a path) makes
the first process that would make a shard die, once: it leaves the file behind.
"""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import pyarrow as pa

from facelet.generators.core.chance_level import ExactChance
from facelet.generators.core.prompts import chat_prompt
from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import (
    Column,
    Difficulty,
    Episode,
    Need,
    Outcome,
    Reject,
    Status,
    Task,
)
from facelet.pipeline.resource_providers import ResourcePool
from facelet.renderers.scenes.records import CubeNet

COLOURS = ((255, 255, 255), (255, 0, 0), (0, 255, 0), (255, 255, 0), (255, 128, 0), (0, 0, 255))
CAPACITY = {3: 7}


def pause_worker():
    time.sleep(float(os.environ.get("TOY_PAUSE", "0")))
    if os.environ.get("TOY_LEADER", str(os.getpid())) != str(os.getpid()):
        os.kill(os.getpid(), signal.SIGKILL)
    if mark := os.environ.get("TOY_KILL_ONCE"):
        try:
            os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class ToyParams:
    depth: int = 1
    metric: str = "htm"
    shape: str = "net"
    weights: tuple[int, ...] = (1, 2)

    def validate(self):
        if not 1 <= self.depth <= 9:
            raise ValueError(f"depth={self.depth} is out of range; allowed: 1 to 9")

    def difficulty(self):
        return Difficulty("toy_depth", self.depth, f"d{self.depth:02d}")


@dataclass(frozen=True)
class Toy:
    facelets: str
    options: tuple[str, ...]
    gold: str
    view: str


class ToyEpisode(Episode):
    def __init__(self, toy):
        self.toy = toy

    def prompt(self):
        options = " ".join(f"{x}) {o}" for x, o in zip("ABCD", self.toy.options, strict=True))
        parts = [f"How many stickers are white? {options}"]
        if self.toy.view == "image":
            parts.insert(0, CubeNet(self.toy.facelets, COLOURS, cell=16))
        else:
            parts.insert(0, self.toy.facelets)
        return chat_prompt("Answer with one letter.", *parts)

    def reply(self, text):
        status = Status.CORRECT if text == self.toy.gold else Status.WRONG
        return Outcome(status, strict=True, gold=(self.toy.gold,), answer=(text,))


class ToyTask(Task[ToyParams, Toy]):
    name = "toy/count"
    version = 1
    params = ToyParams
    columns = (
        Column("facelets", "string", "the net"),
        Column("options", "list<string>", "the options", role="options"),
        Column("view", "string", "image or text"),
        Column("remark", "string", "never filled", optional=True),
    )

    def needs(self, params):
        return Need("toy/numbers", (("depth", params.depth),))

    def rows_per_item(self, params):
        return 2

    def chance_level(self, params):
        return ExactChance(1 / 4)

    def blind_limit(self, params):
        return None

    def generate(self, params, draw, resource):
        if draw.rng.random() < 0.2:
            raise Reject("bad luck")
        number = resource.numbers[draw.index]
        letters = ["U"] * number + [str(x) for x in draw.rng.choice(list("RFDLB"), 54 - number)]
        facelets = "".join(letters[int(i)] for i in draw.rng.permutation(54))
        gold = draw.deal_card("gold", "ABCD")
        others = [n for n in range(1, 30) if n != number]
        wrong = [str(n) for n in draw.rng.choice(others, 4, replace=False)]
        wrong["ABCD".index(gold)] = str(number)
        return [Toy(facelets, tuple(wrong), gold, view) for view in ("image", "text")]

    def open(self, instance) -> ToyEpisode:
        return ToyEpisode(instance)

    def gold_answer(self, instance):
        return instance.gold

    def group_key(self, instance):
        return instance.facelets

    def reference(self, instance):
        return [instance.gold]

    def find_faults(self, instance):
        right = instance.options["ABCD".index(instance.gold)]
        return [] if right == str(instance.facelets.count("U")) else ["the gold option is wrong"]

    def encode(self, instance):
        return {
            "facelets": instance.facelets,
            "options": list(instance.options),
            "view": instance.view,
            "remark": None,
        }

    def decode(self, row):
        facelets, options = row["facelets"], tuple(row["options"])
        white = str(facelets.count("U"))
        gold = next((x for x, o in zip("ABCD", options, strict=True) if o == white), "")
        return Toy(facelets, options, gold, row["view"])


@dataclass(frozen=True)
class ToyNumbers:
    numbers: tuple[int, ...]

    @property
    def capacity(self):
        return len(self.numbers)


class NumbersProvider:
    sources = ("toy_family",)
    chunk = 10

    def plan(self, requests, world):
        made = {}
        for request in requests:
            args = (*request.need.args, ("seed", world.seed), ("split", request.split))
            count = max(
                r.count for r in requests if (r.need, r.split) == (request.need, request.split)
            )
            args += (("count", count),)
            key = f"toy/d{dict(args)['depth']:02d}-{request.split}"
            made[request] = ResourcePool(key, "toy/numbers", args, -(-count // self.chunk))
        return made

    def tables(self, pools):
        return {"toy-table": "00"}

    def prepare(self, pools, told, progress):
        pass

    def make(self, pool, chunk, told):
        pause_worker()
        args = dict(pool.args)
        first = chunk * self.chunk
        stop = min(first + self.chunk, args["count"], CAPACITY.get(args["depth"], 10**6))
        rngs = [
            make_generator(args["seed"], args["split"], args["depth"], i)
            for i in range(first, stop)
        ]
        return pa.table({"n": pa.array([int(r.integers(1, 30)) for r in rngs], pa.int32())})

    def merge(self, pool, parts, told):
        return pa.concat_tables(parts)

    def load(self, pool, table):
        return ToyNumbers(tuple(table["n"].to_pylist()))

    def shortfall(self, pool, resource):
        return f"only {resource.capacity} numbers"


TASK = ToyTask()
PROVIDER = NumbersProvider()
