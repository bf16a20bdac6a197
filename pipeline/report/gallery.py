"""Write a gallery: items of every config as a model sees them, with the answer folded away.

Each config has a page, with its items by level, and every item its own address. No page needs a
script. If the items of a config are plays, the first item of each level shows, folded, a complete
play of a successful player.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet._version import __version__
from facelet.pipeline.dataset import dataset_reader, floor_record
from facelet.pipeline.dataset.row_columns import AnyRow, cell_label
from facelet.pipeline.report.page_templates import render_page
from facelet.pipeline.report.site_folder import SiteMessage, SitePictures, open_site_folder
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.row_opener import read_row
from facelet.pipeline.scoring.render.text_tables import printable_text

TURNS = 12
"""Most turns of a play that are shown."""

_BEGINNING = 300
"""Characters of a question that are shown for a config without pictures."""


@dataclass(frozen=True, slots=True)
class GalleryItem:
    """An item of a page.

    Attributes:
        id: id of its row.
        prompt: what a model is shown.
        gold: the right answer; "" where it is kept apart, or where only a play can be right.
        play: a whole play of a player that succeeds; none for a single question.
        cut: whether the play goes on behind the last message.
    """

    id: str
    prompt: Sequence[SiteMessage]
    gold: str
    play: Sequence[SiteMessage]
    cut: bool


@dataclass(frozen=True, slots=True)
class ConfigPage:
    """A page of a config.

    Attributes:
        name: the config, and its split where that is not test.
        page: its file.
        suite: its suite.
        about: lines about it.
        levels: its items by the label of their difficulty.
        picture: the hash of its first picture; "" where it has none.
        beginning: how the first question begins.
    """

    name: str
    page: str
    suite: str
    about: Sequence[str]
    levels: Mapping[str, Sequence[GalleryItem]]
    picture: str
    beginning: str


def write_gallery(dataset: Path, out: Path, *, items: int = 2, progress: bool = False) -> int:
    """Write the gallery of a dataset, and return the number of items.

    Args:
        dataset: the dataset folder.
        out: the folder of the site; one that this wrote before is replaced.
        items: items of each level.
        progress: whether progress is shown.

    Raises:
        ValueError: there is no such dataset, or `out` contains something else.
    """
    from tqdm import tqdm

    parts = dataset_reader.list_splits(dataset)
    about = (
        dataset_reader.read_manifest(dataset).configs
        if (dataset / dataset_reader.MANIFEST).is_file()
        else {}
    )
    with open_site_folder(out) as site:
        pictures = SitePictures(site)
        pages = []
        for part in tqdm(parts, desc="configs", disable=not progress):
            lines = []
            if (config := about.get(part.config)) is not None:
                lines.append(f"{config.task}, version {config.task_version}")
                if (split := config.splits.get(part.name)) is not None:
                    lines.append(f"Chance: {floor_record.format_chance(split.chance)}")
                lines.append(f"Floor: {floor_record.format_floor(config.floor)}")
            pages.append(_build_page(part, lines, items, pictures))
        suites: dict[str, list[ConfigPage]] = {}
        for one in pages:
            suites.setdefault(one.suite, []).append(one)
        made = f"Made by facelet {__version__} from {printable_text(dataset.name)}."
        links = [("Gallery", "index.html")]
        values: dict[str, Any] = {"links": links, "made": made, "here": "index.html"}
        text = render_page(
            "gallery", {**values, "title": f"{printable_text(dataset.name)}", "suites": suites}
        )
        (site / "index.html").write_text(text, encoding="utf-8")
        for place, one in enumerate(pages):
            before = pages[place - 1] if place else None
            after = pages[place + 1] if place + 1 < len(pages) else None
            page_values = {**values, "here": one.page, "title": one.name, "config": one}
            text = render_page("config", {**page_values, "before": before, "after": after})
            (site / one.page).write_text(text, encoding="utf-8")
    return sum(len(found) for one in pages for found in one.levels.values())


def _build_page(
    part: dataset_reader.SplitFiles, about: Sequence[str], items: int, pictures: SitePictures
) -> ConfigPage:
    """Return the page of a split.

    Args:
        part: the split.
        about: lines about its config.
        items: items of each level.
        pictures: the site's pictures.
    """
    levels: dict[str, list[GalleryItem]] = {}
    for row in _iterate_first_rows(part, items):
        label = cell_label(row["id"])
        found = levels.setdefault(label, [])
        found.append(_build_item(row, pictures, whole=not found))
    name = part.config if part.name == "test" else f"{part.config}/{part.name}"
    split = "" if part.name == "test" else f"-{part.name}"
    suite = part.config.partition(".")[0]
    every = [item for found in levels.values() for item in found]
    shown = (
        one["p"] for item in every for _, parts in item.prompt for one in parts if type(one) is dict
    )
    asked = (
        one
        for item in every
        for _, parts in item.prompt[-1:]
        for one in parts
        if type(one) is str and one
    )
    return ConfigPage(
        name,
        f"{part.config}{split}.html",
        suite,
        about,
        levels,
        next(shown, ""),
        next(asked, "")[:_BEGINNING],
    )


def _iterate_first_rows(part: dataset_reader.SplitFiles, items: int) -> Iterator[dict[str, Any]]:
    """Yield the first rows of each level, with their pictures."""
    chosen: dict[str, list[str]] = {}
    for row in part.iterate_rows(["id"]):
        cell = chosen.setdefault(cell_label(row["id"]), [])
        if len(cell) < items:
            cell.append(row["id"])
    wanted = {identifier for cell in chosen.values() for identifier in cell}
    yield from (row for row in part.iterate_rows(images=True) if row["id"] in wanted)


def _build_item(row: AnyRow, pictures: SitePictures, *, whole: bool) -> GalleryItem:
    """Return an item.

    Args:
        row: its row.
        pictures: the site's pictures.
        whole: whether a play of it is shown.
    """
    play, cut = (
        _play_reference(row, pictures) if whole and row.get("gold") is not None else ([], False)
    )
    return GalleryItem(row["id"], pictures.list_prompt(row), row.get("gold") or "", play, cut)


def _play_reference(row: AnyRow, pictures: SitePictures) -> tuple[list[SiteMessage], bool]:
    """Return a play by a player that succeeds, and whether it goes on; nothing for a question."""
    try:
        known = {name: value for name, value in row.items() if name != dataset_reader.IMAGES}
        play = open_row(known, "dataset")
        read = read_row(known)
        replies = list(read.task.reference(read.instance))
    except ValueError:
        return [], False  # The task is another one here; the prompt is shown as it stands.
    for text in replies[:TURNS]:
        if not play.done:
            play.reply(text)
    if len(replies) < 2:
        return [], False
    return pictures.list_chat(play), len(replies) > TURNS
