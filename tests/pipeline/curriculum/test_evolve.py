"""From a built dataset over its scores to the file that evolve writes, and a build of that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from arcade_published import write_transcripts
from omegaconf import OmegaConf
from typed import resolve_words

from facelet import environment
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader

GAMES = ("mahjong_detective", "permutation_discovery")
COUNT = 10


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two games at two levels, and the scores of who wins level 1, and half of one game's 2."""
    folder = tmp_path_factory.mktemp("evolve")
    root = folder / "data"
    words = ["profile=smoke", "suites=[evolarena]", f"tasks=[{','.join(GAMES)}]", "quiet=true"]
    words += [f"evolarena.{name}.sweep.level=[1,2]" for name in GAMES]
    words += [f"evolarena.{name}.count={COUNT}" for name in GAMES]
    assert main(["build", *words, f"out={root}"]) == 0

    def is_won(row: Any) -> bool:
        half = row["task"].endswith("mahjong_detective") and int(row["id"][-6:]) % 2 == 0
        return row["difficulty"] == 1 or half

    file = write_transcripts(root, folder / "model.jsonl", "model", is_won)
    out = folder / "score"
    assert main(["score", f"dataset={root}", f"predictions={file}", f"out={out}"]) == 0
    return root, out


def evolve(scored: tuple[Path, Path], out: Path, *words: str) -> dict[str, Any]:
    """Run the verb and return the file that it wrote."""
    root, results = scored
    assert main(["evolve", f"results={results}", f"dataset={root}", f"out={out}", *words]) == 0
    content = OmegaConf.to_container(OmegaConf.load(out))
    assert isinstance(content, dict)
    return {str(name): suite for name, suite in content.items()}


