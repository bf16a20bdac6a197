from __future__ import annotations

from pathlib import Path

import pytest
from omegaconf import OmegaConf
from typed import resolve_words

from facelet.pipeline.build.build_plan import compute_plan
from facelet.pipeline.command.setting_keys import list_verb_keys
from facelet.pipeline.config import build_settings
from facelet.pipeline.config.build_settings import ParamRange, Settings
from facelet.pipeline.cube.table_cache import read_cache_setting


def make_settings(*words) -> Settings:
    return resolve_words(list(words))[0]


def test_defaults_are_the_papers():
    made = make_settings()
    assert (made.profile, made.name, made.count) == ("paper", "facelet-paper", 100)
    assert made.ranges == {"depth": ParamRange(tuple(range(1, 21)), 26), "level": ParamRange()}
    assert made.family_settings == {
        "cube": {"metric": "htm", "table": "default", "certified": "first", "cache": None}
    }
    assert made.out == Path("data/out/facelet-paper")
    assert [entry.config_name for entry in made.entries] == [
        "cube_bench.face_recognition",
        "cube_bench.verification",
        "cube_bench.move_prediction",
        "cube_bench.reflection",
        "cube_bench.reflection_unredacted",
        "cube_bench.move_effect",
        "cube_bench.step_by_step",
        "cube_bench.step_by_step_tree",
        "cube_bench.learning_curve",
        "cube_bench.recovery",
    ]
    depths = {entry.name: entry.ranges["depth"] for entry in made.entries}
    assert (depths["move_effect"], depths["step_by_step"]) == (
        ParamRange(None, 12),
        ParamRange(None, 5),
    )
    assert (depths["learning_curve"], depths["recovery"]) == (
        ParamRange((3,), 6),
        ParamRange((3,), 7),
    )
    assert made.splits == (("test", 1),)


@pytest.mark.parametrize("profile", ["smoke", "paper", "large"])
def test_every_profile_composes(profile):
    made = make_settings(f"profile={profile}")
    assert made.name == f"facelet-{profile}"
    assert made.count >= 1


def test_command_line_wins_over_the_profile():
    made = make_settings("profile=smoke", "count=3", "depths=2,4-5", "table=large", "seed=-7")
    assert (made.count, made.ranges["depth"], made.seed) == (3, ParamRange((2, 4, 5), 5), -7)
    assert made.family_settings["cube"] == {
        "metric": "htm",
        "table": "large",
        "certified": "first",
        "cache": None,
    }


def test_quoting_of_the_make_file():
    made = make_settings('depths="1-20"', "suites=[cube_bench]", "tasks=[move_effect]")
    assert made.ranges["depth"].values == tuple(range(1, 21))
    assert [entry.name for entry in made.entries] == ["move_effect"]


@pytest.mark.parametrize("path", ["/tmp/a b(c),d", "x=y", "${seed}", 'with"quote', "back\\slash"])
def test_paths_are_taken_as_they_stand(path):
    assert make_settings(f"out={path}").out == Path(path)


def test_home_is_expanded():
    assert make_settings("out=~/facelet").out == Path.home() / "facelet"
    assert (
        read_cache_setting(make_settings("cache=~/tables").family_settings["cube"])
        == Path.home() / "tables"
    )
    assert read_cache_setting(make_settings("cache=").family_settings["cube"]) is None


def test_keys_of_one_task():
    made = make_settings(
        "cube_bench.move_effect.max_depth=20",
        "cube_bench.move_effect.count=7",
        "cube_bench.verification.params.templates=[face,cell]",
    )
    entries = {entry.name: entry for entry in made.entries}
    assert (entries["move_effect"].ranges["depth"].limit, entries["move_effect"].count) == (20, 7)
    assert entries["verification"].params == {"templates": ["face", "cell"]}


def test_depths_of_one_task():
    made = make_settings("cube_bench.move_effect.depths=1-3,8", "depths=1-20")
    depths = {entry.name: entry.ranges["depth"].values for entry in made.entries}
    assert (depths["move_effect"], depths["verification"]) == ((1, 2, 3, 8), None)
    assert made.ranges["depth"].values == tuple(range(1, 21))


def test_levels_are_asked_for_as_depths_are():
    made = make_settings("levels=1-3,9", "max_level=7", "cube_bench.move_effect.levels=1-2,40")
    entries = {entry.name: entry.ranges["level"] for entry in made.entries}
    assert made.ranges["level"] == ParamRange((1, 2, 3, 9), 7)
    assert (entries["move_effect"], entries["verification"]) == (
        ParamRange((1, 2, 40)),
        ParamRange(),
    )


