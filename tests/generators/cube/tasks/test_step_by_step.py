"""The closed loop as an episode, by hand and against a twin that knows distances; and its tree."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import PicturePart, Prompt
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Reject, Status
from facelet.generators.cube.closed_loop.prompts import POLICIES, Params
from facelet.generators.cube.engine import moves
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.generators.options.letter_placement import LETTERS

LOOP, TREE = task_registry.load_task("cube/step_by_step"), task_registry.load_task("cube/step_tree")


def make_draw(task: Any, depth: int, index: int) -> Draw:
    return Draw((0, task.name, task.version, "test", "optimal_depth", depth), index)


@pytest.fixture(scope="module")
def make(resource: Any) -> Any:
    """Return what makes an item: of the loop, and of the tree."""

    @cache
    def make_rows(index: int, **values: Any) -> tuple[Any, tuple[Any, ...]]:
        params = Params(**values)
        pool = resource(LOOP.needs(params))
        (episode,) = LOOP.generate(params, make_draw(LOOP, params.depth, index), pool)
        return episode, TREE.generate(params, make_draw(TREE, params.depth, index), pool)

    return make_rows


@pytest.fixture(scope="module")
def forked(make: Any) -> Any:
    """Return what finds an item whose start has another optimal option, not the last step."""

    def find_forked(**values: Any) -> Any:
        for index in range(60):
            instance, _ = make(index, **{"depth": 3, **values})
            if len(instance.graph.nodes[0].progress_letters()) == 2:
                return instance
        raise AssertionError("no item has two optimal options at its start")

    return find_forked


def tag_letter(letter: str) -> str:
    return f"<ANSWER>{letter}</ANSWER>"


def wrong_letter(instance: Any, number: int = 0) -> str:
    return next(x for x in LETTERS if x not in instance.graph.nodes[number].progress_letters())


def teacher_letter(instance: Any) -> str:
    return str(instance.graph.answers[: instance.state.optimal_depth])


def other_optimal_letter(instance: Any) -> str:
    """Return the optimal option at the start that is not the teacher's."""
    node, answer = instance.graph.nodes[0], instance.graph.answers[0]
    return next(letter for letter in node.progress_letters() if letter != answer)


def play_replies(instance: Any, *replies: str) -> Outcome:
    outcome = replay(LOOP.open(instance), replies)
    assert outcome.metrics, "the episode has not ended"
    return outcome


def outcome_figures(outcome: Outcome) -> tuple[float, ...]:
    names = ("teacher_adherence", "perfect", "optimal_adherence", "optimal_perfect")
    return tuple(outcome.metrics[name] for name in names)


# --- hand-made episodes ---------------------------------------------------------------------------


def test_all_of_the_teachers_moves_are_a_perfect_solve(make: Any) -> None:
    instance, _ = make(0, depth=4)
    outcome = play_replies(instance, *map(tag_letter, teacher_letter(instance)))
    assert (outcome.status, outcome.strict, outcome_figures(outcome)) == (
        Status.CORRECT,
        True,
        (1,) * 4,
    )
    assert outcome.gold == outcome.answer == tuple(teacher_letter(instance))
    assert LOOP.gold_answer(instance) == " ".join(teacher_letter(instance))


def test_a_move_that_is_not_closer_ends_the_episode(make: Any) -> None:
    instance, _ = make(0, depth=4)
    replies = [*teacher_letter(instance)[:2], wrong_letter(instance, 2)]
    outcome = play_replies(instance, *map(tag_letter, replies), tag_letter("A"), tag_letter("A"))
    assert (outcome.status, outcome_figures(outcome)) == (Status.WRONG, (0.5, 0, 0.5, 0))
    assert outcome.answer == (*replies, "")


def test_a_reply_without_a_choice_ends_the_episode(make: Any) -> None:
    instance, _ = make(0, depth=4)
    outcome = play_replies(
        instance,
        tag_letter(teacher_letter(instance)[0]),
        "Hm.",
        tag_letter(teacher_letter(instance)[1]),
    )
    assert (outcome.status, outcome.strict) == (Status.UNPARSED, False)
    assert outcome_figures(outcome) == (0.25, 0, 0.25, 0)


