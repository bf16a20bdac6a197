"""What a new user types works away from home: from a wheel, beside a clone, in the locale C.

The documents are run literally, block by block. Where a command needs make, which a wheel lacks,
the command that make would run is typed. `make test-newuser` runs all documents, `make test` those
that take seconds.
"""

from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping

import pytest
from chat_server import chat_server
from documents import (
    DOCUMENTS,
    DocumentCommand,
    list_blocks,
    list_commands,
    prepare_files,
)
from loopback_hub import TOKEN, LoopbackHub
from new_user import NewUser

QUICK = {
    "first_dataset.md": r"first\.gallery/index(.|\n)*written: .*results(.|\n)*'role': 'system'",
    "streams.md": "",
}
"""Documents that take seconds, and what they print."""

STARTS_MODEL = "import openai\nclient = openai.OpenAI()\nbatch = lambda chats: ['A'] * len(chats)\n"
BEFORE = {"play.md": STARTS_MODEL}
"""What a reader has defined before the blocks of a document."""

INSTALLED = "the environment is made from a wheel, with the packages of the extras"
OTHER_TOOL = "tests/pipeline/adapters/test_documented_commands.py and make test-extras type it"
NOT_TYPED = {
    ".venv/bin/pip install -e .[run,report]": INSTALLED,
    ".venv/bin/pip install -e .[report]": INSTALLED,
    "make setup": INSTALLED,
    "make test": "it is the test suite of a checkout",
    "inspect eval facelet/cube_bench": OTHER_TOOL,
    "inspect eval facelet/marble.maze": OTHER_TOOL,
    "lm_eval --model local-chat-completions": OTHER_TOOL,
    "vf-eval facelet-verifiers": OTHER_TOOL,
}
"""Commands that are not typed here, by their first words, with the reason."""

TRL = "tests/pipeline/adapters/test_trl.py runs it with TRL"
NOT_RUN = {
    "python conf/docs/examples/train_trl.py": "test_training_programs.py runs them, with PyTorch",
    "from facelet.pipeline.adapters import trl": TRL,
    "rows = facelet_trl.Streamed(": TRL,
    "import skyrl_gym": "tests/pipeline/adapters/test_skyrl.py runs it with SkyRL",
}
"""Blocks of bash and Python that are not run here, by their beginning, with the reason."""


def find_reasons(text: str, table: Mapping[str, str]) -> list[str]:
    """Return the entries of a table that a command or block begins with."""
    return [known for known in table if f"{text} ".startswith(known)]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> NewUser:
    """A new user without any extra."""
    return NewUser(tmp_path_factory.mktemp("plain"), extras=False)


def test_a_clone_in_the_folder_hides_nothing(plain: NewUser) -> None:
    assert (plain.folder / "facelet" / "generators").is_dir()
    program = "from facelet import environment; import facelet; print(facelet.__file__)"
    told = plain.run_line(f".venv/bin/python -c '{program}'")
    assert told.startswith(str(plain.folder / ".venv"))


def test_a_missing_package_is_named_with_its_command(plain: NewUser) -> None:
    build = "profile=smoke suites=marble tasks=assemble_easy count=1 out=made workers=1"
    plain.run_line(f".venv/bin/facelet build {build} progress=false")
    (line,) = plain.run_line(
        ".venv/bin/facelet run openai/m made base_url=http://localhost:9/v1 yes=true", status=2
    ).splitlines()
    assert line.endswith("needs the package 'openai'; run `pip install --upgrade 'openai>=2.0'`")
    for module, package in (("gymnasium", "gymnasium"), ("trl", "trl"), ("inspect_ai", "inspect")):
        program = f"import facelet.pipeline.adapters.{module}"
        done = f".venv/bin/python -c '{program}' 2>&1 | tail -1; exit 3"
        assert re.search(rf"pip install --upgrade '?{package}", plain.run_line(done, status=3))


@pytest.mark.parametrize("document", QUICK)
def test_a_document_works_without_extras(plain: NewUser, document: str) -> None:
    code = "\n".join(list_programs(document, "python"))
    told = "".join(run_commands(plain, document)) + plain.run_python(code, document)
    assert re.search(QUICK[document], told), told


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NewUser]:
    """A new user with the extras, a model's server and a Hub."""
    user = NewUser(tmp_path_factory.mktemp("reader"), extras=True)
    with chat_server() as url, LoopbackHub() as hub:
        user.env |= {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN, "HF_HUB_DISABLE_XET": "1"}
        user.env |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": url}
        (user.folder / "mlflow.py").write_text("log_metric = print\n")
        yield user


