"""Certify: a maneuver or a facelet string a line in, its proven optimal depth as JSON a line out.

With mode=quick a short solution at once, which bounds the depth and proves nothing. Lines are
answered in their order, each as soon as it and those before it are done, while later ones are read:
the verb works in a pipe and in a dialogue. One that cannot be read gets an error object with its
number and the reason, and the run goes on. Searches run in threads that share one table.
"""

from __future__ import annotations

import json
import re
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
from facelet.generators.cube.distance.solver import Solver
from facelet.generators.cube.distance.tables import workers as processors
from facelet.generators.cube.engine import moves, notation
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.pipeline.cube.tables import open_table
from facelet.pipeline.words import Key, check_range, expand, help_table, nearest, read_words

MAX_LINE = 100_000
"""Characters of a line that are read; a longer one is an error."""

SIZES = ("small", "default", "large")
METRICS = ("htm", "qtm")
MODES = ("exact", "quick")
_ONLY_EXACT = ("table", "first_moves", "cache")
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
    Key("progress", "bool", "true", "true or false", "Show progress on stderr."),
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
passed over. Exit code: 0 if every line was answered, 1 if some were errors, 2 if the command was
wrong.

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
    progress = bool(values.get("progress", True))
    quick = _one_of("mode", values.get("mode", "exact"), MODES) == "quick"
    _check_mode(values, quick)
    with ExitStack() as stack:
        lines = _open(stack, source, "r", sys.stdin)
        out = _open(stack, target, "w", sys.stdout)
        if quick:
            nodes = int(str(values.get("nodes", two_phase.NODES)))
            check_range("nodes", nodes, 1, two_phase.MAX_NODES)
            answers = bound(lines, nodes=nodes, threads=threads)
        else:
            cache = expand(str(values["cache"])) if values.get("cache") else None
            table = open_table(f"{metric}-{size}", cache, progress=progress, private=True)
            first_moves = bool(values.get("first_moves", False))
            answers = certify(lines, Solver(table), threads=threads, first_moves=first_moves)
        bad = 0
        bar = stack.enter_context(
            tqdm(desc="certify", unit="state", disable=not (progress and target != "-"))
        )
        for answer in answers:
            out.write(json.dumps(answer, ensure_ascii=False) + "\n")
            out.flush()
            bad += "error" in answer
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
    lines: IO[str], solver: Solver, *, threads: int | None = None, first_moves: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield the answer to each line that is not blank, in order.

    Args:
        lines: the input, read as answers are taken.
        solver: proves the distances.
        threads: searches at the same time; all processors by default.
        first_moves: whether to add the first moves of all optimal solutions.
    """
    stop = threading.Event()
    yield from _answers(lines, partial(_prove, solver, first_moves, stop), threads, stop)


def bound(
    lines: IO[str], *, nodes: int = two_phase.NODES, threads: int | None = None
) -> Iterator[dict[str, Any]]:
    """Yield a short solution of each line that is not blank, in order: a bound, without a proof.

    Args:
        lines: the input, read as answers are taken.
        nodes: positions that each search looks at.
        threads: searches at the same time; all processors by default.
    """
    stop = threading.Event()
    yield from _answers(lines, partial(_bound, nodes, stop), threads, stop)


def _answers(
    lines: IO[str],
    answer: Callable[[str], dict[str, Any]],
    threads: int | None,
    stop: threading.Event,
) -> Iterator[dict[str, Any]]:
    def work(item: tuple[int, str | None]) -> dict[str, Any]:
        number, line = item
        if line is None:
            return _error(number, "", f"the line is longer than {MAX_LINE:,} characters")
        try:
            return answer(line)
        except ValueError as error:
            return _error(number, line, str(error))

    yield from ordered(work, _numbered(lines), threads or processors(), stop)


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


_FACELETS = re.compile(r"[URFDLB]{40,70}")
"""What is meant as a facelet string, though its length may be wrong."""


def _read(line: str) -> tuple[dict[str, Any], notation.Maneuver | None]:
    """Return how an answer to a line begins, and a solution of face moves if the line tells one.

    Raises:
        ValueError: it is neither a maneuver nor a facelet string.
    """
    undo: notation.Maneuver | None = None
    if _FACELETS.fullmatch(line):
        state, turns = moves.upright(line)
    else:
        maneuver = notation.simplify(notation.parse(line))
        state, turns = moves.upright(moves.apply(SOLVED, maneuver))
        # The inverse of a maneuver with slices or wide moves is no witness of face moves.
        if not turns and set(maneuver) <= set(notation.FACE_MOVES):
            undo = notation.invert(maneuver)
    answer: dict[str, Any] = {"input": line, "facelets": state}
    if turns:
        answer["turned"] = notation.format(turns)
    return answer, undo


def _bound(nodes: int, stop: threading.Event, line: str) -> dict[str, Any]:
    """Return a short solution of a line's state.

    Raises:
        ValueError: it is neither a maneuver nor a legal state.
    """
    answer, undo = _read(line)
    solution = two_phase.solve(answer["facelets"], nodes=nodes, stop=stop)
    if undo is not None and len(undo) < len(solution):
        solution = undo
    return answer | {
        "metric": "htm",
        "upper_bound": len(solution),
        "solution": notation.format(solution),
        "proven": False,
    }


def _prove(solver: Solver, first_moves: bool, stop: threading.Event, line: str) -> dict[str, Any]:
    """Return the proven depth of a line's state.

    Raises:
        ValueError: it is neither a maneuver nor a legal state.
    """
    answer, undo = _read(line)
    if undo is None:
        certificate = solver.solve(answer["facelets"], stop=stop)
    else:
        certificate = solver.certify(answer["facelets"], undo, stop=stop)
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
