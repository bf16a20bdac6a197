"""Define a verifiers environment (API v1): rows as tasks, a harness for episodes, replay rewards.

    import verifiers.v1 as vf
    from verifiers.v1.utils.loaders import load_environment, resolve_env_config

    config = {"taskset": {"id": "facelet-verifiers", "dataset": "data/out/training"}}
    environment = load_environment(resolve_env_config(config))

or `vf-eval facelet-verifiers --env.taskset.dataset data/out/training -m NAME --no-push`. The split
is train by default, or all rows of a dataset without it; `split`, `configs` and `limit` select
rows. With `taskset.stream` (a suite or a task, with `levels`, `seed` and `sampler`) instead of a
dataset, the taskset is infinite: rows are generated on demand, and again from their ids.
`LevelSampler`
implements the sampler interface of prime-rl: it draws rows by the rewards of their levels, which it
observes group by group.

`Player` asks the model until the episode is over, for single questions as well. A turn that begins
a new chat is another branch of the trace. The harness runs no code of the model, so it needs no
container. Rewards are those of `pipeline/rollout/rewards.py`, 0 to 1, with `task.partial` and
`task.format` for partial answers and the requested form.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.adapters._dataset_folder import (
    choose_split,
    find_row,
    first_prompt,
    grade_replies,
    load_rows,
)
from facelet.pipeline.adapters._stream_progress import StreamProgress
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.rewards import Weights, reward
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.streams.row_stream import SamplerName, Stream
from facelet.pipeline.rollout.streams.row_stream import stream as make_stream
from facelet.pipeline.rollout.streams.samplers import SamplerChoice
from facelet.pipeline.scoring.ingest.tool_logs import REPLIES

vf = import_optional("verifiers.v1", "verifiers")
_openai = import_optional("openai", "verifiers")


class RewardConfig(vf.TaskConfig):  # type: ignore[misc,name-defined]
    """Weights of the reward; see `Weights`."""

    partial: float = 0.0
    format: float = 0.0


class RowsConfig(vf.TasksetConfig):  # type: ignore[misc,name-defined]
    """Selects rows: a folder with configs or suites, split and limit as in `load_rows`.

    Or a stream with its levels, seed and sampler. An empty split selects train, or all rows of a
    dataset without that split.
    """

    task: RewardConfig = RewardConfig()
    dataset: str = ""
    configs: list[str] = []  # noqa: RUF012 - pydantic copies it
    split: str = ""
    limit: int | None = None
    stream: str = ""
    levels: str = ""
    seed: int = 0
    sampler: Literal["uniform", "curriculum"] = "uniform"


class RowData(vf.TaskData):  # type: ignore[misc,name-defined]
    """A row as traces record it: its folder and the hash of its split, besides id and prompt."""

    dataset: str
    content_hash: str = ""
    stream: str = ""
    levels: str = ""
    seed: int = 0


class RowTask(vf.Task[RowData, vf.State, RewardConfig]):  # type: ignore[misc,name-defined]
    """A row, and the reward of the replies to it."""

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
        """Return whether the answer is correct, and whether all replies had the requested form."""
        outcome = self._grade_trace(trace)
        return {"correct": float(outcome.status == Status.CORRECT), "strict": float(outcome.strict)}

    def _grade_trace(self, trace: Any) -> Outcome:
        return grade_replies(_find_row(self.data), _list_replies(trace))


def _list_replies(trace: Any) -> list[str]:
    """Return the replies of a trace, in order."""
    said: list[str] | None = trace.info.get(REPLIES)
    if said is None:  # another harness was used
        said = [node.message.content or "" for node in trace.nodes if node.sampled]
    return said


def _find_row(data: Any) -> AnyRow:
    """Return the row of a `RowData`; a row of a stream is generated again in this process."""
    if data.stream:
        return _open_stream(data.stream, data.levels, data.seed).row(str(data.id))
    return find_row(data.dataset, data.id)


@lru_cache(maxsize=4)
def _open_stream(name: str, levels: str, seed: int, sampler: Any = "uniform") -> Stream:
    return make_stream(name, seed, levels=levels or None, sampler=sampler)


class Rows(vf.Taskset[RowTask, RowsConfig]):  # type: ignore[misc,name-defined]
    """The rows of a dataset, or of a stream, as tasks."""

    def __init__(self, config: RowsConfig) -> None:
        """Store the selection; a stream makes the taskset infinite."""
        super().__init__(config)
        self.INFINITE = bool(config.stream)

    def load(self) -> Iterator[RowTask]:
        """Yield the tasks.

        Raises:
            ValueError: the dataset, a config or the split does not exist.
        """
        config = self.config
        if bool(config.dataset) == bool(config.stream):
            raise ValueError(
                "either taskset.dataset is needed, a built or downloaded dataset, or "
                "taskset.stream, a suite or a task"
            )
        if config.stream:
            made = _open_stream(config.stream, config.levels, config.seed, config.sampler)
            yield from (_build_stream_task(made, made[number], config) for number in count())
        folder = Path(config.dataset)
        split = config.split or choose_split(folder)
        for row in load_rows(folder, config.configs, split, config.limit):
            data = RowData(
                id=row["id"],
                name=row["config"],
                prompt=first_prompt(row),
                dataset=config.dataset,
                content_hash=find_row(config.dataset, row["id"]).get("content_hash", ""),
            )
            yield RowTask(data, config.task)


def _build_stream_task(made: Stream, row: AnyRow, config: RowsConfig) -> RowTask:
    """Return a row of a stream as a task."""
    data = RowData(
        id=row["id"],
        name=str(row["id"]).rpartition("/")[0],
        prompt=made.open(row).messages,
        dataset="",
        stream=config.stream,
        levels=config.levels,
        seed=config.seed,
    )
    return RowTask(data, config.task)


class LevelSampler(Iterator[RowTask]):
    """Draws tasks of a stream by the success of its levels; has the methods of a `TaskSampler`.

    prime-rl's own pools contain single rows of a finite set. Here the reward of a row counts for
    its level, and no row is drawn twice. Tasks that were drawn but not observed are in the state,
    and come first after `load_state_dict`.
    """

    def __init__(
        self,
        stream: str,
        levels: str = "",
        seed: int = 0,
        sampler: SamplerName | SamplerChoice = "pools",
        task: RewardConfig | None = None,
    ) -> None:
        """Open a stream.

        Args:
            stream: a suite or a task.
            levels: its levels; "" for those of the suite.
            seed: root of all seeds.
            sampler: selects the level of each row: "pools", "frontier", or one with settings.
            task: weights of the reward.

        Raises:
            ValueError: the stream does not exist.
        """
        self._config = RowsConfig(
            stream=stream, levels=levels, seed=seed, task=task or RewardConfig()
        )
        self._progress = StreamProgress(
            lambda: make_stream(stream, seed, levels=levels or None, sampler=sampler)
        )

    def __next__(self) -> RowTask:
        """Return the next task; its key is the row's id."""
        row = self._progress.take_row()
        return _build_stream_task(self._progress.stream, row, self._config)

    def observe(self, group: Sequence[Any]) -> None:
        """Learn from the rewards of a group of rollouts of one task.

        Args:
            group: the episodes of the group; failed ones have no reward.
        """
        rewards = [
            trace.reward
            for episode in group
            for trace in episode.traces
            if episode.ok and not trace.has_error and trace.num_turns > 0
        ]
        if group:
            self._progress.record_reward(group[0].task.key, *rewards)

    def state_dict(self) -> dict[str, Any]:
        """Return the state of the sampler and the next row as plain JSON."""
        return self._progress.state()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a state that `state_dict` returned.

        Raises:
            ValueError: the state belongs to another stream.
        """
        self._progress.restore(state_dict)

    def metrics(self) -> dict[str, float]:
        """Return the estimated success of each level."""
        return {
            f"success/{cell}": value for cell, value in self._progress.stream.expected().items()
        }


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
        """Play the episode; the endpoint records the messages.

        Args:
            ctx: contains the name of the model.
            trace: stores the replies in order.
            runtime: not used.
            endpoint: address of the model.
            secret: key of the endpoint.
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
                # A turn that begins a new chat hides the earlier messages.
                kept = before if play.begins_chat else [*chat, answer.model_dump(exclude_none=True)]
                chat = [*kept, *play.new_messages]


class SoloAgentConfig(vf.EnvConfig):  # type: ignore[misc,name-defined]
    """Configures one agent in a subprocess."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())  # type: ignore[name-defined]


class Environment(vf.Env[SoloAgentConfig]):  # type: ignore[misc,name-defined]
    """An environment in which one agent plays one row."""

    async def run(self, task: object, agents: Any) -> None:
        """Play one row."""
        await agents.agent.run(task)
