"""`facelet run code=`: a scripted server whose replies contain Python plays by its code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_server import serve

from facelet.pipeline import rollout
from facelet.pipeline.cli import main
from facelet.pipeline.rollout.reply_code import NOTE, extract_code
from facelet.pipeline.rollout.row_opener import read_row
from tests.pipeline.rollout.jail.test_escapes import jailed

__all__ = ["serve"]

LOOK = "I look first.\n```python\nprint('I see', len(get_observation()))\nwhile True: pass\n```"


def remove_note(message):
    """Return a first user message without what `code=` adds."""
    content = message["content"]
    if isinstance(content, list):
        assert content[-1] == {"type": "text", "text": NOTE}
        return {**message, "content": content[:-1]}
    assert content.endswith(f"\n\n{NOTE}")
    return {**message, "content": content.removesuffix(f"\n\n{NOTE}")}


def write_code(reply):
    """Return a reply whose code makes the calls of a reply of actions."""
    moves = " ".join(json.loads(reply)["actions"]).split()
    return f"<code>\nfor move in {[one for one in moves if one != 'final_answer']}:\n    print(make_move(move))\n</code>"  # noqa: E501


class CodingServer:
    """Answers each chat: a look that never ends, then the reference player's moves as code.

    Rows of which a part is shown may have the same first prompt; they are asked in their order.
    """

    def __init__(self, server, rows, *, look):
        self.url, self.chats, self.look = server.url, [], look
        self.script = {}
        for row in rows:
            opened = read_row(row)
            first = json.dumps(rollout.open_row(row).messages)
            replies = list(opened.task.reference(opened.instance))
            self.script.setdefault(first, []).append(replies)
        server.reply = self.reply

    def reply(self, messages):
        self.chats.append(messages)
        first = [m if m["role"] == "system" else remove_note(m) for m in messages[:2]]
        turn = sum(message["role"] == "assistant" for message in messages)
        if self.look and not turn:
            return LOOK
        if turn == self.look:
            self.replies = self.script[json.dumps(first)].pop(0)
        return write_code(self.replies[turn - self.look])


def read_lines(path: Path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_code_is_taken_from_blocks_and_tags_outside_of_reasoning():
    assert extract_code("a\n```python\nx = 1\n```\nb <code>y = 2</code>") == "x = 1\n\ny = 2"
    assert extract_code("```json\n{}\n```") == extract_code("no code") == ""
    assert extract_code("<think>```python\nx = 1\n```</think>R U") == ""
    assert extract_code("<code>x = 0 <code>x = 1</code>") == "x = 1"
    assert extract_code("<code>x" * 100_000) == ""  # minutes where each tag is searched for its end


@jailed
@pytest.mark.parametrize("place", ["jail", "none"])
def test_output_before_an_endless_loop_is_in_the_next_prompt(publish, serve, tmp_path, place):
    made = publish("cube/navigate", depth=2, observation="symbolic", items=1)
    server, out = CodingServer(serve(made), made.rows, look=True), tmp_path / "run.jsonl"
    words = ["run", "model=openai/m", f"base_url={server.url}", f"dataset={made.folder}"]
    words += [f"out={out}", "yes=true", f"code={place}", "code_seconds=1"]
    assert main(words) == 0
    (line,) = read_lines(out)
    assert line["outcome"]["status"] == "correct"
    assert line["code"] == ("jail" if place == "jail" else "own process")
    assert line["settings"]["code"] == place
    assert line["code_outputs"][0] == "I see 54\n[out of time]"
    last = server.chats[-1][-1]
    assert "The output of your code:\nI see 54\n[out of time]" in json.dumps(last).replace(
        "\\n", "\n"
    )
    replies = [m["content"] for m in line["messages"] if m["role"] == "assistant"]
    assert replies[0].startswith(LOOK)
    # The same words again ask nothing, and other settings are refused.
    asked = len(server.chats)
    assert main(words) == 0 and len(server.chats) == asked
    assert main([word for word in words if "code" not in word]) == 2


@pytest.mark.slow
@jailed
def test_all_episodes_of_cubebench_are_played_by_one_command(serve, publish, tmp_path):
    folder, out = tmp_path / "rows", tmp_path / "run.jsonl"
    words = ["suites=[cubebench_as_published]", "tasks=[navigate]", "quiet=true", "unfair=write"]
    assert main(["build", *words, f"out={folder}"]) == 0
    rows = list(rollout.rows(folder))
    assert len(rows) == 160
    assert len({row["observation"] for row in rows}) == 4
    any_rows = publish("cube/navigate", depth=1, observation="symbolic", items=1)
    server = CodingServer(serve(any_rows), rows, look=False)
    words = ["run", "model=openai/m", f"base_url={server.url}", f"dataset={folder}", "yes=true"]
    assert main([*words, f"out={out}", "code=jail", "workers=1", "code_seconds=60"]) == 0
    lines = read_lines(out)
    assert len(lines) == 160
    assert all(line["outcome"]["status"] == "correct" for line in lines)
    assert all(line["code"] == "jail" for line in lines)
