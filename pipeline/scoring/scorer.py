"""The scorer: a dataset folder and prediction files in, results and the entries behind them out.

taking -> judging -> counting -> telling
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from facelet.pipeline.dataset.reading import shard_paths
from facelet.pipeline.dataset.vouching import Depth
from facelet.pipeline.scoring.ahead import meanwhile
from facelet.pipeline.scoring.counting.count import count
from facelet.pipeline.scoring.counting.statistics import RESAMPLES
from facelet.pipeline.scoring.crew import crew_for
from facelet.pipeline.scoring.dataset import open_dataset
from facelet.pipeline.scoring.judging.analysers import Analyser
from facelet.pipeline.scoring.judging.dispositions import Duplicates
from facelet.pipeline.scoring.judging.judge import judge
from facelet.pipeline.scoring.judging.population import Missing, Population
from facelet.pipeline.scoring.taking.contradictions import Questions
from facelet.pipeline.scoring.taking.formats import Fields
from facelet.pipeline.scoring.taking.intake import ModelFrom, take
from facelet.pipeline.scoring.taking.limits import Limits
from facelet.pipeline.scoring.telling.items import write_items
from facelet.pipeline.scoring.telling.replies import relabel_replies, replies_file
from facelet.pipeline.scoring.telling.results import tell
from facelet.pipeline.scoring.telling.schema import Options, Results


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What the caller chose.

    Attributes:
        everything: whether splits without predictions count too, all missing.
        model: name for predictions that name no model; "" for the name of their file.
        model_from: whether the model's name is taken from records or from files.
        compare: models to compare; none means all, if they are few.
        resamples: number of bootstrap replicates.
        verify: how much of the dataset is checked before it is used; see `vouching`.
        expect: SHA-256 that its manifest must have; "" for any.
        missing: whether rows without any prediction count as wrong, or are left out.
        duplicates: what becomes of different replies for the same row, model and sample.
        fields: names of fields for records of kinds that are not known.
        limits: what is allowed of a prediction file.
        questions: which questions a record may carry: its row's, or any.
        analyse: counts patterns of reasoning in replies; None for nobody.
        workers: most processes that judge, 0 for a core each; the results do not depend on it.
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
    fields: Fields = field(default_factory=Fields)
    limits: Limits = field(default_factory=Limits)
    questions: Questions = "row"
    analyse: Analyser | None = None
    workers: int = 1


@dataclass(frozen=True, eq=False)
class Scores:
    """What scoring found.

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
            prediction file contradicts it, or holds records that conflict or may belong to several
            models; no prediction names a row of it
            whose task can be had here, or a model to compare has no predictions.
        OSError: a file cannot be read.
    """
    how = settings or ScoreSettings()
    with crew_for(how.workers, [*files, *shard_paths(folder)]) as crew:
        dataset = open_dataset(folder, how.verify, how.expect, crew)
        taken = take(
            dataset,
            files,
            how.model,
            how.model_from,
            fields=how.fields,
            limits=how.limits,
            questions=how.questions,
        )
        with replies_file(replies) if replies else nullcontext() as keep:
            judged = judge(
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
    with meanwhile(write, crew.count) if write else nullcontext():
        counted = count(judged, how.resamples, how.compare, crew.count)
    return Scores(tell(taken, judged, counted, _options(how)), judged.populations)


def _options(how: ScoreSettings) -> Options:
    return {
        "all": how.everything,
        "missing": how.missing,
        "duplicates": how.duplicates,
        "model_from": how.model_from,
        "questions": how.questions,
        "resamples": how.resamples,
        "confidence": 0.95,
    }
