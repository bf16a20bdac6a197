"""Return rows, grades and sessions as plain JSON, independent of HTTP.

No result contains a correct answer: the end of an episode has the reward, the status, the metrics
of the task, and the answer as it was parsed.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from facelet.generators.core.task import Outcome
from facelet.pipeline.dataset.row_columns import DamagedRowError
from facelet.pipeline.dataset.row_hashes import hash_value
from facelet.pipeline.rollout.byte_cache import ByteCache
from facelet.pipeline.rollout.reply_verdicts import judge_replies
from facelet.pipeline.rollout.rewards import reward
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow, read_row
from facelet.pipeline.rollout.streams.samplers import RowPlace
from facelet.pipeline.serve.row_source import RowNotFoundError, RowSource
from facelet.pipeline.serve.server_metrics import ServerMetrics
from facelet.pipeline.serve.session_store import SessionStore
from facelet.pipeline.serve.settings import ServeSettings

SAMPLER_KEY = "sampler"
"""Key of the store for the state of a stream's sampler."""

PLAY_BYTES = 64 << 20
"""Estimated bytes of the plays that a worker caches; others are replayed from their replies."""

_EMPTY_PLAY_BYTES, _BYTES_PER_CHARACTER = 16384, 3

_REPLY_ATTEMPTS = 16
"""Attempts to add a reply without a turn to a session with concurrent replies."""

Answer = dict[str, Any]
"""A response as plain JSON."""


