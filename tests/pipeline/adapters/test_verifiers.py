"""verifiers: its own environment plays all rows against a model's server; rewards are replay's."""

from __future__ import annotations

import asyncio
import json
import pickle
from itertools import islice
from types import SimpleNamespace

import pytest
from doors import serve_script
from doors import verifiers_environment as environment_of
from doors import verifiers_episodes as played
from model_server import ModelServer

import facelet

pytestmark = pytest.mark.adapters


@pytest.fixture
def server(script):
    with serve_script(script) as told:
        yield told


def test_rewards_are_the_accuracy_of_the_scorer(script, server, tmp_path):
    environment = environment_of(script)
    episodes = played(environment, server, list(environment.taskset))
    rewards = {}
    for episode in episodes:
        assert episode.ok, episode.errors
        (trace,) = episode.traces
        name = trace.task.data.id
        assert trace.info["facelet_replies"] == script.plays[name]
        assert trace.metrics["correct"] == trace.reward
        rewards.setdefault(trace.task.data.name, []).append(trace.reward)
    truth = script.truth(tmp_path / "live.jsonl")
    assert {name: sum(all_) / len(all_) for name, all_ in rewards.items()} == {
        name: config["accuracy"] for name, config in truth.items()
    }
    assert {0.0, 1.0} == {reward for all_ in rewards.values() for reward in all_}
    # What verifiers writes is scored as it is.
    file = tmp_path / "traces.jsonl"
    file.write_text("".join(json.dumps(episode.to_record()) + "\n" for episode in episodes))
    assert script.scores(file) == truth


def only_episode(episodes):
    (episode,) = episodes
    (trace,) = episode.traces
    return episode, trace


def test_a_turn_that_begins_a_new_chat_is_another_branch(script, server):
    environment = environment_of(script, configs=["suite.reflection"])
    tasks = [task for task in environment.taskset if len(script.plays[task.data.id]) == 3]
    _, trace = only_episode(played(environment, server, tasks[:1]))
    assert len(trace.branches) == trace.num_turns == 3
    assert {sum(node.sampled for node in branch.nodes) for branch in trace.branches} == {1}


def test_an_episode_that_is_cut_off_is_judged_as_it_stands(script, server):
    environment = environment_of(script, {"max_turns": 1}, configs=["suite.bit_query"])
    tasks = [task for task in environment.taskset if len(script.plays[task.data.id]) > 1]
    episode, trace = only_episode(played(environment, server, tasks[:1]))
    assert episode.ok and trace.stop_condition == "max_turns" and trace.num_turns == 1
    assert trace.reward == trace.metrics["correct"] == 0


def test_a_model_that_cannot_be_reached_is_worth_nothing_known(script, server):
    environment = environment_of(script, configs=["suite.assemble_easy"], limit=1)
    server.failures = [400]
    episode, trace = only_episode(played(environment, server, list(environment.taskset)[:1]))
    assert not episode.ok and not trace.rewards and "Provider" in trace.errors[-1].type


def test_the_form_and_the_parts_of_an_answer_count_when_told(script, server):
    from facelet.pipeline.adapters._dataset_folder import find_row, grade_replies
    from facelet.pipeline.rollout.rewards import Weights, reward

    worth = {"partial": 0.5, "format": 0.25}
    environment = environment_of(script, configs=["suite.face_recognition"], task=worth)
    for episode in played(environment, server, list(environment.taskset)):
        _, trace = only_episode([episode])
        name = trace.task.data.id
        outcome = grade_replies(find_row(str(script.folder), name), script.plays[name])
        assert trace.reward == reward(outcome, Weights(**worth))
        assert trace.metrics["strict"] == outcome.strict


def test_replies_to_another_harness_are_judged_too(script, server):
    environment = environment_of(script, configs=["suite.assemble_easy"])
    for task in environment.taskset:
        _, trace = only_episode(played(environment, server, [task]))
        before, trace.rewards = trace.reward, {}
        del trace.info["facelet_replies"]
        asyncio.run(task.score(trace))
        assert trace.reward == before


