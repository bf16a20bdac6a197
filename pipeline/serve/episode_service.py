"""The service: rows, verdicts and sessions as plain JSON. It knows no web.

No right answer is in anything that it returns: of the end of an episode it tells the reward, the
status, the figures of the task, and what was understood of the replies.
"""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from facelet.generators.core.task import Outcome
from facelet.pipeline.environment.play import Play
from facelet.pipeline.environment.rewards import Weights, reward
from facelet.pipeline.environment.rows import Row, read_row
from facelet.pipeline.environment.streams.samplers import Place
from facelet.pipeline.environment.verdicts import verdict
from facelet.pipeline.serve.source import NoRowError, Source
from facelet.pipeline.serve.store import Store

KNOWN = "sampler"
"""Under this name the store keeps what a stream's sampler has learned."""

PLAYS = 4096
"""Plays that a worker holds; others are played again from their replies."""

_AGAIN = 16
"""Times that a reply without a turn is tried where others reply too."""

Answer = dict[str, Any]
"""What is sent, as plain JSON."""


class RefusedError(Exception):
    """What was asked cannot be; the message says why, and names no path and no secret.

    Attributes:
        status: the status of HTTP that says it.
    """

    def __init__(self, message: str, status: int = 400) -> None:
        """Take the reason and its status."""
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Held:
    """A play that a worker holds, and the id of its row."""

    play: Play
    row: str


