"""verl: its own loader makes the tool, its own loop calls it, and rewards are the scorer's."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from scripted import WRONG

pytestmark = pytest.mark.adapters
pytest.importorskip("verl", reason="it needs other versions; `make test-extras EXTRAS=verl`")

LOOP = {"max_tool_response_length": 100_000, "tool_response_truncate_side": "middle"}


@pytest.fixture
def tool(tmp_path):
    from verl.tools.tool_registry import initialize_tools_from_config

    from facelet.pipeline.adapters import verl

    verl.write_tools(tmp_path / "tools.yaml")
    (made,) = initialize_tools_from_config(str(tmp_path / "tools.yaml"))
    return made


def rollout(tool, row, replies, between=lambda: None):
    """Play a row by verl's own call of a tool; return what was told, and the record."""
    from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop

    record = SimpleNamespace(request_id=row["extra_info"]["id"], extra_fields={})
    loop = SimpleNamespace(tools={tool.name: tool}, **LOOP)
    told = []
    for said in replies:
        call = SimpleNamespace(name="reply", arguments=json.dumps({"text": said}))
        kwargs = row["extra_info"]["tools_kwargs"]
        told.append(asyncio.run(ToolAgentLoop._call_tool(loop, call, kwargs, record)))
        between()
    return told, record


def rows_of(script, config, tmp_path):
    from facelet.pipeline.adapters import verl

    verl.write(str(script.folder), [config], tmp_path / "rows.parquet", "test")
    return pq.read_table(tmp_path / "rows.parquet").to_pylist()


def score(row, record, said="all that was said"):
    from facelet.pipeline.adapters import verl

    extra = {**row["extra_info"], **record.extra_fields}
    truth = row["reward_model"]["ground_truth"]
    return verl.compute_score(row["data_source"], said, truth, extra)["score"]


def test_rewards_are_the_accuracy_of_the_scorer(script, tool, tmp_path):
    truth = script.truth(tmp_path / "live.jsonl")
    for config in ("suite.bit_query", "suite.act"):
        total = 0.0
        rows = rows_of(script, config, tmp_path)
        for row in rows:
            assert row["agent_name"] == "tool_agent"
            replies = script.plays[row["extra_info"]["id"]]
            told, record = rollout(tool, row, replies)
            assert record.extra_fields["facelet_replies"] == replies
            assert sum(reward for _, reward, _ in told) == score(row, record)
            assert told[-1][0].text.startswith("The episode is over")
            total += score(row, record)
        assert total / len(rows) == truth[config]["accuracy"]


def test_pictures_come_with_the_turns_that_show_them(script, tool, tmp_path):
    from facelet.pipeline import environment

    row = rows_of(script, "suite.act", tmp_path)[0]
    published = environment.find_row(str(script.folder), row["extra_info"]["id"])
    read = environment.open_row(published)._row
    replies = list(read.task.reference(read.instance))
    told, _ = rollout(tool, row, replies)
    play = environment.open_row(published)
    for said, (response, _, _) in zip(replies[:-1], told[:-1], strict=True):
        before = len(play.images)
        play.reply(said)
        due = [image.convert("RGB").tobytes() for image in play.images[before:]]
        assert [one.tobytes() for one in response.image] == due and len(due) == 1


def test_a_play_that_was_lost_is_played_again(script, tool, tmp_path):
    """Calls of one rollout may come to another process, which has the record alone."""
    for row in rows_of(script, "suite.bit_query", tmp_path):
        replies = script.plays[row["extra_info"]["id"]]
        whole, record = rollout(tool, row, replies)
        tool._held.clear()
        lost, again = rollout(tool, row, replies, between=tool._held.clear)
        assert [one.text for one, _, _ in lost] == [one.text for one, _, _ in whole]
        assert [paid for _, paid, _ in lost] == [paid for _, paid, _ in whole]
        assert record.extra_fields == again.extra_fields


def test_a_rollout_that_never_replies_is_worth_nothing(script, tool, tmp_path):
    row = rows_of(script, "suite.bit_query", tmp_path)[0]
    assert score(row, SimpleNamespace(extra_fields={}), "<answer>anything</answer>") == 0


def test_an_instance_lives_by_itself_too(script, tool, tmp_path):
    """Where no record of a rollout is handed over, a play lasts from create to release."""

    async def play(row, replies):
        name, _ = await tool.create(
            create_kwargs=row["extra_info"]["tools_kwargs"]["reply"]["create_kwargs"]
        )
        assert await tool.calc_reward(name) == 0
        for said in replies:
            await tool.execute(name, {"text": said})
        worth = await tool.calc_reward(name)
        await tool.release(name)
        assert await tool.calc_reward(name) == 0
        return worth

    row = rows_of(script, "suite.bit_query", tmp_path)[0]
    from facelet.pipeline import environment

    read = environment.open_row(
        environment.find_row(str(script.folder), row["extra_info"]["id"])
    )._row
    assert asyncio.run(play(row, list(read.task.reference(read.instance)))) == 1
    assert asyncio.run(play(row, [WRONG] * 40)) == 0
    with pytest.raises(ValueError, match="create_kwargs"):
        asyncio.run(tool.create())
