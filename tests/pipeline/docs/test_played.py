"""Pages of configs: every turn that a page shows is there, with its text and its pictures."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops
from small_datasets import drawn_items, published_row
from typed import resolve

from facelet import environment
from facelet.generators.core.task import Need
from facelet.pipeline import families
from facelet.pipeline.build.plan import Cell, make_plan
from facelet.pipeline.command.completing import choices
from facelet.pipeline.docs import tasks
from facelet.pipeline.docs.markdown import fenced

HEADING = re.compile(r"## (?:Turn (\d+): w|W)hat a model is shown")
PICTURE = re.compile(r"!\[Picture \d+\]\(([^)]+)\)")


@cache
def configs() -> dict[str, Cell]:
    """Return the first cell of each config of each suite; of equal ones the first alone."""
    settings, _ = resolve(["profile=smoke", f"suites=[{','.join(choices('suite'))}]"])
    firsts = {name: cells[0] for name, cells in make_plan(settings).configs().items()}
    alike = {(cell.task, cell.params): name for name, cell in reversed(firsts.items())}
    return {name: firsts[name] for name in sorted(alike.values())}


def turns(row: Mapping[str, Any], replies: list[str]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the messages that each turn of a play adds, and all pictures until then."""
    play = environment.open_row(row, "dataset")
    before: list[Any] = []
    for said in replies[: tasks.TURNS]:
        now = play.messages
        # After the reply comes what it was answered with; or else a new chat begins.
        goes_on = bool(before) and now[: len(before)] == before
        yield (now[len(before) + 1 :] if goes_on else now), play.images
        before = now
        play.reply(said)


def wrong(lines: list[str], row: Mapping[str, Any], replies: list[str], folder: Path) -> list[str]:
    """Return what the turns on a page lack."""
    sections: dict[int, list[str]] = {}
    turn, fence = 0, ""
    for line in lines:
        if fence:
            fence = "" if line == fence else fence
        elif start := re.match("`{3,}", line):
            fence = start[0]
        elif line.startswith("## "):
            found = HEADING.match(line)
            turn = int(found[1] or 1) if found else 0
        if turn:
            sections.setdefault(turn, []).append(line)
    found = []
    played = list(turns(row, replies))
    if list(sections) != list(range(1, len(played) + 1)):
        found.append(f"turns {list(sections)} of {len(played)}")
    for number, (messages, images) in enumerate(played, start=1):
        text = "\n".join(sections.get(number, []))
        if not any(line.startswith("```") for line in sections.get(number, [])):
            found.append(f"turn {number} is empty")
        parts = [part for message in messages for part in message["content"]]
        for part in parts:
            if part["type"] == "text":
                whole = "\n".join(fenced(part["text"]))
                if whole not in text and len(part["text"]) <= tasks.LONGEST:
                    found.append(f"turn {number} lacks {part['text'][:60]!r}")
        shown = [Image.open(folder / name) for name in PICTURE.findall(text)]
        asked = [images[part["image"]] for part in parts if part["type"] == "image"]
        if len(shown) != len(asked) or any(
            ImageChops.difference(one, other).getbbox()
            for one, other in zip(shown, asked, strict=True)
        ):
            found.append(f"turn {number} shows {len(shown)} pictures of {len(asked)}, or others")
    return found


def page(cell: Cell, resource: Callable[[Need | None], Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a row of a cell as a build publishes it, and the replies of the reference player."""
    task = families.task(cell.task)
    params = cell.make_params(task)
    instance = drawn_items(task, params, resource(task.needs(params)), 1)[0]
    return published_row(task, instance, params, 0), task.reference(instance)


@pytest.mark.parametrize("suite", choices("suite"))
@pytest.mark.some(4)
def test_no_turn_is_empty_and_each_shows_what_a_player_is_shown(suite, resource, tmp_path):
    mine = [cell for name, cell in configs().items() if cell.suite == suite]
    several = 0
    for cell in mine:
        row, replies = page(cell, resource)
        path = tmp_path / f"{cell.config}.md"
        lines = list(tasks.played(families.task(cell.task), row, path))
        assert not (faults := wrong(lines, row, replies, tmp_path)), (cell.config, faults)
        several += len(replies) > 1
    if suite in ("cube_bench", "evolarena", "marble_variants"):
        assert several, "these have episodes of several turns"


def test_a_turn_that_is_empty_or_lacks_its_picture_is_seen(resource, tmp_path):
    cell = configs()["cube_bench.learning_curve"]
    row, replies = page(cell, resource)
    lines = list(tasks.played(families.task(cell.task), row, tmp_path / "page.md"))
    assert not wrong(lines, row, replies, tmp_path)
    second = lines.index("## Turn 2: what a model is shown")
    after = lines.index("## Turn 2: a right reply")
    empty = lines[: second + 1] + lines[after:]
    assert "turn 2 is empty" in wrong(empty, row, replies, tmp_path)
    without = [line for line in lines if not PICTURE.match(line) or "-1.png" in line]
    assert [fault for fault in wrong(without, row, replies, tmp_path) if "0 pictures of 1" in fault]
    buffer = io.BytesIO()
    Image.new("RGB", (9, 9)).save(buffer, "PNG")
    (tmp_path / "page-2.png").write_bytes(buffer.getvalue())
    assert wrong(lines, row, replies, tmp_path) == ["turn 2 shows 1 pictures of 1, or others"]
