"""Draw chats for fine-tuning, and write them as the files that trainers load.

- "sharegpt" (LLaMA-Factory): {"conversations": [{"from": "human" or "gpt", "value"}], "system",
  "images"}, with "<image>" in the place of each picture; dataset_info.json names the columns.
- "messages" (TRL, Axolotl): {"messages": [{"role", "content"}], "images"}. Content is a text where
  a set has no pictures; else a list of parts {"type": "text", "text"} or {"type": "image"}, every
  part with both keys, as a typed table needs it, pictures in order in "images".

Every sample comes from the half of the starts that no test set uses (`half: train`). Levels 1 to
S_max take turns, so all have as many samples, give or take one, as published. No two samples ask
the same question.

Several tasks take turns in one set, sample by sample. A track is named as a task,
"shapes/forward_deformation", or as a config of a suite, "suite.name", whose params it then has.

Pictures are PNG files in the folder images. Their paths in train.jsonl are relative to the set, as
LLaMA-Factory expects. Trainers that read lines of messages resolve paths against their working
directory; for those a set with pictures is also written as train.parquet, which contains the
pictures themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from facelet.generators.core.prompts import PicturePart, Prompt
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.pipeline.config.build_settings import BuildSettings
from facelet.pipeline.config.settings_resolver import read_params, resolve_settings
from facelet.pipeline.dataset.atomic_files import check_new_folder, write_folder, write_text
from facelet.pipeline.dataset.row_columns import IMAGE
from facelet.pipeline.family_modules import AnyTask, load_task
from facelet.pipeline.formats import ChatForm, Target
from facelet.pipeline.formats.finetune_settings import FinetuneSettings
from facelet.pipeline.formats.format_writer import open_json_lines, to_readable_json
from facelet.renderers.api import render_png

MARK = "<image>"
_ATTEMPTS = 1000


@dataclass(frozen=True, slots=True)
class FinetuneSample:
    """One sample.

    Attributes:
        level: its level.
        prompt: the question.
        target: what the model is to reply.
        row: the columns of the question.
    """

    level: int
    prompt: Prompt
    target: str
    row: Mapping[str, object]


def iterate_samples(
    task: AnyTask,
    given: Mapping[str, object],
    count: int,
    highest: int,
    target: Target,
    seed: int,
) -> Iterator[FinetuneSample]:
    """Yield samples spread evenly over the levels 1 to `highest`, level by level in turn.

    Args:
        task: a task with params `level` and `half`.
        given: its other params.
        count: number of samples.
        highest: the greatest level (S_max).
        target: whether the reply is the letter alone or reasons first.
        seed: root of the seeds.

    Raises:
        ValueError: the task has no halves, a param is not allowed, or nothing reasons for it.
    """
    names = {item.name for item in dataclasses.fields(task.params)}
    if not {"level", "half"} <= names:
        raise ValueError(
            f"{task.name} has no levels, or no half that test sets leave out; "
            "use a task with the params level and half"
        )
    if taken := {"level", "half"} & set(given):
        raise ValueError(f"params.{min(taken)} is set by the fine-tuning set itself; leave it out")
    reasoned = {} if target == "letter" else {"prompt": "step_by_step", **given}
    seen: set[str] = set()
    numbers: dict[int, int] = {}
    for index in range(count):
        level = 1 + index % highest
        values = {**given, **reasoned, "level": level, "half": "train"}
        params = read_params(task, values, "params")
        path = (seed, "finetune", task.name, task.version, level)
        instance, numbers[level] = _draw_unseen(task, params, path, numbers.get(level, 0), seen)
        reply = (
            task.write_reasoned_reply(instance)
            if target == "reasoning"
            else task.reference(instance)[0]
        )
        yield FinetuneSample(level, task.open(instance).prompt(), reply, task.encode(instance))


def _draw_unseen(
    task: AnyTask, params: object, path: tuple[str | int, ...], number: int, seen: set[str]
) -> tuple[object, int]:
    """Return the next question that is not among those seen, and the number of the one after it."""
    for _ in range(_ATTEMPTS):
        for attempt in range(_ATTEMPTS):
            try:
                instance = task.generate(params, Draw(path, number, attempt), None)[0]
                break
            except Reject:
                continue
        else:
            break
        number += 1
        if (key := task.group_key(instance)) not in seen:
            seen.add(key)
            return instance, number
    raise ValueError(f"level {path[-1]} of {task.name} has no more questions; ask for fewer")


def format_sample(sample: FinetuneSample, form: ChatForm, images: list[str]) -> dict[str, object]:
    """Return a sample as a line of a set.

    Args:
        sample: the sample.
        form: the form.
        images: names of its pictures, in order of their places.
    """
    chat = [
        (
            message.role,
            [part if isinstance(part, PicturePart) else part.text for part in message.parts],
        )
        for message in sample.prompt.messages
    ]
    if form == "sharegpt":
        system = "\n\n".join(_join_with_marks(parts) for role, parts in chat if role == "system")
        asked = [_join_with_marks(parts) for role, parts in chat if role == "user"]
        turns = [{"from": "human", "value": text} for text in asked]
        turns.append({"from": "gpt", "value": sample.target})
        return {"conversations": turns, "system": system, "images": images}
    if not images:
        plain = [{"role": role, "content": _join_with_marks(parts)} for role, parts in chat]
        return {"messages": [*plain, {"role": "assistant", "content": sample.target}]}
    listed = [
        {"role": role, "content": [_format_part(part) for part in parts]} for role, parts in chat
    ]
    listed.append({"role": "assistant", "content": [_format_part(sample.target)]})
    return {"messages": listed, "images": images}


def _format_part(part: str | PicturePart) -> dict[str, object]:
    if isinstance(part, PicturePart):
        return {"type": "image", "text": None}
    return {"type": "text", "text": part}


def _join_with_marks(parts: list[str | PicturePart]) -> str:
    return "\n".join(MARK if isinstance(part, PicturePart) else part for part in parts)


@dataclass(frozen=True, slots=True)
class TaskTrack:
    """A part of a set.

    Attributes:
        task: what is asked.
        params: its params, but for level and half.
    """

    task: AnyTask
    params: Mapping[str, object]


def find_track(name: str, given: Mapping[str, object]) -> TaskTrack:
    """Return the track of a name.

    Args:
        name: a task or a config.
        given: params beside those of the config, which they replace.

    Raises:
        ValueError: there is no such task, suite or config.
    """
    suite, _, config = name.partition(".")
    if "/" in name or not config:
        return TaskTrack(load_task(name), given)
    entries = resolve_settings(BuildSettings(suites=(suite,)))[0].entries
    if (entry := next((one for one in entries if one.name == config), None)) is None:
        raise ValueError(
            f"task={name} is unknown; {suite} has "
            f"{', '.join(f'{suite}.{one.name}' for one in entries)}"
        )
    return TaskTrack(load_task(entry.task), {**entry.params, **given})


def mix_tracks(
    tracks: Sequence[TaskTrack], count: int, highest: int, target: Target, seed: int
) -> Iterator[FinetuneSample]:
    """Yield samples of tracks in turn; each track has as many, give or take one.

    Args:
        tracks: the tracks.
        count: number of samples of all tracks together.
        highest: the greatest level (S_max); of each track the levels have as many samples.
        target: whether the reply is the letter alone or reasons first.
        seed: root of the seeds.

    Raises:
        ValueError: a track will not do.
    """
    shares = [len(range(place, count, len(tracks))) for place in range(len(tracks))]
    drawn = [
        iterate_samples(one.task, one.params, share, highest, target, seed)
        for one, share in zip(tracks, shares, strict=True)
    ]
    rounds = chain.from_iterable(zip_longest(*drawn))
    return (sample for sample in rounds if sample is not None)


def write_finetune_set(settings: FinetuneSettings) -> int:
    """Write a set and return the number of its samples.

    Raises:
        ValueError: the folder is not empty, a task or a param will not do, or only some tasks
            have pictures.
    """
    check_new_folder(settings.out)
    if len(set(settings.task)) < len(settings.task):
        raise ValueError(f"task={','.join(settings.task)} names one twice; name each once")
    given = _parse_params(settings.params)
    tracks = [find_track(name, given) for name in settings.task]
    with write_folder(settings.out) as folder:
        return _write_samples(settings, tracks, folder)


def _write_samples(settings: FinetuneSettings, tracks: Sequence[TaskTrack], folder: Path) -> int:
    """Write the files of a set and return the number of its samples."""
    pictures = False
    group: list[dict[str, object]] = []
    table: pq.ParquetWriter | None = None
    with ExitStack() as stack, open_json_lines(folder / "train.jsonl") as lines:
        for sample in mix_tracks(
            tracks, settings.count, settings.highest, settings.target, settings.seed
        ):
            names = []
            for scene in sample.prompt.iterate_scenes():
                data, digest = render_png(scene)
                path = folder / "images" / f"{digest[:2]}" / f"{digest[:32]}.png"
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                names.append(path.relative_to(folder).as_posix())
            if lines.count and bool(names) != pictures:
                raise ValueError(
                    "some of these tasks have pictures and some have none; make a set of each"
                )
            pictures = bool(names)
            line = format_sample(sample, settings.form, names)
            lines.write(line)
            if names and settings.form == "messages":
                if table is None:
                    table = stack.enter_context(_open_table(folder / "train.parquet"))
                held = [
                    {"bytes": (folder / name).read_bytes(), "path": Path(name).name}
                    for name in names
                ]
                group.append({**line, "images": held})
                if len(group) == _GROUP:
                    _write_row_group(table, group)
        if table is not None:
            _write_row_group(table, group)
    if settings.form == "sharegpt":
        columns = {"messages": "conversations", "system": "system"}
        columns |= {"images": "images"} if pictures else {}
        about = {"file_name": "train.jsonl", "formatting": "sharegpt", "columns": columns}
        write_text(folder / "dataset_info.json", to_readable_json({"facelet": about}))
    return lines.count


_GROUP = 100
"""Samples of a row group."""
_TEXT = pa.list_(pa.struct({"type": pa.string(), "text": pa.string()}))
_SCHEMA = pa.schema(
    {
        "messages": pa.list_(pa.struct({"role": pa.string(), "content": _TEXT})),
        "images": pa.list_(IMAGE),
    }
)


def _open_table(path: Path) -> pq.ParquetWriter:
    """Return a writer of samples that hold their pictures."""
    from facelet.pipeline.dataset.hub_features import with_features  # loads datasets, in seconds

    return pq.ParquetWriter(path, with_features(_SCHEMA))


def _write_row_group(table: pq.ParquetWriter, group: list[dict[str, object]]) -> None:
    """Write the samples of a row group, and empty the list."""
    if group:
        table.write_table(pa.Table.from_pylist(group, schema=table.schema))
        group.clear()


def _parse_params(pairs: Sequence[str]) -> dict[str, object]:
    """Return params from "name:value" words, numbers and flags as such."""
    found: dict[str, object] = {}
    for pair in pairs:
        name, colon, value = pair.partition(":")
        if not colon:
            raise ValueError(f"params={pair} is not a pair; write name:value")
        flags = {"true": True, "false": False}
        found[name] = int(value) if value.isdecimal() else flags.get(value, value)
    return found
