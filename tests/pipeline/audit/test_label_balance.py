"""Balance by column: exact where questions are asked in pairs, likely where they stand alone."""

from typing import Any

import numpy as np
import pytest
import toy_tasks

from facelet.generators.cube.tasks import verification
from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.figure_limits import FairnessFigure, FigureCollector
from facelet.pipeline.audit.label_balance import add_choice_figures

SCOPE = ("test", "d01")


def make_observed(number: int, answer: str, form: str, *, alone: bool) -> AuditedRow:
    nothing: dict[str, Any] = dict.fromkeys(
        ("puzzle", "canonical", "family", "text", "prompt", "content"), ""
    )
    return AuditedRow(
        **nothing,
        id=f"toys.yesno/d01/{number:06}",
        split="test",
        cell="d01",
        number=number,
        difficulty=1,
        group=str(number),
        gold=(answer,),
        options=(),
        doublable=(),
        tokens=(),
        split_values=(form,),
        reveals_answer=False,
        faults=(),
        lacks_twin=alone,
    )


def figures(rows: list[AuditedRow]) -> dict[str, FairnessFigure]:
    collector = FigureCollector()
    add_choice_figures(collector, SCOPE, rows, ("no", "yes"), toy_tasks.YESNO)
    return collector.finish_figures(1e-3)[SCOPE]


def deal_rows(seed: int, *, alone: bool) -> list[AuditedRow]:
    """Yes and no dealt two by two; which form each has is drawn."""
    rng = np.random.default_rng(seed)
    answers = [word for _ in range(100) for word in rng.permutation(["yes", "no"])]
    forms = rng.choice(["cell", "row", "face"], size=len(answers), p=[0.6, 0.35, 0.05])
    both = enumerate(zip(answers, forms, strict=True))
    return [make_observed(n, str(answer), str(form), alone=alone) for n, (answer, form) in both]


def broken_figures(rows: list[AuditedRow]) -> set[str]:
    return {name for name, figure in figures(rows).items() if not figure.is_within_limits()}


@pytest.mark.parametrize("seed", range(5))
def test_what_is_asked_alone_need_not_come_out_even_by_form(seed: int) -> None:
    assert broken_figures(deal_rows(seed, alone=True)) == set()
    assert broken_figures(deal_rows(seed, alone=False)) == {"gold_by_form_deviation"}


def test_what_is_asked_alone_must_still_be_likely() -> None:
    rows = [
        make_observed(n, "yes" if n % 2 else "no", "row" if n % 4 == 1 else "cell", alone=True)
        for n in range(200)
    ]
    assert broken_figures(rows) >= {"gold_by_form_p"}
    uneven = [make_observed(n, "yes", "row", alone=True) for n in range(200)]
    assert broken_figures(uneven) >= {"gold_deviation", "gold_p"}


def test_pairs_stay_exact_beside_one_that_is_alone() -> None:
    """One is left over of each form; the pairs of a form are even."""
    pairs = [
        make_observed(n, "yes" if n % 2 else "no", "row" if n < 50 else "cell", alone=False)
        for n in range(100)
    ]
    assert broken_figures([*pairs, make_observed(100, "yes", "row", alone=True)]) == set()
    pairs[3] = make_observed(3, "no", "row", alone=False)
    assert "gold_by_form_deviation" in broken_figures(pairs)


def test_verification_says_who_is_asked_alone() -> None:
    assert verification.TASK.paired_by == "pair"
    assert "pair" in {column.name for column in verification.TASK.columns}
