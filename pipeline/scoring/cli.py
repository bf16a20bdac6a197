"""`facelet score`: read the words, score, write results.json, items.parquet and results.md."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.dataset.locks import one_at_a_time
from facelet.pipeline.dataset.manifests import MANIFEST, manifest
from facelet.pipeline.dataset.sealing import demand_answers, unseal
from facelet.pipeline.dataset.vouching import Depth, demand_expected
from facelet.pipeline.scoring.counting.statistics import RESAMPLES
from facelet.pipeline.scoring.judging.analysers import analyser
from facelet.pipeline.scoring.judging.population import Missing
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from facelet.pipeline.scoring.taking.contradictions import Questions
from facelet.pipeline.scoring.taking.files import find
from facelet.pipeline.scoring.taking.formats import FORMATS, Fields
from facelet.pipeline.scoring.taking.limits import Limits
from facelet.pipeline.scoring.telling.items import write_items
from facelet.pipeline.words import Key, check_range, expand, help_table, plain, read_words

KEYS = (
    Key("dataset", "str", "", "a folder that holds a built or downloaded dataset", "The dataset."),
    Key(
        "predictions",
        "str",
        "",
        "files, folders or patterns, separated by commas",
        "The predictions: .jsonl, .json, .csv, .tsv, each also as .gz or .zst; .parquet, .xlsx, "
        "inspect_ai's .eval.",
    ),
    Key(
        "keys",
        "str",
        "",
        "a folder of keys",
        "The answers of a dataset whose public rows hold none. Every key must open the commitment "
        "of its row.",
    ),
    Key(
        "out",
        "str",
        "<dataset>.score/run-0001, -0002, ...",
        "a folder; made if missing",
        "Where results.json, items.parquet and results.md go: by default a new folder each time; "
        "in one that is named, older ones are replaced.",
    ),
    Key(
        "all",
        "bool",
        "false",
        "true or false",
        "Count every split of the dataset. By default only splits that some prediction of the "
        "model names are scored, and rows that are missing inside them count as wrong.",
    ),
    Key(
        "model",
        "str",
        "predictions",
        "a name",
        "What to call the model of predictions that name none.",
    ),
    Key(
        "model_from",
        "str",
        "record",
        "record or file",
        "Where a model's name comes from; with file, each file is one model, named after it.",
    ),
    Key(
        "compare",
        "list",
        "",
        "two or more names of models",
        "Models to compare in pairs; by default all of them, if there are at most five.",
    ),
    Key(
        "patterns",
        "str",
        "none",
        "none, lexical, or module:function of your own",
        "Who counts patterns of reasoning in replies: associate, verify, plan and feedback, a "
        "turn. Counts that an assistant's message brings (its field patterns) are taken first.",
    ),
    Key(
        "missing",
        "str",
        "wrong",
        "wrong or ignore",
        "Whether rows of a split without any prediction count as wrong or are left out. Accuracy "
        "over the replies that arrived (answered_accuracy) stands beside accuracy either way.",
    ),
    Key("id_field", "str", "", "a name", "Where the row's id stands in records of another kind."),
    Key(
        "text_field",
        "str",
        "",
        "a name, with dots for a field inside another",
        "Where the reply stands: a text, a list of texts, or chat messages.",
    ),
    Key("model_field", "str", "", "a name", "Where the model's name stands."),
    Key(
        "record_mb",
        "int",
        "32",
        "a whole number from 1 to 1024",
        "Largest record (line, list element, sample of a log) in MiB. Memory for reading is at "
        "most some 25 times that, whatever a file unpacks to.",
    ),
    Key(
        "seconds",
        "int",
        "60",
        "a whole number from 1 to 86400",
        "Processor seconds that reading one file may take, besides one for each MiB of it.",
    ),
    Key(
        "partial",
        "str",
        "refuse",
        "refuse or accept",
        "What becomes of a file that was read in part: one that breaks off, or that goes beyond a "
        "limit. Its figures are written and the report says where it ended; the exit status is 1, "
        "with accept 0.",
    ),
    Key(
        "verify",
        "str",
        "true",
        "true, rows, files or false",
        "What of the dataset is held against manifest.json before it is read: the SHA-256 of its "
        "files and the content hash of every row; with rows also the pixels of every picture (1 "
        "to 3 ms each); with files the files alone, and the report does not call the content hash "
        "verified. And whether predictions answer this build: the content hash, prompt or target "
        "that they carry. What does not agree is refused. With false nothing is checked, and "
        "unverified is beside every figure.",
    ),
    Key(
        "questions",
        "str",
        "row",
        "row or any",
        "Which question a record may carry: its row's, to the letter, or any. With row, a record "
        "whose messages, prompt or repeated request ask otherwise is refused with its line; other "
        "system messages may stand there. What shows another build is refused either way.",
    ),
    Key(
        "expect",
        "str",
        "",
        "the SHA-256 of manifest.json that the dataset's release states",
        "Refuse, with exit status 2, a dataset whose manifest is another. Whoever changed rows "
        "can change the hashes in a manifest beside them; this one is from elsewhere.",
    ),
    Key(
        "resamples",
        "int",
        str(RESAMPLES),
        "a whole number from 100 to 100000",
        "Bootstrap replicates.",
    ),
)

_VERIFY: dict[str, Depth] = {"true": "content", "rows": "rows", "files": "files", "false": "no"}

HELP = "\n".join(
    (
        "facelet score dataset=DIR predictions=FILES [key=value ...]",
        "",
        "Scores predictions by replaying them: every reply is parsed and simulated by the task",
        "that made its row. Prints a summary and writes out/results.json (all figures with 95%",
        "intervals), out/items.parquet (one row a prediction) and out/results.md.",
        "",
        "Keys:",
        help_table(KEYS),
        "",
        "Formats, told by their content, one record at a time:",
        *(f"  {form.name:16} {form.fields}" for form in FORMATS),
        "",
        "Several samples for a row differ in sample_idx (native), epoch (inspect_ai), choices",
        "(OpenAI) or repeats (lm-eval); figures are then means over samples. Where a batch API",
        "allows only letters, digits, - and _ in ids, write - or _ for every other sign.",
        "",
        "Examples:",
        "  facelet score dataset=data/out/facelet-paper predictions=answers.jsonl",
        "  facelet score dataset=data/out/facelet-paper predictions='runs/*.jsonl' model_from=file",
        "",
        "Exit status: 0 scored, 1 nothing could be scored or a file was read in part, 2 a bad",
        "option, no such dataset, or not the expected one.",
    )
)


def run(overrides: list[str]) -> int:
    """Score as the words say and return the exit status.

    Args:
        overrides: `key=value` words; KEYS lists the keys.
    """
    try:
        values = {
            name: value
            for name, value in read_words(overrides, KEYS).items()
            if value != "" and value != []
        }
        for name in ("dataset", "predictions"):
            if name not in values:
                raise ValueError(f"{name}=... is needed; `facelet score --help` explains the keys")
        dataset = expand(str(values["dataset"]))
        if not dataset.is_dir():
            raise ValueError(f"no dataset folder {str(dataset)!r}; `facelet build` makes one")
        named = values.get("out")
        out = expand(str(named or f"{str(values['dataset']).rstrip('/')}.score"))
        settings = _settings(values)
        demand_expected(dataset, settings.expect)
        if values.get("keys"):
            # The folder that the keys open has a manifest of its own.
            settings = replace(settings, expect="")
        partial = str(values.get("partial", "refuse"))
        if partial not in ("refuse", "accept"):
            raise ValueError(f"partial={partial} is not allowed; use refuse or accept")
        files = find(str(values["predictions"]), without=out)
    except ValueError as error:
        print(plain(f"facelet score: {error}"), file=sys.stderr)
        return 2
    try:
        with _whole(dataset, str(values.get("keys", ""))) as whole:
            scores = score(whole, files, settings)
            # With it comes pandas, which is only now needed.
            from facelet.pipeline.scoring.telling import markdown

            out = out if named else _new_run(out)
            lock = out.with_name(f".{out.name}.lock")
            with one_at_a_time(lock, f"waiting for the run that writes to {out}"):
                write_text(out / "results.json", json.dumps(scores.results, indent=1) + "\n")
                write_items(scores.populations, out / "items.parquet")
                write_text(out / "results.md", markdown.document(scores.results))
    except (ValueError, OSError) as error:
        print(plain(f"facelet score: {error}"), file=sys.stderr)
        return 1
    print(plain(markdown.summary(scores.results)))
    print(f"\nwritten: {out}/results.json, items.parquet, results.md")
    parts = [account["file"] for account in scores.results["inputs"] if account["stopped"]]
    if parts and partial == "refuse":
        told = f"{', '.join(parts[:3])}{' and others' if parts[3:] else ''}"
        print(
            plain(
                f"facelet score: read in part: {told}; mend it, or accept it with partial=accept"
            ),
            file=sys.stderr,
        )
        return 1
    return 0


@contextmanager
def _whole(dataset: Path, keys: str) -> Iterator[Path]:
    """Yield the folder whose rows hold the answers: the dataset, or one that its keys open.

    Args:
        dataset: the dataset folder.
        keys: the folder of its keys; "" for none.

    Raises:
        ValueError: there are no keys where some are needed, or they do not open the rows.
    """
    if keys:
        with TemporaryDirectory(prefix="facelet-score-") as folder:
            unseal(dataset, expand(keys), Path(folder))
            yield Path(folder)
        return
    if (dataset / MANIFEST).is_file():
        demand_answers(manifest(dataset), dataset)
    yield dataset


def _new_run(folder: Path) -> Path:
    """Make the first folder run-0001, run-0002, ... that is not there yet, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        try:
            (run := folder / f"run-{number:04d}").mkdir()
        except FileExistsError:
            continue
        return run
    raise AssertionError("numbers do not end")