def test_sizes_and_runner():
    made = make_settings(
        "stage.emit.rows=512", "runner=dask", "runner.address=tcp://h:1", "workers=3"
    )
    assert (made.stages.emit_rows, made.stages.compose_items) == (512, 50)
    assert (made.runner.backend, made.runner.workers) == ("dask", 3)
    assert made.runner.address == "tcp://h:1"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("depht=3", r"unknown key 'depht' \(did you mean 'depths'\?\)"),
        ("depths=0-3", "depths=0-3: 0 is out of range; allowed: whole numbers .* from 1 on"),
        ("depths=three", "cannot read 'three'"),
        ("levels=3-1", "levels=3-1: 3-1 runs backwards; write 1-3"),
        ("max_level=0", "max_level=0 is out of range"),
        ("cube_bench.move_effect.max_depth=0", "cube_bench.move_effect.max_depth=0 is out of"),
        ("profile=smok", r"unknown profile 'smok' \(did you mean 'smoke'\?\); known: large, paper"),
        ("suites=[cube_bensch]", r"unknown suite 'cube_bensch' \(did you mean 'cube_bench'\?\)"),
        ("suites=[]", "suites=\\[\\] builds nothing"),
        ("tasks=[move_efect]", r"unknown task 'move_efect' \(did you mean 'move_effect'\?\)"),
        ("runner=spark", "unknown runner 'spark'; known: dask, local, ray"),
        ("metric=stm", "unknown metric 'stm'"),
        ("table=huge", "unknown table 'huge'"),
        ("seed=1.5", "seed=1.5 is not a whole number"),
        ("seed=abc", "seed=abc is not a whole number"),
        ("workers=0", "workers=0 is out of range; use a whole number of at least 1"),
        ("workers=-2", "workers=-2 is out of range"),
        ("count=0", "count=0 is out of range"),
        ("max_depth=0", "max_depth=0 is out of range"),
        ("splits=test:0", "splits=test:0: cannot read"),
        ("name=a/b", "name=a/b may contain"),
        ("progress=maybe", "progress=maybe is neither true nor false"),
        ("seed=1 seed=2", "seed is set twice"),
        ("build", "write words as key=value"),
        ("+seed=1", r"unknown key '\+seed'"),
        ("cube_bench.move_efect.count=3", r"'move_efect' \(did you mean 'move_effect'\?\)"),
        ("cube_bench.move_effect.cuont=3", r"'cuont' \(did you mean 'count'\?\)"),
        ("cube_bench.move_effect.max_depth=x", "'x' of type 'str' could not be converted"),
        ("cube_bench.move_effect.depths=0", "cube_bench.move_effect.depths=0: 0 is out of range"),
        ("cube_bench.move_effect.depths=1,1", "cube_bench.move_effect.depths=1,1 names 1 twice"),
        ("cube_bench.move_effect.params=3", "^cube_bench.move_effect.params=3 cannot be read"),
        (
            "cube_bench.move_effect.params.x={",
            r"^cube_bench.move_effect.params.x=\{ cannot be read",
        ),
        ("stage.emit.rows=1,2", r"^stage.emit.rows=1,2 has several values; .* list: \[1,2\]"),
        ("cube_bench.move_effect.params.x=${y}", "cannot be read: Interpolation key 'y'"),
        ("cubebench.move_effect.count=3", r"'cubebench' \(did you mean 'cube_bench'\?\)"),
        ("stage.emit.rowz=3", r"'rowz' \(did you mean 'rows'\?\)"),
        ("stage.emit.rows=0", "stage.emit.rows=0 is out of range"),
        ("stage.emit.group=1000", "at most 256"),
        ("hydra.run.dir=/tmp/x", "unknown key 'hydra'"),
    ],
)
def test_bad_values_name_the_value_and_the_fix(words, message):
    with pytest.raises(ValueError, match=message):
        make_settings(*words.split())


def test_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_settings("profile=smoke")
    assert list(tmp_path.iterdir()) == []


def test_shown_configuration_is_the_composed_one():
    text = resolve_words(["profile=smoke", "seed=3"])[1]
    shown = OmegaConf.create(text)
    assert (shown.profile, shown.seed, shown.count) == ("smoke", 3, 8)


def test_every_plain_key_is_one_of_the_configuration():
    shown = OmegaConf.create(resolve_words([])[1])
    told = {name for family in shown.family.values() for name in family}
    assert told == {"metric", "table", "certified", "cache"}
    own = {str(key) for key in shown} - {"suite", "stage", "family"} | {"suites"}
    assert {one.name for one in list_verb_keys(build_settings.BuildSettings)} - {
        "show",
        "dotted",
    } == own | told


@pytest.mark.parametrize("words", [[], ["metric=qtm"]])
def test_depths_that_the_cube_has_not_are_named_by_its_tasks(words):
    assert compute_plan(make_settings(*words, "depths=1-20")).cells
    with pytest.raises(ValueError, match=r"cube_bench\.\w+: depth=27 is out of range; .* 1 to 2"):
        compute_plan(make_settings(*words, "depths=27", "max_depth=99"))


def test_what_a_family_is_told_is_checked():
    assert build_settings.check_family_settings({"cube": {"metric": "qtm"}}) == {
        "cube": {"metric": "qtm"}
    }
    with pytest.raises(ValueError, match=r"'metrik' \(did you mean 'metric'"):
        build_settings.check_family_settings({"cube": {"metrik": "qtm"}})
    with pytest.raises(ValueError, match=r"family\.cube\.cache=3 must be a text"):
        build_settings.check_family_settings({"cube": {"cache": 3}})
    with pytest.raises(ValueError, match="key of the family 'jigsaw'"):
        build_settings.check_family_settings({"jigsaw": {"metric": "qtm"}})


def test_no_two_keys_share_a_name():
    names = [
        item.name
        for item in (*list_verb_keys(build_settings.BuildArguments), *build_settings.FAMILY_KEYS)
    ]
    assert sorted(set(names)) == sorted(names)
