"""Write what verl trains from, and print the command that trains.

    python conf/docs/examples/train_verl.py data/out/training cube_bench.step_by_step

Single questions and episodes may stand in one file: each row says by which loop it is played.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from facelet.pipeline.adapters import verl

COMMAND = """python -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files={out}/train.parquet data.val_files={out}/test.parquet \\
    data.image_key=images data.return_raw_chat=True \\
    reward.custom_reward_function.path={module} \\
    reward.custom_reward_function.name=compute_score \\
    actor_rollout_ref.model.path={model} \\
    actor_rollout_ref.rollout.n=8 \\
    actor_rollout_ref.rollout.multi_turn.enable=True \\
    actor_rollout_ref.rollout.multi_turn.format=hermes \\
    actor_rollout_ref.rollout.multi_turn.tool_config_path={out}/tools.yaml"""


def write_files() -> None:
    """Write the files."""
    asked = argparse.ArgumentParser(description="Train on Facelet with verl.")
    asked.add_argument("dataset", help="a folder built with splits=train:...,test:...")
    asked.add_argument("configs", nargs="+", help="configs or suites")
    asked.add_argument("--model", default="Qwen/Qwen3-VL-2B-Instruct")
    asked.add_argument("--out", default="verl")
    told = asked.parse_args()

    out = Path(told.out)
    out.mkdir(parents=True, exist_ok=True)
    for split in ("train", "test"):
        count = verl.write(told.dataset, told.configs, out / f"{split}.parquet", split)
        print(f"{split}: {count} rows")
    verl.write_tools(out / "tools.yaml")
    print(COMMAND.format(out=out, module=Path(verl.__file__).resolve(), model=told.model))


if __name__ == "__main__":
    write_files()
