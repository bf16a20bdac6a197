"""Contradictions: do predictions answer this dataset's questions, or another build's?

Ids of two builds are alike, so an id that fits shows nothing. Three things that a record may carry
show something, and one that is false refuses the whole file:

    content hash   of the config's split (or of the dataset), which a transcript carries
    prompt         what the model was asked: the row's own words must stand in it; where a prompt
                   shares the template of the row's and not its content, it is another row's. Its
                   pictures are compared by the hash of their pixels, which a transcript carries
    target         the answer key that a harness logged; once one is written as the column `gold`
                   is, all must be equal to it

A prompt in other words, and a target in another notation, show nothing and are counted so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from facelet.pipeline.scoring.dataset import Dataset, Part
from facelet.pipeline.scoring.predictions import Asked, Prediction

TRIED = 1000
"""Prompts in other words of a file that are compared word by word; of more, only equal ones."""

_SHARED = 0.25
"""Share of a prompt's runs of three words from which on it has the row's template."""


class Contradiction(ValueError):  # noqa: N818 - it refuses a file
    """A file's predictions answer another build's questions."""


@dataclass
class Evidence:
    """What the predictions of one file showed, in numbers of predictions.

    Attributes:
        hashes: with the right content hash.
        prompts: with the row's own prompt.
        targets: with the row's own answer.
        other_words: with a prompt that says nothing about the row.
        other_targets: with a target in another notation.
        nothing: with nothing that shows which build they answer.
        strange: the first target in another notation, and the id of its row.
    """

    hashes: int = 0
    prompts: int = 0
    targets: int = 0
    other_words: int = 0
    other_targets: int = 0
    nothing: int = 0
    strange: tuple[str, str] | None = None

    def report(self) -> dict[str, int]:
        """Return the numbers as plain JSON values."""
        return {
            "content_hash": self.hashes,
            "prompt": self.prompts,
            "target": self.targets,
            "other_words": self.other_words,
            "other_targets": self.other_targets,
            "nothing": self.nothing,
        }


@dataclass
class Checker:
    """Holds predictions against the rows that their ids name."""

    dataset: Dataset
    _prompts: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _golds: dict[tuple[str, str], tuple[list[str], frozenset[str]]] = field(default_factory=dict)

    def check(self, row: int, prediction: Prediction, path: Path, evidence: Evidence) -> None:
        """Compare what a prediction carries with its row.

        Args:
            row: number of the row that it joined.
            prediction: the prediction.
            path: the file it came from.
            evidence: what the file showed so far.

        Raises:
            Contradiction: it answers another question.
        """
        asked, target = prediction.asked, prediction.target
        part = self.dataset.parts[self.dataset.part_of(row)]
        place = row - part.start
        shown = False
        if asked is not None:
            shown = self._hash(part, asked, path, evidence)
            shown |= self._asked(part, place, asked, path, evidence)
        if target is not None:
            shown |= self._target(part, place, target, path, evidence)
        evidence.nothing += not shown

    def finish(self, path: Path, evidence: Evidence) -> None:
        """Judge what only the whole file shows.

        Args:
            path: the file.
            evidence: what it showed.

        Raises:
            Contradiction: some of its targets are its rows' answers, and others are not.
        """
        if evidence.targets and evidence.strange:
            target, identifier = evidence.strange
            raise _refused(path, f"the target of {identifier} is {target!r:.60}, not its answer")

    def _hash(self, part: Part, asked: Asked, path: Path, evidence: Evidence) -> bool:
        if asked.content_hash is None or self.dataset.content_hash is None:
            return False
        config, split = part.name
        own = self.dataset.voucher.manifest["configs"][config]["splits"][split]["content_hash"]
        if asked.content_hash not in (own, self.dataset.content_hash):
            raise _refused(
                path,
                f"it carries the content hash {asked.content_hash[:40]}, and {config}/{split} "
                f"has {own}",
            )
        evidence.hashes += 1
        return True

    def _asked(self, part: Part, place: int, asked: Asked, path: Path, evidence: Evidence) -> bool:
        for number, pixels in asked.pictures:
            published = part.column("image_hashes")[place].as_py() or []
            if number < len(published) and published[number] != pixels:
                raise _refused(path, f"picture {number} of {_id(part, place)} is another")
        if asked.prompt is None:
            return False
        if part.name not in self._prompts:
            self._prompts[part.name] = [hash(" ".join(own)) for own in _questions(part)]
        prompt = " ".join(asked.prompt.split())
        if not prompt:
            return False
        if hash(prompt) == self._prompts[part.name][place]:
            evidence.prompts += 1
            return True
        if evidence.other_words >= TRIED:
            evidence.other_words += 1
            return False
        own = next(_questions(part, place))
        if own and all(text in prompt for text in own):
            evidence.prompts += 1
            return True
        if _template(" ".join(own), prompt):
            raise _refused(path, f"its prompt of {_id(part, place)} is not that row's")
        evidence.other_words += 1
        return False

    def _target(self, part: Part, place: int, target: str, path: Path, evidence: Evidence) -> bool:
        if part.name not in self._golds:
            golds = [gold or "" for gold in part.column("gold").to_pylist()]
            self._golds[part.name] = golds, frozenset(golds)
        golds, known = self._golds[part.name]
        said = target.strip()
        if said == golds[place].strip():
            evidence.targets += 1
            return True
        if said in known:
            raise _refused(path, f"the target of {_id(part, place)} is the answer of another row")
        evidence.other_targets += 1
        evidence.strange = evidence.strange or (said, _id(part, place))
        return False


def _refused(path: Path, why: str) -> Contradiction:
    return Contradiction(
        f"{path.name} is refused: {why}; it was made with another build or revision of the "
        "dataset, or in another order. Score it with the dataset that it answers (verify=false "
        "compares nothing, and writes unverified beside every figure)"
    )


def _id(part: Part, place: int) -> str:
    return str(part.column("id")[place].as_py())


def _questions(part: Part, place: int | None = None) -> Iterator[list[str]]:
    """Yield the texts of the users' messages of rows, blanks made one.

    Args:
        part: the split.
        place: the row; all of them by default.
    """
    if place is None:
        for batch in part.source.batches(["messages"], size=1024):
            for chat in batch.column(0).to_pylist():
                yield _texts(chat)
        return
    for batch in part.source.batches(["messages"], size=1024):
        if place < len(batch):
            yield _texts(batch.column(0)[place].as_py())
            return
        place -= len(batch)


def _texts(chat: list[Mapping[str, Any]] | None) -> list[str]:
    texts = [
        " ".join((part["text"] or "").split())
        for message in chat or ()
        if message["role"] == "user"
        for part in message["content"]
    ]
    return [text for text in texts if text]


def _template(own: str, prompt: str) -> bool:
    """Return whether a prompt shares so much with a row's that it was made from its template."""
    mine, theirs = (
        {tuple(words[i : i + 3]) for i in range(max(len(words) - 2, 1))}
        for words in (own.split(), prompt.split())
    )
    return bool(own) and len(mine & theirs) >= _SHARED * len(mine)
