"""Parse single steps, and the steps of a whole plan, from a reply.

A step is a command of `chamber/act` ("take M1", "shoot F2 blue P4"), a sentence of a plan ("Pick up
mirror cube M1."), or a form between the two ("pick up the mirror cube M1", "from F2, shoot the blue
portal onto P4"). The parser identifies a fixture by its name and ignores nouns and articles before
the name, unless the noun belongs to another kind. It never guesses: a text with more than one step,
or with a step and something else, has no step.

The requested form of a plan is at the end of the reply, one step per line:

    The plan is:
    Step 1: take C1
    Step 2: put B1
    Step 3: leave

The parser also accepts lists with other labels or none, tables, JSON, several steps in one line,
and steps in sentences. The last plan counts. Words between labelled steps are ignored. A plan with
an unreadable labelled step, or with labels out of order, is no plan: text that was not understood
must not count as an illegal step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from facelet.generators.chamber.plans import step_sentences
from facelet.generators.chamber.world.chamber_records import COMPASS, Step
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.core.replies import boundary
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_last
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import plain_text, without_latex
from facelet.generators.core.replies.written import plain_json

LONGEST = 240
"""Most characters that a step has."""

_CARRIED = (
    r"(?:(?:what|the thing|whatever|that which) (?:you|i|we)(?: are|'re| am)? carry(?:ing)?"
    r"|it|this|the thing|the cube|the mirror cube|the weighted cube|{thing})"
)
_ON = r"(?:down )?(?:on(?:to)?|at|in(?:to)?|to|over|inside|on top of)"
_FROM = r"(?:(?:from|standing on|stand(?:ing)? (?:on|at)|on|at) )?"
_SHOOT = r"(?:shoot|fire|place|open|put|make)"
_PORTAL = r"(?:the |a |an )?{colour}(?: portal| one)?"
_AT = r"(?:,? (?:at|on|onto|to|into|in|->) | )"
_FORMS: tuple[tuple[str, str], ...] = (
    ("shoot", rf"shoot {_FROM}{{a}},? {_PORTAL}{_AT}{{c}}"),
    (
        "shoot",
        rf"{_FROM}{{a}},? (?:and )?(?:then )?{_SHOOT} {_PORTAL}{_AT}{{c}}",
    ),
    ("aimed", rf"{_SHOOT} {_PORTAL}{_AT}{{c}},? (?:from|standing on|while on) {{a}}"),
    ("both", r"both {a},? {b},? {c}"),
    (
        "both",
        rf"(?:both )?{_FROM}{{a}},? (?:and )?(?:then )?(?:{_SHOOT} )?(?:the |a )?blue(?: portal)?"
        rf"{_AT}{{b}}(?:,? and|,|;)? (?:{_SHOOT} )?(?:the |an )?orange(?: portal| one)?{_AT}{{c}}",
    ),
    ("take", r"(?:take|pick up|grab|lift|get|collect|pick)(?: up)? {a}(?: up)?"),
    ("facing", r"(?:turn|face|turn it) {way}(?: and|,|;|,? then) put(?: it)?(?: on(?:to)?)? {a}"),
    (
        "facing",
        rf"(?:put|place|set|drop|lay|let go of)(?: down)? (?:{_CARRIED} )?(?:{_ON} )?{{a}},? "
        r"(?:and )?(?:(?:facing|turned|looking|pointing|so that it (?:faces|looks|points))"
        r"(?: to| towards?)?(?: the)? )?\(?{way}\)?",
    ),
    ("put", r"put {a}"),
    ("put", rf"(?:put|place|set|drop|lay|let go of|release)(?: down)? {_CARRIED} {_ON} {{a}}"),
    ("press", r"(?:press|push|hit|activate|go and push|walk to and press) {a}"),
    ("stand", r"(?:go and |walk and )?(?:stand|step|walk|get|climb)(?: up)? on(?:to)? {a}"),
    ("stand", r"stand {a}"),
    ("enter", r"enter(?: into)? {a}"),
    (
        "enter",
        r"(?:step|go|walk|jump|move|dive|fall) (?:into|through|in)"
        r" (?:the portal (?:on|at|in) )?{a}",
    ),
    ("drop", r"(?:drop|jump|fall)(?: down)?(?:,? (?:on)?to| off onto)? {a}"),
    ("wait", r"wait(?: (?:on|at))? {a}(?: for (?:one|a|1) (?:step|turn))?"),
    ("leave", r"(?:leave|exit)(?: (?:through|by|via|at) the exit)?(?: the chamber)?"),
    ("leave", r"(?:leave the chamber|walk|go)(?: out)? through the exit"),
    ("leave", r"leave the chamber|go to the exit and leave"),
)
_COMMENT = re.compile(
    r" ?(?:#|//| [-\u2013\u2014] |\u2014|\u2190|[-=]> |\u2192|\||; |: "
    r"| \((?!(?:north|south|east|west)\))"
    r"|, (?:because|since|as|so|to|which)\b| (?:to|so that|because) |\. )"
)
_PARTS = re.compile(r"[.,;|>\u2192]| and | then ")
_LEAD = re.compile(
    r"(?:[-+\u2022>|#]{1,4} ?)*(?:(?:my |the |next |final |chosen )*"
    r"(?:step|action|answer|command|move|output)"
    r"(?: [0-9]{1,3})?(?: is)? ?[:=-]>? ?){0,2}",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"\A(?:(?:(?:and )?(?:then|next|finally|first|now|so),?|i(?: will|'ll)?|you(?: should)?|we"
    r"|let(?:'s| me)|choose to|my next step is to|(?:my )?step:) ){0,4}"
)
_FIELD = re.compile(
    r".*[\"'](?:action|step|command|move)[\"'] ?: ?[\"']([^\"'\n]*)[\"'],? ?\}?$", re.MULTILINE
)
_HELD = re.compile(
    r"</?(?:answer|action|step|command|output|final_answer|b|code|strong|my_step)>", re.IGNORECASE
)
_ARTICLE = r"(?:the |a |an )?"


@cache
def _nouns_by_letter() -> dict[str, tuple[str, ...]]:
    """Return what people call the fixtures of each letter: the noun, its last word, the kind."""
    return {
        kind.letter.lower(): tuple({kind.noun, kind.noun.split()[-1], kind.kind})
        for kind in devices_by_kind().values()
    }


def _name_pattern(group: str) -> str:
    """Return the expression of a fixture's name, behind a noun of its kind or none."""
    each = (
        rf"(?:(?:{'|'.join(map(re.escape, sorted(nouns, key=len, reverse=True)))}) )?{letter}[0-9]"
        for letter, nouns in _nouns_by_letter().items()
    )
    return rf"{_ARTICLE}(?P<{group}>(?:{'|'.join(each)})[0-9]?)(?![\w'])"


