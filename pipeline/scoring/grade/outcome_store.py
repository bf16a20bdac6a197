"""Store the outcome of every prediction, in columns that stay small for millions of them.

Predictions are graded in blocks, in the order of their rows, and their texts are dropped as soon as
they are graded. Workers grade several blocks at once; the outcomes are stored in the order of the
predictions, so they do not depend on the workers.
"""

from __future__ import annotations

import pickle
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex

import numpy as np
import pyarrow as pa

from facelet.generators.core.replay import replay
from facelet.pipeline.dataset.row_columns import catch_decode_errors
from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.grade.graded_columns import EntryColumns
from facelet.pipeline.scoring.grade.prediction_blocks import (
    BlockJudgement,
    PredictionBlock,
    RowStretch,
    judge_block,
)
from facelet.pipeline.scoring.grade.row_instances import SplitRows, iterate_instances
from facelet.pipeline.scoring.grade.worker_result import (
    ShareContext,
    ShareResult,
    judge_share,
)
from facelet.pipeline.scoring.ingest.file_spans import Share
from facelet.pipeline.scoring.ingest.prediction import Prediction
from facelet.pipeline.scoring.ingest.prediction_batch import PredictionBatch
from facelet.pipeline.scoring.ingest.prediction_reader import FILE_BITS, ReadSettings
from facelet.pipeline.scoring.ingest.reasoning_patterns import Analyser
from facelet.pipeline.scoring.scored_dataset import ScoredDataset, ScoredSplit
from facelet.pipeline.scoring.worker_pool import WorkerPool

BLOCK = 8192
"""Most predictions of a block."""

BLOCK_TEXT = 4 << 20
"""Most characters of replies of a block."""

Keep = Callable[[pa.Table], None]
"""Receives the replies of a block, as facelet.pipeline.scoring.grade.prediction_blocks.REPLIES."""

Refusers = Mapping[int, Callable[[str], None]]
"""Receivers of the reason why a prediction is refused, by its place in its block."""


