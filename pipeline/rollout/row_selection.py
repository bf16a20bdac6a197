"""Select rows of a dataset, and estimate the size of their prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from facelet.generators.core.seeding import digest_names
from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.row_opener import rows as rows_of

SIGNS_PER_TOKEN = 4
"""Characters per token of a prompt, a rule of thumb for English text."""


@dataclass(frozen=True, slots=True)
class PromptEstimate:
    """The size of the first prompts of some plays.

    Attributes:
        plays: number of plays.
        tokens: characters of their first prompts, divided by four.
        pictures: number of pictures in their first prompts, which servers count differently.
    """

    plays: int
    tokens: int
    pictures: int

    def format_text(self) -> str:
        """Return the estimate as text."""
        return (
            f"{self.plays:,} plays: at least {self.plays:,} requests, about {self.tokens:,} prompt "
            f"tokens (characters/{SIGNS_PER_TOKEN}) and {self.pictures:,} pictures in the first "
            "prompts; episodes of many turns send further requests with the chat so far"
        )


def select_splits(
    folder: Path, suites: Sequence[str], configs: Sequence[str], split: str
) -> list[dataset_reader.SplitFiles]:
    """Return the selected splits of a dataset; an empty selection means all.

    Args:
        folder: the dataset.
        suites: names of suites.
        configs: names of configs.
        split: name of a split; "" for all.

    Raises:
        ValueError: the dataset, a suite, a config or the split does not exist.
    """
    found = dataset_reader.list_splits(folder)
    for what, asked, known in (
        ("suite", suites, {part.config.partition(".")[0] for part in found}),
        ("config", configs, {part.config for part in found}),
        ("split", [split] if split else [], {part.name for part in found}),
    ):
        for word in asked:
            if word not in known:
                raise unknown_word_error(what, word, sorted(known))
    chosen = [
        part
        for part in found
        if (not suites or part.config.partition(".")[0] in suites)
        and (not configs or part.config in configs)
        and (not split or part.name == split)
    ]
    if not chosen:
        raise ValueError("no config matches these suites, configs and split; leave one of them out")
    return chosen


def sample_ids(part: dataset_reader.SplitFiles, limit: int | None) -> set[str]:
    """Return the ids of the selected rows of a split.

    Difficulties take turns, each with its rows in the order of a hash of their ids. So a larger
    limit includes the rows of a smaller one, on any machine.

    Args:
        part: a split.
        limit: maximum number of rows; None for all.
    """
    ids = [str(row["id"]) for row in part.iterate_rows(["id"])]
    if limit is None or limit >= len(ids):
        return set(ids)
    cells: dict[str, list[tuple[bytes, str]]] = defaultdict(list)
    for key in ids:
        cells[key.rpartition("/")[0]].append((digest_names("run", key), key))
    turns = (
        (turn, mark, key)
        for cell in cells.values()
        for turn, (mark, key) in enumerate(sorted(cell))
    )
    return {key for _, _, key in sorted(turns)[:limit]}


def estimate_prompts(
    wanted: Mapping[dataset_reader.SplitFiles, set[str]], todo: Sequence[str]
) -> PromptEstimate:
    """Return the size of the first prompts of plays.

    Args:
        wanted: ids by split.
        todo: row id of each play, with one entry per sample.
    """
    times: dict[str, int] = defaultdict(int)
    for key in todo:
        times[key] += 1
    signs = pictures = 0
    for part in wanted:
        for row in part.iterate_rows(["id", "messages"]):
            if times.get(row["id"]):
                inside = [item for message in row["messages"] for item in message["content"]]
                signs += times[row["id"]] * sum(len(item["text"] or "") for item in inside)
                pictures += times[row["id"]] * sum(item["type"] == "image" for item in inside)
    return PromptEstimate(len(todo), signs // SIGNS_PER_TOKEN, pictures)


def list_chosen_rows(
    folder: Path, wanted: Mapping[dataset_reader.SplitFiles, set[str]]
) -> Iterator[dict[str, Any]]:
    """Yield the selected rows of each split in published order."""
    for part, ids in wanted.items():
        yield from (row for row in rows_of(folder, part.config, part.name) if row["id"] in ids)
