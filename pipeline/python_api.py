"""Build datasets, score predictions and read results from Python, with the keys of the verbs.

    folder = facelet.build(profile="smoke", out="data/mine")
    scores = facelet.score(folder, "predictions.jsonl", missing="ignore")
    scores.table                # pandas: accuracy of each model and config, with its baselines
    scores.report("site")

A keyword is a key of the verb of that name, and takes a Python value or the text of the command
line. A key with dots is passed as `**{"mine.move_effect.max_depth": 20}`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from facelet.pipeline.argument_text import expand_home
from facelet.pipeline.command.argument_parser import parse_keywords
from facelet.pipeline.dataset.atomic_files import open_scratch_folder
from facelet.pipeline.scoring.render.results_reader import RESULTS, read_results
from facelet.pipeline.scoring.render.results_schema import Results
from facelet.pipeline.scoring.render.text_tables import iterate_splits, verification_note
from facelet.pipeline.verbs import build as build_verb
from facelet.pipeline.verbs import report as report_verb
from facelet.pipeline.verbs import score as score_verb

Predictions = str | Path | Sequence[str | Path | Mapping[str, object]] | pd.DataFrame
"""Files, folders or patterns, or the records themselves."""


def build(**keys: object) -> Path:
    """Make a dataset, or continue an unfinished one, and return its folder.

    Args:
        keys: the keys of `facelet build`, such as profile="smoke", depths="1-8" or out="data/mine".

    Raises:
        ValueError: a key or value is bad, or `out` contains something else.
        AuditError: the audit finds the dataset unfair.
    """
    settings = parse_keywords(build_verb.Settings, keys, "build")
    if settings.show:
        raise ValueError("show=True prints a plan and builds nothing; use `facelet build --show`")
    prepared = build_verb.prepare_build(settings)
    # Workers of an earlier build may run in another folder.
    chosen = replace(prepared.settings, out=prepared.settings.out.absolute())
    build_verb.build_to_folder(replace(prepared, settings=chosen))
    return chosen.out


def score(dataset: str | Path, predictions: Predictions, **keys: object) -> Scores:
    """Score predictions against a dataset and return the scores.

    Args:
        dataset: the dataset folder, or its address.
        predictions: files, folders or patterns; or records in one of the formats of
            `facelet score`, as a list of mappings or a pandas frame.
        keys: the other keys of `facelet score`, such as out="scores" or missing="ignore".

    Raises:
        ValueError: a key or value is bad, the dataset is not as published, no prediction can be
            scored, or a file was read in part and partial="accept" is not given.
        OSError: a file cannot be read or written.
    """
    with open_scratch_folder("predictions") as folder:
        files = _write_records(predictions, folder / "predictions.jsonl")
        keys = {"dataset": dataset, "predictions": files, **keys}
        settings = parse_keywords(score_verb.Settings, keys, "score")
        out, results = score_verb.score_to_folder(settings, *score_verb.check_settings(settings))
    if problem := score_verb.describe_partial_files(settings, results):
        raise ValueError(f"{problem}; the scores of what was read are in {out}")
    return Scores(out.absolute(), results, settings.dataset)


def load_results(path: str | Path) -> Scores:
    """Return the scores that `facelet score` or `facelet.score` wrote.

    Args:
        path: the folder, or its results.json.

    Raises:
        ValueError: there are none, or another version wrote them.
    """
    folder = expand_home(str(path)).absolute()
    folder = folder.parent if folder.name == RESULTS else folder
    return Scores(folder, read_results(folder))


def _write_records(predictions: Predictions, path: Path) -> str | Sequence[str | Path]:
    """Write records to a JSONL file and return its path; return the names of files unchanged."""
    if isinstance(predictions, pd.DataFrame):
        predictions.to_json(path, orient="records", lines=True)
    elif isinstance(predictions, str | Path):
        return str(predictions)
    elif predictions and all(isinstance(one, Mapping) for one in predictions):
        path.write_text("".join(f"{json.dumps(one)}\n" for one in predictions), encoding="utf-8")
    else:
        return [one for one in predictions if isinstance(one, str | Path)]
    return str(path)


@dataclass(frozen=True, repr=False, eq=False)
class Scores:
    """The scores of a run, as pandas frames.

    Attributes:
        folder: the folder that contains results.json, results.md and the tables.
        results: the content of results.json.
        dataset: the dataset that was scored; None where only the results are known.
    """

    folder: Path
    results: Results
    dataset: Path | None = None

    @property
    def table(self) -> pd.DataFrame:
        """The accuracy of each model and config over all levels, with baselines and verdict.

        Accuracies, ends of the 95% interval (`low`, `high`) and baselines are shares from 0 to 1;
        `units` is n.
        """
        frame = self.figures
        frame = frame[(frame.figure == "accuracy") & (frame.by == "") & frame.difficulty.isna()]
        frame = frame.drop(columns=["by", "difficulty", "figure"])
        return _rename_accuracy(frame).dropna(axis="columns", how="all").reset_index(drop=True)

    @property
    def figures(self) -> pd.DataFrame:
        """Every figure of every model, config, split, level and part, one a row."""
        rows = [
            {
                "model": model["model"],
                "config": config,
                "split": split,
                "by": ", ".join(f"{name}={value}" for name, value in cell["by"].items()),
                "difficulty": cell["difficulty"],
                "figure": name,
                **_flatten_figure(figure),
            }
            for model in self.results["models"]
            for config, split, report in iterate_splits(model)
            for cell in report["cells"]
            for name, figure in cell["figures"].items()
        ]
        return pd.DataFrame(rows)

    @property
    def standings(self) -> pd.DataFrame:
        """The models of each suite, best first; a rank is a range from `first` to `last`."""
        rows = [
            {
                "suite": suite["suite"],
                "split": suite["split"],
                **{name: one[name] for name in ("model", "first", "last")},
                **_flatten_figure(one["accuracy"]),
            }
            for suite in self.results["suites"]
            for one in suite["models"]
        ]
        return _rename_accuracy(pd.DataFrame(rows)).convert_dtypes()

    @property
    def items(self) -> pd.DataFrame:
        """Every prediction, one a row: status, answer, difficulty and metrics."""
        return self._read_frame("items.parquet")

    @property
    def replies(self) -> pd.DataFrame:
        """What the models replied, one prediction a row."""
        return self._read_frame(score_verb.REPLIES)

    def _read_frame(self, name: str) -> pd.DataFrame:
        return pd.read_parquet(self.folder / name, partitioning=None)

    def report(self, out: str | Path | None = None, **keys: object) -> Path:
        """Write pages and charts of the scores and return the path of index.html.

        Args:
            out: the folder of the pages; by default one beside the scores.
            keys: the other keys of `facelet report`, such as items=False.

        Raises:
            ValueError: a key or value is bad, the extra 'report' is missing, or `out` contains
                something else.
        """
        keys = {"results": [self.folder], "dataset": self.dataset, "out": out, **keys}
        settings = parse_keywords(report_verb.Settings, keys, "report")
        report_verb.write_pages(settings)
        return report_verb.locate_pages(settings) / "index.html"

    def __repr__(self) -> str:
        """Return the standings as text."""
        return f"Scores({str(self.folder)!r})\n{self.standings.to_string(index=False)}"

    def _repr_html_(self) -> str:
        """Return the standings and the table as HTML for a notebook."""
        dataset = self.results["dataset"]
        title = f"{dataset['name']}: {verification_note(dataset)}".replace("`", "")
        frames = (_render_frame(frame) for frame in (self.standings, self.table))
        return f"<p>{escape(title)}</p>{''.join(frames)}"


def _flatten_figure(figure: Mapping[str, Any]) -> dict[str, object]:
    """Return a figure as cells: a column for each baseline, and the caveats as one text."""
    rest = {name: value for name, value in figure.items() if name not in ("baselines", "caveats")}
    return {**rest, **figure.get("baselines", {}), "caveats": ", ".join(figure.get("caveats", ()))}


def _rename_accuracy(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of figures, all of them accuracies, with `accuracy` for `value`."""
    frame = frame.rename(columns={"value": "accuracy"})
    return frame.drop(columns=["method", "unit"], errors="ignore")


def _render_frame(frame: pd.DataFrame) -> str:
    """Return a frame whose floats are shares as HTML."""
    return str(frame.to_html(index=False, na_rep="", float_format="{:.1%}".format, max_rows=200))
