"""Study a level of a game with five baseline players, on fresh puzzles of two seeds.

    legal       any legal command
    script      one list of commands for all puzzles
    prompt      a list of commands for each first prompt, tuned on puzzles drawn given that prompt
    last_reply  a table from the last reply to the next command
    rule        the obvious rule of the game, where its family has one

The first three read no reply, so the best of them is a floor; but where the first prompt shows
everything, `prompt` plans, and is a shortcut. The others read a part, so they are shortcuts. A list
or a table is tuned on the puzzles of one seed and judged on those of the other, both ways round;
lists of a first prompt are tuned on puzzles that are drawn for it. Commands run on the rules of the
game without an episode. Effort is counted in steps, so results are reproducible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from facelet.generators.core.replies.command import Command
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject
from facelet.generators.core.text_game import Player
from facelet.pipeline import family_modules
from facelet.pipeline.audit.baseline_players import load_family_players, prompt_text
from facelet.pipeline.audit.blind_episode_players import PlayCase, score_blind_players
from facelet.pipeline.audit.config_floor import build_share
from facelet.pipeline.audit.studies.tuned_scripts import mutate_script
from facelet.pipeline.dataset.floor_record import OBVIOUS_RULE
from facelet.pipeline.dataset.floor_studies import FloorStudy

SEEDS = 2
ATTEMPTS = 200
"""Draws of a puzzle before it is left out."""
STEPS_A_REPLY = 10
"""Steps of the rules that cost as much as a reply of an episode."""
AUDIT_SHARE = 0.25
"""The effort of the audit's own players, beside what they spend on a large config."""
LEGAL_PLAYS = 5
"""Plays of any legal command in each puzzle."""
WORLDS, PLANS = 32, 8
"""Most puzzles that a list is tuned on for one prompt, and how many of them give it commands."""
POOL = 48
"""Most commands that a list is made of."""

Script = tuple[Command, ...]
"""A list of commands."""


def study_game(
    task: str, levels: Mapping[str, Mapping[str, Any]], count: int, replies: int
) -> list[FloorStudy]:
    """Return the study of each level of a game.

    Args:
        task: name of the game.
        levels: by label, all params of each level.
        count: puzzles of each seed at each level.
        replies: replies that each player may spend on tuning; a step counts as a tenth.
    """
    game: Any = family_modules.load_task(task)
    return [_study_level(game, label, params, count, replies) for label, params in levels.items()]


