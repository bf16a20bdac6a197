"""Build the content of results.json from everything that scoring computed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from facelet._version import __version__
from facelet.generators.core.measures import Called
from facelet.pipeline.papers.paper_rows import build_paper_tables
from facelet.pipeline.scoring.aggregate.aggregation import Aggregated
from facelet.pipeline.scoring.aggregate.claims import (
    ANSWERS,
    MACRO_F1,
    NUMBER,
    SHARE,
    Baselines,
    Claim,
    Figure,
    find_baselines,
    mean_baselines,
    no_baseline_reason,
    unit_of,
)
from facelet.pipeline.scoring.aggregate.estimates import (
    Estimate,
    EstimatedFigures,
    TestedDifference,
)
from facelet.pipeline.scoring.aggregate.figure_cells import FigureCell, PooledCell
from facelet.pipeline.scoring.aggregate.label_metrics import macro_f1_baselines
from facelet.pipeline.scoring.aggregate.model_comparison import (
    Comparison,
    Efficiency,
    LooksDifference,
)
from facelet.pipeline.scoring.grade.arrival_shares import Shares
from facelet.pipeline.scoring.grade.dispositions import RecordLedger
from facelet.pipeline.scoring.grade.graded_columns import COUNTED
from facelet.pipeline.scoring.grade.grader import GradedPredictions
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.ingest.file_report import FileReport
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.climbed_levels import make_climber
from facelet.pipeline.scoring.render.suite_results import (
    Stated,
    build_people,
    caveats_of,
    describe_suite,
)

NEITHER = (None, None)
"""Shares of replies that are not stated."""


def build_results(
    accounts: Sequence[FileReport],
    judged: GradedPredictions,
    counted: Aggregated,
    options: results_schema.Options,
) -> results_schema.Results:
    """Return what scoring found, as plain JSON values.

    Args:
        accounts: the report of each file, once all of it is graded.
        judged: what became of it.
        counted: the figures.
        options: how was scored.
    """
    dataset = judged.dataset
    known = {population.part.split_name for population in judged.populations}
    known |= {part.split_name for part in judged.unjudged}
    stated: dict[str, dict[str, Stated]] = {}
    for population in judged.populations:
        config, split = population.part.split_name
        stated.setdefault(split, {}).setdefault(config, Stated.of(population.part))
    comparisons = [_build_comparison(found) for found in counted.comparisons]
    vouched = dataset.voucher.depth != "no"
    efficiencies = [_build_efficiency(found, vouched=vouched) for found in counted.efficiencies]
    models = [_build_model(name, judged, counted) for name in judged.models]
    suites = [
        describe_suite(found, stated[found.split], vouched=vouched) for found in counted.standings
    ]
    if not vouched:
        tested: list[results_schema.Difference] = [*comparisons]
        tested += [one for suite in suites for one in suite["duels"]]
        for one in (*tested, *(one for model in models for one in model["looks"])):
            one["unverified"] = True
    return {
        "schema_version": results_schema.SCHEMA_VERSION,
        "generator": f"facelet {__version__}",
        "dataset": {
            "name": dataset.dataset_name,
            "content_hash": dataset.content_hash,
            "verified": dataset.voucher.depth,
            "expected": dataset.voucher.expected,
            "manifest_sha256": dataset.voucher.manifest_sha256,
        },
        "options": options,
        "ledger": record_ledger(RecordLedger.total(judged.ledgers)),
        "inputs": [*map(_build_input, accounts, judged.ledgers)],
        "not_scored": [
            "/".join(part.split_name) for part in dataset.parts if part.split_name not in known
        ],
        "unavailable": [
            {"config": config, "split": split, "reason": part.unavailable_reason}
            for part in judged.unjudged
            for config, split in (part.split_name,)
        ],
        "suites": suites,
        "people": build_people(counted.people, stated, vouched=vouched),
        "models": models,
        "comparisons": comparisons,
        "efficiencies": efficiencies,
    }


def record_ledger(found: RecordLedger) -> results_schema.Ledger:
    """Return what became of records as plain values."""
    return {
        "read": found.read,
        "dispositions": dict(found.dispositions),
        "flags": dict(found.flags),
    }


def _build_input(account: FileReport, ledger: RecordLedger) -> results_schema.Input:
    seen = account.evidence
    return {
        "file": account.path.name,
        "sha256": account.sha256,
        "bytes": account.size,
        "formats": dict(sorted(account.formats.items())),
        "ledger": record_ledger(ledger),
        "predictions": account.predictions,
        "broken": account.broken,
        "broken_examples": [
            {example.unit: example.number, "reason": example.reason} for example in account.examples
        ],
        "damaged_examples": [
            {example.unit: example.number, "reason": example.reason} for example in account.damaged
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


def _build_model(
    model: str, judged: GradedPredictions, counted: Aggregated
) -> results_schema.Model:
    own = [population for population in judged.populations if population.model == model]
    cells: dict[Population, list[EstimatedFigures[FigureCell]]] = {
        population: [] for population in own
    }
    for found in counted.cells:
        if found.about.population in cells:
            cells[found.about.population].append(found)
    configs: dict[str, dict[str, results_schema.Split]] = {}
    for population, figures in cells.items():
        config, split = population.part.split_name
        configs.setdefault(config, {})[split] = _build_split(population, figures)
    scored: results_schema.Scored = {
        "model": model,
        "configs": {config: {"splits": splits} for config, splits in configs.items()},
    }
    pools: dict[tuple[str, str], list[EstimatedFigures[PooledCell]]] = {}
    for part in counted.pooled:
        if (first := part.about.pool[0]).model == model:
            pools.setdefault(first.suite_split, []).append(part)
    told: Mapping[str, int] = judged.settings.counts.get(judged.models.index(model), {})
    looks = [_build_looks(one) for one in counted.looks if one.about.model == model]
    vouched = judged.dataset.voucher.depth != "no"
    manifest = judged.dataset.read_manifest
    about = manifest.to_record() if manifest else None
    return {
        **scored,
        "replies": {name: sum(one.ending_counts[name] for one in own) for name in COUNTED},
        "papers": list(build_paper_tables(scored, about, make_climber(own))),
        "settings": [
            {"predictions": count, "settings": json.loads(said) if said else None}
            for said, count in sorted(told.items())
        ],
        "pooled": [_build_pooled(part, vouched=vouched) for part in pools.values()],
        "looks": looks,
    }


def _build_split(
    population: Population, cells: list[EstimatedFigures[FigureCell]]
) -> results_schema.Split:
    part = population.part
    return {
        "task": part.task_name,
        "task_version": part.task_version,
        "items": population.row_count,
        "items_counted": int(population.counted.sum()),
        "items_effective": population.effective_rows,
        "samples_per_item": population.samples,
        "chance": part.read_chance,
        "floor": part.read_floor,
        "answer_floor": part.answer_floor,
        "leaks": part.leaks,
        "counts": population.status_totals,
        "replies": population.ending_counts,
        "difficulty_axis": part.difficulty_axis,
        # What papers call figures, where that differs.
        "called": {
            name: called
            for measure in part.load_installed_task.measures
            if isinstance(measure, Called)
            for name, called in measure.names
        },
        "cells": [_build_cell(one) for one in sorted(cells, key=lambda one: one.about.sort_key)],
    }


def _build_cell(found: EstimatedFigures[FigureCell]) -> results_schema.Cell:
    cell, part = found.about, found.about.population.part
    caveats, shares = caveats_of(part.is_vouched, leaks=part.leaks), Shares.of(cell.counts)
    # Beside what is no headline they stand where they take the verdict away.
    beside = NEITHER if cell.by or (cell.difficulty and shares.suffice) else shares
    told: results_schema.Cell = {
        "by": dict(cell.by),
        "difficulty": cell.difficulty,
        "items": cell.items,
        "counts": cell.counts,
        "figures": {
            name: Claim(
                one,
                unit_of(name),
                _baselines(name, cell),
                caveats,
                arrived=arrived,
                readable=readable,
                no_baseline=no_baseline_reason(name),
            ).to_record()
            for name, one in found.figures.items()
            for arrived, readable in (beside if unit_of(name) not in (SHARE, NUMBER) else NEITHER,)
        },
    }
    for matrix in cell.confusions:
        told["confusion"] = {
            "gold": list(matrix.gold),
            "answer": list(matrix.answer),
            "counts": [list(row) for row in matrix.counts],
            "samples_per_item": matrix.samples,
        }
    if cell.histograms:
        told["histograms"] = {
            metric: {"values": list(one.values), "counts": list(one.counts), "others": one.others}
            for metric, one in cell.histograms.items()
        }
    return told


def _baselines(name: str, cell: FigureCell) -> Baselines:
    """Return what is won without the skill that a figure of a cell measures, in its unit.

    Floors are measured over all rows, so where rows are split there is only a chance that is exact.
    """
    part, unit = cell.population.part, unit_of(name)
    if unit == MACRO_F1:
        gold = [sum(row) for row in cell.confusions[0].counts]
        return macro_f1_baselines(gold) if any(gold) else {}
    floor = part.answer_floor if unit == ANSWERS else part.read_floor
    if not cell.by:
        return find_baselines(unit, part.read_chance, floor, cell.difficulty)
    exact = part.read_chance is not None and part.read_chance["kind"] == "exact"
    return find_baselines(unit, part.read_chance if exact else None, None)


def _build_figures(
    found: Mapping[str, Estimate], baselines: Baselines, *, vouched: bool
) -> dict[str, Figure]:
    """Return figures as plain values.

    Args:
        found: the figures by name.
        baselines: what of whole answers is won without the skill.
        vouched: whether the dataset was checked at all.
    """
    return {
        name: Claim(
            one,
            unit_of(name),
            baselines if unit_of(name) == ANSWERS else {},
            caveats_of(vouched),
            no_baseline=no_baseline_reason(name),
        ).to_record()
        for name, one in found.items()
    }


def _build_pooled(
    cells: list[EstimatedFigures[PooledCell]], *, vouched: bool
) -> results_schema.Pooled:
    pool = cells[0].about.pool
    suite, split = pool[0].suite_split
    return {
        "suite": suite,
        "split": split,
        "classed_by": pool[0].part.load_installed_task.classed_by,
        "difficulty_axis": pool[0].part.difficulty_axis,
        "tasks": len(pool),
        "items": cells[0].about.items,
        "cells": [
            {
                "by": one.about.by,
                "difficulty": one.about.difficulty,
                "items": one.about.items,
                "figures": _build_figures(
                    one.figures,
                    mean_baselines(
                        [
                            Stated.of(part).baselines(one.about.difficulty)
                            for part in one.about.parts
                        ]
                    ),
                    vouched=vouched,
                ),
            }
            for one in cells
        ],
    }


def _build_looks(tested: TestedDifference[LooksDifference]) -> results_schema.Looks:
    about, found = tested.about, tested.found
    return {
        "config": about.config,
        "clean": about.clean,
        "split": about.split,
        "looks": about.looks,
        "figure": about.figure,
        "difficulty": about.difficulty,
        "items": about.items,
        "clean_value": about.clean_value,
        "value": about.value,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "lost": found.negative,
        "won": found.positive,
        "p_value": found.p_value,
        "p_holm": found.p_holm,
        "test": found.test,
    }


def _build_comparison(tested: TestedDifference[Comparison]) -> results_schema.Comparison:
    about, found = tested.about, tested.found
    return {
        "config": about.config,
        "split": about.split,
        "models": list(about.models),
        "items": about.items,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "only_first": found.positive,
        "only_second": found.negative,
        "p_value": found.p_value,
        "p_holm": found.p_holm,
        "test": found.test,
    }


def _build_efficiency(
    found: EstimatedFigures[Efficiency], *, vouched: bool
) -> results_schema.Efficiency:
    about = found.about
    return {
        "suite": about.suite,
        "split": about.split,
        "by": about.by,
        "metric": about.metric,
        "models": list(about.models),
        "items": about.items,
        "figures": _build_figures(found.figures, {}, vouched=vouched),
    }
