"""Score a file of predictions against a dataset.

Scores predictions by replaying them: the task that made a row parses and simulates every reply to
it. Prints one table and writes out/results.md (a page to read), out/results.json (all figures with
95% intervals; its schema is conf/schema/results.json), out/tables.md (all figures as tables),
out/items.parquet (one row a prediction) and out/replies.parquet (the replies). `facelet report`
makes pages and charts of it.

Formats, recognized by their content, one record at a time:
{formats}

Several samples for a row differ in sample_idx (native), epoch (inspect_ai), choices (OpenAI) or
repeats (lm-eval); figures are then means over samples. If a batch API allows only letters, digits,
- and _ in ids, replace every other character by - or _.

Examples:
  facelet score data/out/facelet-paper answers.jsonl
  facelet score data/out/facelet-paper 'runs/*.jsonl' model_from=file

Exit status: 0 scored, 1 nothing could be scored or a file was read in part, 2 a bad option, no such
dataset, or not the expected one.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from facelet.pipeline.argument_text import describe_error, sanitize_text
from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.scoring.aggregate.statistics import RESAMPLES
from facelet.pipeline.shell_commands import format_command

if TYPE_CHECKING:
    from facelet.pipeline.dataset.content_check import Depth
    from facelet.pipeline.scoring.render.results_schema import Results
    from facelet.pipeline.scoring.scorer import ScoreSettings

COUNTING_GROUP, READING_GROUP, CHECK_GROUP = (
    "What counts",
    "How predictions are read",
    "What is checked",
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is scored, and how."""

    dataset: Path = key(
        "The dataset.",
        allowed="a folder that holds a built or downloaded dataset, or its address",
        place=True,
        anywhere=True,
    )
    predictions: str = key(
        "The predictions: .jsonl, .json, .csv, .tsv, each also as .gz or .zst; .parquet, .xlsx, "
        "inspect_ai's .eval.",
        allowed="files, folders or patterns, separated by commas",
        paths=True,
        place=True,
    )
    keys: Path | None = key(
        "The answers of a dataset whose public rows hold none. Every key must open the commitment "
        "of its row.",
        None,
        allowed="a folder of keys",
    )
    out: Path | None = key(
        "Where results.md, results.json, tables.md, items.parquet and replies.parquet go: by "
        "default a new folder each time; in one that is named, older ones are replaced.",
        None,
        allowed="a folder; made if missing",
        shown="<dataset>.score/run-0001, -0002, ...",
    )
    export: Literal["none", "every_eval_ever", "hub_results"] = key(
        "Write the scores in the form of another collection as well, into a folder of its name in "
        "out: every_eval_ever is version 0.3.0 of Every Eval Ever, an aggregate and the samples "
        "of each model; hub_results is a file for .eval_results of each model's repository.",
        "none",
    )
    hub: str = key(
        "What the dataset is called on the Hub, for export=hub_results.",
        "",
        allowed="organization/name",
    )
    all: bool = key(
        "Count every split of the dataset. By default only splits that some prediction of the "
        "model names are scored, and rows that are missing inside them count as wrong.",
        False,
        group=COUNTING_GROUP,
    )
    missing: Literal["wrong", "ignore"] = key(
        "Whether rows of a split without any prediction count as wrong or are left out. Accuracy "
        "over the replies that arrived (answered_accuracy) stands beside accuracy either way.",
        "wrong",
        group=COUNTING_GROUP,
    )
    duplicates: Literal["refuse", "first", "last", "samples"] = key(
        "What becomes of records of one row, model and sample whose replies differ: an error, the "
        "first or the last in the order of files and lines counts, or each is a sample of its own. "
        "Equal replies count once, and failures give way to a reply.",
        "refuse",
        group=COUNTING_GROUP,
    )
    compare: tuple[str, ...] = key(
        "Models to compare in pairs; by default all of them, if there are at most five.",
        (),
        allowed="two or more names of models",
        group=COUNTING_GROUP,
    )
    patterns: str = key(
        "Who counts patterns of reasoning in replies: associate, verify, plan and feedback, a "
        "turn. Counts that an assistant's message brings (its field patterns) are taken first.",
        "none",
        allowed="none, lexical, or module:function of your own",
        known=lambda: ("none", "lexical"),
        group=COUNTING_GROUP,
    )
    workers: int = key(
        "Processes that judge, where there is more than a few seconds of it; 0 for one a core. The "
        "files that are written do not depend on it. Each takes some 250 MB.",
        0,
        low=0,
        high=1024,
        group=READING_GROUP,
    )
    resamples: int = key(
        "Bootstrap replicates.", RESAMPLES, low=100, high=100_000, group=COUNTING_GROUP
    )
    model: str = key(
        "What to call the model of files that name none, or several.",
        "",
        allowed="a name",
        shown="<the file's name>",
        group=READING_GROUP,
    )
    model_from: Literal["record", "file"] = key(
        "Where a model's name comes from. With record, a record without one is of the one model "
        "that its file names, and a file that names none is a model named after the file; with "
        "file, every file is one.",
        "record",
        group=READING_GROUP,
    )
    id_field: str = key(
        "Where the row's id stands in records of another kind.",
        "",
        allowed="a name",
        group=READING_GROUP,
    )
    text_field: str = key(
        "Where the reply stands: a text, a list of texts, or chat messages.",
        "",
        allowed="a name, with dots for a field inside another",
        group=READING_GROUP,
    )
    model_field: str = key(
        "Where the model's name stands.", "", allowed="a name", group=READING_GROUP
    )
    record_mb: int = key(
        "Largest record (line, list element, sample of a log) in MiB. Memory for reading is at "
        "most some 25 times that, whatever a file unpacks to.",
        32,
        low=1,
        high=1024,
        group=READING_GROUP,
    )
    seconds: int = key(
        "Processor seconds that reading one file may take, besides one for each MiB of it.",
        60,
        low=1,
        high=86_400,
        group=READING_GROUP,
    )
    partial: Literal["refuse", "accept"] = key(
        "What becomes of a file that was read in part: one that breaks off, or that goes beyond a "
        "limit. Its figures are written and the report says where it ended; the exit status is 1, "
        "with accept 0.",
        "refuse",
        group=READING_GROUP,
    )
    verify: Literal["true", "rows", "files", "false"] = key(
        "What of the dataset is held against manifest.json before it is read: the SHA-256 of its "
        "files and the content hash of every row; with rows also the pixels of every picture (1 "
        "to 3 ms each); with files the files alone, and the report does not call the content hash "
        "verified. And whether predictions answer this build: the content hash, prompt or target "
        "that they carry. What does not agree is refused. With false nothing is checked, and "
        "unverified is beside every figure.",
        "true",
        group=CHECK_GROUP,
    )
    questions: Literal["row", "any"] = key(
        "Which question a record may carry: its row's, to the letter, or any. With row, a record "
        "whose messages, prompt or repeated request ask otherwise is refused with its line; other "
        "system messages may stand there. What shows another build is refused either way.",
        "row",
        group=CHECK_GROUP,
    )
    expect: str = key(
        "Refuse, with exit status 2, a dataset whose manifest is another. Whoever changed rows "
        "can change the hashes in a manifest beside them; this one is from elsewhere.",
        "",
        allowed="the SHA-256 of manifest.json that the dataset's release states",
        group=CHECK_GROUP,
    )


