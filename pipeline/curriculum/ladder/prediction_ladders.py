"""Ladders from predictions: a model's climbs through one config, and the questions due next.

The questions of a visit are fixed by their position: the rows of a level, in published order and
one for each base puzzle, are cut into fives, and visit v of run r gets the five number
VISITS * r + v. So every model gets the same questions, no run repeats a question, and a prediction
file with the rows of a level serves all climbs through it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Status
from facelet.pipeline import family_modules
from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.curriculum.ladder.climb import (
    PASS_COUNT,
    RUNS,
    VISIT_QUESTIONS,
    VISITS,
    LadderClimb,
    LevelVisit,
    ReachedLevel,
    climb_levels,
    find_reached_level,
)
from facelet.pipeline.curriculum.ladder.expected_level import (
    estimate_reach,
    estimate_reaches,
    reach_interval,
)
from facelet.pipeline.dataset import floor_record
from facelet.pipeline.scoring.aggregate.statistics import RESAMPLES
from facelet.pipeline.scoring.grade.dispositions import Duplicates
from facelet.pipeline.scoring.grade.graded_columns import CODE
from facelet.pipeline.scoring.grade.grader import grade_predictions
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.ingest.prediction_reader import ingest_files
from facelet.pipeline.scoring.scored_dataset import ScoredDataset, ScoredSplit, open_dataset


@dataclass(frozen=True)
class LadderRungs:
    """The levels of a split and their questions.

    Attributes:
        config: name of the config.
        split: name of the split.
        axis: name of the difficulty axis.
        levels: the levels, ascending.
        rows: by level, numbers of its rows within the split, one for each base puzzle.
        ids: ids of the split's rows.
        guess_rates: by level, the share that is won without looking; None if unknown.
        depths: by level, the mean of the task's column `depth`; () where there is none.
    """

    config: str
    split: str
    axis: str
    levels: tuple[int, ...]
    rows: tuple[Sequence[int], ...]
    ids: Sequence[str]
    guess_rates: tuple[float, ...] | None = None
    depths: tuple[float, ...] = ()

    def visit_rows(self, visit: LevelVisit, run: int) -> Sequence[int]:
        """Return the rows of a visit."""
        first = VISIT_QUESTIONS * (VISITS * run + visit.number)
        return self.rows[visit.place][first : first + VISIT_QUESTIONS]

    def max_runs(self) -> int:
        """Return the number of runs that the level with the fewest questions allows."""
        return min(len(rows) for rows in self.rows) // (VISIT_QUESTIONS * VISITS)


def build_rungs(part: ScoredSplit, chance: Callable[[int], float] | None = None) -> LadderRungs:
    """Return the levels of a split.

    Args:
        part: the split.
        chance: from a level to the share that is won without looking, if known.

    Raises:
        ValueError: a level has too few questions for one run.
    """
    difficulty = np.asarray(part.read_column("difficulty"), dtype=np.int64)
    groups = part.encode_column("group")[0]
    first = np.zeros(part.count, dtype=np.bool_)
    first[np.unique(groups, return_index=True)[1]] = True
    levels = np.unique(difficulty).tolist()
    rows = tuple(tuple(np.flatnonzero((difficulty == level) & first).tolist()) for level in levels)
    found = LadderRungs(
        *part.split_name,
        part.read_column("difficulty_axis")[0].as_py(),
        tuple(levels),
        rows,
        tuple(part.read_column("id").to_pylist()),
        None if chance is None else tuple(map(chance, levels)),
        _mean_depths(part, [difficulty == level for level in levels]),
    )
    if not found.max_runs():
        scarce = min(range(len(levels)), key=lambda place: len(rows[place]))
        raise ValueError(
            f"{found.config}/{found.split} has {len(rows[scarce])} questions at {found.axis} "
            f"{levels[scarce]}; a ladder needs {VISIT_QUESTIONS * VISITS}: build "
            "it with a greater count"
        )
    return found


def _mean_depths(part: ScoredSplit, of: Sequence[npt.NDArray[np.bool_]]) -> tuple[float, ...]:
    """Return the mean of the task's column `depth` at each level; () where it has none.

    Args:
        part: the split.
        of: by level, the mask of its rows.
    """
    name = family_modules.load_task(part.task_name).depth
    if not name:
        return ()
    counted = np.asarray(part.read_column(name), dtype=np.float64)
    return tuple(float(counted[mine].mean()) for mine in of)


@dataclass(frozen=True, slots=True)
class IntervalEstimate:
    """A mean with its 95% interval; without one where it is unknown."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ModelLadder:
    """A model's climbs.

    Attributes:
        rungs: the levels.
        model: name of the model.
        climbs: the climbs by run.
        due_ids: ids of the next rows of the open climbs.
        accuracies: by level, right answers and answers, over all answered rows.
    """

    rungs: LadderRungs
    model: str
    climbs: tuple[LadderClimb, ...]
    due_ids: tuple[str, ...]
    accuracies: tuple[tuple[int, int], ...]

    def list_reached_levels(self) -> list[ReachedLevel | None]:
        """Return R of each climb; None while it is open."""
        return [find_reached_level(found, self.rungs.levels) for found in self.climbs]

    def mean_reach(self, reading: str) -> IntervalEstimate | None:
        """Return the mean R over all climbs by a reading, failed or below; None if one is open.

        The interval is that of facelet.pipeline.curriculum.ladder.expected_level: within the
        ladder, never of width zero.
        """
        found = [r for r in self.list_reached_levels() if r is not None]
        if len(found) < len(self.climbs):
            return None
        mean = sum(float(getattr(r, reading)) for r in found) / len(found)
        rng = make_generator("ladder", "mean", self.rungs.config, self.rungs.split, self.model)
        return IntervalEstimate(
            mean, *reach_interval(self.rungs.levels, self.accuracies, mean, reading, rng)
        )

    def mean_depth_reach(self, reading: str) -> float | None:
        """Return the mean R in the task's `depth`; None if a climb is open or it has none."""
        if not self.rungs.depths:
            return None
        found = [find_reached_level(one, self.rungs.depths) for one in self.climbs]
        if any(r is None for r in found):
            return None
        return sum(float(getattr(r, reading)) for r in found) / len(found)

    def static_reach(self, resamples: int = RESAMPLES) -> Mapping[str, IntervalEstimate] | None:
        """Return the expected R from the accuracy at each level; None if a level has no answers.

        It needs no climb. The interval is that of a posterior of the accuracy of each level,
        independently (Jeffreys' prior), and contains the value.
        """
        if any(not total for _, total in self.accuracies):
            return None
        levels = self.rungs.levels
        center = estimate_reach([right / total for right, total in self.accuracies], levels)
        rng = make_generator("ladder", self.rungs.config, self.rungs.split, self.model)
        drawn = np.array(
            [rng.beta(r + 0.5, n - r + 0.5, size=resamples) for r, n in self.accuracies]
        )
        found = estimate_reaches(drawn.T, levels)
        told = {}
        for reading in ("failed", "below"):
            value = float(getattr(center, reading))
            low, high = np.quantile(found[reading], (0.025, 0.975)).tolist()
            told[reading] = IntervalEstimate(value, min(low, value), max(high, value))
        return told


