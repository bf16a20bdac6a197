"""TRL: a rollout step of GRPOTrainer with a tiny random model; rewards are the scorer's."""

from __future__ import annotations

import json
import pickle

import pytest
import tiny_models
from scripted import WRONG

pytestmark = pytest.mark.adapters


@pytest.fixture(scope="module")
def tiny():
    return tiny_models.reading_model()


@pytest.fixture(scope="module")
def seeing():
    return tiny_models.seeing_model()


def make_trainer(tiny, tmp_path, **more):
    from trl import GRPOConfig, GRPOTrainer

    model, tokenizer = tiny
    args = GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=more.pop("steps", 1),
        learning_rate=more.pop("rate", 0.0),
        per_device_train_batch_size=2,
        num_generations=2,
        max_completion_length=more.pop("longest", 8),
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
    )
    return GRPOTrainer(model=model, processing_class=tokenizer, args=args, **more)


def test_a_step_with_the_reward_function(script, tiny, tmp_path):
    from facelet.pipeline.adapters import trl as adapter

    data = adapter.prompts(str(script.folder), ["suite.assemble_easy"], "test")
    seen = []
    inner = adapter.reward_func(str(script.folder))

    def watch_reward(completions, **columns):
        seen.extend(zip(columns["id"], completions, strict=True))
        return inner(completions=completions, **columns)

    trainer = make_trainer(tiny, tmp_path, train_dataset=data, reward_funcs=watch_reward)
    trainer.train()
    assert len(seen) == 2 and {name for name, _ in seen} <= set(data["id"])


def test_rewards_are_the_accuracy_of_the_scorer(script, tmp_path):
    from facelet.pipeline.adapters import trl as adapter

    truth = script.truth(tmp_path / "live.jsonl")
    give = adapter.reward_func(str(script.folder))
    for config in ("suite.assemble_easy", "suite.face_recognition"):
        data = adapter.prompts(str(script.folder), [config], "test")
        said = [[{"role": "assistant", "content": script.plays[name][0]}] for name in data["id"]]
        rewards = give(prompts=data["prompt"], completions=said, id=data["id"])
        assert sum(rewards) / len(rewards) == truth[config]["accuracy"]
    make = adapter.environment_factory(str(script.folder))
    data = adapter.prompts(str(script.folder), ["suite.bit_query"], "test")
    total = 0.0
    for row in data:
        environment = make()
        assert environment.reset(**row) is None
        for said in script.plays[row["id"]]:
            assert environment.get_reward() == 0.0
            told = environment.reply(said)
        assert told == environment.reply(WRONG) == adapter.EPISODE_OVER
        total += environment.get_reward()
    assert total / len(data) == truth["suite.bit_query"]["accuracy"]


def test_a_step_in_which_the_model_plays_an_episode_by_its_tool(
    script, tiny, tmp_path, monkeypatch
):
    from facelet.pipeline.adapters import trl as adapter

    _, tokenizer = tiny
    data = adapter.prompts(str(script.folder), ["suite.bit_query"], "test", limit=1)
    (name,) = data["id"]
    trainer = make_trainer(
        tiny,
        tmp_path,
        longest=100_000,
        train_dataset=data,
        environment_factory=adapter.environment_factory(str(script.folder)),
    )
    calls = []

    def generate_replies(prompt_ids, *_, **__):
        turn = len(calls)
        calls.append(tokenizer.decode(prompt_ids[0]))
        said = "Done."
        if turn < len(script.plays[name]):
            call = {"name": "reply", "arguments": {"text": script.plays[name][turn]}}
            said = f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
        ids = tokenizer(said + "<|im_end|>")["input_ids"]
        return [ids] * len(prompt_ids), None

    monkeypatch.setattr(trainer, "_generate_single_turn", generate_replies)
    batch = trainer._generate_and_score_completions([data[0], data[0]])
    assert len(calls) == len(script.plays[name]) + 1 and '"name": "reply"' in calls[0]
    assert adapter.EPISODE_OVER in calls[-1] and batch["advantages"].tolist() == [0.0, 0.0]
    assert {one.get_reward() for one in trainer.environments} == {1.0}


