"""Make chats for fine-tuning, disjoint from the test sets.

Makes a fine-tuning set: out/train.jsonl, out/images if it has pictures, and out/dataset_info.json
for LLaMA-Factory. The samples are spread evenly over the levels and are all different. They share
no start with any test set, in any orientation: starts come from a half that test sets do not use.
Several tasks, or configs of a suite, alternate in one set. With target=reasoning the reply carries
out the operations one by one before it names the letter.

Examples:
  facelet finetune task=shapes/forward_deformation out=sft 'params=[space:2.5d,input:text]'
  facelet finetune task=SUITE.CONFIG,SUITE.CONFIG out=sft count=20000 highest=10
  facelet finetune task=cube/inverse_deformation out=sft form=sharegpt target=reasoning count=2000

Exit status: 0 done, 2 a bad word, or a folder that is not empty.
"""

from __future__ import annotations

import sys

from facelet.pipeline.formats.finetune_settings import FinetuneSettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Write the set and return the exit status.

    Raises:
        ValueError: a value will not do, or the folder is not empty.
    """
    from facelet.pipeline.formats.finetune_writer import write_finetune_set

    print(f"{write_finetune_set(settings)} samples in {settings.out}/train.jsonl", file=sys.stderr)
    return 0
