"""Read an answer that is one of a few labels, such as letters, or yes and no."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from facelet.generators.core.compiled_parts import load_compiled
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.mentions import (
    BEFORE,
    is_mentioned,
    is_withdrawn,
)
from facelet.generators.core.replies.plain_text import bare_text

_part = load_compiled("facelet.generators.core._reading")

# What announces an answer: <ANSWER>, <ANSWER: X, ANSWER: X, "the answer is X", \boxed{X}, <X>;
# but not <X> that begins an element with content, as in <A> DECREASE </A>. ANNOUNCING in _reading.c
# has what each begins with.
_ANNOUNCED = (
    r"<answer ?[>:]"
    r"|answer(?<![a-z]answer)(?: (?:is|was|option|choice|letter|should be|would be"
    r"|to (?:the|this|your) question))*(?: ?[:=|\u2013\u2192-]>?)?"
    r"|correct(?:ion|ed)(?: answer)? ?:|(?:antwort|respuesta|r\u00e9ponse|risposta|resposta)"
    r"(?: [a-z]{4,9})? ?(?::|(?:ist|es|est|\u00e8|\u00e9)(?: (?:die|la|a)\b)?)"
    r"|(?:\u6b63\u89e3|\u7b54\u3048)\u306f|(?:\uc815\ub2f5|\ub2f5\ubcc0)\uc740"
    r"|\u9009\u9879(?=[a-d]\u6b63\u786e)"
    r"|<final answer>"
    r"|\u7b54\u6848(?:\u662f|\u4e3a)? ?:?|ans ?[.:]|(?:solution|conclusion|verdict) is"
    r"|(?:therefore|thus|conclusion|verdict|result|output|decision|solution|choice|letter"
    r"|select(?:ed|ion)(?: (?:option|letter))?) ?:"
    r"|(?:my choice|(?:best|right|correct) (?:option|choice|candidate|move|one|letter))(?: here)?"
    r"(?: is| would be)?(?: therefore| thus| clearly)?(?: ?[:=])?"
    r"|(?<!if )(?<![\w'])i(?:(?:'d| would|'ll| will| have)?"
    r" (?:choose|pick|select|say|guess|go with|chosen|picked)"
    r"|(?:'m| am) (?:choosing|picking|going with)| (?:chose|picked|selected))"
    r"|(?:(?<![^\n])going with|(?:(?<![^\n])|(?<=[.,:] ))(?:probably|definitely|most likely))"
    r"|(?<![\w'])(?:actually|i mean(?:t)?|make that),?"
    r"|it(?:'s| is| must be| has to be)(?: probably| likely| clearly)?"
    r"(?! a\b(?! ?[.!)]? ?(?:\n|$)))"
    r"|(?:it|that)(?:'s| is) an?(?= (?:yes|no)\b)"
    r"|\\boxed ?\{"
    r"|<(?=(?:LABELS)>(?! ?[^<>\n]{1,60}</))"
)
# The same for labels that do not judge: "no, B", "not A but B".
_OTHERS = r"|(?<![\w'])(?:no,(?= )|wait,|not (?:option )?(?:LABELS),? but(?: rather)?|or rather)"
_OR = re.compile(r"\bor(?: (?:the|my|final|you must)){0,2}[ \n]\Z")
_REASONED = re.compile(r".*(?:[.!\u2013\u2014]|because|since)\Z")
"""How what opens a reply ends if reasons follow."""
_OPENING = (
    r"(?: ?\}(?= ?[a-d](?: |$)))?[ \n]?(?:> ?)?(?:option |choice )?"
    r"(?:\\(?:text|textbf|mathrm|mathbf) ?\{)? ?[(\[{<]? ?"
)
# What shows that the label is whole: the end, a sign, or a word that goes on to give reasons.
# "Answer: A rotation ..." and "Answer: No mismatch ..." are no answers; "Answer: D2" is a move.
_WHOLE = (
    r"(?:(?=[\u3040-\u9fff\uac00-\ud7a3])"
    r"|(?![\w'])(?= ?(?:$|[\n)\]}>.,:;!=(|/&<\u2013\u2014\u2192-]"
    r"|(?:because|since|as|they|this|it|or|and|here)\b|(?:LABELS)(?![\w']))))"
)
# What shows that the label was only one of several: "A/B/C/D", "A or B", "A, B".
_SEVERAL = (
    r"[ )\]}>.,:;]{0,4}(?:[/|&-]|\b(?:or(?: maybe| perhaps| possibly)?|and|to)\b)"
    r"[ (\[{<]{0,3}(?:LABELS)(?![\w'])"
    r"|[ )\]}>.,:;]{1,4}[ (\[{<]{0,3}(?:LABELS)(?![\w'])(?! ?[a-z]{2})"
    r"|[ )\]}>.,:;\n]{0,4}\bor(?: ?\Z|,? (?:answer|you must)\b)"
)
_ALONE = r"(?:> ?)*(?:option |choice )?[(\[{<]? ?(?P<label>LABELS) ?[)\]}>.!]{0,2}"
# How a reply of one line opens: "B: R2", "(B) R2", "Yes, they match."
_LEADING = (
    r"(?:option |choice )?[(\[{<]?(?P<label>LABELS)"
    r"(?:, ?(?:because|since)\b|[)\]}>]? ?[.,:;!\u2013\u2014]|\)| (?:because|since)\b)"
)
# What says of the option before it that it is the answer: "Option A is the right one."
_JUDGED = re.compile(
    r" (?:it is(?= ?[.!\n]|$)|is (?:(?:therefore|thus|clearly|indeed|then|hence) )?"
    r"(?:(?:the|my) )?(?:only )?"
    r"(?:correct|right|best|answer|solution|final (?:answer|choice)|my (?:answer|choice))"
    r"(?: (?:option|choice|one|answer|move|sequence|letter|solution|candidate))?(?![\w'])"
    r"(?! (?:only|if|unless|when|in|for|about|except|until|to)\b))"
)
_SOLVES = re.compile(r" solves (?:the cube|it)(?= ?[.!\n]|$)")
_STATING = re.compile(" it is| is | solves ")
"""How these begin."""
_PAIRED = re.compile(r"(?:\b(?:or|and|nor)|[/&]|\b[a-e],) ?\Z")
_ITEM = re.compile(r"(?:[-+\u2022|>] ?)?(?:option )?[(\[]?([a-e])(?: ?[)\]:.=|]|$)")
"""How a line of a list of the options begins."""
_LETTER = re.compile(r"[a-z]['2]?")
_QUOTED_LABEL = re.compile(r"'(?<![\w']')([a-e]|yes|no|idk|[a-z ]{1,20}(?=' ?:))'(?!\w)")


_MARKED = re.compile(
    r"~~[^~\n]{1,80}~~|<(b|i|u|em|strong|code|p|mark)> ?((?:option )?\(?[a-e]\)?|yes|no|idk) ?</\1>"
)
"""What is struck out, and a label in a tag that only sets it off."""
_SET_OFF = re.compile("</(?:b|i|u|em|strong|code|p|mark)>")
"""The end of such a tag."""
_SUPPOSING = re.compile(r"(?:(?:but|and|so|then),? )?(?:if|were|had|suppos(?:e|ing)|assuming)\b")
_PAST = re.compile(
    r"(?:(?:in|on|at) (?:an?|my|the) (?:first|earlier|previous|last|other)"
    r" (?:attempt|try|answer|turn|reply|round|time|game|puzzle|question|problem|task|message)"
    r"|(?:last time|earlier|previously|at first|initially|yesterday)\b)"
    r"(?!.*\b(?:now|but|so|hence|thus|therefore|today)\b)"
)
_TURNING = re.compile(
    r"\b(?:no|not|nope|wait|actually|sorry|oops|rather|instead|reflection|thoughts?|mean|meant"
    r"|mistaken?|mis\w+|correct(?:ion|ed|ing)|revised?|change|changed|however|but|now|hence|so"
    r"|final|finally|therefore|thus|check(?:ed|ing)?|looking|hmm|again|otherwise|if|step)\b"
)
"""What lets a second answer take the place of the first."""
_UNDECIDED = re.compile(
    r"(?:\A|[.,;!] )(?:(?:on (?:second thoughts?|reflection)|actually|however"
    r"|wait|hmm|but|no|sorry)"
    r"[,.!]? )*(?:i|we) (?:can ?not|can ?'?t|(?:am|'m|are) (?:not able|unable) to|could ?n[o']t)"
    r" (?:really |actually )?(?:tell|decide|say)"
    r"(?: for sure)?(?= ?(?:[.!;,]|\n|\Z))"
)
"""What leaves no answer behind, in the sentence after it."""
_SECOND = 60
"""Characters between two answers that stand side by side."""

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
    rival: re.Pattern[str]
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

    def compile_pattern(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("LABELS", labels))

    return LabelForm(
        strict=re.compile(strict),
        announced=compile_pattern(
            f"(?:{_ANNOUNCED}{'' if judging else _OTHERS}){_OPENING}(?P<label>LABELS){_WHOLE}"
        ),
        several=compile_pattern(_SEVERAL),
        alone=compile_pattern(_ALONE),
        leading=compile_pattern((rf"(?:{_HENCE},? )?" if judging else "") + _LEADING),
        other=compile_pattern(
            r"(?<![\w'])(?:LABELS)(?![\w'])"
            # "No sticker differs" answers nothing.
            + (r"(?:(?<!\bno)|(?! (?!wait|that|this|it|they|the)[a-z]{3}))" if judging else "")
        ),
        rival=compile_pattern(
            r"(?<![\w'])(?:LABELS)(?:[)\].:;!?]| (?:because|since)\b| ?\Z)"
            r"|\b(?:or|wait)\b|\bno[,.;]"
        ),
        sentence=compile_pattern(
            rf"(?:(?<=[{'.;)' if judging else ''}?!:] )|(?<!\w){_HENCE},? "
            r"|\((?=(?:option|choice|answer) ))(?:option |choice |answer )?(?P<label>LABELS)"
            r"(?= ?[)}]?(?:[.!](?: |$)|$))"
        ),
        stated=compile_pattern(
            r"(?:(?:option|choice|letter|answer|candidate) )?[(\[]?(?P<label>LABELS)[)\]]?(?:"
            + f"{_JUDGED.pattern}|{_SOLVES.pattern})"
        ),
        endings=endings,
        judging=judging,
    )


@lru_cache(maxsize=64)
def find_shared_result(label: str | None, strict: bool = False) -> Parsed[str]:
    """Return what a reply says; there are few labels, so equal results are one object."""
    return Parsed(label, strict)


def label_text(text: str) -> str:
    """Return a text as labels are looked for in it: plain, and without quotes around them."""
    bare = bare_text(text)
    # One sign is found in less time than two.
    tag = bare.find("<")
    if (tag >= 0 and _SET_OFF.search(bare, tag)) or ("~" in bare and "~~" in bare):
        bare = _MARKED.sub(lambda found: f" {found[2] or ''} ", bare).strip()
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
    if over := form.alone.fullmatch(bare, above, start - 1):
        last = form.alone.fullmatch(bare, start)
        return last is not None and last["label"] != over["label"]
    if _LETTER.fullmatch(bare, above, start - 1):
        return True
    one, other = _ITEM.match(bare, start), _ITEM.match(bare, above, start - 1)
    return bool(one and other and ord(one[1]) - ord(other[1]) == 1)


def find_announced(bare: str, form: LabelForm, start: int = 0) -> list[re.Match[str]]:
    """Return all places from `start` on where a label is announced, in order.

    Behind the last of them also those where an option is said to be the right one.
    """
    places: list[int] | None = _part.announcing(bare, start) if _part else None
    if places is None:
        announced = list(form.announced.finditer(bare, start))
        places = [said.start() for said in _STATING.finditer(bare, start)]
    else:
        announced, end = [], 0
        for place in places:
            if place >= end and (one := form.announced.match(bare, place)):
                announced.append(one)
                end = one.end()
    if form.judging:
        return announced
    behind = announced[-1].end() if announced else start
    places = [place for place in places if place >= behind and bare[place] == " "]
    return [*announced, *_find_stated_labels(bare, form, behind, places)] if places else announced


def _find_stated_labels(
    bare: str, form: LabelForm, start: int, places: Sequence[int]
) -> Iterator[re.Match[str]]:
    """Yield the places where an option is said to be the right one.

    Args:
        bare: the text.
        form: of the answer.
        start: where it begins.
        places: where what says so of the option before it may begin.
    """
    said = [place for place in places if _JUDGED.match(bare, place)]
    said += [place for place in places if _SOLVES.match(bare, place)]
    for place in said:
        word = max(bare.rfind(" ", start, place), bare.rfind("\n", start, place))
        noun = max(bare.rfind(" ", start, word), bare.rfind("\n", start, word), start - 1)
        one = form.stated.match(bare, noun + 1) or form.stated.match(bare, word + 1)
        if one and not _PAIRED.search(bare, max(0, one.start() - 5), one.start()):
            yield one


def read_label(text: str, form: LabelForm) -> Parsed[str]:
    """Return, in lower case, the last label that is announced, or alone on an outer line."""
    shown = visible_text(text)
    if exact := form.strict.fullmatch(shown):
        return find_shared_result(exact["label"].lower(), True)
    if len(shown) > NEAR and (near := read_ending(shown, form)):
        return near
    bare = label_text(shown)
    return read_loosely(bare, find_announced(bare, form), form)


NEAR = 640
"""Of longer texts so many characters at the end are read first."""
_EDGE = 256
"""So many of them, the first, are only read as text before an answer; see `is_mentioned`."""
_LONE = 64
"""More characters than a label alone ever has."""
_APART = re.compile("[.,;!?]")
"""What is no part of any announcement."""


def read_ending(shown: str, form: LabelForm) -> Parsed[str] | None:
    """Return what the end of a text says; None if all of it has to be read.

    An answer there counts whatever the text above says; it is found as `read_loosely` finds it.
    """
    bare = label_text(shown[-NEAR:])
    if len(bare) < _EDGE + _LONE:
        return None
    start = bare.rfind("\n") + 1
    last = form.alone.fullmatch(bare, start) if start >= _EDGE else None
    if last and not is_mentioned(bare, start, len(bare)):
        return find_shared_result(None if _echoes(bare, start, form) else last["label"])
    apart = _APART.search(bare, _EDGE)
    first = apart.end() if apart else len(bare)
    return _last_announced(bare, find_announced(bare, form, first), form, first + _SECOND)


def _last_announced(
    bare: str, announced: Sequence[re.Match[str]], form: LabelForm, first: int = 0
) -> Parsed[str] | None:
    """Return the last label that is announced and not only spoken of; None if there is none.

    Two that stand side by side and differ, without a word that takes one back, give none.
    Nothing is said of one before `first`: the text beside it may not be seen.
    """
    last: re.Match[str] | None = None
    for one in reversed(announced):
        if (last.start() - one.end() > _SECOND) if last else (one.start() < first):
            break
        spoken = is_mentioned(bare, one.start(), len(bare) if form.judging else one.end())
        if spoken or _is_supposed(bare, one) or _is_taken_back(bare, one.end(), form):
            continue
        several: object = form.several.match(bare, one.end())
        near = max(0, one.start() - _LONE)
        if not several and bare.find("or", near, one.start()) >= 0:
            several = _OR.search(bare, near, one.start())
        if last and several:
            break
        if last:
            differ = one["label"] != last["label"]
            beside = differ and turns_nothing(bare, one.end(), last.start("label"))
            return find_shared_result(None if beside else last["label"])
        if several:
            return find_shared_result(None)
        last = one
    return last and find_shared_result(last["label"])


def turns_nothing(bare: str, start: int, end: int, most: int = _SECOND) -> bool:
    """Return whether an answer is followed at once by another, and not taken back in between."""
    return end - start <= most and not _TURNING.search(bare[start:end].lower())


def _is_taken_back(bare: str, end: int, form: LabelForm) -> bool:
    """Return whether the label that ends at an index is taken back."""
    taken = form.judging and is_withdrawn(bare, end, judging=True)
    return taken or bool(_UNDECIDED.search(bare[end : end + _EDGE]))


def _is_supposed(bare: str, one: re.Match[str]) -> bool:
    """Return whether a label is announced for a case that is only supposed, or was in the past."""
    if (would := " would" in one[0] or "'d " in one[0]) and bare.startswith(" if ", one.end()):
        return True
    if bare[one.start() - 1 : one.start()] in ("", "\n"):
        return False
    before = bare[max(0, one.start() - BEFORE) : one.start()]
    ends = map(before.rfind, (".", "!", "?", ";", "\n"))
    if not (before := before[max(ends) + 1 :].strip(" -+")):
        return False
    if _SUPPOSING.match(before):
        return would or (before.endswith((",", "then")) and one[0].startswith("answer "))
    return bool(_PAST.match(before))


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
    if (last := form.alone.fullmatch(line)) and not is_mentioned(bare, start, len(bare)):
        return find_shared_result(None if _echoes(bare, start, form) else last["label"])
    if given := _last_announced(bare, announced, form):
        return given
    if form.judging or not start:
        lead = form.leading.match(bare)
        if lead and not _unsaid(bare, lead, form) and not _rivals(bare, lead.end(), form):
            return find_shared_result(lead["label"])
    if start:
        head, _, rest = bare.partition("\n")
        if first := form.alone.fullmatch(head):
            second = form.alone.fullmatch(rest.partition("\n")[0])
            listed = second and second["label"] != first["label"]
            return find_shared_result(
                None if listed or _unsaid(bare, first, form) else first["label"]
            )
    echoed = announced or _echoes(bare, start, form)
    return find_shared_result(None if echoed else _closing_label(bare, line, form))


def _unsaid(bare: str, said: re.Match[str], form: LabelForm) -> bool:
    """Return whether the label that a text begins with is only spoken of, or taken back."""
    spoken = not form.judging and is_mentioned(bare, said.start(), said.end("label"))
    return spoken or _is_taken_back(bare, said.end(), form)


def _rivals(bare: str, start: int, form: LabelForm) -> bool:
    """Return whether another label behind the first may be the answer, or an item of a list.

    Behind a reason or a whole sentence letters may be spoken of: "D, because B fails".
    """
    if form.judging or not _REASONED.match(bare, max(0, start - 9), start):
        return form.other.search(bare, start) is not None
    rivals = form.rival.finditer(bare, start)
    return any(not is_mentioned(bare, *rival.span()) for rival in rivals)


def _closing_label(bare: str, line: str, form: LabelForm) -> str | None:
    """Return the label that ends the last line as a sentence of its own (Do they match? Yes).

    A line that answers several questions, and not alike, gives none. Nor does a text in which an
    answer is announced, which was found to be only spoken of.
    """
    if not line.rstrip(" .!)}").endswith(form.endings):
        return None
    if not (told := list(form.sentence.finditer(line))) or line[told[-1].end() :].strip(" .!)}"):
        return None
    if is_mentioned(bare, len(bare) - len(line) + told[-1].start(), len(bare)):
        return None
    labels = {said["label"] for said in told}
    return labels.pop() if len(labels) == 1 else None
