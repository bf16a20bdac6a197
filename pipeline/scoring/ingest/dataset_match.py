"""Check that predictions answer the questions of this dataset and not of another build.

Two builds use the same ids, so a matching id proves nothing. Three fields of a record can prove it,
and one that disagrees refuses the whole file:

    content hash   of the config's split (or of the dataset), which a transcript contains
    prompt         what the model was asked: if it shares the template of the row but not its
                   words, it belongs to another row. Its pictures are compared by the hash of
                   their pixels, which a transcript contains
    target         the answer key that a harness logged; once one equals the column `gold`, all
                   must equal it

A question that differs from the row's and does not prove another build refuses only its record,
unless the caller accepts any question. It is then counted as one in other words, as is a column of
the data that does not contain the row's question. A target in another notation proves nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import struct
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from facelet.pipeline.dataset.row_columns import ChatMessage
from facelet.pipeline.scoring.ingest.asked_questions import (
    contains_question,
    is_exact_question,
    normalize_texts,
)
from facelet.pipeline.scoring.ingest.prediction import (
    AnsweredQuestion,
    AskedQuestion,
    Prediction,
    UnreadableRecord,
)
from facelet.pipeline.scoring.scored_dataset import ScoredDataset, ScoredSplit

Questions = Literal["row", "any"]
"""Which questions a record may contain: its row's, or any."""

TRIED = 1000
"""Ranges of rows that are read again for one file to compare word by word. A file that needs more,
such as one in random order, is compared by equality only."""

_STRETCH = 1024
_KEPT = 4

_SHARED = 0.25
"""Share of a prompt's runs of three words from which on it has the row's template."""


MAX_SIDE = 4096
"""Longest side in pixels of a picture that is decoded."""

_PICTURES_KEPT = 4096
_HEAD = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@dataclass
class PixelHashes:
    """Caches the hashes of pictures, since every sample of a row shows the same.

    Pillow is loaded only for a record that contains a picture; its size is checked before it is
    decoded.
    """

    _seen: dict[bytes, str] = field(default_factory=dict)

    def hash_png(self, data: str) -> str:
        """Return the pixel hash of a PNG in base 64; "" if it cannot be decoded."""
        if (key := hashlib.sha256(data.encode("utf-8", "replace")).digest()) not in self._seen:
            if len(self._seen) >= _PICTURES_KEPT:
                self._seen.clear()
            self._seen[key] = _hash_decoded(data)
        return self._seen[key]


def _hash_decoded(data: str) -> str:
    try:
        png = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return ""
    if not png.startswith(_HEAD) or len(png) < len(_HEAD) + 8:
        return ""
    if max(struct.unpack_from(">II", png, len(_HEAD))) > MAX_SIDE:
        return ""
    from facelet.renderers.pixel_hash import pixel_hash_png  # loads Pillow

    try:
        return pixel_hash_png(png)
    except ValueError:
        return ""


class OtherQuestion(UnreadableRecord):
    """A record with another question than its row's."""


class Contradiction(ValueError):  # noqa: N818 - it refuses a file
    """A file's predictions answer another build's questions."""


