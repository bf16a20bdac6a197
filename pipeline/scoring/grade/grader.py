"""Replay predictions and build the populations over which figures are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from facelet.pipeline.scoring.array_types import Ints
from facelet.pipeline.scoring.grade.dispositions import (
    REFUSED,
    Duplicates,
    RecordLedger,
    count_records,
)
from facelet.pipeline.scoring.grade.outcome_store import Keep, OutcomeStore
from facelet.pipeline.scoring.grade.paired_configs import PairedLooks, pair_looks
from facelet.pipeline.scoring.grade.population import (
    Missing,
    Population,
    SettledEntries,
    iterate_populations,
    settle_entries,
)
from facelet.pipeline.scoring.grade.prediction_blocks import no_collector, process_judge
from facelet.pipeline.scoring.ingest.file_spans import AllTaken, Share
from facelet.pipeline.scoring.ingest.model_settings import ModelSettings
from facelet.pipeline.scoring.ingest.prediction_reader import REPLIED, PredictionReader
from facelet.pipeline.scoring.ingest.reasoning_patterns import Analyser
from facelet.pipeline.scoring.scored_dataset import ScoredDataset, ScoredSplit
from facelet.pipeline.scoring.worker_pool import WorkerPool


@dataclass(frozen=True, slots=True, eq=False)
class GradedPredictions:
    """The outcomes of predictions.

    Attributes:
        dataset: the dataset that they answer.
        models: names of the models, in their order.
        ledgers: the dispositions of the records of each file.
        settings: the sampling settings of the models, by their place.
        relabelled: models and samples of the replies that were kept, in their order; None if they
            were kept under these.
        populations: the entries of each model on each split that is scored, by model.
        twins: the pairs of configs that show the same puzzles, by model.
        unjudged: the splits that predictions name and whose task cannot be loaded here.
    """

    dataset: ScoredDataset
    models: tuple[str, ...]
    ledgers: tuple[RecordLedger, ...]
    settings: ModelSettings
    relabelled: tuple[Ints, Ints] | None
    populations: tuple[Population, ...]
    twins: tuple[PairedLooks, ...]
    unjudged: tuple[ScoredSplit, ...]


def grade_predictions(
    taken: PredictionReader,
    analyse: Analyser | None = None,
    missing: Missing = "wrong",
    duplicates: Duplicates = "refuse",
    *,
    everything: bool = False,
    keep: Keep | None = None,
    crew: WorkerPool | None = None,
) -> GradedPredictions:
    """Grade predictions, reading their stream to its end.

    Args:
        taken: the reader of the predictions.
        analyse: counts patterns of reasoning in replies; None for no counts.
        missing: whether rows without any prediction count as wrong, or are left out.
        duplicates: how different replies for the same row, model and sample are handled.
        everything: whether splits without any prediction of a model count too, all missing.
        keep: receives the replies of each block once they are graded; None for no copy.
        crew: the processes that grade; this one by default.

    Raises:
        ValueError: no prediction joins a row whose task can be loaded, a file contradicts the
            dataset, a row of the dataset cannot be read back, a record may belong to several
            models, or replies conflict.
        OSError: a file cannot be opened.
    """
    ledger = OutcomeStore(
        dataset=taken.dataset,
        analyse=analyse,
        keep=keep,
        names=taken.list_provisional_names,
        how=taken.how,
        crew=crew or WorkerPool(),
    )
    with no_collector():
        try:
            for one in taken.entries:
                if isinstance(one, Share):
                    ledger.add_share(one)
                elif isinstance(one, AllTaken):
                    ledger.drain_pending()
                else:
                    ledger.add_prediction(*one)
        except (ValueError, OSError):
            # What is wrong with predictions that were read before comes first.
            ledger.drain_pending()
            raise
        ledger.flush_blocks()
        process_judge.cache_clear()  # The decoded rows were kept for further blocks.
    for account in taken.accounts:
        account.settle_counts()
    if not len(ledger.rows):
        verb = "answers" if any(account.others for account in taken.accounts) else "names"
        lines = [f"no prediction {verb} a row of this dataset", *map(str, taken.accounts)]
        raise ValueError("\n  ".join(lines))
    names, kept = taken.list_model_names(), taken.list_provisional_names()
    models = tuple(sorted(set(names)))
    codes = np.array([models.index(name) for name in names], dtype=np.int32)
    settled = settle_entries(ledger, taken.accounts, codes, duplicates, everything=everything)
    ledgers = count_records(ledger, settled.source, _mark_refused(settled), taken.accounts)
    found = tuple(iterate_populations(settled, models, missing, everything=everything))
    unjudged = tuple(_iterate_ungraded(settled, everything=everything))
    if not found:
        raise ValueError(
            "; ".join(f"{part.split_name[0]}: {part.unavailable_reason}" for part in unjudged)
        )
    shown = tuple(pair_looks(found))
    settings = taken.settings.by_model(codes.tolist())
    labels = _relabel_kept_replies(settled, codes, same=tuple(names) == kept)
    return GradedPredictions(
        taken.dataset, models, ledgers, settings, labels, found, shown, unjudged
    )


def _relabel_kept_replies(
    settled: SettledEntries, codes: Ints, *, same: bool
) -> tuple[Ints, Ints] | None:
    """Return models and samples of the replies that were kept, if they are not as they were.

    Args:
        settled: all entries.
        codes: final code of each model by its code in the ledger.
        same: whether the names of all models are as they were.
    """
    samples = np.empty(len(settled.samples), dtype=np.int32)
    samples[settled.source] = settled.samples
    if same and np.array_equal(samples, settled.ledger.samples):
        return None
    kept = np.flatnonzero(np.asarray(settled.ledger.places) & REPLIED)
    return codes[np.asarray(settled.ledger.models)[kept]], samples[kept]


def _mark_refused(settled: SettledEntries) -> Ints:
    """Return the dispositions; entries of rows whose task cannot be loaded are refused."""
    found = settled.dispositions
    for part in settled.ledger.dataset.parts:
        if part.unavailable_reason:
            inside = (settled.rows >= part.first_number) & (
                settled.rows < part.first_number + part.count
            )
            found = np.where(inside, np.int8(REFUSED), found)
    return found


def _iterate_ungraded(settled: SettledEntries, *, everything: bool) -> Iterator[ScoredSplit]:
    """Yield the splits that predictions name and whose task cannot be loaded here.

    Args:
        settled: all entries.
        everything: whether splits without predictions count too.
    """
    apart = [part for part in settled.ledger.dataset.parts if part.unavailable_reason]
    asked = np.unique(settled.rows) if apart else ()
    for part in apart:
        low, high = np.searchsorted(asked, (part.first_number, part.first_number + part.count))
        if low < high or everything:
            yield part
