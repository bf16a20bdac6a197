"""Does Facelet install and work in fresh environments? `make test-matrix`, `make test-plain`.

    python fresh.py matrix WHEEL PYTHON [...]      the same rows and figures under each Python
    python fresh.py plain SOURCES DATASET          CC=/bin/false: the same figures as compiled code

Of `matrix`, each Python makes an environment of its own far from the sources, installs the wheel
with what the package index has today, builds a small dataset, scores replies to it and certifies a
cube. Of `plain`, the sources are installed where no compiler works; what was compiled and what was
not scores the same replies to every row of a dataset, and must find the same figures; both build
jigsaw cubes and games, and must make the same rows.

It needs the standard library only, so any Python can run it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
CUBE = "R U F2 L' D B R2 U' F"
DRAWN = (
    "suites=[marble,evolarena]",
    "tasks=[assemble,assemble_easy,perception,knight_battle,median_query]",
    "count=2",
    "unfair=write",
)
"""What is built with and without compiled parts: jigsaw cubes and games."""
DESIGNED = ("build", "profile=smoke", "suites=[inf_bench]", "workers=1", "out=shapes")
LIMIT = 180
"""Seconds from an empty environment to a scored dataset, for a newcomer."""


def run_command(*words: object, folder: Path, **more: str) -> str:
    """Return what a command prints.

    Raises:
        SystemExit: it failed; the message has what it printed.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHONPATH", "FACELET"))}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        env=kept | more,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        told = " ".join(map(str, words))[:300]
        raise SystemExit(f"{told}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout + done.stderr


class FreshEnvironment:
    """An environment of its own."""

    def __init__(self, python: str, folder: Path) -> None:
        """Make it with a Python, in a folder."""
        self.folder = folder
        self.bin = folder / "env" / "bin"
        run_command(python, "-m", "venv", folder / "env", folder=folder)

    def install(self, *words: object, **more: str) -> str:
        """Install what pip understands; return its log."""
        pip = (self.bin / "python", "-m", "pip", "--disable-pip-version-check", "install")
        return run_command(*pip, *words, folder=self.folder, **more)

    def run_program(self, *words: object, **more: str) -> str:
        """Return what a program of the environment prints."""
        return run_command(self.bin / str(words[0]), *words[1:], folder=self.folder, **more)

    def score_hash(self, dataset: object, name: str) -> str:
        """Return the hash of the figures of mixed replies to a dataset."""
        predictions = self.folder / f"{name}.jsonl"
        self.run_program("python", HERE / "mixed.py", dataset, predictions)
        self.run_program(
            *("facelet", "score", f"dataset={dataset}", f"predictions={predictions}"),
            f"out={self.folder / name}",
        )
        return hash_results(self.folder / name / "results.json", predictions.name)

    def build_hash(self, name: str, *words: str) -> str:
        """Return the content hash of a dataset that is built here."""
        self.run_program(
            *("facelet", "build", "profile=smoke", "workers=1", f"out={name}", "progress=false"),
            *words,
            FACELET_CACHE=str(self.folder / "cache"),
        )
        manifest = (self.folder / name / "manifest.json").read_text(encoding="utf-8")
        return str(json.loads(manifest)["content_hash"])


def hash_results(results: Path, name: str) -> str:
    """Return the hash of results, the folder of their predictions aside."""
    text = results.read_text(encoding="utf-8")
    found = json.dumps(json.loads(text)["models"], sort_keys=True).replace(name, "predictions")
    return hashlib.sha256(found.encode()).hexdigest()[:16]


def judge_python(python: str, wheel: str, folder: Path) -> tuple[str, str]:
    """Return the content hash and the hash of the figures under a Python; print a line."""
    folder.mkdir()
    begun = time.monotonic()
    fresh = FreshEnvironment(python, folder)
    fresh.install("--quiet", wheel)
    installed = time.monotonic() - begun
    content = fresh.build_hash("made")
    figures = fresh.score_hash("made", "scores")
    whole = time.monotonic() - begun
    (folder / "cubes.txt").write_text(CUBE + "\n", encoding="utf-8")
    proof = fresh.run_program(
        *("facelet", "certify", "input=cubes.txt", "table=small", "progress=false"),
        FACELET_CACHE=str(folder / "cache"),
    )
    assert '"optimal_length": 9' in proof, proof
    version = fresh.run_program("facelet", "--version").splitlines()
    assert not any(line.startswith("not compiled") for line in version), version
    told = f"{installed:.0f} s to install, {whole:.0f} s to a scored dataset"
    late = "" if whole < LIMIT else f" (more than {LIMIT})"
    print(f"{version[1]}  content {content[:16]}  figures {figures}  {told}{late}", flush=True)
    shutil.rmtree(folder / "env")
    return content, figures


def _python_runs(python: str) -> bool:
    """Return whether there is such a Python; a name may stand for none, as with pyenv."""
    try:
        done = subprocess.run([python, "-c", "import venv"], capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def judge_pythons(wheel: str, *pythons: str) -> int:
    """Judge each Python that is here; return 1 if two of them differ, 2 if there is none."""
    there = [python for python in pythons if _python_runs(python)]
    for python in pythons:
        if python not in there:
            print(f"{python}: not installed here, left out")
    if not there:
        return 2
    with tempfile.TemporaryDirectory(prefix="facelet-matrix-") as name:
        found = {
            judge_python(python, str(Path(wheel).resolve()), Path(name) / str(number))
            for number, python in enumerate(there)
        }
    print("all the same" if len(found) == 1 else f"they differ: {sorted(found)}")
    return int(len(found) != 1)


def judge_plain(sources: str, dataset: str) -> int:
    """Install without a compiler, and score as the compiled one does."""
    whole = Path(dataset).resolve()
    with tempfile.TemporaryDirectory(prefix="facelet-plain-") as name:
        root = Path(name)
        for part in ("without", "with"):
            (root / part).mkdir()
        bare = FreshEnvironment(sys.executable, root / "without")
        log = bare.install("-v", Path(sources).resolve(), CC="/bin/false")
        assert "facelet: NOT COMPILED facelet.generators.cube.distance._core: " in log, log[-3000:]
        version = bare.run_program("facelet", "--version")
        assert "\ncompiled: nothing\nnot compiled: chamber.plans._planner, " in version, version
        (root / "cubes.txt").write_text(CUBE + "\n", encoding="utf-8")
        searches = (("certify", "input=cubes.txt"), ("labels", "out=labels", "count=10"), DESIGNED)
        for words in searches:
            told = subprocess.run(
                [bare.bin / "facelet", *words], cwd=root, capture_output=True, text=True
            )
            assert told.returncode == 2, told
            assert len(told.stderr.splitlines()) == 1, told.stderr
            assert "is not compiled here: install a wheel for this system" in told.stderr, told
            print(told.stderr.strip(), flush=True)
        assert not (root / "labels").exists()
        without = bare.score_hash(whole, "scores"), bare.build_hash("made", *DRAWN)
        full = FreshEnvironment(sys.executable, root / "with")
        full.install("--quiet", Path(sources).resolve(), FACELET_COMPILE="all")
        compiled = full.score_hash(whole, "scores"), full.build_hash("made", *DRAWN)
    print(f"figures and rows without a compiler {without}, with one {compiled}")
    return int(without != compiled)


if __name__ == "__main__":
    sys.exit({"matrix": judge_pythons, "plain": judge_plain}[sys.argv[1]](*sys.argv[2:]))
