"""What arrives at a player through each tool that Facelet adapts, and which configs are refused.

A carrier takes a dataset, what is due to a player of some of its rows, a folder for its files and
pytest's monkeypatch. What arrives is spelled in a form of the tool's own; the carrier's other
function spells what is due in the same form. The tool is imported when it is asked to carry.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import due
from doors import mock, serving, verifiers_environment, verifiers_episodes
from due import Chat, Due
from harnesses import (
    lm_eval_results,
    lm_eval_saying,
    lmms_eval_results,
    lmms_eval_saying,
)

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import reading
from facelet.pipeline.environment.rows import rows

UNKNOWN = "This was not due."


@dataclass
class Carried:
    """What came through a tool.

    Attributes:
        arrived: what the player saw, each turn one.
        refused: why a config is not carried, by its name.
    """

    arrived: list[Hashable] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


Carry = Callable[[Path, Sequence[Due], Path, Any], Carried]
Spell = Callable[[Due], list[Hashable]]


def numbered(folder: Path, dues: Sequence[Due]) -> Iterator[tuple[int, Due]]:
    """Yield what is due with the number of its row in its config."""
    for one in dues:
        yield [row["id"] for row in rows(folder, one.config)].index(one.id), one


# Gymnasium: texts, pictures and their places


def observed(one: Due) -> list[Hashable]:
    found: list[Hashable] = []
    for new in one.new:
        inside = due.parts(new)
        before = [
            due.words((("user", tuple(inside[:place])),))
            for place, part in enumerate(inside)
            if not isinstance(part, str)
        ]
        places = tuple(len(text) for text in before)
        found.append((one.id, due.words(new), due.pictures(new), places))
    return found


def of_gymnasium(folder: Path, dues: Sequence[Due], _: Path, __: Any) -> Carried:
    import gymnasium

    import facelet.pipeline.adapters.gymnasium  # noqa: F401 - it tells Gymnasium its names

    carried = Carried()
    for number, one in numbered(folder, dues):
        env = gymnasium.make("facelet/rows-v0", dataset=str(folder), config=one.config)
        seen, _ = env.reset(seed=number)
        for turn, said in enumerate(one.replies):
            assert env.observation_space.contains(seen)
            images = tuple(map(due.shown, seen["images"]))
            carried.arrived.append((one.id, seen["text"], images, seen["places"]))
            seen, reward, over, _, _ = env.step(said)
            assert (reward, over) == ((1, True) if turn == len(one.replies) - 1 else (0, False))
        assert seen == {"text": "", "images": (), "places": ()}
    return carried


# TextArena: texts


def read(one: Due) -> list[Hashable]:
    return [(one.id, tuple(due.words((message,)) for message in new)) for new in one.new]


def of_textarena(folder: Path, dues: Sequence[Due], _: Path, __: Any) -> Carried:
    import textarena

    import facelet.pipeline.adapters.textarena  # noqa: F401 - it tells TextArena its names

    carried = Carried()
    for number, one in numbered(folder, dues):
        env = textarena.make("facelet/rows-v0", dataset=str(folder), config=one.config)
        try:
            env.reset(num_players=1, seed=number)
            for said in one.replies:
                _, seen = env.get_observation()
                told = tuple(text for sender, text, _ in seen if sender == textarena.GAME_ID)
                carried.arrived.append((one.id, told))
                env.step(said)
        except ValueError as error:
            carried.refused[one.config] = str(error)
            continue
        assert env.close()[0] == {0: 1}
    return carried


# TRL: a first chat, then what the tool returns


def returned(one: Due) -> list[Hashable]:
    first, *later = one.new
    texts = tuple((who, (due.words(((who, told),)),)) for who, told in first)
    answers = [due.parts(new) if due.pictures(new) else [due.words(new)] for new in later]
    chat = first if due.pictures(first) else texts
    return [(one.id, chat), *((one.id, tuple(told)) for told in answers)]


def of_trl(folder: Path, dues: Sequence[Due], _: Path, __: Any) -> Carried:
    from trl.data_utils import prepare_multimodal_messages

    from facelet.pipeline.adapters import trl as adapter

    def part(told: Mapping[str, Any]) -> Any:
        return told["text"] if told["type"] == "text" else due.shown(told["image"])

    carried, name = Carried(), str(folder)
    give, make = adapter.reward_func(name), adapter.environment_factory(name)
    for one in dues:
        try:
            (row,) = adapter.prompts(name, [one.config], "test", limit=1)
        except ValueError as error:
            carried.refused[one.config] = str(error)
            continue
        chat = prepare_multimodal_messages(row["prompt"], images=row.get("images"))
        first = tuple((message["role"], tuple(map(part, message["content"]))) for message in chat)
        carried.arrived.append((row["id"], first))
        if len(one.replies) == 1:
            said = [{"role": "assistant", "content": one.replies[0]}]
            assert give(completions=[said], id=[row["id"]]) == [1.0]
        environment = make()
        assert environment.reset(**row) is None
        told = [environment.reply(said) for said in one.replies]
        assert told.pop() == adapter.OVER and environment.get_reward() == 1
        for content in told:
            seen = (content,) if isinstance(content, str) else tuple(map(part, content))
            carried.arrived.append((row["id"], seen))
    return carried


# Whoever is shown whole chats: inspect_ai, verifiers, `facelet run`, `facelet requests`


def chats(one: Due) -> list[Hashable]:
    return list(one.chats)


class Listener:
    """A model that is due some chats, and keeps those that arrive.

    Attributes:
        folder: the dataset.
        arrived: the chats.
    """

    def __init__(self, folder: Path, dues: Sequence[Due]) -> None:
        self.folder, self.arrived = folder, []
        self._replies: dict[Chat, str] = {}
        for one in dues:
            for chat, said in zip(one.chats, one.replies, strict=True):
                # Puzzles that are hidden begin alike, and the player has seen the same.
                assert self._replies.setdefault(chat, said) == said, one.id

    def says(self, messages: Sequence[Mapping[str, Any]]) -> str:
        chat = due.asked(messages)
        self.arrived.append(chat)
        return self._replies.get(chat, UNKNOWN)


def of_inspect(folder: Path, dues: Sequence[Due], out: Path, _: Any) -> Carried:
    from inspect_ai import eval as run

    from facelet.pipeline.adapters.inspect_ai import task_of

    listener = Listener(folder, dues)
    for suite in dict.fromkeys(one.config.partition(".")[0] for one in dues):
        task = task_of(suite, str(folder), limit=1)
        (log,) = run(task, model=mock(listener), log_dir=str(out), display="none")
        assert log.status == "success", log.error
        assert {one.scores["replay"].value for one in log.samples} == {"C"}
    return Carried(listener.arrived)


def of_verifiers(folder: Path, dues: Sequence[Due], _: Path, __: Any) -> Carried:
    listener = Listener(folder, dues)
    environment = verifiers_environment(listener, limit=1)
    with serving(listener) as server:
        for episode in verifiers_episodes(environment, server, list(environment.taskset)):
            assert episode.ok, episode.errors
            assert episode.traces[0].reward == 1
    return Carried(listener.arrived)


def of_run(folder: Path, dues: Sequence[Due], out: Path, monkeypatch: Any) -> Carried:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    listener = Listener(folder, dues)
    with serving(listener) as server:
        words = [f"dataset={folder}", f"base_url={server.url}", f"out={out / 'run.jsonl'}"]
        assert main(["run", "model=openai/m", *words, "limit=1", "retries=0", "yes=true"]) == 0
    return Carried(listener.arrived)


def _requested(more: Callable[[Path], Sequence[str]]) -> Carry:
    """Return a carrier by batch files: passes, until no play has a turn to ask.

    Args:
        more: what else `facelet requests` is told, from the folder that it writes.
    """

    def carry(folder: Path, dues: Sequence[Due], out: Path, _: Any) -> Carried:
        listener, answers = Listener(folder, dues), out / "answers"
        answers.mkdir()
        for number in range(1 + max(len(one.replies) for one in dues)):
            asked = out / f"pass-{number}"
            words = [f"dataset={folder}", f"out={asked}", "limit=1", *more(asked)]
            told = [f"answers={answers}"] if number else []
            assert main(["requests", "model=m", *words, *told]) == 0
            lines = [
                json.loads(line)
                for path in sorted(asked.glob("requests-*.jsonl"))
                for line in path.read_text().splitlines()
            ]
            if not lines:
                return Carried(listener.arrived)
            with (answers / f"{number}.jsonl").open("w") as file:
                for line in lines:
                    message = {
                        "role": "assistant",
                        "content": listener.says(line["body"]["messages"]),
                    }
                    body = {"choices": [{"index": 0, "message": message}]}
                    response = {"status_code": 200, "body": body}
                    answer = {"custom_id": line["custom_id"], "response": response, "error": None}
                    file.write(json.dumps(answer) + "\n")
        raise AssertionError("the plays were not over with the last reply")

    return carry


# The harnesses: one text with its pictures, of single questions


def marked(one: Due) -> list[Hashable]:
    return [(due.words(one.new[0], "<image>"), due.pictures(one.new[0]))]


def beside(one: Due) -> list[Hashable]:
    return [(due.words(one.new[0]), due.pictures(one.new[0]))]


def _harness(
    tool: str, spell: Spell, model: Callable[..., Any], results: Callable[..., Any]
) -> Carry:
    """Return a carrier by a harness, which is asked for the first row of each config.

    Args:
        tool: what `facelet harness` calls it.
        spell: how what is due is spelled.
        model: makes a model of the harness from what it says.
        results: runs the harness.
    """

    def carry(folder: Path, dues: Sequence[Due], out: Path, monkeypatch: Any) -> Carried:
        arrived: list[Hashable] = []
        replies = {spell(one)[0]: one.replies[0] for one in dues}

        def says(text: str, images: list[Any]) -> str:
            arrived.append((text, tuple(map(due.shown, images))))
            return replies.get(arrived[-1], UNKNOWN)

        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            words = [f"tool={tool}", f"dataset={folder}", f"out={out / 'named'}"]
            assert main(["harness", *words]) == 0
        (left,) = [line for line in said.getvalue().splitlines() if "left out" in line]
        refused = dict.fromkeys(left.partition(": ")[2].split(", "), left)
        whole = out / "rows"
        shutil.copytree(folder, whole, copy_function=os.link)
        told = [one for one in dues if one.config not in refused]
        values = {}
        for suite in dict.fromkeys(one.config.partition(".")[0] for one in told):
            _carded(whole, [one for one in told if one.config.startswith(f"{suite}.")])
            script = SimpleNamespace(folder=whole)
            found = results(
                script, out / suite, monkeypatch, model(says), f"facelet_{suite}", limit=1
            )
            values |= found["results"]
        assert {one["acc,none"] for one in values.values() if "acc,none" in one} == {1.0}
        return Carried(arrived, refused)

    return carry


def _carded(folder: Path, dues: Sequence[Due]) -> None:
    """Give a dataset a card of some configs; the whole one takes seconds to read, each time."""
    splits = {part.config: part.name for part in reading.splits(folder)}
    configs = [
        {
            "config_name": one.config,
            "data_files": [{"split": splits[one.config], "path": f"{one.config}/*"}],
        }
        for one in dues
    ]
    card = folder / "README.md"
    card.unlink()
    card.write_text(f"---\nconfigs: {json.dumps(configs)}\n---\n")


LM_EVAL = _harness("lm-eval", marked, lm_eval_saying, lm_eval_results)
LMMS_EVAL = _harness(
    "lmms-eval", beside, lambda says: lmms_eval_saying(says, False), lmms_eval_results
)
LMMS_EVAL_CHATS = _harness(
    "lmms-eval", marked, lambda says: lmms_eval_saying(says, True, "<image>"), lmms_eval_results
)


def _hosted(out: Path) -> list[str]:
    return [f"pictures=file://{out / 'pictures'}"]


CARRIERS: dict[str, tuple[Carry, Spell]] = {
    "gymnasium": (of_gymnasium, observed),
    "run": (of_run, chats),
    "requests": (_requested(lambda _: []), chats),
    "requests hosted": (_requested(_hosted), chats),
    "textarena": (of_textarena, read),
    "trl": (of_trl, returned),
    "inspect": (of_inspect, chats),
    "verifiers": (of_verifiers, chats),
    "lm-eval": (LM_EVAL, marked),
    "lmms-eval": (LMMS_EVAL, beside),
    "lmms-eval chats": (LMMS_EVAL_CHATS, marked),
}
"""Each way to a player, and how what is due is spelled there."""