def _settings(values: dict[str, str | int | bool | list[str]]) -> ScoreSettings:
    """Return the settings.

    Raises:
        ValueError: a value is not allowed.
    """
    resamples = int(str(values.get("resamples", RESAMPLES)))
    if not 100 <= resamples <= 100_000:
        raise ValueError(f"resamples={resamples} is out of range; use 100 to 100000")
    chosen = str(values.get("model_from", "record"))
    if chosen not in ("record", "file"):
        raise ValueError(f"model_from={chosen} is not allowed; use record or file")
    model_from: Literal["record", "file"] = "file" if chosen == "file" else "record"
    said = str(values.get("verify", "true")).lower()
    if said not in _VERIFY:
        raise ValueError(f"verify={said} is not allowed; use {', '.join(_VERIFY)}")
    asked = str(values.get("missing", "wrong"))
    if asked not in ("wrong", "ignore"):
        raise ValueError(f"missing={asked} is not allowed; use wrong or ignore")
    missing: Missing = "ignore" if asked == "ignore" else "wrong"
    carried = str(values.get("questions", "row"))
    if carried not in ("row", "any"):
        raise ValueError(f"questions={carried} is not allowed; use row or any")
    questions: Questions = "any" if carried == "any" else "row"
    compare = values.get("compare", [])
    return ScoreSettings(
        everything=bool(values.get("all", False)),
        model=str(values.get("model", "")),
        model_from=model_from,
        compare=tuple(compare) if isinstance(compare, list) else (),
        resamples=resamples,
        verify=_VERIFY[said],
        expect=str(values.get("expect", "")).lower(),
        missing=missing,
        fields=Fields(*(str(values.get(f"{name}_field", "")) for name in ("id", "text", "model"))),
        questions=questions,
        analyse=analyser(str(values.get("patterns", "none"))),
        limits=Limits(
            check_range("record_mb", int(str(values.get("record_mb", 32))), 1, 1024),
            check_range("seconds", int(str(values.get("seconds", 60))), 1, 86400),
        ),
    )
