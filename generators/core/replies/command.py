r"""Read and format the one-line commands of games, which are written as templates.

    Form("query", "My Query: {int}, {int}, {int}")
    Form("answer", "My Answer: {ints}")

A template is plain text with fields in braces: {int} a whole number, {ints} one or more of them,
{word} letters, {words} one or more words, {pairs} one or more pairs of numbers such as 1-2, {bits}
zeros and ones, {symbols} signs without blanks, {left|right} one of these words. Fields become int,
str, tuple[int, ...] or, for words and pairs, tuple[str, ...]; words keep the spelling of the
template where it lists them.

What of a reply is read: thoughts do not count (see the module boundary). A command may be wherever
a form's beginning (the text before its first field) is; the whole form must follow, and what comes
after it in its line must not look like one more argument. So a command with a reason behind it is
read, one with a number too many is not. A beginning inside a sentence that no argument follows is
talk, and is passed over. A command that is negated, supposed, asked, quoted or withdrawn does not
count (see the module mentions). A command alone on its line outweighs those in sentences; of two
different ones neither is given (see the module candidates).
Emphasis, boxes, brackets, tags, quotes, comments, the kind of digits and dashes and the number of
blanks do not matter, nor whether the arguments stand alone in the next line. A reply is strict if
its last line is the command and nothing else, spelled like the template. Time is linear in the
bounded tail of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any

from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_answer
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.plain_text import plain_text

Argument = int | str | tuple[int, ...] | tuple[str, ...]

MOST = 512
"""Most values that a field of several holds."""

_LONGEST = 4096
"""Most characters behind a form's opening that can belong to it."""

_INT = r"[+-]?[0-9]{1,18}"
_WORD = r"[A-Za-z]{1,64}"
_PAIR = r"[0-9]{1,18}-[0-9]{1,18}"
_SEPARATOR = r"(?: ?, ?(?:and )?| and | )"


@dataclass(frozen=True, slots=True)
class Command:
    """A command that was read: the name of its form, and its arguments in order."""

    form: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _CommandField:
    loose: str
    exact: str
    printed: str
    read: Callable[[str], Argument]


def _parse_ints(text: str) -> tuple[int, ...]:
    return tuple(map(int, _parse_words(text)))


def _parse_words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.replace(",", " ").split() if word.lower() != "and")


def _build_repeated_field(one: str) -> _CommandField:
    return _CommandField(
        rf"{one}(?:{_SEPARATOR}{one}){{0,{MOST - 1}}}",
        rf"{one}(?:,? {one}){{0,{MOST - 1}}}",
        rf"{one}(?:(?:\s{{0,9}},\s{{0,9}}|\s{{1,9}}){one}){{0,{MOST - 1}}}",
        _parse_ints if one is _INT else _parse_words,
    )


