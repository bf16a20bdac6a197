"""The sweep over seeds: what fails is told, kept and tried again; what passed is not."""

from pathlib import Path

import pytest
import sweep

from facelet.pipeline.audit.dataset_audit import AuditError, AuditReport

TINY = """
tiny:
  tasks:
    chemical_synthesis:
      task: arcade/chemical_synthesis
      params: {level: 1}
      count: 2
"""


@pytest.mark.slow
def test_a_failure_ends_nothing_and_only_failures_are_built_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, out = tmp_path / "tiny.yaml", tmp_path / "out"
    suite.write_text(TINY)
    # With one draw an item some seeds make the items of this suite, and others do not.
    told = [f"suites={suite}", f"out={out}", "workers=1", "stage.compose.attempts=1"]
    assert sweep.main([*told, "seeds=2,1"]) == 1
    head, bad, good, end, where = capsys.readouterr().out.splitlines()
    assert head == "sweep: seeds=2,1 profile=smoke" and end == "1 built, 1 failed"
    assert bad.startswith("smoke-tiny-2-") and good.startswith("smoke-tiny-1-")
    assert "FAILED tiny.chemical_synthesis/l01/" in bad and "was rejected 1 times" in bad
    assert good.endswith(" s  ok") and str(out) in where
    name = bad.split()[0]
    assert {item.name for item in out.iterdir()} == {name, f"{name}.log", sweep.PASSED}
    assert "rejected" in (out / f"{name}.log").read_text()

    assert sweep.main([*told, "seeds=1", "workers=2"]) == 0
    assert "0 built, 0 failed, 1 passed before" in capsys.readouterr().out


def test_other_words_rows_or_sources_are_another_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = tmp_path / "tiny.yaml"
    suite.write_text(TINY)

    def build_keys(*words: str) -> set[str]:
        made = sweep.list_builds(sweep.parse_sweep([f"suites={suite}", "seeds=1", *words]))
        return {build.key for build in made}

    first = build_keys()
    assert build_keys("workers=2") == first and build_keys("profile=smoke") == first
    assert not first & build_keys("profile=paper") and not first & build_keys("count=9")
    assert not first & build_keys("seeds=2")
    suite.write_text(TINY.replace("count: 2", "count: 3"))
    assert not first & build_keys()
    suite.write_text(TINY)
    monkeypatch.setattr(sweep, "fingerprint_sources", lambda names: "other sources")
    assert not first & build_keys()


def test_every_suite_is_swept_under_seeds_of_the_date() -> None:
    every = sweep.parse_sweep(["seeds=", "suites=", "out="])
    assert len(set(every.seeds)) == sweep.FRESH and every.profile == "smoke"
    assert {path.stem for path in (sweep.ROOT / "conf" / "suite").iterdir()} == set(every.suites)
    assert sweep.from_date("2026-01-01") == sweep.from_date("2026-01-01")
    assert set(sweep.from_date("2026-01-01")).isdisjoint(sweep.from_date("2026-01-02"))
    assert not any("unfair=write" in build.words for build in sweep.list_builds(every))


@pytest.mark.parametrize("word", ["seeds=1,two", "seeds=-1", "suites=no_such_suite", "fast"])
def test_what_cannot_be_swept_is_refused_at_once(
    word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sweep.main([word]) == 2
    assert capsys.readouterr().err.startswith("sweep: ")


def test_the_reason_is_the_first_figure_beyond_its_limit() -> None:
    lines = ("a.b test/d01: gold_p is 1e-09, allowed at least 1e-08", "a.c: a player")
    refused = f"audit: 3 s\nfacelet build: {AuditError(AuditReport({}, 7, lines))}\n"
    assert sweep.failure_reason(refused) == f"{lines[0]} (and 1 more)"
    assert (
        sweep.failure_reason("facelet build: count=0 is out of range") == "count=0 is out of range"
    )
    assert sweep.failure_reason("Traceback ...\n  File x\nKeyError: 'k'\n\n") == "KeyError: 'k'"
    assert sweep.failure_reason("") == "it said nothing"
