"""Train a model on an endless stream with TRL's GRPOTrainer, at the edge of what it can.

    python conf/docs/examples/train_trl.py Qwen/Qwen3-0.6B
    python conf/docs/examples/train_trl.py Qwen/Qwen3-0.6B --task arcade/bit_query --episodes
    python conf/docs/examples/train_trl.py Qwen/Qwen3-VL-2B-Instruct --task cube/face_recognition
    python conf/docs/examples/train_trl.py Qwen/Qwen3-VL-2B-Instruct --task labyrinth/act --episodes

Single questions are paid by a reward function; episodes are played by a tool, without a dataset.
It needs the extra `trl`; a graphics card is a matter of time only.
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from trl import GRPOConfig, GRPOTrainer

from facelet.pipeline.adapters import trl as facelet_trl


def train_model() -> None:
    """Train, and tell what share of each level was won."""
    asked = argparse.ArgumentParser(description="Train on Facelet with TRL.")
    asked.add_argument("model", help="a name on the Hub or a folder")
    asked.add_argument("--task", default="cube/move_effect", help="a task or a suite")
    asked.add_argument("--levels", default="1-3", help="levels, as 1-3")
    asked.add_argument("--episodes", action="store_true", help="many turns, by a tool")
    asked.add_argument("--steps", type=int, default=1000)
    asked.add_argument("--group", type=int, default=8, help="replies to each row")
    asked.add_argument("--length", type=int, default=1024, help="most tokens of a reply")
    asked.add_argument("--out", default="trained")
    asked.add_argument("--resume", action="store_true", help="continue from the last checkpoint")
    told = asked.parse_args()

    rows = facelet_trl.Streamed(told.task, seed=7, levels=told.levels, sampler="frontier")
    source: dict[str, Any] = {"callbacks": [facelet_trl.TrainingCallback(rows)]}
    if told.episodes:
        source["environment_factory"] = facelet_trl.environment_factory(rows)
    else:
        source["train_dataset"] = facelet_trl.prompts(rows)
        source["reward_funcs"] = facelet_trl.reward_func(rows)
    card = torch.cuda.is_available()
    trainer = GRPOTrainer(
        model=told.model,
        args=GRPOConfig(
            output_dir=told.out,
            max_steps=told.steps,
            per_device_train_batch_size=told.group,
            num_generations=told.group,
            max_completion_length=told.length,
            use_cpu=not card,
            bf16=card,
            logging_steps=1,
            report_to=[],
        ),
        **source,
    )
    trainer.train(resume_from_checkpoint=told.resume)
    trainer.save_model()
    for cell, success in rows.process_stream().expected().items():
        print(f"{cell}: {success:.0%}")


if __name__ == "__main__":
    train_model()
