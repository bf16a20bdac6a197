"""Tables come out the same whoever builds them, and a wrong one is found out."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from facelet.generators.cube.distance import pruning_tables
from facelet.generators.cube.distance.compiled_cores import core
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.distance.ordered_threads import run_ordered
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED
from facelet.pipeline.cube.table_cache import open_table

ROOT = Path(__file__).parents[4]

PORTABLE = """
import sys
import numpy as np
from facelet.generators.cube.distance import tables
from facelet.generators.cube.distance.compiled_cores import core
from facelet.generators.cube.distance.exact_solver import Solver
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.notation import SOLVED

spec = tables.spec("htm-small")
memory = np.empty(spec.bytes, dtype=np.uint8)
tables.build(spec, memory, threads=1)
print(core.INSTRUCTION_SET)
print(tables.digest(memory))
solver = Solver(tables.Table(spec, memory))
for text in sys.argv[1:]:
    state = moves.apply(SOLVED, text)
    proof = solver.solve(state)
    print(proof.optimal_length, proof.nodes, notation.format(proof.solution))
"""

WORDS = ["R U F", "R U2 F' L D B2 R' U F", "R U F2 L' D B R2 U' F L2 D' B", "M2 E2 S2"]


@pytest.mark.slow
def test_portable_code_builds_and_searches_alike() -> None:
    """One thread of plain C against all threads of whatever this processor can do."""
    environment = os.environ | {"FACELET_PORTABLE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PORTABLE, *WORDS],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    which, digest, *rest = done.stdout.splitlines()
    assert which == "portable"
    assert digest == pruning_tables.find_spec("htm-small").digest
    solver = ExactSolver(open_table("htm-small", progress=False))
    proofs = [solver.solve_state(moves.apply_maneuver(SOLVED, text)) for text in WORDS]
    assert rest == [
        f"{p.optimal_length} {p.nodes} {notation.format_maneuver(p.solution)}" for p in proofs
    ]


def test_threads_make_no_difference_and_progress_is_told() -> None:
    spec = pruning_tables.find_spec("qtm-small")
    memory = np.empty(spec.byte_count, dtype=np.uint8)
    steps: list[tuple[int, int]] = []
    pruning_tables.build_table(spec, memory, threads=3, progress=lambda *step: steps.append(step))
    assert pruning_tables.hash_table(memory) == spec.digest
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert {total for _, total in steps} == {len(steps)}


def test_wrong_counts_and_wrong_memory_are_refused() -> None:
    spec = pruning_tables.find_spec("htm-small")
    wrong = replace(spec, counts=(1, 12, 134, *spec.counts[3:]))
    with pytest.raises(pruning_tables.WrongTableError, match="133 cosets at distance 2"):
        pruning_tables.build_table(wrong, np.empty(spec.byte_count, dtype=np.uint8))
    for memory in (np.empty(10, dtype=np.uint8), np.empty(spec.byte_count, dtype=np.int8)):
        with pytest.raises(ValueError, match="contiguous uint8 array"):
            pruning_tables.build_table(spec, memory)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="known: htm-small, htm-default"):
        pruning_tables.find_spec("htm-huge")


def test_the_core_refuses_what_would_lead_it_astray() -> None:
    table = open_table("htm-small", progress=False)
    spec, memory = table.spec, table.memory
    solved = bytes((*range(8), *[0] * 8, *range(12), *[0] * 12))
    with pytest.raises(ValueError, match="size that its flips"):
        core.bounds(memory[:-1], spec.flips, spec.base, solved)
    with pytest.raises(ValueError, match="piece is there twice"):
        core.bounds(memory, spec.flips, spec.base, solved.replace(b"\x01", b"\x02"))
    with pytest.raises(ValueError, match="40 bytes"):
        core.bounds(memory, spec.flips, spec.base, solved[:-1])
    with pytest.raises(ValueError, match="holds no search"):
        core.search_run(bytearray(1 << 20), memory, spec.flips, spec.base, 1)
    with pytest.raises(ValueError, match="too small"):
        core.search_start(bytearray(100), memory, spec.flips, spec.base, False, solved, 5, bytes(2))
    size = core.search_size(5, 1)
    for roots in (b"\x01", b"\x01\x12\x00", b"\x00\x05\x00"):
        with pytest.raises(ValueError, match="root"):
            core.search_start(
                bytearray(size), memory, spec.flips, spec.base, False, solved, 5, roots
            )
    with pytest.raises(ValueError, match="limit must be 0 to 30"):
        core.search_size(31, 1)


def test_a_slow_or_broken_supply_of_work() -> None:
    import threading

    taken: list[int] = []

    def supply_slowly():
        for number in range(1000):
            taken.append(number)
            yield number

    results = run_ordered(lambda n: n * n, supply_slowly(), 2, threading.Event())
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    assert len(taken) < 100
    results.close()

    def supply_then_fail():
        yield 1
        raise OSError("no more")

    results = run_ordered(lambda n: n, supply_then_fail(), 2, threading.Event())
    assert next(results) == 1
    with pytest.raises(OSError, match="no more"):
        next(results)
    with pytest.raises(ZeroDivisionError):
        list(run_ordered(lambda n: 1 // n, [1, 0, 2], 2, threading.Event()))
    with pytest.raises(ValueError, match="threads=0"):
        list(run_ordered(lambda n: n, [1], 0, threading.Event()))
