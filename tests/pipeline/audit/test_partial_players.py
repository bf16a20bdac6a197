"""What players win that do a part of a deformation: at most what the guide says, track by track."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest

from facelet.generators.core import registry
from facelet.generators.core.seeding import Draw, generator
from facelet.generators.core.task import Reject
from facelet.pipeline.audit import plays
from facelet.pipeline.audit.deforming import Partial, last_half
from facelet.pipeline.ladder.expecting import expected

COUNT = 300
NOISE = 3 * (0.25 / COUNT) ** 0.5


def made(task: Any, index: int, params: Any) -> Any:
    for attempt in range(300):
        try:
            return task.generate(params, Draw(("partial", params.level), index, attempt), None)[0]
        except Reject:
            continue
    raise AssertionError(params)


def shares(name: str, level: int, count: int = COUNT, **more: Any) -> dict[str, float]:
    """Return what share of questions each player wins, the mean over what is equal to it."""
    task = registry.task(name)
    params = task.params(level=level, input="text", **more)
    won = dict.fromkeys(lookers := plays.lookers(task), 0.0)
    for index in range(count):
        instance = made(task, index, params)
        for key, looker in lookers.items():
            rng = generator("partial", key, level, index)
            if looker.equal is not None:
                said = looker.equal(instance, lambda rng=rng: rng)
                won[key] += (f"Answer: {instance.question.answer}" in said) / len(said)
                continue
            outcome = plays.played(task, instance, looker.begin(instance, rng), 1)
            won[key] += outcome.status == "correct"
    return {key: hits / count for key, hits in won.items()}


@pytest.mark.slow
@pytest.mark.parametrize("way", ["forward", "inverse"])
def test_in_3d_none_wins_more_than_55_percent_from_level_3_on_nor_climbs_2_levels(way: str) -> None:
    by_level = {
        # The first levels decide how far a climb goes, so they are known well.
        n: shares(f"cube/{way}_deformation", n, 2000 if n <= 3 else COUNT)
        for n in (*range(1, 9), 15, 30)
    }
    for level, found in by_level.items():
        assert level < 3 or max(found.values()) <= 0.55 + NOISE, (level, found)
    for key in by_level[1]:
        won = [found[key] for found in by_level.values()]
        assert expected(won, list(by_level)).failed < 2, (key, won)


@pytest.mark.slow
@pytest.mark.parametrize("space", ["2d", "2.5d"])
@pytest.mark.parametrize("way", ["forward", "inverse"])
@pytest.mark.parametrize("level", [5, 8, 15, 30])
def test_of_shapes_none_wins_more_than_60_percent_from_level_5_on(
    way: str, space: str, level: int
) -> None:
    found = shares(f"shapes/{way}_deformation", level, space=space)
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
        found = shares(task, level, **more)
        assert found and max(found.values()) <= 0.05 + 3 * (0.05 / COUNT) ** 0.5, (level, found)


def plain(looker: Partial, way: str, instance: Any, rng: np.random.Generator) -> list[str]:
    """The letters of a player, without anything that is kept from one to the next."""
    world, question = instance.world, instance.question

    def at(code: str, steps: str = "") -> list[int]:
        kept = looker.kept(world.read_steps(steps)) if steps else ()
        return list(looker.seen(world.parts(world.follow(world.read(code), kept)[-1])))

    if way == "forward":
        goal, options = at(question.start, question.given), [at(one) for one in question.results]
    else:
        goal = at(question.given)
        options = [at(question.start, one) for one in question.lists]
    places = list(range(len(goal)))
    if looker.one:
        apart = [len({option[place] for option in options}) for place in places]
        most = [place for place in places if apart[place] == max(apart)]
        places = [most[int(rng.integers(len(most)))]]
    same = [sum(option[place] == goal[place] for place in places) for option in options]
    return [letter for letter, many in zip("ABCD", same, strict=True) if many == max(same)]


@pytest.mark.parametrize("way", ["forward", "inverse"])
@pytest.mark.parametrize("family", ["shapes", "cube"])
def test_who_does_a_part_says_what_a_player_says_that_keeps_nothing(way: str, family: str) -> None:
    task = registry.task(f"{family}/{way}_deformation")
    spaces = [{"space": "2d"}, {"space": "2.5d", "filler": "shape"}] if family == "shapes" else [{}]
    players = [
        Partial("", one=True),
        Partial("", kept=last_half),
        Partial("", seen=lambda parts: [part % 3 for part in parts], kept=last_half),
        Partial("", seen=lambda parts: parts[2:4]),
    ]
    alike = 0
    for level, index, more in product((1, 2, 7, 40), range(6), spaces):
        instance = made(task, index, task.params(level=level, input="text", **more))
        for number, player in enumerate(players):
            seed = ("plain", level, index, number)
            equal = player.looker(way).equal
            assert equal is not None
            said = list(equal(instance, partial(generator, *seed)))
            wanted = plain(player, way, instance, generator(*seed))
            assert said == [f"Answer: {letter}" for letter in wanted]
            alike += len(said) > 1
    assert alike  # some are undecided
