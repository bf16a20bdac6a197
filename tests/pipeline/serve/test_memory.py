"""What a worker keeps: open plays and rows up to a number of bytes, and each picture once."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from facelet.pipeline.rollout import chat_messages
from facelet.pipeline.rollout.byte_cache import ByteCache
from facelet.pipeline.serve import episode_service

MAZE, BITS = "mazes.maze_easy", "arcade/bit_query"


@dataclass
class PaintCounter:
    painted: int = 0


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> PaintCounter:
    """Counts the pictures that are drawn, by a process that has drawn none."""
    found, render = PaintCounter(), chat_messages.render_scene

    def render_counted(scene):
        found.painted += 1
        return render(scene)

    monkeypatch.setattr(chat_messages, "render_scene", render_counted)
    monkeypatch.setattr(chat_messages, "_URLS", ByteCache(chat_messages.CACHE_BYTES))
    return found


def list_ids(reference, task):
    return [name for name in reference if name.startswith(task)]


def test_rollouts_of_a_row_share_its_pictures(worker, reference, counter):
    one, name = worker(training=True), list_ids(reference, "labyrinth/plan")[0]
    shown = [one.ask("POST", "/sessions", {"id": name})[1]["messages"] for _ in range(16)]
    assert shown == shown[:1] * 16 and "data:image/png" in str(shown[0])
    assert counter.painted == str(shown[0]).count("data:image/png")
    play = one.service._plays.get(one.ask("POST", "/sessions", {"id": name})[1]["session"])
    assert not play.play._album._drawn  # no pixels stay


def test_finished_plays_are_dropped_and_can_be_read(worker, reference):
    one, name = worker(), list_ids(reference, BITS)[0]
    session = one.ask("POST", "/sessions", {"id": name})[1]["session"]
    assert len(one.service._plays) == 1
    for turn, text in enumerate(reference[name]):
        told = {"text": text, "turn": turn}
        last = one.ask("POST", f"/sessions/{session}/replies", told)[1]
    assert last["reward"] == 1 and len(one.service._plays) == 0
    assert one.ask("POST", f"/sessions/{session}/replies", told) == (200, last)
    assert one.ask("GET", f"/sessions/{session}")[1]["done"]
    assert len(one.service._plays) == 0


def test_open_plays_and_rows_are_bounded_in_bytes(worker, reference, monkeypatch):
    monkeypatch.setattr(episode_service, "PLAY_BYTES", 200_000)
    one, names = worker(training=True), list_ids(reference, BITS)
    sessions = [one.ask("POST", "/sessions", {"id": names[k % 3]})[1]["session"] for k in range(40)]
    plays = one.service._plays
    assert plays.size <= 200_000 and 1 < len(plays) < 12
    # A long reply costs more, and a play that was dropped goes on from the store.
    before = plays.size
    one.ask("POST", f"/sessions/{sessions[0]}/replies", {"text": "x" * 60_000, "turn": 0})
    assert plays.size <= 200_000 and len(plays) < 10 and before <= 200_000
    assert one.ask("GET", f"/sessions/{sessions[0]}")[1]["turn"] == 1
    one.service.source._rows = ByteCache(30_000)
    for name in reference:
        one.ask("POST", "/sessions", {"id": name})
    assert one.service.source._rows.size <= 30_000


def test_a_changed_picture_is_refused_from_the_cache_too(counter, served):
    from facelet.pipeline.rollout.row_episode import open_row
    from facelet.pipeline.rollout.row_opener import rows

    row = next(row for row in rows(served, MAZE))
    play = open_row(row)
    assert play.messages
    edited = {**row, "image_hashes": ["0" * len(row["image_hashes"][0])]}
    with pytest.raises(ValueError, match="differs from the published picture"):
        _ = open_row(edited).messages
