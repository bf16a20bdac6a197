"""Power loss: what was not synced is forgotten, and the next run still makes the same bytes."""

from __future__ import annotations

import random

import pytest
from forgetful_disk import ForgetfulDisk, PowerCut

from facelet.pipeline.dataset import atomic_files, dataset_reader

CUTS = 5


@pytest.fixture
def built(toy, tmp_path):
    out = tmp_path / "whole"
    toy.run(toy.settings(out))
    return out


def test_what_a_finished_build_published_survives(toy, built, tmp_path, published, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    disk = ForgetfulDisk(out)
    monkeypatch.setattr(atomic_files, "disk", disk)
    toy.run(toy.settings(out))
    disk.lose_power()
    assert published(out) == published(built)
    records = list(out.rglob(".facelet/records/**/*.json"))
    assert records and all(path.read_text().endswith("}\n") for path in records)


def test_a_run_after_a_power_cut_makes_the_same_bytes(toy, built, tmp_path, published, monkeypatch):
    (tmp_path / "count").mkdir()
    counting = ForgetfulDisk(tmp_path / "count")
    monkeypatch.setattr(atomic_files, "disk", counting)
    toy.run(toy.settings(tmp_path / "count"))
    out = tmp_path / "out"
    out.mkdir()
    for goal in sorted(random.Random(7).sample(range(3, counting.steps // 2), CUTS)):
        disk = ForgetfulDisk(out, lambda number, step, path, goal=goal: number == goal)
        monkeypatch.setattr(atomic_files, "disk", disk)
        with pytest.raises(PowerCut):
            toy.run(toy.settings(out))
        disk.lose_power()
        assert not (out / dataset_reader.MANIFEST).exists()
    monkeypatch.setattr(atomic_files, "disk", atomic_files.DiskOperations())
    toy.run(toy.settings(out))
    assert published(out) == published(built)


def test_a_manifest_never_stands_beside_shards_that_are_made_again(
    toy, built, published, monkeypatch
):
    before = published(built)
    shard = dataset_reader.shard_paths(built)[0]
    shard.write_bytes(shard.read_bytes()[:-1])
    begun = lambda number, step, path: step == "rename" and path == shard  # noqa: E731
    disk = ForgetfulDisk(built, begun)
    monkeypatch.setattr(atomic_files, "disk", disk)
    with pytest.raises(PowerCut):
        toy.run(toy.settings(built))
    assert not (built / dataset_reader.MANIFEST).exists()
    disk.lose_power()
    assert not (built / dataset_reader.MANIFEST).exists()
    monkeypatch.setattr(atomic_files, "disk", atomic_files.DiskOperations())
    toy.run(toy.settings(built))
    assert published(built) == before
