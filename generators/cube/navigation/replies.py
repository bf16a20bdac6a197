"""The commands of CubeBench's player, and the list of them at the end of a reply.

A player may give these commands in a step (appendix I):

    F F' B B' L L' R R' U U' D D'   make_move: a quarter turn of a face, by its home name
    get_observation                 look at the cube
    up, down, left, right           apply_view_transformation: walk around it
    solve: TEXT                     ask the solver about a state in text
    final_answer                    declare that it is done

An entry of a list is one of these, or several quarter turns with single blanks between them ("F R'
U"). Other ways to write them are understood where nothing has to be guessed: calls such as
make_move("F"), other signs for the prime, tool calls as JSON objects. What is not understood stays
as it is, and is refused when it is carried out.

The requested form of a step is one JSON object at the end, after any text:

    I turn the front face first. {"actions": ["F", "R'", "get_observation"]}

In the mode without code the key may be "moves": {"moves": ["D", "B", "B"]}. The rules of
core.replies.boundary apply: thoughts do not count, nothing is guessed or evaluated, time is linear.
Of several lists the one alone on its line counts, and of two different ones none. But replies are
read as a whole, as a step may contain 200,000 moves.

Also accepted: the list in a fenced block, in a block quote or bold, with text after it, with other
quotes or none, with a comma at its end, without a key, as one string; tool calls as JSON objects,
one or several.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

from facelet.generators.core.replies.boundary import Parsed, visible_text
from facelet.generators.core.replies.candidates import Candidate, choose_answer
from facelet.generators.core.replies.mentions import is_mentioned
from facelet.generators.core.replies.written import PRIMES, plain_json
from facelet.generators.cube.navigation.observations import DIRECTIONS

TURNS = tuple(face + prime for face in "FBLRUD" for prime in ("", "'"))
"""The 12 moves, in the paper's order of faces."""

OBSERVE = "get_observation"
SOLVE = "solve: "
"""How a question to the solver begins; the state follows."""
FINISH = "final_answer"
REFUSED = "!"
"""Marks, in the record of live code, a call that corresponds to no command."""

LONGEST = 200
"""Characters of a command that are kept; every valid command is shorter."""

REFUSALS = 1_000
"""Refused actions at which a step ends: nonsense must not cost more than moves do."""

NESTED = 16
"""Levels of lists and objects within an entry; a deeper value is no list of commands."""

PLAIN = frozenset((*TURNS, OBSERVE, *DIRECTIONS, FINISH))
"""The commands that have no argument."""
_TURNS = frozenset(TURNS)

_TOOLS = {
    **dict.fromkeys(("make_move", "move", "turn", "rotate"), "turn"),
    **dict.fromkeys((OBSERVE, "observe", "observation"), OBSERVE),
    **dict.fromkeys(("apply_view_transformation", "view", "look", "change_view"), "view"),
    **dict.fromkeys(
        ("solve", "solver", "call_planner", "call_solver", "standard_solver", "ideal_solver"),
        "solve",
    ),
    **dict.fromkeys((FINISH, "finish"), FINISH),
}
"""Names of tools, in lower case without signs at their ends, and what they do."""

_CALL = re.compile(r"([A-Za-z_]{3,40})[ \t]*(?:[:=(][ \t]*(.*)|[ \t](.*)|)", re.DOTALL)
_LIKE_TURNS = re.compile(r"[URFDLB]['2]?(?:[ \t,]+[URFDLB]['2]?)*")
_LIST_KEYS = ("actions", "moves")
_NAME_KEYS = ("tool", "name", "tool_name", "function", "action", "command")
_VALUE_KEYS = ("arguments", "args", "input", "parameters", "params", "kwargs")


def is_known(command: str) -> bool:
    """Return whether a command exists, allowed in an episode or not."""
    return command in PLAIN or command.startswith(SOLVE)


def is_canonical(item: Any, said: tuple[str, ...]) -> bool:
    """Return whether an entry is written as requested, legal or not.

    Args:
        item: any JSON value.
        said: what `parse_entry` returns for it.
    """
    return isinstance(item, str) and " ".join(said) == item


def parse_entry(item: Any) -> tuple[str, ...]:
    """Return the commands that an entry means; what is not understood stays as it is.

    Args:
        item: any JSON value.
    """
    if isinstance(item, str):
        if item in PLAIN:
            return (item,)
        if not item.isascii():
            # JSON can hold a lone surrogate, but a prompt that repeats it could not be encoded.
            item = item.encode("utf-8", "replace").decode("utf-8")
        if len(item) > LONGEST:
            turns = item.split()
            return tuple(turns) if _TURNS.issuperset(turns) else (item[:LONGEST].strip(),)
        return _parse_spelling(item)
    if isinstance(item, dict):
        return _parse_tool_call(item)
    return (_entry_excerpt(item),) if not isinstance(item, list) else (f"{len(item)} items",)


