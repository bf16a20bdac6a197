"""Play one episode of a row, for a model or a person, from the first prompt to the outcome.

The task that made the row defines the rules, and the scorer replays the same episode. Of a
transcript the scorer reads only the player's turns, from which it computes the same outcome; the
other turns are for people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Literal, get_args

from facelet.generators.core.prompts import Message, Prompt, TextPart
from facelet.generators.core.task import Outcome, Status
from facelet.pipeline.dataset.row_columns import catch_decode_errors, prompt_to_messages
from facelet.pipeline.rollout import chat_messages
from facelet.pipeline.rollout import jail as jails
from facelet.pipeline.rollout.chat_messages import Chat, Form, PictureAlbum, check_form, format_chat
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row
from facelet.pipeline.rollout.transcript_file import Transcript
from facelet.pipeline.scoring.ingest.prediction import MAX_TURNS, bound_replies
from facelet.renderers.api import Drawing, render_scene
from facelet.renderers.scenes.records import Scene

Code = Literal["in process", "own process", "jail"]
"""Where a model's code ran: in the process of the puzzle, in a process with its user's rights, or
in a jail. The least isolated step of a play counts."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """Functions that a model's code may call in one step of a play.

    Attributes:
        list_allowed_functions: functions by name; pictures that they return are Pillow images.
        build_recorded_reply: returns the calls so far as the reply with the same effect. Text of
            the model may precede it.
    """

    list_allowed_functions: Mapping[str, Callable[..., Any]]
    build_recorded_reply: Callable[[], str]


@dataclass(frozen=True, slots=True)
class CodeStep:
    """The result of code that `run_code` ran.

    Attributes:
        printed: its output, tracebacks included.
        ended: "done", "failed", "out of time", "out of memory" or "refused" (a message that is not
            a call).
        recorded: its calls as the reply with the same effect.
    """

    printed: str
    ended: jails.Ended
    recorded: str


class Play:
    """One play of one row; `open_row` starts it.

    Attributes:
        id: id of the row.
        task: name of the task that grades the replies.
        form: form of the chat in `messages`.
        outcome: outcome of the play; None until it is over.
    """

    def __init__(self, row: OpenedRow, form: Form = "openai") -> None:
        """Start at the first prompt.

        Raises:
            ValueError: the form is unknown, or the row's messages differ from those of its puzzle.
        """
        check_form(form)
        self.id = row.id
        self.task = row.task.name
        self.form: Form = form
        self.outcome: Outcome | None = None
        with catch_decode_errors(row.id):
            self._episode = row.task.open(row.instance)
            first = self._episode.prompt()
        self._replies: list[str] = []
        self._said: list[Message] = []
        self._begun = self._fresh = 0
        self._cut = False
        self._row = row
        self._code: Code | None = None
        self._jail: jails.Jail | None = None
        self._limits: list[str] = []
        self._album = PictureAlbum(row.id, row.hashes)
        self._take_prompt(first)
        if row.chat and row.chat != self._build_published_chat():
            raise ValueError(
                f"the messages of {row.id} differ from those of its puzzle; the row was edited, or "
                "another release made it (manifest.json names it)"
            )

    @property
    def done(self) -> bool:
        """Whether the play is over."""
        return self.outcome is not None

    @property
    def distance(self) -> int | None:
        """How many steps are still needed at least, for rewards; None where it is not proven."""
        return None if self.done else self._episode.current_distance()

    @property
    def length(self) -> int:
        """Number of characters of all messages."""
        return sum(
            len(part.text) for one in self._said for part in one.parts if isinstance(part, TextPart)
        )

    @property
    def replies(self) -> list[str]:
        """The replies so far."""
        return list(self._replies)

    @property
    def messages(self) -> Chat:
        """The whole chat so far, in the play's form; see `facelet.pipeline.rollout.chat_messages`.

        Where a turn begins a new chat (a reflection on an earlier answer), it is that one: send it
        as it is. A new list at each call, so it may be changed.
        """
        return self.format_messages(self.form)

    @property
    def new_messages(self) -> Chat:
        """The end of `prompt_to_messages` that came since the last reply, for a model that remembers."""  # noqa: E501
        return self.format_messages(self.form, new=True)

    @property
    def begins_chat(self) -> bool:
        """Whether `new_messages` begin a chat: the first, or one without earlier messages."""
        return self._begun == self._fresh

    def format_messages(self, form: Form, *, new: bool = False) -> Chat:
        """Return `messages` in any form.

        Args:
            form: the form; see `facelet.pipeline.rollout.chat_messages`.
            new: return `new_messages` instead.
        """
        return format_chat(
            self._build_published_chat()[self._fresh if new else self._begun :], form, self._album
        )

    @property
    def images(self) -> list[Drawing]:
        """The pictures so far as Pillow images, in the order of the chat.

        The pictures of the row's `images` come first.
        """
        self._build_published_chat()
        return [self._album.draw_image(index) for index in range(len(self._album.scenes))]

    @property
    def scenes(self) -> list[Scene]:
        """The scene of each of `images`, in the same order."""
        self._build_published_chat()
        return list(self._album.scenes)

    def reply(self, text: str) -> Outcome | None:
        """Take a reply; return the outcome if it ends the play, else None.

        Raises:
            ValueError: the play is over, or the reply is not a string. Any string is allowed.
        """
        if self.outcome is not None:
            raise ValueError(f"the play of {self.id} is over: {self.outcome.status}; open it again")
        if not isinstance(text, str):
            raise ValueError(f"a reply must be a string, not {text!r:.80}; use '' for no answer")
        (text,), cut = bound_replies([text])
        self._replies.append(text)
        self._cut |= cut
        self._said.append(Message("assistant", (TextPart(text),)))
        self._fresh = len(self._said)
        with catch_decode_errors(self.id, "be judged"):
            result = self._episode.reply(text)
        if isinstance(result, Outcome):
            strict, one_reply = result.strict and not self._cut, self._episode.takes_one_reply
            self.outcome = replace(result, strict=strict, one_reply=one_reply)
        elif len(self._replies) == MAX_TURNS:
            # The scorer replays at most this many turns and grades a longer play as unparsed.
            self.outcome = Outcome(Status.UNPARSED, strict=False)
        else:
            self._take_prompt(result)
        return self.outcome

    def tools(self) -> Toolset | None:
        """Return the functions that the model's code may call now, or None if there are none.

        They do not change the play until `reply(step.build_recorded_reply())` ends the step. A
        forbidden call raises an exception with the reason, after which the code may continue. Use
        them for trusted code only, because it shares the process of the puzzle; use `run_code` for
        code that a model wrote.
        """
        step = self._step_tools()
        if step is not None:
            self._note_jail("in process")
        return step

    def run_code(
        self,
        code: str,
        *,
        seconds: int = 10,
        memory: int = 1 << 30,
        jail: jails.Jail = "namespaces",
    ) -> CodeStep | None:
        """Run the model's code in a jail, where it may call the functions of this step.

        The code cannot reach the puzzle or this machine; see `facelet.pipeline.rollout.jail`. The
        play does not change until `reply(step.recorded)` ends the step.

        Args:
            code: Python code; the functions are global names.
            seconds: time limit.
            memory: bytes that the code and its child processes may use.
            jail: "namespaces" (Linux), or "none": a separate process with your rights; transcripts
                and scores report it.

        Returns:
            The result, or None if there are no functions to call now.

        Raises:
            ValueError: a setting is out of range.
            NoJailError: this machine supports no jail; the code was not run.
        """
        step = self._step_tools()
        if step is None:
            return None
        ran = jails.run_code(
            step.list_allowed_functions, code, seconds=seconds, memory=memory, jail=jail
        )
        self._note_jail("own process" if jail == "none" else "jail")
        held = ran.limits if self._jail is None else self._limits
        self._limits = [limit for limit in held if limit in ran.limits]
        self._jail = jail
        return CodeStep(ran.printed, ran.ended, step.build_recorded_reply())

    def _note_jail(self, where: Code) -> None:
        """Record the weakest isolation of code so far."""
        self._code = min(self._code or where, where, key=get_args(Code).index)

    def _step_tools(self) -> Toolset | None:
        """Return the functions of this step, or None if there are none."""
        tools = None if self.done else self._episode.live_environment()
        if tools is None:
            return None
        functions = {
            name: _draw_result(function)
            for name, function in tools.list_allowed_functions().items()
        }
        return Toolset(functions, tools.build_recorded_reply)

    def transcript(self, model: str = "", sample: int = 0) -> Transcript:
        """Return the play so far as a record for `facelet score`: a line of a JSONL file.

        Keys: id; content_hash of the row's split, if the row came from a folder with a manifest;
        model, if it has a name; sample_idx, if not 0; code, if functions were called: "jail" if all
        code ran in one (`jail` names it, `jail_limits` lists the limits that held in every run),
        else "own process" or "in process"; messages, with pictures by name ("<id>#0.png" is the
        first of `images`) and pixel hashes of the row's pictures; and outcome, if the play is over.

        Args:
            model: name of the player.
            sample: number of this play among those of the row, from 0.
        """
        record: Transcript = {"id": self.id}
        if self._row.content_hash:
            record["content_hash"] = self._row.content_hash
        if model:
            record["model"] = model
        if sample:
            record["sample_idx"] = sample
        if self._code:
            record["code"] = self._code
        if self._code == "jail":
            record["jail"] = self._jail
            record["jail_limits"] = list(self._limits)
        record["messages"] = [
            {"role": message["role"], "content": self._transcript_content(message)}
            for message in self._build_published_chat()
        ]
        if self.outcome is not None:
            record["outcome"] = {
                "status": str(self.outcome.status),
                "strict": self.outcome.strict,
                "metrics": dict(self.outcome.metrics),
            }
        return record

    def _take_prompt(self, prompt: Prompt) -> None:
        """Append a prompt to the chat."""
        if prompt.fresh:
            self._begun = len(self._said)
        self._said += prompt.messages

    def _build_published_chat(self) -> Chat:
        """Return the whole chat as published messages."""
        chat, self._album.scenes = prompt_to_messages(Prompt(tuple(self._said)))
        return chat

    def _transcript_content(self, message: chat_messages.Message) -> object:
        """Return the content of a message in the format of transcripts."""
        if message["role"] == "assistant":
            return message["content"][0]["text"]
        return [
            {"type": "text", "text": part["text"]}
            if part["type"] == "text"
            else self._transcript_picture(part["image"])
            for part in message["content"]
        ]

    def _transcript_picture(self, index: int) -> dict[str, str]:
        """Return a picture in the format of transcripts, with its pixel hash if the row has it."""
        named = {"type": "image", "image": picture_name(self.id, index)}
        hashes = self._row.hashes
        return named | ({"pixels": hashes[index]} if index < len(hashes) else {})


def _draw_result(function: Callable[..., object]) -> Callable[..., object]:
    """Wrap a function so that it returns a picture instead of a scene."""

    @wraps(function)
    def call_function(*args: object, **kwargs: object) -> object:
        result = function(*args, **kwargs)
        return render_scene(result) if isinstance(result, Scene) else result

    return call_function


def picture_name(identifier: str, index: int) -> str:
    """Return the name of a picture in the column `images` and in transcripts."""
    return f"{identifier}#{index}.png"


def open_row(row: Mapping[str, object], form: Form = "openai", replies: Iterable[str] = ()) -> Play:
    """Start a play of a published row, or continue one.

    Args:
        row: a row of `load_dataset(...)`, `rows(...)` or `find_row(...)`, also after pandas or
            JSON; pictures may be left out.
        form: form of the chat: "openai", "transformers" or "dataset".
        replies: replies of the player so far, such as the answers of an earlier batch.

    Raises:
        ValueError: the row cannot be decoded, the form is unknown, or the play was over before the
            last reply.
    """
    play = Play(read_row(row), form)
    for text in replies:
        play.reply(text)
    return play
