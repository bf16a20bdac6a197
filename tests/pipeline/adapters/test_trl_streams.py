"""TRL on streams: ten steps of GRPOTrainer that change a model, with and without a dataset.

A random model says nothing that is right, so what it says is scripted: of each group the first
rollout plays as the reference does, the others badly. All else is the trainer's own: templates of
chats, the loop of tools, pictures, rewards, advantages, the loss and the optimizer.
"""

from __future__ import annotations

import json
import multiprocessing
import pickle
from dataclasses import replace
from itertools import islice

import pytest
import spawned
import tiny_models
from scripted import WRONG

pytestmark = pytest.mark.adapters

STEPS, GROUP = 10, 2


@pytest.fixture
def trl_adapter():
    from facelet.pipeline.adapters import trl

    return trl


def open_streamed(adapter, task, sampler="uniform", levels="1-2", **params):
    return adapter.Streamed(task, seed=5, levels=levels, sampler=sampler, params=params)


def reference_replies(row):
    return list(row.task.reference(row.instance))


def make_trainer(model, tmp_path, **more):
    from trl import GRPOConfig, GRPOTrainer

    args = GRPOConfig(
        output_dir=str(tmp_path),
        max_steps=STEPS,
        learning_rate=1e-2,
        per_device_train_batch_size=GROUP,
        num_generations=GROUP,
        max_completion_length=100_000,
        use_cpu=True,
        bf16=False,
        report_to=[],
        save_strategy="no",
        logging_steps=1,
        disable_tqdm=True,
    )
    return GRPOTrainer(model=model[0], processing_class=model[1], args=args, **more)


def train_with(trainer, monkeypatch, said):
    """Train with what `reply_text(rollout)` says; return logged rewards, and what share changed."""
    processor = trainer.processing_class
    tokenizer = getattr(processor, "tokenizer", processor)
    waiting: list[int] = []

    def generate_replies(prompt_ids, *_, **__):
        if not waiting:
            waiting.extend(range(len(prompt_ids)))
        assert len(waiting) == len(prompt_ids)
        replies = {place: said(place) for place in waiting}
        waiting[:] = [place for place, text in replies.items() if "<tool_call>" in text]
        ids = [tokenizer(text + "<|im_end|>")["input_ids"] for text in replies.values()]
        return ids, None

    monkeypatch.setattr(trainer, "_generate_single_turn", generate_replies)
    before = [weight.detach().clone() for weight in trainer.model.parameters()]
    trainer.train()
    assert trainer.state.global_step == STEPS
    pairs = zip(before, trainer.model.parameters(), strict=True)
    changed = sum(not old.equal(new) for old, new in pairs) / len(before)
    return [one["reward"] for one in trainer.state.log_history if "reward" in one], changed


def train_single(trainer, monkeypatch, adapter, told):
    """Train on single questions, whose rows are known by the ids that the reward is asked of."""
    ids = []
    inner = trainer._generate_and_score_completions

    def watch_inputs(inputs):
        ids[:] = [one["id"] for one in inputs]
        return inner(inputs)

    monkeypatch.setattr(trainer, "_generate_and_score_completions", watch_inputs)

    def reply_text(place):
        from facelet.pipeline.rollout.row_opener import read_row

        right = place % GROUP == 0
        return reference_replies(read_row(told.progress.row(ids[place])))[0] if right else WRONG

    return train_with(trainer, monkeypatch, reply_text)


def episodes(trainer, monkeypatch):
    """Train on episodes."""

    def episode_reply(place):
        play = trainer.environments[place]._play
        if play.done:
            return "Done."
        right = place % GROUP == 0
        text = reference_replies(play._row)[len(play.replies)] if right else WRONG
        call = {"name": "reply", "arguments": {"text": text}}
        return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"

    return train_with(trainer, monkeypatch, episode_reply)


@pytest.mark.parametrize(("model", "setting"), [("reading", "symbolic"), ("seeing", "visual")])
def test_ten_steps_on_single_questions(trl_adapter, tmp_path, monkeypatch, model, setting):
    told = open_streamed(trl_adapter, "labyrinth/plan", "frontier", setting=setting)
    before = dict(told.process_stream().expected())
    trainer = make_trainer(
        getattr(tiny_models, f"{model}_model")(),
        tmp_path,
        train_dataset=trl_adapter.prompts(told),
        reward_funcs=trl_adapter.reward_func(told),
        callbacks=[trl_adapter.TrainingCallback(told)],
    )
    rewards, changed = train_single(trainer, monkeypatch, trl_adapter, told)
    assert rewards == [1 / GROUP] * STEPS and changed > 0.5
    assert told.process_stream().position >= STEPS and told.process_stream().expected() != before


