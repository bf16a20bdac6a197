"""A model by script over a small dataset of several kinds of task, and what its replies score.

The script has the reply to every chat that comes up when some rows are answered well, some badly
and some well up to the last turn; a tool that shows another chat than Facelet's own finds none.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from describing import describe_folder
from small_datasets import PublishedTask

from facelet.pipeline import rollout
from facelet.pipeline.dataset.manifest_file import read_manifest
from facelet.pipeline.scoring.scorer import score

WRONG = "I do not know."
LONGEST = 40

KINDS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("jigsaw/assemble_easy", 5, {}),
    ("labyrinth/act", 4, {"turns": 2, "setting": "visual"}),
    ("arcade/bit_query", 3, {}),
    ("cube/face_recognition", 3, {}),
    ("cube/reflection", 3, {}),
)
"""Task, items and params: text, pictures, episodes, and a second chat in one play."""

Key = tuple[tuple[str, tuple[str, ...]], ...]


Accuracies = dict[str, float]
"""What the rows of each config are worth on average."""


def chat_key(messages: Sequence[Mapping[str, Any]]) -> Key:
    """Return what a model sees of a chat in the form of chat completions."""
    return tuple((message["role"], _content_parts(message["content"])) for message in messages)


def _content_parts(content: Any) -> tuple[str, ...]:
    if isinstance(content, str):
        return (content,)
    return tuple(
        part["text"] if part["type"] == "text" else part["image_url"]["url"] for part in content
    )


@dataclass
class ChatScript:
    """A dataset and the replies to all chats of its plays.

    Attributes:
        folder: the dataset.
        replies: the reply to each chat.
        plays: the replies to each row.
    """

    folder: Path
    replies: dict[Key, str] = field(default_factory=dict)
    plays: dict[str, list[str]] = field(default_factory=dict)

    def answer_chat(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """Return the reply to a chat."""
        return self.replies[chat_key(messages)]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return list(rollout.rows(self.folder))

    def scores(self, *files: Path) -> dict[str, Any]:
        """Return what `facelet score` says of files, by config: counts and accuracy."""
        (model,) = score(self.folder, files).results["models"]
        return {
            name: {
                "counts": split["counts"],
                "accuracy": next(
                    cell["figures"]["accuracy"]["value"]
                    for cell in split["cells"]
                    if not cell["by"]
                ),
            }
            for name, config in model["configs"].items()
            for split in config["splits"].values()
        }

    def truth(self, out: Path) -> dict[str, Any]:
        """Return what live plays score."""
        rollout.run(self.rows, self.answer_chat, out, name="m")
        return self.scores(out)


def gather_datasets(
    publish: Callable[..., PublishedTask],
    folder: Path,
    kinds: Sequence[tuple[str, int, dict[str, Any]]],
) -> dict[str, list[str]]:
    """Publish small datasets of some kinds in one folder; return the reference replies by row."""
    references: dict[str, list[str]] = {}
    for task, items, params in kinds:
        one = publish(task, items=items, **params)
        for part in one.folder.iterdir():
            if part.is_dir():
                shutil.copytree(part, folder / part.name)
        references |= one.references
    configs = [
        {"config_name": part.name, "data_files": [{"split": "test", "path": f"{part.name}/*"}]}
        for part in sorted(folder.iterdir())
    ]
    describe_folder(folder)
    (folder / "README.md").write_text(f"---\nconfigs: {json.dumps(configs)}\n---\n")
    return references


def build_script(publish: Callable[..., PublishedTask], folder: Path) -> ChatScript:
    """Return a dataset of KINDS in one folder, and its script."""
    found = ChatScript(folder)
    references = gather_datasets(publish, folder, KINDS)
    for number, row in enumerate(rollout.rows(folder)):
        play, right = rollout.open_row(row), references[row["id"]]
        told = ([*right], [], right[:-1])[number % 3] + [WRONG] * LONGEST
        while not play.done:
            # Puzzles that are hidden begin alike: then the first one's reply is that of all.
            play.reply(found.replies.setdefault(chat_key(play.messages), told[len(play.replies)]))
        found.plays[row["id"]] = play.replies
    return found


def format_boxed(said: str) -> str:
    return f"Let me go through it part by part.\n\nSo the answer is $\\boxed{{{said}}}$."


def format_bold(said: str) -> str:
    return f"**Reasoning.** It takes some care.\n\n**Answer:** **{said}**"


def answer_row(number: int, right: list[str], other: list[str], gold: str) -> list[str]:
    """Return what is said to a row, in a manner that its number names.

    Args:
        number: number of the row.
        right: replies that are right.
        other: replies that are right for another row.
        gold: the answer.
    """
    bare = [gold] if len(right) == 1 and gold else right
    manners = (
        right,
        other,
        [WRONG],
        [""] * LONGEST,
        [format_boxed(said) for said in bare],
        [format_bold(said) for said in bare],
        right[:-1],
        ["Here is what you asked for.\n\n" + said + "\n" for said in right],
    )
    return [*manners[number % len(manners)], *[WRONG] * LONGEST]


def iterate_configs(script: ChatScript) -> Iterator[tuple[str, str, dict[str, Any], list[str]]]:
    """Yield each config of a build with its task, its params, and its rows' ids in order."""
    for config, told in read_manifest(script.folder).configs.items():
        names = [row["id"] for row in script.rows if row["id"].startswith(f"{config}/")]
        yield config, told.task, dict(told.params), names
