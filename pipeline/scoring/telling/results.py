"""Results: everything that scoring found, in the form of results.json."""

from __future__ import annotations

import json
from collections.abc import Mapping

from facelet import __version__
from facelet.pipeline.papers.beside import beside
from facelet.pipeline.scoring.counting.cells import Cell, SplitFigures
from facelet.pipeline.scoring.counting.comparing import Comparison
from facelet.pipeline.scoring.counting.count import Counted, ModelFigures
from facelet.pipeline.scoring.counting.efficiency import Efficiency
from facelet.pipeline.scoring.counting.estimates import Estimate
from facelet.pipeline.scoring.counting.invariance import LooksDifference
from facelet.pipeline.scoring.counting.pooling import PooledFigures
from facelet.pipeline.scoring.dataset import Dataset
from facelet.pipeline.scoring.judging.endings import COUNTED
from facelet.pipeline.scoring.judging.judge import Judged
from facelet.pipeline.scoring.taking.accounts import FileAccount
from facelet.pipeline.scoring.taking.intake import Taken
from facelet.pipeline.scoring.taking.model_settings import Settings
from facelet.pipeline.scoring.telling import schema
from facelet.pipeline.scoring.telling.suites import figure, suite


def tell(taken: Taken, judged: Judged, counted: Counted, options: schema.Options) -> schema.Results:
    """Return what scoring found, as plain JSON values.

    Args:
        taken: what was taken, once all of it has been judged.
        judged: what became of it.
        counted: the figures.
        options: how was scored.
    """
    dataset = judged.dataset
    told = {population.part.name for population in judged.populations}
    told |= {(part.config, part.split) for part in judged.unjudged}
    splits = [split for model in counted.models for split in model.splits]
    return {
        "schema_version": schema.SCHEMA_VERSION,
        "generator": f"facelet {__version__}",
        "dataset": {
            "name": dataset.name,
            "content_hash": dataset.content_hash,
            "verified": dataset.voucher.depth,
            "expected": dataset.voucher.expected,
            "manifest_sha256": dataset.voucher.manifest_sha256,
        },
        "options": options,
        "inputs": [_input(account) for account in taken.accounts],
        "not_scored": ["/".join(part.name) for part in dataset.parts if part.name not in told],
        "unavailable": [
            {"config": part.config, "split": part.split, "reason": part.reason}
            for part in judged.unjudged
        ],
        "suites": [suite(found, splits) for found in counted.standings],
        "models": [_model(found, taken.settings, dataset) for found in counted.models],
        "comparisons": [_comparison(found) for found in counted.comparisons],
        "efficiencies": [_efficiency(found) for found in counted.efficiencies],
    }


def _input(account: FileAccount) -> schema.Input:
    seen = account.evidence
    return {
        "file": account.path.name,
        "sha256": account.sha256,
        "bytes": account.size,
        "formats": dict(sorted(account.formats.items())),
        "predictions": account.predictions,
        "broken": account.broken,
        "broken_examples": [
            {example.unit: example.number, "reason": example.reason} for example in account.examples
        ],
        "unknown_ids": account.unknown,
        "unknown_examples": account.unknown_ids,
        "other_filters": account.filtered,
        "other_questions": account.others,
        "evidence": {
            "content_hash": seen.hashes,
            "prompt": seen.prompts,
            "target": seen.targets,
            "other_words": seen.other_words,
            "other_targets": seen.other_targets,
            "nothing": seen.nothing,
        },
        "stopped": account.stopped,
    }


def _model(found: ModelFigures, settings: Settings, dataset: Dataset) -> schema.Model:
    configs: dict[str, dict[str, schema.Split]] = {}
    for split in found.splits:
        configs.setdefault(split.config, {})[split.split] = _split(split)
    scored: schema.Scored = {
        "model": found.model,
        "configs": {config: {"splits": splits} for config, splits in configs.items()},
    }
    manifest = dataset.manifest.record() if dataset.manifest else None
    return {
        **scored,
        "replies": {name: sum(one.replies[name] for one in found.splits) for name in COUNTED},
        "papers": list(beside(scored, manifest)),
        "settings": _asked(settings, found.model),
        "pooled": [_pooled(part) for part in found.pooled],
        "looks": [_looks(part) for part in found.looks],
    }


