"""What every task of the registry must keep, whatever it is about."""

import dataclasses
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import find_repeats
from prompt_only_players import read_fixed_share
from scipy.stats import binom

from facelet.generators.core import params
from facelet.generators.core.measures import F1_UNIT, MeanOf, WeightedMeanOf
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.core.text_game import Game
from facelet.generators.options.fairness_statistics import measure_balance
from facelet.pipeline.papers.paper_registry import find_reply_rule

COMMON = (
    *("id", "suite", "task", "task_version", "split", "difficulty_axis", "difficulty", "group"),
    *("messages", "images", "image_hashes", "gold", "canary", "provenance", "shown"),
)
TYPES: dict[str, tuple[type, ...]] = {
    "bool": (bool,),
    "int8": (int,),
    "int16": (int,),
    "int32": (int,),
    "int64": (int,),
    "float64": (float,),
    "string": (str,),
}
MAX_TURNS = 2000
SHARED_MOVES = 0.06
"""Share of puzzles that may be solved by another's moves in a task that is no game; 1 of 18 is."""
DOC_LENGTHS = range(10, 81)


# --- what a task says about itself ----------------------------------------------------------------


def test_names(task: Any) -> None:
    assert re.fullmatch(r"[a-z0-9]+/[a-z0-9_]+", task.name)
    family, name = task.name.split("/")
    assert type(task).__module__ == f"facelet.generators.{family}.tasks.{name}"
    assert isinstance(task.version, int) and task.version >= 1


def test_knobs_have_defaults_and_docs(task: Any) -> None:
    assert task.params.__dataclass_params__.frozen
    task.params().validate()
    docs = "\n".join(base.__doc__ or "" for base in task.params.__mro__)
    described = {name for name, *_ in params.explain_params(task.params)}
    for field in dataclasses.fields(task.params):
        said = re.search(rf"^ *{field.name}: ", docs, re.MULTILINE)
        assert said or field.name in described, field.name


def test_bad_knobs_are_refused_by_name_and_value(task: Any) -> None:
    hints = get_type_hints(task.params)
    for field in dataclasses.fields(task.params):
        hint = hints[field.name]
        bad: list[Any] = [-1, 10**9] if hint is int else []
        if get_origin(hint) is Literal and isinstance(get_args(hint)[0], str):
            bad = ["nonsense", ""]
        for value in bad:
            with pytest.raises(ValueError, match=re.escape(f"{field.name}={value!r}")) as caught:
                task.params(**{field.name: value}).validate()
            assert re.search(r"\buse\b", str(caught.value)), "the message names no fix"


def test_difficulty_fits_into_ids(task: Any) -> None:
    place = task.params().difficulty()
    assert re.fullmatch(r"[a-z0-9_-]{1,12}", place.label)
    assert re.fullmatch(r"[a-z][a-z0-9_]*", place.axis)


def test_columns_are_named_typed_and_explained(task: Any) -> None:
    names = [column.name for column in task.columns]
    assert len(set(names)) == len(names)
    assert not set(names) & set(COMMON)
    for column in task.columns:
        assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name)
        inner = re.fullmatch(r"list<(\w+)>|(\w+)", column.type)
        assert inner and (inner[1] or inner[2]) in TYPES
        assert len(column.doc) in DOC_LENGTHS and "\n" not in column.doc, (
            f"column {column.name} is explained in {len(column.doc)} characters; use one line of "
            f"{DOC_LENGTHS[0]} to {DOC_LENGTHS[-1]}"
        )


def test_measures_name_columns_that_exist(task: Any) -> None:
    names = {column.name for column in task.columns}
    for measure in task.measures:
        assert set(measure.by) <= names


# --- making rows ----------------------------------------------------------------------------------


def test_items_have_the_rows_that_they_should(case: Any) -> None:
    sizes = {len(item) for item in case.items}
    expected = case.task.rows_per_item(case.params)
    assert min(sizes) >= 1 if expected is None else sizes == {expected}


@pytest.mark.some(2)
def test_an_item_is_the_same_whenever_it_is_made(case: Any, generate: Callable[..., Any]) -> None:
    for index in reversed(range(len(case.items))):
        assert generate(case.task, case.params, index) == case.items[index]


