"""Compile wheels for all systems on one machine (`make wheels`).

    python src/building/wheels.py FOLDER [target ...]

One wheel is built without C parts (py3-none-any). For each target the parts are compiled by the C
compiler of Zig, which carries the headers and libraries of all systems, and packed into a copy of
it. They keep to the limited interface of Python 3.11, so a wheel serves every later Python of its
system. What came out is judged by others: auditwheel says which Linux it needs, abi3audit whether
it keeps to the interface.

What is compiled, and how, stands in pyproject.toml alone.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

OLDEST = "cp311"
"""The tag of the oldest Python that the wheels serve."""


@dataclass(frozen=True, slots=True)
class WheelTarget:
    """A system.

    Attributes:
        zig: as Zig calls it, with the oldest version that is served.
        tag: as wheels call it.
        suffix: of the files of its extension modules.
        linking: words for the linker.
    """

    zig: str
    tag: str
    suffix: str = ".abi3.so"
    linking: tuple[str, ...] = ()


TARGETS = {
    "linux-x86_64": WheelTarget(
        "x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", linking=("-s",)
    ),
    "linux-aarch64": WheelTarget(
        "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", linking=("-s",)
    ),
    "macos-x86_64": WheelTarget(
        "x86_64-macos.11.0", "macosx_11_0_x86_64", linking=("-undefined", "dynamic_lookup")
    ),
    "macos-arm64": WheelTarget(
        "aarch64-macos.11.0", "macosx_11_0_arm64", linking=("-undefined", "dynamic_lookup")
    ),
    "windows-x86_64": WheelTarget("x86_64-windows-gnu", "win_amd64", ".pyd", linking=("-s",)),
}

WINDOWS = """\
/* What Python's own pyconfig.h says on 64-bit Windows, as far as the limited interface asks. */
#define MS_WIN32
#define MS_WIN64
#define MS_WINDOWS
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL 1
#define HAVE_PY_SSIZE_T 1
typedef long long Py_ssize_t;
#define PY_SSIZE_T_MAX 9223372036854775807LL
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_FPOS_T 8
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_LONG 4
#define SIZEOF_INT 4
#define SIZEOF_SHORT 2
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_SIZE_T 8
#define HAVE_ERRNO_H 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
"""


def run_command(*words: object, env: dict[str, str] | None = None) -> str:
    """Return what a command prints.

    Raises:
        SystemExit: it failed; the message has what it printed.
    """
    told = [str(word) for word in words]
    surroundings = os.environ | (env or {})
    done = subprocess.run(told, cwd=ROOT, env=surroundings, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(told)[:300]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout + done.stderr


def fetch_headers(folder: Path, target: WheelTarget) -> tuple[Path, list[str]]:
    """Return Python's headers for a target, and what to link with besides.

    Args:
        folder: an empty folder.
        target: the system.
    """
    include = folder / "include"
    shutil.copytree(sysconfig.get_paths()["include"], include)
    if "windows" not in target.zig:
        return include, []
    from abi3info import DATAS, FUNCTIONS  # Only Windows is linked by name.

    (include / "pyconfig.h").write_text(WINDOWS, encoding="utf-8")
    data = {symbol.name for symbol in DATAS}
    names = [symbol.name for symbol in (*FUNCTIONS, *DATAS)]
    listed = "\n".join(f"{name} DATA" if name in data else name for name in names)
    definition, library = folder / "python3.def", folder / "libpython3.a"
    definition.write_text(f"LIBRARY python3.dll\nEXPORTS\n{listed}\n", encoding="utf-8")
    machine = ("-m", "i386:x86-64")
    run_command(
        sys.executable, "-m", "ziglang", "dlltool", *machine, "-d", definition, "-l", library
    )
    return include, [str(library)]


def compile_parts(target: WheelTarget, wheel: Path) -> None:
    """Compile all parts for a target into the folder of an unpacked wheel."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for part in told["tool"]["setuptools"]["ext-modules"]:
        out = wheel / (part["name"].replace(".", "/") + target.suffix)
        macros = [f"-D{name}={value}" for name, value in part["define-macros"]]
        with tempfile.TemporaryDirectory() as folder:
            include, libraries = fetch_headers(Path(folder), target)
            run_command(
                *(sys.executable, "-m", "ziglang", "cc", "-target", target.zig, "-shared"),
                *(*part["extra-compile-args"], "-DNDEBUG", "-fPIC"),
                *(*macros, "-I", include, *part["sources"], *libraries, *target.linking),
                *("-o", out),
            )
            for left in (*out.parent.glob("*.lib"), *out.parent.glob("*.pdb")):
                left.unlink()