def too_deep(value: Any) -> bool:
    """Return whether a JSON value is nested deeper than NESTED levels below its own.

    Python's own limit depends on the depth of the call stack, so it must not decide what a reply
    means.
    """
    level = [value]
    for _ in range(NESTED + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, list | dict)
        ]
        if not level:
            return False
    return True


def _entry_excerpt(item: Any) -> str:
    """Return the beginning of a JSON value as text."""
    return json.dumps(item)[:LONGEST]


@lru_cache(maxsize=4096)
def _parse_spelling(text: str) -> tuple[str, ...]:
    plain = text.strip()
    if plain.startswith(SOLVE):
        return (SOLVE + plain.removeprefix(SOLVE).strip(),)
    if plain.startswith(REFUSED):
        return (plain,)
    plain = plain.translate(PRIMES)
    if (turns := plain.split()) and _TURNS.issuperset(turns):
        return tuple(turns)
    bare = plain.strip("\"'` ;.")
    if bare.lower() in PLAIN:
        return (bare.lower(),)
    if _LIKE_TURNS.fullmatch(plain):
        return tuple(re.split(r"[ \t,]+", plain))
    call = _CALL.fullmatch(plain)
    if call and (tool := _TOOLS.get(call[1].lower())):
        return _tool_to_command(tool, (call[2] or call[3] or "").strip()) or (plain[:LONGEST],)
    return (plain[:LONGEST],)


def _tool_to_command(tool: str, argument: str) -> tuple[str, ...]:
    """Return the commands of a tool call; none if the argument does not fit."""
    if tool in (OBSERVE, FINISH):
        return (tool,)
    inner = argument.removesuffix(")").rstrip() if argument.count(")") else argument
    inner = re.sub(r"^[a-z_]{1,20}[ \t]*=[ \t]*", "", inner)
    if len(inner) >= 2 and inner[0] == inner[-1] and inner[0] in "\"'":
        inner = inner[1:-1]
    inner = inner.strip()
    if tool == "solve":
        return (SOLVE + inner,) if inner else ()
    if tool == "view":
        return (inner.lower(),) if inner.lower() in DIRECTIONS else ()
    turns = inner.split()
    return tuple(turns) if turns and _LIKE_TURNS.fullmatch(inner) else ()


def _parse_tool_call(item: dict[Any, Any]) -> tuple[str, ...]:
    """Return the commands of a tool call that is written as an object."""
    for key in _LIST_KEYS:  # {"actions": "F R'"}
        if isinstance(item.get(key), str):
            return parse_entry(item[key])
    name = next((item[key] for key in _NAME_KEYS if key in item), None)
    value: Any = next((item[key] for key in _VALUE_KEYS if key in item), None)
    if isinstance(name, dict):  # OpenAI: {"type": "function", "function": {"name", "arguments"}}
        return _parse_tool_call(name)
    if name is None and len(item) == 1:  # {"make_move": "F"}
        name, value = next(iter(item.items()))
    if not isinstance(name, str) or (tool := _TOOLS.get(name.strip("() ").lower())) is None:
        return (
            parse_entry(name)
            if isinstance(name, str) and len(item) == 1
            else (_entry_excerpt(item),)
        )
    if value is None:
        value = {key: given for key, given in item.items() if given != name}
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return (_entry_excerpt(item),)
        if too_deep(value):
            return (_entry_excerpt(item),)
    if isinstance(value, dict):
        value = next((given for given in value.values() if isinstance(given, str)), "")
    if isinstance(value, list):
        value = " ".join(given for given in value if isinstance(given, str))
    text = value.strip().translate(PRIMES) if isinstance(value, str) else ""
    if len(text) > LONGEST:
        return (_entry_excerpt(item),)
    return _tool_to_command(tool, text) or (_entry_excerpt(item),)


def merge_turns(commands: Iterable[str]) -> list[str]:
    """Return the commands as entries of a list, consecutive turns in one entry."""
    items: list[list[str]] = []
    turning = False
    for command in commands:
        turn = command in _TURNS
        if turn and turning:
            items[-1].append(command)
        else:
            items.append([command])
        turning = turn
    return [" ".join(item) for item in items]


Mode = Literal["code", "no_code"]
"""Whether the player may act through code, which gets the result of each action at once."""

# Not with an equals sign: "moves = [...]" is a line of a program, and programs are not run.
_KEY = re.compile(
    r"(?:\{\s{0,80})?(?P<quote>[\"']?)\b(?P<key>actions|moves)(?P=quote)\s*:\s*(?=[\[\"])"
)
_LOOSE = re.compile(
    r"\s*(?:\"(?P<double>[^\"\n]{0,300})\"|'(?P<single>[^\"\n,\]]{0,300})'(?=\s*[,\]])"
    r"|(?P<bare>(?!\.\.\.|\u2026)[^\s\"',\[\]{}][^\"\n,\[\]{}]{0,300}+))\s*+(?P<end>[,\]])"
)
CALLS = 10_000
"""At most this many tool calls, one a line, are read from the end of a reply without a list."""

LISTS = 64
"""At most this many lists, the last ones, are looked at for the one that is given."""

