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
from doors import mock_model, serve_script, verifiers_environment, verifiers_episodes
from due import Chat, ExpectedPlay
from harnesses import (
    make_lm_eval_model,
    make_lmms_eval_model,
    run_lm_eval,
    run_lmms_eval,
)

from facelet.pipeline.cli import main
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.row_opener import rows

UNKNOWN = "This was not due."


@dataclass
class CarrierResult:
    """What came through a tool.

    Attributes:
        arrived: what the player saw, each turn one.
        refused: why a config is not carried, by its name.
    """

    arrived_chats: list[Hashable] = field(default_factory=list)
    refused_configs: dict[str, str] = field(default_factory=dict)


Carry = Callable[[Path, Sequence[ExpectedPlay], Path, Any], CarrierResult]
Spell = Callable[[ExpectedPlay], list[Hashable]]


def number_dues(folder: Path, dues: Sequence[ExpectedPlay]) -> Iterator[tuple[int, ExpectedPlay]]:
    """Yield what is due with the number of its row in its config."""
    for one in dues:
        yield [row["id"] for row in rows(folder, one.config)].index(one.id), one


# Gymnasium: texts, pictures and their places


def observed_chats(one: ExpectedPlay) -> list[Hashable]:
    found: list[Hashable] = []
    for new in one.new_messages:
        inside = due.chat_parts(new)
        before = [
            due.chat_text((("user", tuple(inside[:place])),))
            for place, part in enumerate(inside)
            if not isinstance(part, str)
        ]
        places = tuple(len(text) for text in before)
        found.append((one.id, due.chat_text(new), due.chat_pictures(new), places))
    return found


def carry_gymnasium(folder: Path, dues: Sequence[ExpectedPlay], _: Path, __: Any) -> CarrierResult:
    import gymnasium

    import facelet.pipeline.adapters.gymnasium  # noqa: F401 - it tells Gymnasium its names

    carried = CarrierResult()
    for number, one in number_dues(folder, dues):
        env = gymnasium.make("facelet/rows-v0", dataset=str(folder), config=one.config)
        seen, _ = env.reset(seed=number)
        for turn, said in enumerate(one.replies):
            assert env.observation_space.contains(seen)
            images = tuple(map(due.image_shown, seen["images"]))
            carried.arrived_chats.append((one.id, seen["text"], images, seen["places"]))
            seen, reward, over, _, _ = env.step(said)
            assert (reward, over) == ((1, True) if turn == len(one.replies) - 1 else (0, False))
        assert seen == {"text": "", "images": (), "places": ()}
    return carried


# TextArena: texts


def read_chats(one: ExpectedPlay) -> list[Hashable]:
    return [
        (one.id, tuple(due.chat_text((message,)) for message in new)) for new in one.new_messages
    ]


def carry_textarena(folder: Path, dues: Sequence[ExpectedPlay], _: Path, __: Any) -> CarrierResult:
    import textarena

    import facelet.pipeline.adapters.textarena  # noqa: F401 - it tells TextArena its names

    carried = CarrierResult()
    for number, one in number_dues(folder, dues):
        env = textarena.make("facelet/rows-v0", dataset=str(folder), config=one.config)
        try:
            env.reset(num_players=1, seed=number)
            for said in one.replies:
                _, seen = env.get_observation()
                told = tuple(text for sender, text, _ in seen if sender == textarena.GAME_ID)
                carried.arrived_chats.append((one.id, told))
                env.step(said)
        except ValueError as error:
            carried.refused_configs[one.config] = str(error)
            continue
        assert env.close()[0] == {0: 1}
    return carried


# TRL: a first chat, then what the tool returns


def returned_chats(one: ExpectedPlay) -> list[Hashable]:
    first, *later = one.new_messages
    texts = tuple((who, (due.chat_text(((who, told),)),)) for who, told in first)
    answers = [
        due.chat_parts(new) if due.chat_pictures(new) else [due.chat_text(new)] for new in later
    ]
    chat = first if due.chat_pictures(first) else texts
    return [(one.id, chat), *((one.id, tuple(told)) for told in answers)]


