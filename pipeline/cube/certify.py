"""Certify: a maneuver or a facelet string a line in, its proven optimal depth as JSON a line out.

With mode=quick a short solution at once, which bounds the depth and proves nothing. Lines are
answered in their order, each as soon as it and those before it are done, while later ones are read:
the verb works in a pipe and in a dialogue. One that cannot be read gets an error object with its
number and the reason, and the run goes on. Searches run in threads that share one table.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from io import TextIOWrapper
from typing import IO, Any

from tqdm import tqdm

from facelet.generators.cube.distance import two_phase
from facelet.generators.cube.distance.ordered import ordered
from facelet.generators.cube.distance.solver import Solver, Unproven
from facelet.generators.cube.distance.tables import workers as processors
from facelet.generators.cube.engine import notation
from facelet.pipeline.cube.lines import SHORT, read
from facelet.pipeline.cube.tables import open_table
from facelet.pipeline.words import (
    Key,
    check_range,
    expand,
    help_table,
    nearest,
    read_words,
    shows_progress,
)

MAX_LINE = 100_000
"""Characters of a line that are read; a longer one is an error."""

SIZES = ("small", "default", "large")
METRICS = ("htm", "qtm")
MODES = ("exact", "quick")
_ONLY_EXACT = ("table", "first_moves", "cache", "limit")
"""Keys that mean nothing in mode=quick."""

KEYS = (
    Key(
        "mode",
        "str",
        "exact",
        ", ".join(MODES),
        "exact proves the depth; quick prints a solution of usually 18 to 20 moves within "
        "milliseconds, an upper bound that is not proven (half turns count one).",
    ),
    Key("metric", "str", "htm", "htm or qtm", "Half turns count one (htm) or two (qtm)."),
    Key(
        "table",
        "str",
        "default",
        ", ".join(SIZES),
        "Size of the pruning table: small (22 MB) for depths up to about 13, default (0.3 GB), "
        "large (2.6 GB) for many states from depth 17 on. Built once, on first use.",
    ),
    Key(
        "workers",
        "int",
        "all cores",
        "at least 1",
        "Lines that are searched at the same time.",
    ),
    Key(
        "nodes",
        "int",
        f"{two_phase.NODES}",
        f"1 to {two_phase.MAX_NODES}",
        "Positions that mode=quick looks at for each line: more find shorter solutions.",
    ),
    Key(
        "limit",
        "int",
        "none",
        "at least 1",
        "Nodes that mode=exact may search for a line, some tens of millions a second; one that "
        "takes more is answered with not_proven_within and bounds.",
    ),
    Key(
        "ordered",
        "bool",
        "true",
        "true or false",
        "false: answers come as soon as they are done, each with the number of its line.",
    ),
    Key("input", "str", "", "a file; - for standard input", "Where the lines come from."),
    Key("output", "str", "", "a file; - for standard output", "Where the answers go."),
    Key(
        "first_moves",
        "bool",
        "false",
        "true or false",
        "Also list the first moves of all optimal solutions.",
    ),
    Key("cache", "str", "", "a folder", "Where tables are kept; ~/.cache/facelet."),
    Key(
        "progress",
        "bool",
        "if stderr is a terminal",
        "true or false",
        "Show progress on stderr.",
    ),
)

HELP = f"""facelet certify [key=value ...]

