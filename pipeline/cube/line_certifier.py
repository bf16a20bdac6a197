"""Certify lines: a maneuver or a facelet string in, its proven optimal depth as JSON out.

A maneuver claims its own length, as typed: "a cube at 7 steps" is mostly the result of 7 random
moves. Any line may claim another depth after a #, as in `R U F2 # 3`; a facelet string claims none
without it. Claims are in the metric of the proof, and are compared with the proven depths.

With mode=quick the answer is a short solution, which bounds the depth and proves nothing. Answers
come in the order of the lines, each as soon as it and its predecessors are done, while later lines
are read: the verb works in a pipe and in a dialogue. An unreadable line gets an error object with
its number and the reason, and the run continues. Search threads share one table.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import IO

from tqdm import tqdm

from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.distance.exact_solver import ExactSolver, Unproven
from facelet.generators.cube.distance.ordered_threads import run_ordered
from facelet.generators.cube.engine import notation
from facelet.generators.cube.engine.notation import Metric
from facelet.pipeline.cube.certify_input import meant_as_facelets, read_line
from facelet.pipeline.cube.settings import STANDARD, CertifySettings
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.dataset_info import align_table

_SAID = re.compile(r"^(.*\S)\s*#\s*(\d{1,3})\s*$")


def split_claim(line: str) -> tuple[str, int | None]:
    """Return a line without its claim, and the claim behind its #, if it has one."""
    said = _SAID.match(line)
    return (said[1], int(said[2])) if said else (line, None)


def compute_claimed_depth(line: str, said: int | None, metric: Metric) -> int | None:
    """Return the depth that a line claims; None if it claims none.

    Args:
        line: the line without what is behind its #.
        said: what is behind its #.
        metric: how half turns are counted.

    Raises:
        ValueError: it is neither a maneuver nor a facelet string.
    """
    if said is not None or meant_as_facelets(line):
        return said
    return notation.maneuver_length(notation.parse_maneuver(line), metric)


class DepthClaims:
    """The claims of many lines, with what was proven."""

    def __init__(self, metric: Metric) -> None:
        """Begin with none."""
        self._metric = metric
        self._proven: Counter[tuple[int, int]] = Counter()
        self._open: Counter[int] = Counter()

    def add_answer(self, answer: dict[str, object]) -> None:
        """Take an answer of `certify`; one without a claim is passed over."""
        claim, depth = answer.get("claimed_length"), answer.get("optimal_length")
        if not isinstance(claim, int):
            return
        if isinstance(depth, int):
            self._proven[claim, depth] += 1
        else:
            self._open[claim] += 1

    def format_summary(self) -> str:
        """Return a table by claimed depth, and a line about all of them."""
        if not (claims := sorted({claim for claim, _ in self._proven} | set(self._open))):
            return "no line claims a depth"
        rows: list[tuple[str, ...]] = [
            ("claimed", "cubes", "as deep", "nearer", "deeper", "mean depth", "not proven")
        ]
        rows.extend((str(claim), *self._summary_row([claim])) for claim in claims)
        rows.append(("all", *self._summary_row(claims)))
        total = sum(self._proven.values())
        nearer = sum(n for (claim, depth), n in self._proven.items() if depth < claim)
        share = f"{nearer / total:.1%}" if total else "none"
        head = f"{share} of {total:,} proven cubes are nearer than claimed ({self._metric})"
        return "\n".join([head, "", *align_table(rows, left=())])

    def _summary_row(self, claims: list[int]) -> tuple[str, ...]:
        found = {key: n for key, n in self._proven.items() if key[0] in claims}
        total = sum(found.values())

        def format_share(count: int) -> str:
            return f"{count} ({count / total:.0%})" if total else "-"

        same = sum(n for (claim, depth), n in found.items() if depth == claim)
        nearer = sum(n for (claim, depth), n in found.items() if depth < claim)
        mean = sum(depth * n for (_, depth), n in found.items()) / total if total else 0.0
        return (
            str(total + sum(self._open[claim] for claim in claims)),
            *(format_share(same), format_share(nearer), format_share(total - same - nearer)),
            f"{mean:.2f}" if total else "-",
            str(sum(self._open[claim] for claim in claims)),
        )


MAX_LINE = 100_000
"""Characters of a line that are read; a longer one is an error."""


def answer_all(settings: CertifySettings) -> int:
    """Answer every line of the input; return how many were not proven.

    Raises:
        ValueError: a file cannot be opened.
    """
    progress = settings.shows_progress
    with ExitStack() as stack:
        given = StringIO(settings.state) if settings.state else sys.stdin
        lines = _open_stream(stack, settings.input, "r", given)
        out = _open_stream(stack, settings.output, "w", sys.stdout)
        if settings.mode == "quick":
            answers = bound_lines(lines, settings)
        else:
            name = f"{settings.metric}-{settings.table}"
            table = open_table(name, settings.cache, progress=progress, private=True)
            answers = certify_lines(lines, ExactSolver(table), settings)
        bad = 0
        found = DepthClaims(settings.metric)
        bar = stack.enter_context(
            tqdm(
                desc="certify", unit="state", disable=not (progress and settings.output != STANDARD)
            )
        )
        for answer in answers:
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
            out.flush()
            found.add_answer(answer)
            bad += "error" in answer or "not_proven_within" in answer
            bar.update()
    if settings.claims:
        print(found.format_summary(), file=sys.stderr)
    return bad


def certify_lines(
    lines: IO[str], solver: ExactSolver, settings: CertifySettings
) -> Iterator[dict[str, object]]:
    """Yield the answer to each line that is not blank, in order if that is asked for.

    Args:
        lines: the input, read as answers are taken.
        solver: proves the distances.
        settings: how many searches there are at the same time, and how far each may go.
    """
    stop = threading.Event()
    prove = partial(_prove_line, solver, settings, stop)
    yield from _iterate_answers(lines, prove, settings, stop)