def test_a_step_in_which_a_tool_shows_pictures(script, seeing, tmp_path, monkeypatch):
    """The trainer's own loop takes what the tool returns, and its last pass sees all pictures."""
    from facelet.pipeline import rollout
    from facelet.pipeline.adapters import trl as adapter
    from facelet.pipeline.rollout.row_opener import read_row

    folder = str(script.folder)
    data = adapter.prompts(folder, ["suite.act"], "test")
    row, processor = data[0], seeing[1]
    published = rollout.find_row(folder, row["id"])
    read = read_row(published)
    said, due = read.task.reference(read.instance), []
    play = rollout.open_row(published)
    for reply in said:
        due.append([image.tobytes() for image in play.images])
        play.reply(reply)
    assert play.outcome.status == "correct" and len(due[-1]) > len(due[0]) == 1
    trainer = make_trainer(
        seeing,
        tmp_path,
        longest=100_000,
        train_dataset=data,
        environment_factory=adapter.environment_factory(folder),
    )
    calls, shown = [], []

    def generate_looking(prompt_ids, images, *_, **__):
        turn = len(calls)
        calls.append(processor.tokenizer.decode(prompt_ids[0]))
        shown.append([one.tobytes() for one in images[0]])
        reply = "Done."
        if turn < len(said):
            call = {"name": "reply", "arguments": {"text": said[turn]}}
            reply = f"<tool_call>\n{json.dumps(call)}\n</tool_call>"
        return [processor.tokenizer(reply + "<|im_end|>")["input_ids"]] * len(prompt_ids), None

    monkeypatch.setattr(trainer, "_generate_single_turn", generate_looking)
    batch = trainer._generate_and_score_completions([row, row])
    assert shown == [*due, due[-1]] and adapter.EPISODE_OVER in calls[-1]
    assert [one.get_reward() for one in trainer.environments] == [1.0, 1.0]
    assert batch["num_images"] == [len(due[-1])] * 2


def test_pictures_come_in_their_order_and_a_second_chat_does_not(script):
    from facelet.pipeline.adapters import trl as adapter

    folder = str(script.folder)
    data = adapter.prompts(folder, ["suite.face_recognition"], "test")
    parts = [part for message in data[0]["prompt"] for part in message["content"]]
    assert sum(part["type"] == "image" for part in parts) == len(data[0]["images"]) > 0
    assert {image.mode for row in data for image in row["images"]} == {"RGB"}
    with pytest.raises(ValueError, match=r"^suite.reflection: a turn begins a new chat"):
        adapter.prompts(folder, ["suite.reflection", "suite.act"], "test")
    with pytest.raises(ValueError, match="unknown split 'train'"):
        adapter.prompts(folder, ["suite.act"])
    data = adapter.prompts(folder, ["suite.act"], "test", limit=1)
    environment = adapter.environment_factory(folder)()
    environment.reset(**data[0])
    told = environment.reply(WRONG)
    assert isinstance(told, str | list) and len(data[0]["images"]) == 1


def test_what_trainers_send_to_other_processes_can_be_pickled(script):
    from facelet.pipeline.adapters import trl as adapter
    from facelet.pipeline.rollout.rewards import Weights

    folder, weights = str(script.folder), Weights(partial=0.5)
    for made in (
        adapter.reward_func(folder, weights),
        adapter.environment_factory(folder, weights),
    ):
        assert pickle.loads(pickle.dumps(made)) == made
    give = pickle.loads(pickle.dumps(adapter.reward_func(folder)))
    names = [one for one in script.plays if one.startswith("suite.assemble_easy/")]
    (name, *_) = [one for one in names if script.plays[one] != [WRONG]]
    assert give(completions=[script.plays[name][0]], id=[name]) == [1.0]
    environment = pickle.loads(pickle.dumps(adapter.environment_factory(folder)))()
    environment.reset(id=name)
    assert environment.reply(script.plays[name][0]) == adapter.EPISODE_OVER
    assert environment.get_reward() == 1.0
    assert pickle.loads(pickle.dumps(adapter.environment_factory(folder)())).get_reward() == 0.0
