"""Store sessions as rows and replies in one SQLite file that all workers share.

A reply is stored before it is played, under its unique turn number. So a crashed worker loses
nothing, a worker with an outdated play notices it, and a client that retries after a broken
connection does not reply twice.

A session whose play is over does not count as open, and can be read for a while.

Written pages survive a crash of the process; a power failure may lose the latest ones.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
CREATE TABLE IF NOT EXISTS attempts (
    caller TEXT NOT NULL, row TEXT NOT NULL, attempt TEXT NOT NULL,
    PRIMARY KEY (caller, row, attempt)
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
"""Seconds between two removals of expired sessions."""


LOCK_TIMEOUT = 30.0
"""Maximum seconds that a call waits for another writer."""


class StoreFullError(Exception):
    """Too many sessions are open."""


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A stored session: the id of its row, the replies so far, and whether it is over."""

    row: str
    replies: tuple[str, ...]
    over: bool


class SessionStore:
    """The connection of one worker to the file.

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
        clock: Callable[[], float] = time.monotonic,
        wait: float = LOCK_TIMEOUT,
    ) -> None:
        """Open the file; create it if missing.

        Args:
            path: the file.
            most: maximum number of open sessions.
            idle: seconds without a reply after which a session expires.
            lifetime: seconds after which a session expires.
            most_over: maximum number of finished sessions that can be read.
            kept: seconds for which a finished session can be read.
            clock: returns seconds since the machine started, the same on all workers; the time
                of day may be set back and forth.
            wait: seconds that a call waits for other workers before it fails as busy.
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
        """Create missing tables; other workers may do so at the same time."""
        self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        with self._write_lock():
            columns = {name for _, name, *_ in self._db.execute("PRAGMA table_info(sessions)")}
            if "over" not in columns:  # the file is new or older
                self._db.execute("ALTER TABLE sessions ADD COLUMN over REAL")
            self._db.execute(  # the machine was started again since, so its clock too
                "UPDATE sessions SET born = MIN(born, ?1), touched = MIN(touched, ?1), "
                "over = MIN(over, ?1) WHERE MAX(touched, IFNULL(over, touched)) > ?1",
                (self._clock(),),
            )
        self._db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA_ADDITIONS} COMMIT;")

    @contextmanager
    def _write_lock(self) -> Iterator[None]:
        """Hold the write lock of the file for the block, which writes all or nothing."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:  # it would fail every later call
                self._db.execute("ROLLBACK")

    def check_stamp(self, stamp: str) -> None:
        """Check that the sessions of the file belong to the rows with a hash.

        Raises:
            ValueError: they belong to other rows.
        """
        self._db.execute("INSERT OR IGNORE INTO meta VALUES ('stamp', ?)", (stamp,))
        (found,) = self._db.execute("SELECT value FROM meta WHERE name = 'stamp'").fetchone()
        if found != stamp:
            raise ValueError(
                "the file of state=... contains sessions of other rows; name another file, or "
                "serve the rows of these sessions"
            )

    def add_session(self, session: str, row: str) -> None:
        """Store a new session.

        Raises:
            StoreFullError: too many are open.
        """
        self.remove_expired()
        now = self._clock()
        done = self._db.execute(
            "INSERT INTO sessions (id, row, born, touched) SELECT ?, ?, ?, ? "
            "WHERE (SELECT value FROM numbers WHERE name = 'open') < ?",
            (session, row, now, now, self._most),
        )
        if not done.rowcount:
            raise StoreFullError(f"{self._most} sessions are open, the maximum; close some")

    def add_reply(self, session: str, turn: int, text: str) -> bool:
        """Store a reply; return whether the session was open and the turn free.

        Args:
            session: the session.
            turn: number of the reply, from 0.
            text: the reply.
        """
        now = self._clock()
        with self._write_lock():
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

    def read(self, session: str) -> StoredSession | None:
        """Return a stored session; None if it does not exist or has expired."""
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
        """Mark a session as over; remove the oldest of too many finished sessions."""
        with self._write_lock():
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

    def remove_session(self, session: str) -> bool:
        """Remove a session; return whether it existed."""
        return self._db.execute("DELETE FROM sessions WHERE id = ?", (session,)).rowcount == 1

    def remove_expired(self) -> None:
        """Remove expired sessions, at most once in SWEEP_SECONDS."""
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
        """Return the number of open sessions."""
        return self._count_rows("open")

    def count_ended(self) -> int:
        """Return the number of finished sessions that can be read."""
        return self._count_rows("over")

    def _count_rows(self, name: str) -> int:
        sql = "SELECT value FROM numbers WHERE name = ?"
        (count,) = self._db.execute(sql, (name,)).fetchone()
        return int(count)

    def reserve_numbers(self, count: int) -> int:
        """Reserve the next row numbers for this caller; return the first."""
        (after,) = self._db.execute(
            "UPDATE numbers SET value = value + ? WHERE name = 'next' RETURNING value", (count,)
        ).fetchone()
        return int(after) - count

    def add_attempts(
        self, caller: str, attempts: Sequence[tuple[str, str]], most: int
    ) -> list[bool]:
        """Store attempts to answer rows; return which were stored, now or before.

        Args:
            caller: who answers.
            attempts: ids of rows, and what distinguishes the attempt from others.
            most: maximum number of attempts of a caller for a row.
        """
        with self._write_lock():
            self._db.executemany(
                "INSERT OR IGNORE INTO attempts SELECT ?1, ?2, ?3 WHERE ?4 > "
                "(SELECT COUNT(*) FROM attempts WHERE caller = ?1 AND row = ?2)",
                [(caller, row, attempt, most) for row, attempt in attempts],
            )
        sql = "SELECT COUNT(*) FROM attempts WHERE caller = ? AND row = ? AND attempt = ?"
        return [
            self._db.execute(sql, (caller, row, attempt)).fetchone() == (1,)
            for row, attempt in attempts
        ]

    def update_text(self, name: str, change: Callable[[str], str]) -> None:
        """Change a text that all workers share, under the write lock.

        Args:
            name: name of the text.
            change: receives the text, "" at first, and returns the new text.
        """
        with self._write_lock():
            found = self._db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            new = change(found[0] if found else "")
            self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, new))

    def save_counters(self, worker: str, figures: Mapping[str, float]) -> None:
        """Store the counters of a worker."""
        rows = [(worker, name, value) for name, value in figures.items()]
        with self._write_lock():
            self._db.executemany("INSERT OR REPLACE INTO figures VALUES (?, ?, ?)", rows)

    def read_counters(self) -> dict[str, float]:
        """Return the sums of the counters of all workers, ended ones included."""
        return dict(self._db.execute("SELECT name, SUM(value) FROM figures GROUP BY name"))