def bound_lines(lines: IO[str], settings: CertifySettings) -> Iterator[dict[str, object]]:
    """Yield a short solution of each line that is not blank: a bound, without a proof.

    Args:
        lines: the input, read as answers are taken.
        settings: how many searches there are at the same time, and how far each looks.
    """
    stop = threading.Event()
    short = partial(_bound_line, settings.nodes or two_phase_solver.NODES, stop)
    yield from _iterate_answers(lines, short, settings, stop)


def _iterate_answers(
    lines: IO[str],
    answer: Callable[[str], dict[str, object]],
    settings: CertifySettings,
    stop: threading.Event,
) -> Iterator[dict[str, object]]:
    in_order = settings.ordered

    def answer_line(item: tuple[int, str | None]) -> dict[str, object]:
        number, line = item
        if line is None:
            return _error_answer(number, "", f"the line is longer than {MAX_LINE:,} characters")
        try:
            return answer(line) if in_order else {"line": number, **answer(line)}
        except ValueError as error:
            stated = None if settings.claims else split_claim(line)[1]
            hint = "" if stated is None else f"; claims=true reads the depth behind # {stated}"
            return _error_answer(number, line, f"{error}{hint}")

    jobs = _iterate_numbered_lines(lines)
    yield from run_ordered(answer_line, jobs, settings.thread_count, stop, in_order=in_order)


def _iterate_numbered_lines(lines: IO[str]) -> Iterator[tuple[int, str | None]]:
    """Yield number and text of each line that is not blank or a comment; None for a long one."""
    number = 0
    while text := lines.readline(MAX_LINE + 1):
        number += 1
        long = len(text) > MAX_LINE and not text.endswith("\n")
        while long and text and not text.endswith("\n"):
            text = lines.readline(MAX_LINE + 1)
        if long:
            yield number, None
        elif text.strip() and not text.lstrip().startswith("#"):
            yield number, text.strip()


def _begin_answer(line: str) -> tuple[dict[str, str], notation.Maneuver | None]:
    """Return the beginning of an answer to a line, and its solution in face moves if it has one.

    Raises:
        ValueError: it is neither a maneuver nor a facelet string.
    """
    state, turns, undo = read_line(line)
    answer: dict[str, str] = {"input": line, "facelets": state}
    if turns:
        answer["turned"] = notation.format_maneuver(turns)
    return answer, undo


def _short_solution(
    state: str, undo: notation.Maneuver | None, nodes: int, stop: threading.Event
) -> notation.Maneuver:
    """Return a short solution of a state: that of a two-phase search, or the one that is known."""
    solution = two_phase_solver.find_solution(state, nodes=nodes, stop=stop)
    return undo if undo is not None and len(undo) < len(solution) else solution


def _bound_line(nodes: int, stop: threading.Event, line: str) -> dict[str, object]:
    """Return a short solution of a line's state.

    Raises:
        ValueError: it is neither a maneuver nor a legal state.
    """
    answer, undo = _begin_answer(line)
    solution = _short_solution(answer["facelets"], undo, nodes, stop)
    return answer | {
        "metric": "htm",
        "upper_bound": len(solution),
        "solution": notation.format_maneuver(solution),
        "proven": False,
    }


def _prove_line(
    solver: ExactSolver, settings: CertifySettings, stop: threading.Event, line: str
) -> dict[str, object]:
    """Return the proven depth of a line's state, or bounds of it where the limit ends the search.

    Raises:
        ValueError: it is neither a maneuver nor a legal state.
    """
    line, said = split_claim(line) if settings.claims else (line, None)
    answer, undo = _begin_answer(line)
    fields: dict[str, object] = {}
    if settings.claims:
        fields["claimed_length"] = compute_claimed_depth(line, said, solver.metric)
    limit = settings.limit
    try:
        if undo is None:
            certificate = solver.solve_state(answer["facelets"], node_limit=limit, stop=stop)
        else:
            certificate = solver.certify_state(
                answer["facelets"], undo, node_limit=limit, stop=stop
            )
    except Unproven as early:
        solution = _short_solution(answer["facelets"], undo, two_phase_solver.NODES, stop)
        return (
            answer
            | fields
            | {
                "metric": solver.metric,
                "not_proven_within": limit,
                "lower_bound": early.exhausted + 1,
                "upper_bound": notation.maneuver_length(solution, solver.metric),
                "solution": notation.format_maneuver(solution),
                "nodes": early.nodes,
            }
        )
    proven: dict[str, object] = {
        **answer,
        **fields,
        "metric": certificate.metric,
        "optimal_length": certificate.optimal_length,
        "solution": notation.format_maneuver(certificate.solution),
        "exhausted": certificate.exhausted,
        "nodes": certificate.nodes,
        "table_hash": certificate.table_hash,
        "seconds": round(certificate.seconds, 4),
    }
    if settings.first_moves:
        proven["first_moves"] = list(
            solver.optimal_first_moves(certificate.facelets, certificate.optimal_length)
        )
    return proven


def _error_answer(number: int, line: str, reason: str) -> dict[str, object]:
    return {"line": number, "input": line[:200], "error": reason}


def _open_stream(stack: ExitStack, path: Path, mode: str, standard: IO[str]) -> IO[str]:
    """Return a file, or a standard stream for "-"; undecodable bytes become question marks."""
    if path == STANDARD:
        if isinstance(standard, TextIOWrapper):
            standard.reconfigure(encoding="utf-8", errors="replace")
        return standard
    try:
        return stack.enter_context(path.open(mode, encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ValueError(
            f"cannot open {path}: {error.strerror}; name another file, or - for the standard stream"
        ) from None
