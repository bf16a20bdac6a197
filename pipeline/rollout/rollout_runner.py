"""Batch: a model plays many rows, and every finished play is one line of a transcript file.

A run passes over what the file holds already, so an interrupted one is started again with the same
words; rows whose model failed are tried again, and the scorer counts the reply then. Rows are taken
as they are needed.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from facelet.pipeline.argument_text import check_range
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import Chat, Form, check_form
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.transcript_file import Key, ReplyEndings, Transcript, open_transcripts
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets


class Answer(NamedTuple):
    """A model's reply, and what the server says that it took.

    Attributes:
        text: the reply.
        prompt_tokens: tokens of the chat that it answers; None where nobody says.
        completion_tokens: tokens of the reply, hidden reasoning included; None where nobody says.
        finish_reason: why the reply ended, as chat completions call it: "stop", "length",
            "content_filter"; None where nobody says.
        null: whether the server sent no text; `text` is "" then.
    """

    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    finish_reason: str | None = None
    null: bool = False


Model = Callable[[Chat], str | Answer]


class ModelError(Exception):
    """A model gave no reply; the message says all of why."""


class TooManyFailures(RuntimeError):  # noqa: N818 - an outcome, not a fault
    """A model failed too often in a row."""


@dataclass
class Tally:
    """What a run did.

    Attributes:
        skipped: plays that the file held already.
        errors: plays that the model broke off with an exception.
        statuses: number of finished plays by how they ended; "timed_out" where time was up.
    """

    skipped: int = 0
    errors: int = 0
    statuses: Counter[str] = field(default_factory=Counter)

    @property
    def count_finished(self) -> int:
        """Number of finished plays."""
        return self.statuses.total()


def run(
    rows: Iterable[AnyRow],
    model: Model,
    out: str | Path,
    *,
    name: str = "",
    samples: int = 1,
    workers: int = 1,
    form: Form = "openai",
    give_up: int = 20,
    time_limit: float | None = None,
    settings: Mapping[str, object] | None = None,
    watch: Callable[[Transcript], object] | None = None,
) -> Tally:
    """Let a model play rows, and append the transcripts to a file that `facelet score` takes.

    Interrupt it at any time, and call it again to go on: every line in the file stays.

    Args:
        rows: rows as `open_row` takes them.
        model: takes the whole chat so far and returns the reply, as a text or an `Answer`. The
            line of a play has the seconds of each reply, and the tokens and finish reasons that
            answers tell.
        out: the transcript file, JSON Lines; made if missing.
        name: name of the model in the transcripts.
        samples: plays of each row.
        workers: plays at the same time, in threads; useful when the model waits for a server. The
            model must then be safe to call from several threads. With 1, there are no threads.
        form: how the model is shown the chat; see `facelet.pipeline.rollout.chat_messages`.
        give_up: how many plays in a row the model may break off with an exception. Each is one
            line with the error, without keys and bounded; the scorer counts it as an API error.
        time_limit: seconds that a play may take, such as 1800; None for any time.
            A play that takes longer ends after the reply that is under way, which still counts;
            its line says `"timed_out": true`, and the scorer judges it as far as it came.
        settings: how the model was asked, such as {"temperature": 0}, as plain JSON; it stands in
            each line, and the score's report repeats it. Leave secrets out.
        watch: called with each line after it was appended, in the caller's thread.

    Raises:
        ValueError: an argument is out of range, a row cannot be read back, the file holds a line
            that is no transcript, or plays by this name with other settings, or another run writes
            to it.
        GaveUp: (a RuntimeError) the model failed `give_up` times in a row; its last exception is
            the cause.
    """
    check_form(form)
    check_range("samples", samples, 1)
    check_range("workers", workers, 1)
    check_range("give_up", give_up, 1)
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit={time_limit!r} must be positive; use None for any time")
    stop = threading.Event()
    tally, failures = Tally(), 0

    head: Transcript = {"settings": dict(settings)} if settings else {}

    def play_row(todo: tuple[AnyRow, int]) -> _TranscriptLine | None:
        line = _play_row(*todo, model=model, name=name, form=form, stop=stop, time_limit=time_limit)
        return line and _TranscriptLine({**line.record, **head}, line.error)

    with open_transcripts(Path(out).expanduser()) as file:
        file.check_settings(name, settings)
        todo = _iterate_pending(rows, samples, name, file.held, tally)
        with closing(_iterate_played(play_row, todo, workers, stop)) as lines:
            for line in lines:
                file.append_line(line.record)
                if watch is not None:
                    watch(line.record)
                if line.error is None:
                    late = line.record.get("timed_out", False)
                    tally.statuses["timed_out" if late else line.record["outcome"]["status"]] += 1
                    failures = 0
                    continue
                tally.errors += 1
                failures += 1
                if failures == give_up:
                    raise TooManyFailures(
                        f"the model failed {give_up} times in a row; call again to go on where it "
                        f"stopped. The last error: {line.record['error']}"
                    ) from line.error
    return tally


@dataclass(frozen=True, slots=True)
class _TranscriptLine:
    """A transcript, and the exception that broke the play off."""

    record: Transcript
    error: Exception | None = None


def _play_row(
    row: AnyRow,
    sample: int,
    *,
    model: Model,
    name: str,
    form: Form,
    stop: threading.Event,
    time_limit: float | None,
) -> _TranscriptLine | None:
    """Return the transcript of one play, or None if it was stopped."""
    play = open_row(row, form)
    begun = time.monotonic()
    seconds: list[float] = []
    usage: list[dict[str, int | None]] = []
    endings = ReplyEndings()

    def build_transcript() -> Transcript:
        tokens: Transcript = {"usage": usage} if any(any(one.values()) for one in usage) else {}
        record = endings.annotate_record(play.transcript(name, sample))
        return {**record, "seconds": seconds, **tokens}

    while not play.done:
        asked = time.monotonic()
        if time_limit is not None and asked - begun > time_limit:
            return _TranscriptLine({**build_transcript(), "timed_out": True})
        chat = play.messages
        if stop.is_set():
            return None
        try:
            answer = model(chat)
            text = answer.text if isinstance(answer, Answer) else answer
            if not isinstance(text, str):
                raise TypeError(f"the model returned {text!r:.80}, which is no string")
        except Exception as error:  # the caller's code may raise anything; it costs one row
            return _TranscriptLine({**build_transcript(), "error": _describe_failure(error)}, error)
        seconds.append(round(time.monotonic() - asked, 3))
        if isinstance(answer, Answer):
            usage.append(
                {
                    "prompt_tokens": answer.prompt_tokens,
                    "completion_tokens": answer.completion_tokens,
                }
            )
            endings.add_reply(answer.finish_reason, null=answer.null)
        else:
            endings.add_reply(None)
        play.reply(text)
    return _TranscriptLine(build_transcript())


def _describe_failure(error: Exception) -> str:
    """Return why a model failed, as it may be written."""
    known = isinstance(error, ModelError)
    said = str(error) if known else f"{type(error).__name__}: {error}"
    return SecretRedactor(list_environment_secrets()).format_error(said)


def _iterate_pending(
    rows: Iterable[AnyRow], samples: int, name: str, held: set[Key], tally: Tally
) -> Iterator[tuple[AnyRow, int]]:
    """Yield rows and samples that are not held yet."""
    for row in rows:
        for sample in range(samples):
            # A row without an id is refused when it is opened.
            key = (str(row["id"]) if "id" in row else "", name, sample)
            if key in held:
                tally.skipped += 1
            else:
                held.add(key)
                yield row, sample


def _iterate_played(
    play: Callable[[tuple[AnyRow, int]], _TranscriptLine | None],
    todo: Iterator[tuple[AnyRow, int]],
    workers: int,
    stop: threading.Event,
) -> Generator[_TranscriptLine, None, None]:
    """Yield the transcripts as they finish, `workers` plays at a time."""
    if workers == 1:
        yield from filter(None, map(play, todo))
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="play")
    running: set[Future[_TranscriptLine | None]] = set()
    try:
        more = True
        while more or running:
            while more and len(running) < workers:
                following = next(todo, None)
                more = following is not None
                if following is not None:
                    running.add(pool.submit(play, following))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from filter(None, (future.result() for future in finished))
    except KeyboardInterrupt:
        # Replies that are under way are paid for: plays that end with them are kept.
        stop.set()
        yield from filter(None, (future.result() for future in wait(running).done))
        raise
    finally:
        # After an interruption, a play ends with the reply that its model is busy with.
        stop.set()
        pool.shutdown(cancel_futures=True)
