"""Import the items of EvolArena's authors (published as MTR-Bench), and transcripts of their runs.

Transcripts become predictions of our rows. A line contains the question's id, the model, and the
chat: a list of messages with `role` and `content` under any key, or the model's texts in `turns` of
the first of `choices`. Only the model's replies are read: our own monitor answers them again.

Items come as a JSONL for each game and level. A line contains `question_id`, mostly `scale` (the
size), and the puzzle under keys of its own; package `item_readers` finds its game and reads it.
Rows have published=true. Lines of drafts and of superseded or extra files (`test`, `*_test`,
`*_old`, `*_add`, `*_real`) are not read.

Ids are unique only within a file of items, so the names of file and folders give game and level,
for items and transcripts alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline import family_modules
from facelet.pipeline.importing.import_writer import PlacedItem
from facelet.pipeline.importing.imported_items import (
    ImportedItem,
    ImportedItems,
    ItemLine,
    RejectedItem,
    UnprovenError,
    find_own_id,
    read_lines,
)
from facelet.pipeline.json_types import JSON
from facelet.pipeline.papers.evolarena.item_readers.game_readers import GAMES, find_game, find_level


def answers(path: Path, placed: Sequence[PlacedItem]) -> tuple[list[str], list[RejectedItem]]:
    """Return the lines of a prediction file, and the rejected transcripts.

    Args:
        path: a file of transcripts, or a folder of such files.
        placed: the imported items.

    Raises:
        ValueError: there is no such file.
        OSError: a file cannot be read.
    """
    files = sorted(path.rglob("*.jsonl")) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise ValueError(f"{str(path)!r} is no file and no folder with *.jsonl")
    known = {
        (one.item.task.name, one.item.params.difficulty().value, one.item.own_id): one
        for one in placed
    }
    lines: list[str] = []
    broken: list[RejectedItem] = []
    for file in files:
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        for line in read_lines(file, name):
            own = find_own_id(line.values, "question_id")
            try:
                key = (f"arcade/{find_game(line)}", find_level(line), own)
                lines.append(_build_prediction(line, known.get(key)))
            except ValueError as error:
                broken.append(RejectedItem(line, str(error), own))
    return lines, broken


def _build_prediction(line: ItemLine, one: PlacedItem | None) -> str:
    """Return a transcript as a prediction line.

    Raises:
        ValueError: it belongs to no imported item, or cannot be replayed.
    """
    if line.values is None:
        raise ValueError(line.fault)
    if one is None:
        raise ValueError("no imported item of its game and level has its question_id")
    task: Any = one.item.task
    if task.by_luck or GAMES[task.name.partition("/")[2]].draw_hidden:
        raise ValueError(f"{task.name} draws at random in play: a replay would be another game")
    if not (said := list(_iterate_replies(line.values))):
        raise ValueError("it contains no reply of a model")
    model = line.values.get("model_id", line.values.get("model"))
    return (
        json.dumps(
            {
                "id": one.ids[0],
                "model": model if isinstance(model, str) and model else Path(line.file).stem,
                "messages": [{"role": "assistant", "content": text} for text in said],
            }
        )
        + "\n"
    )


def _iterate_replies(values: Mapping[str, JSON]) -> Iterator[str]:
    """Yield the model's replies in order."""
    choices = values.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        values = {**values, **choices[0]}
    turns = values.get("turns")
    if isinstance(turns, list) and turns and all(isinstance(turn, str) for turn in turns):
        yield from (turn for turn in turns if isinstance(turn, str))
        return
    chats = [held for held in values.values() if _is_chat(held)]
    for message in chats[0] if len(chats) == 1 and isinstance(chats[0], list) else ():
        if isinstance(message, dict) and message["role"] == "assistant":
            yield str(message["content"])


def _is_chat(held: JSON) -> bool:
    """Return whether a value is a list of messages."""
    return (
        isinstance(held, list)
        and bool(held)
        and all(
            isinstance(one, dict)
            and isinstance(one.get("role"), str)
            and isinstance(one.get("content"), str)
            for one in held
        )
    )


__all__ = ["answers", "read"]

FORM = "mtr_bench"
DRAWS = 50
"""Attempts per item to draw what the authors' monitor draws in play."""

UNOFFICIAL = {"test": "a draft", "old": "superseded", "add": "extra", "real": "extra"}
"""What files with this last word in their name are."""


def read(folder: Path, seed: int) -> ImportedItems:
    """Return the items of a folder.

    An id that a file repeats for another puzzle gets the line's number, as in `1-line25`.

    Args:
        folder: the folder; files may be at any depth.
        seed: root of the seeds of what a game draws in play.

    Raises:
        ValueError: the folder is missing, or contains no file of this format.
        OSError: a file cannot be read.
    """
    if not (paths := sorted(folder.rglob("*.jsonl"))):
        raise ValueError(f"{str(folder)!r} has no *.jsonl; name the folder of the item files")
    items: list[ImportedItem] = []
    broken: list[RejectedItem] = []
    seen: dict[tuple[str, int, str], ItemLine] = {}
    for path in paths:
        name = path.relative_to(folder).as_posix()
        for line in read_lines(path, name):
            own = find_own_id(line.values, "question_id")
            try:
                game = _find_official_game(line, own)
                if (first := seen.setdefault((game, find_level(line), own), line)) is not line:
                    if first.values == line.values:
                        raise ValueError(f"it repeats {first.location}")
                    own = f"{own}-line{line.number}"
                items.append(_build_item(line, game, own, seed, len(items)))
            except (ValueError, Reject) as error:
                broken.append(RejectedItem.from_error(line, error, own))
    return ImportedItems(FORM, items, broken)


def _find_official_game(line: ItemLine, own: str) -> str:
    """Return the game of a line.

    Raises:
        ValueError: it is no official item.
    """
    stem = Path(line.file).stem.lower()
    if kind := UNOFFICIAL.get(stem.rpartition("_")[2]):
        raise ValueError(f"{kind}: its file is called {stem}")
    if line.values is None:
        raise ValueError(line.fault)
    if not own:
        raise ValueError("it has no question_id: a text or a whole number")
    return find_game(line)


def _build_item(line: ItemLine, game: str, own: str, seed: int, number: int) -> ImportedItem:
    """Return the item of a line.

    Raises:
        ValueError: it cannot be read, breaks a rule of its game, or is too large.
        Reject: neither the reference player nor a known solution wins it.
    """
    reader = GAMES[game]
    task: Any = family_modules.load_task(f"arcade/{game}")
    level = find_level(line)
    params = task.params(level=level, published=True)
    columns, luck = reader.read({**(line.values or {}), "level": level})
    measured = columns[reader.size]
    size = measured if isinstance(measured, int) else len(measured)
    if size > reader.max_size:
        raise UnprovenError(
            f"its size ({reader.size}) is {size}; {game} is proven up to {reader.max_size}"
        )
    if luck is None:
        luck = 1 / task.capacity(params)
    path = (seed, task.name, task.version, FORM, params.difficulty().label, own)
    last = Reject("there was no draw")
    # What is drawn in play is ours: where the reference player loses by it, it is redrawn.
    for attempt in range(DRAWS if task.by_luck or reader.draw_hidden else 1):
        draw = Draw(path, number, attempt)
        terms = task.terms(params, draw, first_luck=luck)
        drawn = reader.draw_hidden(columns, draw) if reader.draw_hidden else {}
        puzzle = task.instance(terms=terms, **columns, **drawn)
        try:
            return ImportedItem(
                line, own, task, params, [task.fill_terms(params, puzzle, informed=True)], draw
            )
        except Reject as reject:
            last = reject
    raise last