_FIELDS: dict[str, _CommandField] = {
    "int": _CommandField(_INT, _INT, _INT, int),
    "ints": _build_repeated_field(_INT),
    "word": _CommandField(_WORD, _WORD, _WORD, str),
    "words": _build_repeated_field(_WORD),
    "pairs": _build_repeated_field(_PAIR),
    "bits": _CommandField(*(r"[01]{1,512}",) * 3, str),
    "symbols": _CommandField(r"[^\s,.;:!?]{1,64}", *(r"[^\s]{0,63}[^\s,.;:!?\u3002]",) * 2, str),
}
_BRACES = re.compile(r"\{([^{}]*)\}")
# Brackets become blanks, so "My Query: [1, 2, 3]" and \boxed{My Query: 1, 2, 3} are read.
_BRACKETS = {ord(sign): " " for sign in "()[]{}"} | {ord("\\"): " ", ord("_"): " "}
_DASHES = "\u2010\u2011\u2012\u2212\ufe63\uff0d"
_TYPED = (
    {0xFF01 + sign: chr(0x21 + sign) for sign in range(94)}
    | {0x3001: ",", 0x3002: "."}
    | dict.fromkeys(range(0x3008, 0x3012), " ")
    | {ord(dash): "-" for dash in _DASHES}
)
_PLAIN_SIGNS = _BRACKETS | _TYPED
_SIGN_TO_REPLACE = re.compile(f"[{re.escape(''.join(map(chr, _PLAIN_SIGNS)))}]")
_CLOSE = "\ue000"
"""Stands where something closes behind a command; a sign that no reply keeps."""
_BOXED = re.compile(r"\\(?:boxed|text|texttt|textbf|mathrm|mathbf|mathtt)\b")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9_-]{0,30}) ?/?>")
_NO_COMMAND = ("example", "format", "template", "sample", "draft", "wrong", "rejected", "quote")
"""What a tag may say of what it holds, so that it is no command; such a tag stays."""
_ANGLES = re.compile(r"<([^<>\n]{1,400})>")
_EN_DASH = re.compile(r"\u2013(?=[0-9])")
_QUOTE = re.compile(r"(?<!\w)['\u2018]|['\u2019](?!\w)")
_ASIDE = re.compile(r"(?<=\w) \((?=[A-Za-z]{2})")
_BLANKS = re.compile(r" {2,}")
_FENCES = ("json", "text", "plaintext", "python", "markdown", "txt", "plain")
# What may follow a command in its line: nothing, a sign, or words, but no further argument. After a
# word only such words may follow as give a reason: another one could belong to the command.
_END = (
    rf"(?= ?(?:$|{_CLOSE})"
    r"| ?(?:[.;!?:|\u2013\u2014\u2192-]+|#+|//)(?: |$)(?! ?[0-9])"
)
_REASON = (
    r",? (?:because|since|as|to|for|this|it|so|and then|which"
    r"|not|rather than|instead of|but|now|here|next|first|please|again|at)\b)"
)
_AFTER_NUMBER = _END + r"|,? (?!(?:and|or|to|through) ?[+-]?[0-9])[a-z])"
_AFTER_WORD = _END + "|" + _REASON
# A word out of a few cannot go on: any other word behind it is talk, unless one more is offered.
_AFTER_LISTED = (
    _END + r"|,? (?!(?:and|or|then|to|is|was|would|could|might|may|can|looks?|works?|fails?"
    r"|seems?|does|did)\b)[a-z]{2,}|" + _REASON
)


