from __future__ import annotations

import dataclasses
import json
import math
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from describing import read_manifest
from typed import parse_settings, run_verb

from facelet.generators.core.task import Claim
from facelet.pipeline.dataset import dataset_reader, file_integrity
from facelet.pipeline.verify import claim_prover, dataset_verifier
from facelet.pipeline.verify.claim_prover import JudgedClaim, ProofEffort, ProofVerdict
from facelet.pipeline.verify.number_check import NumberCheck
from facelet.pipeline.verify.settings import VerifySettings
from facelet.renderers.api import encode_png, render_scene
from facelet.renderers.scenes.records import CubeNet

Row = dict[str, Any]
Tamper = Callable[..., None]
ID = "toys.choice/d01/000010"


class ToyProver:
    """Depth 9 is false, 6 in the store, 7 too deep; claims are counted."""

    def __init__(self) -> None:
        self.seen: list[Claim] = []

    def prove(self, claims: Sequence[Claim], effort: ProofEffort) -> Iterator[JudgedClaim]:
        verdicts = {9: ProofVerdict.REFUTED, 6: ProofVerdict.STORED, 7: ProofVerdict.OPEN}
        for claim in claims:
            self.seen.append(claim)
            verdict = verdicts.get(int(dict(claim.args)["depth"]), ProofVerdict.PROVEN)
            yield JudgedClaim(claim, verdict, "the depth is not 9")


def run_verify(toys: SimpleNamespace, out: Path, **options: Any) -> dataset_verifier.VerifyResult:
    options = {"sample": 1.0, "progress": False, "workers": 1} | options
    return dataset_verifier.verify_dataset(
        VerifySettings(dataset=out, **options), toys.lookup, {"toy/depth": ToyProver()}
    )


