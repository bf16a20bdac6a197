"""Code of a player in a jail: it acts by message, and reaches nothing else."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from facelet.generators.cube.engine import notation
from facelet.pipeline import rollout
from facelet.pipeline.rollout.jail import (
    PRINTED,
    NoJailError,
    jail_cgroup,
    jail_files,
    jail_host,
    jail_process,
    run_code,
    syscall_filter,
)
from facelet.pipeline.scoring.scorer import ScoreSettings, score
from tests.pipeline.rollout.jail.test_escapes import jailed


@pytest.fixture
def navigating(publish):
    return publish("cube/navigate", depth=2, observation="symbolic")


def solving_code(row):
    turns = []
    for turn in notation.parse_maneuver(row["solution"]):
        turns += [turn[0]] * 2 if turn.endswith("2") else [turn]
    return f"for move in {turns}:\n    print(make_move(move))\n"


@jailed
def test_code_in_a_jail_plays_and_its_record_scores(navigating, tmp_path):
    row = navigating.rows[0]
    play = rollout.open_row(row)
    look = play.run_code("print(len(get_observation()))")
    assert (look.ended, look.printed) == ("done", "54\n")
    play.reply(look.recorded)
    step = play.run_code(solving_code(row))
    assert step.ended == "done" and not play.done
    assert play.reply(step.recorded).status == "correct"
    assert (play.transcript()["code"], play.transcript()["jail"]) == ("jail", "namespaces")
    path = tmp_path / "out.jsonl"
    path.write_text(json.dumps(play.transcript("me")) + "\n")
    (model,) = score(navigating.folder, [path], ScoreSettings(resamples=100)).results["models"]
    ((split,),) = [config["splits"].values() for config in model["configs"].values()]
    assert split["counts"]["correct"] == 1


@jailed
def test_the_least_of_the_walls_counts(navigating):
    play = rollout.open_row(navigating.rows[0])
    assert "code" not in play.transcript()
    play.reply(play.run_code("get_observation()").recorded)
    assert play.transcript()["code"] == "jail"
    play.reply(play.run_code("get_observation()", jail="none").recorded)
    assert play.transcript()["code"] == "own process" and "jail" not in play.transcript()
    play.reply(play.tools().build_recorded_reply())
    play.run_code("")
    assert play.transcript()["code"] == "in process" and "jail" not in play.transcript()


def test_where_no_jail_can_be_had_nothing_runs(navigating, monkeypatch, tmp_path):
    mark = tmp_path / "mark"
    code = f"open({str(mark)!r}, 'w')"
    play = rollout.open_row(navigating.rows[0])
    with monkeypatch.context() as patch:
        patch.setattr(sys, "platform", "darwin")
        with pytest.raises(NoJailError, match=r'Linux is required.*jail="none"'):
            play.run_code(code)
    found = jail_files.standard_library()
    lost = dataclasses.replace(found, files={"/lib/lost.so": "/nowhere/lost.so"})
    monkeypatch.setattr("facelet.pipeline.rollout.jail.standard_library", lambda: lost)
    with pytest.raises(NoJailError, match="this machine supports no jail"):
        play.run_code(code)
    assert "code" not in play.transcript() and not mark.exists()
    assert play.run_code(code, jail="none").ended == "done" and mark.exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"seconds": 0}, "seconds=0 is out of range; use 1 to 86400"),
        ({"memory": 1 << 20}, "memory=1048576 is out of range"),
        ({"jail": "chroot"}, "jail='chroot' is unknown; there are namespaces, none"),
    ],
)
def test_settings_are_checked_first(wrong, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        run_code({}, "", **wrong)


@jailed
def test_a_picture_comes_as_png(publish):
    play = rollout.open_row(publish("cube/navigate", depth=2, observation="net").rows[0])
    step = play.run_code("print(get_observation()[:8])")
    assert step.printed == f"{bytes((137, 80, 78, 71, 13, 10, 26, 10))}\n"


REACHES = """
import sys
for name in ("facelet", "numpy", "hypothesis"):
    try:
        __import__(name)
        print("imported", name)
    except ImportError:
        pass