ITEMS, REPLIES = "items.parquet", "replies.parquet"
"""The tables of all predictions and of all replies."""

_VERIFY: dict[str, Depth] = {"true": "content", "rows": "rows", "files": "files", "false": "no"}


def help_placeholders() -> dict[str, str]:
    """Return the formats that the help lists."""
    from facelet.pipeline.scoring.ingest.record_formats import FORMATS

    return {"formats": "\n".join(f"  {form.name:16} {form.fields}" for form in FORMATS)}


def run(settings: Settings) -> int:
    """Score predictions and return the exit status.

    Raises:
        ValueError: a value is bad, or there is no such dataset or prediction.
    """
    from facelet.pipeline.scoring.render import markdown

    how, files = check_settings(settings)
    try:
        out, results = score_to_folder(settings, how, files)
    except (ValueError, OSError) as error:
        print(sanitize_text(f"facelet score: {describe_error(error)}"), file=sys.stderr)
        return 1
    print(sanitize_text(markdown.render_summary(results)))
    print(f"\nwritten: {out}/results.json, results.md, tables.md, {ITEMS}, {REPLIES}")
    command = format_command("report", results=out, dataset=settings.dataset)
    print(sanitize_text(f"pages and charts of it: {command}"))
    if problem := describe_partial_files(settings, results):
        print(sanitize_text(f"facelet score: {problem}"), file=sys.stderr)
        return 1
    return 0


def check_settings(settings: Settings) -> tuple[ScoreSettings, Sequence[Path]]:
    """Return the scorer's settings and the prediction files.

    Raises:
        ValueError: a value is bad, or there is no such dataset or prediction.
    """
    from facelet.pipeline.dataset.content_check import check_expected_manifest
    from facelet.pipeline.scoring.ingest.file_reader import find_files

    if not settings.dataset.is_dir():
        raise ValueError(f"no dataset folder {str(settings.dataset)!r}; `facelet build` makes one")
    how = _build_score_settings(settings)
    check_expected_manifest(settings.dataset, how.expect)
    if settings.keys:
        # The folder that the keys open has a manifest of its own.
        how = replace(how, expect="")
    return how, find_files(settings.predictions, without=_output_folder(settings))


