"""Replies of cube/navigate: what is read out of them, and what is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.cube.navigation.observations import DIRECTIONS
from facelet.generators.cube.navigation.replies import (
    CALLS,
    FINISH,
    LONGEST,
    NESTED,
    OBSERVE,
    REFUSALS,
    REFUSED,
    SOLVE,
    TURNS,
    format_commands,
    is_canonical,
    merge_turns,
    parse_entry,
    read_commands,
)

ASK = SOLVE + "UUUUUUUUURRRRRRRRRFFFFFFFFFDDDDDDDDDLLLLLLLLLBBBBBBBBB"
COMMANDS = st.sampled_from((*TURNS, OBSERVE, *DIRECTIONS, FINISH, ASK))

SAW = '{"tool": "saw", "size": 3}'

STRICT = [
    ('{"actions": ["F"]}', ["F"]),
    ('I look first.\n{"actions": ["get_observation", "up"]}', [OBSERVE, "up"]),
    ('{"actions": ["F", "R\'"]}', ["F", "R'"]),
    ('{"actions": ["F R\' U", "final_answer"]}', ["F", "R'", "U", FINISH]),
    ('{\n  "actions": [\n    "F",\n    "B"\n  ]\n}', ["F", "B"]),
    (f'{{"actions":["{ASK}"]}}', [ASK]),
    ('{"actions": []}', []),
    ('{"actions": ["R2"]}', ["R2"]),  # readable, and refused later
    ('<think>{"actions": ["U"]}</think>{"actions": ["D"]}', ["D"]),
    ('{"actions": ["U"]} No, wait: {"actions": ["D"]}', ["D"]),
]

LENIENT = [
    ('{"moves": ["D", "B", "B"]}', ["D", "B", "B"]),
    ('```json\n{"actions": ["F"]}\n```', ["F"]),
    ('{"actions": ["F"]}\nThat should do it.', ["F"]),
    ('{"thought": "why not", "actions": ["F"]}', ["F"]),
    ('{"actions": ["R\u2019", "U`", "D\u2032"]}', ["R'", "U'", "D'"]),
    ("{'actions': ['F', \"R'\", 'up', 'R'']}", ["F", "R'", "up", "R'"]),
    ("actions: [F, R', get_observation]", ["F", "R'", OBSERVE]),
    ('["F", "R"]', ["F", "R"]),
    ('```\n["F"]\n```', ["F"]),
    ('{"tool": "make_move", "move": "F"}', ["F"]),
    ('{"make_move": "F"}', ["F"]),
    ('{"name": "make_move", "arguments": {"move": "R\'"}}', ["R'"]),
    (
        '{"type": "function", "function": {"name": "apply_view_transformation", '
        '"arguments": "{\\"direction\\": \\"Left\\"}"}}',
        ["left"],
    ),
    ('{"name": "make_move", "arguments": "F"}\n{"name": "get_observation"}', ["F", OBSERVE]),
    ('{"tool_calls": [{"name": "final_answer", "arguments": {}}]}', [FINISH]),
    ('[{"tool": "make_move", "move": "F"}, {"tool": "view", "direction": "up"}]', ["F", "up"]),
    ('{"actions": ["make_move(\'F\')", "make_move(R\')", "make_move U"]}', ["F", "R'", "U"]),
    ('{"actions": ["get_observation()", "Final_Answer", "UP"]}', [OBSERVE, FINISH, "up"]),
    ('{"actions": ["F, R, U"]}', ["F", "R", "U"]),
    (f'{{"actions": ["solve({ASK.removeprefix(SOLVE)})"]}}', [ASK]),
    (f'{{"actions": [{{"tool": "solve", "text": "{ASK.removeprefix(SOLVE)}"}}]}}', [ASK]),
    ('{"actions": [3, null, ["F"]]}', ["3", "null", "1 items"]),
    ('{"actions": [{"tool": "hammer"}, {"tool": "saw", "size": 3}]}', ["hammer", SAW]),
    ('[{"action": "F"}]', ["F"]),
    ('{"actions": "F R"}', ["F", "R"]),
]

NOTHING = [
    "",
    "I turn F.",
    "F R U",
    "make_move('F')",
    '<think>{"actions": ["F"]}</think>',
    '<think>{"actions": ["F"]}',
    'moves = ["F", "R"]\nfor move in moves:\n    make_move(move)',
    '{"actions": [',
    '{"actions": ' + "[" * 100_000,
    '{"actions": ["F"',
    "[" * 100_000,
    '"actions"' * 1000,
    "null",
    "12",
]


@pytest.mark.parametrize(("text", "commands"), STRICT)
def test_the_requested_form_is_strict(text: str, commands: list[str]) -> None:
    parsed = read_commands(text)
    assert (parsed.value, parsed.strict) == (tuple(commands), True)


@pytest.mark.parametrize(("text", "commands"), LENIENT)
def test_other_forms_are_read_but_not_strict(text: str, commands: list[str]) -> None:
    parsed = read_commands(text)
    assert (parsed.value, parsed.strict) == (tuple(commands), False)


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_list_is_not_guessed(text: str) -> None:
    for mode in ("code", "no_code"):
        assert read_commands(text, mode).value is None
        assert not read_commands(text, mode).strict


def test_without_code_both_keys_are_strict() -> None:
    assert read_commands('{"moves": ["D", "B", "B"]}', "no_code").strict
    assert read_commands('{"actions": ["D", "up"]}', "no_code").strict


@given(commands=st.lists(COMMANDS, max_size=30), dense=st.booleans())
def test_what_is_written_is_read(commands: list[str], dense: bool) -> None:
    for mode in ("code", "no_code"):
        parsed = read_commands("Well.\n" + format_commands(commands, mode, dense=dense), mode)
        assert (parsed.value, parsed.strict) == (tuple(commands), True)


@given(text=st.text(max_size=60))
def test_what_was_understood_is_understood_again(text: str) -> None:
    for command in parse_entry(text):
        assert parse_entry(command) == (command,)
        assert is_canonical(command, parse_entry(command))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | COMMANDS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("tool", "name", "arguments", "function", "move", "make_move", "x")),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(items=st.lists(JSON, max_size=5), before=st.text(max_size=10), after=st.text(max_size=10))
def test_any_json_is_read_without_an_exception(
    items: list[object], before: str, after: str
) -> None:
    for text in (json.dumps(items), json.dumps({"actions": items}), *map(json.dumps, items)):
        parsed = read_commands(before + text + after)
        assert parsed.value is None or all(isinstance(command, str) for command in parsed.value)


@given(
    text=st.lists(
        st.sampled_from(
            (
                *('"actions"', "actions", "moves", ":", "[", "]", "{", "}", '"', "'", ",", "F"),
                *(" ", "\n", "```", "```json\n", "<think>", "</think>", OBSERVE, "\\", "\0", "R'"),
            )
        ),
        max_size=25,
    ).map("".join)
)
def test_any_text_is_read_without_an_exception(text: str) -> None:
    for mode in ("code", "no_code"):
        parsed = read_commands(text, mode)
        if parsed.strict:
            assert json.loads(text[text.rindex("{") :])


def test_long_lists_are_read_whole() -> None:
    turns = [TURNS[place % 12] for place in range(200_000)]
    reply = format_commands(turns, dense=True)
    assert len(reply) <= 1 << 20
    assert read_commands(reply).value == tuple(turns)
    assert read_commands(json.dumps({"actions": turns})).value == tuple(turns)


def test_long_items_are_cut() -> None:
    assert parse_entry(SOLVE + "U" * 5000) == ((SOLVE + "U" * 5000)[:LONGEST],)
    assert parse_entry(" ".join(["F"] * 5000)) == ("F",) * 5000


def test_runs_of_turns_share_an_item() -> None:
    assert merge_turns(["F", "R'", "up", "U", FINISH]) == ["F R'", "up", "U", FINISH]
    assert merge_turns([f"{REFUSED}F R", "F"]) == [f"{REFUSED}F R", "F"]
    assert parse_entry(f"{REFUSED}F R") == (f"{REFUSED}F R",)


def test_of_very_many_tool_calls_the_last_are_read() -> None:
    calls = ['{"tool": "make_move", "move": "F"}'] * CALLS
    assert read_commands("\n".join(calls)).value == ("F",) * CALLS
    assert (
        read_commands("\n".join(['{"tool": "make_move", "move": "R"}', *calls])).value
        == ("F",) * CALLS
    )


def test_what_is_nested_too_deep_is_no_list_wherever_the_interpreter_gives_up() -> None:
    for depth in (NESTED + 2, 500, *range(950, 1000), 100_000):
        nested = '{"name":' * depth + '"F"' + "}" * depth
        assert read_commands(nested).value is None
        assert read_commands(f'{{"actions": [{nested}]}}').value is None
        told = json.dumps({"name": "make_move", "arguments": nested})
        assert read_commands(f'{{"actions": [{told}, "R"]}}').value == (told[:LONGEST], "R")
    nested = '{"name":' * NESTED + '"F"' + "}" * NESTED
    assert read_commands(f'{{"actions": [{nested}]}}').value == ("F",)


def test_a_nested_call_with_much_in_it_is_written_out_once() -> None:
    filler = ",".join(["0"] * 100_000)
    nested = '{"name":' * NESTED + f'{{"name":"F","x":[{filler}]}}' + "}" * NESTED
    assert read_commands(f'{{"actions": [{nested}]}}').value is None
    nested = nested[len('{"name":') * 2 : -2]
    assert read_commands(f'{{"actions": [{nested}]}}').value == (
        f'{{"name": "F", "x": [{"0, " * LONGEST}'[:LONGEST],
    )


def test_a_run_of_blanks_is_gone_through_once() -> None:
    blanks = " " * 300_000
    assert read_commands(f'{{"actions": [F{blanks}}}').value is None
    assert read_commands(f'{{"actions": [F{blanks}, R ]}}').value == ("F", "R")


def test_commands_can_always_be_written_as_utf_8() -> None:
    parsed = read_commands('{"actions": ["\\ud800", "F\u2019", {"tool": "\\udfff"}]}')
    assert parsed.value is not None
    assert parsed.value[:2] == ("?", "F'")
    for command in parsed.value:
        command.encode("utf-8")


def test_nonsense_is_read_up_to_what_a_step_can_hold() -> None:
    words = [f"z{number}" for number in range(3 * REFUSALS)]
    for text in (json.dumps({"actions": ["F", *words]}), str({"actions": ["F", *words]})):
        parsed = read_commands(text)
        assert parsed.value == ("F", *words[:REFUSALS]) and not parsed.strict
    known = ["up", "F"] * REFUSALS
    assert read_commands(json.dumps({"actions": known})).value == tuple(known)
