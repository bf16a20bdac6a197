"""Cache values up to a number of bytes; the least recently used are dropped first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class ByteCache(Generic[K, V]):
    """Values by key, for several threads; the caller estimates their sizes.

    Attributes:
        size: bytes of all values.
    """

    def __init__(self, limit: int) -> None:
        """Start empty.

        Args:
            limit: maximum number of bytes; the latest value stays in any case.
        """
        self._limit, self.size = limit, 0
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        """Return the number of values."""
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Return a value and mark it as used; None if it is not cached."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Store a value, and drop others until all fit.

        Args:
            key: the key.
            value: the value.
            size: its bytes.
        """
        with self._lock:
            self.size += size - self._values.pop(key, (None, 0))[1]
            self._values[key] = (value, size)
            while self.size > self._limit and len(self._values) > 1:
                self.size -= self._values.popitem(last=False)[1][1]

    def remove(self, key: K) -> None:
        """Drop a value, if it is cached."""
        with self._lock:
            self.size -= self._values.pop(key, (None, 0))[1]
