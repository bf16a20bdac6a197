"""Contradictions: do predictions answer this dataset's questions, or another build's?

Ids of two builds are alike, so an id that fits shows nothing. Three things that a record may carry
show something, and one that is false refuses the whole file:

    content hash   of the config's split (or of the dataset), which a transcript carries
    prompt         what the model was asked: where it shares the template of the row's and not its
                   words, it is another row's. Its pictures are compared by the hash of their
                   pixels, which a transcript carries
    target         the answer key that a harness logged; once one is written as the column `gold`
                   is, all must be equal to it

A question that is not the row's to the letter, and shows nothing of another build, refuses the one
record that carries it, unless the caller takes any. It is then counted as one in other words, as is
a column of the data that does not hold the row's. A target in another notation shows nothing.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from facelet.pipeline.dataset.rows import Message
from facelet.pipeline.scoring.dataset import Dataset, Part
from facelet.pipeline.scoring.taking.pixels import Pixels
from facelet.pipeline.scoring.taking.predictions import Prediction, Unreadable
from facelet.pipeline.scoring.taking.questions import Asked, AskedQuestion, fits, holds, spelled

Questions = Literal["row", "any"]
"""Which questions a record may carry: its row's, or any."""

TRIED = 1000
"""Stretches of rows that are read again for one file to compare word by word. What would need more,
as a file in any order does, is compared by equality only."""

_STRETCH = 1024
_KEPT = 4

_SHARED = 0.25
"""Share of a prompt's runs of three words from which on it has the row's template."""


class OtherQuestion(Unreadable):
    """A record that carries another question than its row's."""


class Contradiction(ValueError):  # noqa: N818 - it refuses a file
    """A file's predictions answer another build's questions."""


@dataclass
class Evidence:
    """What the predictions of one file showed, in numbers of predictions.

    Attributes:
        hashes: with the right content hash.
        prompts: with the row's own question.
        targets: with the row's own answer.
        other_words: with a question in other words, which was taken.
        other_targets: with a target in another notation.
        nothing: with nothing that shows which build they answer.
        strange: the first target in another notation, and the id of its row.
        tried: stretches of rows that were read again.
    """

    hashes: int = 0
    prompts: int = 0
    targets: int = 0
    other_words: int = 0
    other_targets: int = 0
    nothing: int = 0
    strange: tuple[str, str] | None = None
    tried: int = 0


