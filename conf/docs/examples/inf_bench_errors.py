"""Reproduce Inf-Bench's case study (its figure 5): direct pairing, and four kinds of errors.

    python conf/docs/examples/inf_bench_errors.py data/out/inf_bench answers.jsonl

The answers are what `facelet score` takes, with whole replies. For each config it prints the share
of replies that pair directly, and how the wrong ones divide into four errors. The paper sorted 900
replies by hand (section 6.1); this program sorts by the codes that a reply writes, followed by the
rules of the world, so a model has to reason in the open (`prompt=step_by_step`).

- Step by step: the reply writes a code that its question did not show. All else is direct pairing.
- A wrong reply has one of four errors, the first that fits. Pairing: it pairs directly, or follows
  its operations correctly and then chooses another option. Encoding: its start differs from the
  picture. Abstracting: an operation is wrong that is nowhere right, so the model does not know what
  it does. Executing: an operation is wrong that is right elsewhere.

A reply that reasons in words alone counts as direct pairing, and so does every reply to a question
of one operation that shows its codes.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from facelet import environment
from facelet.generators.core import task_registry
from facelet.generators.core.task import Status
from facelet.generators.options.deformation.deformation_task import Deformation
from facelet.generators.options.deformation.questions import Direction, Question
from facelet.generators.options.deformation.world_protocol import Step, World
from facelet.pipeline.scoring.ingest.file_reader import read_records
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord
from facelet.pipeline.scoring.ingest.record_formats import detect_format, record_of

Way = Literal["direct", "stepwise"]
Error = Literal["pairing", "encoding", "abstracting", "executing"]
ERRORS: tuple[Error, ...] = ("pairing", "encoding", "abstracting", "executing")


def list_codes(world: World[Any], reply: str) -> list[str]:
    """Return the codes in a reply, in order; one that is at once repeated, once."""
    found: list[str] = []
    for match in re.finditer(world.grammar("forward").item, reply):
        try:
            code = world.write_state(world.read(match[0]))
        except ValueError:
            continue
        if not found or found[-1] != code:
            found.append(code)
    return found


def classify_way(
    world: World[Any], question: Question, direction: Direction, reply: str, *, pictured: bool
) -> Way:
    """Return how a reply went about its question.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        reply: the reply.
        pictured: whether states are shown as pictures alone, so that every code is the reply's own.
    """
    shown: set[str] = set()
    if not pictured:
        ends = question.results if direction == "forward" else (question.given,)
        shown = {question.start, *ends}
    return "stepwise" if set(list_codes(world, reply)) - shown else "direct"


def classify_error(
    world: World[Any], question: Question, direction: Direction, reply: str, *, pictured: bool
) -> Error:
    """Return the error of a reply whose answer is wrong.

    Args:
        world: the rules.
        question: the question.
        direction: what is asked.
        reply: the reply.
        pictured: whether states are shown as pictures alone.
    """
    if classify_way(world, question, direction, reply, pictured=pictured) == "direct":
        return "pairing"
    written = list_codes(world, reply)
    if pictured and written[0] != question.start:
        return "encoding"
    if direction == "forward":
        lists, ends = [question.given], set[str]()
    else:
        lists, ends = list(question.lists), {question.given}
    steps = [world.read_steps(text) for text in lists]
    right, wrong = _follow_lists(
        world, question.start, steps, [c for c in written if c not in ends]
    )
    if not wrong:
        return "pairing"
    return "executing" if wrong <= right else "abstracting"


def _follow_lists(
    world: World[Any], start: str, lists: Sequence[Sequence[Step]], written: Sequence[str]
) -> tuple[set[str], set[str]]:
    """Return the kinds of operations that codes have right, and those that they have wrong.

    Some may be left out: a code that is right a few operations later has them all right. What
    follows a wrong code is judged from that code on. The lists come one after another, unless a
    code lies on the way of another one.
    """
    right, wrong = set[str](), set[str]()
    number, place, state = 0, 0, start
    for code in written:
        if code == start:
            number, place, state = min(number + (place > 0), len(lists) - 1), 0, start
            continue
        if place == len(lists[number]) and number + 1 < len(lists):
            number, place, state = number + 1, 0, start
        tries = [(number, place, state), *((one, 0, start) for one in range(len(lists)))]
        for other, begin, before in tries:
            if end := _steps_to_code(world, before, lists[other], begin, code):
                right |= {_operation_kind(world, step) for step in lists[other][begin:end]}
                number, place = other, end
                break
        else:
            if place < len(lists[number]):
                wrong.add(_operation_kind(world, lists[number][place]))
                place += 1
        state = code
    return right, wrong


def _steps_to_code(
    world: World[Any], before: str, steps: Sequence[Step], begin: int, code: str
) -> int | None:
    """Return after how many operations of a list a code is reached; None if it never is.

    Args:
        world: the rules.
        before: what stands before operation `begin`.
        steps: the list.
        begin: the first operation that is carried out, from 0.
        code: what is looked for.
    """
    state = world.read(before)
    for place in range(begin, len(steps)):
        state = world.apply_step(state, steps[place])
        if world.write_state(state) == code:
            return place + 1
    return None


def _operation_kind(world: World[Any], step: Step) -> str:
    """Return what an operation is called, without what it takes."""
    return world.write_steps([step]).partition("(")[0]


PUBLISHED_SHARES = {"pairing": 31.72, "encoding": 15.76, "abstracting": 41.81, "executing": 10.71}
"""Shares of 476 wrong replies of three models, in percent (section 6.1)."""


def iterate_replies(path: Path) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the id and the replies of each prediction of a file.

    Raises:
        ValueError: a line cannot be read.
    """
    for located in read_records(path):
        if isinstance(located.value, UnreadableRecord):
            raise ValueError(f"{path} {located.unit} {located.number}: {located.value}")
        record = record_of(located.value)
        for prediction in detect_format(record).read(record):
            if prediction.failure is None and prediction.replies:
                yield str(prediction.key), prediction.replies


