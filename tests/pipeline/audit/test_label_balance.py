"""Balance by column: exact where questions are asked in pairs, likely where they stand alone."""

from typing import Any

import numpy as np
import pytest
import toy_tasks

from facelet.generators.cube.tasks import verification
from facelet.pipeline.audit.answers import add_choices
from facelet.pipeline.audit.limits import Collector, Figure
from facelet.pipeline.audit.observed import Observed

SCOPE = ("test", "d01")


def observed(number: int, answer: str, form: str, *, alone: bool) -> Observed:
    nothing: dict[str, Any] = dict.fromkeys(
        ("puzzle", "canonical", "family", "text", "prompt", "content"), ""
    )
    return Observed(
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
        by=(form,),
        told=False,
        faults=(),
        alone=alone,
    )


def figures(rows: list[Observed]) -> dict[str, Figure]:
    collector = Collector()
    add_choices(collector, SCOPE, rows, ("no", "yes"), toy_tasks.YESNO)
    return collector.close(1e-3)[SCOPE]


def dealt(seed: int, *, alone: bool) -> list[Observed]:
    """Yes and no dealt two by two; which form each has is drawn."""
    rng = np.random.default_rng(seed)
    answers = [word for _ in range(100) for word in rng.permutation(["yes", "no"])]
    forms = rng.choice(["cell", "row", "face"], size=len(answers), p=[0.6, 0.35, 0.05])
    both = enumerate(zip(answers, forms, strict=True))
    return [observed(n, str(answer), str(form), alone=alone) for n, (answer, form) in both]


def broken(rows: list[Observed]) -> set[str]:
    return {name for name, figure in figures(rows).items() if not figure.holds()}


@pytest.mark.parametrize("seed", range(5))
def test_what_is_asked_alone_need_not_come_out_even_by_form(seed: int) -> None:
    assert broken(dealt(seed, alone=True)) == set()
    assert broken(dealt(seed, alone=False)) == {"gold_by_form_deviation"}


def test_what_is_asked_alone_must_still_be_likely() -> None:
    rows = [
        observed(n, "yes" if n % 2 else "no", "row" if n % 4 == 1 else "cell", alone=True)
        for n in range(200)
    ]
    assert broken(rows) >= {"gold_by_form_p"}
    uneven = [observed(n, "yes", "row", alone=True) for n in range(200)]
    assert broken(uneven) >= {"gold_deviation", "gold_p"}


def test_pairs_stay_exact_beside_one_that_is_alone() -> None:
    """One is left over of each form; the pairs of a form are even."""
    pairs = [
        observed(n, "yes" if n % 2 else "no", "row" if n < 50 else "cell", alone=False)
        for n in range(100)
    ]
    assert broken([*pairs, observed(100, "yes", "row", alone=True)]) == set()
    pairs[3] = observed(3, "no", "row", alone=False)
    assert "gold_by_form_deviation" in broken(pairs)


def test_verification_says_who_is_asked_alone() -> None:
    assert verification.TASK.paired_by == "pair"
    assert "pair" in {column.name for column in verification.TASK.columns}