@cache
def _command_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = {
        "{a}": _name_pattern("a"),
        "{b}": _name_pattern("b"),
        "{c}": _name_pattern("c"),
        "{thing}": _name_pattern("thing"),
        "{colour}": "(?P<colour>blue|orange)",
        "{way}": f"(?P<way>{'|'.join(COMPASS)})",
    }
    found = []
    for verb, form in (*_FORMS, *_iterate_sentence_patterns()):
        for mark, expression in words.items():
            form = form.replace(mark, expression)
        found.append((verb, re.compile(form)))
    return tuple(found)


_SAMPLES = (
    ("shoot", Step("shoot", ("F1", "blue", "P2"))),
    ("both", Step("both", ("F1", "P1", "P2"))),
    ("take", Step("take", ("C1",))),
    ("put", Step("put", ("B1",))),
    ("facing", Step("put", ("B1", "east"))),
    ("press", Step("press", ("S1",))),
    ("stand", Step("stand", ("B1",))),
    ("enter", Step("enter", ("P1",))),
    ("drop", Step("drop", ("F1",))),
    ("wait", Step("wait", ("F1",))),
    ("leave", Step("leave")),
)


def _iterate_sentence_patterns() -> Iterator[tuple[str, str]]:
    """Yield the patterns of the sentences of plans, with their verbs."""
    for verb, step in _SAMPLES:
        marks = {"shoot": ("a", "colour", "c"), "facing": ("a", "way")}.get(verb, ("a", "b", "c"))
        for form in range(step_sentences.FORMS):
            text = re.escape(step_sentences.format_sentence(step, form).lower().rstrip("."))
            for mark, word in zip(marks, step.args, strict=False):
                name = step_sentences.name_with_noun(word) if word[-1].isdigit() else word
                text = text.replace(re.escape(name.lower()), f"{{{mark}}}", 1)
            yield verb, text.replace(r"\ ", " ")