import os
print(dict(os.environ).keys() - {"LC_CTYPE"}, os.listdir("."))
print([n for n in ("__self__", "__wrapped__", "__func__") if hasattr(make_move, n)])
import gc
held = [item for box in gc.get_objects() if isinstance(box, (dict, list, tuple))
        for item in (box.values() if isinstance(box, dict) else box)]
print([x for x in held if isinstance(x, str) and len(x) == 54 and set(x) == set("URFDLB")])
"""


@jailed
def test_nothing_of_the_puzzle_is_in_reach(navigating):
    step = rollout.open_row(navigating.rows[0]).run_code(REACHES)
    assert step.ended == "done", step.printed
    assert step.printed.splitlines() == ["set() []", "[]", "[]"]


@jailed
def test_what_is_wrong_is_raised_in_the_code(navigating):
    code = "try:\n    make_move('F2')\nexcept ValueError as error:\n    print(error)\nmake_move()\n"
    step = rollout.open_row(navigating.rows[0]).run_code(code)
    assert step.ended == "failed"
    assert "'F2' is no move here" in step.printed
    assert "missing 1 required positional argument" in step.printed


WALLS = pytest.mark.parametrize("jail", [pytest.param("namespaces", marks=jailed), "none"])


@WALLS
@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("while True: pass", "out of time"),
        ("while True: f()", "out of time"),
        (
            "import os, threading, time\n"
            "threading.Thread(target=time.sleep, args=(60,)).start()\nos._exit(0)",
            "done",
        ),
        ("x = bytearray(1 << 33)", "failed"),
        ("raise SystemExit(3)", "failed"),
        ("import os\nos.kill(os.getpid(), 9)", "failed"),
        ("requests.write(b'x')", "failed"),
        (
            "import os, sys, json\n"
            "n = json.loads(sys.argv[1])['requests']\n"
            "while True: os.write(n, b'[\"f\", [], {}]\\n')",
            "out of time",
        ),
        ("def", "failed"),
    ],
)
@pytest.mark.some(3)
def test_code_ends_within_its_limits(code, ended, jail):
    calls = []
    start = time.monotonic()
    ran = run_code({"f": lambda: calls.append(1)}, code, seconds=1, jail=jail)
    assert ran.ended == ended, ran.printed
    assert time.monotonic() - start < 30
    assert ran.calls == len(calls)


def test_a_process_that_code_leaves_behind_ends_with_the_call():
    code = "import os, time\nif os.fork(): os._exit(0)\ntime.sleep(60)"
    start = time.monotonic()
    assert run_code({}, code, seconds=1, jail="none").ended == "done"
    assert time.monotonic() - start < 30


RAW = """
import json, os, sys, time
with os.fdopen(json.loads(sys.argv[1])["requests"], "wb", 0, closefd=False) as file:
"""


@WALLS
@pytest.mark.parametrize(
    "message",
    [
        "b'x' * (1 << 22)",
        "b'{}\\n'",
        "b'[\"g\", [], {}]\\n'",
        "b'[\"f\", 5, 6]\\n'",
        "b'[' * 500000 + b'\\n'",
        "b'\\xff\\xfe\\n'",
    ],
)
def test_messages_that_are_none_end_the_code(message, jail):
    code = f"{RAW}    file.write({message})\ntime.sleep(60)\n"
    ran = run_code({"f": lambda: 1}, code, seconds=20, jail=jail)
    assert ran.ended == "refused" and ran.calls == 0


@WALLS
@pytest.mark.parametrize("end", ["while True: pass", "bytearray(1 << 40)", "os._exit(1)"])
def test_what_is_printed_before_the_end_is_kept(end, jail):
    code = f"import os, sys\nprint('before', end='')\nsys.stderr.write('!')\n{end}"
    assert run_code({}, code, seconds=1, jail=jail).printed.startswith("before!")


@WALLS
def test_only_the_first_call_of_a_function_takes_no_time_of_the_code(jail):
    functions = {name: lambda: time.sleep(1.2) for name in "fg"}
    ran = run_code(functions, "f()\ng()\nprint('there')", seconds=1, jail=jail)
    assert (ran.printed, ran.ended) == ("there\n", "done")
    ran = run_code(functions, "f()\nf()\nprint('there')", seconds=1, jail=jail)
    assert (ran.printed, ran.ended) == ("", "out of time")


@WALLS
def test_what_is_printed_is_bounded(jail):
    ran = run_code({}, "while True: print('x' * 1000)", seconds=1, jail=jail)
    assert len(ran.printed) == PRINTED


# -- what a whole tree of processes may take -----------------------------------------------------

THREADS = """
import os, threading, time
made = 1
try:
    for _ in range(60):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        made += 1
