"""Define the form of results.json as types of its JSON objects.

Undefined figures are null. The form has a version, SCHEMA_VERSION; a reader should check it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from facelet.pipeline.dataset import floor_record
from facelet.pipeline.json_types import JSON
from facelet.pipeline.scoring.aggregate.claims import Figure

SCHEMA_VERSION = 3
"""Version of results.json; its JSON Schema is conf/schema/results.json."""


class Confusion(TypedDict):
    """A confusion matrix: elements by gold class, then by answer."""

    gold: Sequence[str]
    answer: Sequence[str]
    counts: Sequence[Sequence[int]]
    samples_per_item: int


class Histogram(TypedDict):
    """How many predictions have each value; `others` have none of these."""

    values: Sequence[float]
    counts: Sequence[int]
    others: int


class PooledCell(TypedDict):
    """The figures of a set of rows of several tasks; `difficulty` is null for all."""

    by: Mapping[str, str | int | float | bool | None]
    difficulty: int | None
    items: int
    figures: Mapping[str, Figure]


class Cell(PooledCell):
    """The figures of a set of rows of one split, and the numbers of entries by status."""

    counts: Mapping[str, int]
    confusion: NotRequired[Confusion]
    histograms: NotRequired[Mapping[str, Histogram]]


class Split(TypedDict):
    """One model on one split.

    `items_effective` is how many independent trials the items counted are worth, by what they show.
    `replies` are numbers of replies (facelet.pipeline.scoring.grade.graded_columns), `called`
    is what papers call figures where that differs. `leaks` says that rows tell their own answer by
    design.
    """

    task: str
    task_version: int
    items: int
    items_counted: int
    items_effective: float
    samples_per_item: int
    chance: floor_record.ChanceRecord | None
    floor: floor_record.FloorRecord | None
    answer_floor: NotRequired[floor_record.FloorRecord]
    leaks: NotRequired[bool]
    counts: Mapping[str, int]
    replies: Mapping[str, int]
    difficulty_axis: str
    called: Mapping[str, str]
    cells: Sequence[Cell]


class Config(TypedDict):
    """One model on one config."""

    splits: Mapping[str, Split]


class Pooled(TypedDict):
    """One model over all tasks of a suite (facelet.pipeline.scoring.aggregate.figure_cells)."""

    suite: str
    split: str
    classed_by: str
    difficulty_axis: str
    tasks: int
    items: int
    cells: Sequence[PooledCell]


class Difference(TypedDict):
    """A paired difference with its test; `unverified` only if verify=false.

    `p_holm` is corrected for all tests of its family
    (facelet.pipeline.scoring.aggregate.estimates).
    """

    difference: float | None
    low: float | None
    high: float | None
    p_value: float | None
    p_holm: float | None
    test: str | None
    unverified: NotRequired[bool]


class Looks(Difference):
    """What a change of looks costs (facelet.pipeline.scoring.aggregate.model_comparison)."""

    config: str
    clean: str
    split: str
    looks: Mapping[str, JSON]
    figure: str
    difficulty: int | None
    items: int
    clean_value: float | None
    value: float | None
    lost: int
    won: int


class Comparison(Difference):
    """Two models on one split (facelet.pipeline.scoring.aggregate.model_comparison)."""

    config: str
    split: str
    models: Sequence[str]
    items: int
    only_first: int
    only_second: int


class Efficiency(TypedDict):
    """Which of two models needs less (facelet.pipeline.scoring.aggregate.model_comparison)."""

    suite: str
    split: str
    by: Mapping[str, str]
    metric: str
    models: Sequence[str]
    items: int
    figures: Mapping[str, Figure]


class Standing(TypedDict):
    """How one model stands in a suite: its rank is one from `first` to `last`.

    Both are null where less than 95% of the replies arrived.
    """

    model: str
    configs: int
    items: int
    accuracy: Figure
    first: int | None
    last: int | None


class Duel(Difference):
    """Two models over a suite."""

    models: Sequence[str]
    items: int


class Guess(TypedDict):
    """What is won without a model over the configs of a suite; null where one does not say.

    `shortcut` is the mean of the best shortcut of each config, or of its floor where it has none.
    """

    chance: float | None
    floor: float | None
    shortcut: float | None


class Suite(TypedDict):
    """How models stand in a suite, best first (facelet.pipeline.scoring.aggregate.standings).

    `left_out` names configs whose rows tell their own answer, which no mean counts.
    """

    suite: str
    split: str
    guess: Guess
    left_out: NotRequired[Sequence[str]]
    models: Sequence[Standing]
    duels: Sequence[Duel]


class PeopleLevel(TypedDict):
    """All people together on the rows of a config that have one difficulty."""

    difficulty: int
    people: int
    answers: int
    accuracy: Figure


class People(TypedDict):
    """All people together on a config, or on a suite where `config` is "", which has no levels.

    The interval has people for clusters (facelet.pipeline.scoring.aggregate.standings).
    """

    suite: str
    split: str
    config: str
    people: int
    answers: int
    accuracy: Figure
    levels: Sequence[PeopleLevel]


class PaperRow(TypedDict):
    """A model's row in a paper's table; `intervals` are 95%, in the same units, or null.

    `claims` are the values with all that must be shown beside them.
    """

    setting: Mapping[str, str | int]
    values: Sequence[float | None]
    intervals: Sequence[Sequence[float] | None]
    claims: NotRequired[Sequence[Figure | None]]


class PaperTable(TypedDict):
    """A paper's table with a model's rows (facelet.pipeline.papers.paper_rows)."""

    paper: str
    table: str
    columns: Sequence[Mapping[str, JSON]]
    rows: Sequence[PaperRow]
    comparable: bool
    reasons: Sequence[str]


class Asked(TypedDict):
    """How many predictions say that they were asked so; null for settings that are not told."""

    predictions: int
    settings: Mapping[str, JSON] | None


class Scored(TypedDict):
    """A model's name and its figures by config."""

    model: str
    configs: Mapping[str, Config]