def test_rows_hold_all_of_an_instance(case: Any) -> None:
    for instance in case.instances:
        row = case.task.encode(instance)
        assert case.task.decode(row) == instance
        common = dict.fromkeys(COMMON, None)
        assert case.task.decode({**common, **json.loads(json.dumps(row))}) == instance
        assert case.task.encode(case.task.decode(row)) == row


def test_rows_fit_the_columns(case: Any) -> None:
    for instance in case.instances:
        row = case.task.encode(instance)
        assert list(row) == [column.name for column in case.task.columns]
        for column in case.task.columns:
            assert fits_kind(row[column.name], column.type, optional=column.optional), column.name


def fits_kind(value: Any, kind: str, *, optional: bool = False) -> bool:
    if value is None:
        return optional
    if inner := re.fullmatch(r"list<(\w+)>", kind):
        return isinstance(value, list) and all(fits_kind(item, inner[1]) for item in value)
    if kind.startswith("int"):
        bits = int(kind[3:]) - 1
        return type(value) is int and -(2**bits) <= value < 2**bits
    return type(value) in TYPES[kind]


def test_items_differ(case: Any) -> None:
    said = find_repeats(case.task, case.params, case.instances)
    assert said == "" or case.task.repeat_reason(case.params)


def test_prompts_are_chats_and_the_same_each_time(case: Any) -> None:
    for instance in case.instances:
        prompt = case.task.open(instance).prompt()
        assert prompt == case.task.open(instance).prompt()
        assert [message.role for message in prompt.messages] == ["system", "user"]
        assert all(message.parts for message in prompt.messages)
        for message in prompt.messages:
            for part in message.parts:
                assert not isinstance(part, TextPart) or part.text.strip() == part.text != ""
        assert all(isinstance(hash(scene), int) for scene in prompt.iterate_scenes())


def test_claims_are_plain(case: Any) -> None:
    for instance in case.instances[:5]:
        for claim in case.task.claims(instance):
            assert list(claim.args) == sorted(claim.args)
            assert json.loads(json.dumps(claim.args)) == [list(pair) for pair in claim.args]


def test_groups_are_named(case: Any) -> None:
    for item in case.items:
        groups = {case.task.group_key(instance) for instance in item}
        assert len(groups) == 1 and groups != {""}


def test_prompts_that_differ_are_groups_of_their_own(case: Any) -> None:
    """So that rows count as often as they are independent; a task that is coarser says why."""
    groups, prompts = defaultdict(set), defaultdict(set)
    for instance in case.instances:
        prompt, group = case.task.open(instance).prompt(), case.task.group_key(instance)
        groups[group].add(prompt)
        prompts[prompt].add(group)
    shared = max(map(len, groups.values()))
    assert shared == 1 or case.task.shared_group, (
        f"{shared} rows with different first prompts share a group; let `group` hold all that the "
        "prompt shows, up to symmetry, or let `shared_group` say why they are one"
    )
    assert max(map(len, prompts.values())) == 1 or case.task.traits.hidden


# --- judging replies ------------------------------------------------------------------------------


def test_the_reference_player_succeeds(case: Any) -> None:
    for instance in case.instances:
        outcome = replay(case.task.open(instance), case.task.reference(instance))
        assert outcome.strict
        if case.task.gold_answer(instance) == "":
            assert outcome == Outcome(Status.UNGRADED, strict=True)
            continue
        assert outcome.status is Status.CORRECT
        assert outcome.gold == outcome.answer != ()
        for measure in case.task.measures:
            if isinstance(measure, WeightedMeanOf) and not outcome.metrics.get(measure.weight):
                continue
            if isinstance(measure, MeanOf):
                assert measure.metric in outcome.metrics


def test_a_player_that_says_nothing_is_unparsed(case: Any) -> None:
    for instance in case.instances:
        assert replay(case.task.open(instance), []).status is Status.UNPARSED
        outcome = play_text(case.task.open(instance), "")
        assert outcome.status is not Status.CORRECT and not outcome.strict


