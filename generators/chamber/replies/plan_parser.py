r"""Parse the steps of a whole plan from a reply.

The requested form is at the end of the reply, one step per line:

    The plan is:
    Step 1: take C1
    Step 2: put B1
    Step 3: leave

The parser also accepts lists with other labels or none, tables, JSON, several steps in one line,
and steps in sentences (facelet.generators.chamber.replies.step_parser). The last plan counts. Words
between labelled steps are ignored. A plan with an unreadable labelled step, or with labels out of
order, is no plan: text that was not understood must not count as an illegal step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from facelet.generators.chamber.replies import step_parser
from facelet.generators.chamber.world.step_records import Step
from facelet.generators.core.replies import boundary
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_last
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import plain_text, without_latex
from facelet.generators.core.replies.written import plain_json

OPENING = "The plan is:"
TAIL = 4 * boundary.TAIL
"""Characters at the end of a reply that are read: long plans have sentences."""

_STRICT = re.compile(
    rf"(?:\A|\n){OPENING}[ \t]*\n((?:Step [0-9]+: [^\n]+\n)*Step [0-9]+: [^\n]+)\Z"
)
_LABEL = re.compile(
    r"(?:[|>] ?)*(?:[-+\u2022#]{1,4} )?(?:(?:step|turn|no\.?|#) ?)?#?[(\[]?(?P<number>[0-9]{1,3})"
    r"(?:[)\]] ?|(?= ?[:.,|=>\u2013\u2014\u2192-]))"
    r"(?:[:.,|]|[-\u2013\u2014](?= )|[-=]>|\u2192| (?=[-\u2013\u2014\u2192|:=] ?)){0,3}"
    r" ?(?=[^0-9])",
    re.IGNORECASE,
)
_BULLET = re.compile(r"[ |>]{0,4}(?:[-+\u2022\u2192] |[-=]> )?")
_INLINE = re.compile(
    r"(?<=[:;,.)>\w])(?<!step)(?<!turn) (?=(?:step )?[(\[]?[0-9]{1,3}[.):\]] )|; (?=[A-Za-z])",
    re.IGNORECASE,
)
_ARROWS = re.compile(r" ?(?:[-=]>|\u2192) ?")
_COMMA = re.compile(r",|\. (?=[A-Za-z])")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9_]{0,20} ?/?>")
_HEAD = re.compile(
    r"(?:^|(?<=\n))(?P<label>(?:#{1,6} )?(?:step|turn) [0-9]{1,3}) ?[:.)]?\n", re.IGNORECASE
)
_BRACES = {ord("{"): " ", ord("}"): " "}
_JOIN = "\x1f"
"""Stands between steps of one line; sentences go on over it."""
_KEYS = ("action", "step", "command", "do", "text", "description")
_SKIPPED = re.compile(r"[-|:= ]*|json|text|plaintext|[\[\]{},]*", re.IGNORECASE)


def write_plan(plan: tuple[Step, ...]) -> str:
    """Return a plan in the requested form."""
    lines = (f"Step {number}: {format_command(step)}" for number, step in enumerate(plan, 1))
    return "\n".join([OPENING, *lines])


def format_command(step: Step) -> str:
    """Return a step as a command."""
    if step.verb == "put" and len(step.args) == 2:
        return f"turn {step.args[1]} and put {step.args[0]}"
    return str(step)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line: where it begins, where its step ends, its label (0 for none), its step if any."""

    start: int
    end: int
    number: int
    step: Step | None


def read_plan(text: str) -> Parsed[tuple[Step, ...]]:
    """Return the steps of the last plan of a reply, or None.

    Strict: the requested form, and every step a command as the prompt writes it.
    """
    shown = visible_text(text, TAIL)
    bare = _plain_reply(shown)
    plan = _collect_plan(bare)
    exact = _STRICT.search(shown)
    strict = plan is not None and exact is not None and f"{OPENING}\n{exact[1]}" == write_plan(plan)
    return Parsed(plan, strict)


def _plain_reply(shown: str) -> str:
    """Return a visible reply in plain text, a step of a list in one line a line of its own."""
    if listed := _json_items(shown):
        shown = listed
    text = plain_text(without_latex(_TAG.sub("\n", shown)).translate(_BRACES))
    text = _HEAD.sub(r"\g<label>: ", text)
    return "\n".join(
        _JOIN.join(map(str.strip, _split_inline_list(line))) for line in text.split("\n")
    )


