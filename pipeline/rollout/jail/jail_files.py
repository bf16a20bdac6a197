"""Find the files of this machine that a jail needs: the standard library and its shared objects.

They differ between builds of Python, so a bare Python loads every extension module of the standard
library once and reports the mapped files.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ASKED = """
import importlib, json, os, sys, sysconfig
held = sysconfig.get_path("platstdlib")
folders = {sysconfig.get_path("stdlib"), os.path.realpath(os.path.dirname(os.__file__))}
for name in sorted(os.listdir(os.path.join(os.path.dirname(os.__file__), "lib-dynload"))):
    module = name.partition(".")[0]
    if not module.startswith(("_test", "_tkinter", "_xx", "xx", "_ctypes_test")):
        try:
            importlib.import_module(module)
        except ImportError:
            pass
mapped = {line.split(None, 5)[5].strip() for line in open("/proc/self/maps") if "/" in line}
print(json.dumps([os.path.dirname(os.__file__), sorted(path for path in mapped if ".so" in path)]))
"""


@dataclass(frozen=True, slots=True)
class JailLibrary:
    """Files that are visible in a jail.

    Attributes:
        stdlib: folder of the standard library; other packages in it are hidden.
        files: shared objects outside of that folder, by path in the jail.
        links: symbolic links to them, by path.
    """

    stdlib: str
    files: dict[str, str]
    links: dict[str, str]


@functools.cache
def standard_library() -> JailLibrary:
    """Return the files of a jail, found once per process (0.1 to 0.2 seconds).

    Raises:
        OSError, subprocess.SubprocessError: a bare Python cannot start, or there is no /proc.
    """
    words = [sys.executable, "-I", "-S", "-c", _ASKED]
    said = subprocess.run(words, capture_output=True, env={}, check=True, timeout=60).stdout
    stdlib, mapped = json.loads(said)
    outside = [path for path in mapped if not path.startswith(stdlib + os.sep)]
    files = {path: path for path in outside}
    links: dict[str, str] = {}
    for folder in sorted({os.path.dirname(path) for path in outside}):
        for entry in os.scandir(folder):
            # The loader opens libz.so.1, which may be a link to libz.so.1.2.13.
            if entry.is_symlink() and (target := os.path.realpath(entry.path)) in files:
                links[entry.path] = target
    for name in ("lib", "lib64"):
        if (top := Path("/", name)).is_symlink():
            links[str(top)] = os.readlink(top)
    return JailLibrary(stdlib, files, links)
