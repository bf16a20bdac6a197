"""Blocks: some predictions are judged against their rows, in whichever process.

What becomes of a block depends on the block and the dataset alone. A row is decoded once a block;
one that comes again in another block of the same process, as in a file of many samples, is kept.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from facelet.generators.core.replay import replay
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline import families
from facelet.pipeline.dataset.decoding import BREAKS, damaged
from facelet.pipeline.scoring.arrays import Ints
from facelet.pipeline.scoring.as_published import as_published
from facelet.pipeline.scoring.judging.analysers import Analyser, metrics
from facelet.pipeline.scoring.judging.columns import CODE, Columns
from facelet.pipeline.scoring.judging.replaying import instances, judged, replayed
from facelet.pipeline.scoring.packs import Packs
from facelet.pipeline.scoring.taking.predictions import Prediction

KEPT = 32768
"""Most decoded rows that a process keeps from one block to the next."""

REPLIES = pa.schema(
    [
        ("id", pa.string()),
        ("model", pa.string()),
        ("sample_idx", pa.int32()),
        ("replies", pa.list_(pa.string())),
    ]
)
"""Columns of a table of replies: the row, the model, which of its samples, and what was judged."""

_FAILED = Outcome(Status.API_ERROR, strict=False)


@dataclass(frozen=True, slots=True)
class Stretch:
    """The rows of a split, for whoever judges.

    Attributes:
        start: number of its first row.
        count: number of its rows.
        task_name: the task that made them.
        packs: their columns.
    """

    start: int
    count: int
    task_name: str
    packs: Packs

    @property
    def task(self) -> families.AnyTask:
        """The task that made the rows."""
        return families.task(self.task_name)

    def rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield rows, by ascending number within the stretch, as dicts of all columns."""
        return self.packs.rows(numbers)


class Entry(NamedTuple):
    """A prediction of a block: number of its row, code of its model, what was predicted."""

    row: int
    model: int
    prediction: Prediction