@pytest.mark.parametrize(
    ("model", "task"), [("reading", "arcade/bit_query"), ("seeing", "labyrinth/act")]
)
def test_ten_steps_on_episodes_without_a_dataset(trl_adapter, tmp_path, monkeypatch, model, task):
    told = open_streamed(trl_adapter, task, "frontier", levels="1" if "bit" in task else "1-2")
    trainer = make_trainer(
        getattr(tiny_models, f"{model}_model")(),
        tmp_path,
        environment_factory=trl_adapter.environment_factory(told),
        callbacks=[trl_adapter.TrainingCallback(told)],
    )
    rewards, changed = episodes(trainer, monkeypatch)
    assert rewards == [1 / GROUP] * STEPS and changed > 0.5
    assert told.process_stream().position == STEPS  # a row a group


def test_a_dict_of_factories(trl_adapter, tmp_path, monkeypatch):
    """Two tasks in one run: each rollout has the environment that its row names."""
    from datasets import concatenate_datasets

    parts = {
        "queries": open_streamed(trl_adapter, "arcade/bit_query", levels="1"),
        "mazes": open_streamed(trl_adapter, "arcade/maze_navigation", levels="1"),
    }
    rows = [trl_adapter.prompts(told, limit=5, environment=name) for name, told in parts.items()]
    trainer = make_trainer(
        tiny_models.reading_model(),
        tmp_path,
        train_dataset=concatenate_datasets(rows),
        environment_factory={
            name: trl_adapter.environment_factory(told) for name, told in parts.items()
        },
    )
    played = []
    get = trl_adapter.Environment.get_reward

    def watch_factory(self):
        played.append(self._play.id.rpartition("/train")[0])
        return get(self)

    monkeypatch.setattr(trl_adapter.Environment, "get_reward", watch_factory)
    rewards, changed = episodes(trainer, monkeypatch)
    assert rewards == [1 / GROUP] * STEPS and changed > 0.5
    assert sorted(played) == ["arcade/bit_query"] * 10 + ["arcade/maze_navigation"] * 10


def test_a_stream_is_the_same_in_a_process_of_its_own(trl_adapter):
    """AsyncGRPO pickles dataset, factories and rewards into a process that it spawns."""
    told = open_streamed(trl_adapter, "arcade/bit_query", levels="1")
    sent = pickle.dumps(
        {
            "dataset": trl_adapter.prompts(told, limit=3),
            "factory": trl_adapter.environment_factory(told, group=2),
            "reward": trl_adapter.reward_func(told),
        }
    )
    made = told.open_stream()
    rows = list(islice(made, 3))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        found = pool.apply(spawned.run_trl_worker, (sent, "no"))
    assert found["ids"] == [row["id"] for row in rows]
    assert found["rewards"] == [0.0] * 3
    firsts = ["\n\n".join(one["content"] for one in made.open(row).messages) for row in rows[:2]]
    assert found["prompts"] == [firsts[0]] * 2 + [firsts[1]] * 2
    assert found["worth"] == 0.0


def test_what_a_stream_cannot_is_refused(trl_adapter, monkeypatch):
    # Another seed than that of the tests above, whose trainers this process knows.
    told = replace(open_streamed(trl_adapter, "arcade/bit_query", "frontier", levels="1"), seed=9)
    with pytest.raises(ValueError, match="names its tasks itself"):
        trl_adapter.prompts(told, ["suite"])
    with pytest.raises(ValueError, match="group=3: use num_generations"):
        trl_adapter.environment_factory("folder", group=3)
    with pytest.raises(ValueError, match=r"cube/reflection: a turn begins a new chat, and TRL"):
        trl_adapter.prompts(trl_adapter.Streamed("cube/reflection", levels="1"))
    mixed = trl_adapter.Streamed("cube/move_prediction", levels="1")
    with pytest.raises(ValueError, match=r"2 of these 3 rows have pictures.* pictures=True or"):
        trl_adapter.prompts(mixed)
    for pictures in (True, False):
        rows = list(trl_adapter.prompts(replace(mixed, pictures=pictures), limit=4))
        assert [bool(row.get("images")) for row in rows] == [pictures] * 4
    with pytest.raises(ValueError, match="pictures=True: no row of arcade/bit_query"):
        trl_adapter.prompts(replace(told, pictures=True))
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match="several training processes"):
        next(told.iterate_rows())
    monkeypatch.delenv("WORLD_SIZE")
    with pytest.raises(ValueError, match=r"selects rows by rewards: pass callbacks="):
        next(told.iterate_rows())
    with pytest.raises(ValueError, match=r"workers=2 generate rows before the rewards"):
        next(replace(told, workers=2).iterate_rows())
    with pytest.raises(ValueError, match="the number of rollouts of a row is unknown"):
        trl_adapter.environment_factory(told)().reset()
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match="several training processes"):
        trl_adapter.environment_factory(told)().reset()
