"""TRL's trainer and a stream: rows before rewards, groups, evaluation, checkpoints, processors.

The trainer is real, its model random and tiny; what it says depends on the row alone, so that two
runs have equal rewards.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import groupby

import pytest
import tiny_models
from scripted import WRONG

pytestmark = pytest.mark.adapters

GROUP = 2


@pytest.fixture
def trl_adapter():
    from facelet.pipeline.adapters import trl

    return trl


@pytest.fixture(params=["single", "episodes"])
def kind(request):
    return request.param


def describe_rows(adapter, kind, sampler, seed=5):
    task, levels, params = {
        "single": ("labyrinth/plan", "1-3", {"setting": "symbolic"}),
        "episodes": ("arcade/bit_query", "1-4", {}),
    }[kind]
    return adapter.Streamed(task, seed=seed, levels=levels, sampler=sampler, params=params)


class Run:
    """One process of training: what was drawn, generated and paid, in order."""

    def __init__(self, adapter, kind, rows, folder, monkeypatch, steps=8, **options):
        from trl import GRPOConfig, GRPOTrainer

        from facelet.pipeline.adapters import _stream_factory

        _stream_factory._PROGRESS.clear()  # a new process has none
        self.rows, self.kind, self.events = rows, kind, []
        source = {}
        if kind == "single":
            source["train_dataset"] = adapter.prompts(rows)
            source["reward_funcs"] = adapter.reward_func(rows)
        else:
            source["environment_factory"] = adapter.environment_factory(rows)
        source |= {name: options.pop(name) for name in ("eval_dataset",) if name in options}
        callbacks = options.pop("callbacks", [adapter.TrainingCallback(rows)])
        model, processor = options.pop("model", tiny_models.reading_model)()
        args = {
            "output_dir": str(folder),
            "max_steps": steps,
            "per_device_train_batch_size": GROUP,
            "num_generations": GROUP,
            "max_completion_length": 100_000,
            "use_cpu": True,
            "bf16": False,
            "report_to": [],
            "save_strategy": "no",
            "disable_tqdm": True,
            **options,
        }
        self.trainer = GRPOTrainer(
            model=model,
            processing_class=processor,
            args=GRPOConfig(**args),
            callbacks=callbacks,
            **source,
        )
        self.watch(monkeypatch)

    def watch(self, monkeypatch):
        """Note each row that is drawn, each generated batch, and each reward."""
        progress, trainer = self.rows.progress, self.trainer
        take, record = progress.take_row, type(progress).record_reward
        generate = trainer._generate_and_score_completions
        tokenizer = trainer.processing_class
        ids, waiting = [], []

        def take_row():
            row = take()
            self.events.append(("draw", row["id"]))
            return row

        def record_reward(own, name, *rewards):
            self.events.append(("reward", name))
            record(own, name, *rewards)

        def generate_batch(inputs):
            ids[:] = [one.get("id") for one in inputs]
            self.events.append(("batch", ""))
            batch = generate(inputs)
            names = ids if ids[0] else [one._play.id for one in trainer.environments]
            self.events.append(("rollouts", list(names)))
            return batch

        def generate_replies(prompt_ids, *_, **__):
            if not waiting:
                waiting.extend(range(len(prompt_ids)))
            said = {place: self.say(ids, place) for place in waiting}
            waiting[:] = [place for place, text in said.items() if "<tool_call>" in text]
            return [tokenizer(text + "<|im_end|>")["input_ids"] for text in said.values()], None

        monkeypatch.setattr(progress, "take_row", take_row)
        monkeypatch.setattr(type(progress), "record_reward", record_reward)
        monkeypatch.setattr(trainer, "_generate_and_score_completions", generate_batch)
        monkeypatch.setattr(trainer, "_generate_single_turn", generate_replies)
        # Losses change no row, and cost most of the time.
        monkeypatch.setattr(trainer, "_compute_loss", lambda model, _: model.lm_head.weight.sum())

    def say(self, ids, place):
        """Return the reply of a rollout: right for half of the rollouts of each row."""
        from facelet.pipeline.rollout.row_opener import read_row

        if self.kind == "single":
            own = self.rows.progress.select_stream(ids[place])
            row = read_row(own.row(ids[place]))
            return row.task.reference(row.instance)[0] if is_right(row.id, place) else WRONG
        play = self.trainer.environments[place]._play
        if play.done:
            return "Done."
        row, turn = play._row, len(play.replies)
        text = row.task.reference(row.instance)[turn] if is_right(row.id, place) else WRONG
        call = {"name": "reply", "arguments": {"text": text}}
        return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"

    def list_events(self, kind):
        return [value for name, value in self.events if name == kind]


def is_right(identifier, place):
    return sha256(f"{identifier} {place % GROUP}".encode()).digest()[0] % 3 == 0


@pytest.mark.parametrize(
    "options",
    [
        {"per_device_train_batch_size": 2 * GROUP},
        {"gradient_accumulation_steps": 2, "num_iterations": 2},
    ],
)
def test_two_generation_batches_are_drawn_before_the_first_reward(
    trl_adapter, kind, tmp_path, monkeypatch, options
):
    rows = describe_rows(trl_adapter, kind, "frontier")
    run = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, steps=2, **options)
    run.trainer.train()
    names = [name for name, _ in run.events]
    drawn = names[: names.index("reward")].count("draw")
    batch = run.trainer.args.generation_batch_size // GROUP
    assert 1 <= drawn <= 2 * batch
    assert rows.process_stream().expected() != trl_adapter.Streamed.open_stream(rows).expected()


def test_every_group_plays_one_row(trl_adapter, kind, tmp_path, monkeypatch):
    rows = describe_rows(trl_adapter, kind, "frontier")
    size = {"per_device_train_batch_size": 4 * GROUP}
    run = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, steps=2, **size)
    run.trainer.train()
    for names in run.list_events("rollouts"):
        assert [len(list(own)) for _, own in groupby(names)] == [GROUP] * 4
    assert len({name for names in run.list_events("rollouts") for name in names}) == 8


def test_a_group_of_two_rows_is_refused(trl_adapter, tmp_path, monkeypatch):
    """A loader that reorders rollouts would mix rows in a group."""
    rows = describe_rows(trl_adapter, "episodes", "uniform")
    run = Run(trl_adapter, "episodes", rows, tmp_path, monkeypatch)
    run.trainer.model.train()
    environment = run.trainer.environment_factories[None]()
    first, second = (rows.open_stream()[number]["id"] for number in (0, 1))
    environment.reset(id=first)
    with pytest.raises(ValueError, match=rf"2 rollouts plays {first} and {second}"):
        environment.reset(id=second)
    with pytest.raises(ValueError, match="group=3, and num_generations is 2"):
        trl_adapter.environment_factory(rows, group=3)().reset()


@pytest.mark.parametrize("sampler", ["uniform", "frontier"])
def test_evaluation_has_a_stream_of_its_own(trl_adapter, kind, tmp_path, monkeypatch, sampler):
    rows = describe_rows(trl_adapter, kind, sampler)
    plain = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, steps=4)
    plain.trainer.train()
    evaluated = Run(
        trl_adapter,
        kind,
        rows,
        tmp_path,
        monkeypatch,
        steps=4,
        eval_dataset=trl_adapter.prompts(rows.for_evaluation(), limit=3),
        eval_strategy="steps",
        eval_steps=2,
        per_device_eval_batch_size=GROUP,
    )
    evaluated.trainer.train()
    batches = evaluated.list_events("rollouts")
    tests = [names for names in batches if "/eval-" in names[0]]
    assert len(tests) == 6 and tests[:3] == tests[3:]  # each evaluation has the same rows
    assert [one for one in batches if one not in tests] == plain.list_events("rollouts")
    assert evaluated.list_events("draw") == plain.list_events("draw")


def test_evaluation_on_rows_for_training_is_refused(trl_adapter, kind, tmp_path, monkeypatch):
    rows = describe_rows(trl_adapter, kind, "uniform")
    run = Run(
        trl_adapter,
        kind,
        rows,
        tmp_path,
        monkeypatch,
        eval_dataset=trl_adapter.prompts(rows, limit=2),
        per_device_eval_batch_size=GROUP,
    )
    with pytest.raises(ValueError, match=r"eval_dataset=prompts\(rows.for_evaluation\(\)"):
        run.trainer.evaluate()


def test_episodes_are_evaluated_without_ids(trl_adapter, tmp_path, monkeypatch):
    from datasets import Dataset

    rows = describe_rows(trl_adapter, "episodes", "frontier")
    blank = Dataset.from_dict({"prompt": [[{"role": "user", "content": ""}]] * 2})
    run = Run(
        trl_adapter,
        "episodes",
        rows,
        tmp_path,
        monkeypatch,
        eval_dataset=blank,
        per_device_eval_batch_size=GROUP,
    )
    run.trainer.evaluate()
    first = run.list_events("rollouts")
    run.trainer.evaluate()
    assert run.list_events("rollouts") == first * 2
    assert all("/eval-" in name for names in first for name in names)
    assert rows.process_stream().position == 0


@pytest.mark.parametrize(
    ("sampler", "options"),
    [("uniform", {}), ("frontier", {}), ("frontier", {"gradient_accumulation_steps": 2})],
)
def test_a_resumed_run_has_the_rows_of_the_uninterrupted_one(
    trl_adapter, kind, tmp_path, monkeypatch, sampler, options
):
    rows = describe_rows(trl_adapter, kind, sampler)
    told = {"save_strategy": "steps", "save_steps": 3, "steps": 5, **options}
    whole = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, **told)
    whole.trainer.train()
    learned = rows.process_stream().expected()
    resumed = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, **told)
    resumed.trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))
    batches = whole.list_events("rollouts")
    assert len(batches) == 5 and resumed.list_events("rollouts") == batches[3:]
    assert rows.process_stream().expected() == pytest.approx(learned)
    other = Run(
        trl_adapter,
        kind,
        describe_rows(trl_adapter, kind, sampler, seed=6),
        tmp_path,
        monkeypatch,
        **told,
    )
    with pytest.raises(ValueError, match=r"another stream: seed differs \(5, and this .* 6\)"):
        other.trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-3"))


def test_a_checkpoint_without_a_position_is_refused(trl_adapter, kind, tmp_path, monkeypatch):
    rows = describe_rows(trl_adapter, kind, "uniform")
    told = {"save_strategy": "steps", "save_steps": 2, "steps": 4}
    run = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, **told)
    run.trainer.train()
    path = tmp_path / "checkpoint-2" / "trainer_state.json"
    state = json.loads(path.read_text())
    del state["stateful_callbacks"]["facelet"]
    path.write_text(json.dumps(state))
    again = Run(trl_adapter, kind, rows, tmp_path, monkeypatch, **told)
    with pytest.raises(ValueError, match=r"saved without TrainingCallback"):
        again.trainer.train(resume_from_checkpoint=str(tmp_path / "checkpoint-2"))


def test_what_a_trainer_cannot_take_is_refused_at_construction(trl_adapter, tmp_path, monkeypatch):
    pictured = trl_adapter.Streamed("labyrinth/act", seed=5, levels="1-2")
    with pytest.raises(ValueError, match=r"labyrinth/act shows pictures, and the processor"):
        Run(trl_adapter, "episodes", pictured, tmp_path, monkeypatch)
    data = trl_adapter.prompts(trl_adapter.Streamed("cube/face_recognition", levels="1"), limit=2)
    with pytest.raises(ValueError, match=r"the dataset shows pictures"):
        trl_adapter.TrainingCallback(data).on_init_end(
            None, None, None, processing_class=tiny_models.reading_model()[1]
        )
    rows = describe_rows(trl_adapter, "single", "frontier")
    with pytest.raises(ValueError, match="gradient_accumulation_steps=4 draws the rows of several"):
        Run(
            trl_adapter,
            "single",
            rows,
            tmp_path,
            monkeypatch,
            gradient_accumulation_steps=4,
            steps_per_generation=1,
        )


def test_rows_that_are_loaded_too_early_are_refused(trl_adapter, tmp_path, monkeypatch):
    """A dataset of another class is shuffled by the trainer through a buffer of a thousand rows."""
    rows = describe_rows(trl_adapter, "single", "frontier")
    run = Run(trl_adapter, "single", rows, tmp_path, monkeypatch)
    run.trainer.train_dataset = trl_adapter.prompts(rows).map(dict)
    with pytest.raises(
        ValueError, match=r"rows were loaded before their rewards, and a generation"
    ):
        run.trainer.train()
