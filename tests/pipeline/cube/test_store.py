"""The store: reading, writing, logs that survive a kill, every committed row by simulation."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import deep_search
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import search_findings
import store_writer
import symmetric_classes
from deep_search import (
    LONGER_WORD,
    Candidate,
    Candidates,
    SearchStep,
    describe_distribution,
    main,
    run_step,
    search_candidate,
    try_class_members,
    try_uniform_states,
)
from search_findings import Finding, FindingLog

from facelet.generators.core.task import Need
from facelet.generators.cube.distance import two_phase_solver
from facelet.generators.cube.distance.exact_solver import ExactSolver
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.notation import SOLVED, Metric
from facelet.generators.cube.pools.pool_spec import PoolSpec
from facelet.generators.cube.pools.slot_sources import Edition, from_store
from facelet.generators.cube.states import certified_states
from facelet.pipeline import cli
from facelet.pipeline.cube import store
from facelet.pipeline.cube.states import PROVIDER
from facelet.pipeline.cube.table_cache import open_table
from facelet.pipeline.dataset.atomic_files import hold_lock
from facelet.pipeline.resource_providers import PoolContext, PoolRequest, ResourcePool

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


def make_finding(**changes: object) -> Finding:
    """Return the proof of the superflip, or a changed one."""
    made = Finding(
        step="O_h",
        candidate="superflip",
        facelets=moves.apply_maneuver(SOLVED, SUPERFLIP),
        metric="htm",
        solution=notation.format_maneuver(
            notation.invert_maneuver(notation.parse_maneuver(SUPERFLIP))
        ),
        exhausted=19,
        sampling="symmetric",
        members=1,
        source="",
        table="htm-large",
        table_hash="0" * 64,
        nodes=12345,
        seconds=1.5,
        edition=1,
    )
    return replace(made, **changes)


def test_a_finding_is_a_proof_when_the_bounds_meet() -> None:
    assert make_finding().solution_length == 20
    assert make_finding().is_exact
    assert not make_finding(exhausted=18).is_exact


def test_a_proof_at_20_gives_states_at_19_and_18_for_nothing() -> None:
    rows = list(search_findings.iterate_storable([make_finding()]))
    assert [row.state.optimal_depth for row in rows] == [20, 19, 19, 18, 18, 18]
    assert [row.state.sampling for row in rows] == ["symmetric"] + ["subword"] * 5
    assert {row.source for row in rows} == {"", make_finding().facelets}
    family = symmetry.canonical_with_inverse(make_finding().facelets)
    assert {row.state.family for row in rows} == {family}
    assert rows[0].symmetry == "O_h"
    for row in rows:
        assert certified_states.find_state_faults(row.state) == []
        assert row.command == "python -m facelet.pipeline.cube.store steps=O_h table=htm-large"


def test_mere_bounds_and_shallow_states_are_not_stored() -> None:
    part = search_findings.derive_subword(
        next(iter(search_findings.iterate_storable([make_finding()]))).state, 0, 12
    )
    shallow = make_finding(facelets=part.facelets, solution=part.solution, exhausted=11)
    assert shallow.is_exact
    other = make_finding(sampling=LONGER_WORD)
    assert (
        list(search_findings.iterate_storable([make_finding(exhausted=18), shallow, other])) == []
    )


def test_written_states_are_read_back_and_the_bytes_are_the_same(tmp_path: Path) -> None:
    rows = list(search_findings.iterate_storable([make_finding()]))
    store_writer.write_states(rows, "htm", tmp_path)
    first = (tmp_path / "htm.parquet").read_bytes()
    read = store.load_rows("htm", tmp_path)
    # Both ends of the superflip's solution lead to the same two classes of neighbours, at most.
    assert len({row.state.canonical for row in read}) == len(read)
    assert {row.state.canonical for row in read} == {row.state.canonical for row in rows}
    assert [row.state.optimal_depth for row in read] == sorted(r.state.optimal_depth for r in read)
    assert set(read) <= set(rows)
    store_writer.write_states(reversed(rows), "htm", tmp_path / "again")
    assert (tmp_path / "again" / "htm.parquet").read_bytes() == first
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_later_finding_about_a_stored_state_changes_no_row(tmp_path: Path) -> None:
    """Neither if it is of a class that goes before, nor if it is about another image."""
    old = list(search_findings.iterate_storable([make_finding()]))
    store_writer.write_states(old, "htm", tmp_path / "old")
    part = next(row.state for row in old if row.state.optimal_depth == 19)
    image = certified_states.transform_certified(part, 5)
    later = make_finding(
        candidate="later", edition=2, facelets=image.facelets, solution=image.solution, exhausted=18
    )
    assert (later.sampling, part.sampling) == ("symmetric", "subword")
    short = search_findings.derive_subword(old[0].state, 0, 17)
    other = make_finding(
        candidate="short", edition=2, facelets=short.facelets, solution=short.solution, exhausted=16
    )
    store_writer.write_states(
        search_findings.iterate_storable([make_finding(), later, other]), "htm", tmp_path / "new"
    )
    before, after = (store.load_rows("htm", tmp_path / name) for name in ("old", "new"))
    assert set(after) - set(before) == {row for row in after if row.state.optimal_depth == 17}
    assert set(before) <= set(after)
    first, second = store.load_editions("htm", tmp_path / "new")
    assert first == store.load_states("htm", tmp_path / "old")
    assert [state.canonical for state in second] == [short.canonical]


def test_columns_are_documented_in_the_file(tmp_path: Path) -> None:
    store_writer.write_states(search_findings.iterate_storable([make_finding()]), "htm", tmp_path)
    schema = pq.read_schema(tmp_path / "htm.parquet")
    assert schema.names == list(store.STATES)
    for field in schema:
        assert field.metadata[b"description"].decode() == store.STATES[field.name][1]
        assert not field.nullable


@pytest.mark.parametrize(
    ("change", "complaint"),
    [({"solution": "R"}, "does not solve"), ({"sampling": "guess"}, "'guess' is not one of")],
)
def test_a_damaged_row_is_refused(change: dict[str, str], complaint: str, tmp_path: Path) -> None:
    store_writer.write_states(search_findings.iterate_storable([make_finding()]), "htm", tmp_path)
    path = tmp_path / "htm.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0].update(change)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    with pytest.raises(ValueError, match=complaint):
        store.load_states("htm", tmp_path)


def test_an_absent_store_is_empty_and_a_wrong_metric_refused(tmp_path: Path) -> None:
    assert store.load_states("qtm", tmp_path) == ()
    with pytest.raises(ValueError, match="not one of htm, qtm"):
        store.load_states("stm", tmp_path)  # type: ignore[arg-type]


def iterate_candidates(limit: int) -> Candidates:
    """Yield candidates 0, 1, ... as a step does."""
    for number in range(limit):
        yield Candidate(str(number), SOLVED, "random_word")


def test_a_step_resumes_after_a_kill_in_the_middle_of_a_line(tmp_path: Path) -> None:
    step = SearchStep("numbers", "htm", lambda promise: iterate_candidates(5))
    searched: list[str] = []

    def find_until_killed(candidate: Candidate) -> Finding:
        searched.append(candidate.name)
        if len(searched) == 3:
            raise KeyboardInterrupt
        return make_finding(step="numbers", candidate=candidate.name)

    with pytest.raises(KeyboardInterrupt):
        run_step(
            step, FindingLog("numbers", tmp_path), len, find_until_killed, out_of_time=float("inf")
        )
    path = tmp_path / "numbers.jsonl"
    assert len(path.read_text().splitlines()) == 2
    with path.open("a") as file:
        file.write(json.dumps(asdict(make_finding(step="numbers", candidate="2")))[:100])
    log = FindingLog("numbers", tmp_path)
    assert list(log.findings) == ["0", "1"]
    assert run_step(step, log, len, find_until_killed, out_of_time=float("inf"))
    assert searched == ["0", "1", "2", "2", "3", "4"]
    assert [f.candidate for f in search_findings.read_log(path)] == ["0", "1", "2", "3", "4"]


def test_the_most_promising_members_of_a_class_come_first() -> None:
    promise = {
        key: number for number, key in enumerate(symmetric_classes.class_representatives("T"))
    }
    candidates = try_class_members("T", lambda state: -promise[state])
    tried = [next(candidates)]
    while len(tried) < len(promise):
        tried.append(candidates.send(make_finding()))
    assert [candidate.name for candidate in tried] == list(promise)[::-1]
    assert sum(candidate.members for candidate in tried) == 72
    assert {candidate.sampling for candidate in tried} == {"symmetric"}


@pytest.mark.parametrize(("depth", "odd"), [(21, 1), (22, 0)])
def test_uniform_states_of_a_depth_in_quarter_turns_are_as_even_as_it(depth: int, odd: int) -> None:
    candidates = try_uniform_states("qtm", depth, 2, lambda state: 0)
    tried = [next(candidates)]
    tried += [candidates.send(make_finding(exhausted=depth - 3)) for _ in range(20)]
    for candidate in tried:
        quarters = notation.maneuver_length(
            two_phase_solver.find_solution(candidate.facelets), "qtm"
        )
        assert quarters % 2 == odd
    assert len({candidate.facelets for candidate in tried}) == 21
    assert {candidate.sampling for candidate in tried} == {"random_state"}
    candidates.send(make_finding(exhausted=depth - 1))
    with pytest.raises(StopIteration):
        candidates.send(make_finding(exhausted=depth - 1))


def test_a_step_that_runs_out_of_time_begins_no_search(tmp_path: Path) -> None:
    step = SearchStep("numbers", "htm", lambda promise: iterate_candidates(5))
    log = FindingLog(
        "numbers",
        tmp_path,
        [make_finding(step="numbers", candidate="0"), make_finding(step="other")],
    )
    assert list(log.findings) == ["0"]

    def find_state(candidate: Candidate) -> Finding:
        raise AssertionError("there is no time left")

    assert not run_step(step, log, len, find_state, out_of_time=0.0)


@pytest.mark.parametrize(
    ("word", "length", "sampling"),
    [("R U F' L2", 4, "random_word"), ("R U R' U' U", 3, LONGER_WORD)],
)
def test_a_word_that_is_not_optimal_says_so(word: str, length: int, sampling: str) -> None:
    solver = ExactSolver(open_table("htm-small", progress=False))
    solution = notation.invert_maneuver(notation.parse_maneuver(word))
    candidate = Candidate("0", moves.apply_maneuver(SOLVED, word), "random_word", solution)
    step = SearchStep("words", "htm", lambda promise: iterate_candidates(1))
    found = search_candidate(step, candidate, solver, "htm-small")
    assert (found.solution_length, found.sampling, found.is_exact) == (length, sampling, True)
    assert moves.apply_maneuver(found.facelets, found.solution) == SOLVED


def test_logs_and_committed_findings_are_joined(tmp_path: Path) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    FindingLog("O_h", work).append_finding(make_finding())
    assert main([f"work={work}", f"out={out}", "steps="]) == 0
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(first) == {"findings.parquet", "htm.parquet", "qtm.parquet"}
    (work / "O_h.jsonl").unlink()
    assert main([f"work={work}", f"out={out}", "steps="]) == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first
    assert search_findings.read_committed(out) == (make_finding(),)
    FindingLog("O_h", work).append_finding(make_finding(edition=7))
    assert main([f"work={work}", f"out={out}", "steps="]) == 0
    assert search_findings.read_committed(out) == (make_finding(),)


def test_a_step_that_another_run_is_at_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(deep_search, "open_table", lambda name, private: None)
    monkeypatch.setattr(deep_search, "ExactSolver", lambda table: None)
    with hold_lock(tmp_path / "T_h.lock", "this test"):
        assert main([f"work={tmp_path}", f"out={tmp_path}", "steps=T_h"]) == 0
    assert "T_h: left out, another run is at it" in capsys.readouterr().out


@pytest.mark.parametrize("argument", ["steps=O_h,X", "minutes=soon", "speed=1", "fast"])
def test_bad_arguments_are_refused(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([argument]) == 2
    assert capsys.readouterr().out


def test_distribution_counts_members() -> None:
    found = [
        make_finding(members=3),
        make_finding(candidate="x", members=2),
        make_finding(exhausted=3),
    ]
    assert describe_distribution(found) == "5 at 20"


@pytest.mark.parametrize("metric", store.METRICS)
def test_every_committed_state_holds_by_simulation(metric: Metric) -> None:
    """`load_states` refuses what simulation can refute; here are the keys that need the sources."""
    rows = store.load_rows(metric)
    assert len({row.state.canonical for row in rows}) == len(rows)
    for row in rows:
        origin = row.source or row.state.facelets
        assert row.state.family == symmetry.canonical_with_inverse(origin)
        if row.state.sampling in ("subword", "neighbour"):
            assert row.source
        elif row.source:
            assert row.state.optimal_depth == 20
            assert row.state.facelets == symmetry.inverse_state(row.source)


def test_committed_states_follow_from_the_committed_findings(tmp_path: Path) -> None:
    search_findings.write_all(search_findings.read_committed(), tmp_path)
    for metric in store.METRICS:
        assert store.load_rows(metric, tmp_path) == store.load_rows(metric)


def test_committed_solutions_solve() -> None:
    for found in search_findings.read_committed():
        assert moves.apply_maneuver(found.facelets, found.solution) == SOLVED
        assert found.solution_length > found.exhausted


def grown(monkeypatch: pytest.MonkeyPatch, depth: int) -> tuple[Edition, Edition]:
    """Let ten states of a depth of the store have been found later; return both editions."""
    states = [state for edition in store.load_editions("htm") for state in edition]
    later = [state for state in states if state.optimal_depth == depth][:10]
    editions = tuple(state for state in states if state not in later), tuple(later)
    monkeypatch.setattr(store, "load_editions", lambda *_: editions)
    return editions


def test_what_is_found_later_is_taken_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sooner, later = grown(monkeypatch, 20)
    of_depth = tuple(state for state in sooner if state.optimal_depth == 20)
    assert store.states_for_pools("htm", 20) == (of_depth,)
    assert store.states_for_pools("htm", 20, every=True) == (of_depth, later)
    said = store.digest_states(store.states_for_pools("htm", 20))
    assert said != store.digest_states(store.states_for_pools("htm", 20, every=True))
    assert said != store.digest_states(store.states_for_pools("htm", 19))
    # More of another depth, or of a later edition, is nothing to it.
    grown(monkeypatch, 19)
    monkeypatch.setattr(store, "load_editions", lambda *_: (sooner, (*later, *later)))
    assert store.digest_states(store.states_for_pools("htm", 20)) == said
    # A depth that was found later only is taken from there.
    deepest = tuple(state for state in sooner if state.optimal_depth < 20)
    monkeypatch.setattr(store, "load_editions", lambda *_: (deepest, later))
    assert store.states_for_pools("htm", 20) == (later,)


def test_a_pool_is_the_same_after_the_store_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    need = Need("cube/states", (("depth", 20), ("metric", "htm"), ("neighbours", False)))

    def make_pool_table(**told: str) -> tuple[ResourcePool, pa.Table]:
        world = PoolContext(0, (("test", 1),), {"table": "small", **told})
        (pool,) = PROVIDER.plan([PoolRequest(need, "test", 10_000)], world).values()
        return pool, PROVIDER.merge(pool, [PROVIDER.make(pool, 0, {})], {})

    def short_digest(pool: ResourcePool, table: pa.Table) -> str:
        return PROVIDER.shortfall(pool, PROVIDER.load(pool, table))

    sooner, later = grown(monkeypatch, 20)
    monkeypatch.setattr(store, "load_editions", lambda *_: (sooner,))
    before, states = make_pool_table()
    assert short_digest(before, states).endswith("are all that it takes of the store")
    monkeypatch.setattr(store, "load_editions", lambda *_: (sooner, later))
    after = make_pool_table()
    assert after[0] == make_pool_table(certified="first")[0] == before and after[1] == states
    assert short_digest(*after).endswith("; certified=all takes what was found since, too")
    pool, more = make_pool_table(certified="all")
    assert pool != before and more.num_rows > states.num_rows
    assert more.slice(0, states.num_rows) == states
    assert short_digest(pool, more).endswith("are all that it takes of the store")


def test_a_pool_at_17_is_drawn_beyond_what_the_store_has_and_one_at_18_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Up to there nothing about a pool changes, so that its rows do not."""
    world = PoolContext(0, (("test", 1),), {"table": "small"})

    def plan_pool(depth: int, count: int) -> ResourcePool:
        need = Need("cube/states", (("depth", depth), ("metric", "htm"), ("neighbours", False)))
        (made,) = PROVIDER.plan([PoolRequest(need, "test", count)], world).values()
        return made

    first = store.load_editions("htm")[:1]
    has = len(list(from_store(PoolSpec("htm", 17, "test", world.splits, 0, 1), first)))
    assert has >= 690
    enough, more = plan_pool(17, has), plan_pool(17, has + 7)
    assert "held" not in dict(enough.args) and enough.chunks == 1
    assert dict(more.args) == dict(enough.args) | {"count": has + 7, "held": has}
    assert more.chunks == 1 + 2
    assert PROVIDER.make(more, 0, {}).num_rows == has
    assert "held" not in dict(plan_pool(18, 100_000).args)
    # Of an edition that comes later it takes none, or words would move.
    later = [state for state in first[0] if state.optimal_depth == 17][:20]
    sooner = [state for state in first[0] if state not in later]
    monkeypatch.setattr(store, "load_editions", lambda *_: (sooner, later))
    assert has - 40 <= dict(plan_pool(17, has + 7).args)["held"] <= has - 20