def list_climbs(
    rungs_: LadderRungs, runs: int, right: Mapping[int, bool]
) -> tuple[LadderClimb, ...]:
    """Return the climbs of a player.

    Args:
        rungs_: the levels.
        runs: number of climbs.
        right: by row, whether it was answered right; missing rows are unknown.
    """

    def is_visit_passed(visit: LevelVisit, run: int) -> bool | None:
        five = rungs_.visit_rows(visit, run)
        known = [right[row] for row in five if row in right]
        if sum(known) >= PASS_COUNT:
            return True
        if len(known) - sum(known) > VISIT_QUESTIONS - PASS_COUNT:
            return False
        return None

    return tuple(
        climb_levels(len(rungs_.levels), lambda visit, run=run: is_visit_passed(visit, run))  # type: ignore[misc]
        for run in range(runs)
    )


def build_ladder(
    rungs_: LadderRungs, model: str, right: Mapping[int, bool], runs: int = RUNS
) -> ModelLadder:
    """Return the ladder of a player's answers.

    Args:
        rungs_: the levels.
        model: name of the player.
        right: by row within the split, whether it was answered right.
        runs: climbs, at most; as many as the questions allow.

    Raises:
        ValueError: there is to be no climb.
    """
    if runs < 1:
        raise ValueError(f"runs={runs} is out of range; use a whole number of at least 1")
    found = list_climbs(rungs_, min(runs, rungs_.max_runs()), right)
    due = (
        row
        for run, one in enumerate(found)
        if one.open_visit is not None
        for row in rungs_.visit_rows(one.open_visit, run)
        if row not in right
    )
    known = ([right[row] for row in rows if row in right] for rows in rungs_.rows)
    counts = tuple((sum(mine), len(mine)) for mine in known)
    missing = tuple(rungs_.ids[row] for row in due)
    return ModelLadder(rungs_, model, found, missing, counts)


_UNANSWERED = frozenset({CODE[Status.API_ERROR], CODE[Status.MISSING]})


def list_graded_rows(population: Population, *, vote: bool) -> dict[int, bool]:
    """Return by row whether it was answered right; rows without an answer are not in it.

    Args:
        population: a model's predictions.
        vote: whether most samples decide; else the first one does.
    """
    arrived = ~np.isin(population.entry_status, list(_UNANSWERED))
    rows = population.row[arrived]
    if vote:
        won = population.majority_correct
        return {row: bool(won[row]) for row in rows.tolist()}
    found: dict[int, bool] = {}
    for row, correct in zip(rows.tolist(), population.is_correct[arrived].tolist(), strict=True):
        found.setdefault(row, correct)
    return found