except RuntimeError:
    pass
print(made, flush=True)
os._exit(0)
"""

FILES = """
import os
written = 0
for n in range(9):
    try:
        with open(f"f{n}", "wb", 0) as file:
            while True:
                written += file.write(bytes(1 << 16))
    except OSError:
        pass
print(written)
"""


@jailed
@pytest.mark.parametrize(
    ("code", "most"),
    [
        (THREADS, jail_process.PROCESSES),
        (FILES, jail_process.FILES),
    ],
    ids=["threads", "files"],
)
def test_the_tree_is_bounded(code, most):
    ran = run_code({}, code, seconds=20)
    assert ran.ended == "done", ran
    assert most // 2 < int(ran.printed) <= most


STARTS = """
import _thread, errno, os
for start in (os.fork, os.forkpty, lambda: os.posix_spawn("/bin/sh", ["sh"], {})):
    try:
        print(start())
    except OSError as error:
        print(errno.errorcode[error.errno])
"""


@jailed
def test_code_starts_no_process():
    ran = run_code({}, STARTS)
    assert ran.ended == "done" and set(ran.printed.split()) <= {"EPERM", "ENOENT"}, ran


@jailed
def test_memory_is_that_of_all_threads():
    hold = "x = bytearray(b'x') * (60 << 20)\n"
    threads = (
        "import threading, time\nheld = []\n"
        "def hold(): held.append(bytearray(b'x') * (60 << 20)); time.sleep(60)\n"
        "for n in range(4): threading.Thread(target=hold).start()\n"
        "while len(held) < 4: time.sleep(0.1)\nprint('OUT')\n"
    )
    ran = run_code({}, threads, memory=200 << 20, seconds=5)
    assert ran.ended == "out of time" and "MemoryError" in ran.printed and "OUT" not in ran.printed
    assert run_code({}, hold, memory=200 << 20).ended == "done"


@jailed
def test_the_library_works_in_a_jail():
    ran = run_code({"f": lambda: 1}, LIBRARY)
    assert (ran.ended, ran.printed) == ("done", "[0, 1, 4, 9] True b'x' 1 2\n"), ran.printed


@jailed
def test_event_loops_work_in_a_jail():
    ran = run_code({"f": lambda: 1}, EVENT_LOOPS, memory=64 << 20)
    assert (ran.ended, ran.printed) == ("done", "[0, 1, 2] 1 late 6\n" * 2), ran.printed


EVENT_LOOPS = """
import asyncio, threading
async def wait(n):
    await asyncio.sleep(0.02 / (n + 1))
    return n
async def main():
    every = await asyncio.gather(*map(wait, range(3)))
    woken, loop = asyncio.Event(), asyncio.get_running_loop()
    threading.Timer(0.05, lambda: loop.call_soon_threadsafe(woken.set)).start()
    await asyncio.wait_for(woken.wait(), 5)
    called = await asyncio.to_thread(f)
    try:
        await asyncio.wait_for(asyncio.sleep(9), 0.01)
    except TimeoutError:
        late = "late"
    line = asyncio.Queue()
    async with asyncio.TaskGroup() as tasks:
        for n in range(4):
            tasks.create_task(line.put(n))
    print(every, called, late, sum([await line.get() for _ in range(4)]))