def score_to_folder(
    settings: Settings, how: ScoreSettings, files: Sequence[Path]
) -> tuple[Path, Results]:
    """Score prediction files, write the output folder, and return it with the results.

    Args:
        settings: the dataset, its keys and the output.
        how: the scorer's settings.
        files: the prediction files.

    Raises:
        ValueError: the dataset is not as published, or nothing can be scored.
        OSError: a file cannot be read or written.
    """
    from facelet.pipeline.dataset.atomic_files import (
        UNFINISHED,
        open_scratch_folder,
        remove_unfinished_files,
        wait_for_lock,
        write_atomically,
        write_text,
    )
    from facelet.pipeline.scoring.render import figure_tables, markdown
    from facelet.pipeline.scoring.scorer import score

    with (
        _open_dataset(settings.dataset, settings.keys) as opened,
        open_scratch_folder("replies") as place,
    ):
        tables = [place / REPLIES, place / ITEMS]
        results = score(opened, files, how, *tables).results
        out = settings.out or _create_run_folder(_output_folder(settings))
        lock = out.with_name(f".{out.name}.lock")
        with wait_for_lock(lock, f"waiting for the run that writes to {out}"):
            remove_unfinished_files(out, UNFINISHED)
            write_text(out / "results.json", json.dumps(results, indent=1) + "\n")
            for table in tables:
                with table.open("rb") as source, write_atomically(out / table.name) as file:
                    shutil.copyfileobj(source, file)
            write_text(out / "tables.md", figure_tables.render_tables(results))
            write_text(out / "results.md", markdown.render_document(results))
            _export_scores(settings, out, opened)
    return out, results


def describe_partial_files(settings: Settings, results: Results) -> str:
    """Return which files were read in part, unless the settings accept that; "" for none."""
    parts = [account["file"] for account in results["inputs"] if account["stopped"]]
    if not parts or settings.partial == "accept":
        return ""
    names = f"{', '.join(parts[:3])}{' and others' if parts[3:] else ''}"
    return f"read in part: {names}; repair it, or accept it with partial=accept"


def _output_folder(settings: Settings) -> Path:
    """Return the output folder, or the folder in which the run's own is made."""
    from facelet.pipeline.dataset.store_address import folder_beside

    return settings.out or folder_beside(settings.dataset, "score")


def _export_scores(settings: Settings, out: Path, opened: Path) -> None:
    """Write the scores in the form that is asked for.

    Args:
        settings: says which.
        out: where the scores are.
        opened: the dataset, with its answers.

    Raises:
        ValueError: the Hub knows no such name.
    """
    if settings.export == "every_eval_ever":
        from facelet.pipeline.formats import every_eval_ever

        every_eval_ever.export_results(out, opened, out / settings.export)
    elif settings.export == "hub_results":
        from facelet.pipeline.formats import hub_results

        hub_results.export_results(out, settings.hub, out / settings.export)


@contextmanager
def _open_dataset(dataset: Path, keys: Path | None) -> Iterator[Path]:
    """Yield the folder whose rows hold the answers: the dataset, or one that its keys open.

    Args:
        dataset: the dataset folder.
        keys: the folder of its keys; None for none.

    Raises:
        ValueError: there are no keys where some are needed, or they do not open the rows.
    """
    from facelet.pipeline.dataset.atomic_files import open_scratch_folder
    from facelet.pipeline.dataset.content_check import check_has_answers, unseal_dataset
    from facelet.pipeline.dataset.manifest_file import MANIFEST, read_manifest

    if keys:
        with open_scratch_folder("score") as folder:
            unseal_dataset(dataset, keys, folder)
            yield folder
        return
    if (dataset / MANIFEST).is_file():
        check_has_answers(read_manifest(dataset), dataset)
    yield dataset


def _create_run_folder(folder: Path) -> Path:
    """Make the first folder run-0001, run-0002, ... that is not there yet, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        try:
            (run := folder / f"run-{number:04d}").mkdir()
        except FileExistsError:
            continue
        return run
    raise AssertionError("numbers do not end")


def _build_score_settings(settings: Settings) -> ScoreSettings:
    """Return the settings of the scorer.

    Raises:
        ValueError: there is no such counter of patterns.
    """
    from facelet.pipeline.scoring.ingest.ingest_limits import IngestLimits
    from facelet.pipeline.scoring.ingest.reasoning_patterns import find_analyser
    from facelet.pipeline.scoring.ingest.record_formats import FieldNames
    from facelet.pipeline.scoring.scorer import ScoreSettings

    return ScoreSettings(
        everything=settings.all,
        model=settings.model,
        model_from=settings.model_from,
        compare=settings.compare,
        resamples=settings.resamples,
        verify=_VERIFY[settings.verify],
        expect=settings.expect.lower(),
        missing=settings.missing,
        duplicates=settings.duplicates,
        fields=FieldNames(settings.id_field, settings.text_field, settings.model_field),
        questions=settings.questions,
        analyse=find_analyser(settings.patterns),
        limits=IngestLimits(settings.record_mb, settings.seconds),
        workers=settings.workers,
    )
