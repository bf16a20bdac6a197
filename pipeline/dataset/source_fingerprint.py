"""List and fingerprint the source files that decide what code makes.

Files are found and read; nothing is imported for it but the packages above. A package stands for
all files in it; a module for itself and for the data that lie beside it under its name.
"""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from facelet import _version
from facelet.pipeline.family_modules import AnyTask, family_name

_SUFFIXES = frozenset({".c", ".h", ".jinja", ".json", ".parquet", ".png", ".py", ".txt", ".yaml"})
_TOP = "facelet"
_ROOT = Path(_version.__file__).parent
_IMPORT = re.compile(
    rf"^[ \t]*(?:from|import) ({_TOP}[\w.]*)(?: import (\([^)]*\)|[^\n]*))?",
    re.MULTILINE,
)
_WORD = re.compile(r"\w+")
_SHARED = ("facelet.generators.core", "facelet.generators.options")


@cache
def fingerprint_sources(names: tuple[str, ...]) -> str:
    """Return the hash of all source and data files of packages and modules.

    Completion records hold it, so that a shard which other code made is made anew.

    Args:
        names: importable names, such as "facelet.generators.cube.engine".

    Raises:
        ValueError: there is no such package or module, or it has no file of its own.
    """
    state = hashlib.blake2b(digest_size=16)
    for name in names:
        root, paths = _list_files(name)
        for path in paths:
            label = f"{name}/{path.relative_to(root).as_posix()}"
            state.update(label.encode() + b"\0" + path.read_bytes() + b"\0")
    return state.hexdigest()


def task_sources(task: AnyTask) -> tuple[str, ...]:
    """Return what decides a task's rows: its family, core and options, and what these import."""
    return _module_sources(type(task).__module__, f"facelet.generators.{family_name(task.name)}")


@cache
def _module_sources(module: str, package: str) -> tuple[str, ...]:
    """Return what decides the rows of a task that a module defines."""
    own = (package,) if find_spec(package) else ()
    return import_closure((*own, module, *_SHARED))


@cache
def import_closure(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return packages and modules with all of this program that they import, sorted.

    Args:
        names: importable names. What lies in a package that is named is not named again.
    """
    found: set[str] = set()
    ahead = deque(names)
    while ahead:
        name = ahead.popleft()
        if any(f"{name}.".startswith(f"{known}.") for known in found):
            continue
        found.add(name)
        for path in _list_files(name)[1]:
            if path.suffix == ".py":
                ahead += _iterate_imports(path)
    return tuple(sorted(found))


def _iterate_imports(path: Path) -> Iterator[str]:
    """Yield the modules of this program that a file imports; a package is its `__init__`.

    An import that only stands in a text is taken for one too, which costs nothing but a hash.
    """
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        # A name may be a module of the package, or what the module itself defines.
        inside = [f"{module}.{name}" for name in _WORD.findall(names)]
        for name in (module, *(name for name in inside if _find_own_file(name))):
            if (file := _find_own_file(name)) is not None:
                yield f"{name}.__init__" if file.name == "__init__.py" else name


def _find_own_file(name: str) -> Path | None:
    """Return the file of a module or package of this program; None if it is none."""
    top, *parts = name.split(".")
    if top != _TOP or not parts:
        return None
    place = _ROOT.joinpath(*parts)
    found = (place / "__init__.py", place.with_name(f"{place.name}.py"))
    return next((path for path in found if path.is_file()), None)


def _list_files(name: str) -> tuple[Path, list[Path]]:
    """Return the folder of a package or module, and its files, sorted.

    Raises:
        ValueError: there is no such package or module, or it has no file of its own.
    """
    if (file := _find_own_file(name)) is None:
        if (spec := find_spec(name)) is None or spec.origin is None:
            raise ValueError(f"{name} has no source file; name a module or a package with one")
        file = Path(spec.origin)
    root = file.parent
    package = file.name == "__init__.py" and not name.endswith(".__init__")
    beside = root.rglob("*") if package else root.glob(f"{file.stem}.*")
    return root, sorted(path for path in beside if path.suffix in _SUFFIXES and path.is_file())
