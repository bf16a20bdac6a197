"""What a new user types works away from home: from a wheel, beside a clone, in the locale C.

The documents are run literally, block by block. Where a command needs make, which a wheel lacks,
the command that make would run is typed. `make test-newuser` runs all documents, `make test` those
that take seconds.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

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
    told = "".join(run_commands(plain, document)) + plain.run_python(document)
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


@pytest.mark.slow
@pytest.mark.parametrize("document", [path.name for path in DOCUMENTS])
def test_every_document_works_in_the_order_of_reading(reader: NewUser, document: str) -> None:
    list(run_commands(reader, document))
    code = "\n".join(list_blocks(document, "python"))
    tools = set(re.findall(r"^(?:from|import) (skyrl_gym|trl)", code, re.MULTILINE))
    if code and not tools:  # Programs of trainers run in tests/pipeline/adapters.
        fails = "NotImplementedError" in code  # The reader has to fill it in.
        told = reader.run_python(document, BEFORE.get(document, ""), status=int(fails))
        assert not fails or "ask your model here" in told


def run_commands(user: NewUser, document: str) -> Iterator[str]:
    """Yield what each command of a document prints."""
    for command in list_commands():
        if command.document == document:
            for line in translate_command(user, command):
                yield user.run_line(line, said="y\n" + "<ANSWER>B</ANSWER>\n\n" * 20)


def translate_command(user: NewUser, command: DocumentCommand) -> Iterator[str]:
    """Yield the lines that a command is beside a clone; none for what installs or ends never."""
    first, *words = command.shell_words
    if first == "make":
        shown = user.run_line(f"make -C facelet -n -o setup {shlex.join(words)}")
        shown = shown.replace("\\\n", " ")
        yield from re.findall(r"^\.venv/bin/facelet .*", shown, re.MULTILINE)
    elif first == "echo" or first.startswith(".venv/bin/"):
        if first.endswith("/pip") or words[0] == "serve":
            return
        prepare_files(command, user.folder)
        line = command.text.replace(" conf/docs/", " facelet/conf/docs/")
        line = line.replace("http://localhost:8000/v1", user.env.get("OPENAI_BASE_URL", ""))
        line = line.partition("#")[0] if "OUTPUT" in line else line
        if words[0] in ("run", "eval"):
            line += " yes=true"
        if words[0] == "human":
            line = f"timeout --foreground --preserve-status -s INT 20 {line}"
        yield line.replace("OUTPUT.jsonl", "output.jsonl")
