"""Items of EvolArena's authors, published as MTR-Bench: a JSONL for each game and level.

A line holds `question_id`, `scale` (the size), `difficulty`, and the puzzle under names of its
own; see `item_names` for how its game is known, and the room `reading` for what is taken of it.
What breaks the rules of its game is kept apart, and so is what the reference player does not win.
Rows are of published=true.

Files called test, or ending in _test, are drafts of theirs; their lines are kept apart as such.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline import family_modules
from facelet.pipeline.importing.imported_items import ImportedItem, ImportedItems, RejectedItem
from facelet.pipeline.importing.item_lines import ItemLine, read_lines
from facelet.pipeline.importing.puzzle_items import find_own_id
from facelet.pipeline.papers.evolarena.author_transcripts import answers
from facelet.pipeline.papers.evolarena.item_names import find_game, find_level
from facelet.pipeline.papers.evolarena.item_readers.game_readers import GAMES

__all__ = ["answers", "read"]

FORM = "mtr_bench"
DRAWS = 50
"""Draws of what the authors' monitor draws in play that an item is tried with."""


def read(folder: Path, seed: int) -> ImportedItems:
    """Return the items of a folder.

    Args:
        folder: the folder; files may lie at any depth.
        seed: what is drawn from where a game draws in play.

    Raises:
        ValueError: there is no such folder, or no file of this form in it.
        OSError: a file cannot be read.
    """
    paths = sorted(folder.rglob("*.jsonl"))
    if not paths:
        raise ValueError(f"{str(folder)!r} holds no *.jsonl; name the folder of the item files")
    items: list[ImportedItem] = []
    broken: list[RejectedItem] = []
    seen: dict[tuple[str, int, str], str] = {}
    for path in paths:
        name = path.relative_to(folder).as_posix()
        for line in read_lines(path, name):
            own = find_own_id(line.values, "question_id")
            try:
                item = _build_item(line, own, seed, len(items))
                key = (item.task.name, item.params.difficulty().value, own)
                if key in seen:
                    raise ValueError(f"another line has the same question_id: {seen[key]}")
                seen[key] = line.location
                items.append(item)
            except (ValueError, Reject) as error:
                broken.append(RejectedItem(line, str(error), own))
    return ImportedItems(FORM, items, broken)


def _build_item(line: ItemLine, own: str, seed: int, number: int) -> ImportedItem:
    """Return the item of a line.

    Raises:
        ValueError: it is none, or breaks a rule of its game.
        Reject: the reference player does not win it.
    """
    stem = Path(line.file).stem.lower()
    if stem == "test" or stem.endswith("_test"):
        raise ValueError("a draft: its file is called test")
    if line.values is None:
        raise ValueError(line.fault)
    if not own:
        raise ValueError("it has no question_id: a text or a whole number")
    game = find_game(line)
    reader = GAMES[game]
    task: Any = family_modules.load_task(f"arcade/{game}")
    params = task.params(level=find_level(line), published=True)
    columns, luck = reader.read(line.values)
    held = columns[reader.size]
    size = held if isinstance(held, int) else len(held)
    if size > reader.max_size:
        raise ValueError(
            f"its size ({reader.size}) is {size}; of {game} those up to {reader.max_size} are read"
        )
    if luck is None:
        luck = 1 / task.capacity(params)
    path = (seed, task.name, task.version, FORM, params.difficulty().label, own)
    last = Reject("there was no draw")
    # What is drawn in play is ours: where the reference player loses by it, it is drawn anew.
    for attempt in range(DRAWS if task.by_luck or reader.draw_hidden else 1):
        draw = Draw(path, number, attempt)
        terms = task.terms(params, draw, first_luck=luck)
        drawn = reader.draw_hidden(columns, draw) if reader.draw_hidden else {}
        puzzle = task.instance(terms=terms, **columns, **drawn)
        try:
            return ImportedItem(line, own, task, params, [task.fill_terms(params, puzzle)], draw)
        except Reject as reject:
            last = reject
    raise last
