"""Each tool that Facelet adapts, driven by a script's replies, and what it says of each config.

A door takes a script, a folder for its files and pytest's monkeypatch. The tool is imported when
its door is opened.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from statistics import mean
from types import SimpleNamespace
from typing import Any

from model_server import Server
from PIL import Image
from scripted import Scripted

from facelet import create_dataset
from facelet.pipeline.cli import main
from facelet.pipeline.dataset.manifests import manifest

Accuracies = dict[str, float]


def by_config(worth: Mapping[str, float]) -> Accuracies:
    """Return the mean of what rows are worth, by config."""
    found: dict[str, list[float]] = {}
    for name, value in worth.items():
        found.setdefault(name.partition("/")[0], []).append(value)
    return {name: mean(values) for name, values in found.items()}


def tasks(script: Scripted) -> Iterator[tuple[str, str, dict[str, Any], list[str]]]:
    """Yield each config of a build with its task, its params, and its rows' ids in order."""
    for config, told in manifest(script.folder)["configs"].items():
        names = [row["id"] for row in script.rows if row["id"].startswith(f"{config}/")]
        yield config, told["task"], told["params"], names


# In memory: create_dataset, Gymnasium, TextArena. Their rows are those of a build with SEED.
SEED = 5


def of_memory(script: Scripted, _: Path, __: Any) -> Accuracies:
    worth = {}
    for _, task, params, names in tasks(script):
        entries = create_dataset(task, len(names), SEED, **params)
        for name, entry in zip(names, entries, strict=True):
            worth[name] = entries.score_answer(script.plays[name], entry)
    return by_config(worth)


def of_gymnasium(script: Scripted, _: Path, __: Any) -> Accuracies:
    import gymnasium

    import facelet.pipeline.adapters.gymnasium as adapter

    worth = {}
    for _, task, params, names in tasks(script):
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
    return by_config(worth)


def of_textarena(script: Scripted, _: Path, __: Any) -> Accuracies:
    import textarena

    from facelet.pipeline.adapters import textarena as adapter

    worth = {}
    for _, task, params, names in tasks(script):
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
    return by_config(worth)


# inspect_ai


def mock(script: Scripted) -> Any:
    """Return inspect_ai's mock model, answering by the script."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(messages, tools, tool_choice, config):
        said = script.says([_spelled(message) for message in messages])
        output = ModelOutput.from_content(model="mock", content=said)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


def _spelled(message: Any) -> dict[str, Any]:
    if isinstance(message.content, str):
        return {"role": message.role, "content": message.content}
    parts = [
        {"type": "text", "text": part.text}
        if part.type == "text"
        else {"type": "image_url", "image_url": {"url": part.image}}
        for part in message.content
    ]
    return {"role": message.role, "content": parts}


def figures_of(log: Any) -> Accuracies:
    """Return the metrics of a log by name."""
    return {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    }


def of_inspect(script: Scripted, out: Path, _: Any) -> Accuracies:
    from inspect_ai import eval as run

    from facelet.pipeline.adapters.inspect_ai import task_of

    (suite,) = {name.partition(".")[0] for name, *_ in tasks(script)}
    task = task_of(suite, str(script.folder))
    (log,) = run(task, model=mock(script), log_dir=str(out), display="none")
    assert log.status == "success", log.error
    return {name: value for name, value in figures_of(log).items() if "." in name}


# lm-evaluation-harness and lmms-eval: single questions


Shown = tuple[str, tuple[str, ...]]
"""The text of a chat, and what its pictures show."""


def _spelled_out(script: Scripted, sign: str) -> dict[Shown, str]:
    """Return the reply to each chat, by what is shown.

    Args:
        script: the script.
        sign: what stands for a picture in the text; "" for nothing.
    """
    found = {}
    for chat, reply in script.replies.items():
        parts = [part for _, inside in chat for part in inside]
        urls = [part for part in parts if part.startswith("data:image")]
        told = [sign if part in urls else part for part in parts]
        data = [base64.b64decode(url.partition(",")[2]) for url in urls]
        pictures = [Image.open(BytesIO(one)) for one in data]
        found["\n\n".join(part for part in told if part), _pixels(pictures)] = reply
    return found


def _pixels(pictures: list[Any]) -> tuple[str, ...]:
    return tuple(sha256(one.convert("RGB").tobytes()).hexdigest() for one in pictures)


def lm_eval_model(script: Scripted, shown: list[Any]) -> Any:
    """Return a model of lm-eval that finds the row whose chat it is shown.

    Args:
        script: the script.
        shown: takes what it is shown.
    """
    from lm_eval.api.model import LM

    replies = _spelled_out(script, "<image>")

    class Model(LM):
        MULTIMODAL = True

        def generate_until(self, requests, disable_tqdm=False):
            return [self.answer(*request.args) for request in requests]

        def answer(self, text, kwargs, pictures=None):
            shown.append((text, pictures))
            assert kwargs["until"] == []
            return replies[text, _pixels((pictures or {"visual": []})["visual"])]

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError("these tasks generate")

        loglikelihood_rolling = loglikelihood

    return Model()


def lm_eval_results(
    script: Scripted, out: Path, monkeypatch: Any, model: Any, tasks: str
) -> dict[str, Any]:
    """Return what lm-eval says of the tasks that `facelet harness` writes.

    Args:
        script: the script.
        out: a folder for files.
        monkeypatch: pytest's.
        model: a model of lm-eval, or the name of one.
        tasks: name of a task or group.
    """
    import datasets
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(out / "cache"))
    assert main(["harness", f"dataset={script.folder}", f"out={out / 'tasks'}"]) == 0
    manager = TaskManager(include_path=str(out / "tasks"), include_defaults=False)
    return simple_evaluate(
        model, tasks=[tasks], task_manager=manager, bootstrap_iters=0, log_samples=True
    )


def harness_figures(script: Scripted, results: Mapping[str, Any]) -> Accuracies:
    """Return the accuracies of a harness's results, by config."""
    names = {"facelet_" + name.replace(".", "_"): name for name, *_ in tasks(script)}
    return {names[task]: told["acc,none"] for task, told in results.items() if task in names}


