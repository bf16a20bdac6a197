"""The store: sessions as rows and replies, in one SQLite file that all workers share.

A reply is written before it is played, under the number of its turn, which only one can have. So a
worker that dies loses nothing, a worker whose play lags behind finds out, and a client that asks
again after a broken connection is not taken to have replied twice.

A session whose play has ended is over: it holds no place of the open ones, and can be read for a
while.

Written pages outlive the process at once; a loss of power may cost the last of them.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, row TEXT NOT NULL, born REAL NOT NULL, touched REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS replies (
    session TEXT NOT NULL, turn INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (session, turn)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO numbers VALUES ('open', 0), ('over', 0), ('next', 0);
CREATE TABLE IF NOT EXISTS figures (
    worker TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (worker, name)
) WITHOUT ROWID;
"""

_SCHEMA_ADDITIONS = """
CREATE INDEX IF NOT EXISTS by_age ON sessions (touched);
CREATE INDEX IF NOT EXISTS by_end ON sessions (over) WHERE over IS NOT NULL;
CREATE TRIGGER IF NOT EXISTS opened AFTER INSERT ON sessions
    BEGIN UPDATE numbers SET value = value + 1 WHERE name = 'open'; END;
CREATE TRIGGER IF NOT EXISTS ended AFTER UPDATE OF over ON sessions
    WHEN old.over IS NULL AND new.over IS NOT NULL BEGIN
    UPDATE numbers SET value = value - 1 WHERE name = 'open';
    UPDATE numbers SET value = value + 1 WHERE name = 'over';
END;
DROP TRIGGER IF EXISTS closed;  -- that of an older version counts all as open
CREATE TRIGGER closed AFTER DELETE ON sessions BEGIN
    UPDATE numbers SET value = value - 1 WHERE name = IIF(old.over IS NULL, 'open', 'over');
    DELETE FROM replies WHERE session = old.id;
END;
"""

SWEEP_SECONDS = 1.0
"""Seconds between two sweeps of sessions whose time is up."""


LOCK_TIMEOUT = 30.0
"""Seconds for which a call waits until another worker has written."""


