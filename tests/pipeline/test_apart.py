"""Nobody pays for what they do not use, and one broken family stops only itself, by name."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from facelet import environment
from facelet.pipeline import family_modules
from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.scoring.scorer import score
from facelet.pipeline.verify import dataset_verifier
from facelet.pipeline.verify.settings import VerifySettings

JIGSAWS_ALONE = """
import json, sys
from importlib.abc import MetaPathFinder

COMPILED = {
    "facelet.generators.cube.distance._core",
    "facelet.generators.cube.distance._two_phase",
    "facelet.generators.labyrinth.search._search",
}

class Missing(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in COMPILED:
            raise ImportError(f"{name} was never compiled")

sys.meta_path.insert(0, Missing())
from facelet import environment
from facelet.pipeline.cli import main

out = sys.argv[1]
words = ["profile=smoke", "suites=[marble]", "tasks=[assemble_easy]", "count=2", "workers=1"]
assert main(["build", *words, f"out={out}", "progress=false"]) == 0
with open(f"{out}.jsonl", "w") as file:
    for row in environment.rows(out):
        play = environment.open_row(row)
        while not play.done:
            play.reply("no idea")
        file.write(json.dumps(play.transcript("nobody")) + "\\n")
for words in (
    ["score", f"dataset={out}", f"predictions={out}.jsonl"],
    ["info", out],
    ["audit", out],
    ["verify", out, "all=true", "workers=1", "progress=false"],
):
    assert main(words) == 0, words
ours = [name for name in sys.modules if name.startswith("facelet.")]
print(json.dumps([name for name in ours if "cube" in name.split(".") or "labyrinth" in name]))
assert main(["build", "profile=smoke", f"out={out}.cube", "tasks=[move_effect]", "workers=1"]) == 2
"""


@pytest.mark.slow
def test_jigsaws_need_nothing_of_the_cube_or_of_labyrinths(tmp_path):
    command = [sys.executable, "-c", JIGSAWS_ALONE, str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.splitlines()[-1]
    # Scenes of all families are records in one place; they know nothing of families.
    assert [name for name in json.loads(loaded) if ".renderers." not in name] == []
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("facelet build: ")]
    assert "the exact solver is not compiled here: install a wheel for this system" in told
    assert not (tmp_path / "out.cube").exists()


@pytest.fixture
def half_broken(two_families, toy, tmp_path):
    """A dataset of two families, one of which cannot be imported any more."""
    out = tmp_path / "out"
    toy.run(toy.settings(out, entries=two_families.entries))
    two_families.add("pear", "raise RuntimeError('no core here')\n")
    return out


REASON = "the family 'pear' cannot be imported, so there is no pear/count: RuntimeError: no core"


def test_a_build_that_asks_for_a_broken_family_fails_before_any_work(
    half_broken, two_families, toy, tmp_path
):
    with pytest.raises(family_modules.TaskUnavailable, match=REASON):
        compute_plan(toy.settings(tmp_path / "new", entries=two_families.entries))
    made = toy.run(toy.settings(tmp_path / "apples", entries=two_families.entries[:1]))
    assert list(made.configs) == ["toys.apple"]


def test_the_others_are_scored_and_the_broken_one_is_named(half_broken, tmp_path, capsys):
    rows = list(environment.rows(half_broken))
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(json.dumps({"id": row["id"], "prediction": row["gold"]}) + "\n" for row in rows)
    )
    found = score(half_broken, [answers])
    (model,) = found.results["models"]
    assert list(model["configs"]) == ["toys.apple"]
    cells = model["configs"]["toys.apple"]["splits"]["test"]["cells"]
    assert cells[0]["figures"]["accuracy"]["value"] == 1
    (missing,) = found.results["unavailable"]
    assert (missing["config"], missing["split"]) == ("toys.pear", "test")
    assert REASON in missing["reason"]
    assert found.results["not_scored"] == []
    out = tmp_path / "scores"
    assert main(["score", f"dataset={half_broken}", f"predictions={answers}", f"out={out}"]) == 0
    assert f"toys.pear/test is not scored: {REASON}" in capsys.readouterr().out
    assert "cannot be imported" in (out / "results.md").read_text()

    pears = tmp_path / "pears.jsonl"
    pears.write_text("\n".join(x for x in answers.read_text().splitlines() if "pear" in x))
    with pytest.raises(ValueError, match=REASON):
        score(half_broken, [pears])


def test_the_others_are_audited_verified_and_shown(half_broken, capsys):
    report = dataset_audit.measure_dataset(half_broken)
    assert list(report.record["configs"]) == ["toys.apple"]
    assert [line.startswith("toys.pear is not measured: ") for line in report.unmeasured] == [True]
    assert main(["audit", str(half_broken)]) == 1
    told = capsys.readouterr()
    assert "toys.apple" in told.out and REASON in told.err
    with pytest.raises(ValueError, match=REASON):
        dataset_audit.audit_dataset(half_broken)

    found = dataset_verifier.verify_dataset(
        VerifySettings(dataset=half_broken, sample=1.0, workers=1)
    )
    assert [failure.where for failure in found.failures] == ["toys.pear"]
    assert REASON in found.failures[0].what
    apples = sum(
        part.count_rows()
        for part in dataset_reader.list_splits(half_broken)
        if "apple" in part.config
    )
    assert found.checked_rows == apples

    assert main(["info", str(half_broken)]) == 0
    assert "toys.pear" in capsys.readouterr().out


def test_the_rows_of_a_broken_family_cannot_be_played_and_others_can(half_broken):
    apple, pear = (next(environment.rows(half_broken, f"toys.{x}")) for x in ("apple", "pear"))
    assert environment.open_row(apple).messages
    with pytest.raises(ValueError, match=REASON):
        environment.open_row(pear)


def test_what_a_kind_names_must_be_there():
    assert family_modules.load_export("cube/states", "PROVIDER").sources
    assert family_modules.load_export("cube/distance", "PROVER").prove
    for kind, name in (("cube/staets", "PROVIDER"), ("cube/states", "PROVER"), ("x/y", "PROVER")):
        with pytest.raises(ValueError, match=f"'{kind}' has no {name}: facelet.pipeline."):
            family_modules.load_export(kind, name)
    for kind in ("cube", "cube/../states", "cube/distance/x", ""):
        with pytest.raises(ValueError, match="names no module of a family"):
            family_modules.load_export(kind, "PROVER")
