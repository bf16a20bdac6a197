"""Groups without signal by sampler, through TRL's GRPOTrainer with a simulated learner.

    .venv-adapters/bin/python tests/benchmarks/bench_trainer.py [GROUPS]

The trainer is real, with its defaults: it loads rows, generates, asks for rewards and steps. Its
model is tiny and random; its replies are those of `learners.py`: right by the skill of a simulated
learner, which groups with right and wrong replies raise. The loss is a constant, because it changes
no row. A group without signal has replies that are all right or all wrong. The peer of `frontier`
is `uniform` in the same run; three seeds.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from targets import BenchTarget, heading, print_row, summary
from trl import GRPOConfig, GRPOTrainer

from facelet.pipeline.adapters import trl as facelet_trl

sys.path.insert(0, str(Path(__file__).parents[1] / "shared"))

import tiny_models
from learners import GROUP, LEARNERS

TASK, LEVELS = "arcade/bit_query", "1-16"
SEEDS, ROWS = 3, 2
MARKS = (250, 1000)


def simulate_training(sampler: str, seed: int, groups: int) -> list[bool]:
    """Train once; return for each group whether it has no signal."""
    rows = facelet_trl.Streamed(TASK, seed=seed, levels=LEVELS, sampler=sampler)
    rng, shape = np.random.default_rng(seed), LEARNERS["logistic"]
    skill, dead = [shape.first_rate], list[bool]()

    def pay_replies(completions: list[str], id: list[str], **_: object) -> list[float]:
        rewards = []
        for first in range(0, len(id), GROUP):
            assert len(set(id[first : first + GROUP])) == 1
            level = int(id[first].split("/")[-2].rpartition("-")[2].lstrip("dlt"))
            odds = shape.top / (1 + np.exp((level - skill[0]) / shape.width))
            right = rng.random(GROUP) < odds
            share = float(right.mean())
            dead.append(share in (0, 1))
            skill[0] += shape.step * 4 * share * (1 - share)
            rewards += right.astype(float).tolist()
        for name, reward in zip(id, rewards, strict=True):
            rows.progress.record_reward(name, reward)
        return rewards

    model, tokenizer = tiny_models.reading_model()
    with tempfile.TemporaryDirectory() as folder:
        trainer = GRPOTrainer(
            model=model,
            processing_class=tokenizer,
            args=GRPOConfig(
                output_dir=folder,
                max_steps=-(-groups // ROWS),
                per_device_train_batch_size=GROUP * ROWS,
                num_generations=GROUP,
                use_cpu=True,
                bf16=False,
                report_to=[],
                save_strategy="no",
                disable_tqdm=True,
                logging_strategy="no",
            ),
            train_dataset=facelet_trl.prompts(rows),
            reward_funcs=pay_replies,
            callbacks=[facelet_trl.TrainingCallback(rows)],
        )
        reply = tokenizer("?<|im_end|>")["input_ids"]
        trainer._generate_single_turn = lambda prompts, *_, **__: ([reply] * len(prompts), None)
        trainer._compute_loss = lambda model, _: model.lm_head.weight.sum() * 0
        trainer.train()
    return dead[:groups]


def main() -> None:
    """Print the table."""
    groups = int(sys.argv[1]) if len(sys.argv) > 1 else max(MARKS)
    marks = [mark for mark in MARKS if mark <= groups] or [groups]
    shares: dict[str, list[float]] = {}
    heading("sampler", *(f"groups without signal, of {mark}" for mark in marks))
    for sampler in ("uniform", "frontier"):
        runs = [simulate_training(sampler, seed, groups) for seed in range(SEEDS)]
        shares[sampler] = [float(np.mean([run[:mark] for run in runs])) for mark in marks]
        print_row(sampler, *(f"{share:.1%}" for share in shares[sampler]))
        for seed, run in enumerate(runs):
            print_row(f"{sampler}, seed {seed}", *(f"{np.mean(run[:m]):.1%}" for m in marks))
    last = shares["frontier"][-1]
    target = shares["uniform"][-1] / 2
    summary([BenchTarget("frontier, half of uniform", last, target, target, more=False)])


if __name__ == "__main__":
    main()
