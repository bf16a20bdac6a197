"""Each tool that Facelet adapts, driven by a script's replies, and what it says of each config.

A door takes a script, a folder for its files and pytest's monkeypatch. The tool is imported when
its door is opened.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import mean
from types import SimpleNamespace
from typing import Any

from harnesses import play_lm_eval, play_lmms_eval, play_lmms_eval_chats
from model_server import ModelServer
from scripted import Accuracies, ChatScript, iterate_configs

from facelet import create_dataset


def mean_by_config(worth: Mapping[str, float]) -> Accuracies:
    """Return the mean of what rows are worth, by config."""
    found: dict[str, list[float]] = {}
    for name, value in worth.items():
        found.setdefault(name.partition("/")[0], []).append(value)
    return {name: mean(values) for name, values in found.items()}


# In memory: create_dataset, Gymnasium, TextArena. Their rows are those of a build with SEED.
SEED = 5


def play_memory(script: ChatScript, _: Path, __: Any) -> Accuracies:
    worth = {}
    for _, task, params, names in iterate_configs(script):
        entries = create_dataset(task, len(names), SEED, **params)
        for name, entry in zip(names, entries, strict=True):
            worth[name] = entries.score_answer(script.plays[name], entry)
    return mean_by_config(worth)


def play_gymnasium(script: ChatScript, _: Path, __: Any) -> Accuracies:
    import gymnasium

    import facelet.pipeline.adapters.gymnasium as adapter

    worth = {}
    for _, task, params, names in iterate_configs(script):
        told = {"size": len(names), "seed": SEED, "params": params}
        env = gymnasium.make(adapter.environment_id(task), **told)
        for number, name in enumerate(names):
            env.reset(seed=number)
            paid, over = [], False
            for said in script.plays[name]:
                assert not over
                _, reward, over, _, _ = env.step(said)
                paid.append(reward)
            assert over
            worth[name] = sum(paid)
    return mean_by_config(worth)


def play_textarena(script: ChatScript, _: Path, __: Any) -> Accuracies:
    import textarena

    from facelet.pipeline.adapters import textarena as adapter

    worth = {}
    for _, task, params, names in iterate_configs(script):
        told = {"size": len(names), "seed": SEED, "params": params}
        env = textarena.make(adapter.game_id(task), **told)
        for number, name in enumerate(names):
            try:
                env.reset(num_players=1, seed=number)
            except ValueError as error:
                assert "shows pictures" in str(error)
                break
            for said in script.plays[name]:
                over, _ = env.step(said)
            assert over
            worth[name] = env.close()[0][0]
    return mean_by_config(worth)


# inspect_ai


def mock_model(script: ChatScript) -> Any:
    """Return inspect_ai's mock model, answering by the script."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer_messages(messages, tools, tool_choice, config):
        said = script.answer_chat([_spell_message(message) for message in messages])
        output = ModelOutput.from_content(model="mock", content=said)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer_messages, memoize=False)


def _spell_message(message: Any) -> dict[str, Any]:
    if isinstance(message.content, str):
        return {"role": message.role, "content": message.content}
    parts = [
        {"type": "text", "text": part.text}
        if part.type == "text"
        else {"type": "image_url", "image_url": {"url": part.image}}
        for part in message.content
    ]
    return {"role": message.role, "content": parts}


def log_figures(log: Any) -> Accuracies:
    """Return the metrics of a log by name."""
    return {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    }


def play_inspect(script: ChatScript, out: Path, _: Any) -> Accuracies:
    from inspect_ai import eval as run

    from facelet.pipeline.adapters.inspect_ai import build_task

    (suite,) = {name.partition(".")[0] for name, *_ in iterate_configs(script)}
    task = build_task(suite, str(script.folder))
    (log,) = run(task, model=mock_model(script), log_dir=str(out), display="none")
    assert log.status == "success", log.error
    return {name: value for name, value in log_figures(log).items() if "." in name}


# TRL: a reward for single questions, an environment for episodes in one chat