class StoreFullError(Exception):
    """No more sessions may be open."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """What is kept of a session: the id of its row, the replies so far, whether it is over."""

    row: str
    replies: tuple[str, ...]
    over: bool


class SessionStore:
    """One worker's door to the file.

    A call that waits too long for other workers raises `sqlite3.OperationalError`.
    """

    def __init__(
        self,
        path: Path,
        *,
        most: int,
        idle: float,
        lifetime: float,
        most_over: int,
        kept: float,
        clock: Callable[[], float] = time.time,
        wait: float = LOCK_TIMEOUT,
    ) -> None:
        """Open the file, made if missing.

        Args:
            path: the file.
            most: most open sessions.
            idle: seconds without a reply after which a session ends.
            lifetime: seconds after which a session ends.
            most_over: most sessions that are over and can still be read.
            kept: seconds for which a session can be read after it is over.
            clock: tells the time in seconds; the same on all workers.
            wait: seconds for which a call waits for other workers, before it fails as busy.
        """
        self._most, self._idle, self._lifetime, self._clock = most, idle, lifetime, clock
        self._most_over, self._kept = most_over, kept
        self._db = sqlite3.connect(
            path, timeout=wait, isolation_level=None, check_same_thread=False
        )
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._create_tables()
        self._swept = 0.0

    def _create_tables(self) -> None:
        """Make what the file does not have yet; other workers may do so at the same time."""
        self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        self._db.execute("BEGIN IMMEDIATE")
        try:
            columns = {name for _, name, *_ in self._db.execute("PRAGMA table_info(sessions)")}
            if "over" not in columns:  # it is new, or of a version that did not know it
                self._db.execute("ALTER TABLE sessions ADD COLUMN over REAL")
        finally:
            self._db.execute("COMMIT")
        self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA_ADDITIONS} COMMIT;")

    def check_stamp(self, stamp: str) -> None:
        """Refuse a file whose sessions are of other rows.

        Raises:
            ValueError: so they are.
        """
        self._db.execute("INSERT OR IGNORE INTO meta VALUES ('stamp', ?)", (stamp,))
        (found,) = self._db.execute("SELECT value FROM meta WHERE name = 'stamp'").fetchone()
        if found != stamp:
            raise ValueError(
                "the file of state=... holds sessions of other rows; name another file, or serve "
                "the rows that it was made with"
            )

    def add_session(self, session: str, row: str) -> None:
        """Keep a new session.

        Raises:
            FullError: no more may be open.
        """
        self.remove_expired()
        now = self._clock()
        done = self._db.execute(
            "INSERT INTO sessions (id, row, born, touched) SELECT ?, ?, ?, ? "
            "WHERE (SELECT value FROM numbers WHERE name = 'open') < ?",
            (session, row, now, now, self._most),
        )
        if not done.rowcount:
            raise StoreFullError(f"{self._most} sessions are open, and no more may be; close some")

    def add_reply(self, session: str, turn: int, text: str) -> bool:
        """Keep a reply; return whether the session is open and its turn was free.

        Args:
            session: the session.
            turn: number of the reply, from 0.
            text: the reply.
        """
        now = self._clock()
        self._db.execute("BEGIN IMMEDIATE")
        try:
            touched = self._db.execute(
                "UPDATE sessions SET touched = ? "
                "WHERE id = ? AND over IS NULL AND touched > ? AND born > ?",
                (now, session, now - self._idle, now - self._lifetime),
            )
            if not touched.rowcount:
                return False
            done = self._db.execute(
                "INSERT OR IGNORE INTO replies SELECT ?, ?, ? WHERE ? = "
                "(SELECT COUNT(*) FROM replies WHERE session = ?)",
                (session, turn, text, turn, session),
            )
            return done.rowcount == 1
        finally:
            self._db.execute("COMMIT")

    def read(self, session: str) -> StoredSession | None:
        """Return what is kept of a session; None if it is not there, or its time is up."""
        now = self._clock()
        found = self._db.execute(
            "SELECT row, over FROM sessions WHERE id = ? "
            "AND IIF(over IS NULL, touched > ? AND born > ?, over > ?)",
            (session, now - self._idle, now - self._lifetime, now - self._kept),
        ).fetchone()
        if found is None:
            return None
        replies = self._db.execute(
            "SELECT text FROM replies WHERE session = ? ORDER BY turn", (session,)
        ).fetchall()
        return StoredSession(found[0], tuple(text for (text,) in replies), found[1] is not None)

    def end_session(self, session: str) -> None:
        """Say that the play of a session has ended; of those that are over, forget the oldest."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.execute(
                "UPDATE sessions SET over = ? WHERE id = ? AND over IS NULL",
                (self._clock(), session),
            )
            (over,) = self._db.execute("SELECT value FROM numbers WHERE name = 'over'").fetchone()
            if over > self._most_over:
                self._db.execute(
                    "DELETE FROM sessions WHERE id IN "
                    "(SELECT id FROM sessions WHERE over IS NOT NULL ORDER BY over LIMIT ?)",
                    (over - self._most_over,),
                )
        finally:
            self._db.execute("COMMIT")

    def remove_session(self, session: str) -> bool:
        """Forget a session; return whether it was there."""
        return self._db.execute("DELETE FROM sessions WHERE id = ?", (session,)).rowcount == 1

    def remove_expired(self) -> None:
        """Forget sessions whose time is up, once in SWEPT_EVERY seconds."""
        now = self._clock()
        if now - self._swept < SWEEP_SECONDS:
            return
        self._swept = now
        self._db.execute(
            "DELETE FROM sessions WHERE over IS NULL AND (touched <= ? OR born <= ?)",
            (now - self._idle, now - self._lifetime),
        )
        self._db.execute("DELETE FROM sessions WHERE over <= ?", (now - self._kept,))

    def count_open(self) -> int:
        """Return how many sessions are open."""
        return self._count_rows("open")

    def count_ended(self) -> int:
        """Return how many sessions are over and can still be read."""
        return self._count_rows("over")

    def _count_rows(self, name: str) -> int:
        self.remove_expired()
        sql = "SELECT value FROM numbers WHERE name = ?"
        (count,) = self._db.execute(sql, (name,)).fetchone()
        return int(count)

    def reserve_numbers(self, count: int) -> int:
        """Take the next numbers of rows, which nobody else is given; return the first of them."""
        (after,) = self._db.execute(
            "UPDATE numbers SET value = value + ? WHERE name = 'next' RETURNING value", (count,)
        ).fetchone()
        return int(after) - count

    def update_text(self, name: str, change: Callable[[str], str]) -> None:
        """Change a text that all workers share, one of them at a time.

        Args:
            name: its name.
            change: takes the text, "" at first, and returns the new one.
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            found = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            new = change(found[0] if found else "")
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, new))
        finally:
            self._db.execute("COMMIT")

    def save_counters(self, worker: str, figures: Mapping[str, float]) -> None:
        """Keep the counters of a worker."""
        rows = [(worker, name, value) for name, value in figures.items()]
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT OR REPLACE INTO figures VALUES (?, ?, ?)", rows)
        finally:
            self._db.execute("COMMIT")  # a transaction left open would fail every call to come

    def read_counters(self) -> dict[str, float]:
        """Return the counters of all workers together, those that ended among them."""
        return dict(self._db.execute("SELECT name, SUM(value) FROM figures GROUP BY name"))