def _study_level(
    game: Any, label: str, params: Mapping[str, Any], count: int, replies: int
) -> FloorStudy:
    """Return what the players win at a level.

    The floor is the best of those that read no reply, the audit's own among them.
    """
    rng, steps = make_generator("floors", "game", game.name, label), replies * STEPS_A_REPLY
    halves = [_draw_puzzles(game, game.params(**params), seed, count) for seed in range(SEEDS)]
    puzzles = [puzzle for half in halves for puzzle in half]
    best, rule = (-1.0, Script()), load_family_players(game).obvious_rule(game)
    wins: dict[str, list[float]] = {"script": [], "last_reply": []}
    for half, other in (halves, halves[::-1]):
        script = tune_script(game, half, steps // SEEDS, rng)
        won = [float(game.wins_by(puzzle, script)) for puzzle in other]
        best = max(best, (sum(won), script), key=lambda pair: pair[0])
        wins["script"] += won
        table = tune_reply_table(game, half, steps // SEEDS, rng)
        wins["last_reply"] += [float(_wins_by_table(game, one, table, rng)) for one in other]
    wins["legal"] = [
        sum(game.wins_randomly(puzzle, rng) for _ in range(LEGAL_PLAYS)) / LEGAL_PLAYS
        for puzzle in puzzles
    ]
    wins["prompt"] = _play_prompt_scripts(game, params, puzzles, steps, rng)
    if rule is not None and rule.play is not None:
        wins[OBVIOUS_RULE] = [float(game.wins_by_player(one, rule.play)) for one in puzzles]
    players = {name: build_share(sum(won) / len(won), len(won)) for name, won in wins.items()}
    cases = [PlayCase(game.group_key(one), one, tuple(game.reference(one))) for one in puzzles]
    audited = score_blind_players(game, cases, share=AUDIT_SHARE)
    # Where the first prompt shows everything, a plan made from it has looked at the puzzle.
    blind = ("legal", "script") if game.planning else ("legal", "script", "prompt")
    floors = {name: players[name] for name in blind}
    floors |= {name: build_share(one.hits / one.plays, one.plays) for name, one in audited.items()}
    name = max(floors, key=lambda name: floors[name]["value"])
    return FloorStudy(
        label=label,
        params=params,
        of="answers",
        **floors[name],
        player=name,
        says=tuple(map(game.format_command, best[1])) if name == "script" else (),
        puzzles=len(puzzles),
        replies=replies,
        players=players,
        rule="" if rule is None else rule.words,
    )


def tune_script(game: Any, worlds: Sequence[Any], steps: int, rng: np.random.Generator) -> Script:
    """Return the list of commands that wins most of some puzzles, as far as the search finds it.

    It begins with lists that win one of them, the most frequent last commands, and the list whose
    every command wins most puzzles that are left; then it changes the best one at random places.

    Args:
        game: the game.
        worlds: the puzzles.
        steps: about how many steps it may take.
        rng: the randomness.
    """
    budget = game.turn_budget(worlds[0])
    plays = [tuple(game.reference_plan(world)) for world in worlds[: 2 * PLANS]]
    plays += [tuple(game.shortest_commands(world)) for world in worlds[: 2 * PLANS]]
    ends = Counter(play[-1] for play in plays if play)
    pool = Counter(command for play in plays for command in play)
    known = [command for command, _ in pool.most_common(POOL)]
    first = game.start(worlds[0])
    fill = range(POOL - len(known) // 2)
    known += [game.random_command(worlds[0], first, rng) for _ in fill]
    starts = [*dict.fromkeys(play for play in plays if play)]
    starts += [tuple(command for command, _ in ends.most_common(budget))]
    size, left, best, wins, greedy = len(worlds), steps, starts[-1], -1, True
    while left > 0 and wins < size:
        if starts:
            script = starts.pop(0)
        elif greedy and left > len(known) * size:
            script, greedy = _build_greedy_script(game, worlds, known, steps // 4), False
            left -= steps // 4
        else:
            script = tuple(mutate_script(best, known, budget, rng))
        won, played = _count_wins((game.wins_by(world, script) for world in worlds), size, wins)
        left -= max(1, len(script)) * played
        if won >= wins:
            best, wins = script, won
    return best


def tune_reply_table(
    game: Any, worlds: Sequence[Any], steps: int, rng: np.random.Generator
) -> Mapping[str, Script]:
    """Return a table from the last reply to commands among which the player draws.

    The entry "" is for replies that are not in it. It begins with what the reference player says
    after each reply, and is changed entry by entry.

    Args:
        game: the game.
        worlds: the puzzles to tune on.
        steps: about how many steps it may take.
        rng: the randomness.
    """
    table: dict[str, Script] = {"": ()}
    for world in worlds:
        heard, state = "", game.start(world)
        for number, command in enumerate(game.play_reference(world)[0]):
            for key in {heard, ""}:
                table[key] = (*table.get(key, ()), command)
            state = game.step(world, state, command, game.step_luck(world, number))
            heard = repr(game.observe(world, state))
    known = table[""]
    after: Mapping[str, Script] = table
    commonest = {k: (Counter(v).most_common(1)[0][0],) for k, v in table.items() if v}
    tables: list[Mapping[str, Script]] = [table, commonest, {**commonest, "": known}]
    keys = sorted(table)
    wins, left = -1, steps
    while left > 0 and known:
        if tables:
            after = tables.pop()
        else:
            entry = (known[int(rng.integers(len(known)))],)
            after = {**table, keys[int(rng.integers(len(keys)))]: entry}
        tries = (_wins_by_table(game, world, after, rng) for world in worlds)
        won, played = _count_wins(tries, len(worlds), wins)
        left -= played * game.turn_budget(worlds[0])
        if won >= wins:
            table, wins = dict(after), won
    return table


def _count_wins(tries: Iterable[bool], size: int, least: int) -> tuple[int, int]:
    """Return how many tries win, and how many were made; it stops where `least` is out of reach."""
    wins = number = 0
    for number, won in enumerate(tries, 1):
        wins += won
        if wins + size - number < least:
            break
    return wins, number


def _draw_puzzles(game: Any, params: Any, seed: int, count: int) -> list[Any]:
    """Return fresh puzzles of a seed."""
    found = []
    for index in range(count):
        for attempt in range(ATTEMPTS):
            draw = Draw(("floors", "game", game.name, params.level, seed), index, attempt)
            try:
                found.append(game.generate(params, draw, None)[0])
            except Reject:
                continue
            break
    return found


def _play_prompt_scripts(
    game: Any,
    params: Mapping[str, Any],
    puzzles: Sequence[Any],
    steps: int,
    rng: np.random.Generator,
) -> list[float]:
    """Return whether the list for its first prompt wins each puzzle.

    Where no puzzles can be drawn for a prompt, the list is tuned on puzzles of another seed.
    """
    by_prompt: dict[str, list[Any]] = {}
    for puzzle in puzzles:
        by_prompt.setdefault(prompt_text(game.open(puzzle).prompt()), []).append(puzzle)
    won = []
    for group in by_prompt.values():
        worlds = game.draw_lookalikes(
            group[0], WORLDS if len(group) < PLANS else 3 * WORLDS, rng
        ) or _draw_puzzles(game, game.params(**params), SEEDS, WORLDS)
        script = tune_script(game, worlds, steps * len(group) // len(puzzles), rng)
        won += [float(game.wins_by(puzzle, script)) for puzzle in group]
    return won


def _build_greedy_script(
    game: Any, worlds: Sequence[Any], known: Sequence[Command], steps: int
) -> Script:
    """Return the list whose every command wins most of the puzzles that are not won yet."""
    plays = [(world, game.start(world), 0) for world in worlds]
    script: list[Command] = []
    while len(script) < game.turn_budget(worlds[0]) and plays and steps > 0:
        trials = [(*_step_plays(game, plays, one), one) for one in dict.fromkeys(known)]
        steps -= len(trials) * len(plays)
        _, _, plays, command = max(trials, key=lambda trial: trial[:2])
        script.append(command)
    return tuple(script)


def _step_plays(
    game: Any, plays: Sequence[tuple[Any, Any, int]], command: Command
) -> tuple[int, int, list[tuple[Any, Any, int]]]:
    """Return how many plays a command wins, how many go on, and these after it."""
    won, after = 0, []
    for world, state, number in plays:
        if not game.legal(world, state, command):
            state = game.step(world, state, command, game.step_luck(world, number))
            number += 1
        elif game.illegal.kind == "end":
            continue
        result = game.result(world, state)
        won += result is True
        if result is None:
            after.append((world, state, number))
    return won, len(after), after


def _wins_by_table(
    game: Any, puzzle: Any, table: Mapping[str, Script], rng: np.random.Generator
) -> bool:
    """Return whether a player wins that draws a command by the last reply."""

    def play_table(shown: Any) -> Player:
        heard = ""
        while True:
            options = table.get(heard) or table[""]
            heard = repr((yield options[int(rng.integers(len(options)))]))

    return bool(game.wins_by_player(puzzle, play_table))