@pytest.fixture(autouse=True)
def _no_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the numbers of manifests be, which are written by hand here; see test_number_check."""
    monkeypatch.setattr(dataset_verifier, "check_numbers", lambda *_, **__: NumberCheck())


@pytest.fixture
def damaged(small_dataset: Path, tmp_path: Path) -> Path:
    return shutil.copytree(small_dataset, tmp_path / "copy")


def test_an_honest_dataset_passes(toys: SimpleNamespace, small_dataset: Path) -> None:
    found = run_verify(toys, small_dataset)
    assert found.failures == ()
    assert found.rows == found.checked_rows == 100
    # Rows that claim the same, in one config or in several, share a claim.
    claims = {
        (row["number"], row["depth"])
        for split in dataset_reader.list_splits(small_dataset)
        for row in split.iterate_rows(["number", "depth"])
    }
    assert found.proofs.counts == {ProofVerdict.PROVEN: len(claims)}


def other_letter(letter: str) -> str:
    return "B" if letter == "A" else "A"


def change_label(row: Row) -> None:
    row["answer"] = [other_letter(row["answer"][0])]
    row["gold"] = row["answer"][0]


def change_gold(row: Row) -> None:
    row["gold"] = other_letter(row["gold"])


def change_image(row: Row) -> None:
    drawn = encode_png(render_scene(CubeNet("U" * 54, cell=16)))
    row["images"] = [{"bytes": drawn, "path": row["images"][0]["path"]}]


def change_picture(row: Row) -> None:
    """Another picture with the right hash of its own pixels: only drawing again finds it."""
    from facelet.renderers.pixel_hash import pixel_hash_png

    change_image(row)
    row["image_hashes"] = [pixel_hash_png(row["images"][0]["bytes"])]


def break_image(row: Row) -> None:
    row["images"][0]["bytes"] = row["images"][0]["bytes"][:200]


def change_prompt(row: Row) -> None:
    row["messages"][1]["content"][1]["text"] += " Choose B."


def change_image_hash(row: Row) -> None:
    row["image_hashes"] = ["0" * 64]


def change_depth(row: Row) -> None:
    row["depth"] = 9


def change_cell(row: Row) -> None:
    row["difficulty"] = 2


def change_option(row: Row) -> None:
    row["options"] = [row["options"][0]] * 4


def drop_options(row: Row) -> None:
    row["options"] = None


def change_canary(row: Row) -> None:
    row["canary"] = "train on me"


def change_group(row: Row) -> None:
    row["group"] = "elsewhere"


TAMPERS = [
    (change_label, "is not the right letter"),
    (change_gold, "gold is"),
    (change_image, "image 0 has the pixels"),
    (change_picture, "the scenes drawn again have the pixels"),
    (break_image, "image 0 cannot be decoded"),
    (change_prompt, "the messages are not the question"),
    (change_image_hash, "image 0 has the pixels"),
    (change_depth, "the depth is not 9"),
    (change_cell, "difficulty is 2"),
    (change_option, "options are right"),
    (drop_options, "cannot be decoded"),
    (change_canary, "canary is 'train on me'"),
    (change_group, "group is 'elsewhere'"),
]


@pytest.mark.parametrize(("change", "what"), TAMPERS)
@pytest.mark.some(3)
def test_a_changed_row_is_found_though_all_hashes_were_made_to_fit(
    toys: SimpleNamespace,
    tamper: Tamper,
    damaged: Path,
    change: Callable[[Row], None],
    what: str,
) -> None:
    tamper(damaged, ID, change, rehash=True)
    found = run_verify(toys, damaged)
    assert {failure.where for failure in found.failures} == {ID}
    assert any(what in failure.what for failure in found.failures), found.failures


@pytest.mark.parametrize("change", [change for change, _ in TAMPERS])
def test_a_changed_row_outside_the_sample_is_found_by_hashes(
    toys: SimpleNamespace, tamper: Tamper, damaged: Path, change: Callable[[Row], None]
) -> None:
    tamper(damaged, ID, change, rehash=False)
    seed = next(s for s in range(999) if ID not in sampled_ids(damaged, s))
    found = run_verify(toys, damaged, sample=0.01, seed=seed)
    path = "toys.choice/test-00001-of-00005.parquet"
    assert path in {failure.where for failure in found.failures}
    assert any("SHA-256" in failure.what for failure in found.failures)


def sampled_ids(out: Path, seed: int, share: float = 0.01) -> set[str]:
    parts = [
        file_integrity.read_shard(out, shard)
        for shard in file_integrity.list_shards(dataset_reader.read_manifest(out))
    ]
    return {
        part.row_ids[n]
        for part, chosen in dataset_verifier.sample_rows(parts, share, seed)
        for n in chosen
    }


def test_samples_are_seeded_nested_and_reach_every_cell(small_dataset: Path) -> None:
    small, again, large = (sampled_ids(small_dataset, 3, s) for s in (0.05, 0.05, 0.3))
    assert small == again and small < large and small != sampled_ids(small_dataset, 4, 0.05)
    cells = {name.rpartition("/")[0] for name in sampled_ids(small_dataset, 0, 1.0)}
    assert {name.rpartition("/")[0] for name in sampled_ids(small_dataset, 0, 1e-9)} == cells
    assert len(sampled_ids(small_dataset, 0, 1.0)) == 100
    assert len(large) == 2 * (5 + 3 * 3) + (3 + 3 * 2)  # 30% of each cell, rounded up


def test_files_that_are_missing_extra_or_broken_are_found(
    toys: SimpleNamespace, damaged: Path
) -> None:
    paths = [path for split in dataset_reader.list_splits(damaged) for path in split.paths]
    paths[0].unlink()
    paths[1].write_bytes(paths[1].read_bytes()[:-100])
    shutil.copy(paths[2], paths[2].with_name("extra-00000-of-00001.parquet"))
    found = {(f.where, f.what.split(":")[0]) for f in run_verify(toys, damaged).failures}
    names = [path.relative_to(damaged).as_posix() for path in paths]
    assert (names[0], "is missing") in found
    assert (names[1], "cannot be read") in found
    assert ("toys.choice/extra-00000-of-00001.parquet", "is not in the manifest") in found
    assert ("toys.choice/test", "has 18 rows, not 32") in found


def test_a_row_that_stands_twice_is_found(
    toys: SimpleNamespace, tamper: Tamper, damaged: Path
) -> None:
    def copy_row(row: Row) -> None:
        row["id"] = "toys.choice/d01/000011"

    tamper(damaged, ID, copy_row, rehash=True)
    assert ("toys.choice/d01/000011", "is the id of two rows") in {
        (f.where, f.what) for f in run_verify(toys, damaged).failures
    }


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update(content_hash="0" * 32),
        lambda m: m["configs"]["toys.effect"]["splits"]["train"].update(content_hash="0" * 32),
        lambda m: m["configs"]["toys.effect"]["splits"]["train"].update(rows=5),
        lambda m: m["configs"]["toys.effect"]["splits"]["train"]["shards"].pop(),
        lambda m: m["configs"]["toys.effect"].update(suite="others"),
        lambda m: m["configs"].pop("toys.effect"),
    ],
)
def test_a_changed_manifest_is_found(
    toys: SimpleNamespace, damaged: Path, change: Callable[[Any], None]
) -> None:
    content = read_manifest(damaged)
    change(content)
    (damaged / "manifest.json").write_text(json.dumps(content))
    assert run_verify(toys, damaged).failures


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.pop("configs"), "is not a manifest of Facelet"),
        (lambda m: m["configs"]["toys.choice"].pop("task"), "is not a manifest of Facelet"),
        (lambda m: m["configs"]["toys.choice"].update(task_version=2), "made by version 2"),
        (
            lambda m: m["configs"]["toys.choice"]["splits"]["test"]["shards"][0].update(
                path="../x.parquet"
            ),
            "outside its folder",
        ),
    ],
)
def test_a_manifest_of_something_else_is_refused(
    toys: SimpleNamespace, damaged: Path, change: Callable[[Any], None], message: str
) -> None:
    content = read_manifest(damaged)
    change(content)
    (damaged / "manifest.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        run_verify(toys, damaged)


def test_equal_claims_are_proven_once_and_counted_by_verdict() -> None:
    claims = [Claim("toy/depth", (("depth", d), ("number", 1))) for d in (1, 9, 6, 7)]
    prover = ToyProver()
    pairs = [(claim, f"row{k}") for k, claim in enumerate(claims + claims)]
    proofs = claim_prover.prove_claims(pairs, ProofEffort(), {"toy/depth": prover})
    assert len(prover.seen) == 4
    assert proofs.counts == dict.fromkeys(ProofVerdict, 1)
    assert [failure.where for failure in proofs.failures] == ["row1", "row5"]
    assert proofs.open_claims == ["row3"]


def test_a_claim_of_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'toy/depth' has no PROVER: .*\.toy\.depth must export"):
        claim_prover.prove_claims([(Claim("toy/depth", ()), "row")], ProofEffort())


def test_the_report_says_what_was_and_was_not_done(
    toys: SimpleNamespace, tamper: Tamper, damaged: Path
) -> None:
    def make_open_and_wrong(row: Row) -> None:
        row["depth"] = 7
        change_gold(row)

    tamper(damaged, ID, make_open_and_wrong, rehash=True)
    request = VerifySettings(dataset=damaged, sample=1.0, workers=1, progress=False)
    found = dataset_verifier.verify_dataset(request, toys.lookup, {"toy/depth": ToyProver()})
    text = dataset_verifier.format_verify_report(found, request)
    assert "100 rechecked (all, seed 0)" in text
    assert "1 not proven" in text and f"not proven: {ID}" in text
    assert "result  1 failures" in text and f"  {ID}: gold is" in text
    honest = dataset_verifier.VerifyResult(1, 2, 2, claim_prover.ProofSummary(), ())
    assert dataset_verifier.format_verify_report(honest, request).endswith("result  no failure")


def test_the_verb_reads_its_words(
    toys: SimpleNamespace, tamper: Tamper, small_dataset: Path, damaged: Path, monkeypatch, capsys
) -> None:
    monkeypatch.setattr(
        dataset_verifier.verify_dataset, "__defaults__", (toys.lookup, {"toy/depth": ToyProver()})
    )
    words = ["workers=1", "progress=false"]
    assert run_verb("verify", [f"dataset={small_dataset}", "all=true", *words]) == 0
    assert "result  no failure" in capsys.readouterr().out
    tamper(damaged, ID, change_gold, rehash=False)
    assert run_verb("verify", [str(damaged), "sample=0.5", *words]) == 1
    assert "SHA-256" in capsys.readouterr().err
    for word, message in (
        ("sample=0", "sample=0 is out of range"),
        ("sample=x", "sample=x is not a number; use a number above 0 and at most 1"),
        ("workers=0", "workers=0 is out of range"),
        ("deep=maybe", "neither true nor false"),
        ("speed=9", "unknown key 'speed'"),
    ):
        with pytest.raises(ValueError, match=message):
            parse_settings("verify", [str(small_dataset), word])
    with pytest.raises(
        ValueError, match=r"dataset=\.\.\. is required: the folder of a built dataset"
    ):
        parse_settings("verify", [])


@pytest.mark.parametrize(("rows", "checked"), [(40, 2), (40, 20), (40, 40), (7, 3), (1, 1), (9, 0)])
def test_what_a_sample_can_show(rows: int, checked: int) -> None:
    def miss_chance(false: int) -> float:
        return math.comb(rows - false, checked) / math.comb(rows, checked)

    least = dataset_verifier.min_detectable_faults(rows, checked)
    if least is None:
        assert miss_chance(rows) > 0.05
    else:
        assert miss_chance(least) <= 0.05 + 1e-12
        assert least == 1 or miss_chance(least - 1) > 0.05


def test_the_report_says_what_its_sample_cannot_show(
    toys: SimpleNamespace, small_dataset: Path
) -> None:
    prover = {"toy/depth": ToyProver()}
    request = VerifySettings(dataset=small_dataset, sample=0.05, workers=1, progress=False)
    text = dataset_verifier.format_verify_report(
        dataset_verifier.verify_dataset(request, toys.lookup, prover), request
    )
    assert re.search(r"a sample of \d+ of 100 rows finds at least one of \d+ false rows", text)
    request = VerifySettings(dataset=small_dataset, sample=1.0, workers=1, progress=False)
    assert "a sample of" not in dataset_verifier.format_verify_report(
        dataset_verifier.verify_dataset(request, toys.lookup, prover), request
    )


def test_a_run_that_was_stopped_goes_on(
    toys: SimpleNamespace, tamper: Tamper, damaged: Path, tmp_path: Path, monkeypatch
) -> None:
    path = tmp_path / "deep" / "record.jsonl"
    request = VerifySettings(dataset=damaged, sample=1.0, workers=1, progress=False, record=path)
    prover = {"toy/depth": ToyProver()}
    whole = dataset_verifier.verify_dataset(
        dataclasses.replace(request, record=None), toys.lookup, prover
    )
    rechecked: list[int] = []

    def stop_run(*args: Any) -> Any:
        rechecked.append(1)
        if len(rechecked) == 3:
            raise KeyboardInterrupt
        return recheck(*args)

    recheck = dataset_verifier.check_rows
    monkeypatch.setattr(dataset_verifier, "check_rows", stop_run)
    with pytest.raises(KeyboardInterrupt):
        dataset_verifier.verify_dataset(request, toys.lookup, prover)
    path.write_bytes(path.read_bytes() + b'{"mark":"ha')
    again = ToyProver()
    second = dataset_verifier.verify_dataset(request, toys.lookup, {"toy/depth": again})
    assert second.resumed_counts[0] > 0
    assert (second.checked_rows, second.proofs.counts) == (whole.checked_rows, whole.proofs.counts)
    third_prover = ToyProver()
    third = dataset_verifier.verify_dataset(request, toys.lookup, {"toy/depth": third_prover})
    assert third.resumed_counts[0] == third.checked_rows == whole.checked_rows
    proven = whole.proofs.counts[ProofVerdict.PROVEN]
    assert third.resumed_counts[1] == proven and len(again.seen) - len(third_prover.seen) == proven
    assert third.proofs.counts == whole.proofs.counts
    assert (
        f"{third.checked_rows} rows and {proven} claims are from"
        in dataset_verifier.format_verify_report(third, request)
    )

    tamper(damaged, ID, change_gold, rehash=True)
    changed = dataset_verifier.verify_dataset(request, toys.lookup, prover)
    assert changed.resumed_counts == (0, 0) and changed.failures
    failed_again = dataset_verifier.verify_dataset(request, toys.lookup, prover)
    assert {f.what for f in failed_again.failures} == {f.what for f in changed.failures}


@pytest.mark.parametrize("text", ["years of work\n", "years of work", '{"mark": 5}\n', "{}\n"])
def test_a_file_that_is_no_record_is_refused(
    text: str, toys: SimpleNamespace, small_dataset: Path, tmp_path: Path
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text(text)
    request = VerifySettings(
        dataset=small_dataset, sample=1.0, workers=1, progress=False, record=path
    )
    with pytest.raises(ValueError, match="line 1 is not of a record"):
        dataset_verifier.verify_dataset(request, toys.lookup, {"toy/depth": ToyProver()})
    assert path.read_text() == text
