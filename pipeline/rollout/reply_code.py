"""Run the Python that a reply contains, and show its output in the next prompt.

Code is in fenced blocks of Python or in <code> tags, outside of hidden reasoning. All blocks of a
reply run as one program, in the jail (facelet.pipeline.rollout.jail) or in a process of its own.
"""

from __future__ import annotations

import re

from facelet.generators.core.replies.boundary import visible_text
from facelet.pipeline.rollout.chat_messages import Chat
from facelet.pipeline.rollout.jail import CodePlace, Jail
from facelet.pipeline.rollout.row_episode import Play

NOTE = (
    "You have a tool that runs Python: put code into a block that begins with ```python and ends "
    "with ```. All blocks of a reply run together, and the next message contains their output."
)
"""What the first prompt says of it."""

_BLOCK = re.compile(
    # A tag ends the search of the one before it, so many open tags cost no more than one.
    r"```(?:python|py)[ \t]*\n(.*?)```|<code>((?:(?!<code>).)*?)</code>",
    re.DOTALL | re.IGNORECASE,
)


def extract_code(reply: str) -> str:
    """Return the code in a reply, "" if there is none."""
    found = _BLOCK.findall(visible_text(reply, len(reply)))
    return "\n".join(fenced or tagged for fenced, tagged in found)


class CodeRunner:
    """Runs the code of one play's replies.

    Attributes:
        outputs: what the code of each reply printed and how it ended, in order; None without code.
    """

    def __init__(self, play: Play, place: CodePlace, seconds: int) -> None:
        """Run code in a place, at most some seconds a reply."""
        self._play, self._place, self._seconds = play, place, seconds
        self.outputs: list[str | None] = []

    def run_reply(self, reply: str) -> str:
        """Run a reply's code; return the reply with the calls that the code made."""
        code = extract_code(reply) if self._place != "off" else ""
        step = None
        if code:
            jail: Jail = "namespaces" if self._place == "jail" else "none"
            step = self._play.run_code(code, seconds=self._seconds, jail=jail)
        if step is None:
            self.outputs.append(None)
            return reply
        end = "" if step.ended == "done" else f"[{step.ended}]"
        self.outputs.append(f"{step.printed}{end}" or "[no output]")
        return f"{reply}\n{step.recorded}"

    def add_outputs(self, chat: Chat) -> Chat:
        """Return a chat in the form of chat completions, with the note and all outputs."""
        if self._place == "off":
            return chat
        outputs = (out and f"The output of your code:\n{out}" for out in self.outputs)
        notes = iter([NOTE, *outputs])
        return [
            _append_text(message, next(notes, None)) if message["role"] == "user" else message
            for message in chat
        ]


def _append_text(message: dict[str, object], note: str | None) -> dict[str, object]:
    content = message["content"]
    if not note:
        return message
    if isinstance(content, list):
        return {**message, "content": [*content, {"type": "text", "text": note}]}
    return {**message, "content": f"{content}\n\n{note}"}