asyncio.run(main())
thread = threading.Thread(target=asyncio.run, args=(main(),))
thread.start()
thread.join()
"""


REFUSED = [
    "import os; os.fork()",
    "import subprocess; subprocess.run(['ls'])",
    "import multiprocessing; multiprocessing.Process(target=print).start()",
    "from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor(2).submit(abs, 1)",
    "import socket; socket.socket()",
    "open('/etc/passwd')",
]


@jailed
@pytest.mark.parametrize("code", REFUSED)
def test_refused_code_learns_what_a_jail_has(code):
    ran = run_code({}, code)
    assert ran.ended == "failed"
    assert "but no processes, sockets, shared memory or outside files" in ran.printed


LIBRARY = """
import concurrent.futures, hashlib, os, queue, random, shutil, signal, sqlite3, tempfile, time
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    squares = list(pool.map(lambda n: n * n, range(4)))
with tempfile.TemporaryDirectory(dir=".") as folder:
    with open(f"{folder}/a", "wb") as file:
        file.write(b"x")
    shutil.copytree(folder, "copy"), shutil.make_archive("packed", "zip", "copy")
caught = []
signal.signal(signal.SIGALRM, lambda *_: caught.append(1))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.1)
with sqlite3.connect("d") as base:
    two = base.execute("select 1 + 1").fetchone()[0]
print(squares, os.path.exists("packed.zip"), open("copy/a", "rb").read(), f(), two)
"""


def test_output_that_never_ends_is_read_until_its_own_deadline():
    with open("/dev/zero", "rb", 0) as endless, open("/dev/null", "wb", 0) as nothing:
        pipes = jail_host.JailPipes(os.pipe()[0], nothing.fileno(), endless.fileno())
        process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        start = time.monotonic()
        try:
            ran = jail_host.serve_code({}, {}, process, pipes, 1, None)
        finally:
            process.kill()
            process.wait()
    assert ran.ended == "out of time" and time.monotonic() - start < 20


@jailed
def test_the_transcript_names_the_limits_that_held(navigating, monkeypatch):
    play = rollout.open_row(navigating.rows[0])
    play.run_code("get_observation()")
    assert play.transcript()["jail_limits"][:2] == ["seccomp", "rlimit"]
    with contextlib.ExitStack() as stack:
        held = stack.enter_context(jail_cgroup.open_cgroups(1 << 30, jail_process.PROCESSES))
        names = [f"cgroup {name}" for name in sorted(held)]
        assert play.transcript()["jail_limits"][2:] == names
        folders = set(held.values())
    assert not any(folder.exists() for folder in folders)
    monkeypatch.setattr(jail_cgroup, "_find_parents", dict)
    play.run_code("get_observation()")
    assert play.transcript()["jail_limits"] == ["seccomp", "rlimit"]


def write_hierarchy(tmp_path, monkeypatch, own, mounts):
    """Let a folder of files stand for the kernel's groups."""
    (tmp_path / "own").write_text(own)
    (tmp_path / "mounts").write_text(mounts)
    shown = {"/proc/self/cgroup": tmp_path / "own", "/proc/self/mountinfo": tmp_path / "mounts"}
    real = Path.read_text
    monkeypatch.setattr(
        Path, "read_text", lambda path, *a, **k: real(shown.get(str(path), path), *a, **k)
    )
    monkeypatch.setattr(jail_cgroup, "_remove_group", shutil.rmtree)


