"""Let a model play many rows, and append each finished play to a transcript file.

A run skips plays that the file already contains, so the same call resumes an interrupted run. Plays
whose model failed are retried, and the scorer then counts the new reply. Rows are read as needed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from facelet.pipeline.argument_text import check_range
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import Chat, Form, check_form
from facelet.pipeline.rollout.jail import CodePlace
from facelet.pipeline.rollout.play_recorder import Answer, PlayRecorder
from facelet.pipeline.rollout.rollout_tally import Tally
from facelet.pipeline.rollout.row_episode import open_row
from facelet.pipeline.rollout.transcript_file import Key, Transcript, open_transcripts
from facelet.pipeline.secret_redaction import SecretRedactor, list_environment_secrets

Model = Callable[[Chat], str | Answer]


class ModelError(Exception):
    """A model gave no reply; the message contains the whole reason."""


class TooManyFailures(RuntimeError):  # noqa: N818 - an outcome, not a fault
    """A model failed too often in a row."""


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
    code: CodePlace = "off",
    code_seconds: int = 10,
    settings: Mapping[str, object] | None = None,
    watch: Callable[[Transcript], object] | None = None,
) -> Tally:
    """Let a model play rows, and append the transcripts to a file that `facelet score` reads.

    You can interrupt a run at any time and resume it with the same call; no line is lost.

    Args:
        rows: rows as `open_row` accepts them.
        model: receives the whole chat so far and returns the reply, as a text or an `Answer`. The
            transcript contains the seconds of each reply, and the tokens and finish reasons of
            answers that report them.
        out: the transcript file, JSON Lines; created if missing.
        name: name of the model in the transcripts.
        samples: number of plays of each row.
        workers: number of concurrent plays, in threads; useful if the model waits for a server. The
            model must then be thread-safe. With 1, no threads are used.
        form: form of the chat; see `facelet.pipeline.rollout.chat_messages`.
        give_up: number of consecutive plays that the model may end with an exception. Each is one
            line with the error, shortened and without keys, and counts as an API error.
        time_limit: seconds that a play may take, such as 1800; None for no limit. A play over the
            limit ends after the current reply, which still counts; its line has
            `"timed_out": true`, and the scorer grades the play as far as it got.
        code: where Python of replies runs, if a row has functions to call: "jail", "none" (a
            process with your rights), or "off". Its output is in the next prompt and in the line.
        code_seconds: seconds that the code of a reply may take.
        settings: settings of the model, such as {"temperature": 0}, as plain JSON; each line
            contains them, and the score's report repeats them. Leave secrets out.
        watch: called with each line after it was appended, in the caller's thread.

    Raises:
        ValueError: an argument is out of range, a row cannot be decoded, the file contains a line
            that is no transcript or plays of this name with other settings, or another run writes
            to the file.
        TooManyFailures: (a RuntimeError) the model failed `give_up` times in a row; its last
            exception is the cause.
    """
    check_form(form)
    check_range("samples", samples, 1)
    check_range("workers", workers, 1)
    check_range("give_up", give_up, 1)
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit={time_limit!r} must be positive; use None for no limit")
    stop = threading.Event()
    tally, failures = Tally(), 0
    play_row = partial(
        _play_row,
        model=model,
        name=name,
        form=form,
        stop=stop,
        time_limit=time_limit,
        code=code,
        code_seconds=code_seconds,
        head={"settings": dict(settings)} if settings else {},
    )
    with open_transcripts(Path(out).expanduser()) as file:
        file.check_settings(name, settings)
        pending = _iterate_pending(rows, samples, name, file.held, tally)
        with closing(_iterate_played(play_row, pending, workers, stop)) as lines:
            for line in lines:
                file.append_line(line.record)
                tally.count_record(line.record)
                if watch is not None:
                    watch(line.record)
                failures = failures + 1 if line.error else 0
                if failures == give_up:
                    raise TooManyFailures(
                        f"the model failed {give_up} times in a row; call again to resume. "
                        f"The last error: {line.record['error']}"
                    ) from line.error
    return tally


class _TranscriptLine(NamedTuple):
    """A transcript, and the exception that ended the play early."""

    record: Transcript
    error: Exception | None = None


def _play_row(
    row_sample: tuple[AnyRow, int],
    *,
    model: Model,
    name: str,
    form: Form,
    stop: threading.Event,
    time_limit: float | None,
    code: CodePlace,
    code_seconds: int,
    head: Transcript,
) -> _TranscriptLine | None:
    """Return the transcript of one play, or None if the run was stopped."""
    row, sample = row_sample
    recorder = PlayRecorder(open_row(row, form), code, code_seconds)
    started = time.monotonic()
    more: Transcript = {}
    failure = None
    while not recorder.play.done:
        asked = time.monotonic()
        if time_limit is not None and asked - started > time_limit:
            more = {"timed_out": True}
            break
        chat = recorder.build_chat()
        if stop.is_set():
            return None
        try:
            reply = model(chat)
            answer = reply if isinstance(reply, Answer) else Answer(reply)
            if not isinstance(answer.text, str):
                raise TypeError(f"the model returned {answer.text!r:.80}, which is no string")
        except Exception as error:  # the caller's code may raise anything; it costs one row
            failure, more = error, {"error": _describe_failure(error)}
            break
        recorder.take_answer(answer, time.monotonic() - asked)
    return _TranscriptLine({**recorder.build_transcript(name, sample), **more, **head}, failure)


def _describe_failure(error: Exception) -> str:
    """Return why a model failed, without secrets."""
    known = isinstance(error, ModelError)
    said = str(error) if known else f"{type(error).__name__}: {error}"
    return SecretRedactor(list_environment_secrets()).format_error(said)


def _iterate_pending(
    rows: Iterable[AnyRow], samples: int, name: str, held: set[Key], tally: Tally
) -> Iterator[tuple[AnyRow, int]]:
    """Yield the rows and samples that the file does not contain."""
    for row in rows:
        for sample in range(samples):
            # `open_row` refuses a row without an id.
            key = (str(row["id"]) if "id" in row else "", name, sample)
            if key in held:
                tally.skipped += 1
            else:
                held.add(key)
                yield row, sample


def _iterate_played(
    play: Callable[[tuple[AnyRow, int]], _TranscriptLine | None],
    pending: Iterator[tuple[AnyRow, int]],
    workers: int,
    stop: threading.Event,
) -> Generator[_TranscriptLine, None, None]:
    """Yield the transcripts as they finish, with `workers` concurrent plays."""
    if workers == 1:
        yield from filter(None, map(play, pending))
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="play")
    running: set[Future[_TranscriptLine | None]] = set()
    try:
        more = True
        while more or running:
            while more and len(running) < workers:
                following = next(pending, None)
                more = following is not None
                if following is not None:
                    running.add(pool.submit(play, following))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            yield from filter(None, (future.result() for future in finished))
    except KeyboardInterrupt:
        # Pending replies are paid for, so plays that end with them are kept.
        stop.set()
        yield from filter(None, (future.result() for future in wait(running).done))
        raise
    finally:
        # After an interruption, each play ends with its current reply.
        stop.set()
        pool.shutdown(cancel_futures=True)
