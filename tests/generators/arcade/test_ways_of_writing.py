"""One command, written in a hundred ways: each is read as the plain one, or stays refused.

ways.json holds the ways as templates: {c} is the command, {d} another one, {label} its beginning up
to the colon, {name} that without the colon, {args} what follows. "same" are ways in which models
write what they mean, "refused" ways to speak of a command and not to give it. They are tried on
every form of every game.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from facelet.generators.core import task_registry
from facelet.generators.core.replies.command import Command, read_command
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject, Status
from facelet.pipeline.papers.paper import CommandRule

GAMES = [name for name in task_registry.task_names() if name.startswith("arcade/")]
WAYS = json.loads((Path(__file__).parent / "ways.json").read_text(encoding="utf-8"))
SIGNS = {
    "full-width digits": str.maketrans("0123456789", "".join(chr(0xFF10 + k) for k in range(10))),
    "full-width colon": str.maketrans(":", "\uff1a"),
    "full-width comma": str.maketrans(",", "\uff0c"),
    "minus": str.maketrans("-", "\u2212"),
    "en dash": str.maketrans("-", "\u2013"),
    "hyphen that does not break": str.maketrans("-", "\u2011"),
    "tabs": str.maketrans(" ", "\t"),
    "blanks that do not break": str.maketrans(" ", "\u00a0"),
    "narrow blanks": str.maketrans(" ", "\u202f"),
    "two blanks": str.maketrans({" ": "  "}),
}


@cache
def sample_commands(name: str) -> tuple[Command, ...]:
    """Return two commands of each form of a game, a short and a long one."""
    task: Any = task_registry.load_task(name)
    found: dict[tuple[str, int], Command] = {}
    for index in range(6):
        puzzle = draw_puzzle(task, index)
        if puzzle is None:
            continue
        state, rng = task.start(puzzle), make_generator("ways", name, index)
        for said in task.play_reference(puzzle)[0]:
            found.setdefault((said.form, len(task.format_command(said))), said)
        for turn in range(10):
            if task.result(puzzle, state) is not None:
                break
            said = task.random_command(puzzle, state, rng)
            found.setdefault((said.form, len(task.format_command(said))), said)
            state = task.step(puzzle, state, said, task.step_luck(puzzle, turn))
    forms = sorted({form for form, _ in found})
    assert set(forms) == {form.name for form in task.forms}
    of = {form: [found[key] for key in sorted(found) if key[0] == form] for form in forms}
    return tuple(said for some in of.values() for said in dict.fromkeys((some[0], some[-1])))


def draw_puzzle(task: Any, index: int) -> Any:
    for attempt in range(200):
        try:
            draw = Draw(("ways", task.name), index, attempt)
            return task.generate(task.params(level=1 + index % 3), draw, None)[0]
        except Reject:
            continue
    return None


def rewrite_command(way: str, command: str, other: str) -> str:
    label, _, rest = command.partition(":")
    parts = {"c": command, "d": other, "label": f"{label}:", "name": label, "args": rest.strip()}
    for name, text in parts.items():
        way = way.replace(f"{{{name}}}", text)
    return way


def change_command(name: str, said: Command) -> str:
    task: Any = task_registry.load_task(name)
    others = [task.format_command(one) for one in sample_commands(name) if one != said]
    return others[0] if others else ""


@pytest.mark.parametrize("name", GAMES)
def test_every_way_to_write_a_command_is_read_as_the_plain_one(name: str) -> None:
    task: Any = task_registry.load_task(name)
    for said in sample_commands(name):
        plain = task.format_command(said)
        assert read_command(plain, task.forms).value == said
        for way in WAYS["same"]:
            text = rewrite_command(way, plain, "")
            assert read_command(text, task.forms).value == said, text
        for sign, table in SIGNS.items():
            text = plain.translate(table)
            assert read_command(text, task.forms).value == said, (sign, text)
        assert read_command(plain.replace(": ", ":"), task.forms).value == said
        assert read_command(plain.replace(", ", ","), task.forms).value == said


@pytest.mark.parametrize("name", GAMES)
def test_who_speaks_of_a_command_gives_none(name: str) -> None:
    task: Any = task_registry.load_task(name)
    for said in sample_commands(name):
        other = change_command(name, said)
        for way in WAYS["refused"]:
            if "{d}" in way and not other:
                continue
            text = rewrite_command(way, task.format_command(said), other)
            assert read_command(text, task.forms).value is None, text


@pytest.mark.parametrize("name", GAMES)
def test_the_rule_of_the_paper_reads_what_wins(name: str) -> None:
    task: Any = task_registry.load_task(name)
    rule = CommandRule("words", task.forms)
    for said in sample_commands(name):
        plain = task.format_command(said)
        assert rule.read(f"I say:\n{plain}") == plain
        assert rule.read(plain.replace(", ", ",")) == plain


def test_sixty_ways_at_least_and_none_twice() -> None:
    assert len(set(WAYS["same"])) == len(WAYS["same"]) >= 60 and len(WAYS["refused"]) >= 20


def test_a_decorated_command_wins_what_the_plain_one_wins() -> None:
    """It lost the game in which a number was chosen first: its first word was dropped."""
    task: Any = task_registry.load_task("arcade/xor_breaking")
    puzzle = draw_puzzle(task, 0)
    replies = task.reference(puzzle)
    assert any("Choosing" in reply for reply in replies)
    for way in ("{c}", "**{c}**", "`{c}`", "{c}.", "<answer>{c}</answer>"):
        episode = task.open(puzzle)
        for reply in replies:
            result = episode.reply(way.replace("{c}", reply))
        assert result.status is Status.CORRECT, way
