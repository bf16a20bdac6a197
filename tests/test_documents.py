"""Every command of the README and of the guides runs as it is printed.

In a fresh clone, in the order of reading, with a model's server and a Hub on this machine. Commands
of other tools run in `tests/pipeline/adapters`, where these tools are installed.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import chat_server
from documents import ROOT, list_commands, prepare_files
from loopback_hub import TOKEN, LoopbackHub
from omegaconf import OmegaConf

TOOLS = ("inspect", "lm_eval", "vf-eval")
"""First words of commands of other tools."""

SAID = "<ANSWER>B</ANSWER>\n\n" * 20
"""What a reader says who is asked."""

OURS = [command for command in list_commands() if command.shell_words[0] not in TOOLS]


def test_every_verb_and_key_of_the_documents_is_known():
    helps: dict[str, str] = {}
    facelet = [command for command in OURS if command.shell_words[0] == ".venv/bin/facelet"]
    assert len(facelet) >= 10
    for command in facelet:
        verb = command.shell_words[1]
        if verb not in helps:
            words = [str(ROOT / command.shell_words[0]), verb, "--help"]
            done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT)
            helps[verb] = done.stdout
        for word in command.shell_words[2:]:
            key = re.match(r"-*([a-z_]+)=", word)
            assert not key or re.search(rf"\b{key[1]}\b", helps[verb]), f"{command}: {key[1]}"


def test_every_command_starts_with_what_a_reader_has():
    known = {"make", "echo", ".venv/bin/facelet", ".venv/bin/python", ".venv/bin/pip", *TOOLS}
    known |= {"pip", "facelet", "git", "uvx", "pipx", "docker", "source", "cd"}
    for command in list_commands():
        assert command.shell_words[0] in known, command


def test_the_changelog_is_short_and_has_one_line_per_change():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 2000
    _, *versions = re.split(r"^## ", text, flags=re.MULTILINE)
    assert versions
    for version in versions:
        for line in version.splitlines()[1:]:
            assert not line or line.startswith(("- ", "### ")), line


def test_every_guide_has_one_purpose_in_the_site_and_in_the_readme():
    guides = {path.name for path in (ROOT / "conf" / "docs").glob("*.md")}
    made = {"index.md", "commands.md", "columns.md", "names.md", "examples.md"}
    nav = OmegaConf.to_container(OmegaConf.load(ROOT / "conf" / "docs" / "mkdocs.yml")["nav"])
    groups = {head: pages for part in nav for head, pages in part.items() if head != "Facelet"}
    assert list(groups) == ["Tutorials", "How-to guides", "Reference", "Explanation"]
    listed = [page for pages in groups.values() for page in pages if page not in made]
    assert sorted(listed) == sorted(guides)
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Guides")[2]
    assert re.findall(r"\(conf/docs/(\w+\.md)\)", table) == listed
    assert re.findall(r"^\| \*\*(.+?)\*\*", table, re.MULTILINE) == list(groups)


def test_links_between_guides_lead_to_a_page_and_a_heading():
    made = {"examples.md"}
    for path in (ROOT / "conf" / "docs").glob("*.md"):
        for page, _, heading in re.findall(r"\]\((\w*(?:\.md)?)(#([\w-]+))?\)", path.read_text()):
            target = path.with_name(page) if page else path
            assert page in made or target.is_file(), (path.name, page)
            if heading:
                heads = re.findall(r"^#+ (.+)$", target.read_text(), re.MULTILINE)
                slugs = {re.sub(r"[^\w\s-]", "", head.lower()).replace(" ", "-") for head in heads}
                assert heading in slugs, (path.name, page, heading)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A fresh clone, set up by its own make file."""
    folder = tmp_path_factory.mktemp("fresh") / "facelet"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    yield folder


@pytest.mark.slow
def test_every_command_runs_in_a_fresh_clone(clone: Path) -> None:
    own = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "PYTEST", "PYTHON"))}
    with chat_server() as url, LoopbackHub() as hub:
        env = own | {"HF_ENDPOINT": hub.url, "HF_TOKEN": TOKEN, "OPENAI_API_KEY": "none"}
        env["HF_HUB_DISABLE_XET"] = "1"  # The Hub here keeps large files the older way.

        def run_line(line: str) -> None:
            done = subprocess.run(
                line, shell=True, cwd=clone, env=env, text=True, input=SAID, capture_output=True
            )
            assert done.returncode == 0, f"{line}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"

        run_line("make setup")
        run_line(".venv/bin/pip install --quiet -e '.[run]'")
        for command in OURS:
            if command.shell_words[:2] == ["make", "test"]:
                continue  # The whole of the tests, of which this is one.
            if command.shell_words[1:2] == ["serve"]:
                continue  # It ends with Ctrl-C; tests/pipeline/serve tries what the guide says.
            prepare_files(command, clone)
            line = command.text.replace("http://localhost:8000/v1", url)
            if command.shell_words[1:2] == ["run"]:
                line += " yes=true"  # A reader says y, for which it takes a terminal.
            if command.shell_words[1:2] == ["human"]:
                line = f"timeout --foreground --preserve-status -s INT 20 {line}"  # Ctrl-C, once.
            run_line(line.replace("OUTPUT.jsonl", "output.jsonl"))
