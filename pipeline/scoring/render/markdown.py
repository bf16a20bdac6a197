"""Render results.md, at most 120 lines, and the summary with one table that a terminal shows.

Every figure is in results.json, and as a table in tables.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from facelet.pipeline.papers.printed_tables import load_tables
from facelet.pipeline.scoring.aggregate.claims import Claim
from facelet.pipeline.scoring.aggregate.estimates import ALPHA
from facelet.pipeline.scoring.grade.arrival_shares import LEAST_ARRIVED
from facelet.pipeline.scoring.grade.dispositions import WORDS
from facelet.pipeline.scoring.ingest.prediction_reader import is_person
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.table_frames import (
    accuracy_of,
    format_cell,
    format_difference,
    short_endings,
)
from facelet.pipeline.scoring.render.text_tables import (
    MISSING,
    REASON,
    Cell,
    escape_cell,
    file_notes,
    iterate_splits,
    make_table,
    printable_text,
    render_table,
    settings_notes,
    split_label,
    verification_note,
)

_SUITES, _CONFIGS, _PEOPLE, _DUELS, _NOTES = 22, 32, 12, 10, 14
"""Most lines of its parts; what is left out is counted."""

_SIDE = 3
"""Most models that stand side by side; more stand one below the other."""

_SOME = 5
"""Most splits that a terminal names."""

_BLANK = {"chance": "-", "floor": "-", "shortcut": "-"}
"""Cells of baselines that are not stated."""

_LISTED = 40
"""Most configs that a terminal lists; of more it shows the suites."""


def render_document(results: results_schema.Results) -> str:
    """Return what people read of the results, as a Markdown document."""
    dataset = results["dataset"]
    lines = [
        f"# Scores on {escape_cell(dataset['name'])}",
        "",
        f"Dataset content hash: `{dataset['content_hash'] or 'unknown (no manifest.json)'}`, "
        f"{verification_note(dataset)}. Scored by {results['generator']} by "
        "replaying every prediction. "
        f"Shares in percent, with 95% intervals. {MISSING[results['options']['missing']]} "
        "tables.md has every figure, and results.json has all of them for programs.",
        "",
        *(f"{line}\n" for line in ledger_lines(results["ledger"])),
        "## Standings",
        "",
        "A suite's accuracy is the mean over its configs. Models whose ranks overlap do not differ "
        f"significantly (paired tests, Holm's correction, {ALPHA:.0%}).",
        "",
        *_render_limited_table(_standings_table(results["suites"]), _SUITES, "standings"),
        "",
        "## Configs",
        "",
        *_render_limited_table(_config_table(results["models"]), _CONFIGS, "configs"),
    ]
    if results["people"]:
        lines += [
            "",
            "## People",
            "",
            *_render_limited_table(_people_table(results["people"]), _PEOPLE, "rows"),
        ]
    if (found := _duel_table(results["suites"])) is not None:
        lines += [
            "",
            "## Differences between models",
            "",
            *_render_limited_table(found, _DUELS, "differences"),
        ]
    if notes := _note_lines(results):
        lines += ["", "## Notes", ""]
        lines += [f"- {text}" for text in notes[:_NOTES]]
        if len(notes) > _NOTES:
            lines.append(f"- {len(notes) - _NOTES} more notes are in tables.md.")
    return "\n".join(lines) + "\n"


def render_summary(results: results_schema.Results) -> str:
    """Return what a terminal shows: one table, and what was wrong with the files."""
    dataset = results["dataset"]
    lines = [
        f"dataset content hash {dataset['content_hash'] or 'unknown'}, "
        f"{verification_note(dataset)}",
        "",
        *render_table(_summary_table(results)),
        "",
        *ledger_lines(results["ledger"]),
        *_list_unmeasured(results),
    ]
    for account in results["inputs"]:
        name = escape_cell(account["file"])
        lines.append(f"{name}: {', '.join(_file_lines(account))}")
        for example in account["broken_examples"][:3]:
            unit = next(iter(example))
            lines.append(
                f"  {name}: {unit} {example[unit]}: {printable_text(str(example['reason']))}"
            )
        for example in account["damaged_examples"][:3]:
            unit = next(iter(example))
            why = printable_text(str(example["reason"]))
            lines.append(f"  {name}: {unit} {example[unit]} may be damaged: {why}")
        if account["unknown_examples"]:
            shown = ", ".join(printable_text(key) for key in account["unknown_examples"][:3])
            lines.append(f"  {name}: unknown ids: {shown}")
        lines += [f"  {name}: {text}" for text in file_notes(account, results["dataset"])]
    for model in results["models"]:
        lines.append(f"{escape_cell(model['model'])}:")
        lines += [f"  asked with {text}" for text in settings_notes(model)]
        lines += short_endings(model)
        lines += [f"  {text}" for text in _sample_lines(model)]
        if model["papers"]:
            beside = ", ".join(
                f"{load_tables(part['paper'])[part['table']].paper} {part['table']}"
                + ("" if part["comparable"] else " (cannot be compared)")
                for part in model["papers"]
            )
            lines.append(f"  next to the papers' tables, in tables.md: {beside}")
    for part in results["people"]:
        if not part["config"]:
            where = split_label(part["suite"], part["split"])
            scored = format_cell("accuracy", part["accuracy"], part["answers"])
            said = f"{scored} in {part['answers']:,} answers"
            who = "1 person" if part["people"] == 1 else f"{part['people']:,} people"
            lines.append(f"{who} on {where}: {said}; clusters are people")
    lines += _difference_lines(results)
    if results["not_scored"]:
        named_here = ", ".join(results["not_scored"][:_SOME])
        left = len(results["not_scored"]) - _SOME
        more = f" and {left} more" if left > 0 else ""
        lines.append(f"not scored (no prediction names them): {named_here}{more}")
    lines += [
        f"{part['config']}/{part['split']} is not scored: {printable_text(part['reason'], REASON)}"
        for part in results["unavailable"]
    ]
    return "\n".join(lines)


def _file_lines(account: results_schema.Input) -> list[str]:
    """Return what a prediction file held, in words."""
    forms = ", ".join(f"{name} ({count:,})" for name, count in account["formats"].items())
    ledger = account["ledger"]
    return [_count(ledger["read"]), forms or "no known format", *_list_disposition_counts(ledger)]


def ledger_lines(ledger: results_schema.Ledger) -> list[str]:
    """Return a line about what became of records, unless all are plainly graded."""
    said = _list_disposition_counts(ledger)
    return [f"{_count(ledger['read'])} read: {', '.join(said)}."] if said[1:] else []


def _list_disposition_counts(ledger: results_schema.Ledger) -> list[str]:
    """Return the numbers of records by disposition and flag, as far as there are any."""
    dispositions = ledger["dispositions"].items()
    found = [f"{n:,} {WORDS[name]}" for name, n in dispositions if n or name == "graded"]
    flags = [f"{n:,} {WORDS[name]}" for name, n in ledger["flags"].items() if n]
    return found + ([f"flagged: {', '.join(flags)}"] if flags else [])


def _list_unmeasured(results: results_schema.Results) -> list[str]:
    """Return of what too little arrived for a rank, a verdict or a comparison."""
    return [
        f"{escape_cell(model['model'])} on {split_label(config, split)}: no rank, "
        "verdict or comparison: "
        f"{arrived:.1%} of the replies arrived, and {LEAST_ARRIVED:.0%} must; missing=ignore "
        "leaves out rows that were not asked."
        for model in results["models"]
        if not is_person(model["model"])
        for config, split, report in iterate_splits(model)
        if (arrived := accuracy_of(report["cells"][0]).arrived or 0.0) < LEAST_ARRIVED
    ]


def _count(number: int) -> str:
    return f"{number:,} record{'' if number == 1 else 's'}"


def _summary_table(results: results_schema.Results) -> pd.DataFrame:
    """Return the one table of a terminal: configs if they are few, else suites."""
    own = [one for one in results["models"] if not is_person(one["model"])]
    models = own or list(results["models"])
    configs = {(config, split) for model in models for config, split, _ in iterate_splits(model)}
    if len(models) <= _SIDE and len(configs) <= _LISTED:
        return _config_table(models, suites=results["suites"])
    return _standings_table(results["suites"])


def format_rank(found: results_schema.Standing) -> str:
    """Return a rank as people read it: "1", "2 to 4" for ties, "-" for none."""
    first, last = found["first"], found["last"]
    if first is None:
        return "-"
    return str(first) if first == last else f"{first} to {last}"


def _standings_table(suites: Sequence[results_schema.Suite]) -> pd.DataFrame:
    """Return the standings, a model a row, best first."""
    rows: list[dict[str, Cell]] = [
        {
            "suite": split_label(part["suite"], part["split"]),
            "rank": format_rank(one),
            "model": escape_cell(one["model"]),
            "accuracy": format_cell(
                "accuracy", one["accuracy"], one["items"], one["accuracy"].get("baselines")
            ),
            "configs": one["configs"],
            "rows": one["items"],
            **Claim.read("accuracy", one["accuracy"]).columns(),
        }
        for part in suites
        for one in part["models"]
    ]
    return make_table(rows or [{"suite": "none"}], missing="-")


def _people_table(found: Sequence[results_schema.People]) -> pd.DataFrame:
    """Return the figures of all people together, a suite or a config a row."""
    rows: list[dict[str, Cell]] = [
        {
            "rows of": split_label(one["config"] or f"{one['suite']}, mean", one["split"]),
            "people": one["people"],
            "answers": one["answers"],
            "accuracy": format_cell(
                "accuracy", one["accuracy"], one["answers"], one["accuracy"].get("baselines")
            ),
            **Claim.read("accuracy", one["accuracy"]).columns(),
        }
        for one in found
    ]
    return make_table(rows, missing="-")


def _config_table(
    models: Sequence[results_schema.Model], suites: Sequence[results_schema.Suite] = ()
) -> pd.DataFrame:
    """Return the accuracies, a config a row; models side by side while they are few.

    Args:
        models: the models.
        suites: whose means stand above those of their configs, where they have several.
    """
    rows: list[dict[str, str | int]] = []
    found = {
        (config, split): report
        for model in models
        for config, split, report in iterate_splits(model)
    }
    side = len(models) <= _SIDE
    for (config, split), report in found.items():
        suite = config.partition(".")[0]
        for part in suites:
            several = max(one["configs"] for one in part["models"]) > 1
            if (part["suite"], part["split"]) == (suite, split) and several:
                suites = [one for one in suites if one is not part]
                rows.append(_suite_row(part))
        own = {
            model["model"]: model["configs"][config]["splits"][split]
            for model in models
            if split in model["configs"].get(config, {"splits": {}})["splits"]
        }
        won = accuracy_of(report["cells"][0])
        place: dict[str, str | int] = {
            "config": split_label(config, split),
            "rows": report["items_counted"],
            **_BLANK,
            **won.columns(),
        }
        said = {
            name: format_cell(
                "accuracy",
                one["cells"][0]["figures"]["accuracy"],
                report["items_counted"],
                won.baselines,
            )
            for name, one in own.items()
        }
        if side:
            place |= {escape_cell(name): text for name, text in said.items()}
        else:
            best = max(
                own, key=lambda name: own[name]["cells"][0]["figures"]["accuracy"]["value"] or 0.0
            )
            place |= {"best model": escape_cell(best), "accuracy": said[best]}
        rows.append(place)
    frame = make_table(rows or [{"config": "none"}], missing="-")
    unstated = [name for name, cell in _BLANK.items() if set(frame.get(name, ())) == {cell}]
    return frame.drop(columns=unstated)


def _suite_row(part: results_schema.Suite) -> dict[str, str | int]:
    """Return the row of a suite over its configs."""
    rows = max(one["items"] for one in part["models"])
    best = Claim.read("accuracy", part["models"][0]["accuracy"])
    values = {
        escape_cell(
            one["model"]
        ): f"{format_cell('accuracy', one['accuracy'], rows, best.baselines)}, "
        f"rank {format_rank(one)}"
        for one in part["models"]
    }
    return {
        "config": f"{split_label(part['suite'], part['split'])}, mean",
        "rows": rows,
        **_BLANK,
        **best.columns(),
        **values,
    }


def _duel_table(suites: Sequence[results_schema.Suite]) -> pd.DataFrame | None:
    """Return the pairs that are told apart, a pair a row; None where no models were compared."""
    pairs = [(part, duel) for part in suites for duel in part["duels"]]
    if not pairs:
        return None
    order = sorted(pairs, key=lambda pair: 1.0 if pair[1]["p_holm"] is None else pair[1]["p_holm"])
    return make_table(
        [
            {
                "suite": split_label(part["suite"], part["split"]),
                "first": escape_cell(duel["models"][0]),
                "second": escape_cell(duel["models"][1]),
                "difference": format_difference(duel),
                "p (Holm)": None if duel["p_holm"] is None else f"{duel['p_holm']:.3g}",
                "significant": "yes" if (duel["p_holm"] or 0.0) < ALPHA else "no",
            }
            for part, duel in order
        ]
    )


def _difference_lines(results: results_schema.Results) -> list[str]:
    """Return lines about the tests: how many differences are told from luck."""
    lines = []
    families: Sequence[tuple[str, Sequence[results_schema.Difference]]] = (
        ("pairs of models over a suite", [d for part in results["suites"] for d in part["duels"]]),
        ("pairs of models over a config", results["comparisons"]),
        (
            "changes of looks",
            [d for m in results["models"] for d in m["looks"] if d["difficulty"] is None],
        ),
    )
    for what, tests in families:
        known = [one["p_holm"] for one in tests if one["p_holm"] is not None]
        if known:
            apart = sum(p < ALPHA for p in known)
            lines.append(f"{apart} of {len(known)} {what} differ significantly (Holm, 5%)")
    return lines


def _sample_lines(model: results_schema.Model) -> list[str]:
    """Return what is to be said of configs with several samples an item."""
    return [
        f"{config}/{split}: {report['samples_per_item']} samples for each item; a figure is the "
        "mean over them, and missing samples count as wrong"
        for config, split, report in iterate_splits(model)
        if report["samples_per_item"] > 1
    ]


def _note_lines(results: results_schema.Results) -> list[str]:
    """Return what a reader must know besides the figures, the gravest first."""
    notes = [
        f"{split_label(part['config'], part['split'])} is not scored, because its "
        "task is not available "
        f"here: {escape_cell(part['reason'], REASON)}"
        for part in results["unavailable"]
    ]
    notes += _list_unmeasured(results)
    for account in results["inputs"]:
        notes.append(f"{escape_cell(account['file'])}: {', '.join(_file_lines(account))}.")
        notes += [
            f"{escape_cell(account['file'])}: {text}"
            for text in file_notes(account, results["dataset"])
        ]
    if results["not_scored"]:
        some = results["not_scored"]
        more = f" and {len(some) - 20} more" if len(some) > 20 else ""
        names = ", ".join(map(escape_cell, some[:20]))
        notes.append(
            f"Not scored, because no prediction names them (all=true counts them): {names}{more}"
        )
    for model in results["models"]:
        notes += [
            f"{escape_cell(model['model'])} was asked with {text}" for text in settings_notes(model)
        ]
        notes += _sample_lines(model)
    return [*notes, *(f"{line}." for line in _difference_lines(results))]


def _render_limited_table(frame: pd.DataFrame, most: int, what: str) -> list[str]:
    """Return a table of at most so many rows, and a line that says how many were left out."""
    lines = render_table(frame.head(most))
    if len(frame) > most:
        lines += ["", f"{len(frame) - most} more {what} are in tables.md and results.json."]
    return lines
