"""How many small faults do the tests see? `make mutation` makes one at a time and runs the tests.

    python tests/mutation/measure.py [module ...]

Each module stands with the tests that must notice. The faults are those of cosmic-ray: another
operator, constant, condition or keyword. They are made in a copy of the sources, so that a run that
is stopped leaves none behind. Not counted are faults of `|`, which stands in annotations here.
Survivors are listed with their place; a module's score is the share that was seen.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILD = "tests/pipeline/build"
MODULES = {
    "generators/core/seeding.py": ["tests/generators/core/test_seeding.py"],
    "generators/cube/distance/certificate.py": [
        "tests/generators/cube/distance/test_exact_search.py",
    ],
    "pipeline/dataset/files.py": ["tests/pipeline/dataset/test_files.py"],
    "pipeline/scoring/joining.py": ["tests/pipeline/scoring/test_score_joining.py"],
    "pipeline/dataset/integrity.py": [
        "tests/pipeline/dataset/test_manifests.py",
        "tests/pipeline/verify/test_verify.py",
    ],
    "pipeline/build/shards.py": [
        f"{BUILD}/test_toy_build.py",
        f"{BUILD}/test_power_loss.py",
    ],
}
"""Modules, and the tests that must notice a fault in them; the quickest first."""

CONFIG = """
[cosmic-ray]
module-path = {module}
timeout = 300.0
excluded-modules = []
test-command = {command}

[cosmic-ray.distributor]
name = "local"

[cosmic-ray.filters.operators-filter]
exclude-operators = ["core/ReplaceBinaryOperator_BitOr_.*"]
"""


def copied(folder: Path) -> None:
    """Copy the sources, the compiled modules and the tests."""
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    built = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("generators/**/*.so")]
    for name in filter(None, [*listed.split("\0"), *built]):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)


def measure(folder: Path, module: str, tests: list[str]) -> tuple[int, list[str]]:
    """Return how many faults were made in a module, and those that no test saw."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider"]
    config, session = folder / "mutation.toml", folder / "mutation.sqlite"
    session.unlink(missing_ok=True)
    text = CONFIG.format(module=json.dumps(module), command=json.dumps(" ".join(command + tests)))
    config.write_text(text)
    env = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    tool = Path(sys.executable).parent / "cosmic-ray"

    def call(*words: str) -> str:
        return subprocess.run(
            words, cwd=folder, env=env, check=True, stdout=subprocess.PIPE, text=True
        ).stdout

    call(*command, *tests)
    call(str(tool), "init", config.name, session.name)
    call(str(tool.with_name("cr-filter-operators")), session.name, config.name)
    call(str(tool), "exec", config.name, session.name)
    count, survivors = 0, []
    for line in call(str(tool), "dump", session.name).splitlines():
        item, result = json.loads(line)
        if result is None or result["worker_outcome"] == "skipped":
            continue
        count += 1
        if result["test_outcome"] == "survived":
            (fault,) = item["mutations"]
            place = f"{module}:{fault['start_pos'][0]}"
            survivors.append(f"{place} {fault['operator_name']} #{fault['occurrence']}")
    return count, survivors


def main(wanted: list[str]) -> int:
    """Measure modules and print their scores; 1 if one is below 90%."""
    low = False
    for module, tests in MODULES.items():
        if wanted and not any(word in module for word in wanted):
            continue
        with tempfile.TemporaryDirectory(prefix="facelet-mutation-") as name:
            copied(Path(name))
            count, survivors = measure(Path(name), module, tests)
        share = 1 - len(survivors) / count if count else 1.0
        low |= share < 0.9
        print(f"{module}: {count - len(survivors)} of {count} faults seen, {share:.1%}", flush=True)
        print("".join(f"  {line}\n" for line in survivors), end="", flush=True)
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
