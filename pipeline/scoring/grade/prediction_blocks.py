"""Grade a block of predictions against their rows, in any process.

The result of a block depends on the block and the dataset alone. A row is decoded once per block; a
row that returns in another block of the same process, as in a file of many samples, is kept.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from facelet.pipeline import family_modules
from facelet.pipeline.dataset.row_columns import DECODE_ERRORS, build_damage_error
from facelet.pipeline.scoring.array_types import Bools, Ints
from facelet.pipeline.scoring.column_cache import ColumnPacks
from facelet.pipeline.scoring.grade.dispositions import digest
from facelet.pipeline.scoring.grade.graded_columns import BlockColumns
from facelet.pipeline.scoring.grade.row_instances import (
    iterate_instances,
    replay_checked,
    select_replies,
)
from facelet.pipeline.scoring.grade.verdict_table import (
    FAILED,
    KindJudge,
    ReplyVerdict,
    VerdictCache,
    VerdictTable,
)
from facelet.pipeline.scoring.ingest.finish_reasons import is_failure
from facelet.pipeline.scoring.ingest.prediction import Prediction
from facelet.pipeline.scoring.ingest.prediction_batch import PredictionBatch
from facelet.pipeline.scoring.ingest.prediction_reader import REPLIED
from facelet.pipeline.scoring.ingest.reasoning_patterns import Analyser, pattern_metrics
from facelet.pipeline.scoring.paper_rule_metrics import as_published
from facelet.pipeline.scoring.row_equivalence import RowKinds

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
"""Columns of a table of replies: the row, the model, the sample, and the graded replies."""


@dataclass(frozen=True, slots=True)
class RowStretch:
    """The rows of a split, in any process.

    Attributes:
        start: number of its first row.
        count: number of its rows.
        task_name: the task that made them.
        kinds: the kinds of the rows; None if each row is graded by itself.
        packs: their columns; None if only kinds are cached yet.
    """

    first_number: int
    count: int
    task_name: str
    kinds: RowKinds | None
    packs: ColumnPacks | None

    @property
    def load_installed_task(self) -> family_modules.AnyTask:
        """The task that made the rows."""
        return family_modules.load_task(self.task_name)

    @property
    def examples(self) -> RowStretch:
        """The first row of each kind, by the number of the kind, as a stretch of its own."""
        assert self.kinds is not None
        packs = self.kinds.examples
        return RowStretch(0, packs.count, self.task_name, None, packs)

    def iterate_rows(self, numbers: Ints) -> Iterator[dict[str, object]]:
        """Yield rows, by ascending number within the stretch, as dicts of all columns."""
        assert self.packs is not None
        return self.packs.iterate_rows(numbers)

    def is_sufficient(self, batch: PredictionBatch, inside: Bools, *, keep: bool) -> bool:
        """Return whether the cached columns suffice to grade predictions for its rows.

        Args:
            batch: predictions.
            inside: (predictions,) which of them are for its rows.
            keep: whether their replies are kept, under the ids of their rows.
        """
        if self.packs is not None:
            return True
        unnamed = [place for place, identifier in enumerate(batch.ids) if keep and not identifier]
        return not inside[[*batch.others, *unnamed]].any()


@dataclass(frozen=True, slots=True)
class PredictionBlock:
    """Predictions to be graded.

    Attributes:
        batch: the predictions.
        stretches: the splits of their rows, ascending; nothing is graded of other rows.
        analyse: counts patterns of reasoning in replies; None for no counts.
        names: names of the models by code, if the replies are to be kept; else None.
        apart: ids of the rows that are not graded, if the replies are to be kept.
    """

    batch: PredictionBatch
    stretches: tuple[RowStretch, ...]
    analyse: Analyser | None = None
    names: tuple[str, ...] | None = None
    apart: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BlockJudgement:
    """The outcomes of a block.

    Attributes:
        columns: the entries, without those that were refused.
        refused: place in the block and reason of each that was, as it asks another question.
        replies: the graded replies, as REPLIES; None if there are none or no copy is kept.
    """

    columns: BlockColumns
    refused: list[tuple[int, str]]
    replies: pa.Table | None


class BlockJudge:
    """Grades blocks, one after the other."""

    def __init__(self) -> None:
        """Start without decoded rows."""
        self._met: dict[int, npt.NDArray[np.bool_]] = {}
        self._kept: dict[int, tuple[str, object]] = {}
        self._verdicts = VerdictCache()
        self._kin: dict[int, dict[int, KindJudge]] = {}

    def judge_block(self, block: PredictionBlock) -> BlockJudgement:
        """Return the outcomes of a block.

        Raises:
            ValueError: a row cannot be read back or graded; the message names it.
        """
        batch = block.batch
        work = _BlockWork([FAILED] * len(batch))
        rows, judged_too = np.array(batch.rows, dtype=np.int64), batch.is_judged()
        plain = np.ones(len(batch), dtype=bool)
        plain[list(batch.others)] = False
        for part in block.stretches:
            inside = (
                (rows >= part.first_number) & (rows < part.first_number + part.count) & judged_too
            )
            if not inside.any():
                continue  # Of hundreds of parts, few are in a block.
            if part.kinds is not None:
                self._judge_kinds(part, part.kinds, batch, np.flatnonzero(inside & plain), work)
                inside &= ~plain
            if inside.any():
                self._judge_rows(part, batch, rows, np.flatnonzero(inside), work)
        others = {
            place: work.list_judged_replies(place, one) for place, one in batch.others.items()
        }
        work.failed.update(place for place, text in enumerate(batch.texts) if is_failure(text))
        work.failed.update(k for k, own in others.items() if len(own) == 1 and is_failure(own[0]))
        for place in work.failed:
            work.verdicts[place] = FAILED
        out = {place for place, _ in work.refused}
        kept = [place for place in range(len(batch)) if place not in out]
        columns = _build_columns(batch, kept, work, block.analyse)
        replies_of = None
        if block.names is not None:
            said = [place for place in kept if judged_too[place]]
            self._load_names(block, rows, said, work)
            replies_of = _replies_table(block, said, work)
        return BlockJudgement(columns, sorted(work.refused), replies_of)

    def _judge_kinds(
        self,
        part: RowStretch,
        kinds: RowKinds,
        batch: PredictionBatch,
        places: Ints,
        work: _BlockWork,
    ) -> None:
        """Grade plain predictions for rows of which one is graded for all of its kind."""
        own = kinds.kind_codes[np.array(batch.rows, dtype=np.int64)[places] - part.first_number]
        known, texts, verdicts = (
            self._kin.setdefault(part.first_number, {}),
            batch.texts,
            work.verdicts,
        )
        for place, kind in zip(places.tolist(), own.tolist(), strict=True):
            if (kin := known.get(kind)) is None:
                ((_, name, instance),) = iterate_instances(part.examples, np.array([kind]))
                kin = known[kind] = KindJudge(
                    part.load_installed_task, name, instance, self._verdicts
                )
            verdicts[place] = kin.judge_text(texts[place])

    def _judge_rows(
        self, part: RowStretch, batch: PredictionBatch, rows: Ints, places: Ints, work: _BlockWork
    ) -> None:
        """Grade predictions row by row."""
        places_of: dict[int, list[int]] = {}
        for place, row in zip(places.tolist(), rows[places].tolist(), strict=True):
            places_of.setdefault(row, []).append(place)
        task = part.load_installed_task
        for row, name, instance in self._iterate_instances(
            part, np.array(sorted(places_of), np.int64)
        ):
            work.names[row] = name
            try:
                for place in places_of[row]:
                    prediction = batch.others.get(place)
                    replies: tuple[str, ...] = (batch.texts[place],)
                    later: tuple[tuple[str, ...], ...] = ()
                    if prediction is not None:
                        replies = work.chosen[place] = select_replies(task, instance, prediction)
                        later = prediction.later if replies is prediction.replies else ()
                    outcome, why = replay_checked(task.open(instance), replies, later)
                    if why:
                        work.refused.append((place, f"{name}: {why}"))
                        continue
                    published = as_published(task, instance, replies, outcome)
                    work.verdicts[place] = self._verdicts.intern_verdict(outcome, published)
            except DECODE_ERRORS as error:
                raise build_damage_error(name, error, "be judged") from error

    def _load_names(
        self, block: PredictionBlock, rows: Ints, places: list[int], work: _BlockWork
    ) -> None:
        """Read the missing ids of the rows of kept predictions."""
        names, ids = work.names, block.batch.ids
        names.update(block.apart)
        wanted = {int(rows[place]) for place in places if not ids[place]} - names.keys()
        unknown = np.array(sorted(wanted), dtype=np.int64)
        for part in block.stretches:
            low, high = np.searchsorted(
                unknown, (part.first_number, part.first_number + part.count)
            )
            if low == high:
                continue
            assert part.packs is not None
            id_rows = part.packs.iterate_rows(unknown[low:high] - part.first_number, ("id",))
            for row, record in zip(unknown[low:high].tolist(), id_rows, strict=True):
                names[row] = str(record["id"])

    def _iterate_instances(self, part: RowStretch, rows: Ints) -> Iterator[tuple[int, str, object]]:
        """Yield the numbers, ids and instances of rows of a part, those that are kept first."""
        kept = self._kept
        if len(kept):
            known = np.array([row in kept for row in rows.tolist()], dtype=bool)
            yield from ((row, *kept[row]) for row in rows[known].tolist())
            rows = rows[~known]
        if part.first_number not in self._met:
            self._met[part.first_number] = np.zeros(part.count, dtype=bool)
        met = self._met[part.first_number]
        again = met[rows - part.first_number].tolist()
        met[rows - part.first_number] = True
        for one, twice in zip(iterate_instances(part, rows), again, strict=True):
            if twice and len(kept) < KEPT:
                kept[one[0]] = one[1:]
            yield one


@dataclass(slots=True)
class _BlockWork:
    """The state of a block's predictions while they are graded.

    Attributes:
        verdicts: the verdict of each.
        chosen: the graded replies of a prediction, if not all are, by place.
        refused: place and reason of each that asks another question.
        names: ids by row, of rows that were read.
        failed: places of those whose reply is the message of a failed request.
    """

    verdicts: list[ReplyVerdict]
    chosen: dict[int, tuple[str, ...]] = field(default_factory=dict)
    refused: list[tuple[int, str]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)
    failed: set[int] = field(default_factory=set)

    def list_judged_replies(self, place: int, prediction: Prediction) -> tuple[str, ...]:
        """Return the graded replies of a prediction."""
        return self.chosen.get(place, prediction.replies)


def _build_columns(
    batch: PredictionBatch, kept: list[int], work: _BlockWork, analyse: Analyser | None
) -> BlockColumns:
    """Return entries with their verdicts.

    Args:
        batch: the predictions.
        kept: the places of those that are entered.
        work: their state.
        analyse: counts patterns of reasoning in replies; None for no counts.
    """
    found = BlockColumns()
    rows = [batch.rows[place] for place in kept]
    found.rows.extend(rows)
    found.models.extend([batch.models[place] for place in kept])
    found.samples.extend([batch.samples[place] for place in kept])
    judged = batch.is_judged()[kept] * np.int64(REPLIED)
    found.places.frombytes((np.asarray(batch.places)[kept] | judged).tobytes())
    table = VerdictTable([work.verdicts[place] for place in kept])
    table.enter_answers(found)
    others = {n: batch.others[place] for n, place in enumerate(kept) if place in batch.others}
    for number, prediction in others.items():
        if prediction.cut:
            found.strict[number] = False
    table.enter_metrics(found)
    found.enter_metrics({number: one.spent for number, one in others.items() if one.spent})
    table.enter_published(found)
    found.enter_metrics(_count_patterns(batch, kept, analyse))
    table.enter_golds(found, rows)
    for number, place in enumerate(kept):
        text, other = batch.texts[place], others.get(number)
        replies = (text,) if other is None else work.list_judged_replies(place, other)
        found.digests.append(digest(replies, other))
        if place in work.failed:
            found.endings.append_entry(batch.prediction_at(place), ())
        elif other is not None:
            found.endings.append_entry(other, replies)
        else:
            found.endings.add_text(text)
    return found


def _count_patterns(
    batch: PredictionBatch, kept: list[int], analyse: Analyser | None
) -> dict[int, Mapping[str, float]]:
    """Return patterns of reasoning by number of the entry, if they are counted."""
    found: dict[int, Mapping[str, float]] = {}
    for number, place in enumerate(kept):
        other = batch.others.get(place)
        if analyse is not None or (other is not None and other.patterns is not None):
            one = batch.prediction_at(place)
            found[number] = pattern_metrics(one.replies, one.patterns, analyse)
    return found


def _replies_table(block: PredictionBlock, places: list[int], work: _BlockWork) -> pa.Table | None:
    """Return the graded replies as a table; None if there are none."""
    if not places or block.names is None:
        return None
    batch, names = block.batch, block.names
    others = batch.others
    said = [
        work.list_judged_replies(place, others[place]) if place in others else (batch.texts[place],)
        for place in places
    ]
    ends = np.cumsum([0, *map(len, said)], dtype=np.int32)
    columns = (
        [batch.ids[place] or work.names[batch.rows[place]] for place in places],
        [names[batch.models[place]] for place in places],
        [batch.samples[place] for place in places],
        pa.ListArray.from_arrays(pa.array(ends), pa.array(chain.from_iterable(said), pa.string())),
    )
    return pa.table(list(columns), schema=REPLIES)


@lru_cache(maxsize=1)
def process_judge(token: str) -> BlockJudge:
    """Return the judge of this process for the outcome store of a token."""
    return BlockJudge()


def judge_block(token: str, block: PredictionBlock) -> BlockJudgement:
    """Grade a block in any process.

    Args:
        token: names the outcome store of the block.
        block: the block.
    """
    with no_collector():
        return process_judge(token).judge_block(block)


@contextmanager
def no_collector() -> Iterator[None]:
    """Turn the cycle collector off inside the block.

    A block of decoded rows is tens of thousands of objects without a cycle among them; looking for
    cycles takes as long as grading them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
