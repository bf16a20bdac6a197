"""Reflection: three turns filled from the player's replies, and no leak where none is meant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import pytest

from facelet.generators.core.prompts import Prompt, TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Status
from facelet.generators.cube.states.certified_states import CertifiedStates
from facelet.generators.cube.tasks import move_prediction
from facelet.generators.cube.tasks.reflection import LONGEST, TASK, Instance, Params

Pools = Callable[..., CertifiedStates]
PLAIN = "I was hasty."


@pytest.fixture
def make(pools: Pools) -> Callable[..., Instance]:
    def make_item(depth: int = 2, index: int = 7, **knobs: str) -> Instance:
        params = Params(depth=depth, **knobs)  # type: ignore[arg-type]
        return TASK.generate(params, Draw(("t",), index), pools("htm", depth))[0]

    return make_item


def prompt_words(prompt: Prompt | Outcome) -> str:
    assert isinstance(prompt, Prompt)
    return "\n".join(
        part.text
        for message in prompt.messages
        for part in message.parts
        if isinstance(part, TextPart)
    )


def play_turns(instance: Instance, *replies: str) -> list[Prompt | Outcome]:
    """Return the first prompt, and what each reply leads to."""
    episode = TASK.open(instance)
    return [episode.prompt(), *map(episode.reply, replies)]


def wrong_letter(instance: Instance) -> str:
    return "B" if instance.question.answer == "A" else "A"


def test_the_draft_is_the_item_of_move_prediction(pools: Pools) -> None:
    twin = move_prediction.TASK
    for index in range(6):
        ours = Draw((0, TASK.name, TASK.version, "test", "optimal_depth", 2), index)
        theirs = Draw((0, twin.name, twin.version, "test", "optimal_depth", 2), index)
        pool = pools("htm", 2)
        (own,) = TASK.generate(Params(depth=2), ours, pool)
        other = twin.generate(move_prediction.Params(depth=2), theirs, pool)[0]
        assert TASK.open(own).prompt() == twin.open(other).prompt()
        assert TASK.gold_answer(own) == twin.gold_answer(other)


def test_each_turn_is_a_whole_chat_of_its_own(make: Callable[..., Instance]) -> None:
    instance = make()
    prompts = play_turns(instance, "Answer: A", PLAIN)
    assert [prompt.fresh for prompt in prompts] == [False, True, True]  # type: ignore[union-attr]
    for prompt in prompts:
        assert [message.role for message in prompt.messages] == ["system", "user"]  # type: ignore[union-attr]
        assert len(list(prompt.iterate_scenes())) == 1  # type: ignore[union-attr]
        for option in instance.question.options:
            assert f": {option}" in prompt_words(prompt)


@pytest.mark.parametrize(
    ("draft", "shown"),
    [("<ANSWER>C</ANSWER>", "C"), ("It may be (b).", "none"), ("Answer: D", "D"), ("", "none")],
)
def test_the_reflection_is_about_the_draft_that_was_given(
    make: Callable[..., Instance], draft: str, shown: str
) -> None:
    assert f"You chose the option: {shown}." in prompt_words(play_turns(make(), draft)[1])


def test_the_re_answer_shows_the_reflection_without_thoughts(
    make: Callable[..., Instance],
) -> None:
    instance = make()
    again = prompt_words(play_turns(instance, "Answer: A", f"<think>B, surely</think>{PLAIN}")[2])
    assert f"--- reflection ---\n{PLAIN}\n--- end" in again and "surely" not in again
    assert "A > B > C > D" in again
    assert "--- reflection ---\n(nothing was written)\n" in prompt_words(
        play_turns(instance, "", " \n")[2]
    )
    long = prompt_words(play_turns(instance, "", "x" * (LONGEST + 1) + "end")[2])
    assert f"{'x' * (LONGEST - 3)}end\n--- end" in long and "x" * (LONGEST - 2) not in long


@pytest.mark.parametrize("said", ["{reflection}", "{draft_choice}", "{0}", "{", "%s", "\\1"])
def test_no_reply_is_a_template(make: Callable[..., Instance], said: str) -> None:
    assert f"\n{said}\n" in prompt_words(play_turns(make(), said, said)[2])


def test_no_mark_is_left_unfilled(make: Callable[..., Instance]) -> None:
    """Nothing but the player's own words brings a brace into a prompt."""
    for condition, verdict in product(("redacted", "unredacted"), ("none", "incorrect")):
        instance = make(condition=condition, verdict=verdict)
        for prompt in play_turns(instance, "Answer: A", PLAIN):
            assert not set("{}") & set(prompt_words(prompt))


