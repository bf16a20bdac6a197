"""Write the data of the replies browser: an index of all samples, and rows that load on demand.

A page that is opened from disk may load scripts and nothing else, so each file is a script that
passes one JSON value to the page. A file contains PIECE rows of a config with their prompts, their
pictures by name, and every model's replies. The first `replays` plays of each model and config are
played again, failed ones first, so that they can be read turn by turn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.report.score_runs import ScoredDataset, read_items_table, read_replies_table
from facelet.pipeline.report.site_folder import MOST_TEXT, SiteMessage, SitePictures
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.row_opener import CONTENT_HASH

PIECE = 32
"""Rows of a piece."""

_WORST = ("illegal", "wrong", "unparsed", "correct")
"""Which plays are played again first."""

_METRIC = "metric_"


@dataclass(slots=True)
class BrowserSample:
    """One reply, or one play, of a model to a row.

    Attributes:
        model: place of its model.
        sample: which of several it is.
        status: how it was judged.
        strict: whether the format was kept.
        read: what was read in it.
        metrics: its metrics.
        replies: what was said.
    """

    model: int
    sample: int
    status: str
    strict: bool
    read: str
    metrics: dict[str, float]
    replies: list[str] = field(default_factory=list)


@dataclass(slots=True)
class BrowserCounts:
    """How much was written."""

    samples: int = 0
    replays: int = 0
    plays: int = 0
    pieces: int = 0


def write_browser(
    site: Path, found: Sequence[ScoredDataset], *, replays: int, progress: bool = False
) -> BrowserCounts:
    """Write the data of the replies browser.

    Args:
        site: the folder of the site.
        found: what was scored.
        replays: most plays of a model and a config that are played again.
        progress: whether progress is shown.

    Raises:
        ValueError: a table of a run, or a dataset, cannot be read.
    """
    from tqdm import tqdm

    folder = site / "data"
    folder.mkdir()
    pictures = SitePictures(site)
    models = list(
        dict.fromkeys(model["model"] for scored in found for model in scored.results["models"])
    )
    total = BrowserCounts()
    statuses: dict[str, int] = {}
    configs: list[dict[str, Any]] = []
    for scored in found:
        samples = _collect_samples(scored, {name: place for place, name in enumerate(models)})
        parts = (
            {(part.config, part.name): part for part in dataset_reader.list_splits(scored.folder)}
            if scored.folder
            else {}
        )
        shown = tqdm(samples.items(), desc="replies", unit="config", disable=not progress)
        for (config, split), by_row in shown:
            name = f"c{len(configs):04d}"
            writer = _PieceWriter(folder, name, pictures, replays, total)
            configs.append(
                {
                    "name": config,
                    "split": split,
                    "file": name,
                    "piece": PIECE,
                    **writer.write_config(parts.get((config, split)), by_row, statuses),
                }
            )
    index = {"models": models, "statuses": list(statuses), "configs": configs}
    _write_script(folder / "index.js", "index", index)
    return total


_BySample = dict[str, list[BrowserSample]]
"""Samples by the id of their row."""


def _collect_samples(
    scored: ScoredDataset, places: Mapping[str, int]
) -> dict[tuple[str, str], _BySample]:
    """Return the samples of each config and split, with what was said."""
    found: dict[tuple[str, str], _BySample] = {}
    for run in scored.runs:
        said: dict[tuple[str, str, int], list[str]] = {}
        if (table := read_replies_table(run)) is not None:
            for one in _iterate_records(table):
                # The first of duplicates counts, as in the scores.
                said.setdefault((one["id"], one["model"], one["sample_idx"]), one["replies"])
        for one in _iterate_records(read_items_table(run, None)):
            if one["status"] == "duplicate" or one["model"] not in places:
                continue
            sample = one["sample_idx"] or 0
            metrics = {
                key.removeprefix(_METRIC): value
                for key, value in one.items()
                if key.startswith(_METRIC) and value is not None
            }
            found.setdefault((one["config"], one["split"]), {}).setdefault(one["id"], []).append(
                BrowserSample(
                    places[one["model"]],
                    sample,
                    one["status"],
                    bool(one["strict"]),
                    " ".join(label or "-" for label in one["answer"] or []),
                    metrics,
                    said.get((one["id"], one["model"], sample), []),
                )
            )
    return found


def _iterate_records(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=4096):
        yield from batch.to_pylist()


class _PieceWriter:
    """Writes the pieces of one config."""

    def __init__(
        self, folder: Path, name: str, pictures: SitePictures, replays: int, total: BrowserCounts
    ) -> None:
        self._folder = folder
        self._name = name
        self._pictures = pictures
        self._replays = replays
        self._total = total

    def write_config(
        self, part: dataset_reader.SplitFiles | None, by_row: _BySample, statuses: dict[str, int]
    ) -> dict[str, Any]:
        """Write the pieces, and return what the index says of the config.

        Args:
            part: the rows; None where the dataset is not at hand.
            by_row: the samples.
            statuses: codes of statuses, which grow.
        """
        chosen = self._choose_replays(by_row)
        rows: list[str] = []
        levels: list[int | None] = []
        samples: dict[str, list[int]] = {"row": [], "model": [], "status": [], "sample": []}
        piece: list[dict[str, Any]] = []
        for row in _iterate_rows(part, by_row):
            own = by_row[row["id"]]
            for one in own:
                samples["row"].append(len(rows))
                samples["model"].append(one.model)
                samples["status"].append(statuses.setdefault(one.status, len(statuses)))
                samples["sample"].append(one.sample)
            rows.append(row["id"].partition("/")[2])
            levels.append(row.get("difficulty"))
            piece.append(self._build_row(row, own, chosen))
            self._total.samples += len(own)
            if len(piece) == PIECE:
                self._write_piece(piece, len(rows))
                piece = []
        if piece:
            self._write_piece(piece, len(rows))
        return {"rows": rows, "levels": levels, "samples": samples}

    def _write_piece(self, piece: Sequence[Mapping[str, Any]], rows: int) -> None:
        name = f"{self._name}-{(rows - 1) // PIECE}"
        _write_script(self._folder / f"{name}.js", "piece", name, {"rows": list(piece)})
        self._total.pieces += 1

    def _choose_replays(self, by_row: _BySample) -> set[tuple[str, int, int]]:
        """Return which plays are played again: the first of each model, the worst first."""
        plays: dict[int, list[tuple[int, str, int]]] = {}
        for identifier, own in by_row.items():
            for one in own:
                if len(one.replies) > 1:
                    worst = _WORST.index(one.status) if one.status in _WORST else len(_WORST)
                    plays.setdefault(one.model, []).append((worst, identifier, one.sample))
        self._total.plays += sum(map(len, plays.values()))
        return {
            (identifier, model, sample)
            for model, found in plays.items()
            for _, identifier, sample in sorted(found)[: self._replays]
        }

    def _build_row(
        self,
        row: Mapping[str, Any],
        own: Sequence[BrowserSample],
        chosen: set[tuple[str, int, int]],
    ) -> dict[str, Any]:
        """Return what a piece says of a row."""
        prompt = self._pictures.list_prompt(row) if "messages" in row else []
        said = []
        for one in own:
            record: dict[str, Any] = {
                "m": one.model,
                "s": one.sample,
                "strict": one.strict,
                "read": one.read,
                "metrics": {name: round(value, 4) for name, value in one.metrics.items()},
            }
            if (row["id"], one.model, one.sample) in chosen and "messages" in row:
                record["chat"] = self._replay_chat(row, one.replies)
            if not record.get("chat"):
                record["replies"] = [text[-MOST_TEXT:] for text in one.replies]
                record["chat"] = None
                if len(one.replies) > 1:
                    record["note"] = "This play is not shown turn by turn; replays=... shows more."
            said.append(record)
        return {"gold": row.get("gold") or "", "prompt": prompt, "said": said}

    def _replay_chat(
        self, row: Mapping[str, Any], replies: Sequence[str]
    ) -> list[SiteMessage] | None:
        """Return the whole chat of a play, or None where it cannot be played on here."""
        asked = {name: value for name, value in row.items() if name != dataset_reader.IMAGES}
        try:
            play = open_row(asked | {CONTENT_HASH: None})
            for text in replies:
                if play.done:
                    break
                play.reply(text)
            self._total.replays += 1
            chat = self._pictures.list_chat(play)
        except ValueError:
            return None
        if play.outcome is not None:
            chat.append(("outcome", [str(play.outcome.status)]))
        return chat


def _iterate_rows(
    part: dataset_reader.SplitFiles | None, by_row: _BySample
) -> Iterator[dict[str, Any]]:
    """Yield the rows that have samples, in published order; their ids alone without a dataset."""
    if part is None:
        yield from ({"id": identifier} for identifier in by_row)
        return
    yield from (row for row in part.iterate_rows(images=True) if row["id"] in by_row)


def _write_script(path: Path, call: str, *values: object) -> None:
    """Write a script that hands values over."""
    said = ",".join(json.dumps(value, ensure_ascii=True, separators=(",", ":")) for value in values)
    path.write_text(f"facelet.{call}({said});\n", encoding="ascii")
