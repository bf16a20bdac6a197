r"""Decide whether a reply gives an answer or only mentions it.

A careful reader does not take these for answers:

- a negated one: "It is not X.", "never X", "instead of X", "X is wrong", "X? No, that is wrong."
- a hypothetical one, or a question: "if I played X", "it could be X", "what about X?", "X?"
- a quoted one: "for example X", "the format is X", "you wrote X", "X is the example"
- one that is kept for the case that another fails: "if that fails, I will try X", "otherwise X"
- one that is withdrawn later: "I take that back.", "However, this plan does not work."

What decides is the words right before it and right behind it, in its own sentence. Between the cue
and the answer only words may stand that carry the cue on, as in "I do not think that it is X". Any
other word ends its reach: "not sure, but X", "not only X", "if that works, then X" give answers. An
answer on a line of its own belongs to the line above, if that ends with a colon.

Only bounded text around an answer is looked at, so the time does not grow with the reply. Where C
is compiled, `_spoken.h` first tells which of the expressions below can match at all, by the words
that they are made of. A word that is added here is added there; where it is not,
tests/generators/core/test_reading.py draws a text that is missed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from facelet.generators.core.compiled_parts import load_compiled

_part = load_compiled("facelet.generators.core._reading")
_CUE, _BACK, _ASKED, _TAKEN = 1, 2, 4, 8
"""What it says may be found: a cue before, words behind that take back, a question around, a
withdrawal somewhere behind."""

BEFORE = 240
"""Characters before an answer in which its cue may stand."""
AFTER = 160
"""Characters behind it."""
_REST = 4096
"""Characters behind it in which it may be withdrawn."""

_SIGNS = " \t\r\n>*`\"'\u2018\u2019\u201c\u201d\u00ab$([{<\\_#|-\u2013\u2014"
"""What may stand between the words before an answer and the answer."""
_FENCES = ("json", "text", "plaintext", "python", "markdown")
_ENDS = re.compile(r"[.!?;\u3002](?=[ )\"'*`\u201d])|\n")
_SHORT = re.compile(r"\b(e|i)\. ?(g|e)\.,?")
_IS = re.compile(r"\b(it|that|there|he|what)(?: ?'| )s\b")
_BARE_S = re.compile(r"[ ']s\b")
"""What every match of _IS ends in: few sentences have it, and it is found at once."""
_SUPPOSING = re.compile(r"(?:even )?(?:if|suppose|supposing|imagine|assume|assuming) [\w ']{1,40}")
"""A line that goes on in the next one, though it has no colon."""
_QUOTES = str.maketrans({"\u2019": "'", "*": None, "`": None})

NOUN = (
    "(?:answers?|moves?|actions?|commands?|quer(?:y|ies)|guess(?:es)?|choices?|options?|letters?"
    "|solutions?|plans?|array|matrix|board|grid|state|lists?|reply|line|pieces?|placements?)"
)
_OWN = rf"(?:my|your|our|the)(?: \w{{1,12}}){{0,2}}? {NOUN}"
_VERB = (
    "(?:play(?:ed|ing)?|choos(?:e|ing)|chosen?|pick(?:ed|ing)?|select(?:ed|ing)?|us(?:e|ed|ing)"
    "|say(?:ing)?|said|answer(?:ed|ing)?|repl(?:y|ied|ying)|giv(?:e|en|ing)|gave|go(?:ing)?|went"
    "|mak(?:e|ing)|made|tr(?:y|ied|ying)|take|took|taken|taking|send|sent|submit(?:ted|ting)?"
    "|ask(?:ed|ing)?|guess(?:ed|ing)?|mov(?:e|ed|ing)|writ(?:e|ten|ing)|wrote|recommend(?:ed)?"
    "|suggest(?:ed|ing)?|do|does|did|doing|done)"
)
FILLER = (
    rf"(?:{_VERB}|{NOUN}|i|we|you|one|it|he|she|they|there|to|be|been|being|is|was|were|are|am"
    "|have|had|has|the|an?|my|your|our|this|that|any|as|with|for|on|of|think|thinking|believe"
    "|claim(?:ing)?|true|case|want|need|should|would|could|really|even|again|ever|now|here|yet"
    "|currently|necessarily|certainly|sure|certain|convinced|correct|right|final|best|next|actual"
    "|good|valid|legal|better off|mean|like|intend|dare)"
)


def _reaching_cue(cue: str, colon: str = "") -> str:
    """Return the expression for a cue that reaches to the end of a text."""
    return rf"(?:{cue})(?: {FILLER}){{0,9}}{colon}\Z"


_NEGATED = (
    r"(?<!reason )(?<!whether or )not|(?:is|are|was|were|do|does|did|wo|ca|would|could|should|have"
    r"|has|had|must|need|ai) ?n ?'? ?t|isn t|cannot|never|neither|nor|no longer|nobody|no one"
    r"|instead of|rather than|as opposed to|(?<!not )(?<!n't )(?<!cannot )avoid(?:ing)?|without"
    r"|(?:decid(?:e|ed|ing)|advis(?:e|ed|ing)|warn(?:ed)?) against|far from|anything but"
    r"|(?:reject|exclud|discard|dismiss)(?:e|s|ed|ing)?|rul(?:e|es|ed|ing) out"
    r"|(?:refus|declin)(?:e|es|ed|ing)|(?:wrong|mistaken|a mistake|foolish|bad) to"
)
_SUPPOSED = (
    r"(?:what|how) about|what if|why not|(?:even )?if|unless|whether|(?:wonder|wondering) about"
    r"|had (?:i|we|you)|were (?:i|we|you)|(?:thought|thinking|think) (?:about|of)|considered"
    r"|(?:^|let ?'?s |let us |to |could |might |also |first )consider(?:ing)?|tempted"
    r"|(?:first|initially|originally),? (?:i )?(?:thought|tried|guessed|believed|wanted)"
    r"|(?:would|should|could|might)(?: have|'ve)|(?:my|the|an) (?:first|initial|earlier) (?:thought"
    r"|idea|impulse|instinct|guess) was"
)
_SUPPOSE = r"suppos(?:e|ing)|assum(?:e|ing)|imagin(?:e|ing)|let ?'?s say|^say"
# One word at least must follow these: "it could be X", but "as far as I could X" is none.
_MODAL = (
    rf"(?:could|might|may)(?: (?:also|well|even|just|perhaps|maybe|possibly|instead|then))*"
    rf"(?: (?:be|{_VERB}|i|we|you|one))(?: {FILLER}){{0,6}}\Z"
)
_SHOWS = (
    "(?:sa(?:ys?|id)|show(?:s|ed|n)?|gives?|gave|reads?|states?|lists?|mention(?:s|ed)?|has|had"
    "|contains?|asks? for|wants?|requires?|uses?|wrote|quot(?:es?|ed)|suggest(?:s|ed)?)"
)
_SAMPLE = r"(?:,? (?:in|of|from|by) (?:the|your) \w{1,12}| given| above| shown| here)?"
_QUOTED = (
    r"(?:"
    r"(?:eg|for example|for instance|such as|something like|quot(?:e|es|ing|ed)|copied|verbatim)"
    rf"(?: (?:be|is|from|the|your|prompt|an? {NOUN}|{NOUN}))*[,:]?"
    rf"|(?:should|must|has to|have to|to|would) look like:?"
    r"|(?:replies|commands|lines|format) looks? like:?"
    rf"|one (?:writes|says|answers|would (?:write|say))|{NOUN} like"
    r"|(?<!following )(?<!follow )(?:(?:the|your|an|this|that|as an)(?: [\w']{1,12})? example"
    rf"|^example){_SAMPLE}(?: (?:is|was|{_SHOWS}))?[,:]?"
    r"|(?:the|this|that|your|an?)(?: \w{1,12})? (?:format|syntax|template|pattern|form)"
    rf"{_SAMPLE}(?: (?:of|like))?"
    r"|(?<!in )(?<!using )(?<!into )(?:the|this|that|your)(?: \w{1,12})?"
    rf" (?:format|syntax|template|pattern|form){_SAMPLE} (?:is|was|reads|says|would be|must be)"
    rf"(?: {NOUN})?:?"
    rf"|you {_SHOWS}(?: (?:me|to|{_VERB}|as|an example|the example|like|that|the {NOUN}))*[,:]?"
    r"|(?:the|your)(?: \w{1,12})? (?:prompt|instructions?|rules?|message|task|question|text|user"
    rf"|statement|puzzle)(?: {_SHOWS})(?: (?:an example|the example|like|such as|to {_VERB}|{NOUN}"
    r"))*[,:]?"
    r")\Z"
)
_NOT = r"(?: not|n ?'? ?t)"
_FAILS = (
    rf"(?:fail(?:s|ed|ing)?|(?:do|does|did|wo|will|ca|can|would|should|could){_NOT}"
    r" (?:work|help|fit|succeed|solve|go through)|cannot work|(?:is|was|be|gets|turns out)"
    r" (?:wrong|blocked|rejected|refused|illegal|invalid|incorrect|forbidden|impossible"
    r"|not (?:allowed|accepted|possible|right|correct)))"
)
ENSUING = r"(?!.*\b(?:so|but|hence|thus|therefore)\b)"
"""Behind a condition: nothing that ends it and gives an answer."""
IF = r"^(?:(?:but|and|so|then|however|also|only|even),? )*(?:if|should|in case|unless)\b"
# What is done if something else fails, and what is introduced as a failure.
_FALLBACK = (
    rf"{IF}[^;:]{{1,80}}?\b{_FAILS}\b{ENSUING}"
    r"|^(?:(?:but|and),? )?(?:otherwise|failing (?:that|this|it)|plan b\b"
    rf"|(?:as )?(?:an? |my )?(?:fallback|backup|last resort)\b){ENSUING}"
    rf"|(?:this|the following"
    rf"|(?:this|that|an?|the|what|one)(?: \w{{1,12}})?,? (?:which|that|but it)"
    rf"|tried (?:this|it),? but (?:this|it)) {_FAILS}:\Z"
    r"|(?:failed|rejected|discarded|abandoned|unsuccessful|invalid|wrong)"
    rf" (?:attempts?|ideas?|tr(?:y|ies)|{NOUN}):\Z"
)
# "If it were open, I would say", but not "if I had to choose, I would say".
_COUNTER = (
    rf"^(?:if|were|had)\b(?! (?:i|we) (?:were you|(?:had|was|were) to)\b){ENSUING}"
    rf"(?:(?<!if)|(?=[^;:]{{0,80}}\b(?:were|was|had|did)\b))[^;:]{{1,120}}?\bwould"
    rf"(?: {FILLER}){{0,9}}:?\Z"
)
_PAST = (
    rf"(?:earlier|previous|past|last|first) (?:attempt|try|message),? (?:i|we|you)"
    rf"(?: have| had)? {_VERB}(?: {FILLER}){{0,3}}:?\Z"
)
# Behind a colon a new sentence may begin ("I need not guess: X"), unless words ask for more.
_COLONS = r"(?:(?<= is)|(?<= was)|(?<= be)|(?<= play)|(?<= choose)|(?<= say)|(?<=not)|(?<=n't)):"
_CUES = re.compile(
    # All begin where a word may; that it is tested once, before any of them, halves the time.
    r"(?<!\w)(?:"
    + "|".join(
        (
            _reaching_cue(_NEGATED, f"(?:{_COLONS})?"),
            rf"(?:{_NEGATED})(?: {FILLER}){{0,6}} {_OWN}:\Z",
            r"(?:avoid(?:ing)?|instead of|rather than|never|rul(?:e|ed|ing) out"
            r"|(?:reject|exclud|discard|dismiss)(?:ed|ing)?|(?:decid|advis)ed against):\Z",
            _reaching_cue(_SUPPOSED),
            r"(?:what|how) about:\Z",
            _reaching_cue(_SUPPOSE, ":?"),
            _MODAL,
            _QUOTED,
            _FALLBACK,
            _COUNTER,
            _PAST,
        )
    )
    + ")"
)
_ASKING = re.compile(
    r"(?:(?:so|but|and|or|then|hmm|well|now),? )*"
    r"(?:is|are|was|should|shall|would|could|can|may|might|does|do|did|will|what|how|why|which|or)\b"
)

_BAD = (
    rf"(?:wrong|incorrect|illegal|invalid|forbidden|blocked|mistaken|impossible|pointless|useless"
    rf"|ruled out|out of the question|off the table|no (?:good|use|{NOUN})"
    rf"|an? (?:bad|wrong|illegal|invalid|poor|losing) {NOUN}|an? (?:mistake|error|trap|bad idea)"
    rf"|the wrong {NOUN}"
    r"|not (?:right|correct|allowed|legal|possible|valid|permitted|it|true|so"
    rf"|an? (?:\w{{1,12}} )?{NOUN}|what i"
    rf"|(?:my|the)(?: (?!only|sole|last|first)\w{{1,12}})? {NOUN}))\b(?! only| if| unless)"
)
_SHAPE = (
    r"(?:(?:just|only|merely|simply) )?(?:(?:an?|the|your) (?:\w{1,12} )?(?:example|sample|format"
    r"|placeholder|template)|how the (?:\w{1,12} )?(?:format|example) looks)\b"
)
_BE = r"(?:is|was|would be|seems|looks|will be|'s)(?: (?:also|clearly|probably|just|still|simply))?"
_BEHIND = re.compile(
    r"[ \"'*`$)\]}>\u201d]*(?:</ ?\w{1,12} ?>[ \"'*`]*)?(?:"
    rf"\?|,? ?(?:which |and that |and it )?{_BE} (?:{_BAD}|{_SHAPE})"
    rf"|,? ?(?:which )?(?:is ?n ?'? ?t|was ?n ?'? ?t|would ?n ?'? ?t be|can ?n ?'? ?t be|cannot be)"
    rf" (?:right|correct|allowed|legal|possible|valid|it\b|true|my {NOUN}|the (?!only|sole)"
    rf"(?:\w{{1,12}} )?{NOUN}|an? (?:\w{{1,12}} )?{NOUN})"
    r"|(?: (?:does|do|did|will|would|can|could)(?: not|n ?'? ?t)| cannot| wo ?n ?'? ?t)"
    r" (?:work|help|fit|succeed|solve)\b| fails\b"
    r"|,? (?:could|might|may) (?:also |well |perhaps |possibly )*"
    r"(?:be (?:the|an?|my|right|correct|it|one|possible|better)|work)\b"
    rf"|,? {_BE} (?:one|an?|another|also an?|only one) (?:\w{{1,12}} )?"
    r"(?:option|possibility|candidate|alternative)\b"
    r"|,? (?:was (?:considered|tempting|rejected|ruled out|my (?:first|initial))"
    r"|(?:would|should|could|might) have been|has been (?:ruled out|rejected))\b"
    r"|,? (?:as|like) (?:in|from) (?:the|your) (?:\w{1,12} )?"
    r"(?:example|prompt|instructions?|rules?)\b"
    r"|,? ?\(?(?:the |an |your )?example\)"
    r"|,? but (?:(?:then|later|in the end) )?(?:i|we)(?: have| had|'ve)? (?:(?:then|later) )?"
    r"(?:decided (?:against|not to)|rejected|discarded|dropped|abandoned|ruled|changed my mind)\b"
    rf"|,? ?(?:if|in case|should|unless) [^.!?;:\n]{{1,40}}?\b{_FAILS}\b"
    r"|[.!,; \n\u2013\u2014-]*(?:(?:no|wait|oops|sorry|hmm|actually|but|hold on)\b[,.! ]*\n?)*"
    rf"(?:that|this)(?: is| ?'?s| was| would be| cannot be) (?:{_BAD}|right\?)"
    r")"
)
_QUESTION = re.compile(r"[^.!?\n]*\?")

# What is said of an answer after other words. A sentence begins at a new line, or behind a sign.
_ONE = (
    r"(?:(?:final|valid|legal|working|correct|good|complete|full) )?(?:answer|move|action|command"
    r"|query|guess|choice|solution|plan|array|matrix|grid|list|reply|attempt|assembly|sequence)"
)
_THIS = (
    rf"(?:this|that|it|(?:this|that|my|our) {_ONE}(?: above)?|the above|the {_ONE} above"
    r"|(?:these|the) (?:rows|lines|steps|turns|placements)(?: above)?)"
)
_HOWEVER = (
    r"(?:(?:however|but|unfortunately|actually|sadly|so|wait|oops|sorry|hmm|no|hold on|never ?mind"
    r"|in (?:the end|fact|truth)|on (?:second thoughts?|reflection)|it turns out that"
    r"|i made a mistake|i (?:see|notice|realize) (?:now )?that|after [a-z ]{1,30})[,.:;! ]{1,3})"
)
_END = r"(?=[^\w\n]*(?:[.!;,]|\n|\Z))"
_AT_ALL = r"(?: (?:that (?:works|fits|does)|at all|here|in time|for this|to this))?"
_UNABLE = (
    rf"(?:could{_NOT}|can ?'? ?t|cannot|did{_NOT}|(?:was|am|were|are|'?m) (?:not able|unable) to"
    r"|failed to|have failed to)"
)
_WITHDRAWN = re.compile(
    rf"(?:\A|[\n.!?;:,\u2013\u2014-])[^\w\n]{{0,9}}{_HOWEVER}{{0,3}}(?:"
    rf"(?:please )?(?:ignore|disregard|scratch|forget|strike|discard) {_THIS}{_END}"
    rf"|(?:please )?do{_NOT} (?:(?:use|count|trust|play|send|carry out) {_THIS}"
    rf"|carry {_THIS} out){_END}"
    r"|(?:i|we)(?: (?:have to|must|will|now|hereby))*(?: |(?='))(?:"
    rf"(?:withdraw|retract|reject|discard|take back) {_THIS}|take {_THIS} back|give up{_END}"
    rf"|do{_NOT} stand by {_THIS}|no longer (?:believe|trust|stand by) {_THIS}"
    rf"|{_UNABLE} (?:find|see|give|determine|produce|come up with) (?:an? |any |the |my )?{_ONE}"
    rf"{_AT_ALL}{_END}"
    rf"|(?:found|find|have|see) no {_ONE}{_AT_ALL}{_END}"
    rf"|have{_NOT} found (?:(?:an?|any|the) {_ONE}{_AT_ALL}|one that (?:works|fits|does)){_END}"
    rf"|{_UNABLE} (?:answer|tell|decide)(?: (?:this|that|it|the question))?{_END}"
    rf"|(?:need to |want to )?(?:start over|start again|begin again|think again){_END})"
    rf"|no {_ONE} can be (?:given|found|made)"
    rf"|let me (?:start over|start again|begin again|try again){_END}"
    rf"|{_THIS} (?:is|was) (?:not (?:my|the|an?) {_ONE}\b"
    r"|(?:only |just |merely )?an? (?:example|draft)\b))"
)
_REFUTED = re.compile(
    rf"(?:\n[^\w\n]{{0,9}}{_HOWEVER}{{0,3}}|[.!;] {_HOWEVER}{{1,3}})(?:"
    rf"{_THIS} (?:(?:is|was|would be)(?: (?:also|clearly|just|still|simply))? {_BAD}"
    r"(?! to\b| other)|fails?\b"
    rf"|(?:is ?n|was ?n) ?'? ?t (?:right|correct|allowed|legal|possible|valid)\b"
    rf"|(?:does|do|did|will|wo|would|can|ca|could){_NOT}"
    r" (?:work|help|fit|succeed|solve|reach|close|lead|hold)\b"
    rf"|(?:can ?'? ?t|cannot) (?:work|be (?:right|correct|true|legal))\b"
    r"|(?:would|will) (?:fail|lose|fall short)\b|breaks (?:a|the) rules?\b)"
    rf"|that ?'? ?s {_BAD}"
    rf"|if (?:i|we) (?:played|did|used|gave|said|chose|sent) {_THIS}\b[^.!?\n]{{0,60}}?"
    r"\b(?:lose|fail|fall short|not reach|be (?:wrong|illegal|stuck|lost))\b"
    r")"
)


def is_withdrawn(text: str, end: int, *, judging: bool = False) -> bool:
    """Return whether a reply takes back the answer that ends at an index.

    Args:
        text: the reply.
        end: the index behind the answer.
        judging: whether the answer judges a statement, so that "this is wrong" may be about that.
    """
    rest = text[end : end + _REST].lower().translate(_QUOTES)
    return bool(_WITHDRAWN.search(rest) or (not judging and _REFUTED.search(rest)))


def is_mentioned(text: str, start: int, end: int) -> bool:
    """Return whether the part of a text at [start, end) is only mentioned.

    Args:
        text: a reply; decoration and quotes may have become blanks, line ends should be kept.
        start: where the answer begins, what announces it included.
        end: the index behind it.
    """
    looks: int = _part.spoken(text, start, end) if _part else _CUE | _BACK | _ASKED | _TAKEN
    if not looks:
        return False
    before = ""
    if looks & (_CUE | _ASKED):
        before = sentence_before(text[max(0, start - BEFORE) : start])
        if before and looks & _CUE and _CUES.search(before):
            return True
    if not (after := text[end : end + AFTER].lower().replace("\u2019", "'")) or not after.strip():
        return False
    if looks & _BACK and _BEHIND.match(after):
        return True
    if looks & _TAKEN and is_withdrawn(text, end):
        return True
    return bool(looks & _ASKED and before and _ASKING.match(before) and _QUESTION.match(after))


def sentence_before(window: str) -> str:
    """Return the words of its sentence before an answer, in lower case; "" if there are none."""
    if not (head := window.rstrip(_SIGNS)):
        return ""
    line = head[head.rfind("\n") + 1 :]
    if line.strip(_SIGNS).lower() in _FENCES:
        head = head[: len(head) - len(line)].rstrip(_SIGNS) + "\n"
    below = "\n" in window[len(head.rstrip("\n")) :]
    head = head.rstrip().lower()
    if below and not head.endswith(":"):
        if not _SUPPOSING.fullmatch(head[head.rfind("\n") + 1 :].lstrip(_SIGNS)):
            return ""
    # Nearly no text has what these three look for.
    if "*" in head or "`" in head or "\u2019" in head:
        head = head.translate(_QUOTES)
    if "e." in head or "i." in head:
        head = _SHORT.sub(r"\1\2", head)
    if _BARE_S.search(head):
        head = _IS.sub(r"\1 is", head)
    last = 0
    for stop in _ENDS.finditer(head):
        last = stop.end()
    return " ".join(head[last:].split()).lstrip(_SIGNS + ",")


_JOINED = re.compile(r"[^a-zA-Z.!?]*(?:</[^<>\n]{1,40}>[^a-zA-Z.!?]*)?(?:and |then )?[^a-zA-Z]*")


def select_given(text: str, entries: Sequence[re.Match[str]]) -> list[re.Match[str]]:
    """Return the entries of lists without those of a list that is only mentioned.

    Args:
        text: where they were found.
        entries: in order; what belongs to one list has nothing but signs between.
    """
    lists: list[list[re.Match[str]]] = []
    for entry in entries:
        if lists and _JOINED.fullmatch(text, lists[-1][-1].end(), entry.start()):
            lists[-1].append(entry)
        else:
            lists.append([entry])
    return [
        entry
        for run in lists
        if not is_mentioned(text, run[0].start(), run[-1].end())
        for entry in run
    ]