def test_pictures_are_shown_and_rows_are_those_of_the_split(script):
    (task, *_) = environment_of(script, configs=["suite.face_recognition"]).taskset
    *_, asked = task.data.prompt
    assert "image_url" in {part.type for part in asked.content}
    assert task.key == task.data.id and task.data.content_hash
    with pytest.raises(ValueError, match="unknown split 'train'"):
        list(environment_of(script, split="train").taskset)
    with pytest.raises(ValueError, match="dataset is needed"):
        list(environment_of(script, dataset="").taskset)


class ConstantServer(ModelServer):
    """A model that always says the same."""

    def reply(self, messages):
        return "I do not know."


def test_a_stream_is_an_infinite_taskset(script):
    """Its rows are played like others; a verdict needs the id alone."""
    told = {"dataset": "", "stream": "arcade/bit_query", "levels": "1-2", "seed": 4}
    environment = environment_of(script, **told)
    taskset = environment.taskset
    assert not taskset.bounded and taskset.take(3).bounded
    tasks = list(islice(taskset, 3))
    made = facelet.stream("arcade/bit_query", 4, levels="1-2")
    assert [task.key for task in tasks] == [made[n]["id"] for n in range(3)]
    copies = pickle.loads(pickle.dumps([task.data for task in tasks]))
    for data, task in zip(copies, tasks, strict=True):
        play = made.open(data.id)
        assert play.messages == [one.model_dump(exclude_none=True) for one in task.data.prompt]
    server = ConstantServer(SimpleNamespace(rows=[], references={}))
    try:
        for episode in played(environment, server, tasks):
            assert episode.ok, episode.errors
            (trace,) = episode.traces
            assert trace.reward == 0 and len(trace.info["facelet_replies"]) > 1
    finally:
        server.http.shutdown()
        server.http.server_close()


def test_either_a_dataset_or_a_stream_is_needed(script):
    both = environment_of(script, stream="arcade/bit_query").taskset
    with pytest.raises(ValueError, match="either taskset"):
        next(iter(both))


class EasyLevelServer(ModelServer):
    """A model that knows the easiest level alone."""

    def __init__(self, made):
        self.made, self.known = made, {}
        super().__init__(SimpleNamespace(rows=[], references={}))

    def learn_config(self, name):
        play = self.made.open(name)
        row = play._row
        known = "/train-l01/" in name
        said = list(row.task.reference(row.instance)) if known else []
        self.known[play.messages[-1]["content"]] = said

    def reply(self, messages):
        asked = [one["content"] for one in messages if one["role"] == "user"]
        said, turn = self.known[asked[0]], len(asked) - 1
        return said[turn] if turn < len(said) else "I do not know."


def test_a_sampler_of_levels_learns_from_groups(script):
    """It has the methods of prime-rl's samplers, and is told episodes as verifiers makes them."""
    from facelet.pipeline.adapters.verifiers import LevelSampler

    told = {"stream": "arcade/bit_query", "levels": "1-3", "seed": 4}
    environment = environment_of(script, dataset="", **told)
    sampler = LevelSampler(**told, sampler="pools")
    server = EasyLevelServer(facelet.stream("arcade/bit_query", 4, levels="1-3"))
    before = sampler.metrics()
    try:
        for _ in range(9):
            task = next(sampler)
            server.learn_config(task.key)
            group = played(environment, server, [task, task])
            assert {episode.task.key for episode in group} == {task.key}
            sampler.observe(group)
    finally:
        server.http.shutdown()
        server.http.server_close()
    easy, *_, hard = sampler.metrics().values()
    assert set(before.values()) == {0.5} and easy > 0.6 and hard < 0.4
    assert next(iter(before)) == "success/arcade/bit_query/train-l01"
    other = LevelSampler(**told, sampler="pools")
    other.load_state_dict(json.loads(json.dumps(sampler.state_dict())))
    assert [next(other).key for _ in range(5)] == [next(sampler).key for _ in range(5)]
    sampler.observe([])


def test_a_dataset_without_a_training_split_gives_all_of_its_rows(script):
    from facelet.pipeline.adapters.verifiers import Rows, RowsConfig

    tasks = list(Rows(RowsConfig(dataset=str(script.folder))).load())
    assert {task.data.id for task in tasks} == set(script.plays)
