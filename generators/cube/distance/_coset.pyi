from typing import Any

import numpy.typing as npt

Buffer = bytes | bytearray | memoryview | npt.NDArray[Any]

BYTES: int
MAP_BYTES: int
PAGES: int
PAGE_BITS: int
MARK: int
LIST: int
WORDS: int

def fill(memory: Buffer, within: int, /) -> None: ...
def counts(memory: Buffer, /) -> list[int]: ...
def search(
    memory: Buffer, map: Buffer, state: Buffer, first: Buffer, length: int, task: int, /
) -> bytes: ...
def spread(memory: Buffer, before: Buffer, now: Buffer, low: int, high: int, /) -> None: ...
def count(now: Buffer, before: Buffer, low: int, high: int, out: Buffer, /) -> None: ...
def codes(now: Buffer, before: Buffer, low: int, high: int, out: Buffer, /) -> int: ...
def states(
    memory: Buffer,
    base: Buffer,
    codes: Buffer,
    corner_facelets: Buffer,
    edge_facelets: Buffer,
    keys: Buffer,
    facelets: Buffer,
    marks: Buffer,
    /,
) -> None: ...
def place(memory: Buffer, state: Buffer, /) -> tuple[int, int | None]: ...