def test_a_papers_rule_reads_the_requested_format(case: Any) -> None:
    """What a strict reader takes, the paper's rule takes too, and to the same end."""
    for instance in case.instances:
        reading = find_reply_rule(case.task, instance)
        if reading is None or not case.task.gold_answer(instance):
            return
        said = []
        for turn, reply in enumerate(case.task.reference(instance)):
            read = reply if reading.is_unparsed(turn) else reading.read(reply)
            assert read is not None, f"{reading.words}: {reply!r}"
            said.append(read)
        assert replay(case.task.open(instance), said).status is Status.CORRECT
        assert reading.read("") is None and reading.read("I refuse.") is None
        assert reading.words


@pytest.mark.some(2)
def test_replies_to_another_puzzle_are_wrong(case: Any) -> None:
    right_too = 0
    for left, right in zip(case.instances, case.instances[1:], strict=False):
        replies = case.task.reference(right)
        # Letters of drawn options may be the same for two puzzles, and are right for both then.
        if case.task.gold_answer(left) != case.task.gold_answer(
            right
        ) and replies != case.task.reference(left):
            outcome = replay(case.task.open(left), replies)
            right_too += outcome.status is Status.CORRECT
    # Moves that reach one goal may reach another's too. A game whose puzzles are often won so says
    # how often, by a share that is measured over many more pairs than these: of so few, more than
    # that share win by chance.
    share = SHARED_MOVES if case.task.traits.simulated else 0.0
    most = int(share * len(case.instances))
    if isinstance(case.task, Game):
        share = read_fixed_share(case.task, case.params)
        most = int(binom.ppf(0.999, len(case.instances) - 1, share))
    assert right_too <= most, (
        f"{right_too} of {len(case.instances)} items are won by the reference replies to another; "
        f"at most {most} may be, for a share of {share:.0%}. Make what wins depend more on the "
        "puzzle, or, where many must be won so, measure the share and let the game say it by "
        "`fixed`"
    )


@pytest.mark.some(3)
@pytest.mark.parametrize("wrap", ["<think>{}", "I refuse.{:.0}", "\0{:.0}", "{:.0} "])
def test_hidden_or_missing_answers_earn_nothing(case: Any, wrap: str) -> None:
    for instance in case.instances:
        if case.task.gold_answer(instance):
            replies = [wrap.format(reply) for reply in case.task.reference(instance)]
            outcome = replay(case.task.open(instance), replies)
            assert outcome.status is not Status.CORRECT and not outcome.strict


def play_text(episode: Episode, text: str) -> Outcome:
    """Say the same until the episode ends."""
    for _ in range(MAX_TURNS):
        result = episode.reply(text)
        if isinstance(result, Outcome):
            return result
    raise AssertionError(f"the episode does not end after {MAX_TURNS} replies {text!r}")


FRAGMENTS = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(("<", ">", "</", "[", "]", "{", "}", "\n", " ", ":", "|", "*", "'", "2")),
        st.sampled_from(("ANSWER", "<ANSWER>", "Answer: ", "Row 1: [", "<think>", "</think>")),
    ),
    max_size=20,
).map("".join)


@pytest.mark.some(2)
@settings(max_examples=60)
@given(text=FRAGMENTS, data=st.data())
@pytest.mark.some(3)
def test_any_reply_is_judged(task: Any, text: str, data: st.DataObject, make_case: Any) -> None:
    """No string raises, and what counts as correct says what the reference says."""
    case = make_case(task.name, task.params())
    instance = case.instances[data.draw(st.integers(0, len(case.instances) - 1))]
    outcome = play_text(task.open(instance), text)
    assert play_text(task.open(instance), text) == outcome
    if outcome.status is Status.CORRECT:
        best = replay(task.open(instance), task.reference(instance))
        assert outcome.answer == best.answer
    for name, value in outcome.metrics.items():
        assert isinstance(value, int | float) and not isinstance(value, bool), name


@settings(max_examples=40)
@given(text=st.text(alphabet=st.characters(exclude_categories=["L", "N"])))
@pytest.mark.some(3)
def test_signs_alone_are_never_correct(task: Any, text: str, make_case: Any) -> None:
    for instance in make_case(task.name, task.params()).instances[:3]:
        assert play_text(task.open(instance), text).status is not Status.CORRECT


# --- labels ---------------------------------------------------------------------------------------


@pytest.mark.some(3)
def test_labels_hold(case: Any) -> None:
    for instance in case.instances:
        assert case.task.find_faults(instance) == []


