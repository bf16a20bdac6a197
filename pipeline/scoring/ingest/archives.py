"""Unpack gzip and zstd streams and the members of zip files, zstd members included.

Python 3.11 cannot unpack zstd, and its zipfile refuses members of that method (93), which
inspect_ai writes by default; pyarrow can, so members are located by the zip format's own offsets
(PKWARE's APPNOTE, 4.3.7, 4.3.9 and 4.4.5) and their checksums compared. The members of a file that
lost its table of contents are found by their own headers.
"""

from __future__ import annotations

import gzip
import io
import mmap
import os
import struct
import zipfile
import zlib
from typing import IO

import pyarrow as pa

from facelet.pipeline.scoring.ingest.ingest_limits import (
    MEBI,
    MEMBERS,
    IngestLimits,
    LimitExceeded,
    MeteredStream,
    UnpackMeter,
)
from facelet.pipeline.scoring.ingest.prediction import UnreadableRecord

GZIP, ZSTD, ZIP = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
"""How such files begin."""

ERRORS = (
    pa.ArrowException,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
)
"""What reading a damaged packed file may raise."""

_METHOD = 93
_LOCAL = struct.Struct("<4s5H3L2H")
_END = struct.Struct("<4s4H2LH")
_SIZES = struct.Struct("<4s3L")
_BEHIND = 1 << 3
"""The flag of a member whose sizes follow it."""


def unpack_stream(raw: IO[bytes]) -> IO[bytes]:
    """Return a file's bytes as a stream, unpacked where it is gzip or zstd.

    Args:
        raw: the file, at its beginning.
    """
    magic = raw.read(4)
    raw.seek(0)
    packed = os.fstat(raw.fileno()).st_size
    if magic[:2] == GZIP:
        return _meter_stream(gzip.GzipFile(fileobj=raw), packed)
    if magic == ZSTD:
        return _meter_stream(
            pa.CompressedInputStream(pa.OSFile(str(raw.name), "rb"), "zstd"), packed
        )
    return raw


def _meter_stream(stream: io.BufferedIOBase, packed: int) -> IO[bytes]:
    return io.BufferedReader(MeteredStream(stream, UnpackMeter(packed)), 65536)


class ZipArchive:
    """The members of a zip file."""

    def __init__(self, raw: IO[bytes], limits: IngestLimits) -> None:
        """Read the table of contents.

        Raises:
            LimitExceeded: it is too large.
            zipfile.BadZipFile, OSError: it is damaged.
        """
        self._raw = raw
        self._limits = limits
        size = raw.seek(0, io.SEEK_END)
        self._meter = UnpackMeter(size)
        if (contents := _contents_size(raw, size)) > MEMBERS:
            raise LimitExceeded(
                f"the zip file's table of contents has {contents // MEBI:,} MiB; "
                f"it may have {MEMBERS // MEBI}"
            )
        self.whole = True
        try:
            with zipfile.ZipFile(raw) as file:
                self._members = {info.filename: info for info in file.infolist()}
        except (zipfile.BadZipFile, struct.error):
            self.whole, self._members = False, _members(raw)
        self.names = list(self._members)

    def read(self, name: str) -> bytes | UnreadableRecord:
        """Return a member's bytes, or why they cannot be read.

        Raises:
            LimitExceeded: the file unpacks to too much in all.
        """
        most = self._limits.record_bytes
        try:
            info = self._members[name]
            data = self._unpack_member(info, most + 1)
        except ERRORS as error:
            return UnreadableRecord(f"{name}: {error}")
        self._meter.count_bytes(len(data))
        if len(data) > most:
            limit = self._limits.record_mb
            return UnreadableRecord(f"{name} is larger than {limit} MiB (record_mb={limit})")
        return data

    def _unpack_member(self, info: zipfile.ZipInfo, most: int) -> bytes:
        """Return up to so many bytes of a member that is stored or packed with deflate or zstd."""
        if info.flag_bits & 1:
            raise zipfile.BadZipFile("it is encrypted")
        self._raw.seek(info.header_offset)
        magic, *_, name, extra = _LOCAL.unpack(self._raw.read(_LOCAL.size))
        if magic != ZIP:
            raise zipfile.BadZipFile("its header is not where the table of contents says")
        self._raw.seek(name + extra, io.SEEK_CUR)
        packed = self._raw.read(min(info.compress_size, most))
        if info.compress_type == _METHOD:
            with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
                data: bytes = stream.read(most)
        elif info.compress_type == zipfile.ZIP_DEFLATED:
            data = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
        elif info.compress_type == zipfile.ZIP_STORED:
            data = packed
        else:
            method = info.compress_type
            raise zipfile.BadZipFile(
                f"its compression method is not supported ({method}); pack it with deflate or zstd"
            )
        if len(data) < most and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("its checksum is another")
        return data


def _members(raw: IO[bytes]) -> dict[str, zipfile.ZipInfo]:
    """Return the members of a zip file without a table of contents, by their own headers.

    An unfinished file has none. Members whose size is in no header, neither before nor after
    them, are left out.
    """
    found: dict[str, zipfile.ZipInfo] = {}
    with mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as data:
        place = data.find(ZIP)
        while 0 <= place <= len(data) - _LOCAL.size and len(found) < MEMBERS // _LOCAL.size:
            _, _, flags, method, _, _, check, packed, size, name, extra = _LOCAL.unpack_from(
                data, place
            )
            begin = place + _LOCAL.size + name + extra
            after = data.find(ZIP, begin)
            if flags & _BEHIND:
                behind = data.rfind(b"PK\x07\x08", begin, after if after > 0 else len(data))
                place_known = 0 <= behind <= len(data) - _SIZES.size
                _, check, packed, size = _SIZES.unpack_from(data, behind if place_known else 0)
                packed *= place_known and packed == behind - begin
            known = data[place + _LOCAL.size : begin - extra].decode("utf-8", "replace")
            info = zipfile.ZipInfo(known)
            info.flag_bits, info.compress_type, info.header_offset = flags, method, place
            info.CRC, info.compress_size, info.file_size = check, packed, size
            if 0 < packed <= len(data) - begin:
                found[known] = info
                after = data.find(ZIP, begin + packed)
            place = after
    return found


def _contents_size(raw: IO[bytes], size: int) -> int:
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
