"""Generate endless rows of a task or a suite by number, on demand.

    stream = facelet.stream("cube/move_effect", seed=7, levels="1-5", sampler="frontier")
    for row in stream:                          # rows as published, pictures on demand
        play = stream.open(row)
        ...
        stream.tell(row, [1.0, 0.0, 0.0, 1.0])  # rewards of replies to it

Row n is the same on every machine and with any number of workers. `stream.position` is the number
of the next row: `facelet.stream(..., position=position)` continues from there. A sampler that
learns has more state: `state()` and `restore(state)`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self, get_args

from facelet.generators.core.params import list_params
from facelet.generators.core.seeding import digest_names
from facelet.pipeline.argument_text import check_range, parse_numbers, unknown_word_error
from facelet.pipeline.config.settings_resolver import read_params
from facelet.pipeline.dataset.row_columns import AnyRow, id_numbers, row_id
from facelet.pipeline.family_modules import FamilySettings, family_name, load_task
from facelet.pipeline.json_types import JSON
from facelet.pipeline.rollout.chat_messages import Form
from facelet.pipeline.rollout.row_episode import Play, open_row
from facelet.pipeline.rollout.streams.cell_items import Splits, StreamCell, load_with_settings
from facelet.pipeline.rollout.streams.excluded_rows import collect_held_out
from facelet.pipeline.rollout.streams.frontier_sampler import Frontier, Pools
from facelet.pipeline.rollout.streams.prefetch import By, RowPrefetcher
from facelet.pipeline.rollout.streams.row_maker import RowMaker
from facelet.pipeline.rollout.streams.samplers import (
    CellSampler,
    Curriculum,
    Mixture,
    RowPlace,
    SamplerChoice,
    Uniform,
)

SPLIT = "train"
"""Split whose seeds a stream uses, so that its rows differ from those of test splits."""

EVALUATION = "eval"
"""Split whose seeds a stream for evaluation uses; the ids of its rows contain it."""

ALONE: Splits = ((SPLIT, 1),)
"""Splits without a named dataset: all states may be shown."""

SamplerName = Literal["uniform", "curriculum", "frontier", "pools"]
_CHOICES: Mapping[str, type[SamplerChoice]] = {
    "uniform": Uniform,
    "curriculum": Curriculum,
    "frontier": Frontier,
    "pools": Pools,
}
Rewards = float | Sequence[float]


class Stream(Iterator[dict[str, Any]]):
    """Endless rows; `stream` creates it.

    Attributes:
        cells: names of its cells, "<config>/<label>".
        identity: seed, tasks with versions, and a digest of everything that determines the rows.
        position: number of the row that `next` returns.
    """

    def __init__(
        self,
        maker: RowMaker,
        sampler: CellSampler,
        choice: SamplerChoice,
        position: int,
        workers: int,
        by: By,
        ahead: int,
    ) -> None:
        """Start at a row; see `stream`."""
        self._maker, self._sampler = maker, sampler
        self.identity = _identify_stream(maker, choice)
        self.cells = tuple(cell.cell_name for cell in maker.cells)
        self._numbers = {key: k for k, key in enumerate(self.cells)}
        self.position = position
        self._workers, self._by, self._window = workers, by, ahead
        self._chunk = max(1, min(16, ahead // max(1, 2 * workers)))
        self._ahead: RowPrefetcher | None = None
        self._pending: deque[RowPlace] = deque()  # placed, but not taken by the consumer
        self._placed = position
        self._asked = 0  # number of pending rows that workers were asked for
        self._made: deque[dict[str, Any]] = deque()

    @property
    def is_steady(self) -> bool:
        """Whether row n depends on n alone, not on rewards."""
        return self._sampler.steady

    def __iter__(self) -> Self:
        """Return itself, at `position`."""
        return self

    def __next__(self) -> dict[str, Any]:
        """Return the next row."""
        if self._workers:
            row = self._next_made()
        else:
            self._fill_pending(1)
            row = self._maker.make_row(self._pending[0])
        self._pending.popleft()
        self.position += 1
        return row

    def __getitem__(self, number: int) -> dict[str, Any]:
        """Return row `number`, generated in this process.

        Raises:
            ValueError: the sampler learns, so a number does not determine a row.
            IndexError: the number is negative.
        """
        if number < 0:
            raise IndexError(f"row {number}: a stream is endless, so numbers start at 0")
        if not self._sampler.steady:
            raise ValueError(
                "the cell of a row depends on rewards here; take rows in order, or a row by its id "
                "with row(id)"
            )
        return self._maker.make_row(self._sampler.next_place(number))

    def row(self, identifier: str) -> dict[str, Any]:
        """Generate the row with an id, independently of other rows.

        Raises:
            ValueError: the stream has no such row.
        """
        cell, (number, place) = self._cell_of(identifier), id_numbers(identifier)
        made = self._maker.make_row(RowPlace(cell, number)) if number >= 0 else {}
        if made.get("id") != identifier:
            near = "" if place is None else f" (it has {made.get('id')!r})"
            raise ValueError(f"the stream has no row {identifier!r}{near}")
        return made

    def draw(self, count: int) -> list[RowPlace]:
        """Return the places of the next rows and skip them; `at` generates them.

        Args:
            count: number of rows.
        """
        self.close()
        self._fill_pending(count)
        self.position += count
        return [self._pending.popleft() for _ in range(count)]

    def at(self, place: RowPlace) -> dict[str, Any]:
        """Generate the row of a place that `draw` returned.

        Args:
            place: the place.
        """
        return self._maker.make_row(place)

    def first_rows(self, cell: str) -> list[dict[str, Any]]:
        """Return the rows of the first item of a cell by its name; the position does not change.

        Raises:
            ValueError: the cell does not exist.
        """
        return self._maker.make_item(self._cell_of(f"{cell}/"))

    def open(self, row: AnyRow | str, form: Form = "openai") -> Play:
        """Start a play of a row.

        Args:
            row: a row of the stream, or its id.
            form: form of the chat.
        """
        return open_row(self.row(row) if isinstance(row, str) else row, form)

    def tell(self, row: AnyRow | str, rewards: Rewards) -> None:
        """Report the rewards of replies to a row, each 0 to 1, to the sampler.

        Args:
            row: the row, or its id.
            rewards: reward of one reply, or of several.

        Raises:
            ValueError: the row belongs to no cell of the stream, or a reward is out of range.
        """
        cell = self._cell_of(row if isinstance(row, str) else str(row["id"]))
        values = [rewards] if isinstance(rewards, int | float) else rewards
        self._sampler.learn_rewards(cell, list(map(float, values)))

    def expected(self) -> dict[str, float]:
        """Return the estimated success of each cell, if the sampler has estimates."""
        found = getattr(self._sampler, "estimate_success", None)
        return {} if found is None else dict(zip(self.cells, found().tolist(), strict=True))

    def state(self, unfinished: Iterable[str] = ()) -> dict[str, JSON]:
        """Return the state to resume from as plain JSON.

        It includes the places of rows that were generated ahead but not taken.

        Args:
            unfinished: ids of the last rows that were taken but not used; they come first again.
        """
        again = [RowPlace(self._cell_of(name), id_numbers(name)[0]) for name in unfinished]
        return {
            "stream": self.identity,
            "position": self.position - len(again),
            "pending": [list(place) for place in (*again, *self._pending)],
            "sampler": self._sampler.to_state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Resume from `state()`, in a stream of the same task, levels, seed and sampler.

        Raises:
            ValueError: the state belongs to another stream.
        """
        saved = state.get("stream") or {}
        for key, own in self.identity.items():
            if saved.get(key) != own:
                what = "other params, levels, a sampler or apart=..." if key == "digest" else key
                raise ValueError(
                    f"the state belongs to another stream: {what} differs ({saved.get(key)!r}, "
                    f"and this stream has {own!r}); open the stream that made the state"
                )
        self.close()
        self._sampler.restore_state(state["sampler"])
        self.position = int(state["position"])
        self._pending = deque(RowPlace(*place) for place in state["pending"])
        self._placed = self.position + len(self._pending)

    def close(self) -> None:
        """Stop the workers; the next row restarts them."""
        if self._ahead is not None:
            self._ahead.stop_workers()
        self._ahead, self._asked = None, 0
        self._made.clear()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the workers."""
        self.close()

    def _cell_of(self, identifier: str) -> int:
        cell = self._numbers.get(identifier.rpartition("/")[0])
        if cell is None:
            raise ValueError(
                f"{identifier!r} belongs to no cell of the stream: {_list_some(self.cells)}"
            )
        return cell

    def _fill_pending(self, count: int) -> None:
        """Place rows until `count` are pending."""
        while len(self._pending) < count:
            self._pending.append(self._sampler.next_place(self._placed))
            self._placed += 1

    def _next_made(self) -> dict[str, Any]:
        if self._ahead is None:
            self._ahead = RowPrefetcher(self._maker, self._workers, self._by)
        while self._asked + self._chunk <= self._window:
            self._fill_pending(self._asked + self._chunk)
            chunk = [self._pending[k] for k in range(self._asked, self._asked + self._chunk)]
            self._ahead.request_rows(chunk)
            self._asked += self._chunk
        if not self._made:
            self._made.extend(self._ahead.next_rows())
        self._asked -= 1
        return self._made.popleft()


def stream(
    task_or_suite: str | Sequence[str],
    seed: int = 0,
    *,
    levels: str | Iterable[int] | None = None,
    sampler: SamplerName | SamplerChoice | Mapping[str, float] = "uniform",
    apart: str | Path | Sequence[str | Path] = (),
    evaluation: bool = False,
    position: int = 0,
    workers: int = 0,
    by: By = "processes",
    ahead: int = 0,
    images: bool = False,
    told: Mapping[str, str | None] | None = None,
    **params: object,
) -> Stream:
    """Return a stream of rows.

    Args:
        task_or_suite: name of a task ("cube/move_effect") or of a suite, or several suites.
        seed: root of all seeds; the same seed gives the same rows.
        levels: difficulties as in row ids, such as "1-5" or numbers. By default those of the suite
            or of the params.
        sampler: selects the cell of each row: "uniform", "curriculum", "frontier", "pools", one of
            these with settings (`environment.Frontier(wanted=0.4)`), or shares by name of a config,
            a task or a cell, such as {"cube/move_effect/train-d01": 2, ...}.
        apart: datasets whose test rows are not shown, nor anything equal to them by symmetry.
        evaluation: whether to return another stream of the same description, for evaluation.
        position: number of the first row.
        workers: processes or threads that generate rows ahead; 0 generates each row on demand.
        by: kind of workers: "processes" or "threads".
        ahead: number of rows generated ahead; by default 64 per worker.
        images: whether rows have pictures; a play draws them in any case.
        told: keys of families, such as {"table": "small"} for the cube.
        params: params of a task, where the stream has one task.

    Raises:
        ValueError: a task, suite, level, param, sampler or dataset is invalid.
    """
    check_range("position", position, 0)
    check_range("workers", workers, 0)
    check_range("ahead", ahead, 0)
    if by not in get_args(By):
        raise unknown_word_error("kind of workers", str(by), get_args(By))
    asked = _parse_levels(levels)
    names = [task_or_suite] if isinstance(task_or_suite, str) else list(task_or_suite)
    out = collect_held_out([apart] if isinstance(apart, str | Path) else apart)
    splits = out.splits or ALONE
    split = SPLIT if any(name == SPLIT for name, _ in splits) else splits[0][0]
    if evaluation:
        splits = tuple((EVALUATION if name == split else name, share) for name, share in splits)
        split = EVALUATION
    if len(names) == 1 and "/" in names[0]:
        cells, wishes = _of_task(names[0], asked, split, dict(told or {}), params)
    else:
        if params:
            raise ValueError(
                f"{', '.join(sorted(params))}: params need a stream of one task, such as "
                "stream('cube/move_effect', depth=3)"
            )
        cells, wishes = _of_suites(names, asked, split, dict(told or {}), seed)
    maker = RowMaker(tuple(cells), seed, splits, wishes, out.classes, images)
    choice = _parse_sampler(sampler)
    chosen = choice.start_sampler(list(maker.iterate_cells()), seed)
    if position and not chosen.steady:
        raise ValueError(
            f"position={position}: the rows of this sampler depend on rewards; call restore(state) "
            "with the result of state()"
        )
    return Stream(maker, chosen, choice, position, workers, by, ahead or 64 * max(1, workers))


def _identify_stream(maker: RowMaker, choice: SamplerChoice) -> dict[str, JSON]:
    """Return what determines the rows of a stream."""
    cells = [f"{cell.cell_name} {cell.params!r}" for cell in maker.cells]
    known = (*cells, repr(choice), repr(maker.splits), *sorted(maker.without))
    return {
        "seed": maker.seed,
        "tasks": {cell.task: cell.version for cell in maker.cells},
        "digest": digest_names(*known).hex()[:16],
    }


def _parse_levels(levels: str | Iterable[int] | None) -> tuple[int, ...] | None:
    if levels is None:
        return None
    if isinstance(levels, str):
        return parse_numbers(levels, "levels")
    return tuple(sorted({check_range("levels", level, 0) for level in levels}))


def _parse_sampler(sampler: SamplerName | SamplerChoice | Mapping[str, float]) -> SamplerChoice:
    if isinstance(sampler, SamplerChoice):
        return sampler
    if isinstance(sampler, Mapping):
        return Mixture(sampler)
    if sampler not in _CHOICES:
        raise unknown_word_error("sampler", str(sampler), list(_CHOICES))
    return _CHOICES[sampler]()


def _of_task(
    name: str,
    levels: tuple[int, ...] | None,
    split: str,
    told: dict[str, str | None],
    params: Mapping[str, object],
) -> tuple[list[StreamCell], dict[str, FamilySettings]]:
    """Return the cells of a task, and the settings of its family."""
    task, settings, values = load_with_settings(name, told)
    values |= params
    swept: list[dict[str, object]] = [{}]
    if levels is not None:
        axes = [key for key, about, _ in list_params(task.params) if about.axis]
        if not axes:
            raise ValueError(f"{name} has no levels; leave out levels=...")
        if axes[0] in params:
            raise ValueError(f"levels=... and {axes[0]}=... both set the level of {name}; use one")
        swept = [{axes[0]: level} for level in levels]
    cells = []
    for own in swept:
        made = read_params(task, {**values, **own}, name)
        place = made.difficulty()
        label = f"{split}-{place.label}"
        row_id(name, label, 0)
        cells.append(StreamCell(name, name, task.version, made, split, place, label))
    return cells, settings


def _of_suites(
    names: Sequence[str],
    levels: tuple[int, ...] | None,
    split: str,
    told: dict[str, str | None],
    seed: int,
) -> tuple[list[StreamCell], dict[str, FamilySettings]]:
    """Return the cells of suites, and settings by family."""
    from facelet.pipeline.build.build_plan import (
        compute_plan,  # a stream of one task needs no Hydra
    )
    from facelet.pipeline.config.build_settings import BuildSettings
    from facelet.pipeline.config.settings_resolver import resolve_settings

    text = None if levels is None else ",".join(map(str, levels))
    own: dict[str, Any] = dict(told)  # keys of families are fields of the record too
    typed = BuildSettings(
        suites=tuple(names), splits=f"{split}:1", seed=seed, depths=text, levels=text, **own
    )
    settings, _ = resolve_settings(typed)
    cells = [
        StreamCell(
            cell.config,
            cell.task,
            cell.task_version,
            cell.make_params(load_task(cell.task, settings.family_settings_of(cell.task))),
            split,
            cell.difficulty,
            cell.label,
        )
        for cell in compute_plan(settings).cells
        if levels is None or cell.difficulty.value in levels
    ]
    if not cells:
        raise ValueError(f"levels={text}: no task of {', '.join(names)} has one of them")
    wishes = {family_name(cell.task): settings.family_settings_of(cell.task) for cell in cells}
    return cells, wishes


def _list_some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
