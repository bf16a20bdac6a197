"""Tune and judge blind players of episodes, whose replies never depend on the puzzle.

    fixed    repeats a list of replies, whatever the answers
    random   draws each reply, or each piece of a long one, from the replies of reference players
    stalling sends unreadable replies, then the option that was offered most (or least) often since
             its last choice, and so on
    copying  repeats the letter that a prompt reveals as the answer

`score_field_player` plays one reference play for each value of one field of the prompt, which may
show the puzzle; see facelet.pipeline.audit.prompt_fields.

A family adds players of its own (`FamilyPlayers.players`): they may know the rules and read what a
prompt reports about the course of a play, such as a move that can be undone.

The list, its length and the number of unreadable replies are tuned on one half of the puzzles and
judged on the other, both ways round. Lists consist of reference replies of the half that they are
tuned on (single replies, whole plays, random series, one list after another), and of the family's
pieces (`FamilyPlayers.pieces`) in series of every length up to the longest. Effort is counted in
replies, not in time, so results are reproducible; seeds come from names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from facelet.generators.core.prompts import Prompt
from facelet.generators.core.seeding import digest_names, make_generator
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.audit.baseline_players import (
    UNREADABLE,
    BlindPolicy,
    FixedScript,
    RandomPlayer,
    RepeatingPlayer,
    ReplyPieces,
    StallingPlayer,
    draw_evenly,
    list_options,
    load_family_players,
    play_replies,
    prompt_text,
    read_revealed_letter,
)
from facelet.pipeline.audit.prompt_fields import FieldPolicy, read_fields, select_fields
from facelet.pipeline.family_modules import AnyTask

ITEMS = 200
"""Most puzzles of a config that are played."""
TUNING_SHARE, JUDGING_SHARE = 500, 3_000
"""Replies of each kind of player on each half, for tuning and judging; a piece of a long reply
counts as its family defines."""
REPLIES = 64
"""Replies of one play; longer ones are stopped."""
LISTS = 16
"""Most lists of a kind that are tried."""
FIRST = 6
"""Puzzles of the first round of tuning."""
_LETTER = re.compile(r"\b[A-Z]\b")


_S = TypeVar("_S", str, tuple[str, ...])


@dataclass(frozen=True, slots=True)
class PlayCase:
    """A puzzle to play.

    Attributes:
        group: key of the base puzzle.
        instance: the puzzle.
        reference: the replies of a player that succeeds.
    """

    group: str
    instance: object
    reference: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayCounts:
    """Wins of a player.

    Attributes:
        hits: plays that it won.
        plays: all its plays.
        player_count: the number of players among which it was chosen.
    """

    hits: int
    plays: int
    player_count: int = 1


def has_several_turns(task: AnyTask, case: PlayCase) -> bool:
    """Return whether a play may take more than one reply."""
    return len(case.reference) > 1 or isinstance(task.open(case.instance).reply(""), Prompt)


def score_blind_players(
    task: AnyTask, cases: Sequence[PlayCase], *, share: float = 1.0, most: int = ITEMS
) -> dict[str, PlayCounts]:
    """Return how many puzzles each kind of blind player wins.

    Args:
        task: their task.
        cases: the puzzles; no two share a base puzzle.
        share: the part of the usual number of replies to spend.
        most: most puzzles to play.
    """
    several = bool(cases) and has_several_turns(task, cases[0])
    family = load_family_players(task)

    def list_kinds(half: Sequence[PlayCase]) -> dict[str, Sequence[BlindPolicy]]:
        instances = [case.instance for case in half]
        made = family.pieces(task, instances)
        kinds: dict[str, Sequence[BlindPolicy]] = {**family.players(task, instances)}
        kinds |= {
            "fixed": _list_fixed_scripts(half, made, several=several),
            "random": _list_random_players(half, made),
        }
        if several:
            kinds["stalling"] = _list_stalling_players(task, half)
            kinds["copying"] = _list_repeating_players(task, half)
        return kinds

    return _score_kinds(task, cases, list_kinds, share, longer=several, most=most)


def score_field_player(
    task: AnyTask, cases: Sequence[PlayCase], *, share: float = 1.0
) -> PlayCounts | None:
    """Return how many puzzles a play tuned for each value of a field of the prompt wins.

    Args:
        task: their task.
        cases: the puzzles; no two share a base puzzle.
        share: the part of the usual number of replies to spend.

    Returns:
        None where no field has values to tune for.
    """
    effort = round(TUNING_SHARE * share)

    def list_kinds(half: Sequence[PlayCase]) -> dict[str, Sequence[BlindPolicy]]:
        return {"fields": _list_field_policies(task, half, effort)}

    return _score_kinds(task, cases, list_kinds, share, longer=False).get("fields")


def _score_kinds(
    task: AnyTask,
    cases: Sequence[PlayCase],
    list_kinds: Callable[[Sequence[PlayCase]], Mapping[str, Sequence[BlindPolicy]]],
    share: float,
    *,
    longer: bool,
    most: int = ITEMS,
) -> dict[str, PlayCounts]:
    """Return the wins of the best policy of each kind, tuned on one half and judged on the other.

    Args:
        task: the task.
        cases: the puzzles.
        list_kinds: from the half that is tuned on to the policies by kind.
        share: the part of the usual number of replies to spend.
        longer: whether lists may be concatenated.
        most: most puzzles to play.
    """
    order = sorted(cases, key=lambda case: digest_names("blind", "half", case.group))[:most]
    halves = (order[::2], order[1::2])
    if not all(halves):
        return {}
    found: dict[str, PlayCounts] = {}
    for half, other in (halves, halves[::-1]):
        for name, policies in list_kinds(half).items():
            if policies:
                best = _tune_policy(
                    task, half, policies, round(TUNING_SHARE * share), longer=longer
                )
                tally = PlayBudget(task, round(JUDGING_SHARE * share))
                hits = tally.count_wins(best, other)
                known = found.get(name, PlayCounts(0, 0))
                # Lists are also tried one after another.
                tried = len(policies) * (2 if longer and name == "fixed" else 1)
                found[name] = PlayCounts(
                    known.hits + hits, known.plays + tally.plays, max(known.player_count, tried)
                )
    return found


@dataclass(slots=True)
class PlayBudget:
    """Plays puzzles while effort is left.

    Attributes:
        task: the task.
        remaining: plain replies that are left.
        plays: plays so far.
    """

    task: AnyTask
    remaining: int
    plays: int = 0

    def count_wins(self, policy: BlindPolicy, cases: Sequence[PlayCase]) -> int:
        """Return how many puzzles a player wins; without effort the last ones are left out."""
        hits = 0
        for number, case in enumerate(cases):
            if number and self.remaining <= 0:
                break
            says = self._count_replies(policy, case.group)
            outcome = play_replies(self.task, case.instance, says, REPLIES)
            hits += outcome.status is Status.CORRECT
            self.plays += 1
        return hits

    def _count_replies(self, policy: BlindPolicy, group: str) -> Callable[[Prompt], str]:
        """Return the function that replies in one play, at the cost of effort."""
        says = policy.begin(group)

        def reply_at_cost(prompt: Prompt) -> str:
            text = says(prompt)
            self.remaining -= 1 if text is UNREADABLE else policy.weight
            return text

        return reply_at_cost


def _list_fixed_scripts(
    half: Sequence[PlayCase], made: ReplyPieces | None, *, several: bool
) -> list[BlindPolicy]:
    """Return the lists to try on a half."""
    replies = Counter(reply for case in half for reply in case.reference)
    lists: dict[Hashable, BlindPolicy] = {}

    def add_script(said: Sequence[str], weight: int = 1) -> None:
        lists.setdefault(tuple(said), FixedScript(tuple(said), weight))

    if made is not None:
        for reply, weight in made.fixed_replies:
            add_script((reply,), made.reply_weight(weight))
        for length in reversed(_list_lengths(made.longest)):
            rng = make_generator("blind", "long", length, 0)
            add_script((made.join(made.draw(length, rng)),), made.reply_weight(length))
    for reply in _most_common_values(replies):
        add_script((reply,))
    if several:
        for play in _most_common_values(Counter(case.reference for case in half)):
            add_script(play)
        for number in range(LISTS):
            rng = make_generator("blind", "series", number)
            add_script(draw_evenly(tuple(sorted(replies)))(REPLIES, rng))
    return list(lists.values())


def _list_random_players(half: Sequence[PlayCase], made: ReplyPieces | None) -> list[BlindPolicy]:
    """Return the random players, by length."""
    known = tuple(sorted({reply for case in half for reply in case.reference}))
    found: list[BlindPolicy] = [RandomPlayer(draw_evenly(known), "".join)]
    if made is not None:
        found += [
            RandomPlayer(made.draw, made.join, length, made.reply_weight(length))
            for length in _list_lengths(made.longest)
        ]
    return found


def _list_field_policies(task: AnyTask, half: Sequence[PlayCase], effort: int) -> list[BlindPolicy]:
    """Return a policy for each field, with the play that solves most puzzles of each value."""
    shown = [read_fields(prompt_text(task.open(case.instance).prompt())) for case in half]
    fields = select_fields(shown)
    found: list[BlindPolicy] = []
    for field in fields:
        by: dict[str, list[PlayCase]] = defaultdict(list)
        for case, values in zip(half, shown, strict=True):
            by[values.get(field, "")].append(case)
        tally = PlayBudget(task, effort // len(fields))
        scripts = {
            value: max(_list_plays(cases), key=lambda play: _count_within(tally, play, cases))
            for value, cases in sorted(by.items())
        }
        found.append(FieldPolicy(field, scripts, _list_plays(half)[0]))
    return found


def _list_plays(cases: Sequence[PlayCase]) -> list[FixedScript]:
    """Return the most common reference plays, one or more."""
    return list(map(FixedScript, _most_common_values(Counter(case.reference for case in cases))))


def _count_within(tally: PlayBudget, play: FixedScript, cases: Sequence[PlayCase]) -> int:
    """Return how many puzzles a play wins, as far as the effort allows; 0 once it is spent."""
    return tally.count_wins(play, cases) if tally.remaining > 0 else 0


def _list_stalling_players(task: AnyTask, half: Sequence[PlayCase]) -> list[BlindPolicy]:
    """Return the stalling players; none where the first prompt lists no options."""
    write = _build_letter_writer(half, list_options(task.open(half[0].instance).prompt()))
    if write is None:
        return []
    return [StallingPlayer(n, most, write) for n in (1, 2, 3) for most in (True, False)]


def _list_repeating_players(task: AnyTask, half: Sequence[PlayCase]) -> list[BlindPolicy]:
    """Return the copying player; none where no prompt reveals a letter."""
    case = half[0]
    episode = task.open(case.instance)
    shown = [first := episode.prompt()]
    for text in case.reference:
        after = episode.reply(text)
        if isinstance(after, Outcome):
            break
        shown.append(after)
    write = _build_letter_writer(half, list_options(first))
    return [RepeatingPlayer(write)] if write and any(map(read_revealed_letter, shown)) else []


def _build_letter_writer(
    half: Sequence[PlayCase], offers: Mapping[str, str]
) -> Callable[[str], str] | None:
    """Return the function that writes a letter as the reference replies do; None without one."""
    for case in half:
        for reply in case.reference:
            found = [m for m in _LETTER.finditer(reply) if m[0] in offers]
            if len(found) == 1:
                before, after = reply[: found[0].start()], reply[found[0].end() :]
                return lambda letter: f"{before}{letter}{after}"
    return None


def _tune_policy(
    task: AnyTask,
    half: Sequence[PlayCase],
    policies: Sequence[BlindPolicy],
    effort: int,
    *,
    longer: bool,
) -> BlindPolicy:
    """Return the policy that wins most puzzles of a half, as far as the effort allows.

    Each is tried on a few puzzles, the best third of them on twice as many, and so on.

    Args:
        task: the task.
        half: the puzzles to tune on.
        policies: the policies to choose from.
        effort: replies to spend.
        longer: whether lists may be concatenated.
    """
    tally, stage, some = PlayBudget(task, effort), list(policies), FIRST
    while True:
        scores = [
            (-tally.count_wins(policy, half[:some]), policy.weight, place)
            for place, policy in enumerate(stage)
            if tally.remaining > 0
        ]
        stage = [stage[place] for *_, place in sorted(scores)] or stage
        if some >= len(half) or tally.remaining <= 0 or len(stage) == 1:
            break
        stage, some = stage[: -(-len(stage) // 3)], some * 2
    best = stage[0]
    if not longer or not isinstance(best, FixedScript):
        return best
    most, part = tally.count_wins(best, half[: 2 * FIRST]), half[: 2 * FIRST]
    for policy in policies:
        if isinstance(policy, FixedScript) and tally.remaining > 0 and len(best.replies) < REPLIES:
            said = (*best.replies, *policy.replies)
            more = FixedScript(said, max(best.weight, policy.weight))
            if (hits := tally.count_wins(more, part)) > most:
                most, best = hits, more
    return best


def _list_lengths(longest: int) -> list[int]:
    """Return 1, 2, 4, and so on up to the longest, and that itself."""
    return sorted({*(1 << power for power in range(longest.bit_length())), longest})


def _most_common_values(count: Counter[_S]) -> list[_S]:
    """Return the LISTS most common values, ties in sorted order."""
    return sorted(count, key=lambda value: (-count[value], value))[:LISTS]
