"""Save a long level during its search, so that a kill costs minutes.

One file contains the map without its empty pieces, and a last line with the level, the coset, the
number of finished beginnings and the hash of its pieces. It replaces its predecessor atomically. A
damaged file, or one of another level, is ignored.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from facelet.generators.cube.distance.pruning_tables import Memory
from facelet.pipeline.dataset.atomic_files import write_atomically

EVERY = 600.0
"""Seconds between two times that a level is kept."""

FORM = 1
"""Raise it with any change of what is kept, or of what beginnings a search has in which order."""

_PIECE = 1 << 20


class LevelFile:
    """A file for the level at hand of a coset; see `cosets.Keeper`.

    Args:
        path: the file.
        coset: number of the coset.
        every: seconds between two times that a level is kept.
    """

    def __init__(self, path: Path, coset: int, every: float = EVERY) -> None:
        self._path, self._coset, self._every = path, coset, every
        self._last = time.monotonic()

    def resume_level(self, depth: int, bits: Memory) -> int:
        """Fill the map from the checkpoint of a level; return how many beginnings it contains.

        Args:
            depth: the level.
            bits: the map; it stays as it is where nothing was kept.
        """
        self._last = time.monotonic()
        level = self._read_level(depth, bits, fill=False)
        return self._read_level(depth, bits, fill=True) if level else 0

    def save_level(self, depth: int, bits: Memory, done: int) -> None:
        """Keep a level in which so many beginnings are searched, if it is time.

        A file of a deeper level stays: a search that goes on comes by the levels before it again.
        A disk that has no room for it costs the safety, not the run: that is told on stderr.

        Args:
            depth: the level.
            bits: its map, of which threads set bits meanwhile.
            done: how many of the first beginnings are searched.
        """
        if time.monotonic() - self._last < self._every:
            return
        try:
            if not self._is_deeper(depth):
                self._write_level(depth, bits, done)
        except OSError as error:
            print(f"level {depth} is not kept: {error}; a kill would cost it", file=sys.stderr)
        self._last = time.monotonic()

    def _write_level(self, depth: int, bits: Memory, done: int) -> None:
        pieces: list[int] = []
        found = blake2b(digest_size=16)
        with write_atomically(self._path) as file:
            for place in range(0, len(bits), _PIECE):
                piece = bits[place : place + _PIECE].tobytes()  # others are setting bits
                if piece.count(0) < len(piece):
                    found.update(piece)
                    file.write(piece)
                    pieces.append(place // _PIECE)
            said = {**self._level_identity(depth), "done": done, "hash": found.hexdigest()}
            line = json.dumps({**said, "pieces": pieces}).encode()
            file.write(line + len(line).to_bytes(8, "little"))

    def _level_identity(self, depth: int) -> dict[str, int]:
        return {"form": FORM, "coset": self._coset, "depth": depth}

    def _is_deeper(self, depth: int) -> bool:
        """Whether the file is of a deeper level of the same coset."""
        try:
            with self._path.open("rb") as file:
                said = _read_trailer(file)
                return said["depth"] > depth and self._matches_level(said, said["depth"])
        except _NO_FILE:
            return False

    def _matches_level(self, said: Mapping[str, Any], depth: int) -> bool:
        whose = self._level_identity(depth)
        return {name: said[name] for name in whose} == whose

    def _read_level(self, depth: int, bits: Memory, *, fill: bool) -> int:
        """Return how many beginnings the file contains, 0 without one; fill the map if asked."""
        try:
            with self._path.open("rb") as file:
                said = _read_trailer(file)
                if not self._matches_level(said, depth):
                    return 0
                file.seek(0)
                found = blake2b(digest_size=16)
                if fill:
                    bits[:] = 0
                for number in said["pieces"]:
                    here = bits[number * _PIECE : (number + 1) * _PIECE]
                    piece = file.read(len(here))
                    found.update(piece)
                    if fill:
                        here[:] = np.frombuffer(piece, dtype=np.uint8)
                return int(said["done"]) if found.hexdigest() == said["hash"] else 0
        except _NO_FILE:
            return 0


_NO_FILE = (OSError, ValueError, TypeError, KeyError, OverflowError)
"""What reading raises where there is no file, or a damaged one."""


def _read_trailer(file: BinaryIO) -> dict[str, Any]:
    """Return what the line behind the map says."""
    file.seek(-8, 2)
    end = file.tell()
    size = int.from_bytes(file.read(8), "little")
    file.seek(end - size)
    said: dict[str, Any] = json.loads(file.read(size))
    return said
