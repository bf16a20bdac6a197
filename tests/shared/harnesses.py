"""The harnesses that Facelet adapts, lm-evaluation-harness and lmms-eval, driven by a script.

Both ask single questions. A harness is imported when its door is opened.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from scripted import Accuracies, Scripted, tasks

from facelet.pipeline.cli import main

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
