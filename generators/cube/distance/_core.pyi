from typing import Any

import numpy.typing as npt

Buffer = bytes | bytearray | memoryview | npt.NDArray[Any]

INSTRUCTION_SET: str
CLASSES: int
SLICES: int
MAX_LIMIT: int

def programs(kept: int, /) -> bytes: ...
def level(
    out: Buffer,
    other: Buffer,
    active: Buffer,
    active_classes: Buffer,
    active_next: Buffer,
    minima: Buffer,
    programs: Buffer,
    kept: int,
    base: int,
    level: int,
    quarter_turns: bool,
    low: int,
    high: int,
    /,
) -> int: ...
def finish(out: Buffer, other: Buffer, kept: int, base: int, low: int, high: int, /) -> None: ...
def search_size(limit: int, roots: int, /) -> int: ...
def search_start(
    memory: Buffer,
    table: Buffer,
    kept: int,
    base: int,
    quarter_turns: bool,
    state: Buffer,
    limit: int,
    roots: Buffer,
    /,
) -> None: ...
def search_run(
    memory: Buffer, table: Buffer, kept: int, base: int, budget: int, /
) -> tuple[bool, bytes | None, int, int, int]: ...
def bounds(table: Buffer, kept: int, base: int, state: Buffer, /) -> list[tuple[int, int]]: ...
def around(
    memory: Buffer,
    table: Buffer,
    kept: int,
    base: int,
    quarter_turns: bool,
    state: Buffer,
    limit: int,
    /,
) -> tuple[int, int, bytes] | None: ...
