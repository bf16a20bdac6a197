r"""Answers: what a free-form reply says, and whether it kept the requested format.

Every parser takes any string and returns a Parsed: the value, or None when the reply has no answer
that can be told without guessing, and whether the format was kept to the letter. Rules for all:

- Thoughts in <think>...</think> do not count, nor what follows an unclosed <think>, nor what
  precedes a </think> that nothing opened (chat templates often open it in the prompt). Special
  tokens that a runner left in, such as <|im_end|> or <|begin_of_box|>, count as line breaks.
- Of the rest, only the last TAIL characters are read, with the mark CUT in front of them: a longer
  reply is never strict. Every expression below is linear: blanks are squeezed first, and no repeat
  is followed by another that takes the same characters.
- The last answer counts. When that one is ambiguous ("A or B"), there is none.
- Markdown emphasis, quotes, and upper or lower case do not matter to the lenient reading.
- Prose that merely contains a letter or a word is no answer: there is no credit by chance.
- An answer that is negated, supposed, asked or quoted is none (facelet.generators.core.mentions).

What each parser takes and refuses is listed as data in tests/generators/replies.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

from facelet.generators.core.compiled import found
from facelet.generators.core.mentions import mentioned
from facelet.generators.core.remembering import remembered

T = TypeVar("T")

TAIL = 4096
"""Number of characters at the end of a reply that are read."""

CUT = "\u2026"
"""Stands for the characters before them."""


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """What a reply says.

    Attributes:
        value: the answer, or None when there is none.
        strict: whether the reply, thoughts and surrounding white space aside, is exactly the
            requested format.
    """

    value: T | None
    strict: bool


_part = found("facelet.generators.core._reading")
"""Looks at every character; what it leaves to Python is None."""

_THOUGHT = re.compile(r"[<\u25c1](/?)think(?:ing)?[>\u25b7]", re.IGNORECASE)
_SPECIAL = re.compile(r"<\|\w{1,40}\|>")


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of thoughts, in order; in long ASCII text by looking at each "<" alone."""
    if not text.isascii():
        yield from _THOUGHT.finditer(text)
        return
    place = text.find("<")
    while place >= 0:
        if tag := _THOUGHT.match(text, place):
            yield tag
        place = text.find("<", place + 1)


def visible(text: str, tail: int = TAIL) -> str:
    """Return a reply without thoughts and outer blanks.

    Of a longer one it is the last `tail` characters, with CUT in front. No requested format begins
    with CUT, and text that starts at the cut is not taken for the start of a line.
    """
    shown: str | None = _part.visible(text, tail) if _part else None
    return _visible(text, tail) if shown is None else shown


def _visible(text: str, tail: int) -> str:
    # Most replies have a "<" and no thoughts, so the cheap test for "think" comes first.
    if ("<" in text or "\u25c1" in text) and not (text.isascii() and "think" not in text.lower()):
        kept: list[str] = []
        start, thinking = 0, False
        for tag in _tags(text):
            if not thinking:
                if tag[1]:
                    kept.clear()
                else:
                    kept.append(text[start : tag.start()])
            thinking = not tag[1]
            start = tag.end()
        if start:
            text = "\n".join(kept if thinking else [*kept, text[start:]])
    text = text.strip()
    if len(text) > tail:
        text = CUT + text[-tail:]
    if "<|" in text:
        text = _SPECIAL.sub("\n", text)
    return text.strip()


_SIGNS: dict[int, str | None] = {
    **{ord(sign): " " for sign in '*`$"\u201c\u201d\u00ab\u00bb'},
    0xFF1A: ":",
    0xFF08: "(",
    0xFF09: ")",
    0x2019: "'",
    0x2032: "'",
    0x200B: None,
}
"""Decoration becomes a blank; full-width and typographic signs become the plain ones."""
_SIGNS |= dict.fromkeys((*range(0x2600, 0x2794), *range(0x1F300, 0x1FB00), 0xFE0F), " ")
_BLANKS = re.compile(r"[^\S\n]+")
_NEWLINES = re.compile(r" ?\n[ \n]*")