def test_a_worker_takes_states_from_the_store_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    need = Need("cube/states", (("depth", 18), ("metric", "htm"), ("neighbours", False)))
    request = PoolRequest(need, "test", 2)
    world = PoolContext(0, (("test", 1),), {"table": "small"})
    (pool,) = PROVIDER.plan([request], world).values()
    assert dict(pool.args)["store"] == store.digest_states(store.states_for_pools("htm", 18))
    monkeypatch.setattr(store, "digest_states", lambda states: "another")
    with pytest.raises(ValueError, match=r"htm\.parquet changed after the build was planned"):
        PROVIDER.make(pool, 0, {})


def test_a_forged_store_does_not_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Certificates that claim depth 18 of states that a few moves solve."""
    padding = " ".join(["U D U' D'"] * 3)
    forged = []
    for word in ("R F2 U' L F R2", "B2 U F' D2 R L2", "D R2 B U2 L' F", "L2 B' R U F2 D'"):
        solution = f"{word} {padding}"
        turns = notation.parse_maneuver(solution)
        facelets = moves.apply_maneuver(SOLVED, notation.invert_maneuver(turns))
        real = next(s for s in store.load_states("htm") if s.optimal_depth == 18)
        forged.append(
            replace(
                real,
                facelets=facelets,
                solution=solution,
                family=symmetry.canonical_with_inverse(facelets),
                canonical=symmetry.canonical_image(facelets)[0],
            )
        )
    assert [certified_states.find_state_faults(state) for state in forged] == [[]] * len(forged)
    monkeypatch.setattr(store, "load_editions", lambda *_: (tuple(forged),))
    words = ["build", "profile=smoke", "suites=[cube_bench]", "depths=18", "count=1", "workers=1"]
    assert cli.main([*words, "tasks=[cube/verification]", f"out={tmp_path}/out"]) == 2
    assert "is not at depth 18" in capsys.readouterr().err
