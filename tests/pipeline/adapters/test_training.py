"""Ten real steps of a tiny policy through each tool: text and pictures, one turn and many.

TRL trains by itself (`test_trl_streams.py`); the other tools bring environments, and the policy
gradient is that of `tiny_policy.py`. Every group's reward comes by replay.
"""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace

import pyarrow.parquet as pq
import pytest
from doors import verifiers_environment as environment_of
from doors import verifiers_episodes as played
from model_server import ModelServer
from scripted import WRONG

from facelet.pipeline import rollout

pytestmark = pytest.mark.adapters

CASES = pytest.mark.parametrize(
    ("config", "pictured"),
    [
        ("suite.assemble_easy", False),
        ("suite.face_recognition", True),
        ("suite.bit_query", False),
        ("suite.act", True),
    ],
)


def reference_replies(script, config):
    """Return the ids of a config's rows, and the replies that are right, by id."""
    found = {}
    for row in rollout.rows(script.folder, config):
        read = rollout.open_row(row)._row
        found[row["id"]] = list(read.task.reference(read.instance))
    return list(found), found


def train_and_average(policy, rollout, names):
    """Train and return the means; some rewards must differ, or nothing was learned."""
    from tiny_policy import train_policy

    means = train_policy(policy, lambda step: rollout(names[step % len(names)]))
    assert len(means) == 10 and len(set(means)) > 1 and 0 <= min(means) <= max(means) <= 1
    return means


@CASES
def test_skyrl(script, config, pictured):
    import skyrl_gym
    from tiny_policy import TinyPolicy, read_chat

    from facelet.pipeline.adapters import skyrl

    names, right = reference_replies(script, config)
    rows = {
        row["extra_info"]["id"]: row
        for row in skyrl.prompts(str(script.folder), [config], split="test")
    }
    policy = TinyPolicy(pictured)

    def play_skyrl(name):
        env = skyrl_gym.make("facelet", env_config={}, extras=rows[name])
        chat, _ = env.init(rows[name]["prompt"])
        for said in [*right[name], *[WRONG] * 99]:
            told = env.step(said if policy.choose_right(*read_chat(chat)) else WRONG)
            if told["done"]:
                return told["reward"]
            chat = told["observations"]
        raise AssertionError

    train_and_average(policy, play_skyrl, names)


@CASES
def test_gymnasium(script, config, pictured):
    import gymnasium
    from PIL import Image
    from tiny_policy import TinyPolicy

    import facelet.pipeline.adapters.gymnasium  # noqa: F401

    names, right = reference_replies(script, config)
    env = gymnasium.make("facelet/rows-v0", dataset=str(script.folder), config=config).unwrapped
    policy = TinyPolicy(pictured)

    def play_gymnasium(name):
        seen, info = env.reset(seed=names.index(name))
        assert info["id"] == name
        for said in [*right[name], *[WRONG] * 99]:
            images = [Image.fromarray(one) for one in seen["images"]]
            chosen = said if policy.choose_right(seen["text"], images) else WRONG
            seen, reward, over, _, _ = env.step(chosen)
            if over:
                return reward
        raise AssertionError

    train_and_average(policy, play_gymnasium, names)


@CASES
def test_verl(script, tmp_path, config, pictured):
    """Single questions by `compute_score`, episodes by the tool that verl makes of its file."""
    pytest.importorskip("verl", reason="it needs other versions; `make test-extras EXTRAS=verl`")
    from tiny_policy import TinyPolicy
    from verl.experimental.agent_loop.tool_agent_loop import ToolAgentLoop
    from verl.tools.tool_registry import initialize_tools_from_config

    from facelet.pipeline.adapters import verl

    names, right = reference_replies(script, config)
    verl.write(str(script.folder), [config], tmp_path / "rows.parquet", "test")
    verl.write_tools(tmp_path / "tools.yaml")
    (tool,) = initialize_tools_from_config(str(tmp_path / "tools.yaml"))
    table = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    rows = {row["extra_info"]["id"]: row for row in table}
    loop = SimpleNamespace(tools={"reply": tool}, max_tool_response_length=100_000)
    policy, rollouts = TinyPolicy(pictured), iter(range(10_000))

    def play_verl(name):
        row = rows[name]
        extra = row["extra_info"]
        record = SimpleNamespace(request_id=str(next(rollouts)), extra_fields={})
        text = "\n".join(message["content"] for message in row["prompt"])
        images = [open_picture(image["bytes"]) for image in row.get("images") or ()]
        said = WRONG
        for due in [*right[name], *[WRONG] * 99]:
            said = due if policy.choose_right(text, images) else WRONG
            if not extra["tools_kwargs"]:
                break
            call = SimpleNamespace(name="reply", arguments=json.dumps({"text": said}))
            answer = ToolAgentLoop._call_tool(loop, call, extra["tools_kwargs"], record)
            told, _, _ = asyncio.run(answer)
            if told.text.startswith("The episode is over"):
                break
            text, images = told.text, told.image or []
        worth = verl.compute_score("", said, name, {**extra, **record.extra_fields})
        return worth["score"]

    train_and_average(policy, play_verl, names)


def open_picture(data):
    from io import BytesIO

    from PIL import Image

    return Image.open(BytesIO(data)).convert("RGB")


class PolicyServer(ModelServer):
    """The policy as a model's server: it says the reply that is due, or a wrong one."""

    def __init__(self, policy, script, right):
        rows = [row for row in rollout.rows(script.folder) if row["id"] in right]
        super().__init__(SimpleNamespace(rows=rows, references=right))
        self.policy = policy

    def reply(self, messages):
        from tiny_policy import read_chat

        turn = sum(one["role"] == "assistant" for one in messages)
        chat = [one for one in messages if one["role"] != "assistant"]
        _, replies = self.script[
            json.dumps([one for one in messages[:2] if one["role"] != "assistant"])
        ]
        due = replies[turn] if turn < len(replies) else WRONG
        new = chat if turn == 0 else chat[-1:]
        return due if self.policy.choose_right(*read_chat(new)) else WRONG


@CASES
def test_verifiers(script, config, pictured):
    from tiny_policy import TinyPolicy

    names, right = reference_replies(script, config)
    told = environment_of(script, configs=[config])
    tasks = {task.key: task for task in told.taskset}
    policy = TinyPolicy(pictured)
    server = PolicyServer(policy, script, right)

    def play_verifiers(name):
        (episode,) = played(told, server, [tasks[name]])
        assert episode.ok, episode.errors
        return episode.traces[0].reward

    try:
        train_and_average(policy, play_verifiers, names)
    finally:
        server.http.shutdown()
        server.http.server_close()
