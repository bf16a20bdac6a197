"""Convert transcripts of runs over the authors' items to predictions of our rows.

A line contains the question's id, the model, and the chat: a list of messages with `role` and
`content` under any key, or the model's texts in `turns` of the first of `choices`. Ids are unique
only within a file of items, so the names of file and folders give game and level, as for items.
Only the model's replies are read: our own monitor answers them again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from facelet.pipeline.importing.import_writer import PlacedItem
from facelet.pipeline.importing.imported_items import RejectedItem
from facelet.pipeline.importing.item_lines import ItemLine, read_lines
from facelet.pipeline.importing.puzzle_items import find_own_id
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
