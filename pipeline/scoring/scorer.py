"""Score prediction files against a dataset folder.

ingest -> grade -> aggregate -> render
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from facelet.pipeline.dataset.content_check import Depth
from facelet.pipeline.scoring.aggregate.aggregation import aggregate
from facelet.pipeline.scoring.aggregate.statistics import RESAMPLES
from facelet.pipeline.scoring.grade.dispositions import Duplicates
from facelet.pipeline.scoring.grade.grader import grade_predictions
from facelet.pipeline.scoring.grade.population import Missing, Population
from facelet.pipeline.scoring.grade.worker_result import preload_worker
from facelet.pipeline.scoring.ingest.dataset_match import Questions
from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits
from facelet.pipeline.scoring.ingest.prediction_reader import ModelFrom, ingest_files
from facelet.pipeline.scoring.ingest.reasoning_patterns import Analyser
from facelet.pipeline.scoring.ingest.record_formats import FieldNames
from facelet.pipeline.scoring.render.prediction_tables import (
    relabel_replies,
    replies_file,
    write_items,
)
from facelet.pipeline.scoring.render.results_json import build_results
from facelet.pipeline.scoring.render.results_schema import Options, Results
from facelet.pipeline.scoring.scored_dataset import open_dataset
from facelet.pipeline.scoring.worker_pool import open_pool, run_beside


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """The settings of a score.

    Attributes:
        everything: whether splits without predictions count too, as all missing.
        model: name for predictions that name no model; "" for the name of their file.
        model_from: whether the model's name is taken from records or from files.
        compare: models to compare; none means all, if they are few.
        resamples: number of bootstrap replicates.
        verify: how much of the dataset is checked before it is used; see `content_check`.
        expect: SHA-256 that its manifest must have; "" for any.
        missing: whether rows without any prediction count as wrong, or are left out.
        duplicates: how different replies for the same row, model and sample are handled.
        fields: names of fields for records of kinds that are not known.
        limits: the limits of a prediction file.
        questions: which questions a record may contain: its row's, or any.
        analyse: counts patterns of reasoning in replies; None for no counts.
        workers: most processes that grade, 0 for one per core; the results do not depend on it.
    """

    everything: bool = False
    model: str = ""
    model_from: ModelFrom = "record"
    compare: tuple[str, ...] = ()
    resamples: int = RESAMPLES
    verify: Depth = "content"
    expect: str = ""
    missing: Missing = "wrong"
    duplicates: Duplicates = "refuse"
    fields: FieldNames = field(default_factory=FieldNames)
    limits: IngestLimits = field(default_factory=IngestLimits)
    questions: Questions = "row"
    analyse: Analyser | None = None
    workers: int = 1


@dataclass(frozen=True, eq=False)
class Scores:
    """The result of scoring.

    Attributes:
        results: the content of results.json.
        populations: the entries behind it.
    """

    results: Results
    populations: tuple[Population, ...]


def score(
    folder: Path,
    files: Sequence[Path],
    settings: ScoreSettings | None = None,
    replies: Path | None = None,
    items: Path | None = None,
) -> Scores:
    """Score prediction files against a dataset.

    Args:
        folder: the dataset.
        files: prediction files of any known format.
        settings: what to count and compare.
        replies: where a table of all replies is written; None for nowhere.
        items: where the table of all items is written; None for nowhere.

    Raises:
        ValueError: the dataset is damaged, not what its manifest says, or of another version; a
            prediction file contradicts it, or has records that conflict or may belong to several
            models; no prediction names a row of it
            whose task can be loaded, or a model to compare has no predictions.
        OSError: a file cannot be read.
    """
    how = settings or ScoreSettings()
    dataset = open_dataset(folder, how.verify, how.expect)
    with open_pool(how.workers, [*files, *dataset.shard_paths], preload_worker) as crew:
        taken = ingest_files(
            replace(dataset, parts=tuple(replace(part, crew=crew) for part in dataset.parts)),
            files,
            how.model,
            how.model_from,
            fields=how.fields,
            limits=how.limits,
            questions=how.questions,
        )
        with replies_file(replies) if replies else nullcontext() as keep:
            judged = grade_predictions(
                taken,
                how.analyse,
                how.missing,
                how.duplicates,
                everything=how.everything,
                keep=keep,
                crew=crew,
            )
    if replies and judged.relabelled:
        relabel_replies(replies, judged.models, *judged.relabelled)
    write = partial(write_items, judged.populations, items, crew.count) if items else None
    with run_beside(write, crew.count) if write else nullcontext():
        counted = aggregate(judged, how.resamples, how.compare, crew.count)
    options: Options = {
        "all": how.everything,
        "missing": how.missing,
        "duplicates": how.duplicates,
        "model_from": how.model_from,
        "questions": how.questions,
        "resamples": how.resamples,
        "confidence": 0.95,
    }
    results = build_results(taken.accounts, judged, counted, options)
    return Scores(results, judged.populations)
