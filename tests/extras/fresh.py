"""Does each extra alone install what its adapter needs? `make test-extras` finds out.

    python tests/extras/fresh.py [extra ...]

The wheel is built once, and so is a small dataset. Each extra, and none, gets an environment of its
own with what the package index has today, far from the sources; there its adapter does its least
real work on that dataset, with the tool's own mock model or a server that always says the same. In
every environment each adapter whose tool is not there must say which extra to install. An
environment is thrown away once it is judged: some take several GB.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "shared"))

from chat_server import chat_server  # noqa: E402
from documents import readme_commands  # noqa: E402
from programs import (  # noqa: E402
    BUCKET,
    GYMNASIUM,
    IMPORTED,
    INSPECT,
    MEMORY,
    OPENENV,
    READ_BACK,
    SERVE,
    SKYRL,
    TEXTARENA,
    TRL,
    VERL,
)

SUITE, TASK = "marble", "assemble_easy"
ROWS = ("profile=smoke", f"suites={SUITE}", f"tasks={TASK}", "count=4")
CONFIG, HARNESSED = f"{SUITE}.{TASK}", f"facelet_{SUITE}_{TASK}"
ADAPTERS = {
    "gymnasium": "gymnasium",
    "inspect_ai": "inspect",
    "lm_eval": "lm-eval",
    "lmms_eval": "lmms-eval",
    "openenv": "openenv",
    "skyrl": "skyrl",
    "textarena": "textarena",
    "trl": "trl",
    "verifiers": "verifiers",
    "verl_tools": "verl",
}
"""Modules of `facelet.pipeline.adapters`, and the extra of each."""

S3 = "http://127.0.0.1:18925"
"""Where the server of S3 of this machine listens."""


class ExtraEnvironment:
    """An environment with one extra.

    Attributes:
        home: the environment.
        work: the folder in which its programs run.
        env: the surroundings of its programs.
    """

    def __init__(self, home: Path, work: Path) -> None:
        """Make an empty environment that works in a folder."""
        self.home, self.work = home, work
        run_command([sys.executable, "-m", "venv", home], ROOT, dict(os.environ))
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "FACELET"))}
        path = f"{home / 'bin'}{os.pathsep}{kept['PATH']}"
        told = {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1", "HF_HOME": str(work / "hub")}
        self.env = kept | told | {"PATH": path}

    def install(self, *words: object) -> None:
        """Install what pip understands."""
        pip = (self.home / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
        env = {name: value for name, value in self.env.items() if name != "HF_HUB_OFFLINE"}
        run_command([*pip, "install", "--quiet", *words], self.work, env)

    def run_program(self, *words: object) -> str:
        """Return what a program of the environment prints."""
        return run_command([self.home / "bin" / str(words[0]), *words[1:]], self.work, self.env)

    def run_python(self, code: str, *words: str) -> str:
        """Return what a piece of Python prints."""
        return self.run_program("python", "-c", code, *words)


def run_command(words: Sequence[object], folder: Path, env: dict[str, str]) -> str:
    """Return what a command prints.

    Args:
        words: the command.
        folder: where it runs.
        env: its surroundings.

    Raises:
        RuntimeError: it failed; the message has all that it printed.
    """
    done = subprocess.run(
        list(map(str, words)), cwd=folder, env=env, capture_output=True, text=True, timeout=3600
    )
    if done.returncode:
        told = " ".join(map(str, words))[:300]
        raise RuntimeError(f"{told}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def score_predictions(fresh: ExtraEnvironment, predictions: str) -> None:
    """Score what a tool wrote: no right answer, and no row unread."""
    words = ("dataset=made", f"predictions={predictions}", "missing=ignore", "out=scores")
    fresh.run_program("facelet", "score", *words)
    (model,) = json.loads((fresh.work / "scores" / "results.json").read_text())["models"]
    (cell,) = [c for c in model["configs"][CONFIG]["splits"]["test"]["cells"] if not c["by"]][:1]
    assert cell["figures"]["accuracy"]["value"] == 0, cell
    shutil.rmtree(fresh.work / "scores")


def try_no_extra(fresh: ExtraEnvironment, url: str) -> None:
    """Without extras: rows in memory, and a model is not asked without its client."""
    fresh.run_python(MEMORY)
    words = ("model=openai/m", f"base_url={url}", "dataset=made", "yes=true", "out=run.jsonl")
    try:
        fresh.run_program("facelet", "run", *words)
    except RuntimeError as error:
        assert "pip install --upgrade 'openai>=" in str(error), error
    else:
        raise AssertionError("a model was asked without openai")


def try_report(fresh: ExtraEnvironment, url: str) -> None:
    """Score an answer, and make pages and charts of the scores."""
    rows = ("-c", "import facelet, sys; print(next(facelet.environment.rows('made'))['id'])")
    identifier = fresh.run_program("python", *rows).strip()
    record = {"id": identifier, "prediction": "I do not know."}
    (fresh.work / "said.jsonl").write_text(json.dumps(record) + "\n")
    words = ("dataset=made", "predictions=said.jsonl", "missing=ignore", "out=scores")
    fresh.run_program("facelet", "score", *words)
    fresh.run_program("facelet", "report", "scores", "dataset=made", "out=site")
    assert "<svg" in (fresh.work / "site" / "index.html").read_text()


def try_model(fresh: ExtraEnvironment, url: str) -> None:
    """Ask a model, and score its file."""
    words = ("model=openai/m", f"base_url={url}", "dataset=made", "limit=2", "yes=true")
    fresh.run_program("facelet", "run", *words, "out=run.jsonl")
    score_predictions(fresh, "run.jsonl")


def type_commands(fresh: ExtraEnvironment, tool: str, url: str) -> None:
    """Type the README's commands of a tool."""
    for name in ("small", "facelet-paper", "training"):
        (fresh.work / "data" / "out").mkdir(parents=True, exist_ok=True)
        (fresh.work / "data" / "out" / name).symlink_to(fresh.work / "made")
    (fresh.work / ".venv").symlink_to(fresh.home)
    env = fresh.env | {"OPENAI_BASE_URL": url}
    for line in readme_commands(tool, url):
        run_command(["bash", "-c", line], fresh.work, env)


