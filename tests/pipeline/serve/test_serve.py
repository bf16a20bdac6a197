"""The server in one process: right rewards, sessions over several workers, bounds, no answers."""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import closing

import pytest

import facelet
from facelet.pipeline import family_modules
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.row_opener import rows
from facelet.pipeline.serve.http_app import FLUSH_REQUESTS
from facelet.pipeline.serve.session_store import SessionStore

MAZE, BITS = "labyrinth/plan", "arcade/bit_query"


def ids(reference, config):
    return [name for name in reference if name.startswith(config)]


def test_batches_of_single_replies(worker, reference, served):
    maze = ids(reference, MAZE)
    items = [{"id": name, "reply": reference[name][0]} for name in maze[:3]]
    row = next(row for row in rows(served) if row["id"] == maze[0])
    items += [
        {"id": maze[0], "reply": "I do not know."},
        {"row": row, "replies": reference[maze[0]]},
        {"id": "no", "reply": "x"},
        {"id": maze[0]},
        {"row": {"id": "x"}, "reply": "x"},
        7,
    ]
    status, found = worker().ask("POST", "/verify", {"items": items})
    results = found["results"]
    assert status == 200 and len(results) == len(items)
    assert [one.get("reward") for one in results] == [1, 1, 1, 0, 1, None, None, None, None]
    assert results[3]["status"] == "unparsed" and results[0]["strict"] is True
    assert all("error" in one for one in results[5:])
    assert str(served) not in json.dumps(found)


def test_an_episode_is_played_to_its_end(worker, reference):
    one, name = worker(), ids(reference, BITS)[0]
    status, opened = one.ask("POST", "/sessions", {"id": name})
    assert status == 201 and opened["turn"] == 0 and not opened["done"]
    session = opened["session"]
    for turn, said in enumerate(reference[name]):
        status, told = one.ask("POST", f"/sessions/{session}/replies", {"text": said, "turn": turn})
        assert status == 200 and told["turn"] == turn + 1
    assert told["done"] and told["reward"] == 1 and told["status"] == "correct"
    assert one.ask("POST", f"/sessions/{session}/replies", {"text": "x"})[0] == 409
    assert one.ask("GET", f"/sessions/{session}")[1]["reward"] == 1
    assert one.ask("DELETE", f"/sessions/{session}") == (200, {"closed": True})
    assert one.ask("GET", f"/sessions/{session}")[0] == 404


@pytest.mark.parametrize("says_turn", [False, True])
def test_workers_share_sessions_and_a_new_one_goes_on(worker, reference, says_turn):
    """Each reply goes to another worker, and to one that has just started."""
    name = ids(reference, BITS)[1]
    said = reference[name]
    two = [worker(), worker()]
    session = two[0].ask("POST", "/sessions", {"id": name})[1]["session"]
    for turn, text in enumerate(said):
        who = worker() if turn == 2 else two[turn % 2]
        asked = {"text": text} | ({"turn": turn} if says_turn else {})
        told = who.ask("POST", f"/sessions/{session}/replies", asked)[1]
        assert told["turn"] == turn + 1
    assert told["reward"] == 1


def test_a_reply_that_comes_twice_is_taken_once(worker, reference):
    name = ids(reference, BITS)[0]
    text = reference[name][0]
    two = [worker(), worker()]
    session = two[0].ask("POST", "/sessions", {"id": name})[1]["session"]
    path = f"/sessions/{session}/replies"
    first = two[0].ask("POST", path, {"text": text, "turn": 0})
    assert two[0].ask("POST", path, {"text": text, "turn": 0}) == first
    assert two[1].ask("POST", path, {"text": text, "turn": 0}) == first
    assert two[1].ask("POST", path, {"text": "another", "turn": 0})[0] == 409
    assert two[1].ask("POST", path, {"text": text, "turn": 5})[0] == 409
    # Without a turn the same words are another reply, whichever worker takes them.
    assert two[1].ask("POST", path, {"text": text})[1]["turn"] == 2
    assert two[0].ask("POST", path, {"text": text})[1]["turn"] == 3


