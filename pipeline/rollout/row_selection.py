"""Choosing: which rows of a dataset are asked, and what asking them comes to."""

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
"""Characters of a prompt that are taken for one token; a rule of thumb for English text."""


@dataclass(frozen=True, slots=True)
class PromptEstimate:
    """What the first prompts of some plays come to.

    Attributes:
        plays: number of plays.
        tokens: characters of their first prompts, divided by four.
        pictures: pictures in their first prompts, which servers count in their own ways.
    """

    plays: int
    tokens: int
    pictures: int

    def format_text(self) -> str:
        """Return the estimate in words."""
        return (
            f"{self.plays:,} plays: at least {self.plays:,} requests, about {self.tokens:,} prompt "
            f"tokens (characters/{SIGNS_PER_TOKEN}) and {self.pictures:,} pictures in the first "
            "prompts; episodes of many turns ask again, with the chat so far"
        )


def select_splits(
    folder: Path, suites: Sequence[str], configs: Sequence[str], split: str
) -> list[dataset_reader.SplitFiles]:
    """Return the splits of a dataset that are asked; an empty choice is all.

    Args:
        folder: the dataset.
        suites: names of suites.
        configs: names of configs.
        split: name of a split; "" for all.

    Raises:
        ValueError: there is no such dataset, suite, config or split.
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
        raise ValueError("no config is of these suites, configs and split; leave one of them out")
    return chosen


def sample_ids(part: dataset_reader.SplitFiles, limit: int | None) -> set[str]:
    """Return the ids of the rows that are asked.

    Each difficulty gives its rows in the order of a hash of their ids, and all give in turn. So the
    rows of a smaller limit are among those of a larger one, on any machine.

    Args:
        part: a split.
        limit: the most rows; None for all.
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
    """Return what the first prompts of plays come to.

    Args:
        wanted: ids by split.
        todo: id of the row of each play, with one entry for each sample.
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
    """Yield the rows with the ids that are wanted of each split, in published order."""
    for part, ids in wanted.items():
        yield from (row for row in rows_of(folder, part.config, part.name) if row["id"] in ids)
