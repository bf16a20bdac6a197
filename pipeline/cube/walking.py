"""Compute the path that the answers to a tree's decisions take from its start.

The rows of an item are the nodes of its tree, each answered separately. For every item, model and
sample the walk begins at node 0 and takes the option that its answer chooses. All walks of a
population advance together, in arrays: options are 0 to 3 for A to D.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from facelet.generators.core.replies.letter import IDK
from facelet.generators.cube.closed_loop.decision_checks import Walk
from facelet.pipeline.scoring.aggregate.figure_table import (
    FigureTable,
    Formula,
    MeanOfRatios,
    Ratio,
)
from facelet.pipeline.scoring.array_types import Floats, Ints
from facelet.pipeline.scoring.grade.graded_columns import PARSED
from facelet.pipeline.scoring.grade.population import Population
from facelet.pipeline.scoring.scored_dataset import ScoredSplit

LETTERS = "ABCD"

_DAMAGED = "the dataset is damaged: download or build it again"

_STOP, _NOWHERE = -1, -3
"""An option that leads on to no node, and one that names a node that is not there."""

_UNREAD, _ABSTAINED = 4, 5
"""Beside 0 to 3: a reply that says nothing or is missing, and an abstention."""

_COUNTS = ("taught", "closer", "answered", "abstained", "decisions")


@dataclass(frozen=True, slots=True, eq=False)
class _TreeArrays:
    """The trees of one split.

    Attributes:
        roots: (trees,) rows of the starts of the trees that are whole.
        next: (rows, 4) row that each option leads to; negative where it leads to none.
        right: (rows,) the right option.
        step: (rows,) step of the decision, from 1.
        length: (rows,) moves of the whole way.
        helped: (rows,) whether an abstention takes the right option's way.
        credit: (rows,) what an abstention is worth; NaN where there are none.
    """

    roots: Ints
    next: Ints
    right: Ints
    step: Ints
    length: Ints
    helped: npt.NDArray[np.bool_]
    credit: Floats


def count(population: Population, measure: Walk) -> FigureTable:
    """Return the figures of the walks of a population, one unit a tree.

    Raises:
        ValueError: the rows make no trees: a node is missing, or leads where it cannot.
    """
    trees = _build_trees(population.part)
    options = _chosen_options(population)
    # A walk is one sample of one tree; for those without even the start see `_pool_walks`.
    samples = np.unique(population.settled.samples[population.kept], return_inverse=True)
    entry_key = population.row.astype(np.int64) * len(samples[0]) + samples[1]
    tree_of = np.full(population.row_count, -1, dtype=np.int64)
    tree_of[trees.roots] = np.arange(len(trees.roots))
    begun = np.flatnonzero(tree_of[population.row] >= 0)
    tree, sample = tree_of[population.row[begun]], samples[1][begun]
    now = trees.roots[tree]
    steps = int(trees.step.max())
    counts = {name: np.zeros(len(begun)) for name in _COUNTS}
    reached = np.zeros((len(begun), steps + 1))
    covered = np.zeros((len(begun), steps + 1))
    walking = np.arange(len(begun))
    while len(walking):
        row = now[walking]
        key = row * len(samples[0]) + sample[walking]
        place = np.minimum(np.searchsorted(entry_key, key), len(entry_key) - 1)
        option = np.where(entry_key[place] == key, options[place], _UNREAD)
        letter = option < len(LETTERS)
        leads = trees.next[row, np.where(letter, option, 0)]
        counts["decisions"][walking] += 1
        counts["answered"][walking] += letter
        counts["abstained"][walking] += option == _ABSTAINED
        counts["taught"][walking] += option == trees.right[row]
        counts["closer"][walking] += letter & (leads != _STOP)
        reached[walking, trees.step[row]] += 1
        covered[walking, trees.step[row]] += letter
        helped = (option == _ABSTAINED) & trees.helped[row]
        leads = np.where(helped, trees.next[row, trees.right[row]], leads)
        on = (letter | helped) & (leads >= 0)
        now[walking[on]] = leads[on]
        walking = walking[on]
    return _pool_walks(population, measure, trees, tree, counts, reached, covered)


def _pool_walks(
    population: Population,
    measure: Walk,
    trees: _TreeArrays,
    tree: Ints,
    counts: dict[str, Floats],
    reached: Floats,
    covered: Floats,
) -> FigureTable:
    """Return the pooled figures of walks, given what each came to."""
    size = len(trees.roots)
    length = trees.length[trees.roots][tree].astype(np.float64)
    credit = trees.credit[trees.roots][tree]
    asked = np.isfinite(credit)
    taught, closer, decisions = counts["taught"], counts["closer"], counts["decisions"] * asked
    worth = taught * asked + np.nan_to_num(credit) * counts["abstained"]
    columns = [np.full(size, float(population.samples))]
    formulas: dict[str, Formula] = {}
    # A walk without a start is one decision, at step 1, without a choice.
    missing = population.samples - np.bincount(tree, minlength=size)
    missing = missing * np.isfinite(trees.credit[trees.roots])

    def add_column(values: Floats, beside: Ints | int = 0) -> int:
        columns.append(np.bincount(tree, weights=values, minlength=size) + beside)
        return len(columns) - 1

    for name, moves in (("teacher", taught), ("optimal", closer)):
        whole = "perfect_rate" if name == "teacher" else "optimal_perfect_rate"
        formulas[f"{name}_adherence"] = Ratio(add_column(moves / length), 0)
        formulas[whole] = Ratio(add_column((moves == length).astype(np.float64)), 0)
    total, letters = add_column(decisions, missing), add_column(counts["answered"] * asked)
    formulas["coverage"] = Ratio(letters, total)
    formulas["selective_accuracy"] = Ratio(add_column(taught * asked), letters)
    formulas["idk_rate"] = Ratio(add_column(counts["abstained"] * asked), total)
    formulas["apa"] = Ratio(add_column(worth), total)
    formulas |= _macro_formulas(formulas, columns, population.row_difficulty[trees.roots])
    for step in range(1, reached.shape[1]):
        come = add_column(reached[:, step] * asked, missing if step == 1 else 0)
        formulas[f"step_{step}_coverage"] = Ratio(add_column(covered[:, step] * asked), come)
    return FigureTable("walk", measure.by, trees.roots, np.column_stack(columns), formulas)


def _chosen_options(population: Population) -> Ints:
    """Return what each kept entry says: an option, or one of the greater codes."""
    settled = population.settled
    said = settled.answer_codes
    code = settled.ledger.labels
    meaning = np.full(max(code.values()) + 1, _UNREAD, dtype=np.int64)
    for label, option in (*((x, LETTERS.index(x)) for x in LETTERS), (IDK, _ABSTAINED)):
        if label in code:
            meaning[code[label]] = option
    source = settled.source[population.kept]
    has_one = said.lengths[source] == 1
    first = np.zeros(len(source), dtype=np.int64)
    first[has_one] = said.codes[said.starts[source[has_one]]]
    parsed = np.isin(population.entry_status, list(PARSED)) & has_one
    found: Ints = np.where(parsed, meaning[first], _UNREAD)
    return found


def _macro_formulas(
    formulas: Mapping[str, Formula], columns: list[Floats], difficulty: Ints
) -> dict[str, Formula]:
    """Return the means over difficulties of the figures of abstention.

    Args:
        formulas: the pooled figures by name.
        columns: the columns of the table; those that the means need are added.
        difficulty: (trees,) place on the difficulty axis.
    """
    found: dict[str, Formula] = {}
    for name in ("coverage", "selective_accuracy", "idk_rate", "apa"):
        pooled = formulas[name]
        assert isinstance(pooled, Ratio), "shares of decisions or of answers"
        places = []
        for whole in (pooled.numerator, pooled.denominator):
            first = len(columns)
            columns += [columns[whole] * (difficulty == level) for level in np.unique(difficulty)]
            places.append(tuple(range(first, len(columns))))
        found[f"macro_{name}"] = MeanOfRatios(*places)
    return found


def _build_trees(part: ScoredSplit) -> _TreeArrays:
    """Return the trees of a split.

    Raises:
        ValueError: the rows make no trees.
    """
    items = part.encode_column("item")[0]
    node = np.asarray(part.read_column("node"), dtype=np.int64)
    step = np.asarray(part.read_column("step"), dtype=np.int64)
    width = int(node.max()) + 1
    options = part.read_column("next")
    where = "/".join(part.split_name)
    codes, letters = part.encode_column("answer")
    if set(options.value_lengths().to_pylist()) != {len(LETTERS)} or not set(letters) <= set(
        LETTERS
    ):
        raise ValueError(
            f"{where}: each row needs {len(LETTERS)} options and one answer; {_DAMAGED}"
        )
    leads = np.asarray(options.flatten(), dtype=np.int64).reshape(-1, len(LETTERS))
    row_of = np.full((int(items.max()) + 1) * width, -1, dtype=np.int64)
    row_of[items * width + node] = np.arange(part.count)
    to = np.where(leads < 0, leads, _NOWHERE)
    on = leads >= 0
    inside = on & (leads < width)
    to[inside] = row_of[(items[:, None] * width + leads)[inside]]
    if (node < 0).any() or (row_of >= 0).sum() != part.count:
        raise ValueError(f"{where}: two rows of one item have the same node; {_DAMAGED}")
    lacking = on & (to < 0)
    if (step[np.maximum(to, 0)] != step[:, None] + 1)[on & ~lacking].any():
        raise ValueError(
            f"{where}: a row leads to a node of its item that is not its next step; {_DAMAGED}"
        )
    starts = row_of[np.unique(items) * width]
    if (starts < 0).any() or (step[starts] != 1).any():
        raise ValueError(f"{where}: an item has no node 0 at step 1; {_DAMAGED}")
    # A walk that came to a decision without a row could not go on, whatever the player knows.
    starts = starts[~np.isin(items[starts], items[lacking.any(axis=1)])]
    policies, names = part.encode_column("abstain")
    policy = np.array([str(name) for name in names], dtype=object)[policies]
    credit = np.asarray(part.read_column("idk_credit"), dtype=np.float64)
    return _TreeArrays(
        roots=starts,
        next=to,
        right=np.array([LETTERS.index(str(letter)) for letter in letters], dtype=np.int64)[codes],
        step=step,
        length=np.asarray(part.read_column("optimal_depth"), dtype=np.int64),
        helped=policy == "teacher_on_abstain",
        credit=np.where(policy == "off", np.nan, credit),
    )
