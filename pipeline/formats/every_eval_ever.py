"""Export scores as Every Eval Ever 0.3.0: a JSON of each model and a JSONL of its samples.

The files have the names that this collection expects: data/<benchmark>/<developer>/<model>/ with
<uuid>.json and <uuid>_samples.jsonl. The uuid is derived from what was scored, so the same scores
give the same files. A question of one reply is "single_turn", an episode "multi_turn", one whose
model may call functions "agentic". Chats of episodes are replayed from the row: what a transcript
claims about the environment is not exported.

An answer is attributed to its last occurrence in the reply, as first and end character; where an
answer is not written as it is read, to the whole reply.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Mapping
from pathlib import Path

from facelet._version import __version__
from facelet.pipeline.dataset.atomic_files import write_text
from facelet.pipeline.formats.format_writer import open_json_lines, to_readable_json
from facelet.pipeline.formats.scored_samples import (
    ScoredSample,
    iterate_accuracies,
    iterate_samples,
)
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.scoring.aggregate.claims import Figure
from facelet.pipeline.scoring.render.results_reader import RESULTS, read_results
from facelet.pipeline.scoring.render.results_schema import Model, Results, Split

VERSION = "0.3.0"
"""Version of the schema."""


def export_results(folder: Path, dataset: Path, out: Path) -> list[Path]:
    """Write the files of every model; return the aggregates.

    Args:
        folder: what `facelet score` wrote.
        dataset: the dataset that was answered.
        out: the folder that `data` stands in; made if missing.

    Raises:
        ValueError: the folder holds no scores, or the dataset cannot be read.
    """
    found = read_results(folder)
    seconds = str(int((folder / RESULTS).stat().st_mtime))
    return [_write_model(found, model, folder, dataset, out, seconds) for model in found["models"]]


def _write_model(
    found: Results, model: Model, folder: Path, dataset: Path, out: Path, seconds: str
) -> Path:
    name = model["model"] or "predictions"
    developer, short = _split_model_name(name)
    told = json.dumps([found["dataset"], found["options"], found["inputs"], name])
    number = uuid.UUID(bytes=hashlib.sha256(told.encode()).digest()[:16], version=4)
    place = Path("data") / _sanitize_name(found["dataset"]["name"]) / developer / short
    identity = f"{found['dataset']['name']}/{name}/{seconds}"
    sheet = place / f"{number}_samples.jsonl"
    with open_json_lines(out / sheet) as lines:
        for item in iterate_samples(folder, dataset, model["model"]):
            lines.write(_build_sample(item, identity, name))
    aggregate = {
        "schema_version": VERSION,
        "evaluation_id": identity,
        "evaluation_timestamp": seconds,
        "retrieved_timestamp": seconds,
        "source_metadata": {
            "source_name": found["dataset"]["name"],
            "source_type": "evaluation_run",
            "source_organization_name": "unknown",
            "evaluator_relationship": "other",
            "additional_details": _format_details(found["dataset"]),
        },
        "eval_library": {"name": "facelet", "version": __version__},
        "model_info": {
            "name": name,
            "id": name,
            "developer": developer,
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": [
            _build_accuracy(found, model, *accuracy) for accuracy in iterate_accuracies(model)
        ],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": sheet.as_posix(),
            "hash_algorithm": "sha256",
            "checksum": lines.digest.hexdigest(),
            "total_rows": lines.count,
        },
    }
    path = out / place / f"{number}.json"
    write_text(path, to_readable_json(aggregate))
    return path


def _build_accuracy(
    found: Results, model: Model, config: str, split: str, scored: Split, figure: Figure
) -> dict[str, object]:
    """Return the accuracy of one split."""
    return {
        "evaluation_result_id": f"{config}/{split}",
        "evaluation_name": f"{config}/{split}",
        "source_data": {
            "dataset_name": found["dataset"]["name"],
            "source_type": "other",
            "additional_details": {"config": config, "split": split},
        },
        "metric_config": {
            "evaluation_description": "share of items whose replies, played again by the "
            "code that made them, are right",
            "metric_id": "accuracy",
            "metric_name": "accuracy",
            "metric_kind": "accuracy",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        },
        "score_details": _build_score(found, scored, figure),
        "generation_config": {
            "additional_details": _format_details(
                {str(number): asked["settings"] for number, asked in enumerate(model["settings"])}
            )
        },
    }


def _build_score(found: Results, told: Split, figure: Figure) -> dict[str, object]:
    """Return a figure with its interval, and what it is to be held against."""
    score: dict[str, object] = {
        "score": figure["value"],
        "details": _format_details(
            {
                "task": told["task"],
                "task_version": told["task_version"],
                "items": told["items"],
                "items_effective": told["items_effective"],
                "chance": told["chance"],
                "floor": told["floor"],
                "counts": told["counts"],
                **{
                    name: figure.get(name)
                    for name in ("unit", "baselines", "verdict", "caveats", "arrived", "readable")
                },
            }
        ),
    }
    if figure["low"] is not None and figure["high"] is not None:
        score["uncertainty"] = {
            "confidence_interval": {
                "lower": figure["low"],
                "upper": figure["high"],
                "confidence_level": found["options"]["confidence"],
                "method": figure["method"] or "unknown",
            },
            "num_samples": told["items_counted"],
            "num_bootstrap_samples": found["options"]["resamples"],
        }
    return score


# --- samples --------------------------------------------------------------------------------------


def _build_sample(item: ScoredSample, identity: str, name: str) -> dict[str, object]:
    """Return the line of a prediction."""
    facts, row = item.facts, item.row
    play = open_row(row)
    asked, calls = _join_messages(play.messages), play.tools() is not None
    for reply in item.replies:
        if not play.done:
            play.reply(reply)
    one = play.done and len(play.replies) == 1
    kind = "agentic" if calls else "single_turn" if one else "multi_turn"
    config = str(facts["config"])
    sample: dict[str, object] = {
        "schema_version": VERSION,
        "evaluation_id": identity,
        "model_id": name,
        "evaluation_name": f"{config}/{facts['split']}",
        "evaluation_result_id": f"{config}/{facts['split']}",
        "sample_id": facts["id"],
        "sample_hash": hashlib.sha256(
            json.dumps([asked, *item.replies], ensure_ascii=False).encode()
        ).hexdigest(),
        "interaction_type": kind,
        "input": {
            "raw": asked,
            "reference": list(facts["gold_labels"] or [str(facts["gold"])]),
        },
        "answer_attribution": _locate_answer(item, kind),
        "evaluation": {
            "score": float(facts["status"] == "correct"),
            "is_correct": facts["status"] == "correct",
            "num_turns": max(1, len(item.replies)),
        },
        "metadata": _format_details(
            {
                "status": facts["status"],
                "strict": facts["strict"],
                "sample_idx": facts["sample_idx"],
                "difficulty": facts["difficulty"],
                "group": facts["group"],
            }
            | {
                key.removeprefix("metric_"): value
                for key, value in facts.items()
                if key.startswith("metric_") and value is not None
            }
        ),
    }
    if kind == "single_turn":
        sample["output"] = {"raw": list(item.replies[:1]) or [""]}
    else:
        sample["messages"] = [
            {"turn_idx": turn, "role": message["role"], "content": _join_messages([message])}
            for turn, message in enumerate(play.messages)
        ]
    read, written = facts.get("metric_prompt_tokens"), facts.get("metric_completion_tokens")
    if read is not None and written is not None:
        sample["token_usage"] = {
            "input_tokens": int(read),
            "output_tokens": int(written),
            "total_tokens": int(read + written),
        }
    if facts.get("metric_seconds") is not None:
        sample["performance"] = {"latency_ms": 1000 * facts["metric_seconds"]}
    return sample


def _locate_answer(item: ScoredSample, kind: str) -> list[dict[str, object]]:
    """Return where the answer stands in the last reply."""
    if not item.replies:
        return []
    turn = len(item.replies) - 1
    reply = item.replies[turn]
    answer = " ".join(item.facts["answer"] or ())
    start = reply.rfind(answer) if answer else -1
    end = start + len(answer)
    if start < 0:
        answer, start, end = reply, 0, len(reply)
    place = "output.raw" if kind == "single_turn" else "messages"
    return [
        {
            "turn_idx": turn,
            "source": f"{place}, reply {turn + 1}, characters {start} to {end}",
            "extracted_value": answer,
            "extraction_method": f"the reader of {item.row['task']} version "
            f"{item.row['task_version']}, then replay",
            "is_terminal": True,
        }
    ]


def _join_messages(messages: Chat) -> str:
    """Return messages as one text; a picture is named in its place."""
    parts = []
    for message in messages:
        content = message["content"]
        if isinstance(content, str):
            parts.append(content)
            continue
        parts += [part["text"] if part["type"] == "text" else "[picture]" for part in content]
    return "\n\n".join(parts)


def _format_details(values: Mapping[str, object]) -> dict[str, str]:
    """Return details as the schema wants them: texts, what is not known left out."""
    return {
        key: value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for key, value in values.items()
        if value is not None
    }


def _split_model_name(model: str) -> tuple[str, str]:
    """Return developer and name of a model as two folders."""
    developer, _, short = model.rpartition("/")
    return _sanitize_name(developer) or "unknown", _sanitize_name(short)


def _sanitize_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "unknown"
