"""Does it teach where rows are drawn? A small policy, one stream, two samplers.

    python edge_of_ability.py uniform 0 curves.jsonl  # sampler, seed, where the curve is appended
    python edge_of_ability.py table curves.jsonl      # success at the end, seeds together

A policy of two layers chooses among four moves of a cube, step by step (`cube/step_by_step`, depths
1 to 8), and learns by policy gradient from the reward of the whole episode alone: 16 plays of each
row, and advantages within the group. Of a candidate it sees the stickers after the move. Success is
measured on starts of which no symmetric one was trained on, played greedily.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

import facelet
from facelet.generators.cube.engine import moves
from facelet.pipeline.rollout.streams.row_stream import Stream

Floats = NDArray[np.float64]

DEPTHS = "1-8"
GROUP = 16
HIDDEN = 256
RATE = 1e-3
STARTS = 60
"""Starts of each depth that success is measured on, seen ones left out."""

_COLOURS = "URFDLB"
_OPTION = re.compile(r"([A-D]): ([URFDLB][2']?)")


def encode_states(states: Sequence[str]) -> Floats:
    """Return the stickers of states, one of six colours each; shape (states, 324)."""
    codes = np.array([[_COLOURS.index(sticker) for sticker in state] for state in states])
    found: Floats = np.eye(6)[codes].reshape(len(states), -1)
    return found


class ChoicePolicy:
    """A score for each state that a candidate leads to; the choice is a softmax of four."""

    def __init__(self, rng: np.random.Generator) -> None:
        """Draw the weights."""
        self.weights = [
            rng.normal(0, np.sqrt(2 / 324), (324, HIDDEN)),
            np.zeros(HIDDEN),
            rng.normal(0, 0.01, (HIDDEN, 1)),
        ]
        self._first = [np.zeros_like(part) for part in self.weights]
        self._second = [np.zeros_like(part) for part in self.weights]
        self._steps = 0

    def choice_probabilities(self, seen: Floats) -> tuple[Floats, Floats]:
        """Return the chance of each candidate, shape (choices, 4), and the hidden layer."""
        inside, bias, out = self.weights
        hidden: Floats = np.maximum(seen @ inside + bias, 0)
        scores = (hidden @ out).reshape(-1, 4)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True), hidden

    def update_weights(self, seen: Floats, chosen: NDArray[np.int64], worth: Floats) -> None:
        """Take a step of Adam up the policy gradient.

        Args:
            seen: what was seen of each candidate; shape (4 choices, 324).
            chosen: the candidate of each choice.
            worth: the advantage of each choice.
        """
        chances, hidden = self.choice_probabilities(seen)
        pull = -chances
        pull[np.arange(len(chosen)), chosen] += 1
        pull = (pull * worth[:, None]).reshape(-1, 1) / len(chosen)
        back = (pull @ self.weights[2].T) * (hidden > 0)
        self._steps += 1
        for k, slope in enumerate((seen.T @ back, back.sum(axis=0), hidden.T @ pull)):
            self._first[k] = 0.9 * self._first[k] + 0.1 * slope
            self._second[k] = 0.999 * self._second[k] + 0.001 * slope**2
            first = self._first[k] / (1 - 0.9**self._steps)
            second = self._second[k] / (1 - 0.999**self._steps)
            self.weights[k] += RATE * first / (np.sqrt(second) + 1e-8)


def parse_candidates(text: str) -> list[str]:
    """Return the moves of the four candidates of a question."""
    found = dict(_OPTION.findall(text))
    return [found[letter] for letter in "ABCD"]


def play_group(
    stream: Stream,
    row: dict[str, Any],
    policy: ChoicePolicy,
    rng: np.random.Generator | None = None,
    count: int = 1,
) -> tuple[Floats, NDArray[np.int64], Floats, NDArray[np.int64]]:
    """Play a row `count` times at once.

    Args:
        stream: the stream of the row.
        row: the row.
        policy: chooses.
        rng: draws the choices; None for the likeliest.
        count: number of plays.

    Returns:
        The reward of each play; and of each choice the play, what was seen, and what was chosen.
    """
    plays = [stream.open(row, "dataset") for _ in range(count)]
    states = [row["facelets"]] * count
    rewards = np.zeros(count)
    who: list[int] = []
    seen: list[Floats] = []
    said: list[int] = []
    going = list(range(count))
    while going:
        offered = [
            parse_candidates(plays[k].new_messages[-1]["content"][-1]["text"]) for k in going
        ]
        after = [
            moves.apply_maneuver(states[k], (move,))
            for k, options in zip(going, offered, strict=True)
            for move in options
        ]
        looks = encode_states(after)
        chances, _ = policy.choice_probabilities(looks)
        picks = [int(c.argmax() if rng is None else rng.choice(4, p=c)) for c in chances]
        who += going
        seen.append(looks)
        said += picks
        for place, (k, pick) in enumerate(zip(list(going), picks, strict=True)):
            states[k] = after[4 * place + pick]
            outcome = plays[k].reply(f"<ANSWER>{'ABCD'[pick]}</ANSWER>")
            if outcome is not None:
                rewards[k] = outcome.status == "correct"
                going.remove(k)
    return rewards, np.array(who), np.concatenate(seen), np.array(said)


def evaluate_unseen(policy: ChoicePolicy, trained: set[str]) -> dict[str, list[int]]:
    """Return by depth how many unseen starts there were and how many of them were solved."""
    found: dict[str, list[int]] = {}
    for depth in range(1, 9):
        stream = open_stream(999, str(depth), "uniform")
        rows = {row["canonical"]: row for row in islice(stream, STARTS)}
        unseen = [row for canonical, row in rows.items() if canonical not in trained]
        solved = sum(int(play_group(stream, row, policy)[0][0]) for row in unseen)
        found[str(depth)] = [len(unseen), solved]
    return found


def open_stream(seed: int, levels: str, sampler: Any) -> Stream:
    """Return a stream of questions as text."""
    told: dict[str, str | None] = {"table": "small"}
    return facelet.stream(
        "cube/step_by_step", seed, levels=levels, sampler=sampler, told=told, modality="text"
    )


def train_policy(sampler: str, seed: int, out: str, groups: int = 2500) -> None:
    """Train once and write the curve."""
    rng = np.random.default_rng(seed)
    policy, stream = ChoicePolicy(rng), open_stream(seed, DEPTHS, sampler)
    trained: set[str] = set()
    dead, curve = 0, []
    for number in range(1, groups + 1):
        row = next(stream)
        trained.add(row["canonical"])
        rewards, who, seen, said = play_group(stream, row, policy, rng, GROUP)
        stream.tell(row, rewards.tolist())
        spread = rewards.std()
        dead += spread == 0
        if spread:
            policy.update_weights(seen, said, ((rewards - rewards.mean()) / spread)[who])
        if number % max(1, groups // 5) == 0:
            success = evaluate_unseen(policy, trained)
            curve.append({"groups": number, "dead": int(dead), "success": success})
            print(sampler, seed, json.dumps(curve[-1]), flush=True)
    with open(out, "a", encoding="utf-8") as file:
        record = {"sampler": sampler, "seed": seed, "curve": curve}
        file.write(json.dumps(record, separators=(",", ":")) + "\n")


def wilson_interval(solved: int, starts: int) -> tuple[float, float]:
    """Return Wilson's interval of a share, 95%."""
    share, square = solved / starts, 1.96**2
    middle = share + square / (2 * starts)
    half = 1.96 * math.sqrt(share * (1 - share) / starts + square / (4 * starts**2))
    whole = 1 + square / starts
    return (middle - half) / whole, (middle + half) / whole