def try_inspect_ai(fresh: ExtraEnvironment, url: str) -> None:
    """A task by its name with inspect_ai's mock model, its log, and the README's commands."""
    fresh.run_python(INSPECT)
    (log,) = (fresh.work / "logs").glob("*.eval")
    score_predictions(fresh, str(log))
    fresh.install("openai")  # The README says so.
    type_commands(fresh, "inspect", url)


def try_lm_eval(fresh: ExtraEnvironment, url: str) -> None:
    """`lm_eval` with its dummy model, its samples, and the README's commands."""
    type_commands(fresh, "lm_eval", url)
    shutil.rmtree(fresh.work / "tasks")
    fresh.run_program("facelet", "harness", "tool=lm-eval", "dataset=made", "out=tasks")
    words = ("--model", "dummy", "--include_path", "tasks", "--tasks", HARNESSED, "--limit", "2")
    fresh.run_program("lm_eval", *words, "--log_samples", "--output_path", "samples")
    (file,) = (fresh.work / "samples").rglob("samples_*.jsonl")
    score_predictions(fresh, str(file))


def try_lmms_eval(fresh: ExtraEnvironment, _: str) -> None:
    """`lmms_eval` with its dummy model, and its samples."""
    fresh.run_program("facelet", "harness", "tool=lmms-eval", "dataset=made", "out=tasks")
    words = ("--model", "dummy", "--include_path", "tasks", "--tasks", HARNESSED, "--limit", "2")
    more = ("--batch_size", "1", "--log_samples", "--output_path", "samples")
    fresh.run_program("python", "-m", "lmms_eval", *words, *more)
    (file,) = (fresh.work / "samples").rglob("*_samples_*.jsonl")
    score_predictions(fresh, str(file))


