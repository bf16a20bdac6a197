"""The build backend: setuptools, told which packages there are.

The folders at the top level are the packages `facelet.<folder>`; `src/facelet` is the door. The map
stands in `pyproject.toml`, as everything else does. Without it an install would have to follow the
links in `src/facelet`, which a checkout without links (Windows, some archives) does not have.

setuptools reads a list of packages from `pyproject.toml` only as names that are found below one
folder, or as a list by hand, which every new family would have to enter. What it takes from a
`setup.py` it takes here, so that none stands at the top level.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

import setuptools
from setuptools import PEP420PackageFinder, build_meta

ROOT = Path(__file__).parents[2]

FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "tool"
]["setuptools"]["package-dir"]
"""The folder of each package whose own folder is not inside its parent's."""

LEFT_OUT = ("lock*", "__pycache__", "*.__pycache__")
"""Folders that no install needs: the lock files, and what Python compiled."""


def packages() -> list[str]:
    """Return the names of all packages.

    Raises:
        SystemExit: a folder is missing, so the checkout is broken.
    """
    missing = [folder for folder in FOLDERS.values() if not (ROOT / folder).is_dir()]
    if missing:
        raise SystemExit(
            f"this checkout of Facelet is broken: the folder {missing[0]} is missing; "
            "clone it again, or unpack the whole archive"
        )
    found = list(FOLDERS)
    for package, folder in FOLDERS.items():
        if package != "facelet":  # Its folders are the ones of this map, as links.
            inside = PEP420PackageFinder.find(str(ROOT / folder), exclude=LEFT_OUT)
            found += [f"{package}.{name}" for name in inside]
    return sorted(found)


class _Backend(build_meta._BuildMetaBackend):  # The documented hooks cannot hand packages over.
    def run_setup(self, setup_script: str = "setup.py") -> None:
        """Run setuptools as a `setup.py` with these two arguments would."""
        setuptools.setup(packages=packages())


_backend = _Backend()
build_wheel = _backend.build_wheel
build_sdist = _backend.build_sdist
build_editable = _backend.build_editable
get_requires_for_build_wheel = _backend.get_requires_for_build_wheel
get_requires_for_build_sdist = _backend.get_requires_for_build_sdist
get_requires_for_build_editable = _backend.get_requires_for_build_editable
prepare_metadata_for_build_wheel = _backend.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _backend.prepare_metadata_for_build_editable
