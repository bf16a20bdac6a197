"""Attacks on floors: players that beat a planted floor, that do not, and that cheat."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from facelet.pipeline.audit.studies import player_attack
from facelet.pipeline.cli import main
from facelet.pipeline.cube import baseline_players
from facelet.pipeline.dataset import floor_studies
from tests.pipeline.rollout.jail.test_escapes import jailed

GUIDE = Path(__file__).parents[4] / "conf" / "docs" / "attacks.md"
EXAMPLE = GUIDE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
CONSTANT = 'def reply(prompts):\n    return "<ANSWER>A</ANSWER>"\n'


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Plant a low floor: no player of cubes plays, and no study is recorded."""
    monkeypatch.setattr(baseline_players, "players", lambda task, half: {})
    monkeypatch.setattr(floor_studies, "STUDIES", tmp_path / "records")
    floor_studies._studies_by_params.cache_clear()
    (tmp_path / "records").mkdir()
    yield tmp_path
    floor_studies._studies_by_params.cache_clear()


def attack(
    folder: Path,
    source: str,
    *words: str,
    config: str = "cube_bench.recovery",
    count: int = 120,
) -> int:
    file = folder / "attacker.py"
    file.write_text(source, encoding="utf-8")
    out = [f"work={folder / 'work'}", f"out={folder / 'records'}"]
    return main(["floors", f"player={file}", f"config={config}", f"count={count}", *out, *words])


@jailed
def test_a_player_beats_a_planted_floor_and_is_recorded(planted: Path, capsys: Any) -> None:
    assert attack(planted, EXAMPLE, "record=true") == 0
    printed = capsys.readouterr().out
    assert "attacker" not in printed.splitlines()[0] and ": above" in printed
    (study,) = floor_studies.read_studies(planted / "records" / "cube" / "recovery.json")[1]
    assert study.player == "attacker" and study.value > 0.08 and study.items == 120
    assert (planted / "records/cube/recovery.attacker.py").read_text() == EXAMPLE
    # The record is the floor of the next build, and the same player no longer beats it.
    floor_studies._studies_by_params.cache_clear()
    assert attack(planted, EXAMPLE) == 0
    printed = capsys.readouterr().out
    assert f"published {study.value:.1%}" in printed and "attacker: not above" in printed


@jailed
def test_a_constant_letter_does_not_beat_the_floor(planted: Path, capsys: Any) -> None:
    assert attack(planted, CONSTANT, "record=true") == 0
    printed = capsys.readouterr().out
    assert ": not above" in printed and "recorded in" in printed and "nothing" in printed
    assert not (planted / "records" / "cube").exists()


SPY = """
import os
def reply(prompts):
    found = []
    for path in {paths!r}:
        try:
            found += [open(path).read()] if os.path.isfile(path) else os.listdir(path)
        except OSError:
            pass
    if not any(found) and not os.environ.get("FACELET_SECRET") and "w  w" not in prompts[-1]:
        return "<ANSWER>A</ANSWER>"
    raise RuntimeError("secret: " + str(found)[:80])
"""


@jailed
def test_a_player_that_reads_files_finds_no_secret(
    planted: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FACELET_SECRET", "gold")
    paths = [str(planted), str(planted / "attacker.py"), str(Path.cwd()), "/etc/passwd", "/proc/1"]
    source = SPY.format(paths=paths)
    assert attack(planted, source) == 0
    assert ": not above" in capsys.readouterr().out
    monkeypatch.delenv("FACELET_SECRET")
    assert any(os.path.exists(path) for path in paths), "without a jail it would find them"
    assert attack(planted, source, "jail=none") == 2
    assert "secret" in capsys.readouterr().err


@jailed
@pytest.mark.parametrize(
    ("source", "words", "problem"),
    [
        ("def answer(): ...", (), "no function reply(prompts)"),
        ("def reply(", (), "is no Python"),
        ("def reply(prompts):\n    return 1 / 0", (), "ZeroDivisionError"),
        ("def reply(prompts):\n    return 7", (), "returned int; return a text"),
        ("import sys\ndef reply(prompts):\n    sys.exit(0)", (), "stopped early after 0 replies"),
        ("def reply(prompts):\n    while True: pass", ("seconds=1",), "out of time"),
    ],
)
def test_what_is_wrong_with_a_player_is_named(
    planted: Path, capsys: Any, source: str, words: tuple[str, ...], problem: str
) -> None:
    assert attack(planted, source, *words, count=30) == 2
    assert problem in capsys.readouterr().err


def test_a_player_that_reads_a_game_is_no_blind_player(planted: Path, capsys: Any) -> None:
    words = ("record=true", "jail=none")
    source = 'def reply(prompts):\n    return "no"\n'
    assert attack(planted, source, *words, config="evolarena.grid_game", count=30) == 2
    assert "use sees=nothing" in capsys.readouterr().err
    source = 'def reply(prompts):\n    assert not any(prompts)\n    return "no"\n'
    words = (*words, "sees=nothing")
    assert attack(planted, source, *words, config="evolarena.grid_game", count=30) == 0
    assert capsys.readouterr().out.count("not above") == 3


@pytest.mark.parametrize(
    ("sees", "player"),
    [("turns", "rule"), ("last", "last_reply"), ("nothing", "named|legal|script")],
)
def test_a_player_of_a_game_is_compared_with_players_that_read_as_much(
    tmp_path: Path, capsys: Any, sees: str, player: str
) -> None:
    source = 'def reply(prompts):\n    return "no"\n'
    words = (f"sees={sees}", "jail=none", "levels=3")
    assert attack(tmp_path, source, *words, config="evolarena.cactus_search", count=30) == 0
    printed = capsys.readouterr().out
    assert printed.count("not above") == 1 and "l03: 0.0% (0.0% to 11.4%) of 30" in printed
    assert re.search(rf"published \d.*, ({player}): not above", printed), printed


def test_the_four_views_of_a_play() -> None:
    def seen(view: Any) -> list[str]:
        return player_attack.select_seen(["one", "two", "three"], view)

    assert seen("turns") == ["one", "two", "three"]
    assert seen("last") == ["", "", "three"]
    assert seen("first") == ["one", "", ""]
    assert seen("nothing") == ["", "", ""]
