"""What players win that do a part of a deformation: at most what the guide says, track by track."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject
from facelet.pipeline.audit.baseline_players import load_family_players, play_replies
from facelet.pipeline.audit.deformation_players import (
    CHOSEN,
    FOLLOWED,
    PartialPlayer,
    last_half,
)
from facelet.pipeline.curriculum.ladder.expected_level import estimate_reach

COUNT = 300
ALL = (100, 100, 100)
NOISE = 3 * (0.25 / COUNT) ** 0.5


def make_instance(task: Any, index: int, params: Any) -> Any:
    for attempt in range(300):
        try:
            return task.generate(params, Draw(("partial", params.level), index, attempt), None)[0]
        except Reject:
            continue
    raise AssertionError(params)


def win_shares(name: str, level: int, count: int = COUNT, **more: Any) -> dict[str, float]:
    """Return what share of questions each player wins, the mean over what is equal to it."""
    task = task_registry.load_task(name)
    params = task.params(level=level, input="text", **more)
    won = dict.fromkeys(lookers := load_family_players(task).shortcuts(task), 0.0)
    for index in range(count):
        instance = make_instance(task, index, params)
        for key, looker in lookers.items():
            rng = make_generator("partial", key, level, index)
            if looker.equal is not None:
                said = looker.equal(instance, lambda rng=rng: rng)
                won[key] += (f"Answer: {instance.question.answer}" in said) / len(said)
                continue
            outcome = play_replies(task, instance, looker.begin(instance, rng), 1)
            won[key] += outcome.status == "correct"
    return {key: hits / count for key, hits in won.items()}


def drop_followers(found: dict[str, float]) -> dict[str, float]:
    """Leave out the players that carry out every operation for a few places."""
    return {name: share for name, share in found.items() if not name.startswith("follow_")}


@pytest.mark.parametrize(
    ("task", "more", "least", "most"),
    [
        # By places drawn before the options are seen: 1, 2, 4, 8 and 12 of them.
        ("cube/forward_deformation", {}, (30, 48, 70, 90, 94), (50, 68, 88, 100, 100)),
        ("shapes/inverse_deformation", {"space": "2d"}, (36, 65, *ALL), (58, 85, *ALL)),
    ],
    ids=str,
)  # fmt: skip
def test_a_few_places_followed_through_all_operations_answer_a_question(
    task: str, more: Any, least: tuple[int, ...], most: tuple[int, ...]
) -> None:
    found = win_shares(task, 8, 150, **more)
    curve = [100 * found[f"follow_{k}"] for k in FOLLOWED]
    assert curve == sorted(curve)
    assert all(a <= won <= b for a, won, b in zip(least, curve, most, strict=True)), curve
    assert [found[f"follow_chosen_{k}"] for k in CHOSEN] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("way", ["forward", "inverse"])
def test_in_3d_none_wins_more_than_55_percent_from_level_3_on_nor_climbs_2_levels(way: str) -> None:
    by_level = {
        # The first levels decide how far a climb goes, so they are known well.
        n: win_shares(f"cube/{way}_deformation", n, 2000 if n <= 3 else COUNT)
        for n in (*range(1, 9), 15, 30)
    }
    by_level = {level: drop_followers(found) for level, found in by_level.items()}
    for level, found in by_level.items():
        assert level < 3 or max(found.values()) <= 0.55 + NOISE, (level, found)
    for key in by_level[1]:
        won = [found[key] for found in by_level.values()]
        assert estimate_reach(won, list(by_level)).failed < 2, (key, won)


@pytest.mark.slow
@pytest.mark.parametrize("space", ["2d", "2.5d"])
@pytest.mark.parametrize("way", ["forward", "inverse"])
@pytest.mark.parametrize("level", [5, 8, 15, 30])
def test_of_shapes_none_wins_more_than_60_percent_from_level_5_on(
    way: str, space: str, level: int
) -> None:
    found = drop_followers(win_shares(f"shapes/{way}_deformation", level, space=space))
    assert len(found) == 6 and max(found.values()) <= 0.6 + NOISE, found


@pytest.mark.slow
@pytest.mark.parametrize(
    "task, more",
    [
        *((f"shapes/{way}_writing", {"space": "2d"}) for way in ("forward", "inverse")),
        *((f"shapes/{way}_writing", {"space": "2.5d"}) for way in ("forward", "inverse")),
        *((f"cube/{way}_writing", {}) for way in ("forward", "inverse")),
    ],
    ids=str,
)  # fmt: skip
def test_of_written_answers_none_wins_more_than_5_percent(task: str, more: Any) -> None:
    for level in (5, 15):
        found = win_shares(task, level, **more)
        assert found and max(found.values()) <= 0.05 + 3 * (0.05 / COUNT) ** 0.5, (level, found)


def plain_letters(
    looker: PartialPlayer, way: str, instance: Any, rng: np.random.Generator
) -> list[str]:
    """The letters of a player, without anything that is kept from one to the next."""
    world, question = instance.world, instance.question

    def positions_after(code: str, steps: str = "") -> list[int]:
        kept = looker.keep_steps(world.read_steps(steps)) if steps else ()
        return list(
            looker.visible(world.state_parts(world.follow_steps(world.read(code), kept)[-1]))
        )

    if way == "forward":
        goal, options = (
            positions_after(question.start, question.given),
            [positions_after(one) for one in question.results],
        )
    else:
        goal = positions_after(question.given)
        options = [positions_after(question.start, one) for one in question.lists]
    places = list(range(len(goal)))
    if looker.followed:
        filled = [k for k in places if goal[k] or any(option[k] for option in options)]
        places = []
        while len(places) < looker.followed and looker.sees_options:
            by = {k: {tuple(one[p] for p in [*places, k]) for one in options} for k in filled}
            most = [k for k in filled if len(by[k]) == max(map(len, by.values()))]
            places.append(most[int(rng.integers(len(most)))] if len(most) > 1 else most[0])
        if not looker.sees_options:
            order = rng.permutation(len(filled)).tolist()
            places = [filled[k] for k in order[: looker.followed]]
    same = [sum(option[place] == goal[place] for place in places) for option in options]
    return [letter for letter, many in zip("ABCD", same, strict=True) if many == max(same)]


@pytest.mark.parametrize("way", ["forward", "inverse"])
@pytest.mark.parametrize("family", ["shapes", "cube"])
def test_who_does_a_part_says_what_a_player_says_that_keeps_nothing(way: str, family: str) -> None:
    task = task_registry.load_task(f"{family}/{way}_deformation")
    spaces = [{"space": "2d"}, {"space": "2.5d", "filler": "shape"}] if family == "shapes" else [{}]
    players = [
        PartialPlayer("", followed=1),
        PartialPlayer("", followed=3),
        PartialPlayer("", followed=3, sees_options=False),
        PartialPlayer("", keep_steps=last_half),
        PartialPlayer("", visible=lambda parts: [part % 3 for part in parts], keep_steps=last_half),
        PartialPlayer("", visible=lambda parts: parts[2:4]),
    ]
    alike = 0
    for level, index, more in product((1, 2, 7, 40), range(6), spaces):
        instance = make_instance(task, index, task.params(level=level, input="text", **more))
        for number, player in enumerate(players):
            seed = ("plain", level, index, number)
            equal = player.build_looker(way).equal
            assert equal is not None
            said = list(equal(instance, partial(make_generator, *seed)))
            wanted = plain_letters(player, way, instance, make_generator(*seed))
            assert said == [f"Answer: {letter}" for letter in wanted]
            alike += len(said) > 1
    assert alike  # some are undecided


@pytest.mark.parametrize("name", ["shapes/forward_writing", "cube/forward_writing"])
def test_players_that_write_their_answer_play_to_the_end_and_lose_some(name):
    found = win_shares(name, 2, 6)
    assert found and set(found) <= {"turns", "last_half"}
    assert all(0 <= share < 1 for share in found.values())