class Model(Scored):
    """Everything about one model."""

    replies: Mapping[str, int]
    papers: Sequence[PaperTable]
    settings: Sequence[Asked]
    pooled: Sequence[Pooled]
    looks: Sequence[Looks]


class Evidence(TypedDict):
    """What shows which build is answered, in numbers of predictions."""

    content_hash: int
    prompt: int
    target: int
    other_words: int
    other_targets: int
    nothing: int


class Ledger(TypedDict):
    """How many records were read, and what became of them; the dispositions sum to `read`."""

    read: int
    dispositions: Mapping[str, int]
    flags: Mapping[str, int]


class Input(TypedDict):
    """What one file held; `stopped` is "" where all of it was read.

    An example of a broken record is its place, such as "line": 3, and its "reason".
    """

    file: str
    sha256: str
    bytes: int
    formats: Mapping[str, int]
    ledger: Ledger
    predictions: int
    broken: int
    broken_examples: Sequence[Mapping[str, str | int]]
    damaged_examples: Sequence[Mapping[str, str | int]]
    unknown_ids: int
    unknown_examples: Sequence[str]
    other_filters: int
    other_questions: int
    evidence: Evidence
    stopped: str


class Dataset(TypedDict):
    """The dataset, and how much of it was checked (facelet.pipeline.dataset.content_check)."""

    name: str
    content_hash: str | None
    verified: str
    expected: bool
    manifest_sha256: str | None


class Options(TypedDict):
    """How was scored."""

    all: bool
    missing: str
    duplicates: str
    model_from: str
    questions: str
    resamples: int
    confidence: float


class Unavailable(TypedDict):
    """A split whose task cannot be had here."""

    config: str
    split: str
    reason: str


class Results(TypedDict):
    """The whole of results.json; `not_scored` names splits as config/split."""

    schema_version: int
    generator: str
    dataset: Dataset
    options: Options
    ledger: Ledger
    inputs: Sequence[Input]
    not_scored: Sequence[str]
    unavailable: Sequence[Unavailable]
    suites: Sequence[Suite]
    people: Sequence[People]
    models: Sequence[Model]
    comparisons: Sequence[Comparison]
    efficiencies: Sequence[Efficiency]