def test_only_the_unredacted_reflection_tells_the_answer(make: Callable[..., Instance]) -> None:
    for condition in ("redacted", "unredacted"):
        instance = make(condition=condition)
        others = [
            replace(instance, question=replace(instance.question, answer=letter))
            for letter in "ABCD"
        ]
        seen = [
            {prompt_words(play_turns(one, "Answer: A", PLAIN)[k]) for one in others}
            for k in range(3)
        ]
        assert [len(each) for each in seen] == [1, 4 if condition == "unredacted" else 1, 1]
    told = f"The option that solves the cube is {instance.question.answer}."
    assert told in prompt_words(play_turns(instance, "")[1])
    assert "[REDACTED]" in prompt_words(play_turns(make(), "")[1])


def test_the_conditions_end_alike(make: Callable[..., Instance]) -> None:
    redacted, unredacted = (make(condition=name) for name in ("redacted", "unredacted"))
    for place, same in enumerate((True, False, True)):
        ours, theirs = (
            play_turns(one, "Answer: A", PLAIN)[place] for one in (redacted, unredacted)
        )
        assert (ours == theirs) == same


def test_the_draft_is_called_incorrect_only_if_asked_for(make: Callable[..., Instance]) -> None:
    for letter in "ABCD":
        draft = f"Answer: {letter}"
        assert "incorrect" not in prompt_words(play_turns(make(), draft)[1])
        said = prompt_words(play_turns(make(verdict="incorrect"), draft)[1])
        assert f"You chose the option: {letter}, which does not solve the cube." in said


def test_what_a_play_comes_to(make: Callable[..., Instance]) -> None:
    instance = make()
    good, bad = (
        f"<ANSWER>{instance.question.answer}</ANSWER>",
        f"<ANSWER>{wrong_letter(instance)}</ANSWER>",
    )
    expected = {
        (good, good): {"overthink_rate": 0},
        (good, bad): {"overthink_rate": 1},
        (good, "?"): {"overthink_rate": 1},
        (bad, good): {"error_fix_rate": 1},
        (bad, bad): {"error_fix_rate": 0},
        ("?", good): {"error_fix_rate": 1},
        ("?", "?"): {"error_fix_rate": 0},
    }
    for (draft, final), rates in expected.items():
        outcome = replay(TASK.open(instance), [draft, PLAIN, final])
        before, after = draft == good, final == good
        assert outcome.metrics == {
            "initial_accuracy": before,
            "final_accuracy": after,
            "gain": after - before,
            "draft_wrong": not before,
            "draft_right": before,
            "replies": 2,
            "reply_parse_rate": 1 - (draft, final).count("?") / 2,
            **rates,
        }
        status = {good: Status.CORRECT, bad: Status.WRONG, "?": Status.UNPARSED}[final]
        assert (outcome.status, outcome.strict) == (status, "?" not in (draft, final))


def test_a_play_that_ends_early_comes_to_nothing(make: Callable[..., Instance]) -> None:
    instance = make()
    for replies in ([], ["Answer: A"], ["Answer: A", PLAIN]):
        outcome = replay(TASK.open(instance), replies)
        assert (outcome.status, outcome.metrics) == (Status.UNPARSED, {})


def test_a_condition_that_does_not_exist_is_found(make: Callable[..., Instance]) -> None:
    odd = replace(make(), condition="guided", verdict="right")  # type: ignore[arg-type]
    assert TASK.find_faults(odd) == ["unknown condition 'guided'", "unknown verdict 'right'"]
