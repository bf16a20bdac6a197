"""One answer, written in many ways: each is read as the plain one, or stays refused.

ways.json holds the ways by what is asked. "blanks": the answers are C and E to the blanks in steps
4 and 9, for "one blank" B in step 4; "correctness": {x} is the answer; "act": {b} is a command
without its label, {n} the same with nouns, {c} the whole command, {s} a sentence, {u} that without
nouns, {d} and {e} another command; "plan": [around, each, between], where {p} are the steps.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from facelet.generators.chamber.plans.step_sentences import FORMS, format_sentence, name_with_noun
from facelet.generators.chamber.replies import plan_parser
from facelet.generators.chamber.replies.plan_parser import format_command
from facelet.generators.chamber.tasks import act
from facelet.generators.chamber.world.chamber_records import Step, parse_step
from facelet.generators.core.replies import letter_list
from facelet.generators.core.replies.boundary import TAIL
from facelet.generators.core.replies.yes_no import yes_no

WAYS = json.loads((Path(__file__).parent / "ways.json").read_text(encoding="utf-8"))
PLAN = tuple(
    map(
        parse_step,
        (
            *(
                "take M1",
                "put B2 east",
                "shoot F1 blue P2",
                "both F1 P3 P4",
                "press S1",
                "stand B1",
            ),
            *("enter P1", "drop F3", "wait F2", "take C1", "put B3", "leave"),
        ),
    )
)


def strip_nouns(text: str, step: Step) -> str:
    for word in step.args:
        if word[-1].isdigit():
            text = text.replace(name_with_noun(word), word)
    return text


def format_with_nouns(step: Step) -> str:
    text = format_command(step)
    for word in {word for word in step.args if word[-1].isdigit()}:
        text = text.replace(word, name_with_noun(word))
    return text


def fill_template(way: str, **parts: str) -> str:
    for name, text in parts.items():
        way = way.replace(f"{{{name}}}", text)
    return way


def test_there_are_ways_enough() -> None:
    for kind in ("blanks", "correctness", "act", "plan"):
        same, refused = WAYS[kind]["same"], WAYS[kind]["refused"]
        assert len(set(map(str, same))) == len(same) >= 60 and len(refused) >= 15, kind


@pytest.mark.parametrize(
    ("kind", "gaps", "answer"), [("blanks", (4, 9), ("C", "E")), ("one blank", (4,), ("B",))]
)
def test_letters_of_blanks(kind: str, gaps: tuple[int, ...], answer: tuple[str, ...]) -> None:
    read = {way: letter_list.read_letters(way, gaps).value for way in WAYS[kind]["same"]}
    assert read == dict.fromkeys(read, answer)
    read = {way: letter_list.read_letters(way, gaps).value for way in WAYS[kind]["refused"]}
    assert read == dict.fromkeys(read)


def test_only_the_requested_form_of_blanks_is_strict() -> None:
    strict = {way for way in WAYS["blanks"]["same"] if letter_list.read_letters(way, (4, 9)).strict}
    assert strict == {way for way in WAYS["blanks"]["same"] if way.endswith("\nAnswer: C, E")} | {
        "Answer: C, E"
    }


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_yes_and_no(answer: str) -> None:
    read = {way: yes_no(fill_template(way, x=answer)).value for way in WAYS["correctness"]["same"]}
    assert read == dict.fromkeys(read, answer.lower())
    read = {
        way: yes_no(fill_template(way, x=answer)).value for way in WAYS["correctness"]["refused"]
    }
    assert read == dict.fromkeys(read)


@pytest.mark.parametrize("step", PLAN, ids=str)
def test_steps(step: Step) -> None:
    other = next(one for one in PLAN if one.verb != step.verb)
    bare = format_command(step)
    parts = {
        "b": bare,
        "B": bare.upper(),
        "c": f"My Step: {bare}",
        "d": f"My Step: {format_command(other)}",
        "e": format_command(other),
        "n": format_with_nouns(step),
    }
    for form in range(FORMS):
        words = format_sentence(step, form)
        parts |= {"s": words, "u": strip_nouns(words, step)}
        for way in WAYS["act"]["same"] if not form else ("{s}", "{u}", "My Step: {s}"):
            text = fill_template(way, **parts)
            found = act.TASK.read(text).value
            assert found is not None and act.step_of(found) == step, text
    for way in WAYS["act"]["refused"]:
        text = fill_template(way, **parts)
        assert act.TASK.read(text).value is None, text


def write_answer(way: tuple[str, str, str]) -> str:
    around, each, between = way
    lines = []
    for number, step in enumerate(PLAN, 1):
        words = format_sentence(step, number % FORMS)
        parts = {
            "c": format_command(step),
            "C": format_command(step).upper(),
            "m": format_with_nouns(step),
            "s": words,
        }
        lines.append(fill_template(each, n=str(number), u=strip_nouns(words, step), **parts))
    return around.replace("{p}", between.join(lines))


def test_plans() -> None:
    for way in WAYS["plan"]["same"]:
        found = plan_parser.read_plan(write_answer(way)).value
        assert found == PLAN, (write_answer(way), found and [*map(str, found)])
    for way in WAYS["plan"]["refused"]:
        assert plan_parser.read_plan(write_answer(way)).value is None, write_answer(way)


def test_a_plan_as_it_is_written_is_strict_and_no_other() -> None:
    text = plan_parser.write_plan(PLAN)
    assert plan_parser.read_plan(text) == plan_parser.read_plan(f"So:\n{text}")
    assert plan_parser.read_plan(text).strict
    for other in (text.lower(), f"{text}\n.", text.replace("Step 3", "Step  3"), f"{text}."):
        assert not plan_parser.read_plan(other).strict, other


def test_what_is_carried_is_checked_where_it_is_named() -> None:
    held = "Step 1: take C1\nStep 2: put {} on B1\nStep 3: leave"
    expected = (Step("take", ("C1",)), Step("put", ("B1",)), Step("leave"))
    assert plan_parser.read_plan(held.format("C1")).value == expected
    assert plan_parser.read_plan(held.format("the weighted cube C1")).value == expected
    assert plan_parser.read_plan(held.format("C2")).value is None


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "Blank 1: ",
            "1. C ",
            "C, ",
            "answer ",
            "(",
            "Step 1: take C1\n",
            "take C1; ",
            "-> ",
            "|-",
        ),
        *("from F1 ", "[", '["', "and ", "1", " ", "\n", "Step 1\n", "both F1 "),
    ],
)
def test_long_repeats_take_linear_time(piece: str) -> None:
    """A quadratic expression would need minutes here."""
    text = piece * (4 * TAIL // len(piece) + 100_000)
    for reply in (text, f"{text}x", f"Answer: {text}"):
        assert (
            letter_list.read_letters(reply, (1, 2)).value is None
            or not letter_list.read_letters(reply, (1, 2)).strict
        )
        assert not plan_parser.read_plan(reply).strict
        act.TASK.read(reply)
