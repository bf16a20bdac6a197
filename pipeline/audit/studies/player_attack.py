"""Attack published floors with a player of a user's own, in a jail, on fresh puzzles.

A player is a Python file with a function `reply(prompts)`. It receives what it may see of the turns
of one play so far, one text a turn, the newest last, and returns its reply. Pictures are never
shown. A turn that it may not see is "", so `len(prompts)` is always the number of the turn:

    turns    all prompts so far
    last     the newest prompt
    first    the first prompt
    nothing  no prompt

Where a family can hide the puzzle (`FamilyPlayers.hide_puzzle`), texts that show it are replaced.
In other families the text is the puzzle: a player that reads it is compared with the shortcuts of
games that read as much, and only one that sees nothing can be recorded as a floor.

The file runs once for all plays, with the standard library alone. Puzzles are drawn under a seed
that depends on the bytes of the file, so no file can be tuned on the puzzles that judge it.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import digest_names
from facelet.generators.core.task import Outcome
from facelet.pipeline.audit.baseline_players import (
    PartialViewPlayer,
    load_family_players,
    prompt_text,
)
from facelet.pipeline.audit.config_floor import build_share
from facelet.pipeline.audit.level_plays import MOST, LookTally
from facelet.pipeline.audit.studies.study_configs import (
    StudyConfig,
    StudyEffort,
    build_fresh_dataset,
)
from facelet.pipeline.dataset import dataset_reader, floor_studies
from facelet.pipeline.dataset.atomic_files import open_scratch_folder, write_text
from facelet.pipeline.dataset.floor_record import (
    OPEN_LOOP,
    STUDIED_SHORTCUTS,
    LevelFloor,
    ShareRecord,
    list_levels,
)
from facelet.pipeline.dataset.floor_studies import FloorStudy
from facelet.pipeline.dataset.row_columns import cell_label
from facelet.pipeline.family_modules import AnyTask, load_task
from facelet.pipeline.rollout.jail import Jail, run_code
from facelet.pipeline.scoring.aggregate.estimates import ALPHA, correct_holm

Sees = Literal["turns", "last", "first", "nothing"]

READ_BY: Mapping[Sees, tuple[str, ...]] = {
    "turns": (OPEN_LOOP, *STUDIED_SHORTCUTS),
    "last": ("last_reply",),
    "first": (OPEN_LOOP, "prompt"),
    "nothing": (),
}
"""The shortcuts of games that read no more than a player sees."""
LONGEST_FILE = 1 << 18
"""Bytes of the longest player file."""

_DRIVER = """\
_player = {{"__name__": "player"}}
exec(compile({source!r}, "player.py", "exec"), _player)
if "reply" not in _player:
    raise SystemExit("no function reply(prompts); define one")
_prompts = play_next("")
while _prompts is not None:
    _prompts = play_next(_player["reply"](_prompts))
