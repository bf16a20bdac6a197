"""Define inspect_ai tasks for every suite and config, a solver for episodes, and a replay scorer.

    inspect eval facelet/SUITE --model openai/gpt-5
    inspect eval facelet/SUITE.TASK -T dataset=data/out/facelet-paper -T limit=50 --model ...

Without `dataset` the suite is built in data/out first (`-T profile=paper` for the papers' counts).
The accuracy of each config equals that of `facelet score` on the same log, which adds all other
figures.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from facelet.pipeline.adapters._dataset_folder import (
    build_suite,
    find_row,
    first_prompt,
    grade_replies,
    load_rows,
)
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.scoring.ingest.tool_logs import REASONS, REPLIES

_core = import_optional("inspect_ai", "inspect")
_data = import_optional("inspect_ai.dataset", "inspect")
# inspect_ai prints this error without a traceback.
_errors = import_optional("inspect_ai._util.error", "inspect")
_models = import_optional("inspect_ai.model", "inspect")
_scores = import_optional("inspect_ai.scorer", "inspect")
_solvers = import_optional("inspect_ai.solver", "inspect")


def _to_inspect_messages(messages: Chat) -> list[object]:
    """Convert messages of a chat completion to those of inspect_ai."""
    kinds = {
        "system": _models.ChatMessageSystem,
        "user": _models.ChatMessageUser,
        "assistant": _models.ChatMessageAssistant,
    }
    return [
        kinds[message["role"]](content=_to_inspect_content(message["content"]))
        for message in messages
    ]


def _to_inspect_content(content: Any) -> object:
    if isinstance(content, str):
        return content
    return [
        _models.ContentText(text=part["text"])
        if part["type"] == "text"
        else _models.ContentImage(image=part["image_url"]["url"])
        for part in content
    ]


@_solvers.solver(name="episode")  # type: ignore[untyped-decorator]
def episode(dataset: str) -> object:
    """Return a solver that asks the model until the episode is over.

    Args:
        dataset: folder of the rows.
    """

    async def solve(state: Any, generate: Any) -> Any:
        play = open_row(find_row(dataset, str(state.sample_id)))
        said = state.metadata[REPLIES] = []
        ended = state.metadata[REASONS] = []
        while True:
            state = await generate(state)
            said.append(state.output.completion)
            ended.append(str(state.output.stop_reason))
            if play.reply(said[-1]) is not None:
                return state
            new = _to_inspect_messages(play.new_messages)
            # A turn that begins a new chat hides the earlier messages.
            state.messages = new if play.begins_chat else [*state.messages, *new]

    return solve


@_scores.scorer(  # type: ignore[untyped-decorator]
    name="replay",
    metrics=[_scores.grouped(_scores.accuracy(), "config"), _scores.stderr(cluster="group")],
)
def replay(dataset: str) -> object:
    """Return a scorer that replays the replies to a row.

    Args:
        dataset: folder of the rows.
    """

    async def score(state: Any, target: Any) -> object:
        said, final = state.metadata.get(REPLIES), None
        if said is None:  # another solver was used
            turns = [message.text for message in state.messages if message.role == "assistant"]
            final = state.output.completion
            said = turns or [final]
        outcome = grade_replies(find_row(dataset, str(state.sample_id)), said, final)
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


def build_task(
    name: str, dataset: str = "", profile: str = "smoke", split: str = "", limit: int | None = None
) -> object:
    """Return the task of a suite or config.

    Args:
        name: a suite, or "<suite>.<task>".
        dataset: a built or downloaded dataset; "" builds one in data/out.
        profile: size of such a build.
        split: name of a split; "" for all.
        limit: maximum number of rows of each config and split, spread over difficulties.

    Raises:
        ValueError: the dataset, the config or the split does not exist.
    """
    folder = Path(dataset) if dataset else build_suite(name.partition(".")[0], profile)
    samples = [
        _data.Sample(
            id=row["id"],
            input=_to_inspect_messages(first_prompt(row)),
            target=row["gold"] or "",
            metadata={
                "config": row["config"],
                "difficulty": row["difficulty"],
                "group": row["group"] or row["id"],
                "content_hash": find_row(str(folder), row["id"]).get("content_hash", ""),
            },
        )
        for row in load_rows(folder, [name], split, limit)
    ]
    return _core.Task(
        dataset=_data.MemoryDataset(samples, name=name),
        solver=episode(str(folder)),
        scorer=replay(str(folder)),
    )


def _register_task(name: str) -> None:
    """Register the task of a suite or config with inspect_ai."""

    def make_task(
        dataset: str = "", profile: str = "smoke", split: str = "", limit: int | None = None
    ) -> object:
        try:
            return build_task(name, dataset, profile, split, limit)
        except ValueError as error:
            raise _errors.PrerequisiteError(str(error)) from None

    _core.task(name=name)(make_task)


for _path in sorted(files("facelet.conf").joinpath("suite").iterdir(), key=lambda path: path.name):
    for _key, _part_of in OmegaConf.create(_path.read_text(encoding="utf-8")).items():
        _suite = str(_key)
        _register_task(_suite)
        for _name in _part_of["tasks"]:
            _register_task(f"{_suite}.{_name}")