def try_repacking(form: str, *packages: str) -> Callable[[ExtraEnvironment, str], None]:
    """Rows in another form, read back by the form's own package in an environment of its own."""

    def judge_repacking(fresh: ExtraEnvironment, url: str) -> None:
        fresh.run_program("facelet", "repack", "dataset=made", f"form={form}", "out=packed")
        reader = fresh
        if packages:
            reader = ExtraEnvironment(fresh.home.with_suffix(".reader"), fresh.work)
            reader.install("pyarrow", *packages)
        assert "are the same" in reader.run_python(READ_BACK, form)
        if packages:
            shutil.rmtree(reader.home)

    return judge_repacking


def try_store(fresh: ExtraEnvironment, url: str) -> None:
    """A build on a server of S3 that runs in an environment of its own, read back from there."""
    server = ExtraEnvironment(fresh.home.with_suffix(".server"), fresh.work)
    server.install("moto[s3,server]")
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    fresh.env |= keys | {"AWS_DEFAULT_REGION": "us-east-1", "AWS_ENDPOINT_URL": S3}
    program = [str(server.home / "bin" / "moto_server"), "-p", S3.rpartition(":")[2]]
    running = subprocess.Popen(program, env=server.env, stderr=subprocess.DEVNULL)
    try:
        fresh.run_python(BUCKET)
        fresh.run_program("facelet", "build", *ROWS, "workers=1", "out=s3://bucket/data")
        fresh.run_program("facelet", "build", *ROWS, "workers=1", "out=folder")
        assert fresh.run_program("facelet", "info", "s3://bucket/data") == fresh.run_program(
            "facelet", "info", "folder"
        )
    finally:
        running.kill()
        running.wait()
    shutil.rmtree(server.home)


def try_clusters(fresh: ExtraEnvironment, url: str) -> None:
    """The same rows from processes, Dask and Ray, each on a cluster of this machine."""
    told = set()
    for runner in ("local", "dask", "ray"):
        fresh.run_program(
            "facelet", "build", *ROWS, "workers=2", f"runner={runner}", f"out={runner}"
        )
        told.add(fresh.run_program("facelet", "info", runner))
    assert len(told) == 1, told


def try_verifiers(fresh: ExtraEnvironment, url: str) -> None:
    """`vf-eval` against the server, its traces, and the README's commands."""
    type_commands(fresh, "vf-eval", url)
    rows = ("--env.taskset.dataset", "made", "--env.taskset.split", "test")
    rows += ("--env.taskset.configs", json.dumps([CONFIG]))
    model = ("--model", "m", "--client.base-url", url)
    more = ("--select.limit", "2", "--no-push", "--no-rich", "--output-dir", "traces")
    fresh.run_program("vf-eval", "facelet-verifiers", *rows, *model, *more)
    (file,) = (fresh.work / "traces").rglob("traces.jsonl")
    score_predictions(fresh, str(file))


def try_tests(
    code: str, *files: str, packages: Sequence[str] = (), alone: Sequence[str] = ()
) -> Callable[[ExtraEnvironment, str], None]:
    """A piece of Python, and the adapter's tests, which need versions of their own.

    Args:
        code: the program.
        files: the tests.
        packages: what they need besides.
        alone: what they need of which no code is run: it is installed without what it needs.
    """

    def judge_tests(fresh: ExtraEnvironment, url: str) -> None:
        fresh.run_python(code)
        fresh.install("pytest", "hypothesis", *packages)
        if alone:
            fresh.install("--no-deps", *alone)
        paths = [ROOT / "tests" / "pipeline" / "adapters" / file for file in files]
        words = ("-m", "pytest", "-p", "no:cacheprovider", "-m", "adapters")
        told = fresh.run_program("python", *words, *paths)
        assert " passed" in told and "skipped" not in told, told

    return judge_tests


