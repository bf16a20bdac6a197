"""verifiers: rows as tasks, a harness that plays episodes, the reward by replay (its API v1).

    import verifiers.v1 as vf
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    config = {"taskset": {"id": "facelet-verifiers", "dataset": "data/out/training"}}
    environment = load_environment(resolve_env_config(config))

or `vf-eval facelet-verifiers --env.taskset.dataset data/out/training -m NAME --no-push`. Rows are
those of the split train unless `split` says otherwise; `configs` and `limit` choose among them.
With `taskset.stream` (a suite or a task, with `levels`, `seed` and `sampler`) in place of a dataset
the taskset is infinite: its rows are made when they are asked for, and made again by their id.
`LevelSampler` has what prime-rl asks of a sampler of tasks: it draws rows by what their levels were
worth, and is told it group by group.
Single questions and episodes of many turns are alike: `Player` asks until the episode is over. A
turn that begins a new chat is another branch of the trace. It runs no code of the model, so it
needs no container. The reward is that of `pipeline/rollout/rewards.py`, 0 to 1; `task.partial`
and `task.format` say what partly right answers and the requested form are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.adapters._dataset_folder import (
    find_row,
    first_prompt,
    grade_replies,
    load_rows,
)
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import Message
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.streams.row_stream import SamplerName, Stream
from facelet.pipeline.rollout.streams.row_stream import stream as make_stream
from facelet.pipeline.rollout.streams.samplers import SamplerChoice
from facelet.pipeline.scoring.ingest.tool_logs import REPLIES

vf = import_optional("verifiers.v1", "verifiers")
_openai = import_optional("openai", "verifiers")


class RewardConfig(vf.TaskConfig):  # type: ignore[misc,name-defined]
    """What the reward counts besides being right; see `Weights`."""

    partial: float = 0.0
    format: float = 0.0


class RowsConfig(vf.TasksetConfig):  # type: ignore[misc,name-defined]
    """Which rows are asked: a folder, and configs or suites, a split and a limit as in `load_rows`.

    Or a stream, with its levels, its seed and its sampler.
    """

    task: RewardConfig = RewardConfig()
    dataset: str = ""
    configs: list[str] = []  # noqa: RUF012 - pydantic copies it
    split: str = "train"
    limit: int | None = None
    stream: str = ""
    levels: str = ""
    seed: int = 0
    sampler: Literal["uniform", "curriculum"] = "uniform"


class RowData(vf.TaskData):  # type: ignore[misc,name-defined]
    """A row as a trace records it: its folder and the hash of its split, beside id and prompt."""

    dataset: str
    content_hash: str = ""
    stream: str = ""
    levels: str = ""
    seed: int = 0


class RowTask(vf.Task[RowData, vf.State, RewardConfig]):  # type: ignore[misc,name-defined]
    """A row, and what the replies to it are worth."""

    @property
    def key(self) -> str:
        """The row's id."""
        return str(self.data.id)

    @vf.reward  # type: ignore[untyped-decorator]
    async def replay(self, trace: Any) -> float:
        """Return the reward."""
        weights = Weights(partial=self.config.partial, format=self.config.format)
        return reward(self._grade_trace(trace), weights, _list_replies(trace))

    @vf.metric  # type: ignore[untyped-decorator]
    async def replay_metrics(self, trace: Any) -> dict[str, float]:
        """Return whether it is right, and whether all replies were in the requested form."""
        outcome = self._grade_trace(trace)
        return {"correct": float(outcome.status == Status.CORRECT), "strict": float(outcome.strict)}

    def _grade_trace(self, trace: Any) -> Outcome:
        return grade_replies(_find_row(self.data), _list_replies(trace))


def _list_replies(trace: Any) -> list[str]:
    """Return the replies of a trace, in order."""
    said: list[str] | None = trace.info.get(REPLIES)
    if said is None:  # another harness asked
        said = [node.message.content or "" for node in trace.nodes if node.sampled]
    return said


def _find_row(data: Any) -> AnyRow:
    """Return the row of a `RowData`; one of a stream is made again, in whatever process."""
    if data.stream:
        return _open_stream(data.stream, data.levels, data.seed).row(str(data.id))
    return find_row(data.dataset, data.id)


@lru_cache(maxsize=4)
def _open_stream(name: str, levels: str, seed: int, sampler: Any = "uniform") -> Stream:
    return make_stream(name, seed, levels=levels or None, sampler=sampler)


