"""The ledger: what became of each prediction, in columns that stay small for millions of them.

Predictions are judged in blocks, in the order of their rows, and the texts are forgotten as soon as
they are judged. A crew judges several blocks at once; what became of them is entered in the order
of the predictions, so that the ledger does not depend on who judged them.
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
from facelet.pipeline.dataset.decoding import decoding
from facelet.pipeline.scoring.arrays import Ints
from facelet.pipeline.scoring.crew import Crew
from facelet.pipeline.scoring.dataset import Dataset, Part
from facelet.pipeline.scoring.judging.analysers import Analyser
from facelet.pipeline.scoring.judging.blocks import (
    Block,
    Judge,
    Judgement,
    Stretch,
    judge_packed,
)
from facelet.pipeline.scoring.judging.columns import Entered
from facelet.pipeline.scoring.judging.kin import Examples
from facelet.pipeline.scoring.judging.replaying import Rows, instances
from facelet.pipeline.scoring.judging.shares import Answer, Ground, judge_apart, judge_share
from facelet.pipeline.scoring.taking.alone import How
from facelet.pipeline.scoring.taking.batches import Batch
from facelet.pipeline.scoring.taking.intake import FILE_BITS
from facelet.pipeline.scoring.taking.predictions import Prediction
from facelet.pipeline.scoring.taking.spans import Share

BLOCK = 8192
"""Most predictions of a block."""

BLOCK_TEXT = 4 << 20
"""Most characters of replies of a block."""

Keep = Callable[[pa.Table], None]
"""Takes the replies of a block, by facelet.pipeline.scoring.judging.blocks.REPLIES."""

Refusers = Mapping[int, Callable[[str], None]]
"""Who takes the reason why a prediction is refused, by its place in its block."""


@dataclass(kw_only=True)
class Ledger(Entered):
    """All entries, in the order of the predictions.

    Attributes:
        dataset: the dataset being scored.
        analyse: counts patterns of reasoning in replies; None for nobody.
        keep: takes the replies of each block once they are judged; None for nobody.
        names: returns names of the models by code, for whoever keeps replies.
        crew: who judges.
        how: how predictions are read, for shares.
    """

    dataset: Dataset
    analyse: Analyser | None = None
    keep: Keep | None = None
    names: Callable[[], tuple[str, ...]] = tuple
    crew: Crew = field(default_factory=Crew)
    how: How | None = None

    def __post_init__(self) -> None:
        self._block = Batch()
        self._text = 0
        self._has_gold = bytearray(self.dataset.count)
        self._judge = Judge()
        self._token = token_hex(8)
        self._waiting: deque[Callable[[], None]] = deque()
        self._ground: Path | None = None
        self._ready: dict[int, Stretch] = {}

    def add(self, row: int, model: int, prediction: Prediction, place: int) -> None:
        """Take a prediction for a row; it is judged with the rest of its block.

        Args:
            row: number of the row.
            model: code of the model.
            prediction: the prediction.
            place: where it was read.
        """
        if len(self._block) >= BLOCK or self._text >= BLOCK_TEXT:
            self._next(last=False)
        self._block.add(row, model, prediction, place)
        self._text += sum(map(len, prediction.replies))
        if prediction.later:
            self._text += sum(len(text) for texts in prediction.later for text in texts)

    def flush(self) -> None:
        """Judge and enter what was taken and not yet entered."""
        if self._block:
            self._next(last=True)
        self.drain()

    def drain(self) -> None:
        """Enter what is being judged, once it is."""
        while self._waiting:
            self._waiting.popleft()()

    def forget(self) -> None:
        """Drop the decoded rows that were kept for further blocks."""
        self._judge = Judge()

    def _next(self, *, last: bool) -> None:
        """Have the block at hand judged, and begin another.

        A play whose record has other messages of the user than the play itself is refused.
        Nothing is judged of a part whose task cannot be had here, and none of it is reported.

        Args:
            last: whether no other will follow; one alone is judged here.
        """
        batch, self._block, self._text = self._block, Batch(), 0
        refusers: dict[int, Callable[[str], None]] = {}
        for place, prediction in batch.others.items():
            if prediction.refuse is not None:
                refusers[place] = prediction.refuse
                batch.others[place] = prediction._replace(refuse=None)
        block = self._of(batch)
        if self.crew.count == 1 or (last and not self._waiting):
            self._enter(self._judge.judge(block), refusers)
            return
        packed = pickle.dumps(block, protocol=pickle.HIGHEST_PROTOCOL)
        wait = self.crew.hand_over(judge_packed, self._token, packed)
        self._await(lambda: self._enter(pickle.loads(wait()), refusers))

    def _await(self, enter: Callable[[], None]) -> None:
        """Have something entered behind what is being judged."""
        self._waiting.append(enter)
        while len(self._waiting) >= self.crew.ahead:
            self._waiting.popleft()()

    def share(self, share: Share) -> None:
        """Take a share of a file; it is read and judged by one process.

        Args:
            share: the share.
        """
        if self._block:
            self._next(last=False)
        for row in share.rows:
            self._prepare(self.dataset.parts[self.dataset.part_of(row)])
        if self.crew.count == 1 or (share.span.only and not self._waiting):
            self._enter_share(share, self._judged_here)
            return
        wait = self._handed(share)
        self._await(lambda: self._enter_share(share, self._handed, wait))

    def _judged_here(self, share: Share) -> Callable[[], Answer]:
        ground, parts = self._common(self.dataset), self._stretches()
        return lambda: judge_share(ground, self._judge, share.span, share.default, parts)

    def _handed(self, share: Share) -> Callable[[], Answer]:
        """Hand a share over, and return what waits for its answer."""
        if self._ground is None:
            self._ground = self.dataset.parts[0].scratch.path("ground")
            ground = self._common(self.dataset.apart())
            self._ground.write_bytes(pickle.dumps(ground, protocol=pickle.HIGHEST_PROTOCOL))
        job = pickle.dumps((share.span, share.default, self._stretches()))
        wait = self.crew.hand_over(judge_apart, self._ground, job)
        return lambda: pickle.loads(wait())

    def _common(self, dataset: Dataset) -> Ground:
        assert self.how is not None
        return Ground(dataset, self.how, self.analyse, self.keep is not None)

    def _stretches(self) -> tuple[Stretch, ...]:
        return tuple(self._ready.values())

    def _prepare(self, part: Part, *, rows: bool = False) -> None:
        """Have at hand what judging a part needs, once the part is vouched for.

        Args:
            part: the part.
            rows: whether all of its rows are needed; where one is judged for all of its kind, they
                seldom are.
        """
        ready = self._ready.get(part.start)
        if part.unavailable or (ready is not None and (ready.packs is not None or not rows)):
            return
        packs = part.packs if rows or part.kinds is None else None
        stretch = Stretch(part.start, part.count, part.task_name, part.kinds, packs)
        self._ready = dict(sorted((self._ready | {part.start: stretch}).items()))

    def _enter_share(
        self,
        share: Share,
        judge: Callable[[Share], Callable[[], Answer]],
        wait: Callable[[], Answer] | None = None,
    ) -> None:
        """Enter a share, once it is judged.

        Args:
            share: the share.
            judge: has it judged.
            wait: waits for the answer of whoever judges it already.
        """
        answer = (wait or judge(share))()
        while answer.parts:
            for place in answer.parts:
                part = self.dataset.parts[place]
                self._prepare(part, rows=part.start in self._ready)
            answer = judge(share)()
        codes = share.take(answer.told)
        if codes is None:
            # All that waits are shares behind it, whose predictions come again.
            self._waiting.clear()
            return
        assert answer.judgement is not None
        columns = answer.judgement.columns
        mine = np.array(codes, dtype=np.int32)
        columns.models = array("i", mine[np.array(columns.models, np.int32)].tobytes())
        places = np.array(columns.places, np.int64) + (share.file << FILE_BITS)
        columns.places = array("q", places.tobytes())
        self._enter(answer.judgement, {})

    def _of(self, batch: Batch) -> Block:
        """Return predictions as a block."""
        rows = np.array(batch.rows, dtype=np.int64)
        asked = np.unique(rows[batch.judged()])
        stretches: list[Stretch] = []
        apart: dict[int, str] = {}
        for part in self.dataset.parts:
            low, high = np.searchsorted(asked, (part.start, part.start + part.count))
            if low == high:
                continue
            if not part.unavailable:
                self._prepare(part)
                inside = (rows >= part.start) & (rows < part.start + part.count)
                if not self._ready[part.start].suffices(batch, inside, keep=self.keep is not None):
                    self._prepare(part, rows=True)
                stretches.append(self._ready[part.start])
            elif self.keep is not None:
                apart |= {row: part.identifier(row) for row in asked[low:high].tolist()}
        names = None if self.keep is None else self.names()
        return Block(batch, tuple(stretches), self.analyse, names, apart)

    def _enter(self, found: Judgement, refusers: Refusers) -> None:
        for place, why in found.refused:
            if place in refusers:
                refusers[place](why)
        self.extend(found.columns, self._has_gold)
        if self.keep is not None and found.replies is not None:
            self.keep(found.replies)

    def complete_golds(self, part: Part) -> None:
        """Learn the right labels of the rows of a part that no outcome has told.

        The reference replies of such a row are replayed: what they are judged as is right.
        """
        told = np.frombuffer(self._has_gold, dtype=np.uint8, count=part.count, offset=part.start)
        unknown = np.flatnonzero(told == 0)
        if part.kinds is not None:
            codes = part.kinds.codes[unknown]
            found = dict(self._golds(Examples(part.task, part.kinds.examples), np.unique(codes)))
            both = zip(unknown.tolist(), codes.tolist(), strict=True)
            self.learn({part.start + row: found[kind] for row, kind in both})
            return
        for first in range(0, len(unknown), BLOCK):
            self.learn(dict(self._golds(part, unknown[first : first + BLOCK] + part.start)))

    def _golds(self, part: Rows, rows: Ints) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield the right labels of rows of a part."""
        for row, name, instance in instances(part, rows):
            with decoding(name, "be judged"):
                reference = part.task.reference(instance)
                yield row, replay(part.task.open(instance), reference).gold