def test_answers_that_stand_in_rows_are_marked(case: Any) -> None:
    """The tests below tamper with the columns of role "answer"."""
    if not any(column.role == "answer" for column in case.task.columns):
        for instance in case.instances:
            outcome = replay(case.task.open(instance), case.task.reference(instance))
            values = case.task.encode(instance).values()
            assert case.task.gold_answer(instance) not in values
            assert not any(value in (outcome.gold, list(outcome.gold)) for value in values)


def tamper_answers(case: Any) -> list[tuple[Any, Any]]:
    """Return pairs of an instance and a copy that has another one's answer, column by column."""
    pairs = []
    columns = [column for column in case.task.columns if column.role == "answer"]
    for column in columns:
        for left in case.instances:
            row = case.task.encode(left)
            values = (case.task.encode(right)[column.name] for right in case.instances)
            other = next((value for value in values if value != row[column.name]), None)
            if other is not None:
                pairs.append((left, case.task.decode({**row, column.name: other})))
    assert pairs or not columns, "all items have the same answer"
    return pairs


@pytest.mark.some(2)
def test_false_labels_are_found(case: Any) -> None:
    for _, changed in tamper_answers(case):
        assert case.task.find_faults(changed) != []


@pytest.mark.some(2)
def test_prompts_do_not_depend_on_the_answer(case: Any) -> None:
    for instance, changed in tamper_answers(case):
        assert case.task.open(instance).prompt() == case.task.open(changed).prompt()


def test_what_is_hidden_is_not_in_the_first_prompt(case: Any) -> None:
    """Rows that differ in hidden columns alone begin alike."""
    hidden = [column.name for column in case.task.columns if column.role in ("secret", "unseen")]
    assert case.task.traits.hidden == bool(hidden) or not hidden
    for left, right in zip(case.instances, case.instances[1:], strict=False):
        other = case.task.encode(right)
        row = case.task.encode(left) | {name: other[name] for name in hidden}
        prompt = case.task.open(left).prompt()
        try:
            changed = case.task.decode(row)
        except ValueError:
            continue  # what is hidden belongs to what is shown, and to nothing else
        assert case.task.open(changed).prompt() == prompt


def test_prompts_do_not_contain_a_reference_reply(case: Any) -> None:
    for instance in case.instances:
        text = "\n".join(
            part.text
            for message in case.task.open(instance).prompt().messages
            for part in message.parts
            if isinstance(part, TextPart)
        )
        for reply in case.task.reference(instance):
            # Shorter ones may be words of the rules: "Answer: Yes", or the name of an action.
            assert len(reply) < 24 or reply not in text


def test_single_answers_are_balanced_in_blocks(case: Any) -> None:
    """Every full block of items holds each label equally often, at each place in the item.

    Not where a label is rare, and scored by its F1: there it may be at any place of an item.
    """
    if getattr(case.task.chance_level(case.params), "of", "").startswith(F1_UNIT):
        return
    for place in range(case.task.rows_per_item(case.params) or 1):
        row = [item[place] for item in case.items]
        golds = [replay(case.task.open(i), case.task.reference(i)).gold for i in row]
        labels = sorted({gold[0] for gold in golds if len(gold) == 1})
        if 2 <= len(labels) <= 8 and all(len(gold) == 1 for gold in golds):
            found = measure_balance([gold[0] for gold in golds], labels)
            assert (found.block, found.deviation) == (len(labels), 0)


# --- across processes -----------------------------------------------------------------------------

PROGRAM = """
import hashlib, json, runpy, sys
sys.path.insert(0, "tests/shared")
from facelet.generators.core import task_registry as registry
from making import make_item, number_of_items
make_resource = runpy.run_path("tests/conftest.py")["make_resource"]
state = hashlib.sha256()
for name, task in registry.tasks().items():
    params = task.params()
    resource = make_resource(task.needs(params))
    for index in range(number_of_items(task, params, resource, 4)):
        for instance in make_item(task, params, resource, (0, "hash seed", name), index):
            state.update(json.dumps(task.encode(instance)).encode())
            state.update(repr(task.open(instance).prompt()).encode())
print(state.hexdigest())
"""


@pytest.mark.slow
def test_hash_seed_of_the_process_has_no_influence() -> None:
    seen = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "4242")
    }
    assert len(seen) == 1
