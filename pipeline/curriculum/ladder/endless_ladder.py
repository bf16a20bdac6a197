"""Ladders that a user climbs: open ladders with a dataset or without, and list their questions.

An `EndlessLadder` needs no dataset: it is one config of a suite, a seed and a top. Question number
n of a level is the same for everyone who uses these, and no other is ever drawn. Its id,
"suite.task/l0012/000042", contains all that is needed to draw it again, so answers are judged
without a table of questions. Memory and time depend on the questions asked, not on the height of
the ladder. It supports tasks that need no resource, whose items are one row of one reply, and whose
difficulty is a whole number.

A source of ladders is a dataset folder or an `EndlessLadder`. A request is {"id", "custom_id",
"messages"}: the question's id, the same with characters that batch APIs allow, and the chat in the
form of chat completions, pictures as data URLs. `facelet score` and `facelet ladder` accept answers
by either id. So a ladder is climbed in batches: list the next questions, ask them, add the answers
to the predictions, and repeat until nothing is due.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from facelet.generators.core import task_registry
from facelet.generators.core.chance_level import ExactChance
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Status
from facelet.pipeline.config.build_settings import BuildSettings
from facelet.pipeline.config.settings_resolver import read_params, resolve_settings
from facelet.pipeline.curriculum.ladder.climb import RUNS, VISIT_QUESTIONS, VISITS
from facelet.pipeline.curriculum.ladder.prediction_ladders import (
    LadderRungs,
    ModelLadder,
    build_ladder,
    iterate_ladders,
)
from facelet.pipeline.curriculum.ladder.settings import LadderSelection
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.rollout import open_row
from facelet.pipeline.rollout import rows as rows_of
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow
from facelet.pipeline.rollout.streams.cell_items import draw_item
from facelet.pipeline.scoring.grade.dispositions import Duplicates
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import Prediction, UnreadableRecord
from facelet.pipeline.scoring.ingest.prediction_reader import name_files
from facelet.pipeline.scoring.ingest.record_formats import detect_format, record_of

MOST = 1000
"""Questions of a level that ids have numbers for, at most."""


@dataclass(frozen=True, slots=True)
class EndlessLadder(Sequence[str]):
    """A ladder; as a sequence, the ids of its questions, level by level.

    Attributes:
        config: the config, "suite.task".
        task: its task.
        params: its params without the axis.
        axis: the param that is the level.
        top: the highest level.
        seed: root of all seeds.
        runs: climbs with questions of their own.
    """

    config: str
    task: AnyTask
    params: Mapping[str, object]
    axis: str
    top: int
    seed: int
    runs: int

    @property
    def per_level(self) -> int:
        """Return how many questions a level has."""
        return VISIT_QUESTIONS * VISITS * self.runs

    def __len__(self) -> int:
        """Return how many questions there are."""
        return self.top * self.per_level

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        """Return the id of a question."""
        if isinstance(place, slice):
            return [self[n] for n in range(len(self))[place]]
        level, number = divmod(range(len(self))[place], self.per_level)
        return f"{self.config}/l{level + 1:02d}/{number:06d}"

    def find_place(self, identifier: str) -> int | None:
        """Return the index of an id, also in the form of batch APIs; None if it is no question."""
        config = re.escape(self.config).replace(r"\.", "[.-]")
        if not (found := re.fullmatch(rf"{config}[/-]l(\d{{1,6}})[/-](\d{{6}})", identifier)):
            return None
        level, number = int(found[1]), int(found[2])
        if not 1 <= level <= self.top or number >= self.per_level:
            return None
        return (level - 1) * self.per_level + number

    def draw_instance(self, place: int) -> Any:
        """Return the question at an index.

        Raises:
            ValueError: every draw was rejected.
        """
        level, number = divmod(place, self.per_level)
        params = read_params(self.task, {**self.params, self.axis: level + 1}, self.config)
        path = (self.seed, self.task.name, self.task.version, "ladder", self.axis, level + 1)
        return draw_item(self.task, params, path, number, None)[1][0]

    def open_play(self, identifier: str) -> Play:
        """Return a play of a question by its id.

        Raises:
            ValueError: the id names no question.
        """
        if (place := self.find_place(identifier)) is None:
            raise ValueError(
                f"{identifier!r:.80} is no question of {self.config} with levels 1 to {self.top}"
            )
        return Play(OpenedRow(self[place], self.task, self.draw_instance(place), [], ()))

    def to_rungs(self) -> LadderRungs:
        """Return the levels and questions of the ladder."""
        size = self.per_level
        rows = tuple(range(n * size, (n + 1) * size) for n in range(self.top))
        levels = tuple(range(1, self.top + 1))
        stated = self.task.chance_level(read_params(self.task, self.params, self.config))
        chance = (stated.value,) * self.top if isinstance(stated, ExactChance) else None
        return LadderRungs(self.config, "ladder", self.axis, levels, rows, self, chance)


def build_endless_ladder(config: str, top: int, seed: int, runs: int = RUNS) -> EndlessLadder:
    """Return a ladder.

    Args:
        config: a config of a suite.
        top: its highest level.
        seed: root of all seeds.
        runs: climbs with questions of their own.

    Raises:
        ValueError: the config is unknown, or its task needs a dataset.
    """
    suite, _, name = config.partition(".")
    if not name:
        raise ValueError(
            f"ladder={config or 'none'} and no dataset: say dataset=, or ladder=SUITE.CONFIG"
        )
    entries = resolve_settings(BuildSettings(suites=(suite,)))[0].entries
    if (entry := next((one for one in entries if one.name == name), None)) is None:
        raise ValueError(
            f"ladder={config} is unknown; {suite} has "
            f"{', '.join(f'{suite}.{one.name}' for one in entries)}"
        )
    task = task_registry.load_task(entry.task)
    params = read_params(task, entry.params, config)
    axis, value = params.difficulty().axis, params.difficulty().value
    if task.needs(params) is not None or task.rows_per_item(params) != 1 or value != 1:
        raise ValueError(
            f"ladder={config} cannot be drawn question by question; build a dataset of it, and say "
            "dataset="
        )
    read_params(task, {**entry.params, axis: top}, config)
    if not 1 <= runs <= MOST:
        raise ValueError(f"runs={runs} is out of range; use 1 to {MOST}")
    return EndlessLadder(config, task, entry.params, axis, top, seed, runs)


def grade_predictions(
    one: EndlessLadder, files: Sequence[Path], duplicates: Duplicates = "refuse"
) -> dict[str, dict[int, bool]]:
    """Return by model which questions were answered right; the first sample of each counts.

    Args:
        one: the ladder.
        files: prediction files, in the forms that `facelet score` takes.
        duplicates: how different replies to one question by one model and sample are handled.

    Raises:
        ValueError: an id names no question of the ladder, or replies differ and are refused.
    """
    found: dict[str, dict[int, tuple[int, Sequence[str]]]] = {}
    for where, model, place, prediction in _read_predictions(one, files):
        mine = found.setdefault(model, {})
        sample, replies = mine.get(place, (prediction.sample, prediction.replies))
        if sample == prediction.sample and replies != prediction.replies and duplicates == "refuse":
            raise ValueError(
                f"{where}: {prediction.key!r:.80} has another reply of the same model and sample "
                "before; choose one with duplicates=first or last, or use duplicates=samples"
            )
        if (
            place not in mine
            or prediction.sample < sample
            or (prediction.sample == sample and duplicates == "last")
        ):
            mine[place] = (prediction.sample, prediction.replies)
    return {
        model: {
            place: replay(one.task.open(one.draw_instance(place)), replies).status is Status.CORRECT
            for place, (_, replies) in mine.items()
        }
        for model, mine in found.items()
    }


def _read_predictions(
    one: EndlessLadder, files: Sequence[Path]
) -> Iterator[tuple[str, str, int, Prediction]]:
    """Yield where each prediction with a reply is, its model, its question, and itself."""
    names = name_files(files)
    for path in files:
        for located in read_records(path):
            try:
                if isinstance(located.value, UnreadableRecord):
                    raise located.value
                record = record_of(located.value)
                told = list(detect_format(record).read(record))
            except UnreadableRecord as error:
                raise ValueError(f"{path} {located.unit} {located.number}: {error}") from error
            for prediction in told:
                if (place := one.find_place(str(prediction.key))) is None:
                    raise ValueError(
                        f"{path} {located.unit} {located.number}: {prediction.key!r:.80} is no "
                        f"question of {one.config} with levels 1 to {one.top}"
                    )
                if prediction.failure is None:
                    where = f"{path} {located.unit} {located.number}"
                    yield where, prediction.model or names[path], place, prediction


def list_endless_ladders(
    one: EndlessLadder, files: Sequence[Path], duplicates: Duplicates = "refuse"
) -> list[ModelLadder]:
    """Return the ladder of each model, or of one that has not begun.

    Args:
        one: the ladder.
        files: prediction files; none for a model that has not begun.
        duplicates: how different replies to one question by one model and sample are handled.
    """
    rungs = one.to_rungs()
    by_model = grade_predictions(one, files, duplicates) if files else {"": {}}
    return [build_ladder(rungs, model, right, one.runs) for model, right in by_model.items()]


LadderSource = Path | EndlessLadder
"""A dataset folder, or a ladder without a dataset."""


def open_source(chosen: LadderSelection) -> LadderSource:
    """Return the source that the settings select.

    Raises:
        ValueError: neither a dataset nor a usable ladder is named.
    """
    if chosen.dataset is not None:
        return chosen.dataset
    return build_endless_ladder(chosen.ladder, chosen.top, chosen.seed, chosen.runs)


def list_ladders(
    source: LadderSource, chosen: LadderSelection, files: Sequence[Path], *, vote: bool = False
) -> list[ModelLadder]:
    """Return the ladders of all models.

    Args:
        source: the source.
        chosen: the settings.
        files: prediction files; none for a model that has not begun.
        vote: whether the majority of a row's samples decides; only in a dataset.

    Raises:
        ValueError: the dataset or a prediction cannot be used.
    """
    if isinstance(source, EndlessLadder):
        return list_endless_ladders(source, files, chosen.duplicates)
    found = iterate_ladders(
        *(source, files),
        runs=chosen.runs,
        vote=vote,
        wanted=chosen.configs,
        duplicates=chosen.duplicates,
    )
    return list(found)


def iterate_one_model(found: Sequence[ModelLadder], model: str) -> Iterator[ModelLadder]:
    """Yield the ladders of one model.

    Raises:
        ValueError: it has no predictions, or no model is named and there are several.
    """
    models = sorted({one.model for one in found})
    if not model and len(models) > 1:
        raise ValueError(f"there are predictions of {len(models)} models; say model={models[0]}")
    if model and models != [""] and model not in models:
        raise ValueError(f"model={model} has no predictions; there are {', '.join(models)}")
    yield from (one for one in found if not model or one.model in (model, ""))


def iterate_requests(
    source: LadderSource, found: Sequence[ModelLadder], *, ids: bool = False
) -> Iterator[dict[str, object]]:
    """Yield a request for each due question.

    Args:
        source: the source of the ladders.
        found: the ladders.
        ids: whether to leave out the messages.
    """
    for one in found:
        open_play = None if ids else _due_opener(source, one)
        for identifier in one.due_ids:
            custom = re.sub(r"[^A-Za-z0-9_-]", "-", identifier)
            line: dict[str, object] = {"id": identifier, "custom_id": custom}
            if open_play is not None:
                line["messages"] = open_play(identifier).messages
            yield line


def _due_opener(source: LadderSource, found: ModelLadder) -> Callable[[str], Play]:
    """Return the function that opens a due question by its id."""
    if isinstance(source, EndlessLadder):
        return source.open_play
    due = set(found.due_ids)
    every = rows_of(source, found.rungs.config, found.rungs.split)
    rows = {row["id"]: row for row in every if row["id"] in due}
    return lambda identifier: open_row(rows[identifier])