def iterate_ladders(
    folder: Path,
    files: Sequence[Path],
    *,
    runs: int = RUNS,
    vote: bool = False,
    wanted: Sequence[str] = (),
    duplicates: Duplicates = "refuse",
) -> Iterator[ModelLadder]:
    """Yield a ladder for each model and split that has levels enough.

    Args:
        folder: the dataset.
        files: prediction files; none for a model that has not begun.
        runs: climbs.
        vote: whether most samples of a row decide.
        wanted: configs; all that the predictions name, or that the dataset has, by default.
        duplicates: how different replies for one row, model and sample are handled.

    Raises:
        ValueError: the dataset or a prediction cannot be used, or a level of a config that is
            wanted, or of all that there are, has too few questions.
    """
    dataset = open_dataset(folder)
    parts = _select_parts(dataset, wanted)
    if not files:
        known = _rungs_of(parts, every=bool(wanted))
        yield from (build_ladder(levels, "", {}, runs) for levels in known.values())
        return
    populations = [
        one
        for one in grade_predictions(
            ingest_files(dataset, files), duplicates=duplicates
        ).populations
        if one.part in parts
    ]
    asked = {one.part.split_name: one.part for one in populations}
    known = _rungs_of(asked.values(), every=bool(wanted))
    for one in populations:
        if levels := known.get(one.part.split_name):
            yield build_ladder(levels, one.model, list_graded_rows(one, vote=vote), runs)


def _rungs_of(parts: Iterable[ScoredSplit], *, every: bool) -> dict[tuple[str, str], LadderRungs]:
    """Return the levels of splits by name; note which no ladder can be made of, and leave them out.

    Args:
        parts: the splits.
        every: whether all must have questions enough.

    Raises:
        ValueError: one has too few questions, where all must have enough, or all have too few.
    """
    found: dict[tuple[str, str], LadderRungs] = {}
    refused = []
    for part in parts:
        try:
            if rule := floor_record.known_rule_note(part.read_floor):
                raise ValueError(f"{part.split_name[0]}: {rule}")
            found[part.split_name] = build_rungs(part, _guess_by_level(part))
        except ValueError as error:
            refused.append(error)
    if refused and (every or not found):
        raise refused[0]
    for why in refused:
        print(sanitize_text(f"note: left out: {why}"), file=sys.stderr)
    return found


def _select_parts(dataset: ScoredDataset, wanted: Sequence[str]) -> list[ScoredSplit]:
    parts = [part for part in dataset.parts if not wanted or part.split_name[0] in wanted]
    known = {part.split_name[0] for part in dataset.parts}
    for name in wanted:
        if name not in known:
            raise ValueError(f"config={name} is not in the dataset; it has {sorted(known)}")
    return parts


def _guess_by_level(part: ScoredSplit) -> Callable[[int], float] | None:
    """Return what is won at each level without looking; None where nobody knows."""
    stated, floor_ = part.read_chance, part.read_floor
    known = float(stated["value"]) if stated and stated["of"] == "answers" else None
    if known is None and (floor_ is None or floor_["of"] != "answers"):
        return None
    return lambda level: floor_record.guess_share(floor_, level, known)


def floor_reach(rungs_: LadderRungs) -> ReachedLevel | None:
    """Return the expected R of a guessing player; None if its chance is not stated."""
    if rungs_.guess_rates is None:
        return None
    return estimate_reach(rungs_.guess_rates, rungs_.levels)


def ladder_to_record(found: ModelLadder) -> dict[str, object]:
    """Return a ladder as plain JSON values."""

    def estimate_to_record(one: IntervalEstimate | None) -> dict[str, object] | None:
        return None if one is None else {"value": one.value, "low": one.low, "high": one.high}

    static = found.static_reach(400)
    guess = floor_reach(found.rungs)
    return {
        "model": found.model,
        "config": found.rungs.config,
        "split": found.rungs.split,
        "axis": found.rungs.axis,
        "levels": [found.rungs.levels[0], found.rungs.levels[-1]],
        "runs": [
            {"end": one.end, "failed": r and r.failed, "below": r and r.below}
            for one, r in zip(found.climbs, found.list_reached_levels(), strict=True)
        ],
        "mean": {
            reading: estimate_to_record(found.mean_reach(reading))
            for reading in ("failed", "below")
        },
        "mean_depth": {reading: found.mean_depth_reach(reading) for reading in ("failed", "below")},
        "from_accuracies": static
        and {name: estimate_to_record(one) for name, one in static.items()},
        "floor": guess and {"failed": guess.failed, "below": guess.below},
        "missing": len(found.due_ids),
    }
