"""The store: reading, writing, logs that survive a kill, every committed row by simulation."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from facelet.generators.core.task import Need
from facelet.generators.cube.distance import two_phase
from facelet.generators.cube.distance.solver import Solver
from facelet.generators.cube.engine import moves, notation, symmetry
from facelet.generators.cube.engine.facelets import SOLVED
from facelet.generators.cube.engine.metrics import Metric
from facelet.generators.cube.pools import derivation, symmetric_classes
from facelet.generators.cube.pools.slots import Edition, from_store
from facelet.generators.cube.pools.spec import PoolSpec
from facelet.generators.cube.states import certified
from facelet.pipeline.cube import store
from facelet.pipeline.cube.states import PROVIDER
from facelet.pipeline.cube.store import findings, prospecting
from facelet.pipeline.cube.store.findings import Finding, Log
from facelet.pipeline.cube.store.prospecting import (
    LONGER_WORD,
    Candidate,
    Candidates,
    Prospect,
    distribution,
    main,
    members,
    search,
    states,
    take,
)
from facelet.pipeline.cube.tables import open_table
from facelet.pipeline.dataset.locks import only_one
from facelet.pipeline.resources import Pool, Request, World

SUPERFLIP = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"


def finding(**changes: object) -> Finding:
    """Return the proof of the superflip, or a changed one."""
    made = Finding(
        step="O_h",
        candidate="superflip",
        facelets=moves.apply(SOLVED, SUPERFLIP),
        metric="htm",
        solution=notation.format(notation.invert(notation.parse(SUPERFLIP))),
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
    assert finding().length == 20
    assert finding().exact
    assert not finding(exhausted=18).exact


def test_a_proof_at_20_gives_states_at_19_and_18_for_nothing() -> None:
    rows = list(findings.harvest([finding()]))
    assert [row.state.optimal_depth for row in rows] == [20, 19, 19, 18, 18, 18]
    assert [row.state.sampling for row in rows] == ["symmetric"] + ["subword"] * 5
    assert {row.source for row in rows} == {"", finding().facelets}
    family = symmetry.canonical_with_inverse(finding().facelets)
    assert {row.state.family for row in rows} == {family}
    assert rows[0].symmetry == "O_h"
    for row in rows:
        assert certified.faults(row.state) == []
        assert row.command == "python -m facelet.pipeline.cube.store steps=O_h table=htm-large"


def test_mere_bounds_and_shallow_states_are_not_stored() -> None:
    part = derivation.subword(next(iter(findings.harvest([finding()]))).state, 0, 12)
    shallow = finding(facelets=part.facelets, solution=part.solution, exhausted=11)
    assert shallow.exact
    other = finding(sampling=LONGER_WORD)
    assert list(findings.harvest([finding(exhausted=18), shallow, other])) == []


def test_written_states_are_read_back_and_the_bytes_are_the_same(tmp_path: Path) -> None:
    rows = list(findings.harvest([finding()]))
    store.write_states(rows, "htm", tmp_path)
    first = (tmp_path / "htm.parquet").read_bytes()
    read = store.load_rows("htm", tmp_path)
    # Both ends of the superflip's solution lead to the same two classes of neighbours, at most.
    assert len({row.state.canonical for row in read}) == len(read)
    assert {row.state.canonical for row in read} == {row.state.canonical for row in rows}
    assert [row.state.optimal_depth for row in read] == sorted(r.state.optimal_depth for r in read)
    assert set(read) <= set(rows)
    store.write_states(reversed(rows), "htm", tmp_path / "again")
    assert (tmp_path / "again" / "htm.parquet").read_bytes() == first
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_later_finding_about_a_stored_state_changes_no_row(tmp_path: Path) -> None:
    """Neither if it is of a class that goes before, nor if it is about another image."""
    old = list(findings.harvest([finding()]))
    store.write_states(old, "htm", tmp_path / "old")
    part = next(row.state for row in old if row.state.optimal_depth == 19)
    image = derivation.image(part, 5)
    later = finding(
        candidate="later", edition=2, facelets=image.facelets, solution=image.solution, exhausted=18
    )
    assert (later.sampling, part.sampling) == ("symmetric", "subword")
    short = derivation.subword(old[0].state, 0, 17)
    other = finding(
        candidate="short", edition=2, facelets=short.facelets, solution=short.solution, exhausted=16
    )
    store.write_states(findings.harvest([finding(), later, other]), "htm", tmp_path / "new")
    before, after = (store.load_rows("htm", tmp_path / name) for name in ("old", "new"))
    assert set(after) - set(before) == {row for row in after if row.state.optimal_depth == 17}
    assert set(before) <= set(after)
    first, second = store.editions("htm", tmp_path / "new")
    assert first == store.load("htm", tmp_path / "old")
    assert [state.canonical for state in second] == [short.canonical]


def test_columns_are_documented_in_the_file(tmp_path: Path) -> None:
    store.write_states(findings.harvest([finding()]), "htm", tmp_path)
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
    store.write_states(findings.harvest([finding()]), "htm", tmp_path)
    path = tmp_path / "htm.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0].update(change)
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    with pytest.raises(ValueError, match=complaint):
        store.load("htm", tmp_path)


def test_an_absent_store_is_empty_and_a_wrong_metric_refused(tmp_path: Path) -> None:
    assert store.load("qtm", tmp_path) == ()
    with pytest.raises(ValueError, match="not one of htm, qtm"):
        store.load("stm", tmp_path)  # type: ignore[arg-type]


def numbered(limit: int) -> Candidates:
    """Yield candidates 0, 1, ... as a step does."""
    for number in range(limit):
        yield Candidate(str(number), SOLVED, "random_word")


def test_a_step_resumes_after_a_kill_in_the_middle_of_a_line(tmp_path: Path) -> None:
    step = Prospect("numbers", "htm", lambda promise: numbered(5))
    searched: list[str] = []

    def find(candidate: Candidate) -> Finding:
        searched.append(candidate.name)
        if len(searched) == 3:
            raise KeyboardInterrupt
        return finding(step="numbers", candidate=candidate.name)

    with pytest.raises(KeyboardInterrupt):
        take(step, Log("numbers", tmp_path), len, find, out_of_time=float("inf"))
    path = tmp_path / "numbers.jsonl"
    assert len(path.read_text().splitlines()) == 2
    with path.open("a") as file:
        file.write(json.dumps(asdict(finding(step="numbers", candidate="2")))[:100])
    log = Log("numbers", tmp_path)
    assert list(log.findings) == ["0", "1"]
    assert take(step, log, len, find, out_of_time=float("inf"))
    assert searched == ["0", "1", "2", "2", "3", "4"]
    assert [f.candidate for f in findings.read_log(path)] == ["0", "1", "2", "3", "4"]


def test_the_most_promising_members_of_a_class_come_first() -> None:
    promise = {key: number for number, key in enumerate(symmetric_classes.representatives("T"))}
    candidates = members("T", lambda state: -promise[state])
    tried = [next(candidates)]
    while len(tried) < len(promise):
        tried.append(candidates.send(finding()))
    assert [candidate.name for candidate in tried] == list(promise)[::-1]
    assert sum(candidate.members for candidate in tried) == 72
    assert {candidate.sampling for candidate in tried} == {"symmetric"}


@pytest.mark.parametrize(("depth", "odd"), [(21, 1), (22, 0)])
def test_uniform_states_of_a_depth_in_quarter_turns_are_as_even_as_it(depth: int, odd: int) -> None:
    candidates = states("qtm", depth, 2, lambda state: 0)
    tried = [next(candidates)]
    tried += [candidates.send(finding(exhausted=depth - 3)) for _ in range(20)]
    for candidate in tried:
        quarters = notation.length(two_phase.solve(candidate.facelets), "qtm")
        assert quarters % 2 == odd
    assert len({candidate.facelets for candidate in tried}) == 21
    assert {candidate.sampling for candidate in tried} == {"random_state"}
    candidates.send(finding(exhausted=depth - 1))
    with pytest.raises(StopIteration):
        candidates.send(finding(exhausted=depth - 1))


def test_a_step_that_runs_out_of_time_begins_no_search(tmp_path: Path) -> None:
    step = Prospect("numbers", "htm", lambda promise: numbered(5))
    log = Log("numbers", tmp_path, [finding(step="numbers", candidate="0"), finding(step="other")])
    assert list(log.findings) == ["0"]

    def find(candidate: Candidate) -> Finding:
        raise AssertionError("there is no time left")

    assert not take(step, log, len, find, out_of_time=0.0)


@pytest.mark.parametrize(
    ("word", "length", "sampling"),
    [("R U F' L2", 4, "random_word"), ("R U R' U' U", 3, LONGER_WORD)],
)
def test_a_word_that_is_not_optimal_says_so(word: str, length: int, sampling: str) -> None:
    solver = Solver(open_table("htm-small", progress=False))
    solution = notation.invert(notation.parse(word))
    candidate = Candidate("0", moves.apply(SOLVED, word), "random_word", solution)
    step = Prospect("words", "htm", lambda promise: numbered(1))
    found = search(step, candidate, solver, "htm-small")
    assert (found.length, found.sampling, found.exact) == (length, sampling, True)
    assert moves.apply(found.facelets, found.solution) == SOLVED


def test_logs_and_committed_findings_are_joined(tmp_path: Path) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    Log("O_h", work).add(finding())
    assert main([f"work={work}", f"out={out}", "steps="]) == 0
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert set(first) == {"findings.parquet", "htm.parquet", "qtm.parquet"}
    (work / "O_h.jsonl").unlink()
    assert main([f"work={work}", f"out={out}", "steps="]) == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == first
    assert findings.read_committed(out) == (finding(),)
    Log("O_h", work).add(finding(edition=7))
    assert main([f"work={work}", f"out={out}", "steps="]) == 0
    assert findings.read_committed(out) == (finding(),)


def test_a_step_that_another_run_is_at_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prospecting, "open_table", lambda name, private: None)
    monkeypatch.setattr(prospecting, "Solver", lambda table: None)
    with only_one(tmp_path / "T_h.lock", "this test"):
        assert main([f"work={tmp_path}", f"out={tmp_path}", "steps=T_h"]) == 0
    assert "T_h: left out, another run is at it" in capsys.readouterr().out


@pytest.mark.parametrize("argument", ["steps=O_h,X", "minutes=soon", "speed=1", "fast"])
def test_bad_arguments_are_refused(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([argument]) == 2
    assert capsys.readouterr().out


def test_distribution_counts_members() -> None:
    found = [finding(members=3), finding(candidate="x", members=2), finding(exhausted=3)]
    assert distribution(found) == "5 at 20"


@pytest.mark.parametrize("metric", store.METRICS)
def test_every_committed_state_holds_by_simulation(metric: Metric) -> None:
    """`load` refuses what simulation can refute; here are the keys that need the sources."""
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
    findings.write_all(findings.read_committed(), tmp_path)
    for metric in store.METRICS:
        assert store.load_rows(metric, tmp_path) == store.load_rows(metric)


def test_committed_solutions_solve() -> None:
    for found in findings.read_committed():
        assert moves.apply(found.facelets, found.solution) == SOLVED
        assert found.length > found.exhausted


def grown(monkeypatch: pytest.MonkeyPatch, depth: int) -> tuple[Edition, Edition]:
    """Let ten states of a depth of the store have been found later; return both editions."""
    states = [state for edition in store.editions("htm") for state in edition]
    later = [state for state in states if state.optimal_depth == depth][:10]
    editions = tuple(state for state in states if state not in later), tuple(later)
    monkeypatch.setattr(store, "editions", lambda *_: editions)
    return editions


def test_what_is_found_later_is_taken_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sooner, later = grown(monkeypatch, 20)
    of_depth = tuple(state for state in sooner if state.optimal_depth == 20)
    assert store.taken("htm", 20) == (of_depth,)
    assert store.taken("htm", 20, every=True) == (of_depth, later)
    said = store.digest(store.taken("htm", 20))
    assert said != store.digest(store.taken("htm", 20, every=True))
    assert said != store.digest(store.taken("htm", 19))
    # More of another depth, or of a later edition, is nothing to it.
    grown(monkeypatch, 19)
    monkeypatch.setattr(store, "editions", lambda *_: (sooner, (*later, *later)))
    assert store.digest(store.taken("htm", 20)) == said
    # A depth that was found later only is taken from there.
    deepest = tuple(state for state in sooner if state.optimal_depth < 20)
    monkeypatch.setattr(store, "editions", lambda *_: (deepest, later))
    assert store.taken("htm", 20) == (later,)


def test_a_pool_is_the_same_after_the_store_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    need = Need("cube/states", (("depth", 20), ("metric", "htm"), ("neighbours", False)))

    def made(**told: str) -> tuple[Pool, pa.Table]:
        world = World(0, (("test", 1),), {"table": "small", **told})
        (pool,) = PROVIDER.plan([Request(need, "test", 10_000)], world).values()
        return pool, PROVIDER.merge(pool, [PROVIDER.make(pool, 0, {})], {})

    def short(pool: Pool, table: pa.Table) -> str:
        return PROVIDER.shortfall(pool, PROVIDER.load(pool, table))

    sooner, later = grown(monkeypatch, 20)
    monkeypatch.setattr(store, "editions", lambda *_: (sooner,))
    before, states = made()
    assert short(before, states).endswith("are all that it takes of the store")
    monkeypatch.setattr(store, "editions", lambda *_: (sooner, later))
    after = made()
    assert after[0] == made(certified="first")[0] == before and after[1] == states
    assert short(*after).endswith("; certified=all takes what was found since, too")
    pool, more = made(certified="all")
    assert pool != before and more.num_rows > states.num_rows
    assert more.slice(0, states.num_rows) == states
    assert short(pool, more).endswith("are all that it takes of the store")


def test_a_pool_at_17_is_drawn_beyond_what_the_store_has_and_one_at_18_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Up to there nothing about a pool changes, so that its rows do not."""
    world = World(0, (("test", 1),), {"table": "small"})

    def planned(depth: int, count: int) -> Pool:
        need = Need("cube/states", (("depth", depth), ("metric", "htm"), ("neighbours", False)))
        (made,) = PROVIDER.plan([Request(need, "test", count)], world).values()
        return made

    first = store.editions("htm")[:1]
    has = len(list(from_store(PoolSpec("htm", 17, "test", world.splits, 0, 1), first)))
    assert has >= 690
    enough, more = planned(17, has), planned(17, has + 7)
    assert "held" not in dict(enough.args) and enough.chunks == 1
    assert dict(more.args) == dict(enough.args) | {"count": has + 7, "held": has}
    assert more.chunks == 1 + 2
    assert PROVIDER.make(more, 0, {}).num_rows == has
    assert "held" not in dict(planned(18, 100_000).args)
    # Of an edition that comes later it takes none, or words would move.
    later = [state for state in first[0] if state.optimal_depth == 17][:20]
    sooner = [state for state in first[0] if state not in later]
    monkeypatch.setattr(store, "editions", lambda *_: (sooner, later))
    assert has - 40 <= dict(planned(17, has + 7).args)["held"] <= has - 20


def test_a_worker_takes_states_from_the_store_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    need = Need("cube/states", (("depth", 18), ("metric", "htm"), ("neighbours", False)))
    request = Request(need, "test", 2)
    world = World(0, (("test", 1),), {"table": "small"})
    (pool,) = PROVIDER.plan([request], world).values()
    assert dict(pool.args)["store"] == store.digest(store.taken("htm", 18))
    monkeypatch.setattr(store, "digest", lambda states: "another")
    with pytest.raises(ValueError, match=r"htm\.parquet has not the states that the build was"):
        PROVIDER.make(pool, 0, {})
