"""What is read out of replies as actions and plans, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.labyrinth.board.actions import InsertAction, MoveAction, Turn
from facelet.generators.labyrinth.plan_task.action_grammar import parse_action
from facelet.generators.labyrinth.plan_task.plan_parser import (
    OPENING,
    read_action,
    read_plan,
    write_plan,
)

LEFT = InsertAction("left", 5, 0)
TOP = InsertAction("top", 1, 3)
ONE = (LEFT, MoveAction((2, 4)))
TWO = (TOP, MoveAction(None))
PLAN = (
    "The final solution is:\n"
    "Turn 1: INSERT(side='left', slot=5, rotation=0); MOVE(x=2, y=4)\n"
    "Turn 2: INSERT(side='top', slot=1, rotation=3); MOVE()"
)


def test_the_requested_form_is_strict() -> None:
    assert write_plan((ONE, TWO)) == PLAN
    for text in (PLAN, f"I think so.\n\n{PLAN}\n", f"<think>MOVE(x=1, y=1)</think>{PLAN}"):
        parsed = read_plan(text)
        assert parsed.value == (*ONE, *TWO) and parsed.strict, text
    fenced = PLAN.replace("is:\n", "is:\n```\n") + "\n```"
    assert read_plan(fenced).strict
    assert read_plan(f"{OPENING}\nTurn 1: MOVE(x=0, y=6)").strict


LENIENT = [
    PLAN.replace("x=", "").replace("y=", ""),
    PLAN.replace("'", '"'),
    PLAN.replace("side=", "").replace("slot=", "").replace("rotation=", "").replace("'", ""),
    PLAN.lower(),
    PLAN.replace("; ", "\n"),
    PLAN.replace("Turn 1: ", "1. ").replace("Turn 2: ", "2. "),
    PLAN.replace("INSERT", "**INSERT**").replace("MOVE", "`MOVE`"),
    PLAN.replace("MOVE(x=2, y=4)", "MOVE((2, 4))"),
    PLAN.partition("\n")[2],
    f"First I tried INSERT(top, 1, 0); MOVE(). It fails.\n{PLAN.partition(chr(10))[2]}",
    f"The final solution is near.\nTurn 1: INSERT(top, 3, 3); MOVE(1,1)\nNo. {PLAN}",
    f"Turn 1: INSERT(top, 3, 3); MOVE(1,1)\n\n{PLAN.partition(chr(10))[2]}",
    f"{PLAN}\nThis reaches the target.",
]


@pytest.mark.parametrize("text", LENIENT)
def test_other_forms_are_read_too(text: str) -> None:
    parsed = read_plan(text)
    assert parsed.value == (*ONE, *TWO)
    assert not parsed.strict


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I do not know.",
        "INSERT the tile at the left, then MOVE.",
        "<think>" + PLAN,
        "INSERT(side='left', slot=five, rotation=0)",
        "REMOVE(x=1, y=2)",
        f"{PLAN}\nThe final answer is: none.",
    ],
)
def test_no_plan_is_guessed(text: str) -> None:
    assert read_plan(text).value is None


INSERTS = ("INSERT(side='left', slot=5, rotation=0)", "INSERT(side='top', slot=1, rotation=3)")
MOVES = ("MOVE(x=2, y=4)", "MOVE()")

TALKATIVE = {
    "a comment after each turn": PLAN.replace("\n", "  # pawn moves\n") + "  # pawn moves",
    "a sentence between turns": PLAN.replace("\nTurn 2", "\nThe pawn is at (2, 4).\nTurn 2"),
    "None for a move that stays": PLAN.replace("MOVE()", "MOVE(None)"),
    "a box of one line": r"\boxed{" + PLAN.partition("\n")[2].replace("\n", r" \\ ") + "}",
    "an arrow": PLAN.replace("; ", " \u2192 "),
    "a double arrow": PLAN.replace("; ", " => "),
    "a closing sentence that names a move": f"{PLAN}\n\nMOVE(x=2, y=4) opens the way.",
    "a closing sentence that names the plan": f"{PLAN}\n\nThis final plan takes two turns.",
    "remarks on the turns": f"{PLAN}\n\n- Turn 1: row 5 slides.\n- Turn 2: the treasure comes.",
    "a turn in two lines": "\n".join(
        f"Turn {1 + n // 2}: {action}"
        for n, action in enumerate((INSERTS[0], MOVES[0], INSERTS[1], MOVES[1]))
    ),
    "no labels, a sentence between": f"The final solution is: {INSERTS[0]}; {MOVES[0]}. Now the "
    f"corridor is open. {INSERTS[1]}; {MOVES[1]}.",
    "a table": f"| Turn | Insert | Move |\n|--|--|--|\n| 1 | {INSERTS[0]} | {MOVES[0]} |\n"
    f"| 2 | {INSERTS[1]} | {MOVES[1]} |",
    "arguments in another order": PLAN.replace(
        "side='left', slot=5, rotation=0", "rotation=0, side='left', slot=5"
    ),
}


@pytest.mark.parametrize("kind", TALKATIVE)
def test_words_around_the_turns_drop_no_turn(kind: str) -> None:
    assert read_plan(TALKATIVE[kind]).value == (*ONE, *TWO)


@pytest.mark.parametrize(
    "text",
    [
        PLAN.replace(INSERTS[1], "push the spare tile in at the top of column 1"),
        PLAN.replace(INSERTS[1], "INSERT(side='top', slot=1, rotation=R3)"),
        PLAN.replace(MOVES[0], "stay where you are"),
        PLAN.replace("Turn 2", "Turn 3"),
        PLAN.replace("Turn 1", "Turn 0"),
        PLAN.partition("\nTurn 1")[0] + "\nTurn 2" + PLAN.partition("\nTurn 2")[2],
        f"{INSERTS[0]}; {MOVES[0]}\n\nNo, I would rather use this one.\n\n{INSERTS[1]}; {MOVES[1]}",
        PLAN.replace("MOVE()", "MOVE() or MOVE(x=1, y=1)"),
    ],
)
def test_a_plan_with_unread_parts_is_no_plan(text: str) -> None:
    """It must not be judged by the turns that happen to be readable."""
    assert read_plan(text) == Parsed(None, strict=False)


def test_a_last_line_of_one_action_wins() -> None:
    above = (PLAN, "1. " + "\n2. ".join((*INSERTS, *MOVES)), f"{PLAN}\n\nSo I begin with:")
    for text in above:
        parsed = read_action(f"{text}\n\n{INSERTS[0]}")
        assert (parsed.value, parsed.strict) == (LEFT, True)
        parsed = read_action(f"{text}\n\nAction: **{INSERTS[0]}**")
        assert (parsed.value, parsed.strict) == (LEFT, False)
    assert read_action(f"{INSERTS[0]}\n{MOVES[0]}") == Parsed(None, strict=False)
    assert read_action(f"{INSERTS[0]} or {INSERTS[1]}") == Parsed(None, strict=False)


def test_illegal_actions_are_read_as_they_are() -> None:
    text = "Turn 1: INSERT(side='middle', slot=6, rotation=9); MOVE(x=-1, y=12)\nTurn 2: MOVE(1, 1)"
    assert read_plan(text).value == (
        InsertAction("middle", 6, 9),
        MoveAction((-1, 12)),
        MoveAction((1, 1)),
    )


def test_one_action_is_read_alone() -> None:
    strict = read_action("I push.\nINSERT(side='left', slot=5, rotation=0)")
    assert strict.value == LEFT and strict.strict
    for text in ("MOVE(2,4).", "I choose `MOVE(x=2, y=4)` now", "MOVE(1, 1)? No: MOVE(2, 4)"):
        parsed = read_action(text)
        assert parsed.value == MoveAction((2, 4)) and not parsed.strict
    for text in ("", "stay", "INSERT(left, 5, 0); MOVE(2, 4)", "Turn 1: MOVE(); MOVE()"):
        assert read_action(text).value is None


ACTIONS = st.one_of(
    st.builds(MoveAction, st.one_of(st.none(), st.tuples(st.integers(0, 6), st.integers(0, 6)))),
    st.builds(
        InsertAction,
        st.sampled_from(("top", "right", "bottom", "left")),
        st.integers(0, 6),
        st.integers(0, 3),
    ),
)
TURNS: st.SearchStrategy[Turn] = st.lists(ACTIONS, min_size=1, max_size=2).map(tuple)


@given(st.lists(TURNS, min_size=1, max_size=9))
def test_what_is_written_is_read(turns: list[Turn]) -> None:
    text = write_plan(turns)
    assert read_plan(text).value == tuple(action for turn in turns for action in turn)
    for turn in turns:
        for action in turn:
            assert parse_action(str(action)) == action
            assert read_action(str(action)).value == action


def test_what_is_no_action_is_refused() -> None:
    with pytest.raises(ValueError, match="'JUMP' is no action; write INSERT"):
        parse_action("JUMP")


@pytest.mark.parametrize("piece", ["INSERT(", "MOVE(1,", "turn 1 ", "MOVE()", "( ", "the final "])
def test_long_replies_take_linear_work(piece: str) -> None:
    """An expression that backtracks would not end on these."""
    for reader in (read_plan, read_action):
        assert not reader(piece * 20_000).strict
    assert read_plan(f"{piece * 20_000}\nSo:\n{PLAN}").value == (*ONE, *TWO)
