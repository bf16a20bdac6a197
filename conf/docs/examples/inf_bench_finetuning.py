"""Inf-Bench's fine-tuning (its section 6.3 and appendix C.2): the set and the settings.

    python conf/docs/examples/inf_bench_finetuning.py mixed --direction forward --highest 5
    llamafactory-cli train sft/train.yaml

It writes 20,000 samples, mixed evenly over 2D, 2.5D and 3D and over the levels 1 to `highest`, and
the settings for LLaMA-Factory beside them. No sample has a start that a test set has.

As published: LoRA of rank 8; ZeRO-3; batches of 4 a device, gathered over 4 steps; a learning rate
of 1e-4; 3 epochs; `highest` 1, 5 or 10; Qwen3-VL-8B and 32B, each direction by itself. Where the
paper leaves room:

- the three tracks take turns; how many samples each had is not said;
- the reply is the letter, or reasons by rule with `--target reasoning`;
- the rate falls as a cosine after a tenth of warming up, and all linear layers are adapted, as in
  LLaMA-Factory's own examples;
- the settings of ZeRO-3 are those that come with LLaMA-Factory: run it from its folder, or name the
  file with `--zero`.

Afterwards `facelet next` and `facelet ladder` climb with the model, for its R.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import yaml

from facelet.pipeline.cli import main as facelet

TRACKS = ("2d", "25d", "3d")
SAMPLES = 20_000


def llama_factory_settings(folder: Path, model: str, zero: str) -> dict[str, object]:
    """Return the settings of LLaMA-Factory.

    Args:
        folder: where the set is.
        model: what is trained.
        zero: file with the settings of ZeRO-3; "" for one device without it.
    """
    found: dict[str, object] = {
        "model_name_or_path": model,
        "stage": "sft",
        "do_train": True,
        "finetuning_type": "lora",
        "lora_rank": 8,
        "lora_target": "all",
        "dataset_dir": str(folder),
        "media_dir": str(folder),
        "dataset": "facelet",
        "template": "qwen3_vl_nothink",
        "cutoff_len": 8192,
        "per_device_train_batch_size": 4,
        "gradient_accumulation_steps": 4,
        "learning_rate": 1e-4,
        "num_train_epochs": 3.0,
        "lr_scheduler_type": "cosine",
        "warmup_ratio": 0.1,
        "bf16": True,
        "seed": 0,
        "output_dir": str(folder / "adapter"),
    }
    return {**found, "deepspeed": zero} if zero else found


def main(words: Sequence[str] | None = None) -> int:
    """Write the set and the settings, and return the exit status."""
    parser = argparse.ArgumentParser(description="Inf-Bench's fine-tuning: the set, the settings.")
    parser.add_argument("folder", type=Path, help="where the set goes: new or empty")
    parser.add_argument("--direction", choices=("forward", "inverse"), default="forward")
    parser.add_argument("--highest", type=int, default=10, help="the greatest level: 1, 5 or 10")
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--input", choices=("picture", "text"), default="picture")
    parser.add_argument("--target", choices=("letter", "reasoning"), default="letter")
    parser.add_argument("--model", default="Qwen/Qwen3-VL-8B-Instruct")
    parser.add_argument("--zero", default="examples/deepspeed/ds_z3_config.json")
    asked = parser.parse_args(words)
    ending = "_text" if asked.input == "text" else ""
    tracks = ",".join(f"inf_bench.{asked.direction}_{track}{ending}" for track in TRACKS)
    folder = asked.folder.resolve()
    status = facelet(
        ["finetune", f"task={tracks}", f"out={folder}", f"count={asked.samples}",
         f"highest={asked.highest}", f"target={asked.target}", "form=sharegpt"]
    )  # fmt: skip
    if status == 0:
        text = yaml.safe_dump(
            llama_factory_settings(folder, asked.model, asked.zero), sort_keys=False
        )
        (folder / "train.yaml").write_text(text)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
