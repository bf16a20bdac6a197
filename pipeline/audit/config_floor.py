"""Compute the floor of a config: the best score of a player that never looks at the puzzle.

Row-reading players (facelet.pipeline.audit.row_reading_players) use labels, options, words and
other rows. Blind players of episodes (facelet.pipeline.audit.blind_episode_players) send lists of
replies that are tuned on one half of a level's puzzles and judged on the other. All are
deterministic and bounded in the number of rows that they use.

A floor is measured over the config and at each level. Rows with equal displays, and elements of one
answer, count as one trial, so intervals and limits are as wide as if they were fully dependent.
Where a task measures the F1 of one label, so do the players. Every player must stay below the limit
that the task declares (chance by default), over all and at each level, plus a sampling allowance
that accounts for clustered hits and for choosing the best of several players.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from facelet.pipeline.audit.baseline_players import load_family_players
from facelet.pipeline.audit.blind_episode_players import PlayCounts
from facelet.pipeline.audit.level_plays import LevelPlays, LookResult
from facelet.pipeline.audit.player_results import PlayerResult, PlayerShare, cross_chosen_share
from facelet.pipeline.audit.prompt_fields import FIELD_PLAYER, ONE_FIELD
from facelet.pipeline.dataset.floor_record import (
    DeclaredFloor,
    FloorRecord,
    LevelFloor,
    ShareRecord,
    ShortcutRecord,
    StudiedFloor,
    format_share,
)
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.scoring.aggregate.statistics import wilson_interval


@dataclass(frozen=True, slots=True)
class ConfigFloor:
    """The floor of a config.

    Attributes:
        record: the floor for the manifest; see facelet.pipeline.dataset.floor_record.
        violations: its violations, a line each.
        players: number of limited figures: of players over all, and at each level.
    """

    record: FloorRecord
    violations: tuple[str, ...]
    players: int


def measure_floor(
    config: str,
    task: AnyTask,
    readers: Sequence[PlayerResult],
    played: Sequence[LevelPlays],
    declared: DeclaredFloor | None,
    *,
    budget: float,
    fields: Sequence[PlayerResult] = (),
) -> ConfigFloor | None:
    """Return the floor of one config; None where no player could play.

    Args:
        config: its name.
        task: the task that made it.
        readers: results of row-reading players.
        played: the plays of each level, in order of difficulty.
        declared: the declaration about guessing; None if unknown, then there is no limit.
        budget: false-alarm probability that it may spend.
        fields: results of readers of one field of the prompt, which are a shortcut.
    """
    known = declared or DeclaredFloor(limit=1.0, reason="not known")
    pooled = _pool_players([one.blind_players for one in played])
    players = [one.overall_share() for one in readers] + pooled
    if not players:
        return None
    levels = {one.cell: _build_level(one, readers, known) for one in played}
    tried = [(config, player, known, _legal_move_share(played)) for player in players]
    studied = []
    for one in played:
        mine = [player for r in readers if (player := r.level_share(one.cell)) is not None]
        mine += _pool_players([one.blind_players])
        of_level, where = known.at_level(one.cell), f"{config} {one.cell}"
        if len(played) > 1:
            legal = None if one.legal is None else one.legal.won / one.legal.possible
            tried += [(where, player, of_level, legal) for player in mine]
        if (study := of_level.studied) is not None:
            # Memorizing depends on the number of rows, not on the task.
            lasting = [player for player in mine if not player.name.startswith("memory")]
            studied += [(where, player, of_level, study) for player in lasting]
    alpha = budget / (len(tried) + len(studied))
    violations = [
        line
        for where, player, limit, legal in tried
        if (line := _find_violation(where, player, limit, legal, alpha, task.name))
    ]
    violations += [
        line
        for where, player, limit, study in studied
        if (line := _find_study_excess(where, player, study, limit, alpha, task.name))
    ]
    best = max(players, key=lambda player: player.value)
    limit, reason = _find_allowed_share(known, _legal_move_share(played))
    greatest = max(
        [best, *_share_of_legal([one.legal for one in played]), *_mean_of_studied(levels)],
        key=lambda player: player.value,
    )
    overall = build_share(greatest.value, greatest.trials)
    record: FloorRecord = {
        "value": overall["value"],
        "low": overall["low"],
        "high": overall["high"],
        "items": overall["items"],
        "of": known.of,
        "player": greatest.name,
        "limit": round(best.luck_bound(alpha, limit), 6),
        "declared": round(limit, 6),
        "reason": reason,
        "players": {player.name: round(player.value, 6) for player in players},
        "levels": {cell: level for cell, level in levels.items() if level is not None},
    }
    studies = {one.cell: known.at_level(one.cell) for one in played}
    shortcuts = _build_shortcuts(played) | _build_studied_shortcuts(studies)
    if shortcuts := shortcuts | _build_field_shortcut(fields, levels):
        record["shortcuts"] = shortcuts
        looks = [look for one in played for look in one.shortcuts.items()]
        if curve := {name: look.amount for name, look in looks if look.amount}:
            record["curve"] = curve
    else:
        record["no_shortcut"] = load_family_players(task).no_shortcut(task)
    if rule := next((one.known_rule for one in studies.values() if one.known_rule), ""):
        record["known_rule"] = rule
    if best.kappa is not None:
        record["kappa"] = round(best.kappa, 6)
    return ConfigFloor(record, tuple(_worst_lines(violations)), len(tried) + len(studied))


def _build_level(
    one: LevelPlays, readers: Sequence[PlayerResult], declared: DeclaredFloor
) -> LevelFloor | None:
    """Return the floor of a level; None if no player played there."""
    found = _pool_players([one.blind_players])
    if (reader := cross_chosen_share(readers, one.cell)) is not None:
        found.append(reader)
    if not found:
        return None
    best = max([*found, *_share_of_legal([one.legal])], key=lambda player: player.value)
    own = declared.at_level(one.cell)
    limit, reason = _find_allowed_share(
        own, None if one.legal is None else one.legal.won / one.legal.possible
    )
    here = build_share(best.value, best.trials)
    level: LevelFloor = {
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
        level["legal"] = _pool_looks([one.legal])
        level["chance"] = level["legal"]["value"]
    return level


def _pool_players(levels: Iterable[Mapping[str, PlayCounts]]) -> list[PlayerShare]:
    """Return the results of each kind of blind player over levels; each was tuned separately."""
    found: dict[str, PlayCounts] = {}
    for level in levels:
        for name, hits in level.items():
            known = found.get(name, PlayCounts(0, 0))
            found[name] = PlayCounts(
                known.hits + hits.hits,
                known.plays + hits.plays,
                max(known.player_count, hits.player_count),
            )
    return [
        PlayerShare(name, hits.hits / hits.plays, hits.plays, player_count=hits.player_count)
        for name, hits in found.items()
    ]


def _share_of_legal(levels: Sequence[LookResult | None]) -> list[PlayerShare]:
    """Return what any legal command wins over some levels, where it was played at all of them."""
    parts = [one for one in levels if one is not None]
    if not parts or len(parts) < len(levels):
        return []
    pooled = _pool_looks(parts)
    return [PlayerShare("legal", pooled["value"], pooled["items"])]


def _mean_of_studied(levels: Mapping[str, LevelFloor | None]) -> list[PlayerShare]:
    """Return the mean floor of levels, if a study raised one of them."""
    parts = [one for one in levels.values() if one is not None]
    if not any(one.get("studied") for one in parts):
        return []
    mean = sum(one["value"] for one in parts) / len(parts)
    return [PlayerShare("best of each level", mean, sum(one["items"] for one in parts))]


def _build_studied_shortcuts(levels: Mapping[str, DeclaredFloor]) -> dict[str, ShortcutRecord]:
    """Return the results of partial-view players of recorded studies, over all and by level."""
    found: dict[str, ShortcutRecord] = {}
    for cell, declared in levels.items():
        own = {} if declared.studied is None else declared.studied.shortcuts
        for name, (looks_at, share) in own.items():
            shares = {**(found[name]["levels"] if name in found else {}), cell: share}
            items = sum(one["items"] for one in shares.values())
            mean = sum(one["value"] * one["items"] for one in shares.values()) / items
            found[name] = {**build_share(mean, items), "looks_at": looks_at, "levels": shares}
    return found


def _legal_move_share(played: Sequence[LevelPlays]) -> float | None:
    """Return the win rate of legal moves over all levels; None unless each level has one."""
    tried = [one.legal for one in played if one.legal is not None]
    return _pool_looks(tried)["value"] if tried and len(tried) == len(played) else None


def _find_allowed_share(declared: DeclaredFloor, legal: float | None) -> tuple[float, str]:
    """Return the allowed score of blind players, before sampling, and the reason.

    Args:
        declared: the declaration.
        legal: the win rate of legal moves, where nothing else is chance.
    """
    limit, reason = declared.find_allowed_share()
    if declared.limit is None and declared.chance is None and legal is not None and legal > limit:
        return legal, "what any legal moves win"
    return limit, reason


def _find_violation(
    where: str,
    player: PlayerShare,
    declared: DeclaredFloor,
    legal: float | None,
    alpha: float,
    task: str,
) -> tuple[float, str] | None:
    """Return a player's excess over the allowed score and a line about it; None without excess."""
    limit, reason = _find_allowed_share(declared, legal)
    bound = player.luck_bound(alpha, limit)
    if player.value <= bound:
        return None
    low, high = wilson_interval(player.value * player.trials, player.trials)
    return player.value - bound, (
        f"{where}: a player that never looks at the puzzle ({player.name}) gets "
        f"{format_share(player.value, declared.of)} ({low:.1%} to {high:.1%}), allowed {bound:.1%} "
        f"({limit:.1%}, {reason}, plus sampling); fix {task}, or declare a limit and its reason in "
        "its `blind_limit`"
    )


