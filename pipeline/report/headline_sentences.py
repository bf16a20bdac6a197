"""Summarize a suite in sentences: the best model, whether its lead is significant, where it breaks.

A model breaks in the configs in which it falls, at some level, to what players win that never look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from facelet.pipeline.report.page_elements import format_p_value
from facelet.pipeline.scoring.aggregate.claims import ABOVE, Claim
from facelet.pipeline.scoring.aggregate.estimates import ALPHA
from facelet.pipeline.scoring.render import results_schema
from facelet.pipeline.scoring.render.table_frames import accuracy_of
from facelet.pipeline.scoring.render.text_tables import iterate_splits, printable_text

MOST = 3
"""Most places that are named."""


@dataclass(frozen=True, slots=True)
class SuiteHeadline:
    """What is to be known of a suite.

    Attributes:
        best: who is best.
        real: whether the difference is more than luck.
        breaks: where the best model breaks.
    """

    best: str
    real: str
    breaks: str


def build_headline(suite: results_schema.Suite, results: results_schema.Results) -> SuiteHeadline:
    """Return the headline of a suite."""
    if not (models := suite["models"]):
        return SuiteHeadline("Only people were asked.", "", "")
    first = models[0]
    scored = Claim.read("accuracy", first["accuracy"]).render(_sentence)
    tied = [one for one in models if one["first"] == 1]
    name = printable_text(first["model"], 60)
    if len(models) == 1 or not tied:
        best = f"{name} gets {scored}."
    elif len(tied) == 1:
        best = f"{name} is best with {scored}."
    else:
        best = f"{len(tied)} models share the first place; {name} leads with {scored}."
    return SuiteHeadline(best, _describe_lead(suite), _describe_breakdown(suite, results))


def _sentence(value: str, ends: str, notes: Sequence[str]) -> str:
    """Return a claim as a part of a sentence."""
    return f"{value}% ({'; '.join(filter(None, (ends, *notes)))})"


def _describe_lead(suite: results_schema.Suite) -> str:
    """Return whether the lead of the first model is more than luck."""
    models = suite["models"]
    if len(models) == 1:
        return "There is no second model to compare with."
    first = models[0]
    second = models[1]
    pair = {first["model"], second["model"]}
    duel = next((one for one in suite["duels"] if set(one["models"]) == pair), None)
    if second["first"] is None:
        return f"Too few replies of {printable_text(second['model'], 60)} arrived for a comparison."
    if duel is None or duel["difference"] is None:
        return (
            f"It was not compared with {printable_text(second['model'], 60)}: they share no rows."
        )
    points = f"{abs(100 * duel['difference']):.1f} points"
    significance = f"{format_p_value(duel['p_holm'])}, corrected for {len(suite['duels'])} tests"
    if len(suite["duels"]) == 1:
        significance = format_p_value(duel["p_holm"])
    other = printable_text(second["model"], 60)
    if duel["p_holm"] is not None and duel["p_holm"] < ALPHA:
        return f"The lead over {other}, {points}, is significant ({significance})."
    return f"The lead over {other}, {points}, is not significant ({significance})."


def _describe_breakdown(suite: results_schema.Suite, results: results_schema.Results) -> str:
    """Return where the best model falls to what guessing wins."""
    name = suite["models"][0]["model"]
    model = next(one for one in results["models"] if one["model"] == name)
    falls: list[str] = []
    guessed: list[str] = []
    scored: list[tuple[float, str]] = []
    for config, split_name, split in iterate_splits(model):
        suite_name, _, short = config.partition(".")
        if (suite_name, split_name) != (suite["suite"], suite["split"]):
            continue
        figure = split["cells"][0]["figures"]["accuracy"]
        if figure["value"] is None:
            continue
        scored.append(
            (figure["value"], f"{short} with {accuracy_of(split['cells'][0]).render(_sentence)}")
        )
        levels = _list_levels(split)
        down = next((level for level, above in levels if not above), None)
        if down is not None and down == levels[0][0]:
            guessed.append(short)
        elif down is not None:
            falls.append(f"{short} (lost at {split['difficulty_axis'] or 'level'} {down})")
    parts = []
    if falls:
        parts.append(f"Falls to the level of guessing: {_some(falls)}")
    if guessed:
        parts.append(f"No better than guessing from the start: {_some(guessed)}")
    if not parts and scored:
        parts.append(f"Above guessing at every level; weakest in {min(scored)[1]}")
    return ". ".join(parts) + "." if parts else "The levels do not differ."


def _some(found: list[str]) -> str:
    """Return the first of some names, and how many more there are."""
    more = [f"{len(found) - MOST} more"] if len(found) > MOST else []
    return ", ".join([*found[:MOST], *more])


def _list_levels(split: results_schema.Split) -> list[tuple[int, bool]]:
    """Return each level, in order, and whether the accuracy there is above guessing."""
    return sorted(
        (part["difficulty"], accuracy_of(part).verdict in (ABOVE, "not above a shortcut"))
        for part in split["cells"]
        if part["difficulty"] is not None and not part["by"]
        if "accuracy" in part["figures"] and part["figures"]["accuracy"]["low"] is not None
    )
