"""Strip emphasis, quotes, typographic signs and LaTeX from a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from facelet.generators.core.compiled_parts import load_compiled

_part = load_compiled("facelet.generators.core._reading")

_SIGNS: dict[int, str | None] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{
        ord(sign): " "
        for sign in '*`$"\u201c\u201d\u00ab\u00bb\u300c\u300d\u300e\u300f\uff02\uff04\uff0a\uff40'
    },
    # Chinese and Japanese write no blank behind a sign that ends something.
    **{
        ord(sign): f"{plain} "
        for sign, plain in zip("\u3002\uff01\uff1f\uff1b\uff0c\u3001", ".!?;,,", strict=True)
    },
    0x3010: "[",
    0x3011: "]",
    0x2018: "'",
    0x2019: "'",
    0x2032: "'",
    0x200B: None,
}
"""Decoration becomes a blank; full-width and typographic signs become the plain ones."""
_SIGNS |= dict.fromkeys((*range(0x2600, 0x2794), *range(0x1F300, 0x1FB00), 0xFE0F), " ")
_BLANKS = re.compile(r"[^\S\n]+")
_NEWLINES = re.compile(r" ?\n[ \n]*")


_RUNS = re.compile(" {2,}")


class _SignTable(NamedTuple):
    """What signs become, and the same for ASCII, blanks included, as `bytes.translate` takes it."""

    signs: Mapping[int, str | None]
    ascii: bytes


def _sign_table(signs: Mapping[int, str | None]) -> _SignTable:
    every = (_BLANKS.sub(" ", chr(code).translate(signs)) for code in range(128))
    return _SignTable(signs, "".join(every).encode().ljust(256))


_PLAIN = _sign_table(_SIGNS)
_PLAINER = _sign_table(_SIGNS | {ord("_"): " ", 0xFF3F: " "})


def squeeze_text(text: str, plain: _SignTable) -> str:
    """Return the text in plain signs, with single blanks and single newlines."""
    if text.isascii():
        # The same in a third of the time: nearly all replies are ASCII.
        text = text.encode().translate(plain.ascii).decode()
        if "  " in text:
            text = _RUNS.sub(" ", text)
    else:
        text = _BLANKS.sub(" ", text.translate(plain.signs))
    return (_NEWLINES.sub("\n", text) if "\n" in text else text).strip()


def plain_text(text: str) -> str:
    """Return a text without emphasis, quotes and typographic signs, blanks and line ends single."""
    squeezed: str | None = _part.squeezed(text, False) if _part else None
    return squeeze_text(text, _PLAIN) if squeezed is None else squeezed


def bare_text(text: str) -> str:
    """Return a plain text without underscores, in lower case."""
    squeezed: str | None = _part.squeezed(text, True) if _part else None
    return squeeze_text(text, _PLAINER).lower() if squeezed is None else squeezed


_LATEX = re.compile(
    r"(?P<line>\\\\|\\n(?=[^a-z])|\\(?:begin|end) ?\{[a-z*]{1,16}\})|\\(?P<sign>[_&%#])"
    r"|\\(?:boxed|fbox|text[a-z]{0,3}|math[a-z]{2}|quad|qquad|rightarrow|Rightarrow|to)\b|\\"
)


def without_latex(text: str) -> str:
    """Return a text without LaTeX's commands: arrays, boxes, fonts; their line ends are kept."""
    if "\\" not in text:
        return text
    return _LATEX.sub(lambda found: "\n" if found["line"] else found["sign"] or " ", text)


def squeeze_blanks(blanks: re.Pattern[str], text: str) -> tuple[str, str]:
    """Return a text with single blanks, and the same with its line ends at the same places.

    An answer may be found in the first, and `mentioned` is asked of the second.

    Args:
        blanks: what becomes one blank.
        text: the text.
    """
    lines = blanks.sub(lambda found: "\n" if "\n" in found[0] else " ", text)
    return lines.replace("\n", " "), lines
