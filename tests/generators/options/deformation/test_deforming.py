"""What all deformation questions share: exchangeable options, chains, prompts, episodes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.prompts import TextPart
from facelet.generators.core.replay import replay
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Outcome, Reject, Status
from facelet.generators.cube.engine import symmetry
from facelet.generators.options.deformation import (
    deformation_task,
    question_prompts,
    questions,
    reasoning_chains,
)
from facelet.generators.options.deformation.world_protocol import Dice
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.api import render_png

NAMES = [
    f"{family}/{way}_deformation" for family in ("shapes", "cube") for way in ("forward", "inverse")
]
OPTIONS = ("cut", "flip", "fill(Ry)", "rotate_cw")
TASKS = [task_registry.load_task(name) for name in NAMES]


def make_question(task: Any, index: int = 0, **params: Any) -> Any:
    draw = Draw((0, "test", task.name, *map(str, params.values())), index)
    for attempt in range(50):
        try:
            return task.generate(task.params(**params), Draw(draw.path, index, attempt), None)[0]
        except Reject:
            continue
    raise AssertionError("rejected 50 times")


@pytest.fixture(params=TASKS, ids=NAMES)
def task(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_lists_differ_at_the_steps_that_are_said_and_nowhere_else(task: Any) -> None:
    for level in (1, 2, 3, 6, 20):
        for index in range(20):
            question = make_question(task, index, level=level).question
            split = " " if "cube" in task.name else ", "
            columns = zip(*(text.split(split) for text in question.lists), strict=True)
            for number, words in enumerate(columns, 1):
                assert (len(set(words)) > 1) == (number in question.edits)
            assert len(set(question.lists)) == 4
            assert len(question.edits) == min(2, level)


@pytest.mark.parametrize("letters", [False, True])
@pytest.mark.parametrize("track", ["2d", "2.5d", "3d"])
def test_pictures_of_a_question_are_small(track: str, letters: bool) -> None:
    """Mean of forward questions, which have the larger pictures."""
    task: Any = task_registry.load_task("cube/forward_deformation" if track == "3d" else NAMES[0])
    space = {} if track == "3d" else {"space": track}
    sizes = [
        sum(
            len(render_png(scene)[0])
            for scene in task.open(
                make_question(task, index, level=level, input="picture", letters=letters, **space)
            )
            .prompt()
            .iterate_scenes()
        )
        for level in (1, 5, 10)
        for index in range(10)
    ]
    assert np.mean(sizes) < (33_000 if track == "3d" else 19_500)


def test_which_option_is_right_is_drawn_last() -> None:
    """The same dice with another letter due give the same four lists at the same letters."""
    task = task_registry.load_task("shapes/inverse_deformation")
    world = make_question(task).world

    class CountingDraw(Draw):
        def deal_card(self, deck: str, cards: Any) -> Any:
            return due if deck == "gold" else cards[0]

    seen = []
    for due in LETTERS:
        question = questions.draw_question(
            world, "inverse", 5, 0, "test", CountingDraw((0, "x"), 1)
        )
        assert question.answer == due
        seen.append((question.start, question.lists, question.results))
    assert len(set(seen)) == 1


def test_tracks_are_shuffled_over_letters() -> None:
    """No letter favours the track that was drawn first."""
    task = task_registry.load_task("shapes/forward_deformation")
    world, counts = make_question(task).world, Counter[int]()
    for seed in range(2000):
        dice = Dice(np.random.default_rng(seed))
        order = dice.draw_order(4)
        assert sorted(order) == [0, 1, 2, 3]
        counts[order[0]] += 1
    assert world.space == "2d" and all(430 < count < 570 for count in counts.values())


def test_chains_reach_the_answer_from_what_is_shown(task: Any) -> None:
    for index in range(15):
        instance = make_question(task, index, level=4)
        told = reasoning_chains.write_chain(instance.world, instance.question, task.direction)
        assert told.splitlines()[-1] == instance.question.answer
        assert question_prompts.read_letter(told, reasoned=True, options=OPTIONS).strict
        lists = 1 if task.direction == "forward" else 4
        assert sum(line[0].isdigit() for line in told.splitlines()) == 4 * lists


def test_a_chain_refuses_a_question_without_one_answer(task: Any) -> None:
    import dataclasses

    question = make_question(task, 0, level=3).question
    doubled = dataclasses.replace(
        question, results=question.results[:1] * 4, lists=question.lists[:1] * 4,
        given=question.lists[0] if task.direction == "forward" else question.results[0],
    )  # fmt: skip
    with pytest.raises(ValueError, match="exactly one"):
        reasoning_chains.write_chain(make_question(task, 0, level=3).world, doubled, task.direction)


def prompt_texts(prompt: Any) -> str:
    return "\n".join(p.text for m in prompt.messages for p in m.parts if isinstance(p, TextPart))


def test_few_shot_examples_are_of_the_level_and_never_of_the_test_half(task: Any) -> None:
    for count in range(1, 6):
        instance = make_question(task, 1, level=3, prompt="few_shot", examples=count, input="text")
        asked = prompt_texts(task.open(instance).prompt())
        assert asked.count("Reply to example") == count
        world = instance.world
        worked = deformation_task.draw_examples(
            world, task.direction, 3, count, task._one_start(world)
        )
        assert [question.half for question, _ in worked] == ["train"] * count
        assert all(question.level == 3 for question, _ in worked)
        assert len({question.start for question, _ in worked}) == count


def test_inputs_show_what_they_say(task: Any) -> None:
    for shown, pictures, code in (("picture", 2, False), ("text", 0, True), ("both", 2, True)):
        instance = make_question(task, 2, level=3, input=shown)
        prompt = task.open(instance).prompt()
        assert len(list(prompt.iterate_scenes())) == pictures
        said = [p.text for p in prompt.messages[1].parts if isinstance(p, TextPart)]
        world = instance.world
        start = world.format_state(world.read(instance.question.start))
        assert (start in "\n".join(said)) == code
        hidden = "options" if task.direction == "forward" else "given"
        result = world.read(instance.question.results["ABCD".index(instance.question.answer)])
        assert (world.format_state(result) in "\n".join(said)) == code, hidden


def test_both_inputs_ask_the_same_question(task: Any) -> None:
    asked = {make_shown_question(task, shown).question for shown in ("picture", "text", "both")}
    assert len(asked) == 1


def make_shown_question(task: Any, shown: str) -> Any:
    return task.generate(task.params(level=6, input=shown), Draw((0, "x"), 3), None)[0]


def test_rules_in_pictures_show_every_operation(task: Any) -> None:
    instance = make_question(task, 0, level=2, prompt="pictures")
    prompt = task.open(instance).prompt()
    world = instance.world
    labels = [label for scene in prompt.iterate_scenes() for label in scene.labels]
    assert [name for _, _, name in world.lesson_steps()] == [
        x for x in labels if len(x) > 1 or x in "URFDLBurfdlbMESxyz"
    ][: 2 * len(world.lesson_steps()) : 2]
    both = task.open(make_question(task, 0, level=2, prompt="text_and_pictures")).prompt()
    assert world.rules_text(1) in prompt_texts(both) and world.rules_text(1) not in prompt_texts(
        prompt
    )


def test_prompt_variants_differ_and_grow() -> None:
    for task in TASKS:
        sizes = {}
        for variant in ("simplified", "text", "detailed"):
            instance = make_question(task, 0, level=2, prompt=variant, input="text")
            sizes[variant] = len(prompt_texts(task.open(instance).prompt()))
        assert sizes["simplified"] < sizes["text"] < sizes["detailed"]


@pytest.mark.parametrize(
    ("reply", "reasoned", "value", "strict"),
    [
        ("B", False, "B", True), (" B\n", False, "B", True), ("B.", False, "B", False),
        ("The answer is B", False, "B", False), ("Answer: B", True, "B", False),
        ("I think so.\nB", True, "B", True), ("I think so.\nB", False, "B", False),
        ("A or B", False, None, False), ("", False, None, False), ("E", False, None, False),
        ("<think>A</think>B", False, "B", True),
    ],
)  # fmt: skip
def test_letters(reply: str, reasoned: bool, value: str | None, strict: bool) -> None:
    found = question_prompts.read_letter(reply, reasoned=reasoned, options=OPTIONS)
    assert (found.value, found.strict) == (value, strict)


def play_with_tool(task: Any, instance: Any, *, react: bool) -> Iterator[str]:
    """Yield the replies of a player that works with the tool alone, and hears its answers."""
    question, world = instance.question, instance.world
    thought = "Thought: one step more.\nAction: " if react else ""
    forward = task.direction == "forward"
    lists = [question.given] if forward else question.lists
    ends = []
    for text in lists:
        code = question.start
        for step in world.read_steps(text):
            code = yield f"{thought}Apply {world.write_steps([step])} to {code}"
        ends.append(code)
    letter = LETTERS[question.results.index(ends[0]) if forward else ends.index(question.given)]
    yield f"Thought: done.\nAction: Answer {letter}" if react else letter


@pytest.mark.parametrize("method", ["tool", "react"])
def test_a_player_with_the_tool_alone_finds_the_answer(task: Any, method: str) -> None:
    for index in range(5):
        instance = make_question(task, index, level=4, method=method)
        episode = task.open(instance)
        player = play_with_tool(task, instance, react=method == "react")
        said, calls = next(player), 0
        while True:
            heard = episode.reply(said)
            if isinstance(heard, Outcome):
                break
            text = prompt_texts(heard).splitlines()[0].removeprefix("Observation: ")
            said, calls = player.send(text), calls + 1
        assert heard.status is Status.CORRECT and heard.strict
        assert heard.metrics["calls"] == calls == (4 if task.direction == "forward" else 16)


def test_a_tool_that_is_used_wrongly_says_why_and_ends_when_calls_are_used_up(task: Any) -> None:
    instance = make_question(task, 0, level=2, method="tool", calls=3)
    episode = task.open(instance)
    code = instance.question.start
    for reply in (f"Apply nonsense to {code}", "Apply cut to nonsense", f"Apply xyz to {code}"):
        heard = episode.reply(reply)
        assert "That cannot be done" in prompt_texts(heard)
    assert episode.reply(f"Apply nonsense to {code}").status is Status.UNPARSED


def test_a_tree_of_thoughts_reads_its_last_reply_alone(task: Any) -> None:
    instance = make_question(task, 0, level=2, method="tree", rounds=2)
    right, wrong = instance.question.answer, {"A": "B"}.get(instance.question.answer, "A")
    episode = task.open(instance)
    first = prompt_texts(episode.prompt())
    assert "Do not answer yet" in first and "Reply with" not in first
    assert "Do not answer yet" in prompt_texts(episode.reply(wrong))
    assert "holds only the letter" in prompt_texts(
        episode.reply("Path 1: turn it.\nPath 2: cut it.")
    )
    outcome = episode.reply(f"Path 2 is sure.\n{right}")
    assert outcome.status is Status.CORRECT and outcome.strict
    assert replay(task.open(instance), [right, right, wrong]).status is Status.WRONG
    assert replay(task.open(instance), task.reference(instance)).status is Status.CORRECT


def test_reflection_takes_the_last_letter_and_tells_nothing(task: Any) -> None:
    instance = make_question(task, 0, level=2, method="reflection", rounds=2)
    right = instance.question.answer
    wrong = next(x for x in LETTERS if x != right)
    heard = set()
    for first in LETTERS:
        heard.add(prompt_texts(task.open(instance).reply(first)))
    assert len(heard) == 1
    outcome = replay(task.open(instance), [wrong, f"No.\n{right}", right])
    assert outcome.status is Status.CORRECT and outcome.strict
    assert outcome.metrics["first_correct"] == 0.0
    outcome = replay(task.open(instance), [right, "I stay.", "and stay."])
    assert outcome.status is Status.CORRECT and not outcome.strict
    outcome = replay(task.open(instance), [right, wrong, wrong])
    assert outcome.status is Status.WRONG and outcome.metrics["first_correct"] == 1.0


def test_nearness_is_counted_against_the_right_result(task: Any) -> None:
    for index in range(10):
        instance = make_question(task, index, level=5)
        row = task.encode(instance)
        right = LETTERS.index(instance.question.answer)
        for place in range(4):
            assert (row["differing"][place] == 0) == (place == right)
            assert (row["agreement"][place] == 1.0) == (place == right)
        assert row["live"] == 5


def moved(instance: Any, symmetry_number: int) -> Any:
    """Return a question about cubes with all that it holds moved by a symmetry."""
    world, question = instance.world, instance.question

    def code(text: str) -> str:
        state = world.read(text).decode()
        return str(world.write_state(symmetry.transform_state(state, symmetry_number).encode()))

    lists = [
        " ".join(symmetry.transform_maneuver(tuple(text.split(" ")), symmetry_number))
        for text in question.lists
    ]
    order = [3, 1, 0, 2]
    return replace(
        instance,
        question=replace(
            question,
            start=code(question.start),
            lists=tuple(lists[place] for place in order),
            results=tuple(code(question.results[place]) for place in order),
            answer=LETTERS[order.index(LETTERS.index(question.answer))],
        ),
    )


@pytest.mark.parametrize("start", ["solved", "scrambled"])
@pytest.mark.parametrize("name", ["deformation", "writing"])
@pytest.mark.parametrize("way", ["forward", "inverse"])
def test_a_question_and_its_mirror_image_are_one_group(way: str, name: str, start: str) -> None:
    task: Any = task_registry.load_task(f"cube/{way}_{name}")
    for index, number in enumerate((1, 9, 30, 47)):
        instance = make_question(task, index, level=3, start=start)
        assert task.group_key(moved(instance, number)) == task.group_key(instance)


def test_a_shape_that_is_turned_and_its_turned_lists_are_one_group() -> None:
    task: Any = task_registry.load_task("shapes/forward_deformation")
    instance = make_question(task, level=2, replaced=1)
    lists = (
        "rotate_cw, color(r)",
        "rotate_cw, color(g)",
        "rotate_cw, color(b)",
        "mirror, color(y)",
    )
    flipped = tuple(text.replace("rotate_cw", "rotate_ccw") for text in lists)

    def asked(start: str, lists: tuple[str, ...]) -> Any:
        world = instance.world
        ends = (
            questions.end_state(world, world.write_state(world.read(start)), text) for text in lists
        )
        results = tuple(map(world.write_state, ends))
        question = replace(
            instance.question, start=start, lists=lists, results=results, answer="A", edits=(1, 2)
        )
        return task.group_key(replace(instance, question=question))

    assert asked("CrRgWbSy", lists) == asked("SyWbRgCr", flipped)
    assert asked("CrRgWbSy", lists) != asked("CrRgWbSy", flipped)
    assert asked("CrRgWbSy", lists) != asked("CrRgWbSp", lists)


@pytest.mark.parametrize("name", [*NAMES, "cube/inverse_writing", "shapes/forward_writing"])
def test_questions_about_one_start_are_groups_of_their_own(name: str) -> None:
    task: Any = task_registry.load_task(name)
    solved = {"start": "solved"} if name.startswith("cube") else {}
    instances = [make_question(task, index, level=12, **solved) for index in range(60)]
    assert len({task.group_key(instance) for instance in instances}) == 60
    assert [task.list_shown_keys(one) for one in instances] == [
        (task.group_key(one),) for one in instances
    ]


def test_a_written_question_is_what_it_shows_and_not_the_list_that_was_drawn() -> None:
    """Two lists that lead from one cube to another ask the same where a list is to be written."""
    task: Any = task_registry.load_task("cube/inverse_writing")
    instance = make_question(task, level=2, start="solved")
    lists, groups = ("R L", "L R"), set()
    for text in lists:
        end = instance.world.write_state(
            questions.end_state(instance.world, instance.question.start, text)
        )
        question = replace(
            instance.question, lists=(text,) * 4, results=(end,) * 4, given=end, edits=()
        )
        groups.add(task.group_key(replace(instance, question=question)))
    assert len(groups) == 1
