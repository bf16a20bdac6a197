"""The scorer: a dataset folder and prediction files in, the report and its entries out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from facelet import __version__
from facelet.pipeline.dataset.vouching import Depth
from facelet.pipeline.papers.beside import beside
from facelet.pipeline.scoring.comparing import compare, pairs
from facelet.pipeline.scoring.contradictions import Questions
from facelet.pipeline.scoring.dataset import open_dataset
from facelet.pipeline.scoring.efficiency import efficiencies
from facelet.pipeline.scoring.endings import COUNTED
from facelet.pipeline.scoring.formats import Fields
from facelet.pipeline.scoring.intake import ModelFrom, take_all
from facelet.pipeline.scoring.invariance import invariance
from facelet.pipeline.scoring.limits import Limits
from facelet.pipeline.scoring.patterns import Analyser
from facelet.pipeline.scoring.pooling import pooled
from facelet.pipeline.scoring.population import Missing, Population, Settled, populations, settle
from facelet.pipeline.scoring.report import SCHEMA_VERSION, split_report
from facelet.pipeline.scoring.statistics import RESAMPLES


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What the caller chose.

    Attributes:
        everything: whether splits without predictions count too, all missing.
        model: name for predictions that name no model.
        model_from: whether the model's name is taken from records or from files.
        compare: models to compare; none means all, if they are few.
        resamples: number of bootstrap replicates.
        verify: how much of the dataset is checked before it is used; see `vouching`.
        expect: SHA-256 that its manifest must have; "" for any.
        missing: whether rows without any prediction count as wrong, or are left out.
        fields: names of fields for records of kinds that are not known.
        limits: what is allowed of a prediction file.
        questions: which questions a record may carry: its row's, or any.
        analyse: counts patterns of reasoning in replies; None for nobody.
    """

    everything: bool = False
    model: str = ""
    model_from: ModelFrom = "record"
    compare: tuple[str, ...] = ()
    resamples: int = RESAMPLES
    verify: Depth = "content"
    expect: str = ""
    missing: Missing = "wrong"
    fields: Fields = field(default_factory=Fields)
    limits: Limits = field(default_factory=Limits)
    questions: Questions = "row"
    analyse: Analyser | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """What scoring found.

    Attributes:
        results: the report, as plain JSON values.
        populations: the entries behind it.
    """

    results: dict[str, Any]
    populations: tuple[Population, ...]


def score(folder: Path, files: Sequence[Path], settings: ScoreSettings | None = None) -> Scores:
    """Score prediction files against a dataset.

    Args:
        folder: the dataset.
        files: prediction files of any known format, in the order in which they count.
        settings: what to count and compare.

    Raises:
        ValueError: the dataset is damaged, not what its manifest says, or of another version; a
            prediction file contradicts it; no prediction names a row of it
            whose task can be had here, or a model to compare has no predictions.
        OSError: a file cannot be read.
    """
    settings = settings or ScoreSettings()
    dataset = open_dataset(folder, settings.verify, settings.expect)
    intake = take_all(
        dataset,
        files,
        settings.model,
        settings.model_from,
        fields=settings.fields,
        limits=settings.limits,
        analyse=settings.analyse,
        questions=settings.questions,
    )
    names = list(intake.models)
    chosen = pairs(names, settings.compare)
    settled = settle(intake.ledger, everything=settings.everything)
    found = tuple(populations(settled, names, everything=settings.everything))
    unavailable = _unavailable(settled, everything=settings.everything)
    if not found:
        raise ValueError("; ".join(f"{part['config']}: {part['reason']}" for part in unavailable))
    models: dict[str, dict[str, Any]] = {name: {} for name in names}
    for population in found:
        config, split = population.part.name
        configs = models[population.model]
        configs.setdefault(config, {})[split] = split_report(
            population, settings.resamples, settings.missing
        )
    by_key = {(population.model, population.part.name): population for population in found}
    comparisons = [
        compare(
            by_key[first, part.name],
            by_key[second, part.name],
            settings.resamples,
            settings.missing,
        )
        for first, second in chosen
        for part in dataset.parts
        if (first, part.name) in by_key and (second, part.name) in by_key
    ]
    less = [
        part
        for first, second in chosen
        for part in efficiencies(
            [
                (by_key[first, part.name], by_key[second, part.name])
                for part in dataset.parts
                if (first, part.name) in by_key and (second, part.name) in by_key
            ],
            settings.resamples,
        )
    ]
    told = {population.part.name for population in found}
    told |= {(part["config"], part["split"]) for part in unavailable}
    results = {
        "schema_version": SCHEMA_VERSION,
        "generator": f"facelet {__version__}",
        "dataset": {
            "name": dataset.name,
            "content_hash": dataset.content_hash,
            "verified": settings.verify,
            "expected": dataset.voucher.expected,
            "manifest_sha256": dataset.voucher.manifest_sha256,
        },
        "options": {
            "all": settings.everything,
            "missing": settings.missing,
            "model_from": settings.model_from,
            "questions": settings.questions,
            "resamples": settings.resamples,
            "confidence": 0.95,
        },
        "inputs": [account.report() for account in intake.accounts],
        "not_scored": ["/".join(part.name) for part in dataset.parts if part.name not in told],
        "unavailable": unavailable,
        "models": [
            _model(name, models[name], dataset.manifest)
            | {
                "settings": intake.settings.report(name),
                "pooled": list(
                    pooled(
                        [one for one in found if one.model == name],
                        settings.resamples,
                        settings.missing,
                    )
                ),
                "looks": list(
                    invariance(
                        [one for one in found if one.model == name],
                        dataset.manifest,
                        settings.resamples,
                        settings.missing,
                    )
                ),
            }
            for name in names
        ],
        "comparisons": comparisons,
        "efficiencies": less,
    }
    return Scores(results, found)


def _model(name: str, configs: Mapping[str, Any], manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the results that is about one model.

    Args:
        name: the model.
        configs: its splits' reports, by config.
        manifest: the dataset's manifest; {} where there is none.
    """
    model = {
        "model": name,
        "configs": {config: {"splits": splits} for config, splits in configs.items()},
    }
    reports = [report for splits in configs.values() for report in splits.values()]
    totals = {name: sum(report["replies"][name] for report in reports) for name in COUNTED}
    return model | {"replies": totals, "papers": list(beside(model, manifest))}


def _unavailable(settled: Settled, *, everything: bool) -> list[dict[str, str]]:
    """Return the splits that predictions name and whose task cannot be had here, with the reason.

    Args:
        settled: all entries.
        everything: whether splits without predictions count too.
    """
    asked = np.unique(settled.rows)
    found = []
    for part in settled.ledger.dataset.parts:
        low, high = np.searchsorted(asked, (part.start, part.start + part.count))
        if (low < high or everything) and part.unavailable:
            config, split = part.name
            found.append({"config": config, "split": split, "reason": part.unavailable})
    return found