def test_idk_is_no_choice_where_it_is_not_offered(make: Any) -> None:
    outcome = play_replies(make(0, depth=2)[0], tag_letter("IDK"))
    assert outcome.status is Status.UNPARSED
    assert "apa" not in outcome.metrics


def test_another_optimal_move_is_made_but_is_not_the_teachers(forked: Any) -> None:
    instance = forked(abstain="skip_item")
    replies = [other_optimal_letter(instance)]
    episode = LOOP.open(instance)
    number = instance.graph.nodes[0].next_node(replies[0])
    now = episode.reply(tag_letter(replies[0]))
    while isinstance(now, Prompt):
        replies.append(instance.graph.answers[number])
        number = instance.graph.nodes[number].next_node(replies[-1])
        now = episode.reply(tag_letter(replies[-1]))
    assert len(replies) == 3
    assert now.status is Status.WRONG
    assert outcome_figures(now) == (2 / 3, 0, 1, 1)
    assert now.answer == tuple(replies)


def test_an_abstention_takes_the_teachers_move(make: Any) -> None:
    instance, _ = make(0, depth=4, abstain="teacher_on_abstain", idk_credit=50)
    letters = teacher_letter(instance)
    outcome = play_replies(
        instance, "I don't know.", tag_letter(letters[1]), tag_letter("IDK"), tag_letter(letters[3])
    )
    assert (outcome.status, outcome.strict) == (Status.WRONG, False)
    assert outcome_figures(outcome) == (0.5, 0, 0.5, 0)
    assert outcome.answer == ("IDK", letters[1], "IDK", letters[3])
    expected = {
        "decisions": 4,
        "answered": 2,
        "correct_answers": 2,
        "idk_answers": 2,
        "coverage": 0.5,
        "selective_accuracy": 1,
        "idk_rate": 0.5,
        "apa": (2 + 0.5 * 2) / 4,
    }
    expected |= {f"step_{step}_coverage": float(step in (2, 4)) for step in (1, 2, 3, 4)}
    assert {name: outcome.metrics[name] for name in expected} == expected
    assert "step_5_coverage" not in outcome.metrics


def test_an_abstention_ends_the_episode(make: Any) -> None:
    instance, _ = make(0, depth=4, abstain="skip_item")
    outcome = play_replies(
        instance, tag_letter(teacher_letter(instance)[0]), tag_letter("IDK"), tag_letter("A")
    )
    assert (outcome.status, outcome_figures(outcome)) == (Status.WRONG, (0.25, 0, 0.25, 0))
    assert outcome.metrics["apa"] == (1 + 0.25) / 2
    assert outcome.metrics["coverage"] == 0.5


def test_a_parse_failure_is_a_decision_but_no_answer(make: Any) -> None:
    instance, _ = make(0, depth=4, abstain="teacher_on_abstain")
    outcome = play_replies(instance, tag_letter("IDK"), "A or B")
    assert outcome.status is Status.UNPARSED
    counts = ("decisions", "answered", "idk_answers", "coverage", "apa")
    assert [outcome.metrics[name] for name in counts] == [2, 0, 1, 0, 0.125]
    assert "selective_accuracy" not in outcome.metrics


# --- any replies ----------------------------------------------------------------------------------

SAID = st.lists(
    st.one_of(
        st.sampled_from(
            [*map(tag_letter, LETTERS), "ANSWER: b", "C", "idk", tag_letter("IDK"), "E", "", "A/B"]
        ),
        # Without letters: "A." is an answer too, and the twin knows none but those listed.
        st.text(st.characters(exclude_categories=["L"]), max_size=8),
    ),
    min_size=5,
    max_size=5,
)
LENIENT = {"ANSWER: b": "B", "C": "C", **{tag_letter(letter): letter for letter in LETTERS}}


@cache
def near_distances() -> dict[str, int]:
    shells = shells_to("htm", 4)
    return {state: distance for distance, shell in enumerate(shells) for state in shell}


