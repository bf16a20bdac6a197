r"""Forms: the one-line commands that a player of a game gives, written as templates.

    Form("query", "My Query: {int}, {int}, {int}")
    Form("answer", "My Answer: {ints}")

A template is plain text with fields in braces: {int} a whole number, {ints} one or more of them,
{word} letters, {words} one or more words, {pairs} one or more pairs of numbers such as 1-2, {bits}
zeros and ones, {symbols} signs without blanks, {left|right} one of these words. Fields become int,
str, tuple[int, ...] or, for words and pairs, tuple[str, ...]; words keep the spelling of the
template where it lists them.

What of a reply is read: thoughts do not count (see facelet.generators.core.answers). The last place
where a form's beginning (the text before its first field) stands is the command, wherever it
stands in its line; what stands there must be the whole form, and what follows it in its line must
not look like one more argument. So a command with a reason behind it is read, one with a number too
many is not. A command that is negated, supposed, asked or quoted does not count (see
facelet.generators.core.mentions), and then the one before it does. Emphasis, boxes, brackets,
quotes and the number of blanks do not matter. A reply is strict if its last line is the command and
nothing else, spelled like the template. Time is linear in the bounded tail of the reply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from facelet.generators.core.answers import Parsed, plain, visible
from facelet.generators.core.mentions import mentioned

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
class Said:
    """A command that was read: the name of its form, and its arguments in order."""

    form: str
    args: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Field:
    loose: str
    exact: str
    read: Callable[[str], Argument]


def _ints(text: str) -> tuple[int, ...]:
    return tuple(map(int, _words(text)))


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.replace(",", " ").split() if word.lower() != "and")


def _several(one: str) -> _Field:
    return _Field(
        rf"{one}(?:{_SEPARATOR}{one}){{0,{MOST - 1}}}",
        rf"{one}(?:,? {one}){{0,{MOST - 1}}}",
        _ints if one is _INT else _words,
    )


_FIELDS: dict[str, _Field] = {
    "int": _Field(_INT, _INT, int),
    "ints": _several(_INT),
    "word": _Field(_WORD, _WORD, str),
    "words": _several(_WORD),
    "pairs": _several(_PAIR),
    "bits": _Field(r"[01]{1,512}", r"[01]{1,512}", str),
    "symbols": _Field(r"[^\s,.;:!?]{1,64}", r"[^\s]{0,63}[^\s,.;:!?]", str),
}
_BRACES = re.compile(r"\{([^{}]*)\}")
# Brackets become blanks, so "My Query: [1, 2, 3]" and \boxed{My Query: 1, 2, 3} are read.
_BRACKETS = {ord(sign): " " for sign in "()[]{}"} | {ord("\\"): " ", ord("_"): " "}
_COMMAS = {0xFF0C: ",", 0x3001: ","}
_BOXED = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf)\b")
_BLANKS = re.compile(r" {2,}")
# What may follow a command in its line: nothing, a sign, or words, but no further argument. After a
# word only such words may follow as give a reason: another one could belong to the command.
_END = r"(?= ?$| ?[.;!?:|\u2013\u2014\u2192-]+(?: |$)(?! ?[0-9])"
_REASON = (
    r",? (?:because|since|as|to|for|this|it|so|and then|which"
    r"|not|rather than|instead of|but)\b)"
)
_AFTER_NUMBER = _END + r"|,? (?!(?:and|or|to|through) ?[+-]?[0-9])[a-z])"
_AFTER_WORD = _END + "|" + _REASON


@dataclass(frozen=True, slots=True)
class Form:
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
    _fields: tuple[_Field, ...] = field(init=False, repr=False, compare=False)
    _exact: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _loose: re.Pattern[str] = field(init=False, repr=False, compare=False)
    _opening: str = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile the template.

        Raises:
            ValueError: it names an unknown field, or begins with one.
        """
        pieces = _BRACES.split(self.template)
        opening = _bare(pieces[0]).strip().lower()
        if not opening:
            raise ValueError(f"the template {self.template!r} must begin with text")
        fields = tuple(_field(name, self.template) for name in pieces[1::2])
        exact = "".join(
            re.escape(text) + (f"({fields[k].exact})" if k < len(fields) else "")
            for k, text in enumerate(pieces[::2])
        )
        loose = "".join(
            _spaced(text, between=0 < k < len(fields))
            + (f"({fields[k].loose})" if k < len(fields) else "")
            for k, text in enumerate(pieces[::2])
        )
        numbers = pieces[-2:-1] in (["int"], ["ints"], ["pairs"], ["bits"])
        after = _AFTER_NUMBER if numbers else _AFTER_WORD
        object.__setattr__(self, "_fields", fields)
        object.__setattr__(self, "_exact", re.compile(exact))
        object.__setattr__(self, "_loose", re.compile(loose + after, re.IGNORECASE | re.M))
        object.__setattr__(self, "_opening", opening)

    def write(self, *args: Argument) -> str:
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

    def first(self, text: str) -> str | None:
        """Return the first place of a text that is this command to the letter, as it is written.

        What stands before it and behind it does not matter; of blanks behind its opening there may
        be any number.
        """
        opening = _BRACES.split(self.template)[0].rstrip()
        place = text.find(opening)
        while place >= 0:
            rest = text[place + len(opening) : place + len(opening) + _LONGEST].lstrip()
            blank = " " if self.template[len(opening) : len(opening) + 1] == " " else ""
            if found := self._exact.match(opening + blank + rest):
                return found[0]
            place = text.find(opening, place + 1)
        return None

    def show(self) -> str:
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


