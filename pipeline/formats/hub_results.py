"""Export scores for the folder .eval_results of a model's repository on the Hub.

Each scored config and split has an entry: the name of the dataset on the Hub, the task as its
eval.yaml calls it, the accuracy in percent, and in the notes its baselines. The Hub shows entries
of datasets that it knows as benchmarks, and stores the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import yaml
from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.dataset.floor_record import format_chance, format_floor
from facelet.pipeline.formats.scored_samples import iterate_accuracies
from facelet.pipeline.publish.hub_repository import format_task_id
from facelet.pipeline.scoring.aggregate.claims import Claim
from facelet.pipeline.scoring.render.results_reader import RESULTS, read_results
from facelet.pipeline.scoring.render.results_schema import Model, Results

_NAME = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


def export_results(folder: Path, hub: str, out: Path) -> list[Path]:
    """Write a file for each model; return the files.

    Args:
        folder: what `facelet score` wrote.
        hub: the dataset's name on the Hub, ORG/NAME.
        out: a folder; each model has one of its own inside, to be put into its repository.

    Raises:
        ValueError: the folder holds no scores, or the name is none.
    """
    if not _NAME.fullmatch(hub):
        raise ValueError(f"hub={hub!r} is not a dataset of the Hub; write organization/name")
    found = read_results(folder)
    when = datetime.fromtimestamp(int((folder / RESULTS).stat().st_mtime), UTC)
    written = []
    for model in found["models"]:
        home = re.sub(r"[^\w.-]+", "--", model["model"] or "predictions")
        path = out / home / ".eval_results" / f"{hub.replace('/', '--')}.yaml"
        entries = list(_iterate_entries(found, model, hub, when.strftime("%Y-%m-%dT%H:%M:%SZ")))
        entries_text = yaml.safe_dump(
            eval_result_entries_to_yaml(entries), sort_keys=False, width=100
        )
        write_text(path, entries_text)
        written.append(path)
    return written


def _iterate_entries(
    found: Results, model: Model, hub: str, date: str
) -> Iterator[EvalResultEntry]:
    for config, split, scored, figure in iterate_accuracies(model):
        claim, asked = Claim.read("accuracy", figure), scored["items_counted"]
        notes = [f"split {split}", f"{asked} items", *claim.render(_notes, asked)]
        notes.extend(
            (
                f"chance {format_chance(scored['chance'])}",
                f"best without looking {format_floor(scored['floor'])}",
                f"content hash {found['dataset']['content_hash']}",
            )
        )
        yield EvalResultEntry(
            dataset_id=hub,
            task_id=format_task_id(config, split),
            value=round(100 * (figure["value"] or 0.0), 2),
            date=date,
            notes="; ".join(notes),
        )


def _notes(value: str, ends: str, notes: Sequence[str]) -> list[str]:
    """Return what stands beside a value; the value itself is a field of its own."""
    return [*([f"95% interval {ends}"] if ends else []), *notes]
