"""A policy gradient on the cube: CubeBench's baseline that is no language model (appendix H).

    python conf/docs/examples/policy_gradient.py data/out/cubebench_as_published plays.jsonl
    facelet score dataset=data/out/cubebench_as_published predictions=plays.jsonl missing=ignore

It learns on states of its own, sees what a model sees (54 letters, the full symbolic setting), acts
by the same functions (`make_move`, `get_observation`), and ends with transcripts that the scorer
replays. Only numpy is needed.

As published: REINFORCE with a discount of 0.99; five hidden layers of 256 rectified units; Adam
with a rate of 5e-4; 64 environments side by side; scramble depths 1 to 4 one after another, from
40,000 steps at depth 1 to 320,000 at depth 4; 16 moves a play, which the
rows have to allow. Where the paper leaves room:

- steps double from depth to depth, which gives both figures that it names;
- an update takes one play of each environment, to its end; with the 512 plays that the paper names
  40,000 steps would be a dozen updates (`plays=512`);
- the mean return of a batch is taken off each return, which changes no expected gradient;
- the reward is that of the environment: 1 for the move that solves the cube;
- at depths 1 and 2 it learns on all states that there are, those that it is judged on too.

For the long horizon go on with `train` at depths 5 to 20, 320,000 steps each, and 400 moves a play.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from facelet import create_dataset, environment

Array = NDArray[np.float32]

MOVES = tuple(face + turn for face in "FBLRUD" for turn in ("", "'"))
"""The actions: twelve quarter turns."""
COLOURS = "RGBYOW"
"""The letters of an observation."""
STICKERS = 54
STATES = {1: 12, 2: 114}
"""States of a depth to learn on: all where there are few, else MANY."""
LARGEST_ROLLOUTS = 1000
CURRICULUM = ((1, 40_000), (2, 80_000), (3, 160_000), (4, 320_000))
"""Depths, and steps at each."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the paper fixes.

    Attributes:
        width: units of a hidden layer.
        layers: hidden layers.
        rate: Adam's rate.
        discount: what a return keeps a step.
        plays: plays side by side, and of an update.
        moves: moves of a play.
    """

    width: int = 256
    layers: int = 5
    rate: float = 5e-4
    discount: float = 0.99
    plays: int = 64
    moves: int = 16


class MovePolicy:
    """A perceptron from states to the logarithms of the probabilities of moves, with Adam."""

    def __init__(self, settings: Settings, rng: np.random.Generator) -> None:
        """Draw the weights (He's scale; the last layer small, so that it begins evenly)."""
        sizes = [STICKERS * len(COLOURS), *[settings.width] * settings.layers, len(MOVES)]
        self.weights: list[Array] = []
        for number, (before, after) in enumerate(pairwise(sizes), 1):
            scale = 0.01 if number == len(sizes) - 1 else (2 / before) ** 0.5
            self.weights += [
                (scale * rng.standard_normal((before, after))).astype(np.float32),
                np.zeros(after, dtype=np.float32),
            ]
        self._rate, self._count = settings.rate, 0
        self._mean = [np.zeros_like(weight) for weight in self.weights]
        self._square = [np.zeros_like(weight) for weight in self.weights]

    def forward_layers(self, states: Array) -> list[Array]:
        """Return the values of all layers: the states first, logarithms of probabilities last.

        Args:
            states: (n, 324), see `encode_states`.
        """
        values = [states]
        for place in range(0, len(self.weights), 2):
            value = values[-1] @ self.weights[place] + self.weights[place + 1]
            values.append(np.maximum(value, 0))
        value -= value.max(axis=1, keepdims=True)
        values[-1] = value - np.log(np.exp(value).sum(axis=1, keepdims=True))
        return values

    def sample_moves(self, states: Array, rng: np.random.Generator) -> NDArray[np.int64]:
        """Return the number of a move for each state, drawn by its probabilities."""
        logs = self.forward_layers(states)[-1]
        drawn: NDArray[np.int64] = (logs + rng.gumbel(size=logs.shape)).argmax(axis=1)
        return drawn

    def policy_gradient(self, states: Array, taken: NDArray[np.int64], worth: Array) -> list[Array]:
        """Return the gradient of the mean of worth times the logarithm of what was taken.

        Args:
            states: (n, 324).
            taken: (n,), numbers of moves.
            worth: (n,), what each was worth.
        """
        values = self.forward_layers(states)
        back = -np.exp(values[-1])
        back[np.arange(len(taken)), taken] += 1
        back *= worth[:, None] / len(taken)
        found: list[Array] = []
        for place in reversed(range(0, len(self.weights), 2)):
            below = values[place // 2]
            found = [below.T @ back, back.sum(axis=0), *found]
            back = (back @ self.weights[place].T) * (below > 0)
        return found

    def apply_gradient(self, gradient: Sequence[Array]) -> None:
        """Take one step of Adam along a gradient."""
        self._count += 1
        for place, slope in enumerate(gradient):
            self._mean[place] += 0.1 * (slope - self._mean[place])
            self._square[place] += 0.001 * (slope * slope - self._square[place])
            mean = self._mean[place] / (1 - 0.9**self._count)
            square = self._square[place] / (1 - 0.999**self._count)
            self.weights[place] += self._rate * mean / (np.sqrt(square) + 1e-8)


@dataclass(slots=True)
class CubeRollout:
    """One play under way: its functions, what is seen, and what was done.

    Attributes:
        play: the play.
        step: the functions of its first step, which holds all moves.
        seen: the observation now, 54 letters.
        states: those that were seen before each move.
        taken: numbers of the moves.
        rewards: of the moves.
    """

    play: environment.Play
    step: environment.Toolset
    seen: str
    states: list[str]
    taken: list[int]
    rewards: list[float]

    @property
    def is_solved(self) -> bool:
        """Whether the last move solved the cube."""
        return bool(self.rewards) and self.rewards[-1] > 0

    def apply_move(self, number: int) -> None:
        """Carry out a move."""
        self.states.append(self.seen)
        self.taken.append(number)
        self.rewards.append(float(self.step.list_allowed_functions["make_move"](MOVES[number])))
        if not self.is_solved:
            self.seen = self.step.list_allowed_functions["get_observation"]()


def begin_rollout(play: environment.Play) -> CubeRollout:
    """Return a play that begins; it must show its cube as letters, and let code act."""
    step = play.tools()
    if step is None:
        raise ValueError(f"{play.id} has no functions; use rows of cube/navigate with mode=code")
    return CubeRollout(play, step, step.list_allowed_functions["get_observation"](), [], [], [])


def encode_states(states: Sequence[str]) -> Array:
    """Return states as (n, 324) zeros and ones: of each sticker, which colour it has."""
    letters = np.frombuffer("".join(states).encode("ascii"), dtype=np.uint8)
    same = letters[:, None] == np.frombuffer(COLOURS.encode("ascii"), dtype=np.uint8)
    found: Array = same.reshape(len(states), -1).astype(np.float32)
    return found


def compute_discounted_returns(rewards: Sequence[float], discount: float) -> list[float]:
    """Return the discounted sum of this and all later rewards, at each move."""
    found, later = [], 0.0
    for reward in reversed(rewards):
        later = reward + discount * later
        found.append(later)
    return found[::-1]


def random_starts(
    depth: int, seed: int, split: str = "train"
) -> Callable[[np.random.Generator], CubeRollout]:
    """Return what begins a play of a random state of a depth, in quarter turns.

    Args:
        depth: optimal depth of the states.
        seed: which states they are.
        split: states to learn on and to be judged on are drawn under different names.
    """
    data = create_dataset(
        "cube/navigate",
        size=STATES.get(depth, LARGEST_ROLLOUTS),
        seed=seed,
        split=split,
        metric="qtm",
        depth=depth,
        moves=1_000_000,
        observation="symbolic",
    )
    entries = [data[number] for number in range(len(data))]
    return lambda rng: begin_rollout(data.play(entries[rng.integers(len(entries))]))


def train(
    policy: MovePolicy,
    start: Callable[[np.random.Generator], CubeRollout],
    steps: int,
    settings: Settings,
    rng: np.random.Generator,
) -> list[float]:
    """Learn from plays; return the share of them that was solved, before each update.

    Args:
        policy: what learns.
        start: begins a play.
        steps: moves of all plays together.
        settings: see there.
        rng: what states and moves are drawn from.
    """
    shares: list[float] = []
    done = 0
    while done < steps:
        cubes = [start(rng) for _ in range(settings.plays)]
        going = cubes
        for _ in range(settings.moves):
            chosen = policy.sample_moves(encode_states([cube.seen for cube in going]), rng)
            for cube, number in zip(going, chosen, strict=True):
                cube.apply_move(int(number))
            done += len(going)
            going = [cube for cube in going if not cube.is_solved]
            if not going:
                break
        shares.append(sum(cube.is_solved for cube in cubes) / len(cubes))
        update_policy(policy, cubes, settings.discount)
    return shares


def update_policy(policy: MovePolicy, ended: Sequence[CubeRollout], discount: float) -> None:
    """Take a step along the gradient of the return of some plays."""
    worth = np.array(
        [g for cube in ended for g in compute_discounted_returns(cube.rewards, discount)],
        dtype=np.float32,
    )
    taken = np.array([number for cube in ended for number in cube.taken])
    states = encode_states([state for cube in ended for state in cube.states])
    policy.apply_gradient(policy.policy_gradient(states, taken, worth - worth.mean()))


def finish_play(
    policy: MovePolicy, cube: CubeRollout, moves: int, rng: np.random.Generator
) -> environment.Play:
    """Play to the end and return the play, judged.

    Args:
        policy: who plays.
        cube: the play at its beginning.
        moves: moves that it may take.
        rng: what they are drawn from.
    """
    while not cube.is_solved and len(cube.taken) < moves:
        cube.apply_move(int(policy.sample_moves(encode_states([cube.seen]), rng)[0]))
    if not cube.is_solved:
        cube.step.list_allowed_functions["final_answer"]()
    cube.play.reply(cube.step.build_recorded_reply())
    return cube.play


def main() -> None:
    """Train on the curriculum, play a dataset's rows, and write transcripts."""
    parser = argparse.ArgumentParser(description="train CubeBench's policy gradient, and play")
    parser.add_argument("dataset", type=Path, help="a dataset with CubeBench's suite")
    parser.add_argument("out", type=Path, help="the file of transcripts to write")
    parser.add_argument("--config", default="cubebench.navigate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0, help="of the published steps")
    told = parser.parse_args()
    settings, rng = Settings(), np.random.default_rng(told.seed)
    policy = MovePolicy(settings, rng)
    for depth, steps in CURRICULUM:
        shares = train(
            policy, random_starts(depth, told.seed), round(steps * told.share), settings, rng
        )
        print(f"depth {depth}: solved {shares[-1]:.0%} of the last plays")
    deepest = CURRICULUM[-1][0]
    with told.out.open("w", encoding="utf-8") as file:
        for row in iterate_letter_rows(told.dataset, told.config, deepest):
            play = finish_play(
                policy, begin_rollout(environment.open_row(row)), settings.moves, rng
            )
            file.write(json.dumps(play.transcript("policy gradient")) + "\n")


def iterate_letter_rows(dataset: Path, config: str, deepest: int) -> Iterable[dict[str, Any]]:
    """Yield the rows of a dataset that show letters, up to a depth."""
    for row in environment.rows(dataset, config):
        if row["observation"] == "symbolic" and row["optimal_depth"] <= deepest:
            yield row


if __name__ == "__main__":
    main()