def test_sessions_are_bounded_and_end(worker, reference):
    one = worker(sessions=2, idle=60, lifetime=100)
    opened = [one.ask("POST", "/sessions", {})[1]["session"] for _ in range(2)]
    status, told = one.ask("POST", "/sessions", {})
    assert status == 503 and "2 sessions are open" in told["error"]
    one.clock.now += 59
    assert one.ask("POST", f"/sessions/{opened[0]}/replies", {"text": "x"})[0] == 200
    one.clock.now += 2
    assert one.ask("POST", f"/sessions/{opened[1]}/replies", {"text": "x"})[0] == 404
    assert one.ask("POST", "/sessions", {})[0] == 201  # the place of the one whose time is up
    one.clock.now += 45
    assert one.ask("GET", f"/sessions/{opened[0]}")[0] == 404  # its life is over


def play_row(one, reference, name):
    """Play a row to its end; return the session and what the last reply was answered."""
    session = one.ask("POST", "/sessions", {"id": name})[1]["session"]
    for turn, text in enumerate(reference[name]):
        asked = {"text": text, "turn": turn}
        status, told = one.ask("POST", f"/sessions/{session}/replies", asked)
        assert status == 200
    assert told["done"] and told["reward"] == 1
    return session, told


def test_a_session_that_is_over_holds_no_place(worker, reference):
    two = [worker(sessions=1, over=2, idle=60, kept=30) for _ in range(2)]
    name = ids(reference, BITS)[0]
    last = {"text": reference[name][-1], "turn": len(reference[name]) - 1}
    over = []
    for k in range(4):
        over.append(play_row(two[k % 2], reference, name))
        two[0].clock.now += 1
    for session, told in over[2:]:
        for one in two:  # the state, the last reply again, and no reply more
            assert one.ask("GET", f"/sessions/{session}")[1]["reward"] == 1
            assert one.ask("POST", f"/sessions/{session}/replies", last) == (200, told)
            assert one.ask("POST", f"/sessions/{session}/replies", {"text": "x"})[0] == 409
    for session, _ in over[:2]:  # the oldest, beyond the bound
        assert worker().ask("GET", f"/sessions/{session}")[0] == 404
    text = two[0].client.request_bytes("GET", "/metrics")[1].decode()
    assert "\nfacelet_sessions 0\n" in text and "\nfacelet_sessions_over 2\n" in text
    session = two[0].ask("POST", "/sessions", {})[1]["session"]
    status, told = two[1].ask("POST", "/sessions", {})
    assert status == 503 and "1 sessions are open" in told["error"]
    assert two[0].ask("DELETE", f"/sessions/{over[2][0]}")[0] == 200
    assert two[1].ask("POST", "/sessions", {})[0] == 503  # no place was won by that
    two[0].clock.now += 31
    assert two[1].ask("GET", f"/sessions/{over[3][0]}")[0] == 404
    assert two[1].ask("GET", f"/sessions/{session}")[0] == 200
    two[0].service.store.remove_expired()
    assert two[0].service.store.count_ended() == 0 and two[0].service.store.count_open() == 1


def test_an_end_that_a_dead_worker_did_not_note_is_noted(worker, reference, monkeypatch):
    one, name = worker(sessions=1), ids(reference, BITS)[0]
    monkeypatch.setattr(one.service.store, "end_session", lambda session: None)
    session, told = play_row(one, reference, name)
    other = worker(sessions=1)
    assert other.ask("POST", "/sessions", {})[0] == 503
    again = {"text": reference[name][-1], "turn": len(reference[name]) - 1}
    assert other.ask("POST", f"/sessions/{session}/replies", again) == (200, told)
    assert other.ask("POST", "/sessions", {})[0] == 201