_CLOSED = re.compile(r"\s{0,80}\}?")
_FENCE = re.compile(r"```[a-z_]*[ \t]*\n?")
_DECODER = json.JSONDecoder()


def format_commands(commands: Iterable[str], mode: Mode = "code", *, dense: bool = False) -> str:
    """Return commands in the requested form.

    Args:
        commands: canonical commands.
        mode: which key the list has.
        dense: whether consecutive turns share one string, as a long step needs.
    """
    key = "actions" if mode == "code" else "moves"
    items = merge_turns(commands) if dense else list(commands)
    text = json.dumps({key: items}, separators=(",", ":") if dense else None)
    # A call may hold any text, and a marker of a chat template in it would end the reply.
    return text.replace("<", r"\u003c")


def read_commands(reply: str, mode: Mode = "code") -> Parsed[tuple[str, ...]]:
    """Return the commands at the end of a reply, legal or not, in order.

    Args:
        reply: any string.
        mode: "no_code" if the key may also be "moves".
    """
    shown = visible_text(reply, len(reply))
    parsed, plain = _read(shown, mode), plain_json(shown)
    return parsed if parsed.strict or plain == shown else Parsed(_read(plain, mode).value, False)


def _read(shown: str, mode: Mode) -> Parsed[tuple[str, ...]]:
    if not (keys := list(_KEY.finditer(shown))[-LISTS:]):
        items = _without_key(shown)
        return Parsed(None if items is None else _parse_entries(items)[0], strict=False)
    chosen = choose_answer(shown, [_candidate(shown, key) for key in keys])
    if chosen is None or chosen.value is None:
        return Parsed(None, strict=False)
    key = next(key for key in keys if key.start() == chosen.start)
    said, canonical = _parse_entries(chosen.value)
    strict = (
        key["quote"] == '"'
        and shown[key.end()] == "["
        and (key["key"] == "actions" or mode == "no_code")
        and key[0].startswith("{")
        and shown.endswith("}", 0, chosen.end)
        and chosen.end == len(shown)
        and isinstance(chosen.value, list)
    )
    return Parsed(said, strict and canonical)


def _candidate(shown: str, key: re.Match[str]) -> Candidate[Sequence[Any]]:
    """Return the list behind a key, and where its object ends; as a tuple if it is no JSON."""
    value, end = _decode_list(shown, key.end()) or _parse_loose_list(shown, key.end() + 1)
    closed = _CLOSED.match(shown, end)
    return Candidate(key.start(), closed.end() if closed else end, value)


def _parse_entries(items: Iterable[Any]) -> tuple[tuple[str, ...], bool]:
    """Return the commands of entries, and whether all are written as requested.

    They end before the first step that has no known command.
    """
    found: list[str] = []
    canonical, unknown = True, 0
    for item in items:
        if type(item) is str and item in PLAIN:
            found.append(item)
            continue
        said = parse_entry(item)
        canonical = canonical and is_canonical(item, said)
        found += said
        unknown += len(said) == 1 and not is_known(said[0])
        if unknown == REFUSALS:
            return tuple(found), False
    return tuple(found), canonical


def _decode_list(text: str, start: int) -> tuple[list[Any], int] | None:
    """Return the JSON list that begins at an index, and the index after it."""
    try:
        value, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    items = [value] if isinstance(value, str) else value
    return (items, end) if isinstance(items, list) and not too_deep(items) else None


def _parse_loose_list(text: str, start: int) -> tuple[tuple[str, ...] | None, int]:
    """Return the entries of a flat list that is not valid JSON, and the index after it."""
    items: list[str] = []
    while found := _LOOSE.match(text, start):
        items.append(found["double"] or found["single"] or found["bare"] or "")
        if found["end"] == "]":
            return tuple(items), found.end()
        start = found.end()
    return None, start


def _without_key(text: str) -> Sequence[Any] | None:
    """Return the tool calls or the list without a key that a text consists of or ends with."""
    fences = list(_FENCE.finditer(text))
    if len(fences) >= 2:
        start, end = fences[-2].end(), fences[-1].start()
        if is_mentioned(text, start, end):
            return None
        text = text[start:end]
    if calls := list(_calls_at_the_end(text.strip())):
        return calls[0] if isinstance(calls[0], list) else calls[::-1]
    return None


def _calls_at_the_end(text: str) -> Iterator[Any]:
    """Yield, from the last on, the JSON objects that end a text; or the list that does."""
    if (value := _parse_json(text)) is not None:
        if isinstance(value, dict):
            inner = value.get("tool_calls", value.get("calls"))
            yield inner if isinstance(inner, list) else value
        else:
            yield value
        return
    for line in text.split("\n")[: -CALLS - 1 : -1]:
        if (value := _parse_json(line.strip().rstrip(","))) is None:
            return
        yield value
        if isinstance(value, list):
            return


def _parse_json(text: str) -> list[Any] | dict[str, Any] | None:
    """Return the list or object that a text is, else None."""
    if text[:1] + text[-1:] not in ("[]", "{}"):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list | dict) and not too_deep(value) else None
