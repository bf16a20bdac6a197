"""Record and format the chance level of a config, and its floor: the best blind player's score.

A chance record is {"value", "of", "kind"}: the share that guessing scores, of what it is a share,
and how it is known: "exact", "mean" (of shares that differ between rows or difficulties), or
"simulated", which adds "low", "high" (95%) and "plays".

A floor record is {"value", "low", "high", "of", "player", "items", "limit", "declared", "reason",
"players"}: the share that the best of the players that never look at the puzzle got right, its 95%
interval, of what it is a share (of the same as chance), which player it was, and of how many
puzzles; the greatest share at which the build is not refused, the share from which this follows,
and why; and the shares of all players. Where answers have classes, "kappa" is Cohen's kappa of the
best player. "levels" has the same for each level, by the label of its difficulty, with the chance
there.

"shortcuts" has the shares that players win that look at a part of the puzzle, by their names, or
"no_shortcut" the reason why there are none. "curve" has the shortcuts that are points of a curve
over how much is seen: they are shown and are no baselines, since the last points see nearly
everything. "known_rule" is the rule that solves all levels of a game alike. Where no chance is
declared, that of a level is what any legal moves win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NotRequired, TypedDict, cast

from facelet.generators.core.chance_level import Chance, ExactChance, SimulatedChance
from facelet.generators.core.measures import F1_UNIT
from facelet.pipeline.family_modules import AnyTask


class ChanceRecord(TypedDict):
    """A chance as a manifest has it; see the module."""

    value: float
    of: str
    kind: str
    low: NotRequired[float]
    high: NotRequired[float]
    plays: NotRequired[int]


NOT_STATED = "not stated"
"""What is shown where a task declares no chance."""


def find_chance_column(task: AnyTask) -> str | None:
    """Return the column in which each row says its own chance; None if there is none."""
    return next((column.name for column in task.columns if column.role == "chance"), None)


def build_record(chance: Chance | None, mean: float | None) -> ChanceRecord | None:
    """Return the record of a declared chance.

    Args:
        chance: what the task declares.
        mean: the mean of the rows' own chances; None if they say none.

    Raises:
        ValueError: the rows should say their own chance, and do not.
    """
    if chance is None:
        return None
    if isinstance(chance, ExactChance):
        return {"value": _round_share(chance.value), "of": chance.of, "kind": "exact"}
    if isinstance(chance, SimulatedChance):
        return {
            "value": _round_share(chance.value),
            "of": chance.of,
            "kind": "simulated",
            "low": _round_share(chance.low),
            "high": _round_share(chance.high),
            "plays": chance.plays,
        }
    if mean is None:
        raise ValueError('no row contains its chance; give a column the role "chance"')
    return {"value": _round_share(mean), "of": chance.of, "kind": "mean"}


def combine_records(parts: Sequence[tuple[ChanceRecord | None, int]]) -> ChanceRecord | None:
    """Return the chance of several difficulties together.

    An interval of simulations is the mean of theirs, which is never narrower than it may be.

    Args:
        parts: the record and the number of rows of each difficulty.

    Returns:
        The mean over rows; None if one is not stated, or if they are shares of different things.
    """
    found = [(part, rows) for part, rows in parts if rows]
    records = [part for part, _ in found if part is not None]
    if len(records) < len(found) or len({part["of"] for part in records}) != 1:
        return None
    if all(part == records[0] for part in records):
        return records[0].copy()
    total = sum(rows for _, rows in found)

    def compute_weighted_mean(name: Literal["value", "low", "high"]) -> float:
        shares = zip(records, found, strict=True)
        return _round_share(
            sum(part.get(name, part["value"]) * n for part, (_, n) in shares) / total
        )

    whole: ChanceRecord = {
        "value": compute_weighted_mean("value"),
        "of": records[0]["of"],
        "kind": "mean",
    }
    if plays := sum(part.get("plays", 0) for part in records):
        whole["kind"] = "simulated"
        whole["low"], whole["high"], whole["plays"] = (
            compute_weighted_mean("low"),
            compute_weighted_mean("high"),
            plays,
        )
    return whole


def _round_share(value: float) -> float:
    """Return a number with nine digits: the same in every order of adding up."""
    return float(f"{value:.9g}")


def format_share(value: float, of: str) -> str:
    """Return a share as people read it: "25.0% of answers"; of a score, "F1 of yes 5.9%"."""
    return f"{of} {value:.1%}" if of.startswith(F1_UNIT) else f"{value:.1%} of {of}"


def format_chance(chance: ChanceRecord | None) -> str:
    """Return a chance as people read it: "25.0% of answers", "1 in 3,930,000 answers"."""
    if chance is None:
        return NOT_STATED
    value, of = chance["value"], chance["of"]
    text = (
        f"1 in {float(f'{1 / value:.3g}'):,.0f} {of}"
        if 0 < value < 0.001
        else format_share(value, of)
    )
    if "plays" in chance:
        ends = f"{chance['low']:.2%} to {chance['high']:.2%}"
        text += f" ({ends} in {chance['plays']:,} plays)"
    return text


def parse_chance(part: object) -> ChanceRecord | None:
    """Return the chance that a split's part of a manifest states, if it is a record of one.

    Args:
        part: any JSON value; a manifest may be damaged, or older than this record.
    """
    found = part.get("chance") if isinstance(part, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("of"), str):
        return None
    numbers = [found.get("value"), *(found[name] for name in ("low", "high") if name in found)]
    if not all(isinstance(x, int | float) and 0 <= x <= 1 for x in numbers):
        return None
    simulated = {"low", "high", "plays"} & found.keys()
    if simulated and not (len(simulated) == 3 and isinstance(found["plays"], int)):
        return None
    return cast(ChanceRecord, found)


class ShareRecord(TypedDict):
    """What a player won: a share, its 95% interval, and of how many independent puzzles."""

    value: float
    low: float
    high: float
    items: int


class LevelFloor(ShareRecord):
    """The floor of one level of difficulty.

    `difficulty` is its place on the axis. `chance` is a share of the same; None where nobody knows
    it. `legal` is what any legal moves
    won, where that is chance. `studied` is whether the value is that of a recorded study, which is
    then greater than what the build's own audit found. `declared` and `reason` are the most that
    was allowed before sampling, and why.
    """

    player: str
    chance: float | None
    difficulty: int
    legal: NotRequired[ShareRecord]
    studied: NotRequired[bool]
    declared: NotRequired[float]
    reason: NotRequired[str]


class ShortcutRecord(ShareRecord):
    """What a player wins that looks at a part of the puzzle, or does a part of what is asked.

    `looks_at` is that part in words, `levels` the same by level.
    """

    looks_at: str
    levels: dict[str, ShareRecord]


class FloorRecord(TypedDict):
    """A floor as a manifest has it; see the module. Older manifests have less."""

    value: float
    low: float
    high: float
    of: str
    player: str
    items: NotRequired[int]
    limit: NotRequired[float]
    declared: NotRequired[float]
    reason: NotRequired[str]
    players: NotRequired[dict[str, float]]
    kappa: NotRequired[float]
    levels: NotRequired[dict[str, LevelFloor]]
    shortcuts: NotRequired[dict[str, ShortcutRecord]]
    no_shortcut: NotRequired[str]
    known_rule: NotRequired[str]
    curve: NotRequired[dict[str, int]]


COMMONEST = "commonest answer"
"""The player that gives the commonest right answer to all rows."""


def of_commonest(golds: Mapping[int, Sequence[str]]) -> FloorRecord:
    """Return the floor of whole answers that the commonest right answer wins.

    It is exact for these rows, so its interval is a point.

    Args:
        golds: the right answers of the rows of each level.
    """
    levels = {str(level): _commonest(own, level) for level, own in golds.items()}
    one = _commonest([gold for own in golds.values() for gold in own])
    return {
        "value": one["value"],
        "low": one["low"],
        "high": one["high"],
        "of": "answers",
        "player": one["player"],
        "items": one["items"],
        "levels": levels,
    }


def _commonest(golds: Sequence[str], difficulty: int = 0) -> LevelFloor:
    items = len(golds)
    value = max(Counter(golds).values(), default=0) / max(1, items)
    return {
        "value": value,
        "low": value,
        "high": value,
        "items": items,
        "player": COMMONEST,
        "chance": None,
        "difficulty": difficulty,
    }


NOT_MEASURED = "not measured"
"""What is shown where a manifest has no floor."""


UNSTATED = 0.1
"""What a blind player may score where a task states neither chance nor limit."""


@dataclass(frozen=True, slots=True)
class StudiedFloor:
    """What a study found at a level: the share, with its player (`floor_studies`).

    Attributes:
        value: the share that the best player won.
        low: lower end of its 95% interval.
        high: upper end of it.
        items: of how many puzzles.
        player: who it was.
        shortcuts: what players won that read a part, by name, each with that part in words.
    """

    value: float
    low: float
    high: float
    items: int
    player: str
    shortcuts: Mapping[str, tuple[str, ShareRecord]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeclaredFloor:
    """What the tasks of a config declare of guessing.

    Attributes:
        chance: the chance level, over all its rows, 0 to 1; None where it is not stated.
        of: what it is a share of.
        limit: what blind players may score; None for chance.
        reason: why that may be more.
        repeats: why items may be equal; "" where they may not.
        levels: the same of each level, by its label; one that is not named declares what the whole
            does.
        studied: of a level, what a recorded study found that somebody wins who never looks.
        known_rule: the rule that solves all levels of a game alike; "" if none is known.
    """

    chance: float | None = None
    of: str = "answers"
    limit: float | None = None
    reason: str = ""
    repeats: str = ""
    levels: Mapping[str, DeclaredFloor] = field(default_factory=dict)
    studied: StudiedFloor | None = None
    known_rule: str = ""

    def find_allowed_share(self) -> tuple[float, str]:
        """Return what blind players may score, before sampling, and why."""
        if self.limit is not None:
            return self.limit, self.reason
        if self.chance is not None:
            return self.chance, "chance"
        return UNSTATED, "neither chance nor limit is stated"

    def at_level(self, level: str) -> DeclaredFloor:
        """Return what is declared of one level, by its label."""
        return self.levels.get(level, self)


def guess_share(floor: FloorRecord | None, difficulty: int, chance: float | None) -> float:
    """Return what is won at a level without looking, as a share of whole answers; 0 if unknown.

    That is chance, or the floor where it is more than chance by more than luck.

    Args:
        floor: the config's floor.
        difficulty: the level, by its place on the axis.
        chance: chance over the whole config, if it is a share of whole answers.
    """
    if floor is None or floor["of"] != "answers":
        return chance or 0.0
    levels = [one for one in floor.get("levels", {}).values() if one["difficulty"] == difficulty]
    if not levels:
        return max(chance or 0.0, floor["value"] if floor["low"] > (chance or 0.0) else 0.0)
    return max(chance_or_floor(one, chance) for one in levels)


def chance_or_floor(level: LevelFloor, chance: float | None = None) -> float:
    """Return the greater of a level's chance and of its floor, if that is more than luck."""
    known = level["chance"] if level["chance"] is not None else chance or 0.0
    return max(known, level["value"] if level["low"] > known else 0.0)


