"""Paths inside an fsspec store, such as `s3://bucket/folder` or `hf://...`.

An `StoreAddress` is a path, so whoever reads or writes a dataset need not know where it stands. Its
first part is the scheme, so that a parent, a child or a copy in another process names its store
too. A store has no folders but those that its objects' names imply.

An object is written whole or not at all: object stores take it in one request, or in parts that
only the last request makes an object; other stores take it under another name first. Reading goes
by blocks. What a store says of an object (`object_stamp`) changes when the object does, so nobody
has to read an object to know that it is still the one that was written.

A request that fails is tried again by the store's own package. Where that gives up,
`UnreachableError` says so; it is never taken for "not there".
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, cast

if sys.platform == "win32":
    from pathlib import WindowsPath as _Path
else:
    from pathlib import PosixPath as _Path

MARK = "://"
"""What every address has, and no path that anybody would name."""

BLOCK = 1 << 22
"""Bytes that are read at once."""

ATOMIC_STORES = 1 << 26
"""Bytes up to which an object is sent in one request."""

OBJECT_STORES = frozenset(
    ("abfs", "abfss", "az", "gcs", "gs", "hf", "memory", "oci", "oss", "r2", "s3", "s3a", "tos")
)
"""Schemes whose objects appear whole, when their last byte is there."""

_PACKAGES = {
    "s3": "s3fs",
    "s3a": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "az": "adlfs",
    "abfs": "adlfs",
    "abfss": "adlfs",
}
"""What pip installs for a scheme, where its package is not there."""

_MISSING_FILE_ERRORS = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError)


class UnreachableError(OSError):
    """A store did not answer, or did not allow what was asked: nobody knows what it holds."""


class StoreAddress(_Path):
    """A place in a store; see the module. Only what datasets need of a path is there."""

    def __str__(self) -> str:
        """Return the address as it is typed; of a part of one, the path inside a store."""
        first, *rest = self.parts or (".",)
        inside = "/".join(rest)
        return f"{first}//{inside}" if first.endswith(":") else "/".join((first, *rest))

    def __fspath__(self) -> str:
        """Refuse: what takes a path of this machine cannot take an address."""
        raise TypeError(f"{self} is not a local path")

    @property
    def scheme(self) -> str:
        """The scheme, such as "s3"; that of the last store where they are chained."""
        return self.parts[0].removesuffix(":").rpartition("::")[2]

    def as_posix(self) -> str:
        """Return the address, or the part of one, with slashes."""
        return str(self)

    def absolute(self) -> StoreAddress:
        """Return the address: none is relative."""
        return self

    def _open_store(self) -> tuple[Any, str]:
        """Return the file system of fsspec, and the path there.

        Raises:
            ValueError: there is no such scheme, or its package is not installed.
        """
        from fsspec import available_protocols
        from fsspec.core import url_to_fs

        try:
            return url_to_fs(str(self), use_listings_cache=False)  # type: ignore[no-any-return]
        except ImportError as error:
            package = _PACKAGES.get(self.scheme)
            fix = f"pip install {package}" if package else str(error).splitlines()[0]
            raise ValueError(f"{self}: what reads {self.scheme}:// is not here: {fix}") from None
        except ValueError as error:
            if self.scheme in available_protocols():
                raise ValueError(f"{self}: {str(error).splitlines()[0]}") from None
            raise ValueError(
                f"{self}: unknown scheme {self.scheme!r}; use s3, gs, az, hf, or another of "
                f"fsspec: {', '.join(sorted(available_protocols()))}"
            ) from None

    @contextmanager
    def _guard_store(self) -> Iterator[tuple[Any, str]]:
        """Yield the file system and the path there; what else goes wrong is `UnreachableError`."""
        with _translate_errors(self):
            yield self._open_store()

    def _object_info(self) -> dict[str, Any] | None:
        """Return what the store says of the object; None if it is not there."""
        with self._guard_store() as (store, path):
            try:
                found: dict[str, Any] = store.info(path)
            except FileNotFoundError:
                return None
            return found

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether there is an object, or one below it."""
        return self._object_info() is not None

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether there is an object."""
        found = self._object_info()
        return found is not None and found["type"] == "file"

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return whether there are objects below it."""
        found = self._object_info()
        return found is not None and found["type"] == "directory"

    def is_symlink(self) -> bool:
        """Return that it is no link."""
        return False

    def object_stamp(self) -> str:
        """Return a hash of all that the store says of the object; "" if it is not there."""
        found = self._object_info()
        return "" if found is None else sha256(repr(sorted(found.items())).encode()).hexdigest()

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return size, and as inode a number that changes with the object.

        Raises:
            FileNotFoundError: there is no object.
        """
        found = self._object_info()
        if found is None:
            raise FileNotFoundError(f"{self} is not there")
        mode = stat.S_IFREG if found["type"] == "file" else stat.S_IFDIR
        number = int(sha256(repr(sorted(found.items())).encode()).hexdigest()[:15], 16)
        size = int(found.get("size") or 0)
        times = {"st_atime_ns": 0, "st_mtime_ns": 0, "st_ctime_ns": 0}
        return os.stat_result((mode, number, 0, 1, 0, 0, size, 0, 0, 0), times)

    def iterdir(self) -> Generator[StoreAddress, None, None]:
        """Yield what is right below, in the order of the names; nothing where nothing is."""
        yield from (self / name for name in sorted({name for name, _ in self._list_children()}))

    def _list_children(self) -> set[tuple[str, str]]:
        """Return name and type of what is right below; nothing where nothing is."""
        with self._guard_store() as (store, path):
            try:
                found = store.ls(path, detail=True)
            except FileNotFoundError:
                return set()
        told = ((one["name"].rstrip("/"), one["type"]) for one in found)
        return {(name.rpartition("/")[2], kind) for name, kind in told if name != path.rstrip("/")}

    def glob(self, pattern: str, **_: object) -> Iterator[StoreAddress]:  # type: ignore[override]
        """Yield the objects below that match a pattern part by part, in the order of the names.

        Listings say what is an object, so none is asked for. `*` matches no name that begins with
        a dot.
        """
        first, _slash, rest = pattern.partition("/")
        kind = "directory" if rest else "file"
        for name in sorted(name for name, one in self._list_children() if one == kind):
            if fnmatchcase(name, first) and first.startswith(".") >= name.startswith("."):
                yield from (self / name).glob(rest) if rest else (self / name,)

    def rglob(self, pattern: str, **_: object) -> Iterator[StoreAddress]:  # type: ignore[override]
        """Yield all objects below whose last part matches a pattern."""
        with self._guard_store() as (store, path):
            names = sorted(store.find(path))
        cut = len(path.rstrip("/")) + 1
        yield from (self / name[cut:] for name in names if fnmatchcase(Path(name).name, pattern))

    def open(self, mode: str = "r", *_: object, **__: object) -> BinaryIO:  # type: ignore[override]
        """Open the object for reading bytes.

        Raises:
            ValueError: another mode is asked for; `upload_file` and `write_bytes` write.
        """
        if mode != "rb":
            raise ValueError(f"{self} is opened for reading bytes alone, not with {mode!r}")
        with self._guard_store() as (store, path):
            return cast(BinaryIO, _BlockReader(self, store.open(path, "rb", block_size=BLOCK)))

    def read_bytes(self) -> bytes:
        """Return the bytes of the object."""
        with self._guard_store() as (store, path):
            data: bytes = store.cat_file(path)
            return data

    def read_text(self, *_: object, **__: object) -> str:
        """Return the text of the object, UTF-8."""
        return self.read_bytes().decode("utf-8")

    def write_bytes(self, data: bytes) -> int:  # type: ignore[override]
        """Write the object, whole or not at all."""
        with self._guard_store() as (store, path):
            if self.scheme in OBJECT_STORES:
                store.pipe_file(path, bytes(data))
            else:
                self._write_then_rename(
                    store, path, lambda place: store.pipe_file(place, bytes(data))
                )
        return len(data)

    def upload_file(self, file: Path) -> None:
        """Write the object from a file of this machine, whole or not at all."""
        if file.stat().st_size <= ATOMIC_STORES:
            self.write_bytes(file.read_bytes())
            return
        with self._guard_store() as (store, path):
            if self.scheme in OBJECT_STORES:
                store.put_file(str(file), path)
            else:
                self._write_then_rename(store, path, lambda place: store.put_file(str(file), place))

    def _write_then_rename(self, store: Any, path: str, write: Callable[[str], object]) -> None:
        """Write under another name, then give the object its own."""
        place = f"{path}.{token_hex(8)}.tmp"
        store.makedirs(store._parent(path), exist_ok=True)
        write(place)
        store.mv(place, path)

    def move_object(self, target: Path) -> None:
        """Give the object another name in its store; the bytes do not leave it.

        Args:
            target: the other address; an object that has it is replaced.
        """
        assert isinstance(target, StoreAddress)
        with self._guard_store() as (store, path), target._guard_store() as (_, other):
            if self.scheme in OBJECT_STORES:
                store.cp_file(path, other)
                with suppress(FileNotFoundError):  # the request may be tried again after all
                    store.rm_file(path)
            else:
                store.makedirs(store._parent(other), exist_ok=True)
                store.mv(path, other)

    def unlink(self, missing_ok: bool = False) -> None:
        """Remove the object.

        Raises:
            FileNotFoundError: the store says that it is not there, and it should be.
        """
        with self._guard_store() as (store, path):
            try:
                store.rm_file(path)
            except FileNotFoundError:
                if not missing_ok:
                    raise

    def remove_all(self) -> None:
        """Remove all that is below."""
        with self._guard_store() as (store, path):
            try:
                store.rm(path, recursive=True)
            except FileNotFoundError:
                return

    def mkdir(self, *_: object, **__: object) -> None:
        """Make nothing: the names of objects imply folders."""

    def rmdir(self) -> None:
        """Remove nothing: a folder without objects is none."""


class _BlockReader(io.RawIOBase):
    """An object that is read by blocks, whose requests fail as all others do."""

    def __init__(self, address: StoreAddress, file: Any) -> None:
        self._address, self._file = address, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with memoryview(buffer).cast("B") as view:
            data = self.read(len(view))
            view[: len(data)] = data
            return len(data)

    def read(self, size: int = -1) -> bytes:
        with _translate_errors(self._address):
            data: bytes = self._file.read(size)
            return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())


@contextmanager
def _translate_errors(address: StoreAddress) -> Iterator[None]:
    """Let what goes wrong in a store be `UnreachableError`, unless it says what is not there."""
    try:
        yield
    except (*_MISSING_FILE_ERRORS, UnreachableError, ValueError):
        raise
    except Exception as error:  # each store has errors of its own
        raise _build_unreachable_error(address, error) from error


def _build_unreachable_error(address: StoreAddress, error: Exception) -> UnreachableError:
    """Return the error for a store that did not do what was asked."""
    said = (str(error).strip().splitlines() or [""])[0][:300]
    kind = type(error).__name__
    fix = "check the name, the network, and that what is stored may be read and written"
    if "redential" in kind + said or isinstance(error, PermissionError):
        fix = "check the credentials that its package looks for, such as AWS_PROFILE or HF_TOKEN"
    return UnreachableError(f"{address}: {kind}: {said}; {fix}")


def arrow_source(path: Path) -> Path | BinaryIO:
    """Return what a library reads that takes paths of this machine, or open files."""
    return path.open("rb") if isinstance(path, StoreAddress) else path


def is_address(text: str) -> bool:
    """Return whether a text is an address; one of this machine (`file://`) is none."""
    return MARK in text and not text.startswith(("file://", "local://"))


def parse_place(text: str) -> Path:
    """Return the path or address that a text names."""
    if is_address(text):
        return StoreAddress(text)
    return Path(text.removeprefix("file://").removeprefix("local://"))


def remove_folder(path: Path) -> None:
    """Remove a folder with all that is in it, if it is there."""
    if isinstance(path, StoreAddress):
        path.remove_all()
    else:
        shutil.rmtree(path, ignore_errors=True)


def folder_beside(dataset: Path, kind: str) -> Path:
    """Return the folder for outputs of a kind: beside a dataset, or in data/out under its name.

    Beside what a store or the cache of the Hub holds is no place for outputs.

    Args:
        dataset: the dataset folder.
        kind: ending of the folder's name, such as "score".
    """
    if isinstance(dataset, StoreAddress):
        return Path("data/out") / f"{dataset.name}.{kind}"
    for folder in dataset.absolute().parents:
        if folder.name == "snapshots" and folder.parent.name.startswith("datasets--"):
            return Path("data/out") / f"{folder.parent.name.rpartition('--')[2]}.{kind}"
    return Path(f"{dataset}.{kind}")