EXTRAS: dict[str, Callable[[ExtraEnvironment, str], object]] = {
    "none": try_no_extra,
    "cluster": try_clusters,
    "gymnasium": lambda fresh, _: fresh.run_python(GYMNASIUM),
    "openenv": try_tests(OPENENV, "test_openenv.py"),
    "report": try_report,
    "run": try_model,
    "serve": lambda fresh, _: fresh.run_python(SERVE),
    "skyrl": lambda fresh, _: fresh.run_python(SKYRL),
    "textarena": lambda fresh, _: fresh.run_python(TEXTARENA),
    "verifiers": try_verifiers,
    # Its tests train models that see, with a template of chats that TRL brings.
    "verl": try_tests(
        VERL,
        "test_verl_tools.py",
        "test_training.py::test_verl",
        packages=["torchvision"],
        alone=["trl"],
    ),
    "inspect": try_inspect_ai,
    "trl": lambda fresh, _: fresh.run_python(TRL),
    "lm-eval": try_lm_eval,
    "lmms-eval": try_lmms_eval,
    "lance": try_repacking("lance"),
    "s3": try_store,
    "mds": try_repacking("mds", "mosaicml-streaming"),
    "webdataset": try_repacking("webdataset", "webdataset"),
}

WITHOUT = ("none", "mds", "webdataset")
"""Names here that are no extras: what is judged needs nothing but Facelet."""

DEVELOPING = ("browser", "dev", "docs", "mutation")
"""Extras for work on Facelet itself, which targets of the Makefile install from lock files."""


def judge_extra(extra: str, wheel: Path, root: Path, url: str) -> str:
    """Return a line about an extra in an environment of its own.

    Args:
        extra: its name, or "none".
        wheel: Facelet's wheel.
        root: a folder for all files.
        url: address of a model's server.

    Raises:
        RuntimeError: it could not be installed, or a program failed.
        AssertionError: a program did something else than it should.
    """
    begun = time.monotonic()
    work = root / extra
    work.mkdir()
    fresh = ExtraEnvironment(root / f"{extra}.env", work)
    fresh.install(wheel if extra in WITHOUT else f"facelet[{extra}] @ {wheel.as_uri()}")
    installed = time.monotonic() - begun
    built = root / "made"
    if built.exists():  # by the first; with other packages a little of it is tried
        fresh.run_program("facelet", "build", *ROWS, "workers=1", "out=little")
    else:
        suites = ("profile=smoke", f"suites=[cube_bench,{SUITE}]", "depths=1-3")
        fresh.run_program(
            "facelet", "build", *suites, "splits=train:4,test:4", "workers=1", "out=made"
        )
        shutil.copytree(work / "made", built)
    shutil.copytree(built, work / "made", dirs_exist_ok=True)
    found = json.loads(fresh.run_python(IMPORTED, *ADAPTERS).splitlines()[-1])
    for adapter, its in ADAPTERS.items():
        told, there = found[adapter], not found[adapter]
        assert there or f"facelet[{its}]" in told, told
        assert there or its != extra, told
        assert not there or extra not in WITHOUT, adapter
    EXTRAS[extra](fresh, url)
    size = sum(f.stat().st_size for f in fresh.home.rglob("*") if f.is_file()) / 1e6
    shutil.rmtree(fresh.home)
    whole = time.monotonic() - begun
    return f"{extra:<10} {whole:5.0f} s, of them {installed:.0f} to install {size:,.0f} MB"


def main(names: Sequence[str]) -> int:
    """Judge extras; return how many failed.

    Args:
        names: their names; none for all.

    Raises:
        ValueError: there is no such extra.
    """
    unknown = [name for name in names if name not in EXTRAS]
    if unknown:
        raise ValueError(f"unknown extra {unknown[0]!r}; there are: {', '.join(EXTRAS)}")
    failed = 0
    with (
        tempfile.TemporaryDirectory(prefix="facelet-extras-") as folder,
        chat_server() as url,
    ):
        root = Path(folder)
        pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", root)
        run_command([*pip, ROOT], root, dict(os.environ))
        (wheel,) = root.glob("*.whl")
        for extra in names or EXTRAS:
            print(f"{extra:<10} is being tried ...", file=sys.stderr, flush=True)
            try:
                print(judge_extra(extra, wheel, root, url), flush=True)
            except Exception as error:  # Whatever it was, the others are tried.
                failed += 1
                print(f"{extra:<10} failed: {type(error).__name__}: {error}", flush=True)
                for home in root.glob(f"{extra}.*"):
                    shutil.rmtree(home, ignore_errors=True)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
