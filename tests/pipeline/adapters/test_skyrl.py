"""SkyRL: its own registry makes the environments; rewards are the scorer's."""

from __future__ import annotations

import pytest
from scripted import WRONG

pytestmark = pytest.mark.adapters


@pytest.fixture
def skyrl():
    from facelet.pipeline.adapters import skyrl

    return skyrl


def configs(script):
    from facelet.pipeline.dataset import dataset_reader

    return sorted({part.config for part in dataset_reader.list_splits(script.folder)})


def test_every_row_is_played_as_scripted(script, skyrl):
    import skyrl_gym

    names = [name for name in configs(script) if "reflection" not in name]
    rows = skyrl.prompts(str(script.folder), names, split="test")
    rewards = []
    for row in rows:
        name = row["extra_info"]["id"]
        env = skyrl_gym.make("facelet", env_config={}, extras=row)
        chat, about = env.init(row["prompt"])
        assert about == {"id": name} and chat == row["prompt"]
        told = {"done": False}
        for said in script.plays[name]:
            assert not told["done"]
            told = env.step(said)
            assert all(message["role"] == "user" for message in told["observations"])
        assert told["done"] and told["metadata"]["status"]
        rewards.append(told["reward"])
        env.close()
    assert {0.0, 1.0} == set(rewards) and len(rewards) >= 10
    shown = [
        part["type"]
        for row in rows
        for one in row["prompt"][1:]
        for part in one["content"]
        if isinstance(part, dict)
    ]
    assert "image_url" in shown


def test_what_it_cannot_is_refused(script, skyrl):
    with pytest.raises(ValueError, match="begins a new chat"):
        skyrl.prompts(str(script.folder), configs(script), split="test")
    with pytest.raises(ValueError, match="extra_info"):
        skyrl.Environment({}, {})


def test_a_step_may_be_paid(script, skyrl):
    name = next(name for name in configs(script) if "reflection" not in name)
    row = skyrl.prompts(str(script.folder), [name], split="test", limit=1)[0]
    env = skyrl.Environment({"weights": {"format": 1.0}}, row)
    env.init(row["prompt"])
    assert env.step(WRONG)["reward"] == 0
