"""The commands that the documents print, as a reader would type them."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "conf" / "docs"
DOCUMENTS = (
    ROOT / "README.md",
    *(
        GUIDES / name
        for name in re.findall(r"\w+\.md", (GUIDES / "mkdocs.yml").read_text(encoding="utf-8"))
        if (GUIDES / name).is_file()
    ),
)
"""README and the guides, in the order of reading: that of the site's menu."""

PLAYING = """
import sys
from facelet import environment
rows = environment.rows(sys.argv[1])
environment.run(rows, lambda chat: "<ANSWER>B</ANSWER>", sys.argv[2] + ".jsonl", name=sys.argv[2])
"""


@dataclass(frozen=True)
class DocumentCommand:
    """A command of a document.

    Attributes:
        document: the file's name.
        text: what a reader types, comments and all.
    """

    document: str
    text: str

    @property
    def shell_words(self) -> list[str]:
        """What the shell makes of it."""
        return shlex.split(self.text, comments=True)

    def __str__(self) -> str:
        """Return it as a test's name."""
        return f"{self.document}: {shlex.join(self.shell_words)}"


def list_blocks(document: str, language: str) -> list[str]:
    """Return the blocks of a language in a document, as they are printed."""
    (path,) = (path for path in DOCUMENTS if path.name == document)
    pattern = rf"^```{language}\n(.*?)^```$"
    return re.findall(pattern, path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def list_commands() -> list[DocumentCommand]:
    """Return all commands in the order of reading: README first, then the guides."""
    found = []
    for path in DOCUMENTS:
        for block in list_blocks(path.name, "sh"):
            lines = block.replace("\\\n", " ").splitlines()
            found += [
                DocumentCommand(path.name, line)
                for line in lines
                if shlex.split(line, comments=True)
            ]
    return found


def readme_commands(tool: str, url: str) -> list[str]:
    """Return the README's commands of another tool, and what it says to type before them.

    Args:
        tool: the first word of the commands.
        url: address of a model's server, which takes the place of the one that is printed.
    """
    everything = list_commands()
    before = [c for c in everything if "harness" in c.shell_words and tool == "lm_eval"]
    lines = [c.text for c in [*before, *(c for c in everything if c.shell_words[0] == tool)]]
    lines = [line.replace("http://localhost:8000/v1", url).replace("URL", url) for line in lines]
    return [line.replace("NAME", "m") for line in lines]


def prepare_files(command: DocumentCommand, folder: Path) -> None:
    """Make what a reader has by then: predictions of a model, what a batch gave back.

    Args:
        command: the command that needs it.
        folder: where it is typed.
    """
    text = command.text
    if "player=mine.py" in text:
        (folder / "mine.py").write_text(list_blocks(command.document, "python")[0])
    if "predictions.jsonl" in text and command.shell_words[0] != "echo":
        record = {"id": "cube_bench.move_prediction/d01/000000", "prediction": "<ANSWER>B</ANSWER>"}
        (folder / "predictions.jsonl").write_text(json.dumps(record) + "\n")
    for name, dataset in (("answers", "inf_bench"), ("a", "evolarena"), ("b", "evolarena")):
        if f"={name}.jsonl" in text or f",{name}.jsonl" in text:
            play = [".venv/bin/python", "-c", PLAYING, f"data/out/{dataset}", name]
            subprocess.run(play, cwd=folder, check=True)
    if "OUTPUT.jsonl" in text:
        asked = sorted((folder / "first").glob("requests*.jsonl"))
        assert asked, list((folder / "first").iterdir())
        message = {"role": "assistant", "content": "I do not know."}
        body = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}]}
        with open(folder / "output.jsonl", "w") as out:
            for line in asked[0].read_text().splitlines():
                answer = {"status_code": 200, "body": {**body, "object": "chat.completion"}}
                record = {"custom_id": json.loads(line)["custom_id"], "response": answer}
                out.write(json.dumps(record) + "\n")
