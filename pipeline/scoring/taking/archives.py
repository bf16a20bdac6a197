"""Packed files: gzip and zstd streams, and the members of zip files, zstd among them.

Python 3.11 cannot unpack zstd, and its zipfile refuses members of that method (93), which
inspect_ai writes by default; pyarrow can, so those members are taken out here by the zip format's
own offsets (PKWARE's APPNOTE, 4.3.7 and 4.4.5) and their checksums compared.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import struct
import zipfile
import zlib
from typing import IO

import pyarrow as pa

from facelet.pipeline.scoring.taking.limits import (
    MEBI,
    MEMBERS,
    Limits,
    Meter,
    Metered,
    TooMuch,
    Unpacking,
)
from facelet.pipeline.scoring.taking.predictions import Unreadable

GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
"""How such files begin."""

ERRORS = (
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
"""What reading a damaged packed file may raise."""

_METHOD = 93
_UNBOUNDED = {zipfile.ZIP_BZIP2: "bzip2", zipfile.ZIP_LZMA: "LZMA"}
"""Methods that neither inspect_ai nor a workbook uses: zipfile unpacks a whole block of them, which
may be a million times as large, before it says how much that is."""

_LOCAL = struct.Struct("<4s5H3L2H")
_END = struct.Struct("<4s4H2LH")


def unpacked(raw: IO[bytes]) -> IO[bytes]:
    """Return a file's bytes as a stream, unpacked where it is gzip or zstd.

    Args:
        raw: the file, at its beginning.
    """
    magic = raw.read(4)
    raw.seek(0)
    packed = os.fstat(raw.fileno()).st_size
    if magic[:2] == GZIP:
        return _metered(gzip.GzipFile(fileobj=raw), packed)
    if magic == ZSTD:
        return _metered(pa.CompressedInputStream(pa.OSFile(str(raw.name), "rb"), "zstd"), packed)
    return raw


def _metered(stream: Unpacking, packed: int) -> IO[bytes]:
    return io.BufferedReader(Metered(stream, Meter(packed)), 65536)


class Archive:
    """The members of a zip file."""

    def __init__(self, raw: IO[bytes], limits: Limits) -> None:
        """Read the table of contents.

        Raises:
            TooMuch: it is too large.
            zipfile.BadZipFile, OSError: it is damaged.
        """
        self._raw = raw
        self._limits = limits
        size = raw.seek(0, io.SEEK_END)
        self._meter = Meter(size)
        if (contents := _contents(raw, size)) > MEMBERS:
            raise TooMuch(
                f"the zip file's table of contents has {contents // MEBI:,} MiB; "
                f"it may have {MEMBERS // MEBI}"
            )
        self._zip = zipfile.ZipFile(raw)
        self.names = self._zip.namelist()

    def read(self, name: str) -> bytes | Unreadable:
        """Return a member's bytes, or why they cannot be had.

        Raises:
            TooMuch: the file unpacks to too much in all.
        """
        most = self._limits.record
        try:
            info = self._zip.getinfo(name)
            if info.compress_type in _UNBOUNDED:
                how = _UNBOUNDED[info.compress_type]
                raise zipfile.BadZipFile(f"it is packed with {how}; pack it with deflate or zstd")
            if info.compress_type == _METHOD:
                data = self._zstd(info, most + 1)
            else:
                with self._zip.open(info) as file:
                    data = file.read(most + 1)
        except ERRORS as error:
            return Unreadable(f"{name}: {error}")
        self._meter.add(len(data))
        if len(data) > most:
            limit = self._limits.record_mb
            return Unreadable(f"{name} is larger than {limit} MiB (record_mb={limit})")
        return data

    def _zstd(self, info: zipfile.ZipInfo, most: int) -> bytes:
        """Return up to so many bytes of a member that is packed with zstd."""
        if info.flag_bits & 1:
            raise zipfile.BadZipFile("it is encrypted")
        self._raw.seek(info.header_offset)
        magic, *_, name, extra = _LOCAL.unpack(self._raw.read(_LOCAL.size))
        if magic != ZIP:
            raise zipfile.BadZipFile("its header is not where the table of contents says")
        self._raw.seek(name + extra, io.SEEK_CUR)
        packed = self._raw.read(min(info.compress_size, most))
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            data: bytes = stream.read(most)
        if len(data) < most and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("its checksum is another")
        return data


def _contents(raw: IO[bytes], size: int) -> int:
    """Return the size of a zip file's table of contents, 0 if it has no usual end."""
    tail = min(size, _END.size + 65535)
    raw.seek(size - tail)
    data = raw.read(tail)
    place = data.rfind(b"PK\x05\x06")
    raw.seek(0)
    if place < 0 or place + _END.size > len(data):
        return 0
    contents = int(_END.unpack_from(data, place)[5])
    # A zip64 file says so with all ones; its table then fills at most what is before its end.
    return size if contents == 0xFFFFFFFF else contents