class Service:
    """One worker's rows and sessions."""

    def __init__(self, source: Source, store: Store, weights: Weights, items: int) -> None:
        """Take the rows, the store, what rewards count, and the most items of a request."""
        self.source, self.store, self._weights, self._items = source, store, weights, items
        self._plays: OrderedDict[str, Held] = OrderedDict()

    def about(self) -> Answer:
        """Return what is served."""
        return dict(self.source.about)

    def ids(self, config: str, split: str, after: str, limit: int) -> Answer:
        """Return ids of rows in published order.

        Args:
            config: of this config; "" for all.
            split: of this split; "" for all.
            after: behind this id; "" from the first on.
            limit: most ids.

        Raises:
            RefusedError: the limit is out of range, or the rows have no end.
        """
        if self.source.endless:
            raise RefusedError("a stream has no list of ids; POST /rows gives its next rows")
        if not 1 <= limit <= self._items:
            raise RefusedError(f"limit={limit} is out of range; it is from 1 to {self._items}")
        return {"ids": self.source.ids(config, split, after, limit)}

    def prompts(self, asked: Mapping[str, Any]) -> Answer:
        """Return the first prompts of rows: of some ids, or of the next `count` rows.

        Raises:
            RefusedError: a row is unknown, or there are too many.
        """
        ids = asked.get("ids")
        if ids is None:
            count = asked.get("count", 1)
            if type(count) is not int or not 1 <= count <= self._items:
                raise RefusedError(f"count must be a whole number from 1 to {self._items}")
            ids = self._next(count)
        return {"rows": [self._prompt(identifier) for identifier in self._many(ids, "ids")]}

    def _next(self, count: int) -> list[str]:
        """Return the ids of the next rows, which nobody else is given."""
        learner = self.source.learner
        if learner is None:
            first = self.store.take(count)
            return [self.source.numbered(number) for number in range(first, first + count)]
        places: list[Place] = []

        def draw(known: str) -> str:
            places[:], after = learner.draw(known, count)
            return after

        self.store.change(KNOWN, draw)
        return [learner.named(place) for place in places]  # others need not wait for it

    def _learn(self, worth: Sequence[tuple[str, float]]) -> None:
        """Let the stream learn what replies were worth."""
        learner = self.source.learner
        if learner is not None and worth:
            self.store.change(KNOWN, lambda known: learner.learn(known, worth))

    def _prompt(self, identifier: object) -> Answer:
        row = self._row(identifier)
        return {"id": row.id, "task": row.task.name, "messages": Play(row).messages}

    def verify(self, asked: Mapping[str, Any]) -> Answer:
        """Return what replies are worth, one result an item; one that is wrong stops no other.

        Raises:
            RefusedError: it holds no list of items, or too many.
        """
        items = self._many(asked.get("items"), "items")
        results = [self._verdict(item) for item in items]
        self._learn([(one["id"], one["reward"]) for one in results if "reward" in one])
        return {"results": results}

    def _verdict(self, item: object) -> Answer:
        try:
            if not isinstance(item, Mapping):
                raise RefusedError("an item must be an object with id and reply")
            row = self._given(item)
            said = item.get("replies", [item["reply"]] if "reply" in item else None)
            if not isinstance(said, list) or not all(isinstance(text, str) for text in said):
                raise RefusedError('an item needs "reply": a text, or "replies": a list of texts')
        except (RefusedError, NoRowError) as error:
            return {"error": str(error)}
        outcome = verdict(row, said)
        return {"id": row.id, **self._ended(outcome, said)}

    def _given(self, item: Mapping[str, Any]) -> Row:
        """Return the row of an item: by its id, or as it is handed over."""
        if "row" not in item:
            return self._row(item.get("id"))
        if not isinstance(item["row"], Mapping):
            raise RefusedError("row must be an object: a row as published")
        try:
            return read_row(item["row"])
        except ValueError as error:
            raise RefusedError(f"the row cannot be read: {error}"[:300]) from None

    def open(self, asked: Mapping[str, Any]) -> Answer:
        """Open a session of the row `id`, of row `number`, or of the next row.

        Raises:
            RefusedError: there is no such row.
            FullError: no more sessions may be open.
        """
        identifier, number = asked.get("id"), asked.get("number")
        if identifier is None:
            if number is None:
                (identifier,) = self._next(1)
            elif type(number) is not int or not 0 <= number < 1 << 53:
                raise RefusedError("number must be a whole number from 0")
            elif self.source.learner is not None:
                raise RefusedError("which row has a number depends on rewards here; leave it out")
            else:
                identifier = self.source.numbered(number)
        row, session = self._row(identifier), secrets.token_urlsafe(16)
        self.store.open(session, row.id)
        play = Play(row)
        self._hold(session, Held(play, row.id))
        return {"session": session, **self._told(play, play.messages, begins=True)}

    def reply(self, session: str, asked: Mapping[str, Any]) -> Answer:
        """Take a reply; the same reply under the same `turn` again is answered, not taken again.

        Raises:
            RefusedError: there is no such session, it is over, or another reply has the turn.
        """
        text, turn = asked.get("text"), asked.get("turn")
        if not isinstance(text, str):
            raise RefusedError("text must be a text: the reply")
        if turn is not None and (type(turn) is not int or turn < 0):
            raise RefusedError("turn must be a whole number from 0: how many replies came before")
        held = self._held(session)
        if turn not in (None, len(held.play.replies)):
            held = self._again(session)  # another worker is further
        for _ in range(_AGAIN):
            due = len(held.play.replies)
            if held.play.done or turn not in (None, due):
                break
            if self.store.add(session, due, text):
                held.play.reply(text)
                answer = self._replied(session, held.play)
                if answer["done"]:
                    self._learn([(held.row, answer["reward"])])
                    self.store.end(session)
                return answer
            held = self._again(session)  # another worker took a reply, or time is up
        else:
            raise RefusedError("others reply to this session at the same time; ask again", 409)
        if turn is not None and turn < len(held.play.replies) and held.play.replies[turn] == text:
            return self._replied(session, self._as_of(held, turn))
        if held.play.done:
            raise RefusedError("the episode is over; open another session", 409)
        raise RefusedError(
            f"the session has {len(held.play.replies)} replies, and turn {turn} is none that is "
            "due; GET the session and go on from there",
            409,
        )

    def state(self, session: str) -> Answer:
        """Return the whole chat and where the session stands.

        Raises:
            RefusedError: there is no such session.
        """
        play = self._again(session).play
        return {"session": session, **self._told(play, play.messages, begins=True)}

    def close(self, session: str) -> Answer:
        """Forget a session.

        Raises:
            RefusedError: there is no such session.
        """
        self._plays.pop(session, None)
        if not self.store.close(session):
            raise _gone()
        return {"closed": True}

    def _as_of(self, held: Held, turn: int) -> Play:
        """Return the play as it stood after a reply."""
        play = Play(self._row(held.row))
        for text in held.play.replies[: turn + 1]:
            play.reply(text)
        return play

    def _replied(self, session: str, play: Play) -> Answer:
        """Return what a reply is answered with."""
        new = [] if play.done else play.new_messages
        return {"session": session, **self._told(play, new, begins=play.begins)}

    def _told(self, play: Play, messages: Sequence[object], *, begins: bool) -> Answer:
        told: Answer = {
            "id": play.id,
            "turn": len(play.replies),
            "messages": messages,
            "begins": begins,
            "done": play.done,
        }
        if play.outcome is not None:
            told |= self._ended(play.outcome, play.replies)
            told["metrics"] = dict(play.outcome.metrics)
        return told

    def _ended(self, outcome: Outcome, replies: Sequence[str]) -> Answer:
        return {
            "reward": reward(outcome, self._weights, replies),
            "status": str(outcome.status),
            "strict": outcome.strict,
            "answer": list(outcome.answer),
        }

    def _held(self, session: str) -> Held:
        """Return the play of a session as this worker has it; it may lag behind the store."""
        if (held := self._plays.get(session)) is None:
            return self._again(session)
        self._plays.move_to_end(session)
        return held

    def _again(self, session: str) -> Held:
        """Return the play of a session as the store has it."""
        kept = self.store.read(session)
        if kept is None:
            self._plays.pop(session, None)
            raise _gone()
        held = self._plays.get(session)
        if held is None or tuple(held.play.replies) != kept.replies[: len(held.play.replies)]:
            held = Held(Play(self._row(kept.row)), kept.row)
        for text in kept.replies[len(held.play.replies) :]:
            held.play.reply(text)
        self._hold(session, held)
        if held.play.done and not kept.over:
            self.store.end(session)  # the worker that took the last reply died before it could
        return held

    def _hold(self, session: str, held: Held) -> None:
        self._plays[session] = held
        self._plays.move_to_end(session)
        while len(self._plays) > PLAYS:
            self._plays.popitem(last=False)

    def _row(self, identifier: object) -> Row:
        if not isinstance(identifier, str):
            raise RefusedError("id must be a text: the id of a row")
        try:
            return self.source.read(identifier)
        except NoRowError as error:
            raise RefusedError(str(error), 404) from None

    def _many(self, items: object, name: str) -> list[Any]:
        if not isinstance(items, list):
            raise RefusedError(f"{name} must be a list")
        if len(items) > self._items:
            raise RefusedError(f"{name} holds {len(items)}; at most {self._items} in one request")
        return items


def _gone() -> RefusedError:
    return RefusedError("no such session: it was closed, its time is up, or it never was", 404)
