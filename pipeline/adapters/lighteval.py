"""Build lighteval tasks of single questions, with a metric that grades replies by replay.

`facelet harness tool=lighteval` writes `facelet_tasks.py`, the file of custom tasks, and for each
suite a list of its tasks without pictures and a list of its tasks with pictures:

    lighteval accelerate "model_name=NAME" tasks/facelet_SUITE.txt \
        --custom-tasks tasks/facelet_tasks.py

lighteval has a prompt of one text and shows the pictures after it, to its vision models only. Other
models would silently miss them, hence the two lists. Only `tasks` imports lighteval.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict

from facelet.pipeline.adapters._dataset_folder import list_pictures, score_reply
from facelet.pipeline.adapters.harness import LONGEST_REPLY, format_task_name
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.chat_messages import chat_text

METRICS = ("acc", "strict_acc")

SCRIPT = '''"""Tasks of a Facelet dataset for lighteval: --custom-tasks {name}"""

from facelet.pipeline.adapters.lighteval import tasks

TASKS_TABLE = tasks({repo!r}, {revision!r}, {table})
'''


class TaskRow(TypedDict):
    """A config and split that becomes a task: its name there, and the version of its task here."""

    name: str
    config: str
    split: str
    version: int


def write_tasks(
    parts: Sequence[dataset_reader.SplitFiles],
    versions: Mapping[str, int],
    repo: str,
    revision: str,
    out: Path,
) -> int:
    """Write the tasks and their lists; return the number of tasks.

    Args:
        parts: splits of single questions.
        versions: version of the task of each config.
        repo: source of the rows: a folder, or a name on the Hub.
        revision: version on the Hub; "" for the newest.
        out: an empty folder.
    """
    table: list[TaskRow] = []
    lists: dict[str, list[str]] = {}
    for part in parts:
        name = format_task_name(part.config, part.name)
        table.append(
            {
                "name": name,
                "config": part.config,
                "split": part.name,
                "version": versions[part.config],
            }
        )
        pictured = any(row["image_hashes"] for row in part.iterate_rows(["image_hashes"]))
        suite = f"facelet_{part.config.partition('.')[0]}"
        lists.setdefault(f"{suite}_pictures" if pictured else suite, []).append(name)
    lines = "".join(f"    {json.dumps(entry)},\n" for entry in table)
    text = SCRIPT.format(
        name="facelet_tasks.py", repo=repo, revision=revision, table=f"[\n{lines}]"
    )
    (out / "facelet_tasks.py").write_text(text, encoding="utf-8")
    for name, names in lists.items():
        text = "".join(f"{one}|0\n" for one in names)
        (out / f"{name}.txt").write_text(text, encoding="utf-8")
    return len(table)


def tasks(repo: str, revision: str, table: Sequence[TaskRow]) -> list[Any]:
    """Return the tasks, as lighteval's own records.

    Args:
        repo: source of the rows.
        revision: version on the Hub; "" for the newest.
        table: the configs and splits.

    Raises:
        ImportError: lighteval is not installed.
    """
    try:
        config = import_module("lighteval.tasks.lighteval_task").LightevalTaskConfig
        requests = import_module("lighteval.tasks.requests")
        base = import_module("lighteval.metrics.metrics_sample").SampleLevelComputation
        grouping = import_module("lighteval.metrics.utils.metric_utils").SampleLevelMetricGrouping
    except ImportError as error:
        raise ImportError("lighteval is not installed: pip install lighteval") from error
    from numpy import mean

    class ReplayMetric(base):  # type: ignore[misc, valid-type]
        """Grades a reply as `facelet score` does."""

        def compute(self, doc: Any, model_response: Any, **more: object) -> dict[str, float]:
            """Return the figures of the first reply to a question."""
            said = model_response.text[0] if model_response.text else ""
            return score_reply(json.loads(doc.specific["row"]), said)

    def build_doc(line: dict[str, Any], task: str) -> Any:
        """Return a row as lighteval's question, with the columns that grade it as JSON."""
        own = {
            name: value
            for name, value in line.items()
            if name != "images" and not name.startswith("__")
        }
        return requests.Doc(
            query=chat_text(line["messages"]),
            choices=[line["gold"]],
            gold_index=0,
            images=list_pictures(line) or None,
            specific={"id": line["id"], "row": json.dumps(own)},
            task_name=task,
        )

    metric = grouping(
        metric_name=list(METRICS),
        higher_is_better=dict.fromkeys(METRICS, True),
        category=requests.SamplingMethod.GENERATIVE,
        sample_level_fn=ReplayMetric(),
        corpus_level_fn=dict.fromkeys(METRICS, mean),
    )
    return [
        config(
            name=entry["name"],
            prompt_function=build_doc,
            hf_repo=repo,
            hf_subset=entry["config"],
            hf_revision=revision or None,
            hf_avail_splits=[entry["split"]],
            evaluation_splits=[entry["split"]],
            metrics=[metric],
            generation_size=LONGEST_REPLY,
            stop_sequence=[],
            version=entry["version"],
        )
        for entry in table
    ]