@pytest.mark.parametrize("policy", POLICIES)
@given(replies=SAID, index=st.integers(0, 19))
def test_any_replies_are_judged_as_by_a_twin_that_moves_the_cube(
    make: Any, policy: str, replies: list[str], index: int
) -> None:
    instance, _ = make(index, depth=3, abstain=policy)
    nodes = {n.state: (n, a) for n, a in zip(*read_graph(instance), strict=True)}
    now, kinds = instance.state.facelets, []
    for text in replies:
        node, answer = nodes[now]
        abstains = policy != "off" and text in ("idk", tag_letter("IDK"), "E")
        letter = LENIENT.get(text, text.strip().upper() if text.strip().upper() in LETTERS else "")
        letter = letter if len(letter) == 1 else ""
        kinds.append("idk" if abstains else "none" if not letter else "letter")
        if abstains and policy == "teacher_on_abstain":
            letter = answer
        if not letter or (abstains and policy == "skip_item"):
            break
        after = moves.apply_maneuver(now, (node.options[LETTERS.index(letter)],))
        if near_distances().get(after, 99) >= near_distances()[now]:
            break
        if not abstains:
            kinds[-1] = "teacher" if letter == answer else "optimal"
        now = after
        if near_distances()[now] == 0:
            break
    outcome = play_replies(instance, *replies)
    teacher, optimal = kinds.count("teacher"), kinds.count("optimal")
    assert outcome_figures(outcome) == (
        pytest.approx(teacher / 3),
        teacher == 3,
        pytest.approx((teacher + optimal) / 3),
        teacher + optimal == 3,
    )
    assert (outcome.status is Status.UNPARSED) == (kinds[-1] == "none")
    assert (outcome.status is Status.CORRECT) == (teacher == 3)
    if policy != "off":
        assert outcome.metrics["decisions"] == len(kinds)
        assert outcome.metrics["idk_answers"] == kinds.count("idk")


def read_graph(instance: Any) -> tuple[Any, str]:
    return instance.graph.nodes, instance.graph.answers


# --- prompts and the tree -------------------------------------------------------------------------


@pytest.mark.parametrize("modality", ["image_text", "text", "image"])
@pytest.mark.parametrize("policy", POLICIES)
def test_a_tree_asks_what_the_episode_asks(make: Any, modality: str, policy: str) -> None:
    """In every state: the same message of the user, below the rules that the first prompt gave."""
    episode, decisions = make(3, depth=3, abstain=policy, modality=modality)
    assert [d.node for d in decisions] == list(episode.graph.nodes)
    assert "".join(d.answer for d in decisions) == episode.graph.answers
    first = LOOP.open(episode).prompt()
    rules = first.messages[0]
    assert TREE.open(decisions[0]).prompt() == first

    def count_nodes(replies: tuple[str, ...], number: int) -> int:
        come = 1
        for letter in LETTERS:
            to = episode.graph.nodes[number].next_node(letter)
            if to < 0:
                continue
            playing = LOOP.open(episode)
            for said in (*replies, letter):
                now = playing.reply(tag_letter(said))
            assert isinstance(now, Prompt)
            assert playing.prompt() == now
            asked = TREE.open(decisions[to]).prompt()
            assert asked.messages == (rules, *now.messages)
            assert [message.role for message in now.messages] == ["user"]
            come += count_nodes((*replies, letter), to)
        return come

    assert count_nodes((), 0) >= len(decisions)


def test_modalities_show_what_they_say(make: Any) -> None:
    shown = {}
    for modality in ("image_text", "text", "image"):
        prompt = LOOP.open(make(1, depth=3, modality=modality)[0]).prompt()
        parts = prompt.messages[1].parts
        texts = "\n".join(part.text for part in parts if not isinstance(part, PicturePart))
        shown[modality] = (any(isinstance(p, PicturePart) for p in parts), "Cube state:" in texts)
        assert "Distance to solved: 3 moves" in texts
    assert shown == {"image_text": (True, True), "text": (False, True), "image": (True, False)}


def test_how_an_item_is_shown_does_not_change_what_is_asked(make: Any) -> None:
    plain, _ = make(2, depth=3)
    for values in ({"modality": "text"}, {"variant": "dimmed"}, {"state_text": "facelets"}):
        assert make(2, depth=3, **values)[0].graph == plain.graph
    helped, skipped = (make(2, depth=3, abstain=policy)[0] for policy in POLICIES[1:])
    assert helped.graph == skipped.graph
    assert make(2, depth=3, variant="dimmed")[0].conditions.look.brightness < 1