def _split_inline_list(line: str) -> list[str]:
    """Return the steps of a list in one line, and what announces them; else the line."""
    for between in (_INLINE, _ARROWS, _COMMA):
        parts = [part.strip() for part in between.split(line) if part.strip()]
        if len(parts) < 2 or (
            between is not _INLINE and _LABEL.match(line) and not all(map(_LABEL.match, parts))
        ):
            continue
        head, colon, first = parts[0].rpartition(": ")
        if colon and not _LABEL.match(parts[0]) and step_parser.read_step(first):
            parts[0:1] = [f"{head}:", first]
            items = parts[1:]
        else:
            items = (
                parts if _LABEL.match(parts[0]) or step_parser.read_step(parts[0]) else parts[1:]
            )
            if items is not parts and not all(map(_LABEL.match, items)):
                continue
        if all(_LABEL.match(item) or step_parser.read_step(item) for item in items):
            return parts
    return [line]


def _json_items(shown: str) -> str:
    """Return the items of the last list of JSON, a line each; "" if there is none."""
    start, end = shown.find("["), shown.rfind("]")
    if not 0 <= start < end:
        return ""
    try:
        text = plain_json(shown[start : end + 1])
        items = json.loads(text if '"' in text else text.replace("'", '"'))
    except (ValueError, RecursionError):
        return ""
    lines = []
    for number, item in enumerate(items, 1):
        if isinstance(item, dict):
            keys = _KEYS if len(item) > 1 else item
            item = next((item[key] for key in keys if isinstance(item.get(key), str)), None)
        if not isinstance(item, str) or "\n" in item:
            return ""
        lines.append(item if _LABEL.match(item) else f"{number}. {item}")
    head = shown[:start].rsplit("\n", 1)[-1]
    return "\n".join([*([head] if head.strip(' {"`') and ":" not in head else []), *lines])


def _iterate_lines(bare: str) -> Iterator[_Line]:
    """Yield the lines of a plain text."""
    place, carried = 0, ""
    for text in bare.replace(_JOIN, "\n").split("\n"):
        label = _LABEL.match(text)
        body = text[label.end() :] if label else _BULLET.sub("", text, count=1)
        step, ends = step_parser.read_step(body, carried), len(body)
        if label:
            step, ends = step_parser.read_step_with_comment(body, carried)
        if step is not None and step.verb == "take":
            carried = step.args[0]
        number = int(label["number"]) if label else 0
        if text.strip() and not _SKIPPED.fullmatch(text.strip()):
            yield _Line(place, place + len(text) - len(body) + ends, number, step)
        place += len(text) + 1


def _collect_plan(bare: str) -> tuple[Step, ...] | None:
    """Return the steps of the last plan in a plain text."""
    lines = list(_iterate_lines(bare))
    labelled = [line for line in lines if line.number]
    runs = _runs_by_label(labelled) if any(line.step for line in labelled) else None
    if runs is None:
        runs = _step_blocks(lines)
    plans = [
        Candidate(run[0].start, run[-1].end, tuple(line.step for line in run))
        for run in runs
        if not _is_only_mentioned(bare, run)
    ]
    if not plans or None in (plans[-1].value or ()):
        return None
    chosen = choose_last(bare, [plan for plan in plans if None not in (plan.value or ())])
    return tuple(filter(None, chosen.value or ())) if chosen else None


_ANNOUNCED = re.compile(r"(?:the|my)(?: final| whole| complete)? plan(?: is)?:", re.IGNORECASE)


def _is_only_mentioned(bare: str, run: list[_Line]) -> bool:
    """Return whether a plan is only spoken of, where it begins or where it is announced."""
    bare = bare.replace(_JOIN, " ")
    places = [run[0].start]
    announced = list(_ANNOUNCED.finditer(bare, 0, run[0].start))
    if announced and not bare[announced[-1].end() : run[0].start].strip():
        places.append(announced[-1].start())
    return any(is_mentioned(bare, place, run[-1].end) for place in places)


def _runs_by_label(lines: list[_Line]) -> list[list[_Line]]:
    """Return the lists whose labels count up from 1 and that contain a step.

    A list whose labels do not go up by one is kept, spoiled by a line without a step.
    """
    runs: list[list[_Line]] = []
    for line in lines:
        if line.number == 1 or not runs:
            runs.append([])
        elif line.number != runs[-1][-1].number + 1 and (line.step or runs[-1][-1].step):
            line = _Line(line.start, line.end, line.number, None)
        if not runs[-1] and line.number != 1:
            line = _Line(line.start, line.end, line.number, None)
        runs[-1].append(line)
    return [run for run in runs if any(line.step for line in run)]


def _step_blocks(lines: list[_Line]) -> list[list[_Line]]:
    """Return the runs of lines that are steps and nothing else."""
    blocks: list[list[_Line]] = []
    fresh = True
    for line in lines:
        if line.step is None:
            fresh = True
            continue
        if fresh:
            blocks.append([])
        fresh = False
        blocks[-1].append(line)
    return blocks