def _find_study_excess(
    where: str,
    player: PlayerShare,
    study: StudiedFloor,
    declared: DeclaredFloor,
    alpha: float,
    task: str,
) -> tuple[float, str] | None:
    """Return a player's excess over a recorded study and a line about it; None without excess."""
    # A player that a study found to be below chance may still win as much as chance.
    limit = max(study.high, declared.chance or 0.0)
    bound = player.luck_bound(alpha, limit)
    if player.value <= bound:
        return None
    return player.value - bound, (
        f"{where}: {player.name} gets {format_share(player.value, declared.of)} "
        f"without looking at the puzzle; its recorded study found {study.value:.1%} "
        f"({study.player}) and allows {bound:.1%}; repeat the study: make floors TASK={task}"
    )


def _worst_lines(found: Sequence[tuple[float, str]]) -> list[str]:
    """Return the line of the greatest excess, for each config or level."""
    by: dict[str, tuple[float, str]] = {}
    for much, line in found:
        place = line.partition(":")[0]
        by[place] = max(by.get(place, (much, line)), (much, line))
    return [line for _, line in by.values()]


def _build_shortcuts(played: Sequence[LevelPlays]) -> dict[str, ShortcutRecord]:
    """Return the results of partial-view players, over all and by level."""
    names = dict.fromkeys(name for one in played for name in one.shortcuts)
    return {
        name: {
            **_pool_looks([one.shortcuts[name] for one in played if name in one.shortcuts]),
            "looks_at": next(o.shortcuts[name].looks_at for o in played if name in o.shortcuts),
            "levels": {
                one.cell: _pool_looks([one.shortcuts[name]])
                for one in played
                if name in one.shortcuts
            },
        }
        for name in names
    }


def _build_field_shortcut(
    fields: Sequence[PlayerResult], levels: Iterable[str]
) -> dict[str, ShortcutRecord]:
    """Return the results of the best reader of a field, chosen and judged on other puzzles."""
    found = {cell: best for cell in levels if (best := cross_chosen_share(fields, cell))}
    trials = sum(one.trials for one in found.values())
    if not trials:
        return {}
    value = sum(one.value * one.trials for one in found.values()) / trials
    by_level = {cell: build_share(one.value, one.trials) for cell, one in found.items()}
    return {FIELD_PLAYER: {**build_share(value, trials), "looks_at": ONE_FIELD, "levels": by_level}}


def _pool_looks(parts: Sequence[LookResult]) -> ShareRecord:
    """Return a player's share over some levels."""
    whole = sum(one.possible for one in parts)
    # Nothing counts where neither a gold nor an answer has the label whose F1 is measured.
    value = sum(one.won for one in parts) / whole if whole else 0.0
    return build_share(value, sum(one.plays for one in parts))


def build_share(value: float, trials: int) -> ShareRecord:
    """Return a share with its interval."""
    low, high = wilson_interval(value * trials, trials)
    return {"value": round(value, 6), "low": round(low, 6), "high": round(high, 6), "items": trials}