@pytest.mark.parametrize("version", [1, 2])
def test_groups_are_made_where_they_are_ours_to_divide(version, tmp_path, monkeypatch):
    group = tmp_path / "groups" / "slice"
    group.mkdir(parents=True)
    (group / "cgroup.subtree_control").write_text("cpu memory pids\n")
    for procs in (group / "cgroup.procs", group.parent / "cgroup.procs"):
        procs.write_text("")
    for path, ours in (("/", True), ("/slice", os.geteuid() != 0)):
        top = group if path == "/" else group.parent
        kind, own = ("cgroup", "3:memory") if version == 1 else ("cgroup2", "0:")
        mounts = f"35 31 0:32 / {top} rw - {kind} {kind} rw{',memory' if version == 1 else ''}\n"
        with monkeypatch.context() as patch:
            write_hierarchy(tmp_path, patch, f"{own}:{path}\n", mounts)
            with jail_cgroup.open_cgroups(1 << 30, 16) as groups:
                files = {
                    file.name: file.read_text() for f in groups.values() for file in f.iterdir()
                }
        room = str((1 << 30) + (1 << 26))
        expected = {"memory.limit_in_bytes": room} if version == 1 else {
            "memory.max": room, "pids.max": "20", "cpu.max": "100000 100000"
        }  # fmt: skip
        assert files == (expected if ours else {})


def test_a_group_with_processes_uses_the_controllers_of_its_parent(tmp_path, monkeypatch):
    """As in a session of systemd: a program's scope is in a slice that the user owns."""
    scope = tmp_path / "groups" / "app.slice" / "shell.scope"
    scope.mkdir(parents=True)
    for folder, controllers in ((scope, ""), (scope.parent, "memory pids"), (tmp_path, "cpu")):
        (folder / "cgroup.procs").write_text("")
        (folder / "cgroup.subtree_control").write_text(f"{controllers}\n")
    monkeypatch.setattr(jail_cgroup, "_is_ours", lambda folder, path: folder != tmp_path / "groups")
    mounts = f"35 31 0:32 / {tmp_path / 'groups'} rw - cgroup2 cgroup2 rw\n"
    write_hierarchy(tmp_path, monkeypatch, "0::/app.slice/shell.scope\n", mounts)
    with jail_cgroup.open_cgroups(1 << 30, 16) as groups:
        parents = {name: folder.parent for name, folder in groups.items()}
    assert parents == {"memory": scope.parent, "pids": scope.parent}


def test_a_mounted_part_of_a_hierarchy_is_no_place_for_groups(tmp_path, monkeypatch):
    (tmp_path / "cgroup.procs").write_text("")
    mounts = f"35 31 0:32 /.. {tmp_path} rw - cgroup cgroup rw,memory\n"
    write_hierarchy(tmp_path, monkeypatch, "3:memory:/\n", mounts)
    with jail_cgroup.open_cgroups(1 << 30, 16) as groups:
        assert groups == {}


EXERCISE = """
import ctypes, json, os, subprocess, sys, tempfile
from facelet.pipeline.rollout.jail.jail_cgroup import open_cgroups
libc, private = ctypes.CDLL(None), ctypes.c_ulong(1 << 14 | 1 << 18)
if libc.unshare(0x02020000) or libc.mount(b"none", b"/", None, private, None):
    sys.exit("no namespace of control groups")
program = sys.stdin.read()
with tempfile.TemporaryDirectory() as folder:
    mounted, found = [], {}
    for name in ("memory", "pids", "cpu"):
        place = os.path.join(folder, name)
        os.mkdir(place)
        if not libc.mount(b"cgroup", place.encode(), b"cgroup", ctypes.c_ulong(0), name.encode()):
            mounted.append(name)
    with open_cgroups(64 << 20, 16) as groups:
        for name, group in groups.items():
            words = [sys.executable, "-c", program, name, str(group / "cgroup.procs")]
            done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
            found[name] = [done.returncode, done.stdout.strip()]
    left = [str(group) for group in groups.values() if group.exists()]
    for name in mounted:
        libc.umount2(os.path.join(folder, name).encode(), 2)
print(json.dumps([mounted, found, left]))
"""