def format_floor(floor: FloorRecord | None) -> str:
    """Return a floor as people read it: "58.9% of labels (57.1% to 60.7%, relations)"."""
    if floor is None:
        return NOT_MEASURED
    kappa = f"; kappa {floor['kappa']:.3f}" if "kappa" in floor else ""
    ends = f"{floor['low']:.1%} to {floor['high']:.1%}"
    return f"{format_share(floor['value'], floor['of'])} ({ends}, {floor['player']}{kappa})"


def format_share_interval(found: ShareRecord) -> str:
    """Return a share with its interval, as tables have it: "58.9% (57.1% to 60.7%)"."""
    return f"{found['value']:.1%} ({found['low']:.1%} to {found['high']:.1%})"


def list_levels(floor: FloorRecord) -> list[tuple[str, LevelFloor, dict[str, ShareRecord]]]:
    """Return the label of each level in order of difficulty, its floor, and its shortcuts."""
    shortcuts = floor.get("shortcuts", {})
    levels = sorted(
        floor.get("levels", {}).items(), key=lambda pair: (pair[1]["difficulty"], pair[0])
    )
    return [
        (
            label,
            level,
            {n: s["levels"][label] for n, s in shortcuts.items() if label in s["levels"]},
        )
        for label, level in levels
    ]