@dataclass(frozen=True, slots=True)
class Block:
    """Predictions to be judged.

    Attributes:
        entries: the predictions.
        stretches: the splits that their rows are in, ascending; nothing is judged of other rows.
        analyse: counts patterns of reasoning in replies; None for nobody.
        names: names of the models by code, if the replies are to be kept; else None.
        apart: ids of the rows of which nothing is judged, if the replies are to be kept.
    """

    entries: list[Entry]
    stretches: tuple[Stretch, ...]
    analyse: Analyser | None = None
    names: tuple[str, ...] | None = None
    apart: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a block.

    Attributes:
        columns: the entries, without those that were refused.
        refused: place in the block and reason of each that was, as it asks another question.
        replies: what was judged, by REPLIES; None if nobody keeps it or there is none.
    """

    columns: Columns
    refused: list[tuple[int, str]]
    replies: pa.Table | None


class Judge:
    """Judges blocks, one after the other."""

    def __init__(self) -> None:
        """Know no row yet."""
        self._met: dict[int, npt.NDArray[np.bool_]] = {}
        self._kept: dict[int, tuple[str, object]] = {}

    def judge(self, block: Block) -> Judgement:
        """Return what became of a block.

        Raises:
            ValueError: a row cannot be read back or judged; the message names it.
        """
        places: dict[int, list[int]] = {}
        for place, (row, _, prediction) in enumerate(block.entries):
            if prediction.failure is None:
                places.setdefault(row, []).append(place)
        outcomes = [_FAILED] * len(block.entries)
        published: list[Mapping[str, float]] = [{}] * len(block.entries)
        chosen = [prediction.replies for _, _, prediction in block.entries]
        refused: list[tuple[int, str]] = []
        names: dict[int, str] = {}
        asked = np.array(sorted(places), dtype=np.int64)
        for part in block.stretches:
            low, high = np.searchsorted(asked, (part.start, part.start + part.count))
            task = part.task
            for row, name, instance in self._instances(part, asked[low:high]):
                names[row] = name
                try:
                    for place in places[row]:
                        prediction = block.entries[place].prediction
                        replies = judged(task, instance, prediction)
                        chosen[place] = replies
                        episode = task.open(instance)
                        if prediction.later and replies is prediction.replies:
                            outcomes[place], why = replayed(episode, replies, prediction.later)
                            if why:
                                refused.append((place, f"{name}: {why}"))
                                continue
                        else:
                            outcomes[place] = replay(episode, replies)
                        published[place] = as_published(task, instance, replies, outcomes[place])
                except BREAKS as error:
                    raise damaged(name, error, "be judged") from error
        out = {place for place, _ in refused}
        kept = [place for place in range(len(block.entries)) if place not in out]
        columns = _columns(
            [block.entries[place] for place in kept],
            [outcomes[place] for place in kept],
            [published[place] for place in kept],
            block.analyse,
        )
        said = [place for place in kept if block.entries[place].prediction.failure is None]
        for place in kept:
            columns.endings.add(block.entries[place].prediction, chosen[place])
        replies_of = None
        if block.names is not None:
            ids = {**names, **block.apart}
            replies_of = _replies(block, said, [chosen[place] for place in said], ids)
        return Judgement(columns, sorted(refused), replies_of)

    def _instances(self, part: Stretch, rows: Ints) -> Iterator[tuple[int, str, object]]:
        """Yield the numbers, ids and instances of rows of a part, those that are kept first."""
        kept = self._kept
        if len(kept):
            known = np.array([row in kept for row in rows.tolist()], dtype=bool)
            yield from ((row, *kept[row]) for row in rows[known].tolist())
            rows = rows[~known]
        if part.start not in self._met:
            self._met[part.start] = np.zeros(part.count, dtype=bool)
        met = self._met[part.start]
        again = met[rows - part.start].tolist()
        met[rows - part.start] = True
        for one, twice in zip(instances(part, rows), again, strict=True):
            if twice and len(kept) < KEPT:
                kept[one[0]] = one[1:]
            yield one


def _columns(
    entries: list[Entry],
    outcomes: list[Outcome],
    published: list[Mapping[str, float]],
    analyse: Analyser | None,
) -> Columns:
    """Return entries with their outcomes, and what these are under the papers' rules."""
    found = Columns()
    found.rows.extend([entry.row for entry in entries])
    found.models.extend([entry.model for entry in entries])
    found.samples.extend([entry.prediction.sample for entry in entries])
    found.statuses.extend([CODE[outcome.status] for outcome in outcomes])
    both = zip(outcomes, entries, strict=True)
    found.strict.extend([outcome.strict and not entry.prediction.cut for outcome, entry in both])
    found.answers.lengths.extend([len(outcome.answer) for outcome in outcomes])
    found.answers.codes.extend(found.codes(outcome.answer for outcome in outcomes))
    patterns: list[Mapping[str, float]] = [
        metrics(entry.prediction.replies, entry.prediction.patterns, analyse)
        if analyse is not None or entry.prediction.patterns is not None
        else {}
        for entry in entries
    ]
    found.measure([outcome.metrics for outcome in outcomes])
    found.measure([entry.prediction.spent or {} for entry in entries])
    found.measure(published)
    found.measure(patterns)
    both = zip(outcomes, entries, strict=True)
    found.learn({entry.row: outcome.gold for outcome, entry in both if outcome.gold})
    return found


def _replies(
    block: Block, places: list[int], chosen: list[tuple[str, ...]], ids: Mapping[int, str]
) -> pa.Table | None:
    """Return what was judged as a table; None if that is nothing."""
    if not places or block.names is None:
        return None
    entries = [block.entries[place] for place in places]
    columns = (
        [ids[entry.row] for entry in entries],
        [block.names[entry.model] for entry in entries],
        [entry.prediction.sample for entry in entries],
        chosen,
    )
    return pa.table(list(columns), schema=REPLIES)


@lru_cache(maxsize=1)
def _judge(token: str) -> Judge:
    """Return the judge of a process for the ledger of a name."""
    return Judge()


def judge_packed(token: str, packed: bytes) -> bytes:
    """Judge a block in a process of a crew.

    Args:
        token: names the ledger that the block is of.
        packed: the block, pickled.

    Returns:
        The judgement, pickled.
    """
    with no_collector():
        block = pickle.loads(packed)
        return pickle.dumps(_judge(token).judge(block), protocol=pickle.HIGHEST_PROTOCOL)


@contextmanager
def no_collector() -> Iterator[None]:
    """Look for no cycles meanwhile.

    A block of decoded rows is tens of thousands of objects without a cycle among them; looking for
    cycles takes as long as judging them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
