"""Labels: the grammar of an answer that is one of a few labels, such as letters, or yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.core.compiled import found
from facelet.generators.core.replies.boundary import Parsed, visible
from facelet.generators.core.replies.mentions import is_withdrawn, mentioned
from facelet.generators.core.replies.plain_text import bare_text

_part = found("facelet.generators.core._reading")

# What announces an answer: <ANSWER>, <ANSWER: X, ANSWER: X, "the answer is X", \boxed{X}, <X>;
# but not <X> that begins an element with content, as in <A> DECREASE </A>. ANNOUNCING in _reading.c
# has what each begins with.
_ANNOUNCED = (
    r"<answer ?[>:]"
    r"|answer(?<![a-z]answer)(?: (?:is|was|option|choice|letter|should be|would be))*"
    r"(?: ?[:=|\u2013\u2192-]>?)?"
    r"|<final answer>"
    r"|\u7b54\u6848(?:\u662f|\u4e3a)? ?:?|ans ?[.:]|(?:solution|conclusion|verdict) is"
    r"|(?:therefore|thus|conclusion|verdict|result|output|decision|solution|choice|letter"
    r"|select(?:ed|ion)(?: (?:option|letter))?) ?:"
    r"|(?:my choice|(?:best|right|correct) (?:option|choice|move|one|letter))"
    r"(?: is| would be)?(?: therefore| thus| clearly)?(?: ?[:=])?"
    r"|(?<!if )(?<![\w'])i(?:(?:'d| would|'ll| will| have)?"
    r" (?:choose|pick|select|say|go with|chosen|picked)"
    r"|(?:'m| am) (?:choosing|picking|going with)| (?:chose|picked|selected))"
    r"|it(?:'s| is| must be| has to be)(?! a\b)|(?:it|that)(?:'s| is) an?(?= (?:yes|no)\b)"
    r"|\\boxed ?\{"
    r"|<(?=(?:LABELS)>(?! ?[^<>\n]{1,60}</))"
)
_OPENING = r"[ \n]?(?:> ?)?(?:option |choice )?(?:\\(?:text|textbf|mathrm|mathbf) ?\{)? ?[(\[{<]? ?"
# What shows that the label is whole: the end, a sign, or a word that goes on to give reasons.
# "Answer: A rotation ..." and "Answer: No mismatch ..." are no answers; "Answer: D2" is a move.
_WHOLE = (
    r"(?![\w'])(?= ?(?:$|[\n)\]}>.,:;!=(|/&<\u2013\u2014\u2192-]"
    r"|(?:because|since|as|they|this|it|or|and)\b|(?:LABELS)(?![\w'])))"
)
# What shows that the label was only one of several: "A/B/C/D", "A or B", "A, B".
_SEVERAL = (
    r"[ )\]}>.,:;]{0,4}(?:[/|&-]|\b(?:or|and|to)\b)[ (\[{<]{0,3}(?:LABELS)(?![\w'])"
    r"|[ )\]}>.,:;]{1,4}[ (\[{<]{0,3}(?:LABELS)(?![\w'])(?! ?[a-z]{2})"
)
_ALONE = r"(?:> ?)*(?:option |choice )?[(\[{<]?(?P<label>LABELS)[)\]}>.!]{0,2}"
# How a reply of one line opens: "B: R2", "(B) R2", "Yes, they match."
_LEADING = (
    r"(?:option |choice )?[(\[{<]?(?P<label>LABELS)"
    r"(?:[)\]}>]? ?[.,:;!\u2013\u2014]|\)| (?:because|since)\b)"
)
# What says of the option before it that it is the answer: "Option A is the right one."
_JUDGED = re.compile(
    r" is (?:(?:therefore|thus|clearly|indeed|then|hence) )?"
    r"(?:(?:the|my) )?(?:only )?"
    r"(?:correct|right|best|answer|solution|final (?:answer|choice)|my (?:answer|choice))"
    r"(?: (?:option|choice|one|answer|move|sequence|letter|solution|candidate))?(?![\w'])"
    r"(?! (?:only|if|unless|when|in|for|about|except|until|to)\b)"
)
_SOLVES = re.compile(r" solves (?:the cube|it)(?= ?[.!\n]|$)")
_PAIRED = re.compile(r"(?:\b(?:or|and|nor)|[/&]|\b[a-e],) ?\Z")
_ITEM = re.compile(r"(?:[-+\u2022|>] ?)?(?:option )?[(\[]?([a-e])(?: ?[)\]:.=|]|$)")
"""How a line of a list of the options begins."""
_QUOTED_LABEL = re.compile(r"'(?<![\w']')([a-e]|yes|no|idk|[a-z ]{1,20}(?=' ?:))'(?!\w)")


_HENCE = "(?:therefore|thus|hence|so)"


@dataclass(frozen=True, slots=True)
class LabelForm:
    """The expressions for an answer that is one of a few labels; all but `strict` in lower case.

    `endings` are what a match of `sentence` ends in. Labels that are `judging` say of something
    else that it is right or wrong, so that "No, that is wrong" takes nothing back.
    """

    strict: re.Pattern[str]
    announced: re.Pattern[str]
    several: re.Pattern[str]
    alone: re.Pattern[str]
    leading: re.Pattern[str]
    other: re.Pattern[str]
    sentence: re.Pattern[str]
    stated: re.Pattern[str]
    endings: tuple[str, ...]
    judging: bool


def label_form(
    labels: str, strict: str, endings: tuple[str, ...], *, judging: bool = False
) -> LabelForm:
    """Return the expressions for labels.

    Args:
        labels: an expression for any of them, in lower case.
        strict: the expression for the requested form.
        endings: what a match of `sentence` ends in.
        judging: whether they say of something else that it is right or wrong.
    """

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("LABELS", labels))

    return LabelForm(
        strict=re.compile(strict),
        announced=compiled(f"(?:{_ANNOUNCED}){_OPENING}(?P<label>LABELS){_WHOLE}"),
        several=compiled(_SEVERAL),
        alone=compiled(_ALONE),
        leading=compiled((rf"(?:{_HENCE},? )?" if judging else "") + _LEADING),
        other=compiled(
            r"(?<![\w'])(?:LABELS)(?![\w'])"
            # "No sticker differs" answers nothing.
            + (r"(?:(?<!\bno)|(?! (?!wait|that|this|it|they|the)[a-z]{3}))" if judging else "")
        ),
        sentence=compiled(
            rf"(?:(?<=[{'.;)' if judging else ''}?!:] )|(?<!\w){_HENCE},? "
            r"|\((?=(?:option|choice|answer) ))(?:option |choice |answer )?(?P<label>LABELS)"
            r"(?= ?[)}]?(?:[.!](?: |$)|$))"
        ),
        stated=compiled(
            r"(?:(?:option|choice|letter|answer) )?[(\[]?(?P<label>LABELS)[)\]]?(?:"
            + f"{_JUDGED.pattern}|{_SOLVES.pattern})"
        ),
        endings=endings,
        judging=judging,
    )


@lru_cache(maxsize=64)
def shared_result(label: str | None, strict: bool = False) -> Parsed[str]:
    """Return what a reply says; there are few labels, so equal results are one object."""
    return Parsed(label, strict)


def label_text(text: str) -> str:
    """Return a text as labels are looked for in it: plain, and without quotes around them."""
    bare = bare_text(text)
    return _QUOTED_LABEL.sub(r" \1 ", bare).strip() if "'" in bare else bare


def _echoes(bare: str, start: int, form: LabelForm) -> bool:
    """Return whether the last line goes on with a list of the options, or of labels.

    Args:
        bare: the text.
        start: where its last line begins.
        form: of the answer.
    """
    if not start:
        return False
    above = bare.rfind("\n", 0, start - 1) + 1
    if form.alone.fullmatch(bare, above, start - 1):
        return form.alone.fullmatch(bare, start) is not None
    one, other = _ITEM.match(bare, start), _ITEM.match(bare, above, start - 1)
    return bool(one and other and ord(one[1]) - ord(other[1]) == 1)


def find_announced(bare: str, form: LabelForm, start: int = 0) -> list[re.Match[str]]:
    """Return all places from `start` on where a label is announced, in order.

    Behind the last of them also those where an option is said to be the right one.
    """
    places: list[int] | None = _part.announcing(bare, start) if _part else None
    if places is None:
        announced = list(form.announced.finditer(bare, start))
    else:
        announced, end = [], 0
        for place in places:
            if place >= end and (one := form.announced.match(bare, place)):
                announced.append(one)
                end = one.end()
    if form.judging:
        return announced
    behind = announced[-1].end() if announced else start
    if bare.find(" is ", behind) >= 0 or bare.find(" solves ", behind) >= 0:
        announced += _stated(bare, form, behind)
    return announced


def _stated(bare: str, form: LabelForm, start: int) -> Iterator[re.Match[str]]:
    """Yield the places where an option is said to be the right one."""
    said = list(_JUDGED.finditer(bare, start))
    if " solves " in bare:
        said += _SOLVES.finditer(bare, start)
    for place in map(re.Match.start, said):
        word = max(bare.rfind(" ", start, place), bare.rfind("\n", start, place))
        noun = max(bare.rfind(" ", start, word), bare.rfind("\n", start, word), start - 1)
        one = form.stated.match(bare, noun + 1) or form.stated.match(bare, word + 1)
        if one and not _PAIRED.search(bare, max(0, one.start() - 5), one.start()):
            yield one


def read_label(text: str, form: LabelForm) -> Parsed[str]:
    """Return, in lower case, the last label that is announced, or alone on an outer line."""
    shown = visible(text)
    exact = form.strict.fullmatch(shown)
    if exact:
        return shared_result(exact["label"].lower(), True)
    if len(shown) > NEAR and (near := read_ending(shown, form)):
        return near
    bare = label_text(shown)
    return read_loosely(bare, find_announced(bare, form), form)


NEAR = 640
"""Of longer texts so many characters at the end are read first."""
_EDGE = 256
"""Of these the first are only looked at as what stands before an answer: `mentioned` sees fewer."""
_LONE = 64
"""More characters than a label alone ever has."""
_APART = re.compile("[.,;!?]")
"""What is no part of any announcement."""


def read_ending(shown: str, form: LabelForm) -> Parsed[str] | None:
    """Return what the end of a text says; None if all of it has to be read.

    What is said there counts whatever stands above, and is found as `read_loosely` finds it.
    """
    bare = label_text(shown[-NEAR:])
    if len(bare) < _EDGE + _LONE:
        return None
    start = bare.rfind("\n") + 1
    last = form.alone.fullmatch(bare, start) if start >= _EDGE else None
    if last and not mentioned(bare, start, len(bare)):
        return shared_result(None if _echoes(bare, start, form) else last["label"])
    apart = _APART.search(bare, _EDGE)
    return _given(bare, find_announced(bare, form, apart.end()), form) if apart else None


def _given(bare: str, announced: Sequence[re.Match[str]], form: LabelForm) -> Parsed[str] | None:
    """Return the last label that is announced and not only spoken of; None if there is none."""
    for one in reversed(announced):
        spoken = mentioned(bare, one.start(), len(bare) if form.judging else one.end())
        if not spoken and not (form.judging and is_withdrawn(bare, one.end(), judging=True)):
            return shared_result(None if form.several.match(bare, one.end()) else one["label"])
    return None


def read_loosely(bare: str, announced: Sequence[re.Match[str]], form: LabelForm) -> Parsed[str]:
    """Return the label of a text that is not strict.

    Args:
        bare: the text.
        announced: where a label is announced in it.
        form: of the answer.
    """
    start = bare.rfind("\n") + 1
    line = bare[start:]
    # A last line that is a label alone is the answer, unless the line above is about another one.
    last = form.alone.fullmatch(line)
    if last and not mentioned(bare, start, len(bare)):
        return shared_result(None if _echoes(bare, start, form) else last["label"])
    if given := _given(bare, announced, form):
        return given
    if form.judging or not start:
        lead = form.leading.match(bare)
        told = lead and (form.judging or not mentioned(bare, *lead.span()))
        if lead and told and not form.other.search(bare, lead.end()):
            return shared_result(lead["label"])
    if start:
        head, _, rest = bare.partition("\n")
        if first := form.alone.fullmatch(head):
            listed = form.alone.fullmatch(rest.partition("\n")[0])
            return shared_result(None if listed else first["label"])
    echoed = announced or _echoes(bare, start, form)
    return shared_result(None if echoed else _closing(bare, line, form))


def _closing(bare: str, line: str, form: LabelForm) -> str | None:
    """Return the label that ends the last line as a sentence of its own (Do they match? Yes).

    A line that answers several questions, and not alike, gives none. Nor does a text in which an
    answer is announced, which was found to be only spoken of.
    """
    if not line.rstrip(" .!)}").endswith(form.endings):
        return None
    told = list(form.sentence.finditer(line))
    if not told or line[told[-1].end() :].strip(" .!)}"):
        return None
    if mentioned(bare, len(bare) - len(line) + told[-1].start(), len(bare)):
        return None
    labels = {said["label"] for said in told}
    return labels.pop() if len(labels) == 1 else None