def _field(name: str, template: str) -> _Field:
    if "|" in name:
        listed = {word.lower(): word for word in name.split("|")}
        either = "|".join(map(re.escape, sorted(listed.values(), key=len, reverse=True)))
        return _Field(rf"(?:{either})(?!\w)", f"(?:{either})", lambda text: listed[text.lower()])
    if name not in _FIELDS:
        known = ", ".join(_FIELDS)
        raise ValueError(f"{template!r} has the unknown field {name!r}; use {known}, or a|b|c")
    return _FIELDS[name]


def _bare(text: str) -> str:
    """Return a template's text as `_squeezed` leaves it in a reply."""
    return _BLANKS.sub(" ", plain(text).translate(_BRACKETS))


def _spaced(text: str, *, between: bool = False) -> str:
    """Return the expression for a template's text, where blanks may be more, fewer or missing.

    Args:
        text: the text.
        between: whether it stands between two fields, where a comma may be a blank.
    """
    signs = re.findall(r"\w+|[^\w\s]", _bare(text))
    if between and signs in ([], [","]):
        return _SEPARATOR
    return " ?" + " ?".join(map(re.escape, signs)) + (" ?" if signs else "")


def _squeezed(shown: str) -> str:
    """Return a visible reply without decoration and brackets, blanks single, lines kept."""
    return _BLANKS.sub(" ", plain(_BOXED.sub(" ", shown)).translate(_BRACKETS | _COMMAS))


def read(text: str, forms: Sequence[Form]) -> Parsed[Said]:
    """Return the command that a reply gives, or None when it gives none that can be read.

    Args:
        text: the reply; any string.
        forms: the forms that are allowed, no two of which fit the same text.
    """
    shown = visible(text)
    last = shown[shown.rfind("\n") + 1 :].strip()
    for form in forms:
        exact = form._exact.fullmatch(last)
        if exact and not mentioned(shown, len(shown) - len(last), len(shown)):
            return Parsed(Said(form.name, _values(form, exact)), strict=True)
    bare = _squeezed(shown)
    openings = list(_openings(tuple(forms)).finditer(bare))
    while openings:
        said, found = _whole(bare, openings.pop(), forms)
        start = found.start()
        while openings:
            other, before = _whole(bare, openings[-1], forms)
            if other and before.end() >= found.end():
                # One form may hold the beginning of another: the whole command is the longer one.
                said, found = other, before
            elif not _EITHER.fullmatch(bare, before.end(), start):
                break
            start = before.start()
            openings.pop()
        if not mentioned(bare, start, found.end()):
            return Parsed(Said(said.name, _values(said, found)) if said else None, strict=False)
    return Parsed(None, strict=False)


def _whole(
    bare: str, opening: re.Match[str], forms: Sequence[Form]
) -> tuple[Form | None, re.Match[str]]:
    """Return the form that begins at an opening and its text; none and the opening if none does."""
    for form in forms:
        if found := form._loose.match(bare, opening.start()):
            return form, found
    return None, opening


# What is said of the first of two such commands is said of both: "not X or Y".
_EITHER = re.compile(r"[^.!?;\n]{0,80}?\bor[^A-Za-z0-9]{0,9}", re.IGNORECASE)


@cache
def _openings(forms: tuple[Form, ...]) -> re.Pattern[str]:
    """Return the expression for the beginning of any form."""
    either = "|".join(sorted({_spaced(form._opening) for form in forms}, key=len)[::-1])
    return re.compile(rf"(?<![a-z])(?:{either})", re.IGNORECASE)


def _values(form: Form, found: re.Match[str]) -> tuple[Any, ...]:
    return tuple(kind.read(text) for kind, text in zip(form._fields, found.groups(), strict=True))


def listing(forms: Sequence[Form]) -> str:
    """Return the forms for a prompt, one a line."""
    return "\n".join(form.show() for form in forms)