def of_lm_eval(script: Scripted, out: Path, monkeypatch: Any) -> Accuracies:
    (suite,) = {name.partition(".")[0] for name, *_ in tasks(script)}
    model = lm_eval_model(script, [])
    found = lm_eval_results(script, out, monkeypatch, model, f"facelet_{suite}")
    return harness_figures(script, found["results"])


def lmms_eval_model(script: Scripted, chats: bool) -> Any:
    """Return a model of lmms-eval that finds the row whose chat it is shown.

    Args:
        script: the script.
        chats: whether it is of the kind that takes chats; else it takes a text and pictures.
    """
    from lmms_eval.api.model import lmms

    replies = _spelled_out(script, "")

    class Model(lmms):
        is_simple = not chats

        def generate_until(self, requests):
            return [self.answer(*request.args) for request in requests]

        def answer(self, *args):
            if chats:
                _, messages, kwargs, number, task, split = args
                told = messages(self.task_dict[task][split][number])
                parts = [part for message in told for part in message["content"]]
                text = "\n\n".join(part["text"] for part in parts if part["type"] == "text")
                pictures = [part["url"] for part in parts if part["type"] == "image"]
            else:
                text, kwargs, visuals, number, task, split = args
                pictures = visuals(self.task_dict[task][split][number])
            assert kwargs["until"] == []
            return replies[text, _pixels(pictures)]

        def loglikelihood(self, requests):
            raise NotImplementedError("these tasks generate")

        generate_until_multi_round = loglikelihood

    return Model()


def lmms_eval_results(
    script: Scripted, out: Path, monkeypatch: Any, model: Any, tasks: str
) -> dict[str, Any]:
    """Return what lmms-eval says of the tasks that `facelet harness` writes.

    Args:
        script: the script.
        out: a folder for files.
        monkeypatch: pytest's.
        model: a model of lmms-eval, or the name of one.
        tasks: name of a task or group.
    """
    import datasets
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(out / "cache"))
    words = ("tool=lmms-eval", f"dataset={script.folder}", f"out={out / 'tasks'}")
    assert main(["harness", *words]) == 0
    manager = TaskManager(include_path=str(out / "tasks"), include_defaults=False)
    return simple_evaluate(
        model, tasks=[tasks], task_manager=manager, bootstrap_iters=0, log_samples=True
    )


def _of_lmms_eval(script: Scripted, out: Path, monkeypatch: Any, chats: bool) -> Accuracies:
    (suite,) = {name.partition(".")[0] for name, *_ in tasks(script)}
    model = lmms_eval_model(script, chats)
    found = lmms_eval_results(script, out, monkeypatch, model, f"facelet_{suite}")
    return harness_figures(script, found["results"])