def play_trl(script: ChatScript, _: Path, __: Any) -> Accuracies:
    from facelet.pipeline.adapters import trl as adapter

    folder, worth = str(script.folder), {}
    give, make = adapter.reward_func(folder), adapter.environment_factory(folder)
    for config, _, _, names in iterate_configs(script):
        if all(len(script.plays[name]) == 1 for name in names):
            data = adapter.prompts(folder, [config], "test")
            said = [[{"role": "assistant", "content": script.plays[one][0]}] for one in data["id"]]
            paid = give(prompts=data["prompt"], completions=said, id=data["id"])
            worth |= dict(zip(data["id"], paid, strict=True))
            continue
        try:
            data = adapter.prompts(folder, [config], "test")
        except ValueError as error:
            assert "begins a new chat" in str(error)
            continue
        for row in data:
            environment = make()
            environment.reset(**row)
            for said in script.plays[row["id"]]:
                environment.reply(said)
            worth[row["id"]] = environment.get_reward()
    return mean_by_config(worth)


# verifiers


class ScriptedServer(ModelServer):
    """A model's server that answers by the script."""

    def __init__(self, script: ChatScript) -> None:
        self.answer_chat = script.answer_chat
        super().__init__(SimpleNamespace(rows=[], references={}))

    def reply(self, messages: Any) -> str:
        return self.answer_chat(messages)


@contextlib.contextmanager
def serve_script(script: ChatScript) -> Iterator[ScriptedServer]:
    """Give a server that answers by the script."""
    server = ScriptedServer(script)
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()


def verifiers_environment(script: ChatScript, agent: Any = None, **taskset: Any) -> Any:
    """Return the environment of verifiers over the script's dataset.

    Args:
        script: the script.
        agent: what the agent is told.
        taskset: what the taskset is told beside its dataset.
    """
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    told = {"id": "facelet-verifiers", "dataset": str(script.folder), "split": "test"} | taskset
    return load_environment(resolve_env_config({"taskset": told, "agent": agent or {}}))


def verifiers_episodes(environment: Any, server: ModelServer, tasks: list[Any]) -> list[Any]:
    """Return the episodes of tasks.

    Args:
        environment: an environment of verifiers.
        server: the model's server.
        tasks: some of its tasks.
    """
    import verifiers.v1 as vf

    context = vf.ModelContext(model="m", client=vf.EvalClientConfig(base_url=server.url))

    async def play_tasks():
        few = asyncio.Semaphore(4)  # as many as the server takes at once
        slots = [environment.slots(task)[0] for task in tasks]
        async with environment.serving():
            return await asyncio.gather(
                *(environment.run_slot(slot, context, few) for slot in slots)
            )

    return asyncio.run(play_tasks())


def play_verifiers(script: ChatScript, _: Path, __: Any) -> Accuracies:
    environment, worth = verifiers_environment(script), {}
    with serve_script(script) as server:
        for episode in verifiers_episodes(environment, server, list(environment.taskset)):
            assert episode.ok, episode.errors
            (trace,) = episode.traces
            worth[trace.task.data.id] = trace.reward
    return mean_by_config(worth)


SINGLE = ("text", "picture", "labels")
WORDS = ("text", "episode")
ALL = (*SINGLE, "episode", "pictured_episode", "chats")
DOORS: dict[str, tuple[Callable[[ChatScript, Path, Any], Accuracies], tuple[str, ...]]] = {
    "memory": (play_memory, ALL),
    "gymnasium": (play_gymnasium, ALL),
    "textarena": (play_textarena, WORDS),
    "inspect": (play_inspect, ALL),
    "lm-eval": (play_lm_eval, SINGLE),
    "lmms-eval": (play_lmms_eval, SINGLE),
    "lmms-eval chats": (play_lmms_eval_chats, SINGLE),
    "trl": (play_trl, (*SINGLE, "episode", "pictured_episode")),
    "verifiers": (play_verifiers, ALL),
}
"""Each door, and the configs of `test_equal_figures` that its tool can play."""
