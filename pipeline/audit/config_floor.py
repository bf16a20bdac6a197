"""The floor of a config: what the best player scores that never looks at the puzzle.

Two kinds of players are tried. Those of facelet.pipeline.audit.readers read labels, options, words
and what other rows showed. Those of facelet.pipeline.audit.blind play episodes, and whatever has no
labels to choose from, by lists of replies that are tuned on half of the puzzles of a level and
judged on the other half. All are bounded in the number of rows that they see, and deterministic.

A floor is measured over the config and at each of its levels. Rows that show the same, and elements
of one answer, count as one trial: intervals and limits are as wide as if they all depended on each
other. Where a task is measured by the F1 of one label, so are the players. Every player must stay
under the limit that the task declares, chance by default, over all and at each level, plus what
sampling allows; that counts what a learner's hits share, and of how many players one was chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.audit.blind import Hits
from facelet.pipeline.audit.plays import Looked, Played, no_shortcut
from facelet.pipeline.audit.tried import Player, Tried, chosen
from facelet.pipeline.dataset.chances import share
from facelet.pipeline.dataset.floors import (
    Declared,
    Level,
    Record,
    Share,
    Shortcut,
    Studied,
)
from facelet.pipeline.families import AnyTask
from facelet.pipeline.scoring.counting.statistics import wilson


@dataclass(frozen=True, slots=True)
class Floor:
    """The floor of a config.

    Attributes:
        record: it, for the manifest; see facelet.pipeline.dataset.floors.
        violations: what is wrong with it, a line each.
        players: number of figures that have a limit: of players over all, and at each level.
    """

    record: Record
    violations: tuple[str, ...]
    players: int


def floor(
    config: str,
    task: AnyTask,
    readers: Sequence[Tried],
    played: Sequence[Played],
    declared: Declared | None,
    *,
    budget: float,
) -> Floor | None:
    """Return the floor of one config; None where no player could be tried.

    Args:
        config: its name.
        task: the task that made it.
        readers: what the players got right that read its rows.
        played: what was won at each level, in order of difficulty.
        declared: what is declared of guessing; None if nobody knows, then nothing is too much.
        budget: probability of a false alarm that it may spend.
    """
    known = declared or Declared(limit=1.0, reason="not known")
    pooled = _pooled([one.blind for one in played])
    players = [one.player() for one in readers] + pooled
    if not players:
        return None
    levels = {one.cell: _level(one, readers, known) for one in played}
    tried = [(config, player, known, _legal(played)) for player in players]
    studied = []
    for one in played:
        mine = [player for r in readers if (player := r.at(one.cell)) is not None]
        mine += _pooled([one.blind])
        of_level, where = known.at(one.cell), f"{config} {one.cell}"
        if len(played) > 1:
            legal = None if one.legal is None else one.legal.won / one.legal.of
            tried += [(where, player, of_level, legal) for player in mine]
        if (study := of_level.studied) is not None:
            # What rows can be remembered by hangs on how many there are, not on the task.
            lasting = [player for player in mine if not player.name.startswith("memory")]
            studied += [(where, player, of_level, study) for player in lasting]
    alpha = budget / (len(tried) + len(studied))
    violations = [
        line
        for where, player, limit, legal in tried
        if (line := _violation(where, player, limit, legal, alpha, task.name))
    ]
    violations += [
        line
        for where, player, limit, study in studied
        if (line := _unstudied(where, player, study, limit, alpha, task.name))
    ]
    best = max(players, key=lambda player: player.value)
    limit, reason = _allowed(known, _legal(played))
    overall = _share(best.value, best.trials)
    record: Record = {
        "value": overall["value"],
        "low": overall["low"],
        "high": overall["high"],
        "items": overall["items"],
        "of": known.of,
        "player": best.name,
        "limit": round(best.bound(alpha, limit), 6),
        "declared": round(limit, 6),
        "reason": reason,
        "players": {player.name: round(player.value, 6) for player in players},
        "levels": {cell: level for cell, level in levels.items() if level is not None},
    }
    if shortcuts := _shortcuts(played):
        record["shortcuts"] = shortcuts
    else:
        record["no_shortcut"] = no_shortcut(task)
    if best.kappa is not None:
        record["kappa"] = round(best.kappa, 6)
    return Floor(record, tuple(_worst(violations)), len(tried) + len(studied))


def _level(one: Played, readers: Sequence[Tried], declared: Declared) -> Level | None:
    """Return the floor of a level; None if no player was tried there."""
    found = _pooled([one.blind])
    if (reader := chosen(readers, one.cell)) is not None:
        found.append(reader)
    if not found:
        return None
    best = max(found, key=lambda player: player.value)
    own = declared.at(one.cell)
    limit, reason = _allowed(own, None if one.legal is None else one.legal.won / one.legal.of)
    here = _share(best.value, best.trials)
    level: Level = {
        "value": here["value"],
        "low": here["low"],
        "high": here["high"],
        "items": here["items"],
        "player": best.name,
        "chance": own.chance,
        "difficulty": one.difficulty,
        "declared": round(limit, 6),
        "reason": reason,
    }
    if own.studied is not None and own.studied.value > best.value:
        level["value"], level["low"] = own.studied.value, own.studied.low
        level["high"], level["items"] = own.studied.high, own.studied.items
        level["player"], level["studied"] = own.studied.player, True
    if one.legal is not None:
        level["legal"] = _won([one.legal])
        level["chance"] = level["legal"]["value"]
    return level


def _pooled(levels: Iterable[Mapping[str, Hits]]) -> list[Player]:
    """Return what each kind of blind player won over some levels; each was tuned on its own."""
    found: dict[str, Hits] = {}
    for level in levels:
        for name, hits in level.items():
            known = found.get(name, Hits(0, 0))
            found[name] = Hits(
                known.hits + hits.hits, known.plays + hits.plays, max(known.tried, hits.tried)
            )
    return [
        Player(name, hits.hits / hits.plays, hits.plays, tried=hits.tried)
        for name, hits in found.items()
    ]


def _legal(played: Sequence[Played]) -> float | None:
    """Return what any legal moves win over all levels; None unless it was tried at each."""
    tried = [one.legal for one in played if one.legal is not None]
    return _won(tried)["value"] if tried and len(tried) == len(played) else None


def _allowed(declared: Declared, legal: float | None) -> tuple[float, str]:
    """Return what blind players may score, before sampling, and why.

    Args:
        declared: what is declared.
        legal: what any legal moves win, where nothing else is chance.
    """
    limit, reason = declared.allowed()
    if declared.limit is None and declared.chance is None and legal is not None and legal > limit:
        return legal, "what any legal moves win"
    return limit, reason


def _violation(
    where: str, player: Player, declared: Declared, legal: float | None, alpha: float, task: str
) -> tuple[float, str] | None:
    """Return by how much a player is beyond what is allowed, and a line about it; None if not."""
    limit, reason = _allowed(declared, legal)
    bound = player.bound(alpha, limit)
    if player.value <= bound:
        return None
    low, high = wilson(player.value * player.trials, player.trials)
    return player.value - bound, (
        f"{where}: a player that never looks at the puzzle ({player.name}) gets "
        f"{share(player.value, declared.of)} ({low:.1%} to {high:.1%}), allowed {bound:.1%} "
        f"({limit:.1%}, {reason}, and what sampling adds); mend {task}, or declare what it may be "
        "and why in its `blind_limit`"
    )


def _unstudied(
    where: str, player: Player, study: Studied, declared: Declared, alpha: float, task: str
) -> tuple[float, str] | None:
    """Return by how much a player beats what a study recorded, and a line about it; None if not."""
    # A player that a study found to be below chance may still win as much as chance.
    limit = max(study.high, declared.chance or 0.0)
    bound = player.bound(alpha, limit)
    if player.value <= bound:
        return None
    return player.value - bound, (
        f"{where}: {player.name} gets {share(player.value, declared.of)} without looking at the "
        f"puzzle, and the study of it found {study.value:.1%} ({study.player}) and allows "
        f"{bound:.1%}; study it again: make floors TASK={task}"
    )


def _worst(found: Sequence[tuple[float, str]]) -> list[str]:
    """Return the line of what is furthest beyond its limit, for each place."""
    by: dict[str, tuple[float, str]] = {}
    for much, line in found:
        place = line.partition(":")[0]
        by[place] = max(by.get(place, (much, line)), (much, line))
    return [line for _, line in by.values()]


def _shortcuts(played: Sequence[Played]) -> dict[str, Shortcut]:
    """Return what the players won that look at a part, over all and by level."""
    names = dict.fromkeys(name for one in played for name in one.looked)
    return {
        name: {
            **_won([one.looked[name] for one in played if name in one.looked]),
            "looks_at": next(o.looked[name].looks_at for o in played if name in o.looked),
            "levels": {one.cell: _won([one.looked[name]]) for one in played if name in one.looked},
        }
        for name in names
    }


def _won(parts: Sequence[Looked]) -> Share:
    """Return the share that a player won over some levels."""
    whole = sum(one.of for one in parts)
    # Nothing counts where neither a gold nor an answer has the label whose F1 is measured.
    value = sum(one.won for one in parts) / whole if whole else 0.0
    return _share(value, sum(one.plays for one in parts))


def _share(value: float, trials: int) -> Share:
    low, high = wilson(value * trials, trials)
    return {"value": round(value, 6), "low": round(low, 6), "high": round(high, 6), "items": trials}
