"""Compute how many rows a comparison of two models needs.

Two models are asked the same rows and compared in pairs, as in `facelet score`. Prints how many
rows show a difference of a given number of points, and which difference a given number of rows can
show; for a dataset it does so for each config. Rows that share a puzzle count for less.

Examples:
  facelet plan-eval
  facelet plan-eval difference=3 power=80 accuracy=60 comparisons=10
  facelet plan-eval rows=500 dataset=data/out/facelet-paper
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is planned for; shares are in percent."""

    difference: float = key("Points of accuracy that shall be found.", 3.0, low=0, high=100)
    rows: int | None = key(
        "Rows that are planned: the difference that they show is printed as well.",
        None,
        low=1,
        shown="none",
    )
    power: float = key("How likely such a difference is found.", 80.0, low=50, high=99)
    alpha: float = key(
        "How likely some difference is found where there is none.", 5.0, low=0, high=20
    )
    accuracy: float = key("Accuracy of the weaker model.", 50.0, low=0, high=100)
    discordant: float | None = key(
        "Share of rows that exactly one of the two answers rightly; models that are alike have a "
        "low one, and need fewer rows. results.json of an earlier run tells it (only_first and "
        "only_second of a comparison).",
        None,
        low=0,
        high=100,
        shown="as if their errors were independent",
    )
    comparisons: int = key(
        "Paired tests that are made together; all are planned for Holm's strictest step.",
        1,
        low=1,
        high=100_000,
    )
    dataset: Path | None = key(
        "Say for each config what its rows can show.", None, allowed="a folder", shown="none"
    )


def run(settings: Settings) -> int:
    """Print the plan and return 0.

    Raises:
        ValueError: there are no such two models, or no such dataset.
    """
    from facelet.pipeline.dataset import dataset_reader, duplicates
    from facelet.pipeline.dataset_info import align_table
    from facelet.pipeline.sample_size.power import (
        ComparisonPlan,
        compute_required_rows,
        detectable_difference,
    )

    for name in ("difference", "alpha"):
        if getattr(settings, name) <= 0:
            raise ValueError(f"{name}=0 is out of range; use more than 0 percent, such as 3")
    discordant = None if settings.discordant is None else settings.discordant / 100
    plan = ComparisonPlan(
        accuracy=settings.accuracy / 100,
        discordant=discordant,
        power=settings.power / 100,
        alpha=settings.alpha / 100,
        comparisons=settings.comparisons,
    )

    def format_count(count: float) -> str:
        found = detectable_difference(plan, int(count))
        return "none" if found is None else f"{100 * found:.1f} points"

    needed = compute_required_rows(plan, settings.difference / 100)
    lines = [
        f"{needed:,} rows show a difference of {settings.difference:g} points from "
        f"{settings.accuracy:g}% with {settings.power:g}% power "
        f"(paired, alpha {settings.alpha:g}%, {settings.comparisons} comparisons)"
    ]
    if settings.rows is not None:
        lines.append(f"{settings.rows:,} rows show a difference of {format_count(settings.rows)}")
    if settings.dataset is not None:
        manifest = dataset_reader.read_manifest(settings.dataset)
        table = [("config", "split", "rows", "worth", "shows")]
        for config, split, content in manifest.iterate_splits():
            worth = (
                duplicates.read_effective_count(manifest.configs[config].audit, split)
                or content.rows
            )
            table.append((config, split, f"{content.rows:,}", f"{worth:,.0f}", format_count(worth)))
        lines += ["", *align_table(table, left=(0, 1))]
    print(sanitize_text("\n".join(lines)))
    return 0