def classify_replies(
    rows: Iterable[dict[str, Any]], said: dict[str, Sequence[str]]
) -> dict[str, tuple[Counter[str], Counter[str]]]:
    """Return by config how replies went about it, and the errors of those that are wrong.

    Args:
        rows: rows of a dataset; those of other tasks are passed over.
        said: replies by id.
    """
    found: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for row in rows:
        task = task_registry.load_task(row["task"])
        if row["id"] not in said or not isinstance(task, Deformation):
            continue
        told, instance = said[row["id"]], task.decode(row)
        given = (instance.world, instance.question, task.direction, "\n".join(told))
        pictured = instance.setting.input == "picture"
        ways, errors = found.setdefault(row["id"].partition("/")[0], (Counter(), Counter()))
        ways[classify_way(*given, pictured=pictured)] += 1
        play = environment.open_row(row, replies=told)
        if play.outcome is None or play.outcome.status is not Status.CORRECT:
            errors[classify_error(*given, pictured=pictured)] += 1
    return found


def format_error_table(found: dict[str, tuple[Counter[str], Counter[str]]]) -> list[str]:
    """Return the lines of the table; shares in percent."""
    lines = [f"| config | replies | direct | wrong | {' | '.join(ERRORS)} |"]
    lines.append("|---|--:|--:|--:|" + "--:|" * len(ERRORS))
    for config, (ways, errors) in sorted(found.items()):
        wrong = errors.total()
        shares = [f"{100 * errors[e] / wrong:.1f}" if wrong else "-" for e in ERRORS]
        direct = f"{100 * ways['direct'] / ways.total():.1f}"
        lines.append(f"| {config} | {ways.total()} | {direct} | {wrong} | {' | '.join(shares)} |")
    printed = " | ".join(f"{PUBLISHED_SHARES[error]:.1f}" for error in ERRORS)
    return [*lines, f"| printed, three models | 900 | - | 476 | {printed} |"]


def main(words: Sequence[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = argparse.ArgumentParser(description="Inf-Bench's figure 5, of any model's replies.")
    parser.add_argument("dataset", type=Path)
    parser.add_argument("predictions", type=Path)
    asked = parser.parse_args(words)
    said = dict(iterate_replies(asked.predictions))
    print("\n".join(format_error_table(classify_replies(environment.rows(asked.dataset), said))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