OBVIOUS_RULE = "rule"
"""The shortcut that follows the obvious rule of a game."""
STUDIED_SHORTCUTS = {
    "prompt": "the first prompt alone, by a list of commands for all puzzles that show it",
    "last_reply": "the last reply alone, by a table from replies to commands",
    OBVIOUS_RULE: "the rule: {rule}",
}
"""Shortcuts that studies of games record, and what they look at."""
KNOWN_RULE_SHARE = 0.5
"""What an obvious rule wins at least, from level 3 on, of a game that it solves at all levels."""
OPEN_LOOP = "open_loop"
"""The shortcut that hears no answer: it plans by the first prompt and says what it planned."""
TRACKING_THRESHOLD = 0.9
"""What a player wins of a config whose options a part of the puzzle decides."""
PLANNING_THRESHOLD = 0.5
"""What it wins of a config that measures planning: as much as not, whatever is answered."""


def planning_note(floor: FloorRecord | None) -> str:
    """Return a sentence that a config measures planning; "" where answers are needed."""
    found = {} if floor is None else floor.get("shortcuts", {})
    won = found[OPEN_LOOP]["value"] if OPEN_LOOP in found else 0.0
    if won < PLANNING_THRESHOLD:
        return ""
    return f"This measures planning: {won:.1%} is won by a player that hears no answer."


def known_rule_note(floor: FloorRecord | None) -> str:
    """Return a sentence that a known rule solves a game at all levels; "" if none does."""
    rule = "" if floor is None else floor.get("known_rule", "")
    return f"Solved by a known rule, so its levels are no difficulty: {rule}." if rule else ""