_RUNS = re.compile(" {2,}")


class _Plain(NamedTuple):
    """What signs become, and the same for ASCII, blanks included, as `bytes.translate` takes it."""

    signs: Mapping[int, str | None]
    ascii: bytes


def _plain(signs: Mapping[int, str | None]) -> _Plain:
    every = (_BLANKS.sub(" ", chr(code).translate(signs)) for code in range(128))
    return _Plain(signs, "".join(every).encode().ljust(256))


_PLAIN = _plain(_SIGNS)
_PLAINER = _plain(_SIGNS | {ord("_"): " "})


def _squeeze(text: str, plain: _Plain) -> str:
    """Return the text in plain signs, with single blanks and single newlines."""
    if text.isascii():
        # The same in a third of the time: nearly all replies are ASCII.
        text = text.encode().translate(plain.ascii).decode()
        if "  " in text:
            text = _RUNS.sub(" ", text)
    else:
        text = _BLANKS.sub(" ", text.translate(plain.signs))
    return (_NEWLINES.sub("\n", text) if "\n" in text else text).strip()


def plain(text: str) -> str:
    """Return a text without emphasis, quotes and typographic signs, blanks and line ends single."""
    squeezed: str | None = _part.squeezed(text, False) if _part else None
    return _squeeze(text, _PLAIN) if squeezed is None else squeezed


def _bare(text: str) -> str:
    """Return a plain text without underscores, in lower case."""
    squeezed: str | None = _part.squeezed(text, True) if _part else None
    return _squeeze(text, _PLAINER).lower() if squeezed is None else squeezed


_LATEX = re.compile(
    r"(?P<line>\\\\|\\n(?=[^a-z])|\\(?:begin|end) ?\{[a-z*]{1,16}\})|\\(?P<sign>[_&%#])"
    r"|\\(?:boxed|fbox|text[a-z]{0,3}|math[a-z]{2}|quad|qquad|rightarrow|Rightarrow|to)\b|\\"
)


def without_latex(text: str) -> str:
    """Return a text without LaTeX's commands: arrays, boxes, fonts; their line ends are kept."""
    if "\\" not in text:
        return text
    return _LATEX.sub(lambda found: "\n" if found["line"] else found["sign"] or " ", text)


# What announces an answer: <ANSWER>, <ANSWER: X, ANSWER: X, "the answer is X", \boxed{X}, <X>;
# but not <X> that begins an element with content, as in <A> DECREASE </A>. ANNOUNCING in _reading.c
# has what each begins with.
_ANNOUNCED = (
    r"<answer ?[>:]"
    r"|answer(?<![a-z]answer)(?: (?:is|was|option|choice|letter|should be|would be))*"
    r"(?: ?[:=|\u2013\u2192-]>?)?"
    r"|<final answer>"
    r"|(?:therefore|thus|conclusion|verdict|result|output|decision) ?:"
    r"|(?:my choice|(?:best|right|correct) (?:option|choice|move))(?: is| would be)?(?: ?[:=])?"
    r"|(?<!if )i(?:'d| would) (?:choose|pick|select|go with)"
    r"|\\boxed ?\{"
    r"|<(?=(?:LABELS)>(?! ?[^<>\n]{1,60}</))"
)
_OPENING = r"[ \n]?(?:option |choice )?(?:\\(?:text|textbf|mathrm|mathbf) ?\{)? ?[(\[{<]? ?"
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
_ALONE = r"(?:option |choice )?[(\[{<]?(?P<label>LABELS)[)\]}>.!]{0,2}"
# How a reply of one line opens: "B: R2", "(B) R2", "Yes, they match."
_LEADING = r"(?:option |choice )?[(\[{<]?(?P<label>LABELS)(?:[)\]}>]? ?[.,:;!]|\))"


