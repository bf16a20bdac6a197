"""Which source files decide what: a change in one family is none in another."""

from __future__ import annotations

import os

import pytest

from facelet.generators.core import task_registry
from facelet.pipeline.dataset import source_fingerprint
from facelet.pipeline.dataset.source_fingerprint import (
    fingerprint_sources,
    import_closure,
    task_sources,
)


@pytest.fixture(autouse=True)
def forgetful():
    """Files change under these tests: nothing is remembered of them."""

    def clear_caches():
        for remembered in (fingerprint_sources, import_closure, source_fingerprint._module_sources):
            remembered.cache_clear()

    clear_caches()
    yield clear_caches
    clear_caches()


def test_fingerprint_sees_the_source(tmp_path, monkeypatch, forgetful):
    package = tmp_path / "fingerprinted"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "kernel.c").write_text("int x;")
    monkeypatch.syspath_prepend(str(tmp_path))
    seen = set()
    for change in ("", "int y;", None):
        if change is not None:
            (package / "kernel.c").write_text(change)
        else:
            (package / "kernel.c").rename(package / "other.c")
        forgetful()
        seen.add(fingerprint_sources(("fingerprinted",)))
        (package / "kernel.o").write_text(f"not source {change}")
        forgetful()
        seen.add(fingerprint_sources(("fingerprinted",)))
    assert len(seen) == 3
    with pytest.raises(ValueError, match="no_such_package has no source file"):
        fingerprint_sources(("no_such_package",))


def test_a_module_stands_for_the_data_beside_it():
    root, files = source_fingerprint._list_files("facelet.renderers.painters.glyphs")
    assert [path.name for path in files] == ["glyphs.png", "glyphs.py"]
    assert (root / "cube_net.py").is_file()


@pytest.mark.some(6)
@pytest.mark.parametrize("name", task_registry.task_names())
def test_a_task_rests_on_its_own_family_only(name):
    family = name.partition("/")[0]
    found = task_sources(task_registry.load_task(name))
    assert {f"facelet.generators.{part}" for part in (family, "core", "options")} <= set(found)
    others = {
        f"facelet.generators.{other.partition('/')[0]}" for other in task_registry.task_names()
    }
    others.remove(f"facelet.generators.{family}")
    assert not [part for part in found if any(f"{part}.".startswith(f"{o}.") for o in others)]
    assert not [part for part in found if ".pipeline" in part or ".painters" in part]
    assert "facelet.generators" not in found


def test_imports_are_followed_to_the_end():
    found = import_closure(("facelet.renderers.painters.labyrinth",))
    assert {f"facelet.renderers.painters.{name}" for name in ("glyphs", "labyrinth_icons")} < set(
        found
    )
    assert "facelet.renderers.scenes.records" in found
    assert not [name for name in found if "cube" in name or "jigsaw" in name]


def test_a_comment_in_one_family_remakes_its_shards_and_no_others(
    two_families, toy, tmp_path, published, forgetful
):
    configured = toy.settings(tmp_path / "out", entries=two_families.entries)
    first = toy.run(configured)
    before = published(tmp_path / "out")

    def marked_digests():
        files = [*(tmp_path / "out" / ".facelet" / "compose").rglob("*.parquet")]
        files += (tmp_path / "out").glob("toys.*/*.parquet")
        return {path.relative_to(tmp_path / "out").as_posix(): path for path in files}

    for changed, other in (("apple", "pear"), ("pear", "apple")):
        for path in marked_digests().values():
            os.utime(path, ns=(0, 0))
        two_families.add(changed, "# a comment\n")
        forgetful()
        again = toy.run(configured)
        assert again.content_hash == first.content_hash
        assert published(tmp_path / "out") == before
        made = {name for name, path in marked_digests().items() if path.stat().st_mtime_ns}
        assert made == {name for name in marked_digests() if f"toys.{changed}/" in name}
        assert any(f"toys.{other}/" in name for name in marked_digests())


def test_painters_decide_the_shards_of_rows_with_pictures_only(toy, tmp_path, monkeypatch):
    from facelet.pipeline.build.build_folder import CompletionRecord
    from facelet.pipeline.build.emit_stage import EmitJob, ShardSlice

    def list_sources(*scenes):
        record = CompletionRecord("x", "x", 1, 1, "x", (), {"scenes": list(scenes)})
        job = EmitJob(
            "a.b", "test", 0, 1, (ShardSlice(record, 0, 1),), toy.toy_family.TASK, None, 1, {}
        )
        return {name for name in job.sources if "renderers" in name} - {
            name for name in task_sources(toy.toy_family.TASK) if "renderers" in name
        }

    assert list_sources() == set()
    net = list_sources("facelet.renderers.scenes.records.CubeNet")
    assert {"facelet.renderers.api", "facelet.renderers.painters.cube_net"} <= net
    assert not [name for name in net if "labyrinth" in name or "jigsaw" in name]