"""


@dataclass(frozen=True, slots=True)
class AttackedLevel:
    """What a player won at a level, beside what is published.

    Attributes:
        won: its share, as a study records it.
        published: the published baseline: chance, floor or, for a player that reads the puzzle's
            text, a shortcut.
        player: name of the published player.
        is_above: whether the share is significantly greater (Holm over the levels).
    """

    won: FloorStudy
    published: ShareRecord
    player: str
    is_above: bool


@dataclass(frozen=True, slots=True)
class Attack:
    """A finished attack.

    Attributes:
        task: the task.
        levels: the levels, in order of difficulty.
        is_blind: whether the player saw nothing of the puzzle.
        printed: what it printed.
    """

    task: AnyTask
    levels: tuple[AttackedLevel, ...]
    is_blind: bool
    printed: str


def read_player(file: Path) -> str:
    """Return the source of a player.

    Raises:
        ValueError: it is too long, or no Python.
        OSError: it cannot be read.
    """
    with file.open("rb") as stream:
        content = stream.read(LONGEST_FILE + 1)
    if len(content) > LONGEST_FILE:
        raise ValueError(f"player={file} has more than {LONGEST_FILE} bytes; use a shorter file")
    try:
        source = content.decode("utf-8")
        compile(source, str(file), "exec")
    except (SyntaxError, ValueError) as error:
        raise ValueError(f"player={file} is no Python: {error}") from None
    return source


def attack_config(
    config: StudyConfig,
    name: str,
    source: str,
    effort: StudyEffort,
    *,
    sees: Sees,
    seconds: int,
    jail: Jail,
) -> Attack:
    """Build fresh puzzles, play them with a player, and compare its shares with the baselines.

    Args:
        config: the config.
        name: the player's name.
        source: its source.
        effort: the number of puzzles, and the greatest depth.
        sees: what the player sees.
        seconds: its time for all plays.
        jail: where it runs.

    Raises:
        ValueError: the player failed or ran out of time, or nothing is published of the config.
        NoJailError: no jail can be had here.
    """
    seed = int.from_bytes(digest_names("attack", source)[:4])
    task = load_task(config.task)
    with open_scratch_folder("attack") as work:
        folder, params = build_fresh_dataset(config, effort, work, seed)
        floor = dataset_reader.read_manifest(folder).configs[f"{config.suite}.{config.name}"].floor
        if floor is None:
            raise ValueError(f"{config.suite}.{config.name} has no published floor to attack")
        plays = _PlayedRows(task, folder, floor["of"], sees)
        code = _DRIVER.format(source=source)
        ran = run_code({"play_next": plays.play_next}, code, seconds=seconds, jail=jail)
    if ran.ended != "done" or not plays.is_finished:
        why = "stopped early" if ran.ended == "done" else ran.ended
        raise ValueError(
            f"player: {why} after {plays.replies} replies; seconds={seconds} is its time for all "
            f"plays. It printed: {ran.printed[-1000:] or 'nothing'}"
        )
    is_blind = plays.hides_puzzle or sees == "nothing"
    shown = [
        (
            _build_study(label, params[label], plays, name),
            *_choose_baseline(
                level, {} if is_blind else {k: looks[k] for k in READ_BY[sees] if k in looks}
            ),
        )
        for label, level, looks in list_levels(floor)
        if label in plays.tallies
    ]
    tests = correct_holm([_test_excess(won, published) for won, published, _ in shown])
    levels = tuple(
        AttackedLevel(*one, p is not None and p < ALPHA)
        for one, p in zip(shown, tests, strict=True)
    )
    return Attack(task, levels, is_blind, ran.printed)


def record_attack(attack: Attack, source: str, out: Path) -> list[str]:
    """Record fallen floors with a copy of the player; return the labels of their levels.

    Args:
        attack: the finished attack.
        source: source of its player.
        out: folder of recorded studies.

    Raises:
        ValueError: the player reads the puzzle, so what it wins is no floor.
    """
    task, fallen = attack.task, [level.won for level in attack.levels if level.is_above]
    if not attack.is_blind:
        raise ValueError(
            f"record=true needs a blind player, but the text of {task.name} is the puzzle; "
            "use sees=nothing"
        )
    if fallen:
        path = floor_studies.write_studies(out, task.name, task.version, fallen)
        write_text(path.with_name(f"{path.stem}.{fallen[0].player}.py"), source)
    return [won.label for won in fallen]


class _PlayedRows:
    """Plays the rows of a dataset one after the other; each call takes a reply.

    Attributes:
        tallies: wins by label of the level.
        unit: what shares are of.
        replies: replies so far.
        hides_puzzle: whether texts hide the puzzle.
        is_finished: whether all rows are played.
    """

    def __init__(self, task: AnyTask, folder: Path, share_unit: str, sees: Sees) -> None:
        self.tallies: dict[str, LookTally] = {}
        self.replies = 0
        self.is_finished = False
        self._task, self._folder, self.unit, self._sees = task, folder, share_unit, sees
        self._hide = load_family_players(task).hide_puzzle
        self.hides_puzzle = self._hide(task, "") is not None
        self._turns = self._iterate_turns()

    def play_next(self, said: object) -> list[str] | None:
        """Return what is seen after a reply; None after the last. The first call starts.

        Raises:
            TypeError: the reply is no text.
        """
        if not isinstance(said, str):
            raise TypeError(f"reply(prompts) returned {type(said).__name__}; return a text")
        try:
            if not self.replies and not self.tallies:
                return next(self._turns)
            self.replies += 1
            return self._turns.send(said)
        except StopIteration:
            self.is_finished = True
            return None

    def _iterate_turns(self) -> Generator[list[str], str, None]:
        nobody = PartialViewPlayer("", lambda instance, rng: lambda prompt: "")
        for split in dataset_reader.list_splits(self._folder):
            for row in split.iterate_rows():
                tally = self.tallies.setdefault(
                    cell_label(row["id"]), LookTally(self._task, "attack", nobody, self.unit)
                )
                if row["group"] not in tally.groups:
                    outcome = yield from self._play_row(self._task.decode(row))
                    tally.count_outcome(row["group"], outcome)

    def _play_row(self, instance: object) -> Generator[list[str], str, Outcome]:
        episode = self._task.open(instance).without_figures()
        shown: Prompt | Outcome = episode.prompt()
        texts: list[str] = []
        for _ in range(MOST):
            text = prompt_text(cast(Prompt, shown))
            texts.append(self._hide(self._task, text) or text)
            shown = episode.reply((yield select_seen(texts, self._sees)))
            if isinstance(shown, Outcome):
                return shown
        return episode.outcome_when_halted()


def select_seen(texts: Sequence[str], sees: Sees) -> list[str]:
    """Return the texts of the turns so far, "" for each that is not seen."""
    shown = {"turns": range(len(texts)), "last": [len(texts) - 1], "first": [0], "nothing": []}
    return [text if place in shown[sees] else "" for place, text in enumerate(texts)]


def _build_study(
    label: str, params: Mapping[str, object], plays: _PlayedRows, name: str
) -> FloorStudy:
    tally = plays.tallies[label]
    items = len(tally.groups)
    return FloorStudy(
        label=label,
        params=params,
        of=plays.unit,
        **build_share(tally.won / max(tally.total, 1), items),
        player=name,
        says=(),
        puzzles=items,
        replies=plays.replies,
    )


def _choose_baseline(
    level: LevelFloor, shortcuts: Mapping[str, ShareRecord]
) -> tuple[ShareRecord, str]:
    """Return the greatest baseline of a level: the floor, chance, or a shortcut."""
    found: list[tuple[ShareRecord, str]] = [(level, level["player"])]
    if (exact := level["chance"]) is not None:
        chance: ShareRecord = {"value": exact, "low": exact, "high": exact, "items": 1 << 30}
        found.append((level.get("legal", chance), "chance"))
    found += [(share, name) for name, share in shortcuts.items()]
    return max(found, key=lambda one: one[0]["value"])


def _test_excess(won: FloorStudy, published: ShareRecord) -> float:
    """Return the p-value of a share no greater than the published one (pooled two-sample z)."""
    counts, above = (won.items, published["items"]), won.value - published["value"]
    pooled = (won.value * counts[0] + published["value"] * counts[1]) / sum(counts)
    spread = math.sqrt(pooled * (1 - pooled) * (1 / counts[0] + 1 / counts[1]))
    return 1.0 if above <= 0 else math.erfc(above / spread / math.sqrt(2)) / 2