def carry_trl(folder: Path, dues: Sequence[ExpectedPlay], _: Path, __: Any) -> CarrierResult:
    from trl.data_utils import prepare_multimodal_messages

    from facelet.pipeline.adapters import trl as adapter

    def spell_part(told: Mapping[str, Any]) -> Any:
        return told["text"] if told["type"] == "text" else due.image_shown(told["image"])

    carried, name = CarrierResult(), str(folder)
    give, make = adapter.reward_func(name), adapter.environment_factory(name)
    for one in dues:
        try:
            (row,) = adapter.prompts(name, [one.config], "test", limit=1)
        except ValueError as error:
            carried.refused_configs[one.config] = str(error)
            continue
        chat = prepare_multimodal_messages(row["prompt"], images=row.get("images"))
        first = tuple(
            (message["role"], tuple(map(spell_part, message["content"]))) for message in chat
        )
        carried.arrived_chats.append((row["id"], first))
        if len(one.replies) == 1:
            said = [{"role": "assistant", "content": one.replies[0]}]
            assert give(completions=[said], id=[row["id"]]) == [1.0]
        environment = make()
        assert environment.reset(**row) is None
        told = [environment.reply(said) for said in one.replies]
        assert told.pop() == adapter.EPISODE_OVER and environment.get_reward() == 1
        for content in told:
            seen = (content,) if isinstance(content, str) else tuple(map(spell_part, content))
            carried.arrived_chats.append((row["id"], seen))
    return carried


# Whoever is shown whole chats: inspect_ai, verifiers, `facelet run`, `facelet requests`


def whole_chats(one: ExpectedPlay) -> list[Hashable]:
    return list(one.whole_chats)


class ListeningModel:
    """A model that is due some chats, and keeps those that arrive.

    Attributes:
        folder: the dataset.
        arrived: the chats.
    """

    def __init__(self, folder: Path, dues: Sequence[ExpectedPlay]) -> None:
        self.folder, self.arrived = folder, []
        self._replies: dict[Chat, str] = {}
        for one in dues:
            for chat, said in zip(one.whole_chats, one.replies, strict=True):
                # Puzzles that are hidden begin alike, and the player has seen the same.
                assert self._replies.setdefault(chat, said) == said, one.id

    def answer_chat(self, messages: Sequence[Mapping[str, Any]]) -> str:
        chat = due.messages_to_chat(messages)
        self.arrived.append(chat)
        return self._replies.get(chat, UNKNOWN)


def carry_inspect(folder: Path, dues: Sequence[ExpectedPlay], out: Path, _: Any) -> CarrierResult:
    from inspect_ai import eval as run

    from facelet.pipeline.adapters.inspect_ai import build_task

    listener = ListeningModel(folder, dues)
    for suite in dict.fromkeys(one.config.partition(".")[0] for one in dues):
        task = build_task(suite, str(folder), limit=1)
        (log,) = run(task, model=mock_model(listener), log_dir=str(out), display="none")
        assert log.status == "success", log.error
        assert {one.scores["replay"].value for one in log.samples} == {"C"}
    return CarrierResult(listener.arrived)


def carry_verifiers(folder: Path, dues: Sequence[ExpectedPlay], _: Path, __: Any) -> CarrierResult:
    listener = ListeningModel(folder, dues)
    environment = verifiers_environment(listener, limit=1)
    with serve_script(listener) as server:
        for episode in verifiers_episodes(environment, server, list(environment.taskset)):
            assert episode.ok, episode.errors
            assert episode.traces[0].reward == 1
    return CarrierResult(listener.arrived)


def carry_run(
    folder: Path, dues: Sequence[ExpectedPlay], out: Path, monkeypatch: Any
) -> CarrierResult:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    listener = ListeningModel(folder, dues)
    with serve_script(listener) as server:
        words = [f"dataset={folder}", f"base_url={server.url}", f"out={out / 'run.jsonl'}"]
        assert main(["run", "model=openai/m", *words, "limit=1", "retries=0", "yes=true"]) == 0
    return CarrierResult(listener.arrived)