def list_programs(document: str, language: str) -> list[str]:
    """Return the blocks of a language that are run here."""
    return [one for one in list_blocks(document, language) if not find_reasons(one, NOT_RUN)]


def test_every_block_is_run_or_has_a_reason() -> None:
    typed = [shlex.join(words).replace("'", "") for words in _list_command_words()]
    printed = [
        block
        for path in DOCUMENTS
        for language in ("bash", "python")
        for block in list_blocks(path.name, language)
    ]
    for texts, table in ((typed, NOT_TYPED), (printed, NOT_RUN)):
        used = [found for one in texts if (found := find_reasons(one, table))]
        assert all(len(found) == 1 for found in used), used
        assert {known for (known,) in used} == set(table)
    first = {words[0] for words in _list_command_words()}
    assert first - {"make", "echo", ".venv/bin/facelet", ".venv/bin/python"} == {
        known.partition(" ")[0] for known in NOT_TYPED if not known.startswith("make")
    }
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        languages = set(re.findall(r"^ *```(\w+)", text, re.MULTILINE))
        assert languages <= {"sh", "bash", "python"}, (path.name, languages)
        if list_programs(path.name, "bash"):
            assert ".venv/bin/facelet serve" in text, path.name


def _list_command_words() -> list[list[str]]:
    return [command.shell_words for command in list_commands()]


@pytest.mark.slow
@pytest.mark.parametrize("document", [path.name for path in DOCUMENTS])
def test_every_document_works_in_the_order_of_reading(reader: NewUser, document: str) -> None:
    list(run_commands(reader, document))
    code = "\n".join(list_programs(document, "python"))
    if code:
        fails = "NotImplementedError" in code  # The reader has to fill it in.
        told = reader.run_python(code, document, BEFORE.get(document, ""), status=int(fails))
        assert not fails or "ask your model here" in told


def run_commands(user: NewUser, document: str) -> Iterator[str]:
    """Yield what each command of a document prints."""
    for command in list_commands():
        if command.document != document:
            continue
        if find_reasons(shlex.join(command.shell_words).replace("'", ""), NOT_TYPED):
            continue
        lines = list(translate_command(user, command))
        assert lines, command
        if command.shell_words[1:2] == ["serve"]:
            yield from use_server(user, lines[0], list_programs(document, "bash"))
            continue
        for line in lines:
            yield user.run_line(line, said="y\n" + "<ANSWER>B</ANSWER>\n\n" * 20)


def use_server(user: NewUser, line: str, blocks: list[str]) -> Iterator[str]:
    """Yield what blocks of requests print while a server runs, which Ctrl-C ends.

    Args:
        user: where both are typed.
        line: the command that starts the server on port 8000.
        blocks: the blocks.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = ["bash", "-c", f"exec {line.replace('8000', port)}"]
    with open(user.folder / "server.log", "w") as log:
        server = subprocess.Popen(command, cwd=user.folder, env=user.env, stdout=log, stderr=log)
    try:
        for _ in range(600):
            if server.poll() is not None or not subprocess.call(
                ["curl", "-sf", "-o", user.folder / "health", f"http://localhost:{port}/healthz"]
            ):
                break
            time.sleep(0.2)
        assert server.poll() is None, (user.folder / "server.log").read_text()
        for block in blocks:
            told = user.run_line("set -e\n" + block.replace("localhost:8000", f"localhost:{port}"))
            assert told and not re.search(r'"error"|"detail"', told), f"{block}\n{told}"
            yield told
    finally:
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0, (user.folder / "server.log").read_text()


def translate_command(user: NewUser, command: DocumentCommand) -> Iterator[str]:
    """Yield the lines that a command is beside a clone."""
    first, *words = command.shell_words
    if first == "make":
        shown = user.run_line(f"make -C facelet -n -o setup {shlex.join(words)}")
        shown = shown.replace("\\\n", " ")
        yield from re.findall(r"^\.venv/bin/facelet .*", shown, re.MULTILINE)
    else:
        prepare_files(command, user.folder)
        line = command.text.replace(" conf/docs/", " facelet/conf/docs/")
        line = line.replace("http://localhost:8000/v1", user.env.get("OPENAI_BASE_URL", ""))
        line = line.partition("#")[0] if "OUTPUT" in line else line
        if words[0] in ("run", "eval"):
            line += " yes=true"
        if words[0] == "human":
            line = f"timeout --foreground --preserve-status -s INT 20 {line}"
        yield line.replace("OUTPUT.jsonl", "output.jsonl")
