"""The Bayesian player: its law of offers is the sampling code's, its floor what others measured."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import make_generator
from facelet.generators.cube.attempts import rules
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.distance.near_graph import FAR, MOVE_BITS, NearGraph
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import FACE_MOVES, UNIT_MOVES
from facelet.generators.cube.pools.pool_spec import shells_to
from facelet.pipeline.audit.baseline_players import list_options
from facelet.pipeline.cube import baseline_players
from facelet.pipeline.cube.baseline_players import AttemptForm, build_policy, weigh_offers


def list_starts(metric: Any, depth: int) -> list[str]:
    return sorted(shells_to(metric, depth)[depth])


@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_the_graph_agrees_with_the_oracle(metric: Any) -> None:
    starts = list_starts(metric, 3)[::101]
    graph = NearGraph(metric)
    numbers = graph.add_states(starts)
    graph.expand(numbers)
    for number, start in zip(numbers.tolist(), starts, strict=True):
        assert graph.distances[number] == 3
        good = {FACE_MOVES[k] for k in range(18) if graph.closer[number] >> k & 1}
        assert good == {*rules.progress_moves(metric, start)}
        for move, after in zip(FACE_MOVES, graph.neighbours[number].tolist(), strict=True):
            exact = distance_oracle.exact_distance(metric, moves.apply_maneuver(start, (move,)))
            assert graph.distances[after] == exact
    assert (
        graph.add_states([moves.apply_maneuver(starts[0], FACE_MOVES)])[0]
        == len(graph.distances) - 1
    )
    assert graph.distances[-1] == FAR


def list_offer_weights(metric: Any, closer: int, *, taught: bool) -> dict[frozenset[str], float]:
    """Return the likelihood of every offer of four moves."""
    closers = np.array([closer], dtype=np.uint32)
    return {
        frozenset(offer): float(
            weigh_offers(
                metric,
                closers,
                sum(int(MOVE_BITS[FACE_MOVES.index(move)]) for move in offer),
                taught=taught,
            )[0]
        )
        for offer in combinations(UNIT_MOVES[metric], 4)
    }


@pytest.mark.parametrize("taught", [False, True])
@pytest.mark.parametrize("metric", ["htm", "qtm"])
def test_moves_are_offered_as_often_as_the_law_states(metric: Any, taught: bool) -> None:
    """Pairs of moves in 3,000 draws of the sampling code, against the sum over all offers."""
    graph, draws = NearGraph(metric), 3000
    for start in (list_starts(metric, 1)[0], list_starts(metric, 2)[-1], list_starts(metric, 3)[7]):
        numbers = graph.add_states([start])
        graph.expand(numbers)
        good = rules.progress_moves(metric, start)
        drawn: Counter[frozenset[str]] = Counter()
        for number in range(draws):
            key = f"{number:032x}"
            if taught:
                right = good[int(make_generator("law", number).integers(len(good)))]
                offered = rules.taught_options(metric, key, 1, start, right)
            else:
                offered = rules.attempt_options(metric, key, "attempt", 0, start)
            drawn.update(map(frozenset, combinations(offered, 2)))
        closer = int(graph.closer[numbers[0]])
        weights = list_offer_weights(metric, closer, taught=taught)
        assert sum(weights.values()) == pytest.approx(1.0)
        for pair in map(frozenset, combinations(UNIT_MOVES[metric], 2)):
            likely = sum(weight for offer, weight in weights.items() if pair <= offer)
            spread = 5 * (likely * (1 - likely) / draws) ** 0.5
            assert drawn[pair] / draws == pytest.approx(likely, abs=spread), sorted(pair)


def test_the_law_sums_to_one_near_symmetric_states() -> None:
    for metric, taught in (("htm", False), ("htm", True), ("qtm", False)):
        legal = [int(MOVE_BITS[FACE_MOVES.index(move)]) for move in UNIT_MOVES[metric]]  # type: ignore[index]
        for count in (2, len(legal) - 3, len(legal) - 2):
            weights = list_offer_weights(metric, sum(legal[:count]), taught=taught)
            assert sum(weights.values()) == pytest.approx(1.0), (metric, taught, count)


@pytest.mark.parametrize(("recovery", "least", "most"), [(True, 0.46, 0.57), (False, 0.28, 0.38)])
def test_it_reaches_what_players_of_others_reached(
    recovery: bool, least: float, most: float
) -> None:
    """An exact posterior that takes the likeliest move wins 46% and 28 to 30%, measured apart."""
    form = AttemptForm("htm", 3, 6, redrawn=False, recovery=recovery, taught=False)
    policy, starts, plays = build_policy(form), list_starts("htm", 3), 1000
    wins = 0
    for number in range(plays):
        rng = make_generator("test", "posterior", number)
        item = baseline_players.resample_item(form, starts[int(rng.integers(len(starts)))], rng)
        wins += baseline_players.play_item(form, item, policy.begin(""))
    assert least <= wins / plays <= most


def test_the_posterior_holds_the_true_start() -> None:
    """Whatever is replied: each start that is dropped contradicts a prompt."""
    for taught, redrawn in ((False, False), (True, False), (False, True)):
        form = AttemptForm("htm", 2, 5, redrawn=redrawn, recovery=True, taught=taught)
        starts = list_starts("htm", 2)
        policy = baseline_players.PosteriorPolicy(form, {})
        for number in range(60):
            rng = make_generator("test", "true", number)
            start = starts[int(rng.integers(len(starts)))]
            item = baseline_players.resample_item(form, start, rng)
            play = baseline_players.PosteriorPlay(policy)
            path: list[str] = []

            def reply_and_check(
                prompt: Prompt,
                play: Any = play,
                path: list[str] = path,
                start: str = start,
            ) -> str:
                text: str = play.next_reply(prompt)
                path.append(list_options(prompt)[text[8]])
                here = moves.apply_maneuver(start, tuple(path))
                graph = baseline_players.graph_starts("htm", 2)[0]
                if all(passed[0] < 5 for passed in play.passed):
                    assert graph.add_states([here])[0] in play.candidates
                return text

            baseline_players.play_item(form, item, reply_and_check)