def _carry_by_requests(more: Callable[[Path], Sequence[str]]) -> Carry:
    """Return a carrier by batch files: passes, until no play has a turn to ask.

    Args:
        more: what else `facelet requests` is told, from the folder that it writes.
    """

    def carry_requests(
        folder: Path, dues: Sequence[ExpectedPlay], out: Path, _: Any
    ) -> CarrierResult:
        listener, answers = ListeningModel(folder, dues), out / "answers"
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
                return CarrierResult(listener.arrived)
            with (answers / f"{number}.jsonl").open("w") as file:
                for line in lines:
                    message = {
                        "role": "assistant",
                        "content": listener.answer_chat(line["body"]["messages"]),
                    }
                    body = {"choices": [{"index": 0, "message": message}]}
                    response = {"status_code": 200, "body": body}
                    answer = {"custom_id": line["custom_id"], "response": response, "error": None}
                    file.write(json.dumps(answer) + "\n")
        raise AssertionError("the plays were not over with the last reply")

    return carry_requests


# The harnesses: one text with its pictures, of single questions


def marked_chats(one: ExpectedPlay) -> list[Hashable]:
    return [(due.chat_text(one.new_messages[0], "<image>"), due.chat_pictures(one.new_messages[0]))]


def separate_pictures(one: ExpectedPlay) -> list[Hashable]:
    return [(due.chat_text(one.new_messages[0]), due.chat_pictures(one.new_messages[0]))]


def _carry_by_harness(
    tool: str, spell: Spell, model: Callable[..., Any], results: Callable[..., Any]
) -> Carry:
    """Return a carrier by a harness, which is asked for the first row of each config.

    Args:
        tool: what `facelet harness` calls it.
        spell: how what is due is spelled.
        model: makes a model of the harness from what it says.
        results: runs the harness.
    """

    def carry_harness(
        folder: Path, dues: Sequence[ExpectedPlay], out: Path, monkeypatch: Any
    ) -> CarrierResult:
        arrived: list[Hashable] = []
        replies = {spell(one)[0]: one.replies[0] for one in dues}

        def find_reply(text: str, images: list[Any]) -> str:
            arrived.append((text, tuple(map(due.image_shown, images))))
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
            _write_card(whole, [one for one in told if one.config.startswith(f"{suite}.")])
            script = SimpleNamespace(folder=whole)
            found = results(
                script, out / suite, monkeypatch, model(find_reply), f"facelet_{suite}", limit=1
            )
            values |= found["results"]
        assert {one["acc,none"] for one in values.values() if "acc,none" in one} == {1.0}
        return CarrierResult(arrived, refused)

    return carry_harness


def _write_card(folder: Path, dues: Sequence[ExpectedPlay]) -> None:
    """Give a dataset a card of some configs; the whole one takes seconds to read, each time."""
    splits = {part.config: part.name for part in dataset_reader.list_splits(folder)}
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


LM_EVAL = _carry_by_harness("lm-eval", marked_chats, make_lm_eval_model, run_lm_eval)
LMMS_EVAL = _carry_by_harness(
    "lmms-eval", separate_pictures, lambda says: make_lmms_eval_model(says, False), run_lmms_eval
)
LMMS_EVAL_CHATS = _carry_by_harness(
    "lmms-eval",
    marked_chats,
    lambda says: make_lmms_eval_model(says, True, "<image>"),
    run_lmms_eval,
)


def _hosted_lines(out: Path) -> list[str]:
    return [f"pictures=file://{out / 'pictures'}"]


CARRIERS: dict[str, tuple[Carry, Spell]] = {
    "gymnasium": (carry_gymnasium, observed_chats),
    "run": (carry_run, whole_chats),
    "requests": (_carry_by_requests(lambda _: []), whole_chats),
    "requests hosted": (_carry_by_requests(_hosted_lines), whole_chats),
    "textarena": (carry_textarena, read_chats),
    "trl": (carry_trl, returned_chats),
    "inspect": (carry_inspect, whole_chats),
    "verifiers": (carry_verifiers, whole_chats),
    "lm-eval": (LM_EVAL, marked_chats),
    "lmms-eval": (LMMS_EVAL, separate_pictures),
    "lmms-eval chats": (LMMS_EVAL_CHATS, marked_chats),
}
"""Each way to a player, and how what is due is spelled there."""