Proves the optimal depth of cube states. Each line of the input is a maneuver in Singmaster notation
(R U2 F', also wide moves, slices and whole-cube turns), made from the solved cube, or a facelet
string of 54 letters in URFDLB order. Each answer is one JSON object a line:

  input, facelets, metric, optimal_length, solution, exhausted, nodes, table_hash, seconds

`solution` solves the state in `optimal_length` moves; every maneuver of up to `exhausted` moves was
ruled out, which took a look at `nodes` positions, the same number on every machine. A cube whose
centres are turned is first turned upright, as `turned` then says. A line that cannot be read is
answered by line, input and error, and the run goes on; blank lines and those that begin with # are
passed over. A line of facelet letters alone that is longer than {SHORT} is a facelet string, never
a maneuver. Exit code: 0 if every line was proven, 1 if some were errors or not proven within the
limit, 2 if the command was wrong. What limit=... ends early is answered with

  input, facelets, metric, not_proven_within, lower_bound, upper_bound, solution, nodes

With mode=quick an answer is a bound from a two-phase search:

  input, facelets, metric, upper_bound, solution, proven

`solution` solves the state in `upper_bound` moves, and `proven` is false: shorter solutions may
exist. It is the undone maneuver itself if the search finds nothing shorter. No table is needed.

With the default table and one worker, depth 16 takes about a tenth of a second and each further
move some 13 times as long; the large table is about six times faster. That is for a maneuver that
is optimal or nearly so: for a facelet string the solution has to be found as well, which takes up
to ten times longer.

Keys, with their defaults:
{help_table(KEYS)}

Examples:
  echo "R U R' U'" | facelet certify
  echo "R U R' U'" | facelet certify mode=quick
  facelet certify input=scrambles.txt output=proofs.jsonl table=large workers=2
"""


def run(words: Sequence[str]) -> int:
    """Run the verb; return its exit code."""
    values = read_words(words, KEYS)
    metric = _one_of("metric", values.get("metric", "htm"), METRICS)
    size = _one_of("table", values.get("table", "default"), SIZES)
    threads = check_range("workers", int(str(values.get("workers", processors()))), 1)
    source, target = str(values.get("input") or "-"), str(values.get("output") or "-")
    progress = shows_progress(values.get("progress"))
    quick = _one_of("mode", values.get("mode", "exact"), MODES) == "quick"
    in_order = bool(values.get("ordered", True))
    _check_mode(values, quick)
    with ExitStack() as stack:
        lines = _open(stack, source, "r", sys.stdin)
        out = _open(stack, target, "w", sys.stdout)
        if quick:
            nodes = int(str(values.get("nodes", two_phase.NODES)))
            check_range("nodes", nodes, 1, two_phase.MAX_NODES)
            answers = bound(lines, nodes=nodes, threads=threads, in_order=in_order)
        else:
            cache = expand(str(values["cache"])) if values.get("cache") else None
            table = open_table(f"{metric}-{size}", cache, progress=progress, private=True)
            first_moves = bool(values.get("first_moves", False))
            limit = int(str(values["limit"])) if "limit" in values else None
            check_range("limit", 1 if limit is None else limit, 1)
            answers = certify(
                lines,
                Solver(table),
                threads=threads,
                first_moves=first_moves,
                limit=limit,
                in_order=in_order,
            )
        bad = 0
        bar = stack.enter_context(
            tqdm(desc="certify", unit="state", disable=not (progress and target != "-"))
        )
        for answer in answers:
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
            out.flush()
            bad += "error" in answer or "not_proven_within" in answer
            bar.update()
    return 1 if bad else 0


def _check_mode(values: Mapping[str, object], quick: bool) -> None:
    """Refuse keys that the mode would not heed."""
    if not quick and "nodes" in values:
        raise ValueError("nodes is for mode=quick; an exact search ends when it has its proof")
    given = [key for key in _ONLY_EXACT if quick and key in values]
    if given:
        raise ValueError(f"{given[0]} is for mode=exact; leave it out, or leave out mode=quick")
    if quick and values.get("metric", "htm") != "htm":
        raise ValueError("mode=quick counts half turns as one; use metric=htm, or mode=exact")


def certify(
    lines: IO[str],
    solver: Solver,
    *,
    threads: int | None = None,
    first_moves: bool = False,
    limit: int | None = None,
    in_order: bool = True,
) -> Iterator[dict[str, Any]]:
    """Yield the answer to each line that is not blank, in order.

    Args:
        lines: the input, read as answers are taken.
        solver: proves the distances.
        threads: searches at the same time; all processors by default.
        first_moves: whether to add the first moves of all optimal solutions.
        limit: nodes that the search for a line may take; None for any number.
        in_order: false to answer each line, with its number, as soon as it is done.
    """
    stop = threading.Event()
    prove = partial(_prove, solver, first_moves, limit, stop)
    yield from _answers(lines, prove, threads, stop, in_order)


def bound(
    lines: IO[str],
    *,
    nodes: int = two_phase.NODES,
    threads: int | None = None,
    in_order: bool = True,
) -> Iterator[dict[str, Any]]:
    """Yield a short solution of each line that is not blank, in order: a bound, without a proof.

    Args:
        lines: the input, read as answers are taken.
        nodes: positions that each search looks at.
        threads: searches at the same time; all processors by default.
        in_order: false to answer each line, with its number, as soon as it is done.
    """
    stop = threading.Event()
    yield from _answers(lines, partial(_bound, nodes, stop), threads, stop, in_order)


def _answers(
    lines: IO[str],
    answer: Callable[[str], dict[str, Any]],
    threads: int | None,
    stop: threading.Event,
    in_order: bool,
) -> Iterator[dict[str, Any]]:
    def work(item: tuple[int, str | None]) -> dict[str, Any]:
        number, line = item
        if line is None:
            return _error(number, "", f"the line is longer than {MAX_LINE:,} characters")
        try:
            return answer(line) if in_order else {"line": number, **answer(line)}
        except ValueError as error:
            return _error(number, line, str(error))

    jobs = _numbered(lines)
    yield from ordered(work, jobs, threads or processors(), stop, in_order=in_order)


def _numbered(lines: IO[str]) -> Iterator[tuple[int, str | None]]:
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


def _begin(line: str) -> tuple[dict[str, Any], notation.Maneuver | None]:
    """Return how an answer to a line begins, and a solution of face moves if the line tells one.

    Raises:
        ValueError: it is neither a maneuver nor a facelet string.
    """
    state, turns, undo = read(line)
    answer: dict[str, Any] = {"input": line, "facelets": state}
    if turns:
        answer["turned"] = notation.format(turns)
    return answer, undo


def _short(
    state: str, undo: notation.Maneuver | None, nodes: int, stop: threading.Event
) -> notation.Maneuver:
    """Return a short solution of a state: that of a two-phase search, or the one that is known."""
    solution = two_phase.solve(state, nodes=nodes, stop=stop)
    return undo if undo is not None and len(undo) < len(solution) else solution


def _bound(nodes: int, stop: threading.Event, line: str) -> dict[str, Any]:
    """Return a short solution of a line's state.

    Raises:
        ValueError: it is neither a maneuver nor a legal state.
    """
    answer, undo = _begin(line)
    solution = _short(answer["facelets"], undo, nodes, stop)
    return answer | {
        "metric": "htm",
        "upper_bound": len(solution),
        "solution": notation.format(solution),
        "proven": False,
    }


def _prove(
    solver: Solver, first_moves: bool, limit: int | None, stop: threading.Event, line: str
) -> dict[str, Any]:
    """Return the proven depth of a line's state, or bounds of it where the limit ends the search.

    Raises:
        ValueError: it is neither a maneuver nor a legal state.
    """
    answer, undo = _begin(line)
    try:
        if undo is None:
            certificate = solver.solve(answer["facelets"], node_limit=limit, stop=stop)
        else:
            certificate = solver.certify(answer["facelets"], undo, node_limit=limit, stop=stop)
    except Unproven as early:
        solution = _short(answer["facelets"], undo, two_phase.NODES, stop)
        return answer | {
            "metric": solver.metric,
            "not_proven_within": limit,
            "lower_bound": early.exhausted + 1,
            "upper_bound": notation.length(solution, solver.metric),
            "solution": notation.format(solution),
            "nodes": early.nodes,
        }
    answer |= {
        "metric": certificate.metric,
        "optimal_length": certificate.optimal_length,
        "solution": notation.format(certificate.solution),
        "exhausted": certificate.exhausted,
        "nodes": certificate.nodes,
        "table_hash": certificate.table_hash,
        "seconds": round(certificate.seconds, 4),
    }
    if first_moves:
        answer["first_moves"] = list(
            solver.optimal_first_moves(certificate.facelets, certificate.optimal_length)
        )
    return answer


def _error(number: int, line: str, reason: str) -> dict[str, Any]:
    return {"line": number, "input": line[:200], "error": reason}


def _one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    if value not in allowed:
        close = nearest(str(value), allowed)
        raise ValueError(f"{name}={value} is not one of {', '.join(allowed)}{close}")
    return str(value)


def _open(stack: ExitStack, name: str, mode: str, standard: IO[str]) -> IO[str]:
    """Return a file, or a standard stream for "-"; undecodable bytes become question marks."""
    if name == "-":
        if isinstance(standard, TextIOWrapper):
            standard.reconfigure(encoding="utf-8", errors="replace")
        return standard
    try:
        return stack.enter_context(expand(name).open(mode, encoding="utf-8", errors="replace"))
    except OSError as error:
        raise ValueError(f"cannot open {name}: {error.strerror}") from None