def test_the_prompt_says_when_to_abstain(make: Any) -> None:
    def rules_text(**values: Any) -> str:
        (part,) = LOOP.open(make(0, depth=2, **values)[0]).prompt().messages[0].parts
        return part.text

    assert "IDK" not in rules_text()
    assert "If you do not know, reply IDK" in rules_text(abstain="skip_item")
    assert "less than 60 percent" in rules_text(abstain="teacher_on_abstain", confidence=60)


def test_confidence_needs_abstention() -> None:
    with pytest.raises(ValueError, match=r"confidence=60 is for players that may abstain; use 0"):
        Params(confidence=60).validate()


@pytest.mark.parametrize(("metric", "limit"), [("htm", 12), ("qtm", 14)])
def test_depths_end_where_the_oracle_does(metric: Any, limit: int) -> None:
    Params(metric=metric, depth=limit).validate()
    with pytest.raises(
        ValueError, match=rf"depth={limit + 1} is out of range; use .* 1 to {limit}"
    ):
        Params(metric=metric, depth=limit + 1).validate()


def test_a_decision_alone_credits_the_teachers_move_only(forked: Any, make: Any) -> None:
    instance = forked(abstain="skip_item")
    index = next(i for i in range(60) if make(i, depth=3, abstain="skip_item")[0] == instance)
    root = make(index, depth=3, abstain="skip_item")[1][0]

    def grade_decision(text: str) -> tuple[Status, float | None]:
        outcome = TREE.open(root).reply(text)
        return outcome.status, outcome.metrics.get("progress_rate")

    assert grade_decision(tag_letter(root.answer)) == (Status.CORRECT, 1.0)
    assert grade_decision(tag_letter(other_optimal_letter(instance))) == (Status.WRONG, 1.0)
    assert grade_decision(tag_letter(wrong_letter(instance))) == (Status.WRONG, 0.0)
    assert grade_decision(tag_letter("IDK")) == (Status.WRONG, 0.0)
    assert grade_decision("Hm.") == (Status.UNPARSED, None)


def test_rows_of_another_shape_are_refused(make: Any) -> None:
    row = LOOP.encode(make(0, depth=2)[0])
    for name in ("states", "state_distances", "options", "next"):
        with pytest.raises(ValueError, match="decisions"):
            LOOP.decode({**row, name: row[name] * 2})


@pytest.mark.parametrize("name", ["cube/step_by_step", "cube/step_tree"])
def test_several_items_of_a_state_differ_in_their_first_options(resource: Any, name: str) -> None:
    task = task_registry.load_task(name)
    params = Params(depth=1)
    pool = resource(task.needs(params))
    count = 100
    assert len(pool.states) == 18 and 18 * task.items_per_state(params) >= count

    def first_options(index: int) -> tuple[Any, ...]:
        for attempt in range(50):
            try:
                drawn = Draw((0, name, task.version, "test", 1), index, attempt)
                return tuple(task.generate(params, drawn, pool))
            except Reject:
                continue
        raise AssertionError(f"item {index} was rejected 50 times")

    made = [first_options(index) for index in range(count)]
    seen: dict[str, list[frozenset[str]]] = {}
    for rows in made:
        node = rows[0].graph.nodes[0] if name == "cube/step_by_step" else rows[0].node
        seen.setdefault(rows[0].state.facelets, []).append(frozenset(node.options))
        assert task.find_faults(rows[0]) == []
    assert len(seen) == 18
    assert all(len(set(options)) == len(options) >= 5 for options in seen.values())
    assert len({rows[0].item for rows in made}) == count
    other = task_registry.load_task(
        "cube/step_tree" if name == "cube/step_by_step" else "cube/step_by_step"
    )
    for index in (0, 17, 18, 99):
        key = made[index][0].item
        keys = set()
        for attempt in range(3):
            try:
                drawn = Draw((0, other.name, other.version, "test", 1), index, attempt)
                keys.add(other.generate(params, drawn, pool)[0].item)
                break
            except Reject:
                continue
        assert keys == {key}, "episodes and their tree are the same items"
