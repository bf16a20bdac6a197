"""Cost of cube/navigate: moves with each reward, long steps replayed, steps and observations.

    python tests/benchmarks/bench_navigate.py [moves, default 200000]

Times are processor time of one core. A move is timed as a live harness makes it, one call of
make_move with its reward and its record, beside magiccube, which turns and gives no reward, in the
same run; a replay reads the reply of one step that holds all the moves.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, get_args

import magiccube

from facelet.generators.core.seeding import make_generator
from facelet.generators.core.task import Outcome
from facelet.generators.cube.engine import moves
from facelet.generators.cube.engine.notation import SOLVED
from facelet.generators.cube.navigation.environment import CubeEnvironment, NavigationRules, Reward
from facelet.generators.cube.navigation.episode import EpisodeStart, NavigationEpisode
from facelet.generators.cube.navigation.observations import OBSERVATIONS, Display
from facelet.generators.cube.navigation.replies import OBSERVE, TURNS, format_commands
from facelet.renderers.api import render_png
from facelet.renderers.scenes.records import Scene

TARGET_MOVES = 20_000
TARGET_PICTURES = 150
STATE = moves.apply_maneuver(SOLVED, "R U2 F' L D B2 R' U F D2")
PICTURES = 200


def time_work(work: Callable[[], Any]) -> float:
    """Return the processor time of some work."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def make_rules(reward: str = "none", observation: str = "symbolic") -> NavigationRules:
    """Return the usual conditions."""
    return NavigationRules(Display(observation, "cubebench", 40, "white"), reward, "basic")  # type: ignore[arg-type]


def make_moves(cube: CubeEnvironment, turns: list[str]) -> None:
    """Make all moves."""
    for turn in turns:
        cube.make_move(turn)


def main(count: int) -> None:
    """Print the figures."""
    places = make_generator("bench", "navigate").integers(12, size=count).tolist()
    turns = [TURNS[place] for place in places]
    reply = format_commands(turns, dense=True)
    peer = magiccube.Cube(3)
    few = turns[: count // 20]
    theirs = len(few) / time_work(lambda: [peer.rotate(turn) for turn in few])
    print(f"moves a second on one core (target {TARGET_MOVES:,}; magiccube turns {theirs:,.0f})")
    print("  reward      make_move    ratio   replay of one step")
    for reward in get_args(Reward):
        cube = CubeEnvironment(make_rules(reward), STATE)
        live = count / time_work(lambda cube=cube: make_moves(cube, turns))
        episode = NavigationEpisode(EpisodeStart(STATE, 10, make_rules(reward), "code", 20))
        again = count / time_work(lambda episode=episode: episode.reply(reply))
        print(f"  {reward:9} {live:11,.0f} {live / theirs:7.1f}x {again:15,.0f}")

    print("steps a second, five moves and an observation each, new prompt included")
    for observation in OBSERVATIONS:
        steps = [format_commands([*turns[k : k + 5], OBSERVE]) for k in range(0, 10_000, 5)]
        episode = NavigationEpisode(
            EpisodeStart(STATE, 10, make_rules(observation=observation), "code", len(steps))
        )

        def walk_steps(episode: NavigationEpisode = episode, steps: list[str] = steps) -> None:
            assert isinstance([episode.reply(step) for step in steps][-1], Outcome)

        print(f"  {observation:9} {len(steps) / time_work(walk_steps):11,.0f}")

    print(f"observations a second, drawn and encoded (target {TARGET_PICTURES})")
    for observation in OBSERVATIONS[1:]:
        cube = CubeEnvironment(make_rules(observation=observation), STATE)
        seen: list[Scene] = []
        for turn in turns[:PICTURES]:
            cube.make_move(turn)
            scene = cube.get_observation()
            assert isinstance(scene, Scene)
            seen.append(scene)
        drawn = len(seen) / time_work(lambda seen=seen: [render_png(scene) for scene in seen])
        print(f"  {observation:9} {drawn:11,.0f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200_000)
