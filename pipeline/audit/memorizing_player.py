"""The memorizing player: it repeats the answer that was right in rows with the same display.

It uses only a hash of a row: the class of its display, its pictures, or the text of its prompt. It
answers what was right most often in other rows with that hash, as the text of an option where there
are options, and never learns from rows of the same puzzle. From the text alone it cannot see
options that are pictures, and remembers their letters. Where a config has training rows it also
learns from those alone and is judged on the others.

Memory does not grow with the number of rows: they wait in files, grouped first by puzzle, to find
the most frequent answer elsewhere, then by display.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from facelet.pipeline.audit.audited_row import AuditedRow
from facelet.pipeline.audit.player_results import (
    ClusterCounter,
    PlayerResult,
    ScoreSums,
    half_number,
)
from facelet.pipeline.audit.spill_buffer import BUCKET, SpillBuffer, split_buckets
from facelet.pipeline.audit.text_index import (
    HASH,
    Marks,
    hash_text,
    mark_repeated,
    mark_shared_displays,
)
from facelet.pipeline.dataset.row_columns import is_training
from facelet.pipeline.spill_sort import SpillSorter

_Place = tuple[bytes, int]
"""The hash of a display, and the number of an element of the answer."""

_Counts = Mapping[str, int]
_NONE: _Counts = MappingProxyType({})
_ANY = b""
"""Any display."""

_TEXT = "text"
_HASHES: dict[str, Callable[[AuditedRow], str]] = {
    "shown": lambda row: row.first,
    "pictures": lambda row: row.pictures,
    _TEXT: lambda row: row.text,
}

_ALL, _TRAIN = "memory", "memory_of_train"


@dataclass(frozen=True, slots=True)
class _MemoryQuery:
    """The part of a row that the memorizing player uses.

    Attributes:
        cell: the label of its level.
        half: the half of the puzzles that contains its cluster.
        train: whether it is a training row.
        group: the hash of its puzzle, if that has several rows.
        display_hashes: what the player can remember it by, by the names of _HASHES.
        gold: the right labels.
        options: the texts of the options.
        shows_options: whether the text of the prompt contains all options.
        elsewhere_right: by queried player, which elements are right if it answers what was most
            often right in other puzzles.
    """

    cell: str
    half: int
    train: bool
    group: bytes | None
    display_hashes: Mapping[str, bytes]
    gold: tuple[str, ...]
    options: tuple[str, ...]
    shows_options: bool
    elsewhere_right: Mapping[str, tuple[bool, ...]]

    @property
    def is_single_choice(self) -> bool:
        """Whether the answer is one of the options."""
        return len(self.gold) == 1 and len(self.options) > 1

    def label_meaning(self, name: str, label: str) -> str:
        """Return the meaning of a label: the text of a visible option, else the label itself."""
        number = ord(label) - ord("A") if len(label) == 1 else -1
        if not (self.is_single_choice and 0 <= number < len(self.options)):
            return label
        return label if name == _TEXT and not self.shows_options else self.options[number]


def score_memories(rows: Sequence[AuditedRow], of: str) -> list[PlayerResult]:
    """Return the results of the memorizing players that have anything to remember in a config.

    Args:
        rows: its graded rows, each asked once.
        of: the unit of shares: whole answers if "answers", else elements.
    """
    groups = SpillSorter(HASH)
    shown = {name: SpillSorter(2 * HASH) for name in _HASHES}
    worth = {_ALL: ClusterCounter(), _TRAIN: ClusterCounter()}
    sizes = Counter[str]()
    usual = {_ALL: _AnswerMemory(), _TRAIN: _AnswerMemory()}
    for row in rows:
        group, train = hash_text(row.group), is_training(row.split)
        groups.add(group)
        for name, key in _HASHES.items():
            shown[name].add(hash_text(key(row)) + group)
        for player in (_ALL, _TRAIN):
            if player == _ALL or train:
                usual[player].learn_answers(_ANY, None, row.gold)
            if player == _ALL or not train:
                worth[player].add(row.cell, row.cluster)
                sizes[player] += 1
    known = {
        name: marks for name in _HASHES if (marks := mark_shared_displays(shown.pop(name))).any()
    }
    if not known:
        return []
    learned = len(rows) > sizes[_TRAIN] > 0
    players = (_ALL, _TRAIN) if learned else (_ALL,)
    trials = {player: worth[player].count_trials() for player in players}
    asked = _attach_elsewhere(_iterate_queries(rows, mark_repeated(groups), known), usual, players)
    found = []
    for name in known:
        judged = _MemoryScores(of, players)
        _judge_memory(name, asked, judged)
        found += [
            PlayerResult(f"{player}:{name}", trials[player], judged.scores[player].sums_by_level())
            for player in players
            if player in judged.remembered
        ]
    return found


def _iterate_queries(
    rows: Sequence[AuditedRow], several: Marks, known: Mapping[str, Marks]
) -> Iterator[_MemoryQuery]:
    """Yield the memory queries of rows.

    Args:
        rows: the rows.
        several: which rows belong to a puzzle with several rows.
        known: which rows share a display with other puzzles, by hash.
    """
    for place, row in enumerate(rows):
        yield _MemoryQuery(
            row.cell,
            half_number(row.cluster),
            is_training(row.split),
            hash_text(row.group) if several[place] else None,
            {name: hash_text(_HASHES[name](row)) for name, marks in known.items() if marks[place]},
            row.gold,
            row.options,
            all(option in row.text for option in row.options),
            {},
        )


def _attach_elsewhere(
    rows: Iterable[_MemoryQuery], usual: Mapping[str, _AnswerMemory], players: Sequence[str]
) -> SpillBuffer[_MemoryQuery]:
    """Return rows, in any order, with the correctness of the most frequent answer elsewhere.

    Args:
        rows: the rows.
        usual: the right answers whatever was shown, by player.
        players: the players.
    """
    found: SpillBuffer[_MemoryQuery] = SpillBuffer()
    alike: SpillBuffer[_MemoryQuery] = SpillBuffer()
    nothing = {player: _AnswerMemory() for player in players}

    def add_query(row: _MemoryQuery, own: Mapping[str, _AnswerMemory]) -> None:
        right = {
            player: tuple(
                usual[player].most_common_answer(
                    place, _own_answer_counts(own[player], player, row, _ANY, place, gold)
                )
                == gold
                for place, gold in enumerate(row.gold)
            )
            for player in players
            if _is_queried(player, row)
        }
        found.add(replace(row, elsewhere_right=right))

    for row in rows:
        if row.group is None:
            add_query(row, nothing)
        else:
            alike.add(row)
    for bucket in split_buckets(alike, len(alike), lambda row: row.group or b""):
        own = {player: _AnswerMemory() for player in players}
        for row in bucket:
            for player in players:
                if _learns_from(player, row):
                    own[player].learn_answers(_ANY, row.group, row.gold)
        for row in bucket:
            add_query(row, own)
    return found


def _judge_memory(name: str, rows: SpillBuffer[_MemoryQuery], judged: _MemoryScores) -> None:
    """Judge the players that remember rows by one of the hashes.

    Args:
        name: the hash, one of _HASHES.
        rows: the rows.
        judged: collects their wins.
    """
    met: SpillBuffer[_MemoryQuery] = SpillBuffer()
    for row in rows:
        if name in row.display_hashes:
            met.add(row)
        else:
            for player in judged.list_players(row):
                judged.add_answer(player, row, row.elsewhere_right[player], known=False)
    for bucket in split_buckets(met, len(met), lambda row: row.display_hashes[name]):
        said = {player: _AnswerMemory() for player in judged.scores}
        for row in bucket:
            for player in said:
                if _learns_from(player, row):
                    said[player].learn_answers(
                        row.display_hashes[name], None, _gold_meanings(name, row)
                    )
        # All rows may show one thing: what was right of each puzzle is held of few at a time.
        parts = (
            [bucket]
            if len(bucket) <= 2 * BUCKET
            else split_buckets(
                bucket, len(bucket), lambda row: row.group or row.display_hashes[name]
            )
        )
        for part in parts:
            own = {player: _AnswerMemory() for player in said}
            for row in part:
                for player in said:
                    if row.group is not None and _learns_from(player, row):
                        own[player].learn_answers(
                            row.display_hashes[name], row.group, _gold_meanings(name, row)
                        )
            for row in part:
                for player in judged.list_players(row):
                    answers = [
                        said[player].recall_label(
                            name,
                            row,
                            place,
                            _own_answer_counts(
                                own[player], player, row, row.display_hashes[name], place, meant
                            ),
                        )
                        for place, meant in enumerate(_gold_meanings(name, row))
                    ]
                    right = [
                        usual if label is None else label == gold
                        for label, gold, usual in zip(
                            answers, row.gold, row.elsewhere_right[player], strict=True
                        )
                    ]
                    known = any(label is not None for label in answers)
                    judged.add_answer(player, row, right, known=known)


class _MemoryScores:
    """Wins of the players that remember rows by one hash.

    Args:
        of: the unit of shares.
        players: the players.
    """

    def __init__(self, of: str, players: Sequence[str]) -> None:
        self._of = of
        self.scores = {player: ScoreSums() for player in players}
        self.remembered: set[str] = set()

    def list_players(self, row: _MemoryQuery) -> list[str]:
        """Return who is asked about a row."""
        return [player for player in self.scores if _is_queried(player, row)]

    def add_answer(
        self, player: str, row: _MemoryQuery, right: Sequence[bool], *, known: bool
    ) -> None:
        """Add which elements of a row a player gets right, and whether it remembers any."""
        if known:
            self.remembered.add(player)
        won, of = (all(right), 1) if self._of == "answers" else (sum(right), len(right))
        self.scores[player].add(row.cell, row.half, won, of)


class _AnswerMemory:
    """The right answers of some rows, by display and by puzzle."""

    def __init__(self) -> None:
        self._said: dict[tuple[_Place, bytes | None], Counter[str]] = defaultdict(Counter)
        self._ranked: dict[int, list[str]] = {}

    def learn_answers(self, shown: bytes, group: bytes | None, said: Sequence[str]) -> None:
        """Learn the right answers of a row, element by element, for its puzzle or for any."""
        for place, one in enumerate(said):
            self._said[(shown, place), group][one] += 1

    def answer_counts(self, shown: bytes, place: int, group: bytes | None) -> _Counts:
        """Return how often each answer was right."""
        return self._said.get(((shown, place), group), _NONE)

    def recall_label(self, name: str, row: _MemoryQuery, place: int, own: _Counts) -> str | None:
        """Return the label that was right most often in other puzzles; None if none was.

        Args:
            name: the hash that it remembers by.
            row: the row that it answers.
            place: the number of the element.
            own: how often answers were right in the same puzzle.
        """
        everything = self.answer_counts(row.display_hashes[name], place, None)
        labels = [chr(ord("A") + number) for number in range(len(row.options))]
        meant = {
            label: row.label_meaning(name, label)
            for label in (labels if row.is_single_choice else everything)
        }
        counts = {
            label: everything.get(said, 0) - own.get(said, 0) for label, said in meant.items()
        }
        if not any(counts.values()):
            return None
        return min(counts, key=lambda label: (-counts[label], label))

    def most_common_answer(self, place: int, own: _Counts) -> str:
        """Return the answer that was right most often in other puzzles; "" if none was.

        Args:
            place: the number of the element.
            own: how often answers were right in the same puzzle.
        """
        everything = self.answer_counts(_ANY, place, None)
        ranked = self._ranked.get(place)
        if ranked is None:
            ranked = sorted(everything, key=lambda said: (-everything[said], said))
            self._ranked[place] = ranked
        # Of what the puzzle itself did not answer, the first in order is as common as any.
        best = next((said for said in ranked if said not in own), None)
        left = {said: everything[said] - count for said, count in own.items()}
        if best is not None:
            left[best] = everything[best]
        found = min(left, key=lambda said: (-left[said], said), default="")
        return found if left.get(found) else ""


def _own_answer_counts(
    memory: _AnswerMemory, player: str, row: _MemoryQuery, shown: bytes, place: int, said: str
) -> _Counts:
    """Return how often each answer was right in the learned rows of a row's own puzzle.

    Args:
        memory: the right answers of puzzles with several rows.
        player: the player that learned.
        row: the row.
        shown: the key that it is remembered by.
        place: the number of the element.
        said: the right answer of the row itself.
    """
    if row.group is not None:
        return memory.answer_counts(shown, place, row.group)
    return {said: 1} if _learns_from(player, row) else _NONE


def _learns_from(player: str, row: _MemoryQuery) -> bool:
    """Return whether a player learns from a row."""
    return player == _ALL or row.train


def _is_queried(player: str, row: _MemoryQuery) -> bool:
    """Return whether a player answers a row."""
    return player == _ALL or not row.train


def _gold_meanings(name: str, row: _MemoryQuery) -> list[str]:
    """Return the meanings of the right labels of a row."""
    return [row.label_meaning(name, gold) for gold in row.gold]