class RequestRefusedError(Exception):
    """A request is refused; the message gives the reason, without paths or secrets.

    Attributes:
        status: the HTTP status.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        """Store the reason and the status."""
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class SessionPlay:
    """A cached play, and the id of its row."""

    play: Play
    row: str


class EpisodeService:
    """One worker's rows and sessions.

    Attributes:
        source: the rows.
        store: the sessions of all workers.
        figures: the counters of this worker.
    """

    def __init__(
        self, source: RowSource, store: SessionStore, settings: ServeSettings, token: str
    ) -> None:
        """Store the rows, the sessions, the limits, and the token of the callers."""
        self.source, self.store, self._settings = source, store, settings
        self._weights, self._items = settings.reward_weights, settings.items
        self._caller, self.figures = hash_value(token), ServerMetrics()
        self._plays: ByteCache[str, SessionPlay] = ByteCache(PLAY_BYTES)

    def describe_rows(self) -> Answer:
        """Return a description of the rows."""
        return dict(self.source.about)

    def list_ids(self, config: str, split: str, after: str, limit: int) -> Answer:
        """Return ids of rows in published order.

        Args:
            config: only this config; "" for all.
            split: only this split; "" for all.
            after: only ids after this one; "" for all.
            limit: maximum number of ids.

        Raises:
            RequestRefusedError: the limit is out of range, or the rows are endless.
        """
        if self.source.endless:
            raise RequestRefusedError(
                "a stream has no list of ids; POST /rows returns its next rows"
            )
        if not 1 <= limit <= self._items:
            raise RequestRefusedError(f"limit={limit} is out of range; use 1 to {self._items}")
        return {"ids": self.source.list_ids(config, split, after, limit)}

    def list_prompts(self, asked: Mapping[str, Any]) -> Answer:
        """Return the first prompts of rows: of given ids, or of the next `count` rows.

        Raises:
            RequestRefusedError: a row is unknown, or there are too many.
        """
        ids = asked.get("ids")
        if ids is None:
            count = asked.get("count", 1)
            if type(count) is not int or not 1 <= count <= self._items:
                raise RequestRefusedError(f"count must be a whole number from 1 to {self._items}")
            ids = self._reserve_ids(count)
        return {
            "rows": [self._build_prompt(identifier) for identifier in self._check_list(ids, "ids")]
        }

    def _reserve_ids(self, count: int) -> list[str]:
        """Return the ids of the next rows, and reserve them for this caller."""
        learner = self.source.learner
        if learner is None:
            first = self.store.reserve_numbers(count)
            return [self.source.id_at(number) for number in range(first, first + count)]
        places: list[RowPlace] = []

        def draw_rows(known: str) -> str:
            places[:], after = learner.draw_places(known, count)
            return after

        self.store.update_text(SAMPLER_KEY, draw_rows)
        return [learner.row_id(place) for place in places]  # outside the lock of the store

    def _learn_rewards(self, worth: Sequence[tuple[str, float]]) -> None:
        """Report rewards to the sampler of the stream."""
        learner = self.source.learner
        if learner is not None and worth:
            self.store.update_text(SAMPLER_KEY, lambda known: learner.learn_rewards(known, worth))

    def _build_prompt(self, identifier: object) -> Answer:
        row = self._read_row(identifier)
        return {"id": row.id, "task": row.task.name, "messages": Play(row).messages}

    def grade_items(self, asked: Mapping[str, Any]) -> Answer:
        """Grade items; return one result per item, which may be an error.

        Raises:
            RequestRefusedError: the request has no list of items, or too many.
        """
        items = self._check_list(asked.get("items"), "items")
        read = [self._read_item(item) for item in items]
        tried = {  # a caller that sends the row itself has its answer
            k: (one[0].id, hash_value(one[1]))
            for k, (item, one) in enumerate(zip(items, read, strict=True))
            if isinstance(one, tuple) and "row" not in item
        }
        for k, allowed in zip(tried, self._count_attempts(list(tried.values())), strict=True):
            if not allowed:
                read[k] = {"error": str(self._attempts_error(tried[k][0]))}
        self.figures.add_count("facelet_replies_judged_total", len(items))
        results = [self._grade_replies(*x) if isinstance(x, tuple) else x for x in read]
        self._learn_rewards([(one["id"], one["reward"]) for one in results if "reward" in one])
        return {"results": results}

    def _count_attempts(self, tried: Sequence[tuple[str, str]]) -> list[bool]:
        """Count attempts, each a row and its reply or session; return which are allowed.

        The rows of a stream are not counted: anyone can make them again from its seed.
        """
        if self._settings.training or self.source.endless:
            return [True] * len(tried)
        return self.store.add_attempts(self._caller, tried, self._settings.attempts)

    def _attempts_error(self, row: str) -> RequestRefusedError:
        most = self._settings.attempts
        return RequestRefusedError(
            f"{row} was answered {most} times, the maximum (attempts={most}); a server with "
            "training=true grades any number of replies",
            429,
        )

    def _read_item(self, item: object) -> tuple[OpenedRow, list[str]] | Answer:
        """Return the row and the replies of an item, or the answer to a wrong one."""
        try:
            if not isinstance(item, Mapping):
                raise RequestRefusedError("an item must be an object with id and reply")
            row = self._find_item_row(item)
            said = item.get("replies", [item["reply"]] if "reply" in item else None)
            if not isinstance(said, list) or not all(isinstance(text, str) for text in said):
                raise RequestRefusedError(
                    'an item needs "reply": a text, or "replies": a list of texts'
                )
        except (RequestRefusedError, RowNotFoundError) as error:
            return {"error": str(error)}
        return row, said

    def _grade_replies(self, row: OpenedRow, said: Sequence[str]) -> Answer:
        try:
            outcome = judge_replies(row, said)
        except DamagedRowError as error:
            return {"error": str(error)[:300]}
        return {"id": row.id, **self._answer_outcome(outcome, said)}

    def _find_item_row(self, item: Mapping[str, Any]) -> OpenedRow:
        """Return the row of an item: the row in the item, or the row of its id."""
        if "row" not in item:
            return self._read_row(item.get("id"))
        if not isinstance(item["row"], Mapping):
            raise RequestRefusedError("row must be an object, a row as published")
        try:
            return read_row(item["row"])
        except ValueError as error:
            raise RequestRefusedError(f"the row cannot be decoded: {error}"[:300]) from None

    def open_session(self, asked: Mapping[str, Any]) -> Answer:
        """Open a session of the row `id`, of row `number`, or of the next row.

        Raises:
            RequestRefusedError: the row does not exist, or was answered too often.
            StoreFullError: too many sessions are open.
        """
        identifier, number = asked.get("id"), asked.get("number")
        if identifier is None:
            if number is None:
                (identifier,) = self._reserve_ids(1)
            elif type(number) is not int or not 0 <= number < 1 << 53:
                raise RequestRefusedError("number must be a whole number from 0")
            elif self.source.learner is not None:
                raise RequestRefusedError(
                    "rows depend on rewards here, so they have no number; leave it out"
                )
            else:
                identifier = self.source.id_at(number)
        row, session = self._read_row(identifier), secrets.token_urlsafe(16)
        self.store.add_session(session, row.id)
        if self._count_attempts([(row.id, session)]) != [True]:
            self.store.remove_session(session)
            raise self._attempts_error(row.id)
        self.figures.add_count("facelet_sessions_opened_total")
        play = Play(row)
        self._cache_play(session, SessionPlay(play, row.id))
        return {"session": session, **self._answer_messages(play, play.messages, begins=True)}

    def take_reply(self, session: str, asked: Mapping[str, Any]) -> Answer:
        """Take a reply; a repetition of the same reply and `turn` gets the same response.

        Raises:
            RequestRefusedError: the session does not exist or is over, or the turn has another
                reply.
        """
        text, turn = asked.get("text"), asked.get("turn")
        if not isinstance(text, str):
            raise RequestRefusedError("text must be a string, the reply")
        if turn is not None and (type(turn) is not int or turn < 0):
            raise RequestRefusedError(
                "turn must be a whole number from 0, the number of earlier replies"
            )
        held = self._find_play(session)
        if turn not in (None, len(held.play.replies)):
            held = self._restore_play(session)  # another worker took replies
        for _ in range(_REPLY_ATTEMPTS):
            due = len(held.play.replies)
            if held.play.done or turn not in (None, due):
                break
            if self.store.add_reply(session, due, text):
                held.play.reply(text)
                self._cache_play(session, held)
                answer = self._answer_reply(session, held.play)
                if answer["done"]:
                    self._learn_rewards([(held.row, answer["reward"])])
                    self.store.end_session(session)
                return answer
            held = self._restore_play(
                session
            )  # another worker took a reply, or the session expired
        else:
            raise RequestRefusedError(
                "other clients reply to this session at the same time; retry", 409
            )
        if turn is not None and turn < len(held.play.replies) and held.play.replies[turn] == text:
            return self._answer_reply(session, self._play_at_turn(held, turn))
        if held.play.done:
            raise RequestRefusedError("the episode is over; open another session", 409)
        raise RequestRefusedError(
            f"the session has {len(held.play.replies)} replies, so turn {turn} is not next; "
            "GET the session and continue from there",
            409,
        )

    def session_state(self, session: str) -> Answer:
        """Return the whole chat and the state of the session.

        Raises:
            RequestRefusedError: the session does not exist.
        """
        play = self._restore_play(session).play
        return {"session": session, **self._answer_messages(play, play.messages, begins=True)}

    def close_session(self, session: str) -> Answer:
        """Remove a session.

        Raises:
            RequestRefusedError: the session does not exist.
        """
        self._plays.remove(session)
        if not self.store.remove_session(session):
            raise _missing_session_error()
        return {"closed": True}

    def _play_at_turn(self, held: SessionPlay, turn: int) -> Play:
        """Return the play as it was after a reply."""
        play = Play(self._read_row(held.row))
        for text in held.play.replies[: turn + 1]:
            play.reply(text)
        return play

    def _answer_reply(self, session: str, play: Play) -> Answer:
        """Return the response to a reply."""
        self.figures.add_count("facelet_steps_total")
        new = [] if play.done else play.new_messages
        return {"session": session, **self._answer_messages(play, new, begins=play.begins_chat)}

    def _answer_messages(self, play: Play, messages: Sequence[object], *, begins: bool) -> Answer:
        answer: Answer = {
            "id": play.id,
            "turn": len(play.replies),
            "messages": messages,
            "begins": begins,
            "done": play.done,
        }
        if play.outcome is not None:
            answer |= self._answer_outcome(play.outcome, play.replies)
            answer["metrics"] = dict(play.outcome.metrics)
        return answer

    def _answer_outcome(self, outcome: Outcome, replies: Sequence[str]) -> Answer:
        return {
            "reward": reward(outcome, self._weights, replies),
            "status": str(outcome.status),
            "strict": outcome.strict,
            "answer": list(outcome.answer),
        }

    def _find_play(self, session: str) -> SessionPlay:
        """Return the cached play of a session, which may lag behind the store."""
        return self._plays.get(session) or self._restore_play(session)

    def _restore_play(self, session: str) -> SessionPlay:
        """Return the play of a session in the state of the store."""
        kept = self.store.read(session)
        if kept is None:
            self._plays.remove(session)
            raise _missing_session_error()
        held = self._plays.get(session)
        if held is None or tuple(held.play.replies) != kept.replies[: len(held.play.replies)]:
            held = SessionPlay(Play(self._read_row(kept.row)), kept.row)
        for text in kept.replies[len(held.play.replies) :]:
            held.play.reply(text)
        if held.play.done and not kept.over:
            self.store.end_session(session)  # the worker of the last reply crashed before this
        self._cache_play(session, held)
        return held

    def _cache_play(self, session: str, held: SessionPlay) -> None:
        """Cache a play that goes on."""
        self._plays.remove(session)
        if not held.play.done:
            size = _EMPTY_PLAY_BYTES + _BYTES_PER_CHARACTER * held.play.length
            self._plays.put(session, held, size)

    def _read_row(self, identifier: object) -> OpenedRow:
        if not isinstance(identifier, str):
            raise RequestRefusedError("id must be a string, the id of a row")
        try:
            return self.source.read(identifier)
        except RowNotFoundError as error:
            raise RequestRefusedError(str(error), 404) from None

    def _check_list(self, items: object, name: str) -> list[Any]:
        if not isinstance(items, list):
            raise RequestRefusedError(f"{name} must be a list")
        if len(items) > self._items:
            raise RequestRefusedError(
                f"{name} has {len(items)} items; use at most {self._items} in one request"
            )
        return items


def _missing_session_error() -> RequestRefusedError:
    return RequestRefusedError("no such session: it was closed, has expired, or never existed", 404)
