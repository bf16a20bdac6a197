r"""Read written answers whole: a list of operations, or a code.

A `Grammar` says how one item looks: an operation, a move, the code of a state. A run is one or more
items with nothing but joints between them: commas, arrows, numbers, "and then". A run is an answer
where it is alone in its line or is announced, and only a reason, or nothing, follows it in its
sentence; so is the only run of a reply. Runs of neighboring lines make one list where each has a
number, a bullet or a single item. The last answer counts.

No fragment is ever picked: where an item cannot be read, numbers are out of order, two lists are
side by side, or more that reads as an item follows, there is no answer. All expressions are linear
and look at bounded text around a run, so the time grows with the length of the reply alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.mentions import is_mentioned

_LONGEST = 1 << 20
"""Characters of a reply that are read."""
_NEAR = 240
"""Characters before and behind a run that are looked at."""
_HEADED = 9
"""More characters than _HEADING ever takes."""

PRIMES = dict.fromkeys(
    map(ord, "`\u2019\u2018\u00b4\u2032\u02b9\u02bc\u02c8\u055a\u201b\uff07\uff40"), "'"
)
"""Signs that are written for an apostrophe."""
_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {0x3001: ","}
_SIGNS: dict[int, str | None] = (
    _WIDE
    | dict.fromkeys(map(ord, '*"$\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u3010\u3011[]{'), " ")
    | {0x3002: ". ", 0xFF1A: ": ", 0xB2: "2", 0x200B: None, 0xFE0F: None, ord("}"): "\n"}
    | PRIMES
    | dict.fromkeys((0x2010, 0x2011, 0x2212), "-")
    | dict.fromkeys((*range(0x2600, 0x2794), *range(0x1F300, 0x1FB00)), " ")
)
_JSON_SIGNS = _WIDE | {
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e"), '"'),
    **dict.fromkeys(map(ord, "\u2018\u2019"), "'"),
}
_NUMBER = (
    r"(?<![\w'])(?:(?:(?:step|move|operation|rotation|turn|no\.?|number|#) ?#?)?\(?([0-9]{1,6}) ?"
    r"(?:[.:)|]|-(?= )|[-=]?>|\u2192)[:|]? ?)"
)
_ORDER = (
    r"(?:(?:(?:and|then|next|finally|lastly|last|after (?:that|this)|afterwards|followed by"
    r"|first(?:ly)?|second(?:ly)?|third(?:ly)?|fourth|fifth|sixth)\b[,:]? ?){1,3}"
    r"(?:(?:apply|use|do|perform|by|an?|the) ){0,2})"
)
_JOINT = (
    rf" ?(?:(?:[,;/|&+>\u2192\u21d2\u2022\u00b7()]{{1,2}}|[-=]{{1,2}}>|\.(?= ?{_ORDER})) ?){{0,2}}"
    rf"{_ORDER}?(?:{_NUMBER})?".replace("([0-9]", "(?:[0-9]")
)


_Rules = tuple[tuple[str, re.Pattern[str] | None, re.Pattern[str], str], ...]
"""A sign that every match contains, what else is found in little time, an expression, and the
replacement."""


def _compile_rules(*rules: tuple[str | re.Pattern[str], str, str]) -> _Rules:
    flags = re.MULTILINE | re.IGNORECASE
    return tuple(
        (sign, None, re.compile(expression, flags), text)
        if isinstance(sign, str)
        else ("\n", sign, re.compile(expression, flags), text)
        for sign, expression, text in rules
    )


_DECORATION = _compile_rules(
    ("`", r"```[a-z]{0,12}", "\n"),
    ("`", r"(?<![\w'`])`([^`\n]*)`", r" \1 "),
    ("<", r"</?[a-z]\w{0,20} ?/?>", "\n"),
    ("^", r"\^ ?\{?(?:\\prime|'|-1)\}?", "'"),
    ("^", r"\^ ?\{?2\}?", "2"),
    ("\\", r"\\(?:boxed|text\w{0,9}|math\w{0,9}|fbox|q?quad|[,;:! ()\[\]{}])", " "),
    ("\\", r"\\(?:to|rightarrow)\b", "\u2192"),
    ("\\", r"\\\\|\\n(?![a-z])", "\n"),
    ("\\", r"\\", ""),
    # The next key of an object begins a line.
    (
        ":",
        r",\s{0,99}[\"'\u201c-\u201f\u2018\u2019](\w[\w ]{0,40})[\"'\u201c-\u201f\u2018\u2019] ?:",
        r"\n\1:",
    ),
)
_LAYOUT = _compile_rules(
    # Quotes around an item or a line: apostrophes inside stay.
    ("'", r"'(?<![\w')]')([^'\n]{1,400}'?)'(?= ?(?:[,.:]|$))", r"\1"),
    ("'", r"'(?<![^\n]')([^\n]{1,4000})'$", r"\1"),
    (
        re.compile(r"[\n|](?:(?<=\n) ?[|>#,]|(?<=[ |]\n)|(?<=\|)\Z)"),
        r"^ ?(?:[|>#] ?){1,9}|(?: ?\|| )$|^ ?,",
        "",
    ),
    (re.compile(r"\n[\n ]"), r"\n[\n ]*", "\n"),
    (
        re.compile(r"\n(?=\w+ ?:)"),
        r"^\W*(?:step|number|index)\W{1,4}[0-9]{1,6}\W{0,4}\n(?=\w+ ?:)",
        "",
    ),
    (
        re.compile(r"\n(?<=[^a-zA-Z][.:)|>\u2192 ]\n)"),
        rf"^({_NUMBER})\n",
        r"\1 ",
    ),
)
_JSON = _compile_rules(
    ("", r"^ {0,9}(?:> ?){1,9}|\*\*|\\(?=')", ""),
    ("", r"\u00ab ?| ?\u00bb", '"'),
    ("//", r"(?<=[\[,\"'])[ \t]{1,9}//[^\n]{0,400}$", ""),
    ("#", r"(?<=[\[,\"'])[ \t]{1,9}#[^\n]{0,400}$", ""),
    (",", r",(?=\s{0,99}[\]}])", ""),
)
_SENTENCE = re.compile(
    r"[.!?;] (?<![\s(][0-9][.!?;] )(?<![\s(][0-9][0-9][.!?;] )|, (?=(?:so|but) )"
)
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S \n]")
_LABEL = re.compile(_NUMBER, re.IGNORECASE)
_MARK = re.compile(
    rf"[-+\u2022\u00b7 ]{{0,9}}(?:(?:so|thus|hence|therefore),? )?"
    rf"(?:{_NUMBER}|(?P<order>{_ORDER}))?"
    r"(?:(?:apply|use|do|perform|turn|rotate|make) )?",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?::|\banswer) ?\n\Z", re.IGNORECASE)
"""How a line ends that is the heading of the next one."""
_ANNOUNCING = re.compile(
    r"\banswer[ \n]*\Z|(?:\b(?:is|are|be|was|becomes?)(?: (?:as follows|simply|then|therefore|thus"
    r"|now))?|[:=]) ?:?[ \n]*(?:[-+\u2022\u00b7] )?\Z",
    re.IGNORECASE,
)
_ANNOUNCED = 64
"""More characters than these words ever take."""
_NOUN = re.compile(
    r"\b(?:answer|corrections?|corrected|list|results?|operations?|sequence|moves?|rotations?"
    r"|solution|order)\b",
    re.IGNORECASE,
)
_STATE_NOUN = re.compile(
    rf"{_NOUN.pattern}|\b(?:codes?|shape|cube|output|state|comes? out|becomes?)\b", re.IGNORECASE
)
_STATED = re.compile(
    r"\b(?:becomes?|(?:shape|cube|state) (?:at|after)(?: \w{1,12}){1,4} (?:is|was))\b",
    re.IGNORECASE,
)
_DEFINED = re.compile(r" ?: (?:(?:the|each|every|all) |[a-z] ?(?:,|\n|\Z))")
"""Behind the name of an operation what it does, behind that of a face its stickers."""
_LAST = re.compile(r"\b(?:last|final|finally|all)\b", re.IGNORECASE)
_SUPPOSED = re.compile(
    r"[0-9] ?(?:x|times) ?\Z|\b(?:first|second|third|fourth|fifth|next|last) (?:move|operation"
    r"|rotation|step|turn)\b|\b(?:examples?|like|options?|before|attempt|try|tried)\b|\b(?:start(?:ing|s)?|beginning|initial"
    r"|original|given)(?: \w{1,12})?(?: is| was)? ?:?[ \n]*\Z",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"\b(?:apply|use|perform|do|turn|make|play|choose|pick|give|with|carry out|settle on|it is|but"
    r"|so) \Z",
    re.IGNORECASE,
)
_CLEAN = re.compile(
    r" ?\)?(?: ?[.!,;]?(?=\n|\Z)|[.!;:](?= )|,? ?\b(?:because|since|as|so|for|which|where"
    r"|not|rather than|instead of|in|respectively|leads?|works?|will|to|from|gives?|makes?"
    r"|brings?|takes?|is (?:the|a|my))\b| ?(?:[-\u2013\u2014:#|]|//) "
    r"| \((?!layer|[0-9]|twice|x ?[0-9]|or|repeat))",
    re.IGNORECASE,
)
_STEP = re.compile(r"\b(?:operation|move|rotation|turn|step)\W{1,4}\Z", re.IGNORECASE)
_WORD = re.compile(r"[a-z]{3,}")
_OR = re.compile(r"[\s,]*(?:or|alternatively|otherwise|either)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Grammar:
    """How the items of an answer are written.

    Attributes:
        item: the expression of one item in plain text, without groups.
        read: from items, one a line, to the answer as it is written here; raises ValueError if they
            are none.
        sure: the expression of what can be nothing but an item, or a part of one.
        loose: the expression of what reads as an item or a part of one, if no words are around it.
        opening: the expression of the first sign of an item, and of what is around it; it begins
            with a set of signs, which is found in little time.
        several: whether an answer may have several items.
    """

    item: str
    read: Callable[[str], str]
    sure: str
    loose: str
    opening: str
    several: bool = False


@dataclass(slots=True)
class _Run:
    """Items in a row, and what is around them.

    Attributes:
        items: what was read.
        role: "alone" in their line, "ordered" by a word such as "then", or "announced", all of
            which may be answers; "supposed" as an example is, "talk", or a "part" of what cannot be
            read.
        start: where they begin.
        end: where they end.
        begin: where their label begins, else `start`.
        stop: where the comment of a numbered item ends, else `end`.
        mark: what is before them in their sentence.
        numbers: their numbers, if they have any.
    """

    items: list[str]
    role: str
    start: int
    end: int
    begin: int
    stop: int
    mark: str
    numbers: list[int]


@lru_cache(maxsize=64)
def _compile_grammar(grammar: Grammar) -> tuple[re.Pattern[str], ...]:
    """Return the expressions of a run, an item, what is surely or loosely one, and its opening."""
    item = grammar.item
    # Two alternatives are found in less time than an optional bracket before the item.
    run = rf"(?:\( ?(?:{item})|(?:{item}))(?:(?i:{_JOINT})(?:{item}))*(?: ?\)(?![\w']))?"
    return tuple(map(re.compile, (run, item, grammar.sure, grammar.loose, grammar.opening)))


def read_written(reply: str, grammar: Grammar, *, reasoned: bool, count: int = 0) -> Parsed[str]:
    """Return the answer that a reply gives, as it is written here, or None.

    Strict: the answer alone, as it is written here; where reasoning is asked for, its last line.

    Args:
        reply: any string.
        grammar: how the answer is written.
        reasoned: whether reasoning may come first.
        count: how many items are asked for; 0 where that is not said.
    """
    said = visible_text(reply, _LONGEST)
    last = said[said.rfind("\n") + 1 :] if reasoned else said
    run, item, *_ = _compile_grammar(grammar)
    exact = run.match(said)
    if exact and exact.end() == len(said):
        if _read_items("\n".join(item.findall(said)), grammar) == said:
            return Parsed(said, strict=True)
    value = _find_answer(plain_items(said), grammar, count)
    return Parsed(value, strict=value is not None and last == value)


def _replace(text: str, rules: _Rules) -> str:
    for sign, near, pattern, instead in rules:
        if sign in text and (near is None or near.search(text)):
            text = pattern.sub(instead, text)
    return text


def plain_items(text: str) -> str:
    """Return a text in plain signs, blanks and line ends single, with a line end before it."""
    text = "\n" + _replace(text, _DECORATION).translate(_SIGNS)
    # Of all white space only blanks are printable.
    if "  " in text or not text.replace("\n", "").isprintable():
        text = _BLANKS.sub(" ", text)
    return "\n" + _replace(text, _LAYOUT).strip()


def plain_json(text: str) -> str:
    """Return a text in which JSON has the signs of JSON, in whatever it is wrapped."""
    return _replace(text if text.isascii() else text.translate(_JSON_SIGNS), _JSON)


def _read_runs(text: str, grammar: Grammar) -> Iterator[_Run]:
    """Yield the runs of a plain text."""
    run, item, sure, _, opening = _compile_grammar(grammar)
    end = 0
    for opens in opening.finditer(text):
        start = opens.start()
        if start < end:
            continue
        bracket = 2 if text.startswith("( ", start - 2) else int(text[start - 1] == "(")
        found = run.match(text, max(end, start - bracket)) or run.match(text, start)
        if not found:
            continue
        start, end = found.span()
        joints = item.sub(" ", found[0])
        closed = 0
        if not joints.isspace():
            bare = _LABEL.sub(" ", joints)
            closed = bare.count(")") - bare.count("(")
        if not 0 <= closed <= 1 or not _CLEAN.match(text, end - closed):
            yield _Run(item.findall(found[0]), "part", start, end, start, end, "", [])
            continue
        line = text.rfind("\n", 0, start) + 1
        begin = max(line, start - _NEAR)
        for sentence in _SENTENCE.finditer(text, begin, start):
            begin = sentence.end()
        mark = text[begin:start]
        label = _MARK.fullmatch(mark)
        if label and begin == line and _HEADING.search(text, max(0, line - _HEADED), line):
            begin = max(text.rfind("\n", 0, line - 1) + 1, line - _NEAR)
            for sentence in _SENTENCE.finditer(text, begin, line):
                begin = sentence.end()
        stop = text.find("\n", end, end + _NEAR)
        stop = stop if stop >= 0 else min(len(text), end + _NEAR)
        joints = mark + joints if label else joints
        numbers = [] if joints.isspace() else _LABEL.findall(joints)
        before = begin < start
        role = "talk"
        if (before and _SUPPOSED.search(text, begin, start)) or (
            grammar.several
            and not numbers
            and (_DEFINED.match(text, end) or (before and _STATED.search(text, begin, start)))
        ):
            role = "supposed"
        elif not numbers or not sure.search(text, end, stop):
            noun = _NOUN if grammar.several else _STATE_NOUN
            announced = before and (
                _ANNOUNCING.search(text, max(begin, start - _ANNOUNCED), start)
                and noun.search(text, begin, start)
            )
            alone = label and ("ordered" if label["order"] else "alone")
            role = "announced" if announced else alone or role
        yield _Run(
            item.findall(found[0]),
            role,
            start,
            end,
            start - len(mark) if label else start,
            stop if numbers else end,
            mark,
            list(map(int, numbers)),
        )


def _find_answer(text: str, grammar: Grammar, count: int) -> str | None:
    """Return the answer that a plain text gives."""
    runs = list(_read_runs(text, grammar))
    every, _, sure, loose, _ = _compile_grammar(grammar)
    neighbors: list[list[list[_Run]]] = []
    last: _Run | None = None
    for before, run in zip([None, *runs], runs, strict=False):
        if (
            before
            and before.role == "supposed"
            and run.role == "alone"
            and _is_near(text, before, run)
            and not _LAST.search(text, run.begin, run.start)
        ):
            run.role = "supposed"
        if run.role not in ("alone", "ordered", "announced"):
            continue
        if last and grammar.several and _goes_on(text, last, run):
            neighbors[-1][-1].append(run)
        elif last and _is_near(text, last, run):
            neighbors[-1].append([run])
        else:
            neighbors.append([[run]])
        last = run
    if not neighbors:
        if not any(run.role == "talk" for run in runs):
            return None
        # The only run that is not only spoken of, if it and the rest can be nothing else.
        unquoted = (run for run in runs if not is_mentioned(text, run.start, run.end))
        meant = list(islice(unquoted, 2))
        if len(meant) != 1 or meant[0].role != "talk" or meant[0].numbers:
            return None
        certain = len(meant[0].items) > 1 or sure.search(meant[0].items[0])
        if loose.search(every.sub(" ", text)) or not (certain or _ASKED.search(meant[0].mark)):
            return None
        neighbors = [[meant]]
    for lists in reversed(neighbors):
        given = [one for one in lists if not is_mentioned(text, one[0].start, one[-1].end)]
        if not given:
            continue
        several = len(given) > 1 and given[-1][0].role != "announced"
        if several and len({_value(one, grammar) for one in given}) > 1:
            given = [[run for one in given for run in one]]
            if sum(len(run.items) for run in given[0]) != count:
                return None
        # More that reads as a part of it may not follow, unless words are around.
        for line in text[given[-1][-1].end :].split("\n"):
            if _OR.match(line) or (loose.search(line) and not _WORD.search(loose.sub(" ", line))):
                return None
        return _value(given[-1], grammar)
    return None


def _is_near(text: str, last: _Run, run: _Run) -> bool:
    """Return whether no words are between two runs."""
    return not _WORD.search(text, last.stop, run.begin)


def _goes_on(text: str, last: _Run, run: _Run) -> bool:
    """Return whether a run goes on with the list that the one before it is in."""
    single = len(last.items) == len(run.items) == 1
    if not _is_near(text, last, run):
        return single and run.mark == last.mark and _STEP.search(run.mark) is not None
    if run.numbers:
        return run.numbers[0] != 1
    if last.numbers or run.role == "ordered":
        return run.role == "ordered"
    return single or text[last.end : last.end + 1] == ","


def _value(runs: list[_Run], grammar: Grammar) -> str | None:
    """Return the answer that runs are; None if their numbers or items are wrong."""
    items = [item for run in runs for item in run.items]
    numbers = [number for run in runs for number in run.numbers]
    if numbers not in ([], [1], list(range(1, len(items) + 1))):
        return None
    return _read_items("\n".join(items), grammar) if grammar.several or len(items) == 1 else None


def _read_items(lines: str, grammar: Grammar) -> str | None:
    try:
        return grammar.read(lines)
    except ValueError:
        return None