def of_lmms_eval(script: Scripted, out: Path, monkeypatch: Any) -> Accuracies:
    return _of_lmms_eval(script, out, monkeypatch, False)


def of_lmms_eval_chats(script: Scripted, out: Path, monkeypatch: Any) -> Accuracies:
    return _of_lmms_eval(script, out, monkeypatch, True)


# TRL: a reward for single questions, an environment for episodes without pictures


def of_trl(script: Scripted, _: Path, __: Any) -> Accuracies:
    from facelet.pipeline.adapters import trl as adapter

    folder, worth = str(script.folder), {}
    give, make = adapter.reward_func(folder), adapter.environment_factory(folder)
    for config, _, _, names in tasks(script):
        if all(len(script.plays[name]) == 1 for name in names):
            data = adapter.prompts(folder, [config], "test")
            said = [[{"role": "assistant", "content": script.plays[one][0]}] for one in data["id"]]
            paid = give(prompts=data["prompt"], completions=said, id=data["id"])
            worth |= dict(zip(data["id"], paid, strict=True))
            continue
        try:
            data = adapter.prompts(folder, [config], "test")
        except ValueError as error:
            assert "episodes with pictures" in str(error)
            continue
        for row in data:
            environment = make()
            environment.reset(**row)
            for said in script.plays[row["id"]]:
                environment.reply(said)
            worth[row["id"]] = environment.get_reward()
    return by_config(worth)


# verifiers


class Told(Server):
    """A model's server that answers by the script."""

    def __init__(self, script: Scripted) -> None:
        self.says = script.says
        super().__init__(SimpleNamespace(rows=[], references={}))

    def reply(self, messages: Any) -> str:
        return self.says(messages)


@contextlib.contextmanager
def serving(script: Scripted) -> Iterator[Told]:
    """Give a server that answers by the script."""
    server = Told(script)
    try:
        yield server
    finally:
        server.http.shutdown()
        server.http.server_close()


def verifiers_environment(script: Scripted, agent: Any = None, **taskset: Any) -> Any:
    """Return the environment of verifiers over the script's dataset.

    Args:
        script: the script.
        agent: what the agent is told.
        taskset: what the taskset is told beside its dataset.
    """
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    told = {"id": "facelet-verifiers", "dataset": str(script.folder), "split": "test"} | taskset
    return load_environment(resolve_env_config({"taskset": told, "agent": agent or {}}))


def verifiers_episodes(environment: Any, server: Server, tasks: list[Any]) -> list[Any]:
    """Return the episodes of tasks.

    Args:
        environment: an environment of verifiers.
        server: the model's server.
        tasks: some of its tasks.
    """
    import verifiers.v1 as vf

    context = vf.ModelContext(model="m", client=vf.EvalClientConfig(base_url=server.url))

    async def play():
        few = asyncio.Semaphore(4)  # as many as the server takes at once
        slots = [environment.slots(task)[0] for task in tasks]
        async with environment.serving():
            return await asyncio.gather(
                *(environment.run_slot(slot, context, few) for slot in slots)
            )

    return asyncio.run(play())


def of_verifiers(script: Scripted, _: Path, __: Any) -> Accuracies:
    environment, worth = verifiers_environment(script), {}
    with serving(script) as server:
        for episode in verifiers_episodes(environment, server, list(environment.taskset)):
            assert episode.ok, episode.errors
            (trace,) = episode.traces
            worth[trace.task.data.id] = trace.reward
    return by_config(worth)


SINGLE = ("text", "picture", "labels")
WORDS = ("text", "episode")
ALL = (*SINGLE, "episode", "pictured_episode", "chats")
DOORS: dict[str, tuple[Callable[[Scripted, Path, Any], Accuracies], tuple[str, ...]]] = {
    "memory": (of_memory, ALL),
    "gymnasium": (of_gymnasium, ALL),
    "textarena": (of_textarena, WORDS),
    "inspect": (of_inspect, ALL),
    "lm-eval": (of_lm_eval, SINGLE),
    "lmms-eval": (of_lmms_eval, SINGLE),
    "lmms-eval chats": (of_lmms_eval_chats, SINGLE),
    "trl": (of_trl, (*SINGLE, "episode")),
    "verifiers": (of_verifiers, ALL),
}
"""Each door, and the configs of `test_equal_figures` that its tool can play."""
