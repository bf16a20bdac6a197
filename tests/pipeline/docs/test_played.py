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
from small_datasets import draw_items, make_published_row
from typed import resolve_words

from facelet import environment
from facelet.generators.core.task import Need
from facelet.pipeline import family_modules
from facelet.pipeline.build.build_plan import PlanCell, compute_plan
from facelet.pipeline.command.setting_keys import list_conf_files
from facelet.pipeline.docs import docs_site
from facelet.pipeline.docs.docs_site import render_code_block

HEADING = re.compile(r"## (?:Turn (\d+): w|W)hat a model is shown")
PICTURE = re.compile(r"!\[Picture \d+\]\(([^)]+)\)")


@cache
def configs() -> dict[str, PlanCell]:
    """Return the first cell of each config of each suite; of equal ones the first alone."""
    settings, _ = resolve_words(["profile=smoke", f"suites=[{','.join(list_conf_files('suite'))}]"])
    firsts = {name: cells[0] for name, cells in compute_plan(settings).cells_by_config().items()}
    alike = {(cell.task, cell.params): name for name, cell in reversed(firsts.items())}
    return {name: firsts[name] for name in sorted(alike.values())}


def iterate_turns(
    row: Mapping[str, Any], replies: list[str]
) -> Iterator[tuple[list[Any], list[Any]]]:
    """Yield the messages that each turn of a play adds, and all pictures until then."""
    play = environment.open_row(row, "dataset")
    before: list[Any] = []
    for said in replies[: docs_site.TURNS]:
        now = play.messages
        # After the reply comes what it was answered with; or else a new chat begins.
        goes_on = bool(before) and now[: len(before)] == before
        yield (now[len(before) + 1 :] if goes_on else now), play.images
        before = now
        play.reply(said)


def missing_turns(
    lines: list[str], row: Mapping[str, Any], replies: list[str], folder: Path
) -> list[str]:
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
    played = list(iterate_turns(row, replies))
    if list(sections) != list(range(1, len(played) + 1)):
        found.append(f"turns {list(sections)} of {len(played)}")
    for number, (messages, images) in enumerate(played, start=1):
        text = "\n".join(sections.get(number, []))
        if not any(line.startswith("```") for line in sections.get(number, [])):
            found.append(f"turn {number} is empty")
        parts = [part for message in messages for part in message["content"]]
        for part in parts:
            if part["type"] == "text":
                whole = "\n".join(render_code_block(part["text"]))
                if whole not in text and len(part["text"]) <= docs_site.LONGEST:
                    found.append(f"turn {number} lacks {part['text'][:60]!r}")
        shown = [Image.open(folder / name) for name in PICTURE.findall(text)]
        asked = [images[part["image"]] for part in parts if part["type"] == "image"]
        if len(shown) != len(asked) or any(
            ImageChops.difference(one, other).getbbox()
            for one, other in zip(shown, asked, strict=True)
        ):
            found.append(f"turn {number} shows {len(shown)} pictures of {len(asked)}, or others")
    return found


def make_page(
    cell: PlanCell, resource: Callable[[Need | None], Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return a row of a cell as a build publishes it, and the replies of the reference player."""
    task = family_modules.load_task(cell.task)
    params = cell.make_params(task)
    instance = draw_items(task, params, resource(task.needs(params)), 1)[0]
    return make_published_row(task, instance, params, 0), task.reference(instance)


@pytest.mark.parametrize("suite", list_conf_files("suite"))
@pytest.mark.some(4)
def test_no_turn_is_empty_and_each_shows_what_a_player_is_shown(suite, resource, tmp_path):
    mine = [cell for name, cell in configs().items() if cell.suite == suite]
    several = 0
    for cell in mine:
        row, replies = make_page(cell, resource)
        path = tmp_path / f"{cell.config}.md"
        lines = list(docs_site.iterate_play_lines(family_modules.load_task(cell.task), row, path))
        assert not (faults := missing_turns(lines, row, replies, tmp_path)), (cell.config, faults)
        several += len(replies) > 1
    if suite in ("cube_bench", "evolarena", "marble_variants"):
        assert several, "these have episodes of several turns"


def test_a_turn_that_is_empty_or_lacks_its_picture_is_seen(resource, tmp_path):
    cell = configs()["cube_bench.learning_curve"]
    row, replies = make_page(cell, resource)
    lines = list(
        docs_site.iterate_play_lines(family_modules.load_task(cell.task), row, tmp_path / "page.md")
    )
    assert not missing_turns(lines, row, replies, tmp_path)
    second = lines.index("## Turn 2: what a model is shown")
    after = lines.index("## Turn 2: a right reply")
    empty = lines[: second + 1] + lines[after:]
    assert "turn 2 is empty" in missing_turns(empty, row, replies, tmp_path)
    without = [line for line in lines if not PICTURE.match(line) or "-1.png" in line]
    assert [
        fault
        for fault in missing_turns(without, row, replies, tmp_path)
        if "0 pictures of 1" in fault
    ]
    buffer = io.BytesIO()
    Image.new("RGB", (9, 9)).save(buffer, "PNG")
    (tmp_path / "page-2.png").write_bytes(buffer.getvalue())
    assert missing_turns(lines, row, replies, tmp_path) == [
        "turn 2 shows 1 pictures of 1, or others"
    ]