_HENCE = "(?:therefore|thus|hence|so)"


@dataclass(frozen=True, slots=True)
class _Form:
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
    endings: tuple[str, ...]
    judging: bool


def _form(labels: str, strict: str, endings: tuple[str, ...], *, judging: bool = False) -> _Form:
    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("LABELS", labels))

    return _Form(
        strict=re.compile(strict),
        announced=compiled(f"(?:{_ANNOUNCED}){_OPENING}(?P<label>LABELS){_WHOLE}"),
        several=compiled(_SEVERAL),
        alone=compiled(_ALONE),
        leading=compiled(_LEADING),
        other=compiled(r"(?<![\w'])(?:LABELS)(?![\w'])"),
        sentence=compiled(
            rf"(?:(?<=[{'.;)' if judging else ''}?!:] )|(?<!\w){_HENCE},? )(?P<label>LABELS)"
            r"(?=[.!](?: |$)|$)"
        ),
        endings=endings,
        judging=judging,
    )


@lru_cache(maxsize=64)
def _said(label: str | None, strict: bool = False) -> Parsed[str]:
    """Return what a reply says; there are few labels, so equal results are one object."""
    return Parsed(label, strict)


def _announced(bare: str, form: _Form, start: int = 0) -> list[re.Match[str]]:
    """Return all places from `start` on where a label is announced, in order."""
    places: list[int] | None = _part.announcing(bare, start) if _part else None
    if places is None:
        return list(form.announced.finditer(bare, start))
    announced: list[re.Match[str]] = []
    end = 0
    for place in places:
        if place >= end and (one := form.announced.match(bare, place)):
            announced.append(one)
            end = one.end()
    return announced


def _label(text: str, form: _Form) -> Parsed[str]:
    """Return, in lower case, the last label that is announced, or alone on an outer line."""
    shown = visible(text)
    exact = form.strict.fullmatch(shown)
    if exact:
        return _said(exact["label"].lower(), True)
    if len(shown) > _NEAR and (near := _ending(shown, form)):
        return near
    bare = _bare(shown)
    return _loose(bare, _announced(bare, form), form)


_NEAR = 640
"""Of longer texts so many characters at the end are read first."""
_EDGE = 256
"""Of these the first are only looked at as what stands before an answer: `mentioned` sees fewer."""
_LONE = 64
"""More characters than a label alone ever has."""
_APART = re.compile("[.,;!?]")
"""What is no part of any announcement."""


def _ending(shown: str, form: _Form) -> Parsed[str] | None:
    """Return what the end of a text says; None if all of it has to be read.

    What is said there counts whatever stands above, and is found as `_loose` finds it.
    """
    bare = _bare(shown[-_NEAR:])
    if len(bare) < _EDGE + _LONE:
        return None
    start = bare.rfind("\n") + 1
    last = form.alone.fullmatch(bare, start) if start >= _EDGE else None
    if last and not mentioned(bare, start, len(bare)):
        above = bare[bare.rfind("\n", 0, start - 1) + 1 : start - 1]
        return _said(None if form.alone.fullmatch(above) else last["label"])
    apart = _APART.search(bare, _EDGE)
    return _given(bare, _announced(bare, form, apart.end()), form) if apart else None


def _given(bare: str, announced: Sequence[re.Match[str]], form: _Form) -> Parsed[str] | None:
    """Return the last label that is announced and not only spoken of; None if there is none."""
    for one in reversed(announced):
        if not mentioned(bare, one.start(), len(bare) if form.judging else one.end()):
            return _said(None if form.several.match(bare, one.end()) else one["label"])
    return None