class Rows(vf.Taskset[RowTask, RowsConfig]):  # type: ignore[misc,name-defined]
    """The rows of a dataset, or of a stream, as tasks."""

    def __init__(self, config: RowsConfig) -> None:
        """Take what is asked; the rows of a stream have no end."""
        super().__init__(config)
        self.INFINITE = bool(config.stream)

    def load(self) -> Iterator[RowTask]:
        """Yield the tasks.

        Raises:
            ValueError: there is no such dataset, config or split.
        """
        told = self.config
        if bool(told.dataset) == bool(told.stream):
            raise ValueError(
                "either taskset.dataset is needed, a built or downloaded dataset, or "
                "taskset.stream, a suite or a task"
            )
        if told.stream:
            yield from self._iterate_stream_tasks()
            return
        for row in load_rows(Path(told.dataset), told.configs, told.split, told.limit):
            data = RowData(
                id=row["id"],
                name=row["config"],
                prompt=[_to_verifiers_message(message) for message in first_prompt(row)],
                dataset=told.dataset,
                content_hash=find_row(told.dataset, row["id"]).get("content_hash", ""),
            )
            yield RowTask(data, told.task)

    def _iterate_stream_tasks(self) -> Iterator[RowTask]:
        told = self.config
        made = _open_stream(told.stream, told.levels, told.seed, told.sampler)
        for number in count():
            yield _build_stream_task(made, made[number], told)


def _build_stream_task(made: Stream, row: AnyRow, told: RowsConfig) -> RowTask:
    """Return a row of a stream as a task."""
    data = RowData(
        id=row["id"],
        name=str(row["id"]).rpartition("/")[0],
        prompt=made.open(row).messages,
        dataset="",
        stream=told.stream,
        levels=told.levels,
        seed=told.seed,
    )
    return RowTask(data, told.task)


class LevelSampler(Iterator[RowTask]):
    """Tasks of a stream by the success of its levels, with the methods of prime-rl's `TaskSampler`.

    prime-rl's own pools hold single rows of a finite set. Here what a row was worth counts for its
    level, and no row comes twice.
    """

    def __init__(
        self,
        stream: str,
        levels: str = "",
        seed: int = 0,
        sampler: SamplerName | SamplerChoice = "pools",
        task: RewardConfig | None = None,
    ) -> None:
        """Begin a stream.

        Args:
            stream: a suite or a task.
            levels: its levels; "" for what the suite says.
            seed: root of all seeds.
            sampler: which level each row is of: "pools", "frontier", or one with settings.
            task: what the reward counts besides being right.

        Raises:
            ValueError: there is no such stream.
        """
        self._told = RowsConfig(
            stream=stream, levels=levels, seed=seed, task=task or RewardConfig()
        )
        self._stream = make_stream(stream, seed, levels=levels or None, sampler=sampler)

    def __next__(self) -> RowTask:
        """Return the next task; its key is the row's id."""
        return _build_stream_task(self._stream, next(self._stream), self._told)

    def observe(self, group: Sequence[Any]) -> None:
        """Learn what a group of rollouts of one task was worth.

        Args:
            group: its episodes; those that failed tell nothing.
        """
        rewards = [
            trace.reward
            for episode in group
            for trace in episode.traces
            if episode.ok and not trace.has_error and trace.num_turns > 0
        ]
        if rewards:
            self._stream.tell(group[0].task.key, rewards)

    def state_dict(self) -> dict[str, Any]:
        """Return all that was learned, and which row is next, as plain JSON."""
        return dict(self._stream.state())

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where `state_dict` was taken.

        Raises:
            ValueError: it is of another stream.
        """
        self._stream.restore(state_dict)

    def metrics(self) -> dict[str, float]:
        """Return the estimated success of each level."""
        return {f"success/{cell}": value for cell, value in self._stream.expected().items()}


def _to_verifiers_message(message: Message) -> Message:
    """Return a message whose content is a text where it has no pictures."""
    parts = message["content"]
    alone = len(parts) == 1 and parts[0]["type"] == "text"
    return {**message, "content": parts[0]["text"]} if alone else message


class Player(vf.Harness[vf.HarnessConfig]):  # type: ignore[misc,name-defined]
    """Asks the model until the episode of a row is over, in this process."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: object,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
    ) -> object:
        """Play the episode; what is said is recorded by the endpoint.

        Args:
            ctx: names the model.
            trace: takes the replies in order.
            runtime: not used.
            endpoint: where the model is asked.
            secret: the key to it.
            mcp_urls: not used; there are no tools.
            data: the row's `RowData`.
        """
        play = open_row(_find_row(data))
        said = trace.info[REPLIES] = []
        system, prompt = self.resolve_prompt(data)
        before = [] if system is None else [{"role": "system", "content": system}]
        chat = [*before, *(message.model_dump(exclude_none=True) for message in prompt)]
        async with _openai.AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
            while True:
                asked = await client.chat.completions.create(model=ctx.model, messages=chat)
                answer = asked.choices[0].message
                said.append(answer.content or "")
                if play.reply(said[-1]) is not None:
                    return vf.ProgramResult(exit_code=0, stdout="", stderr="")
                # Where a turn begins a new chat, what was said before is not shown again.
                kept = before if play.begins_chat else [*chat, answer.model_dump(exclude_none=True)]
                chat = [*kept, *play.new_messages]


class SoloAgentConfig(vf.EnvConfig):  # type: ignore[misc,name-defined]
    """Who plays: one agent, beside this process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())  # type: ignore[name-defined]


class Environment(vf.Env[SoloAgentConfig]):  # type: ignore[misc,name-defined]
    """One agent that plays one row."""

    async def run(self, task: object, agents: Any) -> None:
        """Play one row."""
        await agents.agent.run(task)