def format_success_table(path: str) -> list[str]:
    """Return success at the end of runs by depth and sampler, all seeds together, as a table."""
    with open(path, encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    samplers = sorted({run["sampler"] for run in runs}, reverse=True)
    ends = {name: [run["curve"][-1] for run in runs if run["sampler"] == name] for name in samplers}
    lines = [f"| depth | {' | '.join(samplers)} |", "|--:|" + "--:|" * len(samplers)]
    for depth in map(str, range(4, 9)):
        cells = []
        for own in ends.values():
            starts, solved = (sum(end["success"][depth][k] for end in own) for k in (0, 1))
            low, high = wilson_interval(solved, starts)
            cells.append(f"{solved / starts:.0%} ({low:.0%} to {high:.0%})")
        lines.append(f"| {depth} | {' | '.join(cells)} |")
    dead = [sum(e["dead"] for e in own) / sum(e["groups"] for e in own) for own in ends.values()]
    lines.append(f"| groups without signal | {' | '.join(f'{share:.0%}' for share in dead)} |")
    return lines


if __name__ == "__main__":
    if sys.argv[1] == "table":
        print("\n".join(format_success_table(sys.argv[2])))
    else:
        sampler, seed, out, *more = sys.argv[1:]
        train_policy(sampler, int(seed), out, *map(int, more))