def test_a_file_of_sessions_of_an_older_version_is_taken(worker, reference, tmp_path):
    with closing(sqlite3.connect(tmp_path / "state", isolation_level=None)) as old:
        old.executescript("""
CREATE TABLE sessions (
    id TEXT PRIMARY KEY, row TEXT NOT NULL, born REAL NOT NULL, touched REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO numbers VALUES ('open', 0), ('next', 0);
CREATE TRIGGER opened AFTER INSERT ON sessions
    BEGIN UPDATE numbers SET value = value + 1 WHERE name = 'open'; END;
CREATE TRIGGER closed AFTER DELETE ON sessions
    BEGIN UPDATE numbers SET value = value - 1 WHERE name = 'open'; END;
""")
        name = ids(reference, BITS)[0]
        old.execute("INSERT INTO sessions VALUES ('old', ?, 999, 999)", (name,))
    one = worker()
    assert one.service.store.count_open() == 1
    for text in reference[name]:
        assert one.ask("POST", "/sessions/old/replies", {"text": text})[0] == 200
    assert (one.service.store.count_open(), one.service.store.count_ended()) == (0, 1)
    assert one.ask("DELETE", "/sessions/old")[0] == 200
    assert (one.service.store.count_open(), one.service.store.count_ended()) == (0, 0)


def test_a_store_that_others_write_to_is_busy_and_no_more(worker, reference, tmp_path):
    """A writer that does not let go costs the calls of that time, none that come after."""
    one = worker()
    session = one.ask("POST", "/sessions", {})[1]["session"]
    path = f"/sessions/{session}/replies"
    with closing(sqlite3.connect(tmp_path / "state", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for _ in range(FLUSH_REQUESTS + 1):  # the counters are handed over among them
            assert one.ask("GET", f"/sessions/{session}")[0] == 200
        status, told = one.ask("POST", path, {"text": "x", "turn": 0})
        assert status == 503 and "database is locked); retry" in told["error"]
        other.execute("ROLLBACK")
    assert one.ask("POST", path, {"text": "x", "turn": 0})[0] == 200
    assert one.ask("GET", f"/sessions/{session}")[1]["turn"] == 1


def test_no_answer_is_told_before_the_end(worker, reference, served):
    one = worker()
    for row in rows(served):
        _, opened = one.ask("POST", "/sessions", {"id": row["id"]})
        _, prompt = one.ask("POST", "/rows", {"ids": [row["id"]]})
        task = family_modules.load_task(row["task"])
        published = {"id", "task", "messages"}
        assert set(prompt["rows"][0]) == published
        assert set(opened) == {"session", "id", "turn", "messages", "begins", "done"}
        assert prompt["rows"][0]["messages"] == opened["messages"]
        secret = [row[c.name] for c in task.columns if c.role == "secret" and row[c.name]]
        for value in (json.dumps(value) for value in secret):
            assert len(value) < 6 or value not in json.dumps(opened)


def test_the_next_rows_are_given_out_once(worker, reference):
    two = [worker(), worker()]
    names = list(reference)
    got = [two[k % 2].ask("POST", "/rows", {"count": 2})[1]["rows"] for k in range(3)]
    assert [row["id"] for part in got for row in part] == names[:6]
    assert two[0].ask("POST", "/sessions", {"number": len(names) + 1})[1]["id"] == names[1]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "why"),
    [
        ("POST", "/verify", b"{", 400, "not JSON"),
        ("POST", "/verify", b"[]", 400, "not a JSON object"),
        ("POST", "/verify", b'{"items": 3}', 400, "must be a list"),
        ("POST", "/verify", b"[" * 2000, 400, "not JSON"),
        ("POST", "/verify", b'{"items": [1, 2, 3, 4, 5]}', 400, "at most 4"),
        ("POST", "/verify", b"x" * 5000, 413, "2048 bytes"),
        ("POST", "/verify", [b"x" * 900] * 4, 413, "2048 bytes"),
        ("POST", "/rows", b'{"count": 0}', 400, "count"),
        ("POST", "/rows", b'{"ids": ["x"]}', 404, "no row"),
        ("GET", "/rows?limit=99999999999", b"", 400, "limit"),
        ("POST", "/sessions", b'{"id": 3}', 400, "must be a string"),
        ("POST", "/sessions", b'{"number": -1}', 400, "whole number"),
        ("POST", "/sessions/nobody/replies", b'{"text": "x"}', 404, "no such session"),
        ("POST", "/sessions/nobody/replies", b'{"text": 1}', 400, "text"),
        ("POST", "/sessions/nobody/replies", b'{"text": "", "turn": true}', 400, "turn"),
        ("DELETE", "/sessions/nobody", b"", 404, "no such session"),
        ("GET", "/nothing", b"", 404, "Not Found"),
        ("GET", "/verify", b"", 405, "Not Allowed"),
    ],
)
def test_what_is_wrong_is_refused(worker, method, path, body, status, why):
    one = worker(body=2048, items=4)
    found, said = one.client.request_bytes(method, path, body)
    assert found == status and why in json.loads(said)["error"]


