"""How many small faults do the tests see? `make mutation` makes one at a time and runs the tests.

    python tests/mutation/measure.py [module ...]

Each module stands with the tests that must notice. The faults are those of cosmic-ray: another
operator, constant, condition or keyword. They are made in a copy of the sources, so that a run that
is stopped leaves none behind. Not counted are faults of `|`, which stands in annotations here, and
faults that change nothing that anybody could see: EQUIVALENT names those, each with the reason.
Survivors are listed with their place; a module's score is the share that was seen.

Most of a short test run is the loading of libraries. So each run is a fork of one process that has
loaded all of them, and nothing of the product.
"""

from __future__ import annotations

import compileall
import importlib
import json
import math
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator

ROOT = Path(__file__).parents[2]
BUILD = "tests/pipeline/build"
MODULES = {
    "generators/core/seeding.py": ["tests/generators/core/test_seeding.py"],
    "generators/cube/states/certified_states.py": [
        "tests/generators/cube/distance/test_certificate.py",
    ],
    "pipeline/dataset/atomic_files.py": ["tests/pipeline/dataset/test_atomic_files.py"],
    "pipeline/scoring/ingest/id_match.py": ["tests/pipeline/scoring/test_score_joining.py"],
    "pipeline/dataset/file_integrity.py": [
        "tests/pipeline/dataset/test_file_integrity.py",
    ],
    "pipeline/build/build_folder.py": [
        f"{BUILD}/test_shard_store.py",
    ],
}
"""Modules, and the tests that must notice a fault in them; the quickest first."""

THREADS = "the same rows come from one thread or many; one spares cores that workers use"
PROTOCOL = "the body of a protocol is for readers and type checkers; nothing runs it"
EQUIVALENT = {
    (
        "pipeline/dataset/file_integrity.py",
        "return file.read(columns=wanted, use_threads=False)",
        "core/ReplaceFalseWithTrue",
    ): THREADS,
    (
        "pipeline/build/build_folder.py",
        "yield pq.read_table(out / record.path, use_threads=False)",
        "core/ReplaceFalseWithTrue",
    ): THREADS,
    **{
        (
            "pipeline/build/build_folder.py",
            f"@property\n    def {name}",
            "core/RemoveDecorator",
        ): PROTOCOL
        for name in ("key", "path", "sources", "cost")
    },
}
"""Faults that change nothing: module, the text from its line on, the operator; and why."""

CONFIG = """
[cosmic-ray]
module-path = {module}
timeout = 300.0
excluded-modules = []
test-command = "none: measure.py runs the tests"

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""


def copy_sources(folder: Path) -> None:
    """Copy the sources, the compiled modules and the tests, and compile them.

    The bytecode says the hash of its source, not the time: a fault is made in less than a tick.
    """
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    packages = ("generators", "pipeline")
    parts = [path for name in packages for path in (ROOT / name).rglob("*.so")]
    built = [path.relative_to(ROOT).as_posix() for path in parts]
    links = [path for path in (ROOT / "src" / "facelet").rglob("*") if path.is_symlink()]
    linked = [path.relative_to(ROOT).as_posix() for path in links]
    for name in filter(None, [*listed.split("\0"), *built, *linked]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    hashed = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(folder, quiet=1, invalidation_mode=hashed)


def list_faults(folder: Path, module: str) -> list[dict[str, object]]:
    """Return the faults that cosmic-ray can make in a module."""
    (folder / "mutation.toml").write_text(CONFIG.format(module=json.dumps(module)))
    tool = Path(sys.executable).parent / "cosmic-ray"
    session = "mutation.sqlite"
    for command in (
        [str(tool), "init", "mutation.toml", session],
        [str(tool.with_name("cr-filter-operators")), session, "mutation.toml"],
    ):
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    dump = subprocess.check_output([str(tool), "dump", session], cwd=folder, text=True)
    lines = (json.loads(line) for line in dump.splitlines())
    return [item["mutations"][0] for item, result in lines if result is None]


def run_tests(
    folder: Path, tests: list[str], limit: int = 3600, loaded: Path | None = None
) -> tuple[bool, float]:
    """Run tests in a fork of this process; return whether all pass, and seconds of the processor.

    Args:
        folder: the copy.
        tests: the files of tests.
        limit: seconds of the processor that it may take; a fault may run for ever.
        loaded: where to write the names of the modules that the tests have loaded.
    """
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
            os.chdir(folder)
            null = os.open(os.devnull, os.O_RDWR)
            for handle in (0, 1, 2):
                os.dup2(null, handle)
            os.environ |= {"PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
            sys.dont_write_bytecode = True
            sys.path.insert(0, str(folder / "src"))
            code = pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests])
            if loaded is not None:
                loaded.write_text("\n".join(sys.modules))
        finally:
            os._exit(int(code))
    end = time.monotonic() + 20 * limit
    while time.monotonic() < end:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            return status == 0, used.ru_utime + used.ru_stime
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)  # it waits for ever
    os.waitpid(child, 0)
    return False, float(limit)


def load_libraries(names: list[str]) -> None:
    """Load the installed libraries of a list of modules, nothing of the product or its tests."""
    installed = set(packages_distributions()) - {"facelet", "conftest", "tests"}
    for name in names:
        if name.partition(".")[0] in installed:
            try:
                importlib.import_module(name)
            except ImportError:  # the name of an attribute, or of something that is not there
                continue


def measure_module(folder: Path, module: str, tests: list[str]) -> tuple[int, int]:
    """Make the faults of a module, print those that no test sees, and count both.

    Raises:
        RuntimeError: the tests fail without a fault.
    """
    path = folder / module
    lines = path.read_text().splitlines()
    names = folder / "loaded.txt"
    if not run_tests(folder, tests, loaded=names)[0]:
        raise RuntimeError(f"{' '.join(tests)}: fails without a fault in {module}")
    load_libraries(names.read_text().split())
    limit = 5 + 3 * math.ceil(run_tests(folder, tests)[1])
    count = survived = 0
    for fault in list_faults(folder, module):
        begin = fault["start_pos"][0] - 1
        line, name = lines[begin].strip(), fault["operator_name"]
        here = "\n".join(lines[begin:]).lstrip()
        if line.startswith("@lru_cache("):
            continue  # the size of a cache, or none: what is found is the same
        if any(
            known == module and here.startswith(text) and name == operator
            for known, text, operator in EQUIVALENT
        ):
            continue
        operator = get_operator(name)(**fault["operator_args"])
        try:
            with use_mutation(path, operator, fault["occurrence"]) as (_, changed):
                seen = changed is None or not run_tests(folder, tests, limit)[0]
        except AttributeError:  # cosmic-ray replaces no exception whose name has a dot
            continue
        count += changed is not None
        if not seen:
            survived += 1
            place = f"{module}:{fault['start_pos'][0]}"
            print(f"  {place} {name} #{fault['occurrence']}: {line}", flush=True)
    return count, survived


def main(wanted: list[str]) -> int:
    """Measure modules and print their scores; 1 if one is below 90%."""
    low = False
    for module, tests in MODULES.items():
        if wanted and not any(word in module for word in wanted):
            continue
        with tempfile.TemporaryDirectory(prefix="facelet-mutation-") as name:
            copy_sources(Path(name))
            count, survived = measure_module(Path(name), module, tests)
        share = 1 - survived / count if count else 1.0
        low |= share < 0.9
        print(f"{module}: {count - survived} of {count} faults seen, {share:.1%}", flush=True)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