def pack_wheel(plain: Path, target: WheelTarget, folder: Path) -> Path:
    """Return the wheel of a target.

    Args:
        plain: the wheel without C parts.
        target: the system.
        folder: where it goes.
    """
    with tempfile.TemporaryDirectory() as name:
        run_command(sys.executable, "-m", "wheel", "unpack", plain, "-d", name)
        (home,) = Path(name).iterdir()
        compile_parts(target, home)
        (about,) = home.glob("*.dist-info/WHEEL")
        kept = [
            line
            for line in about.read_text(encoding="utf-8").splitlines()
            if line and not line.startswith(("Root-Is-Purelib", "Tag"))
        ]
        tags = [f"Tag: {OLDEST}-abi3-{tag}" for tag in target.tag.split(".")]
        about.write_text("\n".join([*kept, "Root-Is-Purelib: false", *tags, ""]), encoding="utf-8")
        made = run_command(sys.executable, "-m", "wheel", "pack", home, "-d", folder)
    (written,) = re.findall(r"Repacking wheel as (\S+?\.whl)", made)
    return Path(written)


def audit_wheel(wheel: Path, target: WheelTarget) -> str:
    """Return a line about a wheel, as auditwheel and abi3audit judge it.

    Raises:
        SystemExit: one of them has an objection.
    """
    run_command(sys.executable, "-m", "abi3audit", "--strict", wheel)
    words = "keeps to the limited interface"
    if "linux" in target.zig:
        said = run_command(sys.executable, "-m", "auditwheel", "show", wheel)
        (found,) = re.findall(r"the\s+following\s+platform\s+tag:\s+\"(\S+?)\"", said)
        if found not in target.tag.split("."):
            raise SystemExit(f"{wheel.name} needs {found}, and says {target.tag}")
        words += f", runs on {found}"
    return f"{wheel.name}  {wheel.stat().st_size / 1e6:.1f} MB  {words}"


def move_wheels(made: Path, folder: Path, only: bool) -> list[Path]:
    """Move what was made into a folder, once all of it is good; return what it kept.

    Args:
        made: a folder of new wheels and sources.
        folder: where they go. Wheels and sources of another version leave it.
        only: keep this version's wheels of other targets.
    """
    (sources,) = made.glob("*.tar.gz")
    name, _, version = sources.name.removesuffix(".tar.gz").rpartition("-")
    folder.mkdir(parents=True, exist_ok=True)
    new = {path.name for path in made.iterdir()}
    kept = []
    for old in sorted((*folder.glob(f"{name}-*.whl"), *folder.glob(f"{name}-*.tar.gz"))):
        if only and old.name.startswith(f"{name}-{version}-") and old.name not in new:
            kept.append(old)
        else:
            old.unlink()
    for path in sorted(made.iterdir()):
        shutil.move(path, folder / path.name)
    return kept


def build_wheels(words: Sequence[str]) -> None:
    """Build the wheels of some targets, or of all, and the sources.

    Raises:
        SystemExit: an unknown target, or something failed.
    """
    if not words:
        raise SystemExit("name a folder, and targets if not all are wanted")
    folder = Path(words[0]).resolve()
    unknown = [name for name in words[1:] if name not in TARGETS]
    if unknown:
        raise SystemExit(f"unknown target {unknown[0]!r}; there are: {', '.join(TARGETS)}")
    stamp = run_command("git", "log", "-1", "--format=%ct").strip()
    env = {"FACELET_COMPILE": "none", "SOURCE_DATE_EPOCH": stamp}
    os.environ["SOURCE_DATE_EPOCH"] = stamp
    with tempfile.TemporaryDirectory() as new:
        made = Path(new)
        build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", made)
        run_command(*build, "--wheel", env=env)
        run_command(*build, "--sdist", env=env)
        (plain,) = made.glob("*-py3-none-any.whl")
        print(f"{plain.name}  {plain.stat().st_size / 1e6:.1f} MB  without the solvers", flush=True)
        for name in words[1:] or TARGETS:
            print(audit_wheel(pack_wheel(plain, TARGETS[name], made), TARGETS[name]), flush=True)
        for kept in move_wheels(made, folder, only=bool(words[1:])):
            print(f"{kept.name}  kept from an earlier run", flush=True)


if __name__ == "__main__":
    build_wheels(sys.argv[1:])