@dataclass(frozen=True, slots=True)
class CommandForm:
    """A command of one line.

    Attributes:
        name: what the rules call it, such as "query".
        template: how it is written; see the module.
        shown: how the player is shown it, where that says more than the fields' kinds, such as
            "My Query: a, b, c"; "" for the template with its fields named.
    """

    name: str
    template: str
    shown: str = ""
    _fields: tuple[_CommandField, ...] = field(init=False, repr=False, compare=False)
    _exact: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _loose: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _printed: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _body: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _opening: str = field(init=False, repr=False, compare=False)
    _begins: str = field(init=False, repr=False, compare=False)
    _parts: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _placeholder: tuple[Any, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the template.

        Raises:
            ValueError: it names an unknown field, or begins with one.
        """
        pieces = _BRACES.split(self.template)
        if not (opening := _plain_template(pieces[0]).strip().lower()):
            raise ValueError(f"the template {self.template!r} must begin with text")
        fields = tuple(_template_field(name, self.template) for name in pieces[1::2])
        exact = "".join(
            re.escape(text) + (f"({fields[k].exact})" if k < len(fields) else "")
            for k, text in enumerate(pieces[::2])
        )
        loose = "".join(
            _build_spaced_pattern(text, between=0 < k < len(fields), line=k > 0)
            + (f"({fields[k].loose})" if k < len(fields) else "")
            for k, text in enumerate(pieces[::2])
        )
        last = pieces[-2] if fields else ""
        numbers = last in ("int", "ints", "pairs", "bits")
        after = _AFTER_NUMBER if numbers else _AFTER_LISTED if "|" in last else _AFTER_WORD
        # Another command may follow: "My Move: UP and My Move: DOWN".
        after = rf"(?:{after}|(?=,? (?:(?:and|then) ){{1,2}}{re.escape(opening.split()[0])}\b))"
        printed = "".join(
            _loose_pattern(text, first=not k)
            + (f"({fields[k].printed})" if k < len(fields) else "")
            for k, text in enumerate(pieces[::2])
        )
        for name, value in {
            "_fields": fields,
            "_exact": re.compile(exact),
            "_printed": re.compile(printed),
            "_body": re.compile(loose, re.IGNORECASE),
            "_loose": re.compile(loose + after, re.IGNORECASE | re.M),
            "_opening": opening,
            "_begins": re.split(r"\W", self.template, maxsplit=1)[0],
            "_parts": tuple(_plain_template(text).strip().lower() for text in pieces[2::2]),
        }.items():
            object.__setattr__(self, name, value)
        # The arguments of the form as it is shown, such as THING; () if these can be none.
        sample = self._loose.match(_plain_template(self.show_form()))
        placeholder = _read_arguments(self, sample) if sample else ()
        object.__setattr__(self, "_placeholder", placeholder)

    def format_command(self, *args: Argument) -> str:
        """Return the command with these arguments, spelled as the template is.

        Raises:
            ValueError: their number is not that of the template's fields.
        """
        if len(args) != len(self._fields):
            raise ValueError(f"{self.template!r} has {len(self._fields)} fields, not {len(args)}")
        pieces = _BRACES.split(self.template)
        texts = [
            ", ".join(map(str, value)) if isinstance(value, tuple) else str(value) for value in args
        ]
        return "".join(
            text + (texts[k] if k < len(texts) else "") for k, text in enumerate(pieces[::2])
        )

    def may_contain(self, other: CommandForm) -> bool:
        """Return whether a longer command may hold this one's beginning behind its own."""
        return self._opening in other._parts

    def first_place(self, text: str) -> str | None:
        """Return the first place of a text that is this command, as the template writes it.

        The text before it and behind it does not matter. Of blanks there may be any number, none
        too where signs part its arguments, and quotes and brackets may stand around these.
        """
        place = text.find(self._begins)
        while place >= 0:
            if found := self._printed.match(text, place, place + _LONGEST):
                return self.format_command(*_read_arguments(self, found))
            place = text.find(self._begins, place + 1)
        return None

    def show_form(self) -> str:
        """Return the form as the player is shown it."""
        return self.shown or _BRACES.sub(
            lambda found: _NAMES.get(found[1], found[1]), self.template
        )


_NAMES = {
    "int": "N",
    "ints": "N, N, ...",
    "word": "WORD",
    "words": "WORD, WORD, ...",
    "pairs": "N-N, N-N, ...",
    "bits": "BITS",
}


def _template_field(name: str, template: str) -> _CommandField:
    if "|" in name:
        listed = {word.lower(): word for word in name.split("|")}
        either = "|".join(map(re.escape, sorted(listed.values(), key=len, reverse=True)))
        exact = f"(?:{either})"
        return _CommandField(rf"{exact}(?!\w)", exact, exact, lambda text: listed[text.lower()])
    if name not in _FIELDS:
        known = ", ".join(_FIELDS)
        raise ValueError(f"{template!r} has the unknown field {name!r}; use {known}, or a|b|c")
    return _FIELDS[name]


def _plain_template(text: str) -> str:
    """Return a template's text as `_plain_reply` leaves it in a reply."""
    return _BLANKS.sub(" ", plain_text(text).translate(_BRACKETS))


def _build_spaced_pattern(text: str, *, between: bool = False, line: bool = False) -> str:
    """Return the expression for a template's text, where blanks may be more, fewer or missing.

    Args:
        text: the text.
        between: whether it stands between two fields, where a comma may be a blank.
        line: whether it may begin a line of its own.
    """
    signs = re.findall(r"\w+|[^\w\s]", _plain_template(text))
    if between and signs in ([], [","]):
        return _SEPARATOR
    # Behind a field a part of the command may stand in a line of its own.
    start = "[ \\n]?" if line and signs else " ?"
    words = ["[-\u2013\u2014]" if sign == "-" else re.escape(sign) for sign in signs]
    inside = re.sub("(?<=:) \\?", r"[ \\n]{0,3}", " ?".join(words))
    return start + inside + (" ?" if signs else "")


def _loose_pattern(text: str, *, first: bool) -> str:
    """Return the expression for a template's text where blanks may be many, or none beside signs.

    Args:
        text: the text.
        first: whether it is the beginning, behind which brackets and quotes may open.
    """
    if not (signs := re.findall(r"\w+|[^\w\s]", text)):
        return r"\s{1,9}" if text else ""
    found = re.escape(signs[0])
    for one, other in pairwise(signs):
        least = int(one.isalnum() and other.isalnum())
        found += rf"\s{{{least},9}}{re.escape(other)}"
    around = r"\s{0,9}"
    return rf"{found}{around}[\[({{<\"']{{0,4}}{around}" if first else f"{around}{found}{around}"


def _plain_reply(shown: str) -> str:
    """Return a visible reply without decoration and brackets, blanks single, lines kept."""
    text = _BOXED.sub(" ", shown)
    if _CLOSE in text:
        text = text.replace(_CLOSE, " ")
    if "<" in text:
        text = _ANGLES.sub(r" \1 ", _strip_tags(text))
    if "(" in text:
        text = _ASIDE.sub(f" {_CLOSE} ", text)
    if "'" in text or "\u2019" in text or "\u2018" in text:
        text = _QUOTE.sub(" ", text)
    text = plain_text(text)
    # `translate` is fast for ASCII only.
    text = (
        text.translate(_PLAIN_SIGNS)
        if text.isascii()
        else _SIGN_TO_REPLACE.sub(lambda sign: _PLAIN_SIGNS[ord(sign[0])], text)
    )
    if "\u2013" in text:
        text = _EN_DASH.sub("-", text)
    return _BLANKS.sub(" ", text) if "  " in text else text


def _strip_tags(text: str) -> str:
    """Return a text without tags that are closed somewhere, such as <answer>...</answer>."""
    closed = {name.lower() for slash, name in _TAG.findall(text) if slash}.difference(_NO_COMMAND)
    return _TAG.sub(lambda tag: " " if tag[2].lower() in closed else tag[0], text)


def _join_arguments(bare: str, forms: Sequence[CommandForm]) -> str:
    """Return a reply in which arguments alone in a line are moved behind their beginning."""
    lines = bare.split("\n")
    places = [place for place, line in enumerate(lines) if line.strip()]
    for number, place in enumerate(places[:-1], 1):
        head = lines[place].rstrip()
        found = [one for one in _find_openings(head, forms) if one.end() == len(head)]
        if not found:
            continue
        after = places[number]
        if lines[after].strip().lower() in _FENCES and number + 1 < len(places):
            after = places[number + 1]
        together = f"{head[found[-1].start() :]} {lines[after].strip()}"
        for form in forms:
            whole = form._loose.match(together)
            if whole and not together[whole.end() :].strip(f" .|{_CLOSE}"):
                lines[place], lines[after] = f"{head} {lines[after].strip()}", ""
                break
    return "\n".join(lines)


def read_command(text: str, forms: Sequence[CommandForm]) -> Parsed[Command]:
    """Return the command that a reply gives, or None when it gives none that can be read.

    Args:
        text: the reply; any string.
        forms: the forms that are allowed, no two of which fit the same text.
    """
    shown = visible_text(text)
    last = shown[shown.rfind("\n") + 1 :].strip()
    exactly = None
    for form in forms:
        exact = form._exact.fullmatch(last)
        if (
            exact
            and not _is_placeholder(form, exact)
            and not is_mentioned(shown, len(shown) - len(last), len(shown))
        ):
            exactly = Command(form.name, _read_arguments(form, exact))
            # Above it another one may be, or the beginning of a longer one.
            above = shown[: len(shown) - len(last)].lower()
            if not any(one._begins.lower() in above for one in forms):
                return Parsed(exactly, strict=True)
    bare = _plain_reply(shown)
    openings = _find_openings(bare, forms)
    if any(bare.startswith("\n", one.end()) for one in openings):
        bare = _join_arguments(bare, forms)
        openings = _find_openings(bare, forms)
    chosen = choose_answer(bare, _candidates(bare, openings, forms))
    value = chosen.value if chosen else None
    return Parsed(value, strict=value is not None and value == exactly)


def _candidates(
    bare: str, openings: list[re.Match[str]], forms: Sequence[CommandForm]
) -> list[Candidate[Command]]:
    """Return what begins like a command, in order; what is offered with "or" is one of them."""
    candidates: list[Candidate[Command]] = []
    while openings:
        opening = openings.pop()
        said, found = _match_form(bare, opening, forms)
        after = candidates[-1].start if candidates else len(bare)
        if (found is opening and _is_in_sentence(bare, found)) or (
            said and _is_placeholder(said, found)
        ):
            continue
        if said is None and not bare[found.end() : after].strip(" :=-"):
            continue  # it announces the next command
        start, two = found.start(), False
        while openings:
            other, before = _match_form(bare, openings[-1], forms)
            if other and before.end() >= found.end():
                # One form may hold the beginning of another: the whole command is the longer one.
                said, found = other, before
            elif said and (first := _before_or(bare, before.start(), start, forms)):
                two = two or first != Command(said.name, _read_arguments(said, found))
            elif not _EITHER.fullmatch(bare, before.end(), start):
                break
            start = before.start()
            openings.pop()
        value = Command(said.name, _read_arguments(said, found)) if said and not two else None
        candidates.append(Candidate(start, found.end(), value))
    return candidates[::-1]


def _match_form(
    bare: str, opening: re.Match[str], forms: Sequence[CommandForm]
) -> tuple[CommandForm | None, re.Match[str]]:
    """Return the form that begins at an opening, or none, and as much of its text as fits."""
    begun = opening
    for form in forms:
        if found := form._loose.match(bare, opening.start()):
            return form, found
        begun = form._body.match(bare, opening.start()) or begun
    return None, begun


# "X or Y" gives no command, however both are written.
_OR = re.compile(
    r"[ ,;.]*(?:\bor\b|/)[^A-Za-z0-9\n]{0,9}(?:(?:maybe|perhaps|else) ?)?", re.IGNORECASE
)
_TALK = re.compile(r" ?(?:[a-z]{2}|[.!?\n]|$)", re.IGNORECASE)


def _before_or(bare: str, start: int, end: int, forms: Sequence[CommandForm]) -> Command | None:
    """Return the command that begins at a place and ends with "or" before another; else None."""
    for form in forms:
        if (found := form._body.match(bare, start)) and _OR.fullmatch(bare, found.end(), end):
            return Command(form.name, _read_arguments(form, found))
    return None


def _is_in_sentence(bare: str, opening: re.Match[str]) -> bool:
    """Return whether a beginning stands inside a sentence and words follow it, no argument."""
    line = bare[bare.rfind("\n", 0, opening.start()) + 1 : opening.start()]
    return re.search("[a-z]", line, re.IGNORECASE) is not None and (
        _TALK.match(bare, opening.end()) is not None
    )


# What is said of the first of two such commands is said of both: "not X or Y".
_EITHER = re.compile(r"[^.!?;\n]{0,80}?\bor[^A-Za-z0-9]{0,9}", re.IGNORECASE)


def _is_placeholder(form: CommandForm, found: re.Match[str]) -> bool:
    """Return whether a command is only the form, repeated as it was shown."""
    return bool(form._placeholder) and _read_arguments(form, found) == form._placeholder


@cache
def _opening_pattern(forms: tuple[CommandForm, ...]) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return the expression for the beginning of any form, and the first signs of each."""
    either = "|".join(
        sorted({_build_spaced_pattern(form._opening) for form in forms}, key=len)[::-1]
    )
    firsts = {re.findall(r"[A-Za-z]+|.", form._opening)[0] for form in forms}
    return re.compile(rf"(?<![a-z])(?:{either})", re.IGNORECASE), tuple(sorted(firsts))


def _find_openings(bare: str, forms: Sequence[CommandForm]) -> list[re.Match[str]]:
    """Return all places where a form begins, in order."""
    pattern, firsts = _opening_pattern(tuple(forms))
    start = 0
    if bare.isascii():
        # Before the first word of a form no expression needs to be tried. (Other letters than those
        # of ASCII may match these where case is ignored.)
        lower = bare.lower()
        places = [place for first in firsts if (place := lower.find(first)) >= 0]
        if not places:
            return []
        start = max(0, min(places) - 1)
    return list(pattern.finditer(bare, start))


def _read_arguments(form: CommandForm, found: re.Match[str]) -> tuple[Any, ...]:
    return tuple(kind.read(text) for kind, text in zip(form._fields, found.groups(), strict=True))


def format_forms(forms: Sequence[CommandForm]) -> str:
    """Return the forms for a prompt, one a line."""
    return "\n".join(form.show_form() for form in forms)
