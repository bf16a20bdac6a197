"""Settings of a fine-tuning set and of the verb `finetune`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from facelet.pipeline.command.setting_keys import key, list_task_names
from facelet.pipeline.formats import ChatForm, Target


@dataclass(frozen=True, kw_only=True)
class FinetuneSettings:
    """What is asked, how often, and how it is written."""

    task: tuple[str, ...] = key(
        "What is asked. Several tasks, or configs named SUITE.CONFIG, take turns in one set.",
        allowed="tasks with levels and halves, or configs of them",
        known=list_task_names,
    )
    out: Path = key("Where the set goes.", allowed="a folder that is new or empty")
    count: int = key("Number of samples.", 20_000, low=1)
    highest: int = key("Levels 1 to this one have as many samples each.", 10, low=1)
    form: ChatForm = key(
        "Who loads it: sharegpt for LLaMA-Factory; messages for TRL (SFTTrainer) and Axolotl "
        "(chat_template).",
        "messages",
    )
    target: Target = key("What the model is to reply.", "letter")
    params: tuple[str, ...] = key("Other params of the task.", (), allowed="name:value pairs")
    seed: int = key("Root of all seeds.", 0)
