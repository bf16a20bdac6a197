"""Record a play, the answers that it takes, and its transcript, live or from a batch."""

from __future__ import annotations

from typing import NamedTuple

from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.rollout.jail import CodePlace
from facelet.pipeline.rollout.reply_code import CodeRunner
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.transcript_file import Transcript


class Answer(NamedTuple):
    """A model's reply, with what the server reports about it.

    Attributes:
        text: the reply.
        prompt_tokens: tokens of the chat; None if unknown.
        completion_tokens: tokens of the reply, hidden reasoning included; None if unknown.
        finish_reason: why the reply ended, in the words of chat completions: "stop", "length",
            "content_filter"; None if unknown.
        null: whether the server sent no text; `text` is "" then.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    null: bool = False


class PlayRecorder:
    """A play and the answers that it has taken.

    Attributes:
        play: the play.
        answers: the answers, in order.
        seconds: time that the model took for each answer; empty for a batch.
    """

    def __init__(self, play: Play, code: CodePlace = "off", code_seconds: int = 10) -> None:
        """Record a play from its first prompt on; `code` says where code of replies runs."""
        self.play = play
        self._code = CodeRunner(play, code, code_seconds)
        self.answers: list[Answer] = []
        self.seconds: list[float] = []

    def build_chat(self) -> Chat:
        """Return the chat to send to the model, with the output of its code."""
        return self._code.add_outputs(self.play.messages)

    def take_answer(self, answer: Answer, seconds: float | None = None) -> None:
        """Continue the play with an answer.

        Args:
            answer: the answer.
            seconds: time that the model took; None for a batch.
        """
        self.answers.append(answer)
        if seconds is not None:
            self.seconds.append(round(seconds, 3))
        self.play.reply(self._code.run_reply(answer.text))

    def build_transcript(self, name: str, sample: int, *, live: bool = True) -> Transcript:
        """Return the play so far as a line of a transcript file.

        Replies without text are null. Reasons and tokens are left out if no server reported any.

        Args:
            name: name of the model.
            sample: number of this play among those of the row, from 0.
            live: whether answers were timed.
        """
        record = self.play.transcript(name, sample)
        answers = iter(self.answers)
        record["messages"] = [
            {**message, "content": None}
            if message["role"] == "assistant" and next(answers).null
            else message
            for message in record["messages"]
        ]
        reasons = [answer.finish_reason for answer in self.answers]
        if any(reasons):
            record["finish_reasons"] = reasons
        if live:
            record["seconds"] = self.seconds
        if any(self._code.outputs):
            record["code_outputs"] = self._code.outputs
        usage = [
            {"prompt_tokens": one.prompt_tokens, "completion_tokens": one.completion_tokens}
            for one in self.answers
        ]
        if live and any(any(one.values()) for one in usage):
            record["usage"] = usage
        return record
