r"""Write tasks for lm-eval, lmms-eval, lighteval or VLMEvalKit.

Writes tasks that the harness runs from --include_path: facelet_<config>, and facelet_<suite> for
all of a suite. Replies are scored by replay (acc, strict_acc). Rows are logged with their ids, so
that `facelet score` takes the harness's own samples (--log_samples) for all other figures. For
VLMEvalKit it writes tables and a script that registers them and runs its run.py; for lighteval a
module of custom tasks, and for each suite a list of tasks without and of tasks with pictures. These
harnesses cannot ask episodes of many turns: the command names them and leaves them out, and
`facelet run` plays them. For models without pictures, name single tasks.

Examples:
  facelet harness dataset=data/out/facelet-paper out=tasks
  lm_eval --model hf --model_args pretrained=NAME --include_path tasks \
      --tasks facelet_SUITE --apply_chat_template --log_samples --output_path logs
  facelet harness tool=vlmevalkit dataset=data/out/facelet-paper out=tables
  python tables/facelet_rows.py run.py --data facelet_SUITE_TASK --model NAME
  facelet harness tool=lighteval dataset=data/out/facelet-paper out=tasks
  lighteval accelerate model_name=NAME tasks/facelet_SUITE.txt \
      --custom-tasks tasks/facelet_tasks.py

Exit status: 0 done, 2 a bad word, dataset or folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key, list_suite_names


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Which tasks are written, and for whom."""

    tool: Literal["lm-eval", "lmms-eval", "lighteval", "vlmevalkit"] = key(
        "The harness.", "lm-eval"
    )
    dataset: Path = key("The dataset.", allowed="a folder that holds a built or downloaded dataset")
    hub: str = key(
        "Read rows from the Hub instead of the folder.", "", allowed="ORG/NAME", shown="the folder"
    )
    revision: str = key(
        "Which version on the Hub.", "", allowed="a tag, branch or commit", shown="main"
    )
    out: Path | None = key(
        "The files.", None, allowed="an empty folder, or none", shown="<dataset>.harness/TOOL"
    )
    suites: tuple[str, ...] = key(
        "Which suites are written.",
        (),
        allowed="names of suites; [] for all",
        known=list_suite_names,
    )
    configs: tuple[str, ...] = key(
        "Which configs are written.", (), allowed="names of configs; [] for all"
    )
    split: str = key("Which split is written.", "", allowed="name of a split", shown="all")


def run(settings: Settings) -> int:
    """Write the tasks and return the exit status.

    Raises:
        ValueError: the dataset or folder cannot be used.
        OSError: a file cannot be written.
    """
    from facelet.pipeline import family_modules
    from facelet.pipeline.adapters.harness import render_task_files
    from facelet.pipeline.card.episode_configs import list_episode_configs
    from facelet.pipeline.dataset import manifest_file
    from facelet.pipeline.dataset.atomic_files import check_new_folder, write_folder
    from facelet.pipeline.dataset.store_address import folder_beside
    from facelet.pipeline.rollout.row_selection import select_splits

    tool, folder = settings.tool, settings.dataset
    out = settings.out or folder_beside(folder, "harness") / tool
    check_new_folder(out)
    parts = select_splits(folder, settings.suites, settings.configs, settings.split)
    content = manifest_file.read_manifest(folder)
    configs = {part.config: content.find_config(part.config) for part in parts}
    long = list_episode_configs(
        parts, lambda config: family_modules.load_task(configs[config].task)
    )
    single = [part for part in parts if part.config not in long]
    versions = {config: configs[config].task_version for config in configs}
    repo = settings.hub or str(folder.resolve())
    if tool == "vlmevalkit":
        from facelet.pipeline.adapters import vlmevalkit

        if settings.hub or settings.revision:
            raise ValueError(
                "VLMEvalKit takes no hub and revision, because its tables contain the rows"
            )
        with write_folder(out) as work:
            made = f"{vlmevalkit.write_tables(single, folder, work)} tables"
    elif tool == "lighteval":
        from facelet.pipeline.adapters import lighteval

        with write_folder(out) as work:
            count = lighteval.write_tasks(single, versions, repo, settings.revision, work)
        made = f"{count} tasks"
    else:
        source: dict[str, object] = {"dataset_path": repo}
        if settings.revision:
            source["dataset_kwargs"] = {"revision": settings.revision}
        files = render_task_files(tool, single, versions, source)
        with write_folder(out) as work:
            for name, text in files.items():
                (work / name).write_text(text, encoding="utf-8")
        made = f"{len(files) - 1} tasks and groups"
    print(sanitize_text(f"{out}: {made} for {tool}"))
    if long:
        print(f"left out, because they are episodes: {', '.join(long)}")
    return 0