def read_step(text: str, held: str = "") -> Step | None:
    """Return the only step of a text; None if it has none or several.

    Args:
        text: plain text of one line, without its label.
        held: the name of the carried thing, if known: "put C1 on B2" is a step only if the player
            carries C1.
    """
    if not (text := " ".join(text.split()).strip(" .!,;:|")) or len(text) > LONGEST:
        return None
    low = text.lower().replace("_", " ")
    low = _OPENING.sub("", low).removesuffix(" now")
    for verb, form in _command_patterns():
        if found := form.fullmatch(low):
            groups = found.groupdict()
            if (thing := _read_name(groups.get("thing"))) and thing != held:
                return None
            return _build_step(verb, {name: _read_name(value) for name, value in groups.items()})
    return None


def read_step_with_comment(text: str, held: str = "") -> tuple[Step | None, int]:
    """Return the step of a text, and where it ends; a comment, but no other step, may follow.

    Args:
        text: as `read_step` takes it.
        held: as `read_step` takes it.
    """
    if whole := read_step(text, held):
        return whole, len(text)
    for comment in reversed(list(_COMMENT.finditer(text[:LONGEST]))):
        if step := read_step(text[: comment.start()], held):
            rest = _PARTS.split(text[comment.end() : comment.end() + LONGEST])
            return (None if any(map(read_step, rest)) else step), comment.start()
    return None, len(text)


def read_last_step(reply: str) -> Step | None:
    """Return the step that is alone in the last line of a reply, with or without a comment.

    Args:
        reply: the reply; any string.
    """
    shown = visible_text(reply)
    bare = plain_text(without_latex(_HELD.sub(" ", _FIELD.sub(r"\1", shown))))
    start = bare.rfind("\n") + 1
    line = bare[start:].strip(" {}()[]")
    body = _LEAD.sub("", line, count=1)
    step, _ = read_step_with_comment(body)
    return None if step is None or is_mentioned(bare, start, len(bare)) else step


def _read_name(text: str | None) -> str:
    """Return the name in a noun with a name, upper case; a colour or direction as it is."""
    if not text:
        return ""
    last = text.split()[-1]
    return last.upper() if last[-1].isdigit() else last


def _build_step(verb: str, of: dict[str, str]) -> Step:
    if verb in ("shoot", "aimed"):
        return Step("shoot", (of["a"], of["colour"], of["c"]))
    if verb == "both":
        return Step("both", (of["a"], of["b"], of["c"]))
    if verb == "facing":
        return Step("put", (of["a"], of["way"]))
    return Step(verb, (of["a"],) if "a" in of else ())


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
        if colon and not _LABEL.match(parts[0]) and read_step(first):
            parts[0:1] = [f"{head}:", first]
            items = parts[1:]
        else:
            items = parts if _LABEL.match(parts[0]) or read_step(parts[0]) else parts[1:]
            if items is not parts and not all(map(_LABEL.match, items)):
                continue
        if all(_LABEL.match(item) or read_step(item) for item in items):
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
        step, ends = read_step(body, carried), len(body)
        if label:
            step, ends = read_step_with_comment(body, carried)
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
