"""inspect_ai: a task for every suite and config, a solver for episodes, a scorer that replays.

    inspect eval facelet/SUITE --model openai/gpt-5
    inspect eval facelet/SUITE.TASK -T dataset=data/out/facelet-paper -T limit=50 --model ...

Without `dataset` the suite is built in data/out first (`-T profile=paper` for the papers' counts).
Accuracy is by config, and is that of `facelet score` on the same log, which has all other figures.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from facelet.pipeline.adapters._dataset import chosen, first_chat, made, row_of, verdict
from facelet.pipeline.adapters._needs import package
from facelet.pipeline.environment.chats import Chat
from facelet.pipeline.environment.play import open_row
from facelet.pipeline.scoring.taking.tool_logs import REASONS, REPLIES

_core = package("inspect_ai", "inspect")
_data = package("inspect_ai.dataset", "inspect")
# Its way to end with a line instead of a traceback; packages of tasks raise it too.
_errors = package("inspect_ai._util.error", "inspect")
_models = package("inspect_ai.model", "inspect")
_scores = package("inspect_ai.scorer", "inspect")
_solvers = package("inspect_ai.solver", "inspect")


def _chat(messages: Chat) -> list[object]:
    """Return messages of a chat completion as those of inspect_ai."""
    kinds = {
        "system": _models.ChatMessageSystem,
        "user": _models.ChatMessageUser,
        "assistant": _models.ChatMessageAssistant,
    }
    return [kinds[message["role"]](content=_content(message["content"])) for message in messages]


def _content(content: Any) -> object:
    if isinstance(content, str):
        return content
    if all(part["type"] == "text" for part in content) and len(content) == 1:
        return content[0]["text"]
    return [
        _models.ContentText(text=part["text"])
        if part["type"] == "text"
        else _models.ContentImage(image=part["image_url"]["url"])
        for part in content
    ]


@_solvers.solver(name="episode")  # type: ignore[untyped-decorator]
def episode(dataset: str) -> object:
    """Return the solver: it asks until the episode is over, single questions and long ones alike.

    Args:
        dataset: the folder of the rows.
    """

    async def solve(state: Any, generate: Any) -> Any:
        play = open_row(row_of(dataset, str(state.sample_id)))
        said = state.metadata[REPLIES] = []
        ended = state.metadata[REASONS] = []
        while True:
            state = await generate(state)
            said.append(state.output.completion)
            ended.append(str(state.output.stop_reason))
            if play.reply(said[-1]) is not None:
                return state
            new = _chat(play.new_messages)
            # Where a turn begins a new chat, what was said before is not shown again.
            state.messages = new if play.begins else [*state.messages, *new]

    return solve


@_scores.scorer(  # type: ignore[untyped-decorator]
    name="replay",
    metrics=[_scores.grouped(_scores.accuracy(), "config"), _scores.stderr(cluster="group")],
)
def replay(dataset: str) -> object:
    """Return the scorer: the module that made a row replays what was said to it.

    Args:
        dataset: the folder of the rows.
    """

    async def score(state: Any, target: Any) -> object:
        said, final = state.metadata.get(REPLIES), None
        if said is None:  # another solver asked
            turns = [message.text for message in state.messages if message.role == "assistant"]
            final = state.output.completion
            said = turns or [final]
        outcome = verdict(row_of(dataset, str(state.sample_id)), said, final)
        return _scores.Score(
            value=_scores.CORRECT if outcome.status == "correct" else _scores.INCORRECT,
            answer="\n".join(outcome.answer) or state.output.completion,
            explanation=f"{outcome.status}; the right answer is {target.text}",
            metadata={
                "status": str(outcome.status),
                "strict": outcome.strict,
                "metrics": dict(outcome.metrics),
            },
        )

    return score


def task_of(
    name: str, dataset: str = "", profile: str = "smoke", split: str = "", limit: int | None = None
) -> object:
    """Return the task of a suite or config.

    Args:
        name: a suite, or "<suite>.<task>".
        dataset: a built or downloaded dataset; "" builds one in data/out.
        profile: size of such a build.
        split: name of a split; "" for all.
        limit: most rows of each config and split, spread over difficulties.

    Raises:
        ValueError: there is no such dataset, config or split.
    """
    folder = Path(dataset) if dataset else made(name.partition(".")[0], profile)
    samples = [
        _data.Sample(
            id=row["id"],
            input=_chat(first_chat(row)),
            target=row["gold"] or "",
            metadata={
                "config": row["config"],
                "difficulty": row["difficulty"],
                "group": row["group"] or row["id"],
                "content_hash": row_of(str(folder), row["id"]).get("content_hash", ""),
            },
        )
        for row in chosen(folder, [name], split, limit)
    ]
    return _core.Task(
        dataset=_data.MemoryDataset(samples, name=name),
        solver=episode(str(folder)),
        scorer=replay(str(folder)),
    )


def _register(name: str) -> None:
    """Tell inspect_ai of the task of a suite or config."""

    def make(
        dataset: str = "", profile: str = "smoke", split: str = "", limit: int | None = None
    ) -> object:
        try:
            return task_of(name, dataset, profile, split, limit)
        except ValueError as error:
            raise _errors.PrerequisiteError(str(error)) from None

    _core.task(name=name)(make)


for _path in sorted(files("facelet.conf").joinpath("suite").iterdir(), key=lambda path: path.name):
    for _key, _part_of in OmegaConf.create(_path.read_text(encoding="utf-8")).items():
        _suite = str(_key)
        _register(_suite)
        for _name in _part_of["tasks"]:
            _register(f"{_suite}.{_name}")
