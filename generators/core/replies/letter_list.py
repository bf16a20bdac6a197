r"""Read the letters that a reply assigns to the blanks of a plan.

The requested form is a last line "Answer: B, A". A list of letters is read wherever a reply
announces one, keyed by the number of the blank or of its step, or stands alone at the end or the
beginning. The rules of core.replies.boundary hold: thoughts do not count, only the tail is read,
nothing is guessed, time is linear. A list with a letter too few, a letter too many, or a choice
between two gives no answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from facelet.generators.core.memoization import memoize_short
from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.labels import turns_nothing
from facelet.generators.core.replies.letter import read_choice
from facelet.generators.core.replies.mentions import is_mentioned, select_given
from facelet.generators.core.replies.plain_text import plain_text, without_latex

FORM = "Answer: {}"
"""The requested form of the last line, as prompts show it; {} stands for the letters."""
JOINT = ", "
"""What stands between two letters."""
_STRICT = re.compile(rf"(?:\A|\n){FORM.format(f'([A-J](?:{JOINT}[A-J]){{0,9}})')}\Z")
_LETTER = r"(?:(?:option|choice|letter) )?[(\[{<]{0,2} ?[A-J] ?[)\]}>]{0,2}(?![\w'])"
_ASIDE = r"(?: ?\([^()\n]{2,160}\))?"
_BETWEEN = (
    rf"{_ASIDE} ?(?:,? and|,? then|[,;/|&+]|[-=]?>|[\u2192\u2013-]|\n)?(?: ?\n)? ?(?:[-+\u2022|] )?"
)
_LIST = rf"{_LETTER}(?:{_BETWEEN}{_LETTER}){{0,9}}"
_GLUED = r"(?-i:[A-J]{2,10})(?!\w)"
# What shows that the last letter is whole: the end, a sign, or words that give reasons.
_WHOLE = (
    r"(?= ?(?:$|[\n)\]}>.,:;!=(|<\u2013\u2014\u2192-]"
    r"|(?:because|since|as|so|in (?:that|this|the) order|respectively|for|not|rather"
    r"|and (?:the )?(?:blank|gap|step|first|second|third|fourth|fifth|last|[0-9]))\b))"
    r"(?! ?(?:or\b|/|\|\|) ?[(\[]?[A-J](?!\w))"
)
_ANNOUNCED = re.compile(
    r"(?<!\w)(?:answers?|choices?|solution|selections?|options(?= are)|\u7b54\u6848|antwort"
    r"|respuesta|r\u00e9ponse|risposta|(?:filling|letters?|sequence|order)(?= ?:)"
    r"|missing steps?|(?:blanks?|gaps?)(?: (?:should|must|can|are|is|to|be)){1,3} filled"
    r" (?:with|by)"
    r"|(?<!not )fill(?: in)? the (?:blanks|gaps) with"
    r"|(?<![0-9] )(?<![0-9], )i(?: ?'d| would| will| ?'ll)? (?:choose|pick|select|go with|fill in"
    r"|answer|say))"
    r"(?:,? (?:is|are|would be|should be|letters?|options?|in order|the|for the(?: \w+)? blanks?))*"
    rf" ?(?:[:=\u2013\u2014\u2192-]>?)?(?: ?\n)? ?(?:[-+\u2022|>] )?[(\[{{<]{{0,2}} ?"
    rf"(?P<list>{_GLUED}|{_LIST}){_WHOLE}",
    re.IGNORECASE,
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_NOUN = r"(?:blank|gap|slot|hole|position|space|missing step)"
_KEY = (
    r"(?:the )?(?:"
    rf"step[ _]?#?(?P<step>[0-9]{{1,2}})(?: ?\(? ?{_NOUN} ?[0-9] ?\)?)?"
    rf"|{_NOUN}[ _-]?(?:no\.? ?|number |#)?\(?(?P<named>[0-9]{{1,2}})(?: ?\([^()\n]{{1,40}}\))?"
    rf"|(?P<ordinal>{'|'.join(_ORDINALS)})(?: (?:{_NOUN}|one))?"
    r"|[(\[#]?(?P<number>[0-9]{1,2})(?= ?(?:[:.)\]=|>\u2192\u2013\u2014-]))"
    r")"
)
_KEYED = re.compile(
    rf"(?<![\w.]){_KEY}(?: ?(?:[:.)\]=|>\u2192\u2013\u2014-]"
    r"|(?:is|gets|takes|needs|should be|goes with|with|,? ?i (?:choose|pick|use))\b))"
    r"{1,4} ?(?:(?:answer|option|choice|letter) ?[:=]? ?)?[(\[{<]{0,2} ?"
    rf"(?P<letter>[A-J]) ?[)\]}}>]{{0,2}}(?![\w']){_WHOLE}",
    re.IGNORECASE,
)
_PLACED = re.compile(
    r"(?<![\w'])(?<!or )(?:(?<!could )(?<!might )(?<!not )(?<!never )(?:put|place|use) |(?<!put )"
    r"(?<!place )(?<!use ))(?:option )?(?P<letter>[A-J])(?: (?:belongs|goes|fits|comes))?"
    rf" (?:in|into|for) {_KEY}(?!\w)",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r" ?(?:or|/|\|\||&|and|,)[ (\[]{0,2}[A-J](?![\w'])(?! ?[)\]]? ?[:.=>-])", re.IGNORECASE
)
_LABEL = r"(?:[|>] ?|[-+\u2022] )?(?:(?:options?|letters?|answers?|choices?) ?[:|]? ?)?"
_LAST = re.compile(rf"(?:\A|\n){_LABEL}(?P<list>{_LIST})[ .,!|}}\]]{{0,4}}\Z", re.IGNORECASE)
_FIRST = re.compile(rf"\A{_LABEL}(?P<list>{_LIST})[ .!|}}\]]{{0,4}}(?=\n)", re.IGNORECASE)
_ALONE = re.compile(rf"(?:[-+\u2022|] ?)?{_LETTER}[ .!|]{{0,3}}", re.IGNORECASE)
_ONE = re.compile(r"(?<![A-Za-z'])[A-J](?![A-Za-z'])")
_WORDS = re.compile(r"\([^()\n]{2,160}\)|\b(?:option|choice|letter|and|then)\b", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(?:final_?)?(answers?|output|result|solution)>", re.IGNORECASE)
_OTHER = re.compile(r"</?[A-Za-z][A-Za-z0-9_]{2,20} ?/?>")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_BOX = re.compile(r"(?<![:=>-])(?<![:=>-] )(?<!is )(?<!are )\\boxed ?\{")
_QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")
_RULE = re.compile(r"(?:\n\|? ?:?--[-:| ]*)+(?=\n|\Z)")


_NEAR = 80
"""Characters before a list in which another one may stand beside it."""
_NAMED = re.compile(r"(?<![A-Za-z])([A-J])[).:]{0,2} ?[(:=-]? ?\Z")


def read_letters(
    reply: str, gaps: Sequence[int], options: Sequence[str] = ()
) -> Parsed[tuple[str, ...]]:
    """Return the letters that a reply gives, one for each blank, or None.

    Args:
        reply: the reply; any string.
        gaps: the numbers of the steps that are blank, from 1, in order.
        options: what the letters stand for; a letter beside another option's text is no answer.
    """
    parsed = _read_letters(reply, tuple(gaps))
    if parsed.value is None or parsed.strict:
        return parsed
    return (
        Parsed(None, strict=False) if _clashes(plain_text(visible_text(reply)), options) else parsed
    )


def _clashes(text: str, options: Sequence[str]) -> bool:
    """Return whether a letter stands right before the text of another option."""
    for letter, option in zip("ABCDEFGHIJ", map(plain_text, options), strict=False):
        for part in text.split(option)[:-1]:
            if (named := _NAMED.search(part[-8:])) and named[1] != letter:
                return True
    return False


@memoize_short
def _read_letters(reply: str, gaps: tuple[int, ...]) -> Parsed[tuple[str, ...]]:
    shown = visible_text(reply)
    exact = _STRICT.search(shown)
    if exact and not is_mentioned(shown, shown.rfind("Answer"), len(shown)):
        letters = tuple(exact[1].split(JOINT))
        announced = list(_ANNOUNCED.finditer(shown, max(0, exact.start() - _NEAR)))
        whole = len(letters) == len(gaps) and not _differ(shown, announced, len(gaps))
        return Parsed(letters, True) if whole else Parsed(None, False)
    given_letters = _read_loose(_plain_reply(shown), gaps)
    if given_letters is None and len(gaps) == 1 and (one := read_choice(reply).value):
        given_letters = (one,)
    return Parsed(given_letters, strict=False)


def _plain_reply(shown: str) -> str:
    """Return a visible reply without decoration; what tags and boxes hold is announced."""
    text = shown
    if "<" in text:
        text = _BREAK.sub("\n", text)
        text = _TAG.sub(lambda tag: "\n" if tag[1] else "\nanswer: ", text)
        text = _OTHER.sub(" ", text)
    if "\\" in text:
        text = without_latex(_BOX.sub("answer: {", text))
    return _RULE.sub("", _QUOTE.sub(" ", plain_text(text.replace("_", " "))))


def _read_loose(bare: str, gaps: tuple[int, ...]) -> tuple[str, ...] | None:
    announced = [said for said in _ANNOUNCED.finditer(bare) if not _is_spoken_of(bare, said)]
    if announced:
        return (
            None
            if _differ(bare, announced, len(gaps))
            else _list_letters(announced[-1]["list"], len(gaps))
        )
    keyed, whole = _by_keys(bare, gaps)
    if keyed:
        return whole
    for form in (_LAST, _FIRST):
        found = form.search(bare)
        if found and not _is_spoken_of(bare, found) and not _goes_on(bare, found):
            return _list_letters(found["list"], len(gaps))
    return None


def _differ(bare: str, announced: Sequence[re.Match[str]], blanks: int) -> bool:
    """Return whether the last two lists stand side by side, and say different things."""
    if len(announced) < 2:
        return False
    one, last = announced[-2:]
    said = _list_letters(one["list"], blanks)
    differ = said and said != _list_letters(last["list"], blanks)
    return bool(differ) and turns_nothing(bare, one.end(), last.start("list"))


def _is_spoken_of(bare: str, said: re.Match[str]) -> bool:
    return is_mentioned(bare, *said.span())


def _list_letters(text: str, blanks: int) -> tuple[str, ...] | None:
    """Return the letters of a list, if there is one for each blank."""
    letters = tuple(
        text if text.isupper() and text.isalpha() else _ONE.findall(_upper_letters(text))
    )
    return letters if len(letters) == blanks else None


def _upper_letters(text: str) -> str:
    """Return a list of letters in upper case, without asides and words."""
    return _WORDS.sub(" ", text).upper()


def _goes_on(bare: str, found: re.Match[str]) -> bool:
    """Return whether the line before or behind a list is one more letter of it."""
    above = bare[: found.start()].rsplit("\n", 1)[-1]
    below = bare[found.end() :].lstrip("\n").split("\n", 1)[0]
    return any(_ALONE.fullmatch(line) is not None for line in (above, below))


def _by_keys(bare: str, gaps: tuple[int, ...]) -> tuple[bool, tuple[str, ...] | None]:
    """Return whether letters have keys, and the letters if each blank has one.

    The last letter of a key counts. A key that is none of the blanks, or has a choice of letters,
    spoils the list: it says something that was not understood.
    """
    found: dict[int, str] = {}
    keyed = list(_PLACED.finditer(bare)) or list(_KEYED.finditer(bare))
    for entry in select_given(bare, keyed):
        place = _blank_index(entry, gaps)
        several = entry.re is _KEYED and _SEVERAL.match(bare, entry.end())
        found[place] = "" if several else entry["letter"].upper()
    letters = tuple(found.get(place, "") for place in range(len(gaps)))
    whole = all(letters) and len(found) == len(gaps)
    return bool(found), letters if whole else None


def _blank_index(entry: re.Match[str], gaps: tuple[int, ...]) -> int:
    """Return which blank a key names, from 0; -1 if it names none."""
    if entry["ordinal"]:
        place = _ORDINALS.index(entry["ordinal"].lower())
    elif entry["step"]:
        step = int(entry["step"])
        return gaps.index(step) if step in gaps else -1
    else:
        place = int(entry["named"] or entry["number"]) - 1
        if place >= len(gaps) and place + 1 in gaps and entry["number"]:
            return gaps.index(place + 1)
    return place if 0 <= place < len(gaps) else -1
