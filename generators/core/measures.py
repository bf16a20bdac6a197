"""Declare which figures a task's report shows; the scorer computes them.

Every report has accuracy (strict and lenient), parse rate and status counts for each difficulty;
a task adds measures for what its field reports beyond them. Each figure is given per difficulty
and over all, split by the columns named in `by`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Measure:
    """Base of all measures.

    Attributes:
        counted_by: what counts it in the scorer, where a family has a measure of its own: the kind
            "cube/walking" names the module of the pipeline that exports `count`.
        labelled: whether it compares the labels of gold and answer, element by element.
        by: published columns to split by, besides the difficulty.
    """

    counted_by: ClassVar[str] = ""
    labelled: ClassVar[bool] = False
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Called(Measure):
    """No figure of its own, but the names that a paper gives to figures; tables show both.

    Attributes:
        names: pairs of a figure's name and its name in the paper.
    """

    names: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Looks(Measure):
    """No figure of its own: which metrics are compared, besides accuracy, when looks differ.

    A config whose params differ from another's only in how puzzles are shown (`Param.look`) is
    compared with it puzzle by puzzle. An entry without a metric counts 0.

    Attributes:
        metrics: metrics from 0 to 1, larger for better.
    """

    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Accuracy(Measure):
    """Accuracy once more, split by the columns in `by` (top-1 by modality, by template)."""


@dataclass(frozen=True, slots=True)
class MeanOf(Measure):
    """Mean of one of the outcome's named metrics; a prediction without it counts `default`.

    Attributes:
        metric: the metric.
        default: what a prediction without it counts.
        share: whether the metric lies between 0 and 1 by definition, as shares and flags do;
            counts and lengths do not, even where they happen to.
    """

    metric: str = ""
    default: float = 0.0
    share: bool = True


@dataclass(frozen=True, slots=True)
class WeightedMeanOf(MeanOf):
    """Mean of a named metric, weighted by another one.

    Attributes:
        weight: the metric that is the weight, such as the denominator of a share.
        default_weight: the weight of a prediction without it. If it is 0, a player can gain by not
            answering where it would do badly.
        unless: a published column and a value of it: rows with that value do not have this figure,
            so a prediction that is missing there has no weight.
    """

    weight: str = ""
    default_weight: float = 0.0
    unless: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class MacroMeanOf(WeightedMeanOf):
    """Mean over the difficulties of a WeightedMeanOf, each counted once, as "macro_<metric>".

    Difficulties without weight are left out.
    """


@dataclass(frozen=True, slots=True)
class MeanAmong(MeanOf):
    """Mean of a named metric over some predictions, where each row has its own default.

    Attributes:
        default_column: a published column that says what a prediction without the metric counts,
            such as the attempts that an unsolved episode counts; "" for `default`.
        among: a 0/1 metric of the predictions that are counted; "" for all. A prediction without
            that metric is counted: leaving an answer out must not pay.
    """

    default_column: str = ""
    among: str = ""


@dataclass(frozen=True, slots=True)
class Proportion(Measure):
    """Share of predictions whose 0/1 metric is 1, as the figure "<metric>_rate".

    The denominator is unconditional: a prediction without the metric counts in it as a 0, and so
    does a missing one. With one row a base puzzle and one sample the interval is Wilson's; with
    several samples the share is the mean over them; and over several samples, or rows that share a
    base puzzle, the interval is that of a cluster bootstrap.

    Attributes:
        metric: the metric, 0 or 1.
        among: a 0/1 metric of the predictions that are counted, as in MeanAmong; "" for all.
    """

    metric: str = ""
    among: str = ""


@dataclass(frozen=True, slots=True)
class MedianOf(Measure):
    """Median of a metric, as the figure "median_<metric>"; null if no prediction counts.

    Predictions count that have the metric and, if `weight` names another one, where that is
    positive. Each sample of a row is a prediction. For metrics of few distinct values.

    Attributes:
        metric: the metric.
        weight: the metric that must be positive; "" for none.
    """

    metric: str = ""
    weight: str = ""


@dataclass(frozen=True, slots=True)
class MaxOf(MedianOf):
    """Largest value of a metric, as the figure "maximum_<metric>", without an interval."""


@dataclass(frozen=True, slots=True)
class Histogram(Measure):
    """How many predictions have each value of a metric; each sample of a row is a prediction.

    Attributes:
        metric: the metric.
        values: the values to count, ascending; () for all that occur in the split.
        up_to_column: a published column of whole numbers; if named, the values are 1, 2, and so on
            to the largest of it in the split.
    """

    metric: str = ""
    values: tuple[float, ...] = ()
    up_to_column: str = ""


@dataclass(frozen=True, slots=True)
class Binary(Measure):
    """Two-class figures over gold[0] and answer[0].

    Balanced accuracy (TPR + TNR) / 2, TPR, TNR, and the label bias: share of positive answers
    minus share of positive gold labels, among parsed predictions. Unparsed counts as an error.
    """

    labelled: ClassVar[bool] = True
    positive: str = "yes"


@dataclass(frozen=True, slots=True)
class Confusion(Measure):
    """Multi-class figures over all elements of gold and answer.

    Micro accuracy p_o, macro F1, Cohen's kappa with its chance term p_e, and the confusion matrix
    with a MISSING column; a missing element is a false negative of its gold class. In kappa the
    shares of answers are of all elements, so what is missing agrees with nothing by chance; in
    kappa_of_answers they are of the elements that have an answer.
    """

    labelled: ClassVar[bool] = True
    classes: tuple[str, ...] = ()


F1_UNIT = "F1 of "
"""How the name of a score by the F1 of one label begins."""


@dataclass(frozen=True, slots=True)
class LabelF1(Measure):
    """Base of measures of one rare label by its F1 score; a subclass says what counts it.

    Where one of two labels is rare, a player that never gives it has a high share of right answers.
    A task that is measured by the F1 of that label states its chance in that unit (`name`), and the
    audit scores its baseline players in it too.

    Attributes:
        label: the label, as golds have it.
    """

    labelled: ClassVar[bool] = True
    label: str = ""

    @property
    def name(self) -> str:
        """The unit of chance and floor."""
        return f"{F1_UNIT}{self.label}"


READ_REPLIES = WeightedMeanOf(metric="reply_parse_rate", weight="replies")
"""Share of all replies of all plays that could be read. The parse rate counts whole plays."""


def read_replies(read: int, replies: int) -> dict[str, float]:
    """Return the metrics of one play that READ_REPLIES is about.

    Args:
        read: replies of the play that could be read.
        replies: replies that it had, of those that are read at all.
    """
    found = {"replies": float(replies)}
    return found | {"reply_parse_rate": read / replies} if replies else found
