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
needs no container. The reward is that of `pipeline/environment/rewards.py`, 0 to 1; `task.partial`
and `task.format` say what partly right answers and the requested form are worth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.adapters._dataset import chosen, first_chat, row_of, verdict
from facelet.pipeline.adapters._needs import package
from facelet.pipeline.dataset.rows import AnyRow
from facelet.pipeline.environment.chats import Message
from facelet.pipeline.environment.play import open_row
from facelet.pipeline.environment.rewards import Weights, reward
from facelet.pipeline.environment.streams.samplers import Choice as Sampled
from facelet.pipeline.environment.streams.stream import SamplerName, Stream
from facelet.pipeline.environment.streams.stream import stream as make_stream
from facelet.pipeline.scoring.taking.tool_logs import REPLIES

vf = package("verifiers.v1", "verifiers")
_openai = package("openai", "verifiers")


class Worth(vf.TaskConfig):  # type: ignore[misc,name-defined]
    """What the reward counts besides being right; see `Weights`."""

    partial: float = 0.0
    format: float = 0.0


class Choice(vf.TasksetConfig):  # type: ignore[misc,name-defined]
    """Which rows are asked: a folder, and configs or suites, a split and a limit as in `chosen`.

    Or a stream, with its levels, its seed and its sampler.
    """

    task: Worth = Worth()
    dataset: str = ""
    configs: list[str] = []  # noqa: RUF012 - pydantic copies it
    split: str = "train"
    limit: int | None = None
    stream: str = ""
    levels: str = ""
    seed: int = 0
    sampler: Literal["uniform", "curriculum"] = "uniform"


class Data(vf.TaskData):  # type: ignore[misc,name-defined]
    """A row as a trace records it: its folder and the hash of its split, beside id and prompt."""

    dataset: str
    content_hash: str = ""
    stream: str = ""
    levels: str = ""
    seed: int = 0


class RowTask(vf.Task[Data, vf.State, Worth]):  # type: ignore[misc,name-defined]
    """A row, and what the replies to it are worth."""

    @property
    def key(self) -> str:
        """The row's id."""
        return str(self.data.id)

    @vf.reward  # type: ignore[untyped-decorator]
    async def replay(self, trace: Any) -> float:
        """Return the reward."""
        weights = Weights(partial=self.config.partial, format=self.config.format)
        return reward(self._outcome(trace), weights, _replies(trace))

    @vf.metric  # type: ignore[untyped-decorator]
    async def replayed(self, trace: Any) -> dict[str, float]:
        """Return whether it is right, and whether all replies were in the requested form."""
        outcome = self._outcome(trace)
        return {"correct": float(outcome.status == Status.CORRECT), "strict": float(outcome.strict)}

    def _outcome(self, trace: Any) -> Outcome:
        return verdict(_row(self.data), _replies(trace))


def _replies(trace: Any) -> list[str]:
    """Return the replies of a trace, in order."""
    said: list[str] | None = trace.info.get(REPLIES)
    if said is None:  # another harness asked
        said = [node.message.content or "" for node in trace.nodes if node.sampled]
    return said


def _row(data: Any) -> AnyRow:
    """Return the row of a `Data`; one of a stream is made again, in whatever process."""
    if data.stream:
        return _stream(data.stream, data.levels, data.seed).row(str(data.id))
    return row_of(data.dataset, data.id)


@lru_cache(maxsize=4)
def _stream(name: str, levels: str, seed: int, sampler: Any = "uniform") -> Stream:
    return make_stream(name, seed, levels=levels or None, sampler=sampler)


class Rows(vf.Taskset[RowTask, Choice]):  # type: ignore[misc,name-defined]
    """The rows of a dataset, or of a stream, as tasks."""

    def __init__(self, config: Choice) -> None:
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
            yield from self._endless()
            return
        for row in chosen(Path(told.dataset), told.configs, told.split, told.limit):
            data = Data(
                id=row["id"],
                name=row["config"],
                prompt=[_message(message) for message in first_chat(row)],
                dataset=told.dataset,
                content_hash=row_of(told.dataset, row["id"]).get("content_hash", ""),
            )
            yield RowTask(data, told.task)

    def _endless(self) -> Iterator[RowTask]:
        told = self.config
        made = _stream(told.stream, told.levels, told.seed, told.sampler)
        for number in count():
            yield _task(made, made[number], told)


def _task(made: Stream, row: AnyRow, told: Choice) -> RowTask:
    """Return a row of a stream as a task."""
    data = Data(
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
        sampler: SamplerName | Sampled = "pools",
        task: Worth | None = None,
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
        self._told = Choice(stream=stream, levels=levels, seed=seed, task=task or Worth())
        self._stream = make_stream(stream, seed, levels=levels or None, sampler=sampler)

    def __next__(self) -> RowTask:
        """Return the next task; its key is the row's id."""
        return _task(self._stream, next(self._stream), self._told)

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


def _message(message: Message) -> Message:
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
            data: the row's `Data`.
        """
        play = open_row(_row(data))
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
                kept = before if play.begins else [*chat, answer.model_dump(exclude_none=True)]
                chat = [*kept, *play.new_messages]


class Seat(vf.EnvConfig):  # type: ignore[misc,name-defined]
    """Who plays: one agent, beside this process."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())  # type: ignore[name-defined]


class Environment(vf.Env[Seat]):  # type: ignore[misc,name-defined]
    """One agent that plays one row."""

    async def run(self, task: object, agents: Any) -> None:
        """Play one row."""
        await agents.agent.run(task)