@dataclass
class MatchEvidence:
    """What the predictions of one file prove, in numbers of predictions.

    Attributes:
        hashes: with the right content hash.
        prompts: with the row's own question.
        targets: with the row's own answer.
        other_words: with a question in other words, which was accepted.
        other_targets: with a target in another notation.
        nothing: without proof of the build that they answer.
        strange: the first target in another notation, and the id of its row.
        tried: ranges of rows that were read again.
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
class DatasetMatcher:
    """Compares predictions with the rows that their ids name."""

    dataset: ScoredDataset
    questions: Questions = "row"
    _prompts: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _near: OrderedDict[tuple[str, str, int], list[_RowQuestion]] = field(
        default_factory=OrderedDict
    )
    _pixels: PixelHashes = field(default_factory=PixelHashes)
    _golds: dict[tuple[str, str], tuple[list[str], frozenset[str]]] = field(default_factory=dict)

    def check_prediction(
        self, row: int, prediction: Prediction, path: Path, evidence: MatchEvidence
    ) -> None:
        """Compare the question and target of a prediction with its row.

        Args:
            row: number of the row that it joined.
            prediction: the prediction.
            path: the file it came from.
            evidence: the evidence of the file so far.

        Raises:
            Contradiction: it answers another build's question.
            OtherQuestion: its question is not that of its row.
        """
        asked, target = prediction.asked, prediction.target
        part = self.dataset.parts[self.dataset.part_of(row)]
        place = row - part.first_number
        shown = False
        if asked is not None:
            shown = self._check_hash(part, asked, path, evidence)
            for question in asked.questions:
                shown |= self._check_question(part, place, question, path, evidence)
        if target is not None:
            shown |= self._check_target(part, place, target, path, evidence)
        evidence.nothing += not shown

    def check_file(self, path: Path, evidence: MatchEvidence) -> None:
        """Check what only the whole file can prove.

        Args:
            path: the file.
            evidence: its evidence.

        Raises:
            Contradiction: some of its targets are its rows' answers, and others are not.
        """
        if evidence.targets and evidence.strange:
            target, identifier = evidence.strange
            raise _contradiction_error(
                path, f"the target of {identifier} is {target!r:.60}, not its answer"
            )

    def _check_hash(
        self, part: ScoredSplit, asked: AnsweredQuestion, path: Path, evidence: MatchEvidence
    ) -> bool:
        manifest = self.dataset.read_manifest
        if asked.content_hash is None or manifest is None:
            return False
        config, split = part.split_name
        own = manifest.find_split(config, split).content_hash
        if asked.content_hash not in (own, self.dataset.content_hash):
            raise _contradiction_error(
                path,
                f"it carries the content hash {asked.content_hash[:40]}, and {config}/{split} "
                f"has {own}",
            )
        evidence.hashes += 1
        return True

    def _check_question(
        self,
        part: ScoredSplit,
        place: int,
        question: AskedQuestion,
        path: Path,
        evidence: MatchEvidence,
    ) -> bool:
        if question.shown:
            self._check_pictures(part, place, question, path)
        if not question.texts:
            return False
        if part.split_name not in self._prompts:
            self._prompts[part.split_name] = [
                hash(normalize_texts(own.user)) for own in _read_questions(part, 0, part.count)
            ]
        if hash(normalize_texts(question.texts)) == self._prompts[part.split_name][place]:
            evidence.prompts += 1
            return True
        own = self._row_question(part, place, evidence)
        exact = question.form in ("chat", "text")
        if own is None:
            if exact and self.questions == "row":
                raise _other_question_error(part, place, "it is written otherwise")
            evidence.other_words += 1
            return False
        if own.user and (
            _is_same_question(own, question)
            or (not exact and contains_question(own.user, question.texts))
        ):
            evidence.prompts += 1
            return True
        is_same = contains_question(own.user, question.texts)
        words = " ".join(" ".join(question.texts).split())
        if not is_same and _shares_template(" ".join(own.user), words):
            raise _contradiction_error(
                path, f"its prompt of {_row_id(part, place)} is not that row's"
            )
        if own.user and self.questions == "row" and question.form != "column":
            raise _other_question_error(
                part,
                place,
                "words or blanks were added to it" if is_same else f"it says {words!r:.60}",
            )
        evidence.prompts += bool(own.user) and is_same
        evidence.other_words += not (own.user and is_same)
        return bool(own.user) and is_same

    def _check_pictures(
        self, part: ScoredSplit, place: int, question: AskedQuestion, path: Path
    ) -> None:
        """Compare the pictures of a question with those of its row."""
        published = part.read_column("image_hashes")[place].as_py() or []
        for number, pixels in question.pixels:
            if number < len(published) and published[number] != pixels:
                raise _contradiction_error(
                    path, f"picture {number} of {_row_id(part, place)} is another"
                )
        if self.questions == "any" or question.form == "column":
            return
        if question.shown != len(published):
            raise _other_question_error(
                part, place, f"it shows {question.shown} pictures, and the row {len(published)}"
            )
        for number, data in question.pictures:
            if self._pixels.hash_png(data) != published[number]:
                raise _other_question_error(part, place, f"picture {number} has other pixels")

    def _row_question(
        self, part: ScoredSplit, place: int, evidence: MatchEvidence
    ) -> _RowQuestion | None:
        """Return the question of a row; None if too much was read already to find it."""
        start = place - place % _STRETCH
        key = (*part.split_name, start)
        if key not in self._near:
            if evidence.tried >= TRIED:
                return None
            evidence.tried += 1
            self._near[key] = _read_questions(part, start, _STRETCH)
            while len(self._near) > _KEPT:
                self._near.popitem(last=False)
        return self._near[key][place - start]

    def _check_target(
        self, part: ScoredSplit, place: int, target: str, path: Path, evidence: MatchEvidence
    ) -> bool:
        if part.split_name not in self._golds:
            golds = [gold or "" for gold in part.read_column("gold").to_pylist()]
            self._golds[part.split_name] = golds, frozenset(golds)
        golds, known = self._golds[part.split_name]
        if (said := target.strip()) == golds[place].strip():
            evidence.targets += 1
            return True
        if said in known:
            raise _contradiction_error(
                path, f"the target of {_row_id(part, place)} is the answer of another row"
            )
        evidence.other_targets += 1
        evidence.strange = evidence.strange or (said, _row_id(part, place))
        return False


def _contradiction_error(path: Path, why: str) -> Contradiction:
    return Contradiction(
        f"{path.name} is refused: {why}; it was made with another build or revision of the "
        "dataset, or in another order. Score it with the dataset that it answers (verify=false "
        "compares nothing, and writes unverified beside every figure)"
    )


def _row_id(part: ScoredSplit, place: int) -> str:
    return str(part.read_column("id")[place].as_py())


@dataclass(frozen=True, slots=True)
class _RowQuestion:
    """The texts of the messages of a row.

    Attributes:
        system: those of the system.
        user: those of the user.
    """

    system: tuple[str, ...]
    user: tuple[str, ...]


def _read_questions(part: ScoredSplit, start: int, count: int) -> list[_RowQuestion]:
    """Return the questions of rows.

    Args:
        part: the split.
        start: the first row.
        count: most rows.
    """
    chats = (
        chat
        for batch in part.source.iterate_batches(["messages"], size=_STRETCH)
        for chat in batch.column(0).to_pylist()
    )
    return [
        _RowQuestion(_role_texts(chat, "system"), _role_texts(chat, "user"))
        for chat in islice(chats, start, start + count)
    ]


def _role_texts(chat: Sequence[ChatMessage] | None, role: str) -> tuple[str, ...]:
    texts = [
        part["text"] or ""
        for message in chat or ()
        if message["role"] == role
        for part in message["content"]
    ]
    return tuple(text for text in texts if text.strip())


def _is_same_question(own: _RowQuestion, question: AskedQuestion) -> bool:
    """Return whether a question is a row's to the letter; as one text, it may begin as a chat."""
    if is_exact_question(own.user, question.texts):
        return True
    return question.form == "text" and is_exact_question((*own.system, *own.user), question.texts)


def _other_question_error(part: ScoredSplit, place: int, why: str) -> OtherQuestion:
    return OtherQuestion(
        f"its question is not that of {_row_id(part, place)}: {why}; score it all the same with "
        "questions=any"
    )


def _shares_template(own: str, prompt: str) -> bool:
    """Return whether a prompt shares so much with a row's that it was made from its template."""
    mine, theirs = (
        {tuple(words[i : i + 3]) for i in range(max(len(words) - 2, 1))}
        for words in (own.split(), prompt.split())
    )
    return bool(own) and len(mine & theirs) >= _SHARED * len(mine)
