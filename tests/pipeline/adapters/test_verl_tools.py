"""verl: its own loaders read rows, tool and reward; its loops pay what the scorer does."""

from __future__ import annotations

import asyncio
import json
import runpy
import shlex
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from documents import ROOT
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


def play_rollout(tool, row, replies, between=lambda: None):
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


def read_rows(script, config, tmp_path):
    from facelet.pipeline.adapters import verl

    verl.write(str(script.folder), [config], tmp_path / "rows.parquet", "test")
    return pq.read_table(tmp_path / "rows.parquet").to_pylist()


def load_configuration(home):
    """verl's own configuration under the words of the command that the guide's program prints."""
    from hydra import compose, initialize_config_module

    from facelet.pipeline.adapters import verl

    program = runpy.run_path(str(ROOT / "conf" / "docs" / "examples" / "train_verl.py"))
    command = program["COMMAND"].format(out=home, module=verl.__file__, model=home)
    words = shlex.split(command.replace("\\\n", " "))
    with initialize_config_module("verl.trainer.config", version_base=None):
        return compose("ppo_trainer", overrides=words[3:])


def test_its_reward_loop_scores_what_its_dataset_reads(script, tool, tmp_path):
    """Text and pictures, single questions and episodes, by the command that the guide prints."""
    import numpy as np
    import tiny_models
    import torch
    from verl import DataProto
    from verl.trainer.ppo.reward import load_reward_manager
    from verl.utils.dataset.rl_dataset import RLHFDataset

    from facelet.pipeline import rollout
    from facelet.pipeline.adapters import verl

    told = load_configuration(tmp_path)
    assert told.actor_rollout_ref.rollout.multi_turn.tool_config_path.endswith("tools.yaml")
    _, processor = tiny_models.seeing_model()
    reader = processor.tokenizer
    manager = load_reward_manager(told, reader)
    truth, read = script.truth(tmp_path / "live.jsonl"), 0

    def pay_reply(row, said, record):
        tokens = torch.tensor([reader(said)["input_ids"]])
        beside = {**row, "tool_extra_fields": record.extra_fields}
        kept = {name: np.array([beside[name]], dtype=object) for name in beside}
        tensors = {"responses": tokens, "attention_mask": torch.ones_like(tokens)}
        data = DataProto.from_dict(tensors=tensors, non_tensors=kept)
        result = manager.loop.run_until_complete(manager.run_single(data))
        assert result["reward_score"] == result["reward_extra_info"]["acc"]
        return result["reward_score"]

    for config in ("suite.assemble_easy", "suite.face_recognition", "suite.bit_query", "suite.act"):
        verl.write(str(script.folder), [config], tmp_path / "rows.parquet", "test")
        total, rows = 0.0, RLHFDataset(str(tmp_path / "rows.parquet"), reader, told.data, processor)
        for row in rows:
            name = row["extra_info"]["id"]
            play = rollout.open_row(rollout.find_row(str(script.folder), name))
            parts = [part for one in row.pop("raw_prompt") for part in one["content"] if one]
            shown = [one["image"] for one in parts if isinstance(one, dict) and "image" in one]
            assert [one.tobytes() for one in shown] == [one.tobytes() for one in play.images]
            replies, record = script.plays[name], SimpleNamespace(extra_fields={})
            if row["agent_name"] == "tool_agent":
                _, record = play_rollout(tool, row, replies)
            total += pay_reply(row, replies[-1], record)
            read += 1
        assert total / len(rows) == truth[config]["accuracy"]
    assert read >= 10


def score_row(row, record, said="all that was said"):
    from facelet.pipeline.adapters import verl

    extra = {**row["extra_info"], **record.extra_fields}
    truth = row["reward_model"]["ground_truth"]
    return verl.compute_score(row["data_source"], said, truth, extra)["score"]


def test_rewards_are_the_accuracy_of_the_scorer(script, tool, tmp_path):
    truth = script.truth(tmp_path / "live.jsonl")
    for config in ("suite.bit_query", "suite.act"):
        total = 0.0
        rows = read_rows(script, config, tmp_path)
        for row in rows:
            assert row["agent_name"] == "tool_agent"
            replies = script.plays[row["extra_info"]["id"]]
            told, record = play_rollout(tool, row, replies)
            assert record.extra_fields["facelet_replies"] == replies
            assert sum(reward for _, reward, _ in told) == score_row(row, record)
            assert told[-1][0].text.startswith("The episode is over")
            total += score_row(row, record)
        assert total / len(rows) == truth[config]["accuracy"]


def test_pictures_come_with_the_turns_that_show_them(script, tool, tmp_path):
    from facelet.pipeline import rollout

    row = read_rows(script, "suite.act", tmp_path)[0]
    published = rollout.find_row(str(script.folder), row["extra_info"]["id"])
    read = rollout.open_row(published)._row
    replies = list(read.task.reference(read.instance))
    told, _ = play_rollout(tool, row, replies)
    play = rollout.open_row(published)
    for said, (response, _, _) in zip(replies[:-1], told[:-1], strict=True):
        before = len(play.images)
        play.reply(said)
        due = [image.tobytes() for image in play.images[before:]]
        assert [one.tobytes() for one in response.image] == due and len(due) == 1


def test_a_play_that_was_lost_is_played_again(script, tool, tmp_path):
    """Calls of one rollout may come to another process, which has the record alone."""
    for row in read_rows(script, "suite.bit_query", tmp_path):
        replies = script.plays[row["extra_info"]["id"]]
        whole, record = play_rollout(tool, row, replies)
        tool._held.clear()
        lost, again = play_rollout(tool, row, replies, between=tool._held.clear)
        assert [one.text for one, _, _ in lost] == [one.text for one, _, _ in whole]
        assert [paid for _, paid, _ in lost] == [paid for _, paid, _ in whole]
        assert record.extra_fields == again.extra_fields


def test_a_rollout_that_never_replies_is_worth_nothing(script, tool, tmp_path):
    row = read_rows(script, "suite.bit_query", tmp_path)[0]
    assert score_row(row, SimpleNamespace(extra_fields={}), "<answer>anything</answer>") == 0


def test_an_instance_lives_by_itself_too(script, tool, tmp_path):
    """Where no record of a rollout is handed over, a play lasts from create to release."""

    async def play_replies(row, replies):
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

    row = read_rows(script, "suite.bit_query", tmp_path)[0]
    from facelet.pipeline import rollout

    read = rollout.open_row(rollout.find_row(str(script.folder), row["extra_info"]["id"]))._row
    assert asyncio.run(play_replies(row, list(read.task.reference(read.instance)))) == 1
    assert asyncio.run(play_replies(row, [WRONG] * 40)) == 0
    with pytest.raises(ValueError, match="create_kwargs"):
        asyncio.run(tool.create())
