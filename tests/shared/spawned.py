"""What a process does that a test spawns: it can be named from there."""

from __future__ import annotations

import pickle
from typing import Any


def run_trl_worker(sent: bytes, said: str) -> dict[str, Any]:
    """Do what AsyncGRPO's worker does with what it is sent."""
    told = pickle.loads(sent)
    rows = list(told["dataset"])
    ids = [row["id"] for row in rows]
    environments = [told["factory"]() for _ in range(4)]
    prompts = [one.reset(prompt=[]) for one in environments]
    environments[0].reply(said)
    return {
        "ids": ids,
        "rewards": told["reward"](completions=[said] * len(ids), id=ids),
        "prompts": prompts,
        "worth": environments[0].get_reward(),
    }
