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
from facelet.pipeline import families
from facelet.pipeline.importing.items import Broken, Found, Item
from facelet.pipeline.importing.lines import Line
from facelet.pipeline.importing.lines import read as lines_of
from facelet.pipeline.importing.puzzles import own_id
from facelet.pipeline.papers.evolarena.item_names import game_of, level_of
from facelet.pipeline.papers.evolarena.reading.games import GAMES
from facelet.pipeline.papers.evolarena.transcripts import answers

__all__ = ["answers", "read"]

FORM = "mtr_bench"
DRAWS = 50
"""Draws of what the authors' monitor draws in play that an item is tried with."""


def read(folder: Path, seed: int) -> Found:
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
    items: list[Item] = []
    broken: list[Broken] = []
    seen: dict[tuple[str, int, str], str] = {}
    for path in paths:
        name = path.relative_to(folder).as_posix()
        for line in lines_of(path, name):
            own = own_id(line.values, "question_id")
            try:
                item = _item(line, own, seed, len(items))
                key = (item.task.name, item.params.difficulty().value, own)
                if key in seen:
                    raise ValueError(f"another line has the same question_id: {seen[key]}")
                seen[key] = line.place
                items.append(item)
            except (ValueError, Reject) as error:
                broken.append(Broken(line, str(error), own))
    return Found(FORM, items, broken)


def _item(line: Line, own: str, seed: int, number: int) -> Item:
    """Return the item of a line.

    Raises:
        ValueError: it is none, or breaks a rule of its game.
        Reject: the reference player does not win it.
    """
    stem = Path(line.file).stem.lower()
    if stem == "test" or stem.endswith("_test"):
        raise ValueError("a draft: its file is called test")
    if line.values is None:
        raise ValueError(line.wrong)
    if not own:
        raise ValueError("it has no question_id: a text or a whole number")
    game = game_of(line)
    reader = GAMES[game]
    task: Any = families.task(f"arcade/{game}")
    params = task.params(level=level_of(line), published=True)
    columns, luck = reader.read(line.values)
    held = columns[reader.size]
    size = held if isinstance(held, int) else len(held)
    if size > reader.most:
        raise ValueError(
            f"its size ({reader.size}) is {size}; of {game} those up to {reader.most} are read"
        )
    if luck is None:
        luck = 1 / task.capacity(params)
    path = (seed, task.name, task.version, FORM, params.difficulty().label, own)
    last = Reject("there was no draw")
    # What is drawn in play is ours: where the reference player loses by it, it is drawn anew.
    for attempt in range(DRAWS if task.by_luck or reader.drawn else 1):
        draw = Draw(path, number, attempt)
        terms = task.terms(params, draw, first_luck=luck)
        drawn = reader.drawn(columns, draw) if reader.drawn else {}
        puzzle = task.instance(terms=terms, **columns, **drawn)
        try:
            return Item(line, own, task, params, [task.settled(params, puzzle)], draw)
        except Reject as reject:
            last = reject
    raise last