@dataclass
class Checker:
    """Holds predictions against the rows that their ids name."""

    dataset: Dataset
    questions: Questions = "row"
    _prompts: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _near: OrderedDict[tuple[str, str, int], list[_Own]] = field(default_factory=OrderedDict)
    _pixels: Pixels = field(default_factory=Pixels)
    _golds: dict[tuple[str, str], tuple[list[str], frozenset[str]]] = field(default_factory=dict)

    def check(self, row: int, prediction: Prediction, path: Path, evidence: Evidence) -> None:
        """Compare what a prediction carries with its row.

        Args:
            row: number of the row that it joined.
            prediction: the prediction.
            path: the file it came from.
            evidence: what the file showed so far.

        Raises:
            Contradiction: it answers another build's question.
            OtherQuestion: its question is not that of its row.
        """
        asked, target = prediction.asked, prediction.target
        part = self.dataset.parts[self.dataset.part_of(row)]
        place = row - part.start
        shown = False
        if asked is not None:
            shown = self._hash(part, asked, path, evidence)
            for question in asked.questions:
                shown |= self._asked(part, place, question, path, evidence)
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
        manifest = self.dataset.manifest
        if asked.content_hash is None or manifest is None:
            return False
        config, split = part.name
        own = manifest.split(config, split).content_hash
        if asked.content_hash not in (own, self.dataset.content_hash):
            raise _refused(
                path,
                f"it carries the content hash {asked.content_hash[:40]}, and {config}/{split} "
                f"has {own}",
            )
        evidence.hashes += 1
        return True

    def _asked(
        self, part: Part, place: int, question: AskedQuestion, path: Path, evidence: Evidence
    ) -> bool:
        if question.shown:
            self._pictured(part, place, question, path)
        if not question.texts:
            return False
        if part.name not in self._prompts:
            self._prompts[part.name] = [
                hash(spelled(own.user)) for own in _read(part, 0, part.count)
            ]
        if hash(spelled(question.texts)) == self._prompts[part.name][place]:
            evidence.prompts += 1
            return True
        own = self._own(part, place, evidence)
        exact = question.form in ("chat", "text")
        if own is None:
            if exact and self.questions == "row":
                raise _other(part, place, "it is written otherwise")
            evidence.other_words += 1
            return False
        if own.user and (_same(own, question) or (not exact and holds(own.user, question.texts))):
            evidence.prompts += 1
            return True
        held = holds(own.user, question.texts)
        words = " ".join(" ".join(question.texts).split())
        if not held and _template(" ".join(own.user), words):
            raise _refused(path, f"its prompt of {_id(part, place)} is not that row's")
        if own.user and self.questions == "row" and question.form != "column":
            raise _other(
                part,
                place,
                "words or blanks were added to it" if held else f"it says {words!r:.60}",
            )
        evidence.prompts += bool(own.user) and held
        evidence.other_words += not (own.user and held)
        return bool(own.user) and held

    def _pictured(self, part: Part, place: int, question: AskedQuestion, path: Path) -> None:
        """Compare the pictures of a question with those of its row."""
        published = part.column("image_hashes")[place].as_py() or []
        for number, pixels in question.pixels:
            if number < len(published) and published[number] != pixels:
                raise _refused(path, f"picture {number} of {_id(part, place)} is another")
        if self.questions == "any" or question.form == "column":
            return
        if question.shown != len(published):
            raise _other(
                part, place, f"it shows {question.shown} pictures, and the row {len(published)}"
            )
        for number, data in question.pictures:
            if self._pixels.of(data) != published[number]:
                raise _other(part, place, f"picture {number} has other pixels")

    def _own(self, part: Part, place: int, evidence: Evidence) -> _Own | None:
        """Return what a row asks; None if too much was read already to find it."""
        start = place - place % _STRETCH
        key = (*part.name, start)
        if key not in self._near:
            if evidence.tried >= TRIED:
                return None
            evidence.tried += 1
            self._near[key] = _read(part, start, _STRETCH)
            while len(self._near) > _KEPT:
                self._near.popitem(last=False)
        return self._near[key][place - start]

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


@dataclass(frozen=True, slots=True)
class _Own:
    """The texts of the messages of a row.

    Attributes:
        system: those of the system.
        user: those of the user.
    """

    system: tuple[str, ...]
    user: tuple[str, ...]


def _read(part: Part, start: int, count: int) -> list[_Own]:
    """Return what rows ask.

    Args:
        part: the split.
        start: the first row.
        count: most rows.
    """
    chats = (
        chat
        for batch in part.source.batches(["messages"], size=_STRETCH)
        for chat in batch.column(0).to_pylist()
    )
    return [
        _Own(_texts(chat, "system"), _texts(chat, "user"))
        for chat in islice(chats, start, start + count)
    ]


def _texts(chat: Sequence[Message] | None, role: str) -> tuple[str, ...]:
    texts = [
        part["text"] or ""
        for message in chat or ()
        if message["role"] == role
        for part in message["content"]
    ]
    return tuple(text for text in texts if text.strip())


def _same(own: _Own, question: AskedQuestion) -> bool:
    """Return whether a question is a row's to the letter; as one text, it may begin as a chat."""
    if fits(own.user, question.texts):
        return True
    return question.form == "text" and fits((*own.system, *own.user), question.texts)


def _other(part: Part, place: int, why: str) -> OtherQuestion:
    return OtherQuestion(
        f"its question is not that of {_id(part, place)}: {why}; score it all the same with "
        "questions=any"
    )


def _template(own: str, prompt: str) -> bool:
    """Return whether a prompt shares so much with a row's that it was made from its template."""
    mine, theirs = (
        {tuple(words[i : i + 3]) for i in range(max(len(words) - 2, 1))}
        for words in (own.split(), prompt.split())
    )
    return bool(own) and len(mine & theirs) >= _SHARED * len(mine)
