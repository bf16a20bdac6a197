"""Parse one step of a plan from a command or a sentence.

The parser accepts the commands of `chamber/act` ("take M1", "shoot F2 blue P4"), the sentences of
plans ("Pick up mirror cube M1."), and forms between the two ("pick up the mirror cube M1", "from
F2, shoot the blue portal onto P4"). It identifies a fixture by its name and ignores nouns and
articles before the name, unless the noun belongs to another kind. It never guesses: a text with
more than one step, or with a step and something else, has no step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from facelet.generators.chamber.plans import step_sentences
from facelet.generators.chamber.world.device_registry import devices_by_kind
from facelet.generators.chamber.world.grid import COMPASS
from facelet.generators.chamber.world.step_records import Step
from facelet.generators.core.replies.boundary import visible_text
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import plain_text, without_latex

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