@dataclass(kw_only=True)
class OutcomeStore(EntryColumns):
    """All entries, in the order of the predictions.

    Attributes:
        dataset: the dataset being scored.
        analyse: counts patterns of reasoning in replies; None for no counts.
        keep: receives the replies of each block once they are graded; None for no copy.
        names: returns names of the models by code, for the kept replies.
        crew: the processes that grade.
        how: how predictions are read, for shares.
    """

    dataset: ScoredDataset
    analyse: Analyser | None = None
    keep: Keep | None = None
    names: Callable[[], tuple[str, ...]] = tuple
    crew: WorkerPool = field(default_factory=WorkerPool)
    how: ReadSettings | None = None

    def __post_init__(self) -> None:
        self._block = PredictionBatch()
        self._text = 0
        self._has_gold = bytearray(self.dataset.row_count)
        self._token = token_hex(8)
        self._waiting: deque[Callable[[], None]] = deque()
        self._ground: ShareContext | Path | None = None
        self._ready: dict[int, RowStretch] = {}

    def add_prediction(self, row: int, model: int, prediction: Prediction, place: int) -> None:
        """Add a prediction for a row; it is graded with the rest of its block.

        Args:
            row: number of the row.
            model: code of the model.
            prediction: the prediction.
            place: where it was read.
        """
        if len(self._block) >= BLOCK or self._text >= BLOCK_TEXT:
            self._start_block()
        self._block.add_prediction(row, model, prediction, place)
        self._text += sum(map(len, prediction.replies))
        if prediction.later:
            self._text += sum(len(text) for texts in prediction.later for text in texts)

    def flush_blocks(self) -> None:
        """Grade and enter what was added and not yet entered."""
        if self._block:
            self._start_block()
        self.drain_pending()

    def drain_pending(self) -> None:
        """Wait for all submitted jobs, and enter their results."""
        while self._waiting:
            self._waiting.popleft()()

    def _start_block(self) -> None:
        """Submit the current block for grading, and begin another.

        An episode whose record has other user messages than its replay is refused. Nothing is
        graded of a part whose task cannot be loaded here, and none of it is reported.
        """
        batch, self._block, self._text = self._block, PredictionBatch(), 0
        refusers: dict[int, Callable[[str], None]] = {}
        for place, prediction in batch.others.items():
            if prediction.refuse is not None:
                refusers[place] = prediction.refuse
                batch.others[place] = prediction._replace(refuse=None)
        block = self._make_block(batch)
        wait = self.crew.submit_job(judge_block, self._token, block)
        self._queue_entry(lambda: self._enter_judgement(wait(), refusers))

    def _queue_entry(self, enter: Callable[[], None]) -> None:
        """Queue a result to be entered after all earlier ones."""
        self._waiting.append(enter)
        while len(self._waiting) >= self.crew.queue_limit:
            self._waiting.popleft()()

    def add_share(self, share: Share) -> None:
        """Submit a share of a file; one process reads and grades it."""
        if self._block:
            self._start_block()
        for row in share.rows:
            self._prepare_part(self.dataset.parts[self.dataset.part_of(row)])
        wait = self._submit_share(share)
        self._queue_entry(lambda: self._enter_share(share, wait))

    def _submit_share(self, share: Share) -> Callable[[], ShareResult]:
        """Submit a share, and return a function that waits for its result."""
        if self._ground is None:
            self._ground = self._build_context()
        job = self._ground, self._token, share.span, share.default, tuple(self._ready.values())
        return self.crew.submit_job(judge_share, *job)

    def _build_context(self) -> ShareContext | Path:
        """Return what all shares have in common; with other processes, the file of it."""
        assert self.how is not None
        alone = self.crew.count == 1
        dataset = self.dataset if alone else self.dataset.for_worker()
        context = ShareContext(dataset, self.how, self.analyse, self.keep is not None)
        if alone:
            return context
        path = self.dataset.parts[0].scratch.file_path("ground")
        path.write_bytes(pickle.dumps(context, protocol=pickle.HIGHEST_PROTOCOL))
        return path

    def _prepare_part(self, part: ScoredSplit, *, rows: bool = False) -> None:
        """Cache what grading a part needs, once the part is verified.

        Args:
            part: the part.
            rows: whether all of its rows are needed; if one is graded for all of its kind, they
                seldom are.
        """
        ready = self._ready.get(part.first_number)
        if part.unavailable_reason or (ready is not None and (ready.packs is not None or not rows)):
            return
        packs = part.column_packs if rows or part.row_kinds is None else None
        stretch = RowStretch(part.first_number, part.count, part.task_name, part.row_kinds, packs)
        self._ready = dict(sorted((self._ready | {part.first_number: stretch}).items()))

    def _enter_share(self, share: Share, wait: Callable[[], ShareResult]) -> None:
        """Enter a share, once it is graded.

        Args:
            share: the share.
            wait: waits for its result.
        """
        answer = wait()
        while answer.parts:
            for place in answer.parts:
                part = self.dataset.parts[place]
                self._prepare_part(part, rows=part.first_number in self._ready)
            answer = self._submit_share(share)()
        if (codes := share.take(answer.report)) is None:
            # Only later shares are waiting, and their predictions will be yielded again.
            self._waiting.clear()
            return
        assert answer.judgement is not None
        columns = answer.judgement.columns
        mine = np.array(codes, dtype=np.int32)
        columns.models = array("i", mine[np.array(columns.models, np.int32)].tobytes())
        places = np.array(columns.places, np.int64) + (share.file << FILE_BITS)
        columns.places = array("q", places.tobytes())
        self._enter_judgement(answer.judgement, {})

    def _make_block(self, batch: PredictionBatch) -> PredictionBlock:
        """Return predictions as a block."""
        rows = np.array(batch.rows, dtype=np.int64)
        asked = np.unique(rows[batch.is_judged()])
        stretches: list[RowStretch] = []
        apart: dict[int, str] = {}
        for part in self.dataset.parts:
            low, high = np.searchsorted(asked, (part.first_number, part.first_number + part.count))
            if low == high:
                continue
            if not part.unavailable_reason:
                self._prepare_part(part)
                inside = (rows >= part.first_number) & (rows < part.first_number + part.count)
                if not self._ready[part.first_number].is_sufficient(
                    batch, inside, keep=self.keep is not None
                ):
                    self._prepare_part(part, rows=True)
                stretches.append(self._ready[part.first_number])
            elif self.keep is not None:
                apart |= {row: part.row_id(row) for row in asked[low:high].tolist()}
        names = None if self.keep is None else self.names()
        return PredictionBlock(batch, tuple(stretches), self.analyse, names, apart)

    def _enter_judgement(self, found: BlockJudgement, refusers: Refusers) -> None:
        for place, why in found.refused:
            if place in refusers:
                refusers[place](why)
        self.append_block(found.columns, self._has_gold)
        if self.keep is not None and found.replies is not None:
            self.keep(found.replies)

    def complete_golds(self, part: ScoredSplit) -> None:
        """Enter the right labels of the rows of a part that no outcome contains.

        The reference replies of such a row are replayed: their labels are right.
        """
        stored = np.frombuffer(
            self._has_gold, dtype=np.uint8, count=part.count, offset=part.first_number
        )
        unknown = np.flatnonzero(stored == 0)
        if part.row_kinds is not None:
            codes = part.row_kinds.kind_codes[unknown]
            self._prepare_part(part)
            examples = self._ready[part.first_number].examples
            found = dict(self._iterate_golds(examples, np.unique(codes)))
            both = zip(unknown.tolist(), codes.tolist(), strict=True)
            self.enter_golds({part.first_number + row: found[kind] for row, kind in both})
            return
        for first in range(0, len(unknown), BLOCK):
            self.enter_golds(
                dict(self._iterate_golds(part, unknown[first : first + BLOCK] + part.first_number))
            )

    def _iterate_golds(self, part: SplitRows, rows: Ints) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the right labels of rows of a part."""
        for row, name, instance in iterate_instances(part, rows):
            with catch_decode_errors(name, "be judged"):
                reference = part.load_installed_task.reference(instance)
                yield row, replay(part.load_installed_task.open(instance), reference).gold