def _loose(bare: str, announced: Sequence[re.Match[str]], form: _Form) -> Parsed[str]:
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
        above = bare[bare.rfind("\n", 0, start - 1) + 1 : start - 1] if start else ""
        return _said(None if form.alone.fullmatch(above) else last["label"])
    if given := _given(bare, announced, form):
        return given
    if not start:
        lead = form.leading.match(bare)
        told = lead and (form.judging or not mentioned(bare, *lead.span()))
        if lead and told and not form.other.search(bare, lead.end()):
            return _said(lead["label"])
    else:
        head, _, rest = bare.partition("\n")
        if first := form.alone.fullmatch(head):
            listed = form.alone.fullmatch(rest.partition("\n")[0])
            return _said(None if listed else first["label"])
    return _said(None if announced else _closing(bare, line, form))


def _closing(bare: str, line: str, form: _Form) -> str | None:
    """Return the label that ends the last line as a sentence of its own (Do they match? Yes).

    A line that answers several questions, and not alike, gives none. Nor does a text in which an
    answer is announced, which was found to be only spoken of.
    """
    if not line.rstrip(" .!").endswith(form.endings):
        return None
    told = list(form.sentence.finditer(line))
    if not told or line[told[-1].end() :].strip(" .!"):
        return None
    if mentioned(bare, len(bare) - len(line) + told[-1].start(), len(bare)):
        return None
    labels = {said["label"] for said in told}
    return labels.pop() if len(labels) == 1 else None


_CHOICE = _form("[a-d]", r"<ANSWER>\s*(?P<label>[A-D])\s*</ANSWER>", (" a", " b", " c", " d"))
_YES_NO = _form("yes|no", r"Answer: (?P<label>Yes|No)", (" yes", " no"), judging=True)

IDK = "IDK"
"""What stands for an abstention."""

_UNSURE = "i (?:[a-z]{2,12}ly )?(?:don'?t|do not) know"
_CHOICE_OR_IDK = _form(
    f"[a-e]|idk|{_UNSURE}",
    r"<ANSWER>\s*(?P<label>[A-D]|IDK)\s*</ANSWER>",
    (" a", " b", " c", " d", " e", " idk", " know"),
)
_UNSURE_SAID = re.compile(rf"(?<![\w']){_UNSURE}(?![\w'])")


@remembered
def choice(text: str) -> Parsed[str]:
    """Return the letter A to D that a reply chooses.

    Strict: `<ANSWER>B</ANSWER>` and nothing else. Lenient: also
    `ANSWER: B`, "the answer is (b)", `<B>`, a boxed letter, a letter alone on the last or first
    line, a single line that opens with it.
    """
    parsed = _label(text, _CHOICE)
    return _said(parsed.value.upper(), parsed.strict) if parsed.value else parsed


@remembered
def choice_or_idk(text: str) -> Parsed[str]:
    """Return the letter A to D that a reply chooses, or IDK where it abstains.

    Strict: as in `choice`, or `<ANSWER>IDK</ANSWER>`. Lenient: IDK, a fifth option E, or the words
    "I don't know" wherever a letter could stand; and those words anywhere in a reply that announces
    no answer. A letter that is announced counts, whatever doubts surround it.
    """
    shown = visible(text)
    exact = _CHOICE_OR_IDK.strict.fullmatch(shown)
    if exact:
        return _said(exact["label"], True)
    near = _ending(shown, _CHOICE_OR_IDK) if len(shown) > _NEAR else None
    label = near.value if near else None
    if label is None:
        bare = _bare(shown)
        announced = _announced(bare, _CHOICE_OR_IDK)
        label = _loose(bare, announced, _CHOICE_OR_IDK).value
        if label is None:
            unsure = not announced and _UNSURE_SAID.search(bare)
            return _said(IDK if unsure else None)
    return _said(label.upper() if label in "abcd" else IDK)


@remembered
def yes_no(text: str) -> Parsed[str]:
    """Return "yes" or "no".

    Strict: `Answer: Yes` or `Answer: No` and nothing else. Lenient: as
    in `choice`.
    """
    return _label(text, _YES_NO)