def tracking_note(floor: FloorRecord | None) -> str:
    """Return a sentence on how little has to be followed; "" where no amount is enough."""
    found = {} if floor is None else floor.get("shortcuts", {})
    amounts = {} if floor is None else floor.get("curve", {})
    enough = [n for n in amounts if n in found and found[n]["value"] >= TRACKING_THRESHOLD]
    if not enough:
        return ""
    least = found[min(enough, key=amounts.__getitem__)]
    return (
        f"Little is enough: {least['value']:.1%} is won with {least['looks_at']}. Take harder "
        "levels or written answers as the headline."
    )


def floor_notes(floor: FloorRecord | None) -> str:
    """Return the sentences on what else a config measures than its task; "" for none."""
    return " ".join(
        filter(None, (planning_note(floor), known_rule_note(floor), tracking_note(floor)))
    )


def list_baseline_shortcuts(floor: FloorRecord) -> dict[str, ShortcutRecord]:
    """Return the shortcuts that models are compared with."""
    shortcuts, points = floor.get("shortcuts", {}), floor.get("curve", {})
    return {name: one for name, one in shortcuts.items() if name not in points}


MAX_LEVEL_ROWS = 8
"""Most levels that a table for people has; of more, so many are spread over them."""


def best_shortcut(floor: FloorRecord | None) -> str:
    """Return what the best shortcut wins: "92.0% (centres)"; "-" where there is none."""
    found = {} if floor is None else list_baseline_shortcuts(floor)
    if not found:
        return "-"
    name = max(found, key=lambda name: found[name]["value"])
    return f"{found[name]['value']:.1%} ({name})"


def level_rows(floor: FloorRecord, most: int = MAX_LEVEL_ROWS) -> tuple[list[dict[str, str]], int]:
    """Return levels for a table, as words by column, and how many were left out.

    Args:
        floor: a config's floor.
        most: most rows; the first and the last level are always there.
    """
    levels = list_levels(floor)
    steps = max(1, most - 1)
    places = sorted({round(k * (len(levels) - 1) / steps) for k in range(steps + 1)})
    rows = [
        {
            "level": label,
            "chance": "-" if level["chance"] is None else f"{level['chance']:.1%}",
            "floor": f"{format_share_interval(level)} {level['player']}",
            **{name: f"{found['value']:.1%}" for name, found in shortcuts.items()},
        }
        for label, level, shortcuts in (levels[place] for place in places if levels)
    ]
    return rows, len(levels) - len(rows)


def parse_floor(config: object) -> FloorRecord | None:
    """Return the floor that a config's part of a manifest states, if it is a record of one.

    Levels and shortcuts that are damaged are left out.

    Args:
        config: any JSON value; a manifest may be damaged, or older than this record.
    """
    found = config.get("floor") if isinstance(config, dict) else None
    if not isinstance(found, dict):
        return None
    kappa = found.get("kappa", 0.0)
    fits = (
        _is_share(found, counted=False)
        and all(isinstance(found.get(name), str) for name in ("of", "player"))
        and isinstance(kappa, int | float)
        and isinstance(found.get("declared", 0.0), int | float)
        and isinstance(found.get("no_shortcut", ""), str)
        and isinstance(found.get("known_rule", ""), str)
        and -1 <= kappa <= 1
    )
    if not fits:
        return None
    parts = {"levels": _is_level, "shortcuts": _is_shortcut, "curve": _is_count}
    kept: dict[str, object] = {}
    for name, inside in found.items():  # in their order, as a manifest is written again as it was
        if name not in parts:
            kept[name] = inside
        elif isinstance(inside, dict):
            kept[name] = {key: value for key, value in inside.items() if parts[name](value)}
    return cast(FloorRecord, kept)


def _is_share(found: object, *, counted: bool = True) -> bool:
    if not isinstance(found, dict):
        return False
    shares = [found.get(name) for name in ("value", "low", "high")]
    return all(isinstance(one, int | float) and 0 <= one <= 1 for one in shares) and (
        not counted or isinstance(found.get("items"), int)
    )


def _is_level(found: object) -> bool:
    if not isinstance(found, dict) or not _is_share(found):
        return False
    chance = found.get("chance")
    return (
        isinstance(found.get("player"), str)
        and isinstance(found.get("difficulty"), int)
        and (chance is None or (isinstance(chance, int | float) and 0 <= chance <= 1))
        and isinstance(found.get("declared", 0.0), int | float)
        and isinstance(found.get("reason", ""), str)
        and ("legal" not in found or _is_share(found["legal"]))
    )


def _is_count(found: object) -> bool:
    return isinstance(found, int)


def _is_shortcut(found: object) -> bool:
    if not isinstance(found, dict) or not _is_share(found):
        return False
    levels = found.get("levels")
    looks_at = isinstance(found.get("looks_at"), str)
    return looks_at and isinstance(levels, dict) and all(map(_is_share, levels.values()))
