"""Does every suite build under seeds that nobody tried? `make sweep` finds out.

    python tests/sweep/sweep.py [seeds=1,2] [suites=marble,mine.yaml] [profile=smoke] [workers=2]
                                [out=data/out/sweep] [key=value of `facelet build` ...]

Each suite is built under each seed, audit and all, by `facelet build` in a process of its own, and
has a line: ok with its seconds, or what went wrong first. A failure ends nothing; its folder stays,
beside what the build printed. A folder that is fine goes at once, and the hash of its words and of
the sources is noted: called again, the sweep passes over what the same sources passed before, and
goes on in folders that a stop left behind. Seeds that are not named follow from the date.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from facelet.generators.core.seeding import make_generator
from facelet.pipeline.argument_text import split_key_value, unknown_word_error
from facelet.pipeline.command.setting_keys import list_conf_files
from facelet.pipeline.dataset.row_hashes import hash_value
from facelet.pipeline.dataset.source_fingerprint import fingerprint_sources

ROOT = Path(__file__).parents[2]
PRODUCT = tuple(f"facelet.{name}" for name in ("conf", "generators", "pipeline", "renderers"))
FRESH = 3
"""Seeds that a date gives."""
HOURS = 3
"""A build that takes longer hangs."""
PASSED = "passed.txt"


@dataclass(frozen=True, slots=True)
class SeedSweep:
    """What is built.

    Attributes:
        suites: names of suites, or files of them.
        seeds: roots of randomness.
        profile: how many items, how deep.
        out: the folder of the folders.
        more: further words of `facelet build`.
    """

    suites: tuple[str, ...]
    seeds: tuple[int, ...]
    profile: str
    out: Path
    more: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SuiteBuild:
    """One suite under one seed.

    Attributes:
        name: a name that no other has under these words.
        words: those of `facelet build`.
        key: hash of the words and of the sources.
    """

    name: str
    words: tuple[str, ...]
    key: str


def from_date(day: str, count: int = FRESH) -> tuple[int, ...]:
    """Return the seeds of a date, of six digits at most.

    Args:
        day: the date, or any name.
        count: how many.
    """
    return tuple(int(n) for n in make_generator("sweep", day).choice(10**6, count, replace=False))


def parse_sweep(words: Sequence[str]) -> SeedSweep:
    """Return the sweep that words ask for.

    Raises:
        ValueError: a word is no key=value, or a seed is no number.
    """
    told = dict(split_key_value(word) for word in words)
    named = [name for name in told.pop("suites", "").split(",") if name] or list_conf_files("suite")
    for name in named:
        if name not in list_conf_files("suite") and not Path(name).is_file():
            raise unknown_word_error("suite", name, list_conf_files("suite"))
    seeds = [number for number in told.pop("seeds", "").split(",") if number]
    if bad := [number for number in seeds if not number.isdecimal()]:
        raise ValueError(f"seeds has {bad[0]!r}; allowed: whole numbers, such as seeds=1,2,3")
    return SeedSweep(
        tuple(str(Path(name).resolve()) if Path(name).is_file() else name for name in named),
        tuple(map(int, seeds)) or from_date(datetime.now(UTC).date().isoformat()),
        told.pop("profile", "") or "smoke",
        Path(told.pop("out", "") or ROOT / "data" / "out" / "sweep").resolve(),
        tuple(f"{key}={value}" for key, value in sorted(told.items())),
    )


def list_builds(sweep: SeedSweep) -> list[SuiteBuild]:
    """Return every build of a sweep: all suites under the first seed come first."""
    code = fingerprint_sources(PRODUCT)
    found = []
    for seed in sweep.seeds:
        for suite in sweep.suites:
            stem = Path(suite).stem
            words = (f"profile={sweep.profile}", f"suites=[{suite}]", f"seed={seed}", *sweep.more)
            # Workers never change what is built.
            more = [word for word in sweep.more if not word.startswith("workers=")]
            parts = (sweep.profile, stem, str(seed), hash_value(more)[:6] if more else "")
            text = Path(suite).read_text() if Path(suite).is_file() else ""
            key = hash_value([code, sweep.profile, suite, seed, more, text])
            found.append(SuiteBuild("-".join(filter(None, parts)), words, key))
    return found


def failure_reason(printed: str) -> str:
    """Return in a line why a build failed: its first figure beyond a limit, or its error.

    Args:
        printed: what it wrote on stderr.
    """
    lines = [line for line in printed.splitlines() if line.strip()]
    told = [place for place, line in enumerate(lines) if line.startswith("facelet build:")]
    if not told:
        return lines[-1].strip() if lines else "it said nothing"
    figures = [line.strip() for line in lines[told[-1] + 1 :] if line.startswith("  ")]
    if not figures:
        return lines[told[-1]].removeprefix("facelet build: ")
    return figures[0] + (f" (and {len(figures) - 1} more)" if len(figures) > 1 else "")


def judge_build(build: SuiteBuild, out: Path) -> str:
    """Build; return why that failed, or "". A folder that is fine is removed.

    Args:
        build: what to build.
        out: the folder of the folders.
    """
    folder, log = out / build.name, out / f"{build.name}.log"
    program = "import sys; from facelet.pipeline.cli import main; sys.exit(main())"
    words = ("build", *build.words, f"out={folder}", "replace=true", "quiet=true")
    try:
        with log.open("w") as stream:
            code = subprocess.run(
                (sys.executable, "-c", program, *words),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=stream,
                timeout=HOURS * 3600,
            ).returncode
    except subprocess.TimeoutExpired:
        return f"it took more than {HOURS} hours"
    if code:
        return failure_reason(log.read_text()) + ("" if code in (1, 2) else f" (exit code {code})")
    shutil.rmtree(folder)
    log.unlink()
    return ""


def run_sweep(sweep: SeedSweep) -> int:
    """Build everything, a line each; return how many builds failed."""
    sweep.out.mkdir(parents=True, exist_ok=True)
    passed = sweep.out / PASSED
    known = set(passed.read_text().split()) if passed.is_file() else set()
    print(f"sweep: seeds={','.join(map(str, sweep.seeds))} profile={sweep.profile}", flush=True)
    every, failed, skipped = list_builds(sweep), 0, 0
    width = max(len(build.name) for build in every)
    for build in every:
        if build.key in known:
            skipped += 1
            continue
        begun = time.monotonic()
        wrong = judge_build(build, sweep.out)
        seconds = time.monotonic() - begun
        failed += bool(wrong)
        told = f"FAILED {wrong}" if wrong else "ok"
        print(f"{build.name:<{width}} {seconds:6.0f} s  {told}", flush=True)
        if not wrong:
            with passed.open("a") as stream:
                stream.write(f"{build.key}\n")
    made = len(every) - failed - skipped
    before = f", {skipped} passed before with the same sources" if skipped else ""
    print(f"{made} built, {failed} failed{before}", flush=True)
    if failed:
        print(f"what failed is in {sweep.out}; the log of each lies beside its folder", flush=True)
    return failed


def main(words: Sequence[str]) -> int:
    """Sweep as words ask; return the exit code."""
    try:
        return 1 if run_sweep(parse_sweep(words)) else 0
    except ValueError as error:
        print(f"sweep: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstopped; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
