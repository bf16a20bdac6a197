"""Compose runs of rotations and mirrors, and compute what leaving one out changes.

Any run of rotations and mirrors equals one of the eight symmetries of the square. The number of a
symmetry is 4 if left and right are swapped, plus the number of clockwise turns that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from facelet.generators.options.deformation.world_protocol import Step
from facelet.generators.shapes import shape_operations

CUT, CLOCKWISE, COUNTERCLOCKWISE, MIRROR = range(4)
"""The kinds of operations that take nothing; all but the first are turns."""

SYMMETRIES = range(8)
TURNS = (0, 1, 3, 4)
"""By kind: the symmetry that it is, of kinds that are turns."""


def apply_symmetry(shape: int, symmetry: int) -> int:
    """Return a shape under a symmetry."""
    if symmetry & 4:
        shape = shape_operations.mirror_shape(shape)
    if symmetry & 3 == 3:
        return shape_operations.turn_counterclockwise(shape)
    for _ in range(symmetry & 3):
        shape = shape_operations.turn_clockwise(shape)
    return shape


@cache
def symmetry_products() -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Return the symmetry of one and then the other, and the one that undoes each."""
    mark = 0o10 | 0o20 << 6 | 0o30 << 12 | 0o40 << 18
    ends = [apply_symmetry(mark, symmetry) for symmetry in SYMMETRIES]
    product = tuple(
        tuple(ends.index(apply_symmetry(apply_symmetry(mark, a), b)) for b in SYMMETRIES)
        for a in SYMMETRIES
    )
    return product, tuple(row.index(0) for row in product)


@cache
def _left_out(whole: int) -> tuple[tuple[int, ...], ...]:
    """Return the symmetry of a run of turns without one of them.

    Args:
        whole: the symmetry of the run.

    Returns:
        By the symmetry of the turns before that one, and by its kind.
    """
    product, inverse = symmetry_products()
    return tuple(
        tuple(product[before][product[inverse[product[before][turn]]][whole]] for turn in TURNS)
        for before in SYMMETRIES
    )


class LeaveOneOut:
    """Where a list of operations leads without one of them.

    Operations that are no turns cut the list into runs of turns. What is left out in a run leads
    to one of eight states at its end, and from there on states are carried from run to run.

    Args:
        apply: carries an operation out.
        states: those from the start to the end, one more than there are steps.
        steps: the list.
    """

    def __init__(
        self, apply: Callable[[int, Step], int], states: Sequence[int], steps: Sequence[Step]
    ) -> None:
        self._apply, self._states, self._steps = apply, states, steps
        product, _ = symmetry_products()
        self._cuts = [n for n, (kind, _) in enumerate(steps) if not CLOCKWISE <= kind <= MIRROR]
        self._runs: list[int] = []
        begin = 0
        for cut in (*self._cuts, len(steps)):
            whole = 0
            for kind, _ in steps[begin:cut]:
                whole = product[whole][TURNS[kind]]
            self._runs.append(whole)
            begin = cut + 1
        # Where each state leads that was met at the end of a run.
        self._ends: list[dict[int, int]] = [{} for _ in self._runs]

    def live_steps(self) -> tuple[bool, ...]:
        """Return of each operation whether the list would lead elsewhere without it."""
        states, steps, last = self._states, self._steps, self._states[-1]
        product, _ = symmetry_products()
        found: list[bool] = []
        begin = 0
        for run, cut in enumerate((*self._cuts, len(steps))):
            without = _left_out(self._runs[run])
            known: dict[int, bool] = {}
            before = 0
            for kind, _ in steps[begin:cut]:
                if (symmetry := without[before][kind]) not in known:
                    known[symmetry] = (
                        self._run_end(run, apply_symmetry(states[begin], symmetry)) != last
                    )
                found.append(known[symmetry])
                before = product[before][TURNS[kind]]
            if cut < len(steps):
                after = apply_symmetry(states[cut], self._runs[run + 1])
                found.append(self._run_end(run + 1, after) != last)
            begin = cut + 1
        return tuple(found)

    def _run_end(self, run: int, state: int) -> int:
        """Return where a state at the end of a run leads."""
        met: list[tuple[int, int]] = []
        for now in range(run, len(self._cuts)):
            cut = self._cuts[now]
            if state == self._states[cut]:
                state = self._states[-1]
                break
            if (known := self._ends[now].get(state)) is not None:
                state = known
                break
            met.append((now, state))
            state = apply_symmetry(self._apply(state, self._steps[cut]), self._runs[now + 1])
        for now, before in met:
            self._ends[now][before] = state
        return state