def test_a_token_is_asked_for(worker):
    one = worker(token="secret words")
    assert one.ask("GET", "/healthz")[0] == 200
    assert one.ask("GET", "/metrics?x=secret")[0] == 401
    for said in ("Bearer secret", "secret words", "Bearer secret words "):
        assert one.client.request_bytes("GET", "/", Authorization=said)[0] == 401
    assert one.client.request_bytes("GET", "/", Authorization="Bearer secret words")[0] == 200


def test_a_flood_is_slowed_down(worker):
    one = worker(rate=5.0)
    seen = [one.ask("GET", "/")[0] for _ in range(12)]
    assert seen[:5] == [200] * 5 and seen.count(429) >= 5
    one.client.host = "10.0.0.2"
    assert one.ask("GET", "/")[0] == 200
    assert one.ask("GET", "/healthz")[0] == 200


def test_what_goes_wrong_inside_is_not_told(worker, monkeypatch, capsys):
    one = worker()

    def break_step(*_):
        raise RuntimeError("/home/me/secret")

    monkeypatch.setattr(one.service, "grade_items", break_step)
    status, said = one.ask("POST", "/verify", {"items": []})
    assert status == 500 and "secret" not in said["error"]
    assert "RuntimeError: /home/me/secret" in capsys.readouterr().err


def test_figures_of_all_workers_are_summed(worker, reference):
    two = [worker(), worker()]
    item = {"id": next(iter(reference)), "reply": "x"}
    for one in (two[0], two[1], two[1]):
        one.ask("POST", "/verify", {"items": [item] * 5})
    two[1].client.request_bytes("GET", "/metrics")
    text = two[0].client.request_bytes("GET", "/metrics")[1].decode()
    assert "\nfacelet_replies_judged_total 15\n" in text
    assert 'facelet_requests_total{route="/verify",status="200"} 3' in text
    assert 'facelet_request_seconds_bucket{route="/verify",le="+Inf"} 3' in text
    for line in text.splitlines():
        assert line.startswith("# ") or float(line.rpartition(" ")[2]) >= 0


def test_a_stream_is_served(worker, tmp_path):
    told = {"dataset": "", "suite": "arcade/bit_query", "levels": "1-2", "seed": 5}
    two = [worker(**told), worker(**told)]
    names = [one.ask("POST", "/sessions", {})[1]["id"] for one in (*two, *two)]
    made = facelet.stream("arcade/bit_query", seed=5, levels="1-2")
    assert names == [made[n]["id"] for n in range(4)]
    assert two[1].ask("POST", "/verify", {"items": [{"id": names[0], "reply": ""}]})[0] == 200
    assert two[0].ask("GET", "/rows")[0] == 400
    assert two[0].ask("POST", "/sessions", {"id": "arcade/bit_query/train-l09/000000"})[0] == 404
    with pytest.raises(ValueError, match="other rows"):
        worker(**{**told, "seed": 6})