def test_what_evolve_wrote_is_built(
    scored: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The curriculum comes to level 2 of both games, with other rows than those that were asked."""
    file = tmp_path / "next.yaml"
    found = evolve(scored, file, "count=6")
    tasks = found["evolarena_next"]["tasks"]
    assert tasks["mahjong_detective"] == {
        "task": "arcade/mahjong_detective",
        "sweep": {"level": [2]},
        "count": 6,
    }
    assert tasks["permutation_discovery"]["sweep"] == {
        "level": [2]
    }  # 100% of level 1, none of level 2
    said = capsys.readouterr().out
    seed = int(said.rsplit("seed=", 1)[1].split()[0])
    built = tmp_path / "built"
    words = ["profile=smoke", f"suites=[{file}]", f"seed={seed}", "quiet=true"]
    assert main(["build", *words, f"out={built}"]) == 0
    manifest = dataset_reader.read_manifest(built)
    assert set(manifest.configs) == {
        "evolarena_next.mahjong_detective",
        "evolarena_next.permutation_discovery",
    }
    rows = list(environment.rows(built, "evolarena_next.mahjong_detective"))
    assert len(rows) == 6 and {row["difficulty"] for row in rows} == {2}
    before = {row["group"] for row in environment.rows(scored[0], "evolarena.mahjong_detective")}
    assert not before & {row["group"] for row in rows}


def test_a_game_that_a_known_rule_solves_has_no_next_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, name = tmp_path / "data", "evolarena.linked_list_query"
    words = ["profile=smoke", "suites=[evolarena]", "tasks=[linked_list_query]", "quiet=true"]
    assert main(["build", *words, f"{name}.count=10", f"out={root}"]) == 0
    file = write_transcripts(root, tmp_path / "model.jsonl", "model", lambda row: True)
    out = tmp_path / "score"
    assert main(["score", f"dataset={root}", f"predictions={file}", f"out={out}"]) == 0
    noted = "Solved by a known rule, so its levels are no difficulty: ask every position in order"
    assert noted in (out / "tables.md").read_text() and noted in (root / "README.md").read_text()
    evolved = f"out={tmp_path / 'next.yaml'}"
    assert main(["evolve", f"results={out}", f"dataset={root}", evolved]) != 0
    assert main(["ladder", f"dataset={root}", f"predictions={file}"]) != 0
    said = capsys.readouterr()
    assert "left out: evolarena.linked_list_query: Solved" in said.out and noted in said.err


def test_a_solved_game_has_harder_siblings(scored: tuple[Path, Path], tmp_path: Path) -> None:
    """They are built like any suite, and a step further on there is less to change."""
    file = tmp_path / "harder.yaml"
    found = evolve(scored, file, "rule=siblings", "configs=[permutation_discovery]", "count=3")
    tasks = found["evolarena_next"]["tasks"]
    both = {"tight": True, "forgetful": True}
    assert {name: entry["params"] for name, entry in tasks.items()} == {
        "permutation_discovery_tight": {"tight": True},
        "permutation_discovery_forgetful": {"forgetful": True},
        "permutation_discovery_harder": both,
    }
    built = tmp_path / "built"
    assert main(["build", "profile=smoke", f"suites=[{file}]", "quiet=true", f"out={built}"]) == 0
    for row in environment.rows(built, "evolarena_next.permutation_discovery_harder"):
        assert row["forgetful"] and row["turns"] in (row["bound"], row["reference_turns"])
    root, results = scored
    again = ["evolve", f"results={results}", f"dataset={root}", "configs=[mahjong_detective]"]
    assert main([*again, "rule=siblings", f"out={tmp_path / 'more.yaml'}"]) == 0


def test_all_wins_count_as_in_the_paper(scored: tuple[Path, Path], tmp_path: Path) -> None:
    found = evolve(scored, tmp_path / "next.yaml", "wins=all", "configs=[mahjong_detective]")
    (entry,) = found["evolarena_next"]["tasks"].values()
    assert entry["sweep"] == {"level": [2]}
    root, results = scored
    assert main(["evolve", f"results={results}", f"dataset={root}", "wins=some"]) == 2


def test_failures_have_entries_of_their_own(scored: tuple[Path, Path], tmp_path: Path) -> None:
    found = evolve(scored, tmp_path / "again.yaml", "rule=failures", "count=20", "suffix=_again")
    tasks = found["evolarena_again"]["tasks"]
    assert set(tasks) == {
        "mahjong_detective_l01",
        "mahjong_detective_l02",
        "permutation_discovery_l01",
        "permutation_discovery_l02",
    }
    counts = {name: entry["count"] for name, entry in tasks.items()}
    assert sum(counts.values()) == 4 * 20
    assert (
        counts["permutation_discovery_l02"]
        > counts["mahjong_detective_l02"]
        > counts["mahjong_detective_l01"]
    )


def test_the_file_of_a_suite_is_a_suite(scored: tuple[Path, Path], tmp_path: Path) -> None:
    """It stands beside others, and the command line reaches into it."""
    file = tmp_path / "limits.yaml"
    evolve(scored, file, "rule=capability", "configs=[mahjong_detective]", "count=5")
    settings, _ = resolve_words(
        [f"suites=[inf_bench,{file}]", "evolarena_next.mahjong_detective.params.turns=20", "seed=3"]
    )
    (entry,) = (one for one in settings.entries if one.suite == "evolarena_next")
    assert entry.params == {"turns": 20} and entry.count == 5
    assert any(one.suite == "inf_bench" for one in settings.entries)
    (alone, *_), _ = resolve_words([f"suites=[{file}]"])[0].entries, None
    assert alone.suite == "evolarena_next"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("marble: {tasks: {}}", "already"),
        ("Up: {tasks: {}}", "not a valid suite name"),
        ("[1, 2]", "contains no suite"),
        ("own: {tasks: {a: {tusk: arcade/mahjong_detective}}}", "is no suite"),
        ("own: [1]", "is no suite"),
        ("own: {", "cannot be read"),
    ],
)
def test_bad_files_of_suites_are_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=said):
        resolve_words([f"suites=[{file}]"])


def test_results_of_another_dataset_are_refused(
    scored: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, out = scored
    results = json.loads((out / "results.json").read_text())
    results["dataset"]["content_hash"] = "0" * 32
    other = tmp_path / "results.json"
    other.write_text(json.dumps(results))
    words = [f"results={other}", f"dataset={root}", f"out={tmp_path / 'x.yaml'}"]
    assert main(["evolve", *words]) == 2
    assert "that was scored" in capsys.readouterr().err
    assert main(["evolve", f"results={out}", f"dataset={root}", "rule=luck"]) == 2
    assert main(["evolve", f"results={out}", f"dataset={root}", "model=x"]) == 2
