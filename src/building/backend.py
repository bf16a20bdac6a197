"""Build backend: setuptools with the packages and extensions of this project.

The folders at the top level are the packages `facelet.<folder>`; `src/facelet` is the door. The map
stands in `pyproject.toml`, as everything else does. Without it an install would have to follow the
links in `src/facelet`, which a checkout without links (Windows, some archives) does not have.

setuptools reads a list of packages from `pyproject.toml` only as names that are found below one
folder, or as a list by hand, which every new family would have to enter. What it takes from a
`setup.py` it takes here, so that none stands at the top level.

The C parts keep to the limited interface of Python 3.11, so a wheel with them is tagged
cp311-abi3-<system>, and serves every later Python. FACELET_COMPILE says what is compiled:

    auto   what can be; what fails is named at the end of the log, with the reason (the default)
    all    all parts; a build that lacks one fails. Wheels that are given away are made so
    none   nothing; the wheel is tagged py3-none-any and runs everywhere, without the solvers
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import tomllib
from pathlib import Path

import setuptools
from setuptools import Distribution, Extension, PEP420PackageFinder, build_meta
from setuptools.command.build_ext import build_ext
from setuptools.command.editable_wheel import editable_wheel
from setuptools.command.sdist import sdist

ROOT = Path(__file__).parents[2]

FOLDERS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "tool"
]["setuptools"]["package-dir"]
"""The folder of each package whose own folder is not inside its parent's."""

EXCLUDED_FOLDERS = ("lock*", "__pycache__", "*.__pycache__")
"""Folders that no install needs: the lock files, and what Python compiled."""


def list_packages() -> list[str]:
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
            inside = PEP420PackageFinder.find(str(ROOT / folder), exclude=EXCLUDED_FOLDERS)
            found += [f"{package}.{name}" for name in inside]
    return sorted(found)


OLDEST = "cp311"
"""The tag of the oldest Python whose limited interface the C parts use."""


def read_compile_mode() -> str:
    """Return what is to be compiled: "auto", "all" or "none".

    Raises:
        SystemExit: FACELET_COMPILE says something else.
    """
    said = os.environ.get("FACELET_COMPILE", "") or "auto"
    if said not in ("auto", "all", "none"):
        raise SystemExit(f"FACELET_COMPILE={said} is not one of auto, all, none")
    return said


def render_index_readme(readme: str) -> str:
    """Return the README as a package index shows it: pictures and guides by whole addresses.

    Args:
        readme: its text, whose links are those of the sources.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    home, version = project["urls"]["Repository"], project["version"]
    readme = re.sub(r'src="(?!https?:)', f'src="{home}/raw/v{version}/', readme)
    return re.sub(r"\]\((?!https?:|#)", f"]({home}/blob/v{version}/", readme)


class BuildParts(build_ext):
    """Compiles the C parts, and never passes over in silence what could not be compiled."""

    def run(self) -> None:
        """Compile each part, then name those that there are and those that there are not."""
        self.compiled: list[str] = []
        self.failed: list[str] = []
        super().run()
        for name in self.compiled:
            print(f"facelet: compiled {name}", file=sys.stderr)
        for line in self.failed:
            print(f"facelet: NOT COMPILED {line}", file=sys.stderr)
        if self.failed and read_compile_mode() == "all":
            raise SystemExit("FACELET_COMPILE=all, and a part could not be compiled")
        if self.failed:
            print(
                "facelet: what needs these parts stops with one line; all else runs in plain "
                "Python. Install a C compiler (gcc or clang) and install again to have them",
                file=sys.stderr,
            )

    def build_extension(self, ext: Extension) -> None:
        """Compile one part; where it fails, take down why."""
        try:
            super().build_extension(ext)
        except Exception as error:  # Whatever a compiler does, setuptools would only warn of it.
            words = str(error)
            short = words if len(words) < 200 else f"{words[:100]} ... {words[-80:]}"
            self.failed.append(f"{ext.name}: {short}")
        else:
            self.compiled.append(ext.name)

    def get_outputs(self) -> list[str]:
        """Return the files of the parts that were compiled."""
        return [path for path in super().get_outputs() if Path(path).exists()]

    def copy_extensions_to_source(self) -> None:
        """Copy the parts beside their sources, for an editable install."""
        made = [ext for ext in self.extensions if ext.name in self.compiled]
        self.extensions, kept = made, self.extensions
        super().copy_extensions_to_source()
        self.extensions = kept


class SourceArchive(sdist):
    """Packs the sources, and this backend with them, which no package holds."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Lay out the archive."""
        backend = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("src/building/*.py"))
        super().make_release_tree(base_dir, [*files, *backend])


class EditableInstall(editable_wheel):
    """Installs a checkout so that it wins over any folder named `facelet` in the working folder.

    Python takes such a folder, for example a clone, as a namespace package before it asks the
    finder that setuptools installs. A regular package on the path wins over both, so `src` is on
    the path. The finder is still needed where `src/facelet` has no links.
    """

    def _select_strategy(self, *words: object) -> object:
        strategy = super()._select_strategy(*words)
        list_files = strategy.get_implementation
        path_file = "__editable__.facelet_sources.pth", os.fsencode(f"{ROOT / 'src'}\n")
        strategy.get_implementation = lambda: [*list_files(), path_file]
        return strategy


class Facelet(Distribution):
    """The distribution, without C parts where none are wanted."""

    def parse_config_files(self, *args: object, **more: object) -> None:
        """Read pyproject.toml; give the README whole addresses, and drop unwanted C parts."""
        super().parse_config_files(*args, **more)
        self.metadata.long_description = render_index_readme(self.metadata.long_description or "")
        if read_compile_mode() == "none":
            self.ext_modules = []

    def has_ext_modules(self) -> bool:
        """Return whether the wheel is one of a system."""
        return bool(self.ext_modules)


class _Backend(build_meta._BuildMetaBackend):  # The documented hooks cannot hand packages over.
    def run_setup(self, setup_script: str = "setup.py") -> None:
        """Run setuptools as a `setup.py` with these arguments would."""
        with tempfile.TemporaryDirectory() as empty:  # What an earlier build left is not packed.
            options = {"build": {"build_base": empty}, "egg_info": {"egg_base": empty}}
            if read_compile_mode() != "none":
                options["bdist_wheel"] = {"py_limited_api": OLDEST}
            setuptools.setup(
                packages=list_packages(),
                distclass=Facelet,
                cmdclass={
                    "build_ext": BuildParts,
                    "editable_wheel": EditableInstall,
                    "sdist": SourceArchive,
                },
                options=options,
            )


_backend = _Backend()
build_wheel = _backend.build_wheel
build_sdist = _backend.build_sdist
build_editable = _backend.build_editable
get_requires_for_build_wheel = _backend.get_requires_for_build_wheel
get_requires_for_build_sdist = _backend.get_requires_for_build_sdist
get_requires_for_build_editable = _backend.get_requires_for_build_editable
prepare_metadata_for_build_wheel = _backend.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _backend.prepare_metadata_for_build_editable