def test_a_stream_that_learns_is_one_for_all_workers(worker, tmp_path):
    """What a worker was told decides what any worker draws; nothing is told twice."""
    told = {"dataset": "", "suite": "arcade/bit_query", "levels": "1-3", "seed": 5}
    told |= {"sampler": "frontier"}
    two, names = [worker(**told), worker(**told)], []
    made = facelet.stream("arcade/bit_query", 5, levels="1-3", sampler="frontier")
    for number in range(8):
        one, other = two[number % 2], two[1 - number % 2]
        opened = one.ask("POST", "/sessions", {})[1]
        names.append(opened["id"])
        row = next(made)
        assert opened["id"] == row["id"]
        task = family_modules.load_task(row["task"])
        right = "/train-l01/" in row["id"]
        said, over = list(task.reference(task.decode(row))) if right else ["no"] * 99, False
        path = f"/sessions/{opened['session']}/replies"
        for turn, text in enumerate(said):
            for door in (one, other):  # the second is told again what is known
                answer = door.ask("POST", path, {"text": text, "turn": turn})[1]
            if over := answer["done"]:
                break
        assert over and answer["reward"] == right
        made.tell(row, float(right))
    assert len(set(names)) == 8 and made.expected()["arcade/bit_query/train-l03"] < 0.5
    ids = [one["id"] for one in two[0].ask("POST", "/rows", {"count": 3})[1]["rows"]]
    assert ids == [next(made)["id"] for _ in range(3)]
    two[1].ask("POST", "/verify", {"items": [{"id": name, "reply": "no"} for name in ids]})
    for name in ids:
        made.tell(name, 0.0)
    three = worker(**told)
    assert three.ask("POST", "/sessions", {})[1]["id"] == next(made)["id"]
    assert "depend on rewards" in three.ask("POST", "/sessions", {"number": 3})[1]["error"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "name either dataset=FOLDER or suite=NAME"),
        (["dataset=x", "suite=marble"], "name either"),
        (["dataset=x", "levels=1"], "apply only to a stream"),
        (["suite=marble", "host=0.0.0.0"], "FACELET_SERVE_TOKEN"),
        (["dataset=nowhere"], "no dataset folder"),
        (["suite=marbel"], "marble"),
        (["suite=marble", "port=70000"], "65535"),
    ],
)
def test_bad_words_are_named(words, why, capsys, monkeypatch):
    monkeypatch.delenv("FACELET_SERVE_TOKEN", raising=False)
    assert main(["serve", *words]) == 2
    assert why in capsys.readouterr().err


def is_finished(text):
    part = {"type": "output_text", "text": text}
    return {"output": [{"type": "message", "role": "assistant", "content": [part]}]}


def test_a_resources_server_by_nemo_gyms_shapes(worker, reference):
    two = [worker(), worker()]
    single, many = ids(reference, MAZE)[0], ids(reference, BITS)[0]
    asked = {"responses_create_params": {"input": []}, "verifier_metadata": {"id": single}}
    right = {**asked, "response": is_finished(reference[single][0])}
    assert two[0].ask("POST", "/verify", right) == (200, {**right, "reward": 1.0})
    wrong = {**asked, "response": is_finished("I do not know.")}
    assert two[0].ask("POST", "/verify", wrong)[1]["reward"] == 0
    for broken in ({**asked, "response": 3}, {"id": "no", "response": is_finished("x")}):
        assert two[0].ask("POST", "/verify", broken)[0] == 400
    # An episode: the session is in a cookie, the tool takes the replies, any worker verifies.
    body = json.dumps({"id": many}).encode()
    status, said, headers = two[0].client.whole("POST", "/seed_session", body)
    assert (status, said) == (200, b"{}")
    cookie = dict(headers)[b"set-cookie"].decode().partition(";")[0]
    for text in reference[many]:
        body = json.dumps({"text": text}).encode()
        status, said = two[1].client.request_bytes("POST", "/reply", body, cookie=cookie)
        assert status == 200
    assert json.loads(said) == {"output": "", "done": True}
    body = json.dumps({"id": many, "response": is_finished("done")}).encode()
    status, said = two[0].client.request_bytes("POST", "/verify", body, cookie=cookie)
    assert status == 200 and json.loads(said)["reward"] == 1
    assert two[0].ask("POST", "/reply", {"text": "x"})[0] == 404


def test_the_time_of_day_ends_no_session(worker, monkeypatch, tmp_path):
    """The clock is set forward and back; then the machine restarts, so that its own begins anew."""
    store = SessionStore(tmp_path / "own", most=9, idle=60, lifetime=100, most_over=9, kept=60)
    store.add_session("a", "row")
    for now in (time.time() + 1e6, 1.0):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        assert store.add_reply("a", len(store.read("a").replies), "x")
    one = worker(idle=60, lifetime=100)
    session = one.ask("POST", "/sessions", {})[1]["session"]
    one.clock.now = 5.0
    two = worker(idle=60, lifetime=100)
    assert two.ask("GET", f"/sessions/{session}")[0] == 200
    two.clock.now += 61
    assert two.ask("GET", f"/sessions/{session}")[0] == 404
