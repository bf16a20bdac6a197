"""Audit, verify and card on a real dataset, built small: every task of the suite, two depths."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from facelet.pipeline.audit import dataset_audit
from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.verify.claim_prover import ProofVerdict
from facelet.pipeline.verify.dataset_verifier import verify_dataset
from facelet.pipeline.verify.settings import VerifySettings

Row = dict[str, Any]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    out = tmp_path_factory.mktemp("real") / "out"
    words = ["profile=smoke", "depths=1-2", "count=4", "splits=test:1,train:1"]
    words += [f"out={out}", f"cache={cache}", "workers=1", "progress=false"]
    assert main(["build", *words]) == 0
    return out


@pytest.fixture(autouse=True)
def tables(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACELET_CACHE", str(cache))


def run_verify(out: Path) -> Any:
    return verify_dataset(VerifySettings(dataset=out, sample=1.0, workers=1, progress=False))


def test_all_labels_are_proven(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(built), "all=true", "workers=2", "progress=false"]) == 0
    text = capsys.readouterr().out
    total = sum(split.count_rows() for split in dataset_reader.list_splits(built))
    assert f"{total} rechecked (all, seed 0)" in text
    assert "0 not proven, 0 refuted" in text and text.endswith("result  no failure\n")


def test_claims_of_all_rows_are_proven_now(built: Path) -> None:
    found = run_verify(built)
    assert found.failures == ()
    assert set(found.proofs.counts) == {ProofVerdict.PROVEN}
    states = {
        row["facelets"]
        for split in dataset_reader.list_splits(built)
        for row in split.iterate_rows(["facelets"])
    }
    assert found.proofs.counts[ProofVerdict.PROVEN] > len(states)


@pytest.mark.slow
def test_the_audit_is_the_same_on_two_workers(built: Path) -> None:
    one, two = (dataset_audit.audit_dataset(built, workers=workers) for workers in (1, 2))
    assert one == two
    manifest = dataset_reader.read_manifest(built)
    assert (
        manifest.configs["cube_bench.move_effect"].audit
        == (one["configs"]["cube_bench.move_effect"])
    )
    assert main(["audit", str(built), "workers=2"]) == 0


def test_the_card_speaks_of_what_is_there(built: Path) -> None:
    text = (built / "README.md").read_text()
    manifest = dataset_reader.read_manifest(built)
    for config in manifest.configs:
        assert f"| `{config}` |" in text
    assert manifest.content_hash in text
    assert f"table `htm-small` with hash `{manifest.tables['htm-small']}`" in text
    assert "| optimal depth 1, 2 |" in text
    assert "Cube Bench: A Benchmark for Spatial Visual Reasoning in MLLMs" in text
    assert "facelets" in text.split("And in every config")[1].split("adds:")[0]


def change_depth(row: Row) -> None:
    """Say that a state of depth 2 is at depth 3, with a witness that long."""
    row["optimal_depth"] = 3
    row["exhausted"] = 2
    row["solution"] += " U U'"


def shorten_witness(row: Row) -> None:
    row["optimal_depth"] = row["difficulty"] = 1
    row["exhausted"] = 0


def change_solution(row: Row) -> None:
    row["solution"] = "R U"


def change_state(row: Row) -> None:
    """Another state with the same picture and prompt untouched."""
    row["facelets"] = row["facelets"][::-1]


def change_neighbour(row: Row) -> None:
    """A neighbour's distance off by two: its effect is the same, so only a search can tell."""
    place = next(i for i, d in enumerate(row["neighbours"]) if d == row["optimal_depth"] + 1)
    row["neighbours"][place] = row["optimal_depth"]
    effects = dict(zip(row["options"], row["effects"], strict=True))
    assert place < 18 and effects


def change_cover(row: Row) -> None:
    row["brightness"] = 0.6


def change_letter(row: Row) -> None:
    row["answer"] = row["gold"] = "A" if row["answer"] != "A" else "B"


def change_options(row: Row) -> None:
    row["options"][0], row["options"][1] = row["options"][1], row["options"][0]


@pytest.mark.some(4)
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("cube_bench.face_recognition/d02/000000", change_depth),
        ("cube_bench.face_recognition/d02/000000", shorten_witness),
        ("cube_bench.face_recognition/d02/000000", change_solution),
        ("cube_bench.face_recognition/d02/000001", change_state),
        ("cube_bench.face_recognition/d02/000001", change_cover),
        ("cube_bench.move_effect/d02/000000", change_neighbour),
        ("cube_bench.move_prediction/d02/000002", change_letter),
        ("cube_bench.move_prediction/d02/000001", change_options),
        ("cube_bench.reflection/train-d02/000001", change_letter),
        ("cube_bench.verification/d02/000001", change_state),
    ],
)
def test_a_false_row_is_found_though_all_hashes_fit(
    built: Path,
    tamper: Callable[..., None],
    tmp_path: Path,
    name: str,
    change: Callable[[Row], None],
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(built, copy, ignore=shutil.ignore_patterns(".facelet"))
    tamper(copy, name, change, rehash=True)
    assert {failure.where for failure in run_verify(copy).failures} == {name}
