"""The harnesses that Facelet adapts, lm-evaluation-harness and lmms-eval, driven by a script.

Both ask single questions. A harness is imported when its door is opened.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from scripted import Accuracies, ChatScript, iterate_configs

from facelet.pipeline.cli import main

Shown = tuple[str, tuple[str, ...]]
"""The text of a chat, and what its pictures show."""


def _replies_by_chat(script: ChatScript, sign: str) -> dict[Shown, str]:
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
        found["\n\n".join(part for part in told if part), _pixel_hashes(pictures)] = reply
    return found


def _pixel_hashes(pictures: list[Any]) -> tuple[str, ...]:
    return tuple(sha256(one.tobytes()).hexdigest() for one in pictures)


Says = Callable[[str, list[Any]], str]
"""The reply to a text and its pictures, which are images of Pillow."""


def make_lm_eval_model(says: Says) -> Any:
    """Return a model of lm-eval that is shown texts and pictures.

    Args:
        says: its replies.
    """
    from lm_eval.api.model import LM

    class Model(LM):
        MULTIMODAL = True

        def generate_until(self, requests, disable_tqdm=False):
            return [self.answer_request(*request.args) for request in requests]

        def answer_request(self, text, kwargs, pictures=None):
            assert kwargs["until"] == []
            return says(text, (pictures or {"visual": []})["visual"])

        def loglikelihood(self, requests, disable_tqdm=False):
            raise NotImplementedError("these tasks generate")

        loglikelihood_rolling = loglikelihood

    return Model()


def scripted_lm_eval_model(script: ChatScript, shown: list[Any]) -> Any:
    """Return a model of lm-eval that finds the row whose chat it is shown.

    Args:
        script: the script.
        shown: takes what it is shown.
    """
    replies = _replies_by_chat(script, "<image>")

    def find_reply(text: str, pictures: list[Any]) -> str:
        shown.append((text, pictures))
        return replies[text, _pixel_hashes(pictures)]

    return make_lm_eval_model(find_reply)


def run_lm_eval(
    script: ChatScript, out: Path, monkeypatch: Any, model: Any, *tasks: str, **more: Any
) -> dict[str, Any]:
    """Return what lm-eval says of the tasks that `facelet harness` writes.

    Args:
        script: the script.
        out: a folder for files.
        monkeypatch: pytest's.
        model: a model of lm-eval, or the name of one.
        tasks: names of tasks or groups.
        more: what else the harness is told.
    """
    import datasets
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(out / "cache"))
    assert main(["harness", f"dataset={script.folder}", f"out={out / 'tasks'}"]) == 0
    manager = TaskManager(include_path=str(out / "tasks"), include_defaults=False)
    return simple_evaluate(
        model, tasks=[*tasks], task_manager=manager, bootstrap_iters=0, log_samples=True, **more
    )


def harness_figures(script: ChatScript, results: Mapping[str, Any]) -> Accuracies:
    """Return the accuracies of a harness's results, by config."""
    names = {"facelet_" + name.replace(".", "_"): name for name, *_ in iterate_configs(script)}
    return {names[task]: told["acc,none"] for task, told in results.items() if task in names}


def play_lm_eval(script: ChatScript, out: Path, monkeypatch: Any) -> Accuracies:
    (suite,) = {name.partition(".")[0] for name, *_ in iterate_configs(script)}
    model = scripted_lm_eval_model(script, [])
    found = run_lm_eval(script, out, monkeypatch, model, f"facelet_{suite}")
    return harness_figures(script, found["results"])


def make_lmms_eval_model(says: Says, chats: bool, sign: str = "") -> Any:
    """Return a model of lmms-eval that is shown texts and pictures.

    Args:
        says: its replies.
        chats: whether it is of the kind that takes chats; else it takes a text and pictures.
        sign: what stands for a picture in the text of a chat; "" for nothing.
    """
    from lmms_eval.api.model import lmms

    class Model(lmms):
        is_simple = not chats

        def generate_until(self, requests):
            return [self.answer_request(*request.args) for request in requests]

        def answer_request(self, *args):
            if chats:
                _, messages, kwargs, number, task, split = args
                told = messages(self.task_dict[task][split][number])
                parts = [part for message in told for part in message["content"]]
                texts = [part["text"] if part["type"] == "text" else sign for part in parts]
                text = "\n\n".join(one for one in texts if one)
                pictures = [part["url"] for part in parts if part["type"] == "image"]
            else:
                text, kwargs, visuals, number, task, split = args
                pictures = visuals(self.task_dict[task][split][number])
            assert kwargs["until"] == []
            return says(text, pictures)

        def loglikelihood(self, requests):
            raise NotImplementedError("these tasks generate")

        generate_until_multi_round = loglikelihood

    return Model()


def scripted_lmms_eval_model(script: ChatScript, chats: bool) -> Any:
    """Return a model of lmms-eval that finds the row whose chat it is shown.

    Args:
        script: the script.
        chats: whether it is of the kind that takes chats; else it takes a text and pictures.
    """
    replies = _replies_by_chat(script, "")
    return make_lmms_eval_model(
        lambda text, pictures: replies[text, _pixel_hashes(pictures)], chats
    )


def run_lmms_eval(
    script: ChatScript, out: Path, monkeypatch: Any, model: Any, *tasks: str, **more: Any
) -> dict[str, Any]:
    """Return what lmms-eval says of the tasks that `facelet harness` writes.

    Args:
        script: the script.
        out: a folder for files.
        monkeypatch: pytest's.
        model: a model of lmms-eval, or the name of one.
        tasks: names of tasks or groups.
        more: what else the harness is told.
    """
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.tasks import TaskManager

    # lmms-eval names the cache itself. A folder's cache is known by its name and its card alone: of
    # an earlier run's folder of this name it would show the rows.
    monkeypatch.setenv("LMMS_EVAL_DATASETS_CACHE", str(out / "cache"))
    words = ("tool=lmms-eval", f"dataset={script.folder}", f"out={out / 'tasks'}")
    assert main(["harness", *words]) == 0
    manager = TaskManager(include_path=str(out / "tasks"), include_defaults=False)
    return simple_evaluate(
        model, tasks=[*tasks], task_manager=manager, bootstrap_iters=0, log_samples=True, **more
    )


def _play_lmms_eval(script: ChatScript, out: Path, monkeypatch: Any, chats: bool) -> Accuracies:
    (suite,) = {name.partition(".")[0] for name, *_ in iterate_configs(script)}
    model = scripted_lmms_eval_model(script, chats)
    found = run_lmms_eval(script, out, monkeypatch, model, f"facelet_{suite}")
    return harness_figures(script, found["results"])


def play_lmms_eval(script: ChatScript, out: Path, monkeypatch: Any) -> Accuracies:
    return _play_lmms_eval(script, out, monkeypatch, False)


def play_lmms_eval_chats(script: ChatScript, out: Path, monkeypatch: Any) -> Accuracies:
    return _play_lmms_eval(script, out, monkeypatch, True)