def _asked(settings: Settings, model: str) -> list[schema.Asked]:
    """Return the settings of a model and the number of predictions that say them."""
    told: list[schema.Asked] = [
        {"predictions": count, "settings": json.loads(said)} for said, count in settings.of(model)
    ]
    if settings.others[model]:
        told.append({"predictions": settings.others[model], "settings": None})
    return told


def _split(found: SplitFigures) -> schema.Split:
    return {
        "task": found.task,
        "task_version": found.task_version,
        "items": found.items,
        "items_counted": found.items_counted,
        "items_effective": found.effective,
        "samples_per_item": found.samples,
        "chance": found.chance,
        "floor": found.floor,
        "counts": found.counts,
        "replies": found.replies,
        "difficulty_axis": found.difficulty_axis,
        "called": found.called,
        "cells": [_cell(cell, vouched=found.vouched) for cell in found.cells],
    }


def _cell(found: Cell, *, vouched: bool) -> schema.Cell:
    told: schema.Cell = {
        "by": dict(found.by),
        "difficulty": found.difficulty,
        "items": found.items,
        "counts": found.counts,
        "figures": _figures(found.figures, vouched=vouched),
    }
    for matrix in found.confusions:
        told["confusion"] = {
            "gold": list(matrix.gold),
            "answer": list(matrix.answer),
            "counts": [list(row) for row in matrix.counts],
            "samples_per_item": matrix.samples,
        }
    if found.histograms:
        told["histograms"] = {
            metric: {"values": list(one.values), "counts": list(one.counts), "others": one.others}
            for metric, one in found.histograms.items()
        }
    return told


def _figures(found: Mapping[str, Estimate], *, vouched: bool) -> dict[str, schema.Figure]:
    """Return figures as plain values.

    Args:
        found: the figures by name.
        vouched: whether the dataset was checked at all.
    """
    return {name: figure(one, vouched=vouched) for name, one in found.items()}


def _pooled(found: PooledFigures) -> schema.Pooled:
    return {
        "suite": found.suite,
        "split": found.split,
        "classed_by": found.classed_by,
        "difficulty_axis": found.difficulty_axis,
        "tasks": found.tasks,
        "items": found.items,
        "cells": [
            {
                "by": cell.by,
                "difficulty": cell.difficulty,
                "items": cell.items,
                "figures": _figures(cell.figures, vouched=found.vouched),
            }
            for cell in found.cells
        ],
    }


def _looks(found: LooksDifference) -> schema.Looks:
    told: schema.Looks = {
        "config": found.config,
        "clean": found.clean,
        "split": found.split,
        "looks": found.looks,
        "figure": found.figure,
        "difficulty": found.difficulty,
        "items": found.items,
        "clean_value": found.clean_value,
        "value": found.value,
        "difference": found.found.difference,
        "low": found.found.low,
        "high": found.found.high,
        "lost": found.found.negative,
        "won": found.found.positive,
        "p_value": found.found.p_value,
        "p_holm": found.found.p_holm,
        "test": found.found.test,
    }
    if not found.vouched:
        told["unverified"] = True
    return told


def _comparison(found: Comparison) -> schema.Comparison:
    told: schema.Comparison = {
        "config": found.config,
        "split": found.split,
        "models": list(found.models),
        "items": found.items,
        "difference": found.found.difference,
        "low": found.found.low,
        "high": found.found.high,
        "only_first": found.found.positive,
        "only_second": found.found.negative,
        "p_value": found.found.p_value,
        "p_holm": found.found.p_holm,
        "test": found.found.test,
    }
    if not found.vouched:
        told["unverified"] = True
    return told


def _efficiency(found: Efficiency) -> schema.Efficiency:
    return {
        "suite": found.suite,
        "split": found.split,
        "by": found.by,
        "metric": found.metric,
        "models": list(found.models),
        "items": found.items,
        "figures": _figures(found.figures, vouched=found.vouched),
    }
