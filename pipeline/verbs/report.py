"""Make pages and charts of a score.

Writes a folder that opens from disk, without a server or a network, and that you can send to
others: which model is best and whether the lead is significant, where each model breaks, every
figure, the papers' tables with our rows (also as LaTeX and CSV, figures as PDF and SVG), the
baselines of each config, and every reply with its prompt and pictures. You can also send index.html
alone.

Several runs appear together; runs of one dataset appear side by side. Needs the extra 'report'
(altair and vl-convert-python).

Examples:
  facelet report data/out/facelet-paper.score/run-0001
  facelet report runs/a runs/b dataset=data/out/facelet-paper out=site

Exit status: 0 written, 2 a bad option, no such run or dataset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from facelet.pipeline.argument_text import can_show_progress, expand_home, sanitize_text
from facelet.pipeline.command.setting_keys import key

if TYPE_CHECKING:
    from facelet.pipeline.report.reply_browser import BrowserCounts


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which runs are shown, and where."""

    results: tuple[str, ...] = key(
        "The runs: folders that `facelet score` wrote.",
        allowed="folders, separated by commas",
        paths=True,
        place=True,
    )
    out: Path | None = key(
        "Where the pages go; a site that is there is replaced.",
        None,
        allowed="a folder; made if missing",
        shown="of <dataset>.score/RUN, <dataset>.report/RUN; else <results>.report",
    )
    dataset: tuple[str, ...] = key(
        "The datasets that were scored, for prompts and pictures.",
        (),
        allowed="dataset folders, separated by commas",
        shown="of a run in <dataset>.score, that dataset",
        paths=True,
    )
    items: bool = key("Whether the replies can be read, one by one.", True)
    replays: int = key(
        "Most plays of a model and a config that are drawn turn by turn, those that failed first.",
        20,
        low=0,
    )
    prices: Mapping[str, object] = key(
        "What a million tokens cost, of prompts and of replies, by model: costs are shown where "
        "predictions say their tokens.",
        {},
        allowed='a JSON object, such as {"my-model": [2.5, 10]}',
    )
    progress: bool | None = key(
        "Whether progress is shown.", None, allowed="true, false", shown="true in a terminal"
    )


def run(settings: Settings) -> int:
    """Write the site and return the exit status.

    Raises:
        ValueError: a run, a dataset or a price cannot be used, or the folder holds something else.
    """
    count = write_pages(settings)
    if settings.items:
        print(f"{count.samples:,} replies, {count.replays:,} plays drawn turn by turn")
    print(sanitize_text(f"written: {locate_pages(settings)}/index.html"))
    return 0


def locate_pages(settings: Settings) -> Path:
    """Return the folder of the site: the one that is named, or one beside the first run."""
    run = expand_home(settings.results[0]) if settings.results else Path("scores")
    if settings.out or run.parent.suffix != ".score":
        return settings.out or run.with_name(f"{run.name}.report")
    return run.parent.with_suffix(".report") / run.name


def write_pages(settings: Settings) -> BrowserCounts:
    """Write the site and return how many replies it shows.

    Raises:
        ValueError: a run, a dataset or a price cannot be used, or the folder holds something else.
    """
    from facelet.pipeline.report.report_site import write_report

    return write_report(
        [expand_home(name) for name in settings.results],
        locate_pages(settings),
        [expand_home(name) for name in settings.dataset],
        items=settings.items,
        replays=settings.replays,
        priced=settings.prices,
        progress=can_show_progress(settings.progress),
    )