EXCEED = """
import os, resource, signal, sys, time
kind, procs = sys.argv[1:]
with open(procs, "w") as file:
    file.write("0")
if kind == "memory":
    held = [bytearray(b"x") * (1 << 20) for _ in range(128)]
elif kind == "pids":
    made = []
    try:
        while len(made) < 100:
            made.append(os.fork())
            if not made[-1]:
                time.sleep(60)
                os._exit(0)
    except OSError:
        pass
    print(len(made))
    for each in made:
        os.kill(each, signal.SIGKILL)
        os.waitpid(each, 0)
else:
    child, end = os.fork(), time.time() + 3
    while time.time() < end:
        pass
    if not child:
        os._exit(0)
    os.wait()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(each.ru_utime + each.ru_stime for each in used))
"""


@jailed
def test_the_groups_of_this_machine_limit_what_they_name():
    """Every controller of version 1 here, in a namespace of groups as in a container."""
    words = [sys.executable, "-c", EXERCISE]
    done = subprocess.run(words, input=EXCEED, capture_output=True, text=True, check=False)
    if "no namespace" in done.stderr:
        pytest.skip("this user creates no namespace of control groups")
    assert done.returncode == 0, done.stderr
    mounted, found, left = json.loads(done.stdout)
    assert set(mounted) <= set(found) and left == []
    kept = {"memory": [-signal.SIGKILL, ""], "pids": [0, str(jail_process.PROCESSES + 3)]}
    for name in set(found) & set(kept):
        assert found[name] == kept[name]
    # Two processes of 3 seconds.
    assert "cpu" not in found or float(found["cpu"][1]) < 3.6


def test_groups_of_a_killed_caller_are_removed(tmp_path, monkeypatch):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, running = tmp_path / f"facelet-{ended.pid}-a", tmp_path / f"facelet-{os.getpid()}-b"
    for folder in (left, running):
        folder.mkdir()
    monkeypatch.setattr(jail_cgroup, "_find_parents", lambda: {"pids": (tmp_path, 1)})
    monkeypatch.setattr(jail_cgroup, "_remove_group", shutil.rmtree)
    with jail_cgroup.open_cgroups(1 << 30, 16) as groups:
        assert groups["pids"].name.startswith(f"facelet-{os.getpid()}-")
    assert list(tmp_path.iterdir()) == [running]


@jailed
def test_a_jail_does_not_survive_its_caller(tmp_path):
    program = (
        "from facelet.pipeline.rollout.jail import run_code\n"
        "run_code({'ready': lambda: print('ready', flush=True)},"
        " 'import time\\nready()\\ntime.sleep(600)', seconds=54321)\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert caller.stdout.readline() == b"ready\n"
    assert len(find_processes("54321")) >= 3  # the keeper, the first, and the code
    caller.send_signal(signal.SIGKILL)
    caller.communicate()
    deadline = time.monotonic() + 30
    while find_processes("54321") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert find_processes("54321") == []
    groups = f"**/facelet-{caller.pid}-*"
    while True:  # the kernel may still be ending the processes of a group
        run_code({}, "")
        if not (left := list(Path("/sys/fs/cgroup").glob(groups))) or time.monotonic() > deadline:
            break
    assert left == []


def find_processes(word: str) -> list[str]:
    """Return the jails' processes whose arguments say a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            said = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"-I\0-S\0-u\0-c" in said and f'"seconds": {word}'.encode() in said:
            found.append(folder.name)
    return found


HEADERS = {
    0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    1: Path("/usr/include/asm-generic/unistd.h"),
}


@pytest.mark.parametrize("machine", HEADERS, ids=list(syscall_filter.ARCHITECTURES))
def test_numbers_of_system_calls_are_those_of_the_kernel(machine):
    if not HEADERS[machine].exists():
        pytest.skip(f"{HEADERS[machine]} is not installed")
    text = HEADERS[machine].read_text()
    known = {
        name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", text)
    }
    numbers = {
        name: pair for calls in syscall_filter.ALLOWED.values() for name, pair in calls.items()
    }
    asked = {name: pair[machine] for name, pair in numbers.items() if name in known}
    assert len(asked) > 80 and set(syscall_filter.ARGUMENTS) < set(numbers)
    assert asked == {name: known[name] for name in asked}
