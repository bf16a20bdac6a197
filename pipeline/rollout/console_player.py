"""Show a play in the terminal, and read a person's replies.

Texts come from untrusted data, so control characters are shown as question marks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from facelet.generators.core.task import Outcome
from facelet.pipeline.argument_text import sanitize_text, suggest_nearest
from facelet.pipeline.dataset.atomic_files import write_atomically
from facelet.pipeline.rollout.row_episode import Play
from facelet.pipeline.rollout.row_opener import OpenedRow
from facelet.renderers.api import Drawing, encode_png
from facelet.renderers.terminal_pictures import image_to_blocks

_WIDEST = 100
"""Default maximum width of a picture in columns."""


@dataclass(frozen=True, slots=True)
class TerminalPictures:
    """Whether pictures are drawn in the terminal, and their maximum width."""

    yes: bool
    columns: int

    @staticmethod
    def from_options(draw: str, columns: int | None, stream: TextIO) -> TerminalPictures:
        """Decide from the options and the terminal.

        Args:
            draw: "auto", "yes" or "no".
            columns: maximum width; by default that of the terminal, at most 100.
            stream: stream of the terminal.

        Raises:
            ValueError: `draw` has another value.
        """
        choices = ("auto", "yes", "no")
        if draw not in choices:
            raise ValueError(
                f"draw={draw} is not one of {', '.join(choices)}{suggest_nearest(draw, choices)}"
            )
        able = (
            stream.isatty()
            and os.environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")
            and "utf" in (stream.encoding or "").lower()
        )
        widest = min(_WIDEST, shutil.get_terminal_size().columns)
        return TerminalPictures(draw == "yes" or (draw == "auto" and able), columns or widest)


class ReplyLines:
    """Reads replies from a stream of lines; each ends with the end line or the stream."""

    def __init__(self, stream: TextIO, end: str = "") -> None:
        """Read from a stream; `end` is the line that ends a reply, "" for an empty line."""
        self._stream = stream
        self._end = end.strip()

    @property
    def rule_text(self) -> str:
        """Description of the line that ends a reply."""
        return f"a line with only {self._end}" if self._end else "an empty line"

    def read_reply(self, out: TextIO) -> str | None:
        """Return the next reply, or None when the stream ends without one.

        End lines before a reply are skipped.

        Args:
            out: stream of the prompt, if both streams are terminals.
        """
        asking = self._stream.isatty() and out.isatty()
        lines: list[str] = []
        while True:
            if asking:
                print("... " if lines else "reply> ", end="", file=out, flush=True)
            if (line := self._stream.readline()) == "" or (line.strip() == self._end and lines):
                return "\n".join(lines) if lines else None
            if line.strip() != self._end and (line.strip() or lines):
                lines.append(line.removesuffix("\n"))


class PlayConsole:
    """Shows a play."""

    def __init__(self, out: TextIO, drawn: TerminalPictures, pictures: Path) -> None:
        """Write to a stream.

        Args:
            out: the stream.
            drawn: whether pictures are drawn in it.
            pictures: the folder that they are written to, as 0.png, 1.png and so on.
        """
        self._out = out
        self._drawn = drawn
        self._pictures = pictures
        self._written: dict[int, Path] = {}

    def show_start(self, play: Play, rule: str) -> None:
        """Show what is played and how a reply ends."""
        self._print_text(f"{play.id}  ({play.task})")
        self._print_text(f"End a reply with {rule}; leave with Ctrl-D.")

    def show_new(self, play: Play) -> None:
        """Show new messages; the play's form must be "dataset"."""
        for message in play.new_messages:
            self._print_text(f"\n--- {message['role']}")
            for part in message["content"]:
                if part["type"] == "text":
                    self._print_text(part["text"])
                else:
                    self._print_picture(part["image"], play.images[part["image"]])
        self._print_text("")

    def show_end(self, play: Play, row: OpenedRow) -> None:
        """Show the outcome and the correct answer."""
        outcome = play.outcome
        assert outcome is not None, "the play is over"
        self._print_text("\n--- the end")
        lines = {"outcome": _status_text(outcome)}
        if outcome.note:
            lines["because"] = outcome.note
        if gold := row.task.gold_answer(row.instance):
            lines["understood"] = " ".join(label or "-" for label in outcome.answer) or "nothing"
            lines["right"] = gold
        lines |= {name: f"{value:g}" for name, value in outcome.metrics.items()}
        self._print_text(_align_lines(lines))
        if gold:
            replies = row.task.reference(row.instance)
            self._print_text(
                f"\n{'Replies' if len(replies) > 1 else 'A reply'} that would have succeeded:"
            )
            for reply in replies:
                self._print_text("\n" + reply)

    def _print_picture(self, index: int, image: Drawing) -> None:
        if index not in self._written:
            path = self._pictures / f"{index}.png"
            with write_atomically(path) as file:
                file.write(encode_png(image))
            self._written[index] = path
        if self._drawn.yes:
            print(image_to_blocks(image, self._drawn.columns), file=self._out)
        self._print_text(f"[picture {index}: {self._written[index]}]")

    def _print_text(self, text: str) -> None:
        print(sanitize_text(text), file=self._out, flush=True)


def _status_text(outcome: Outcome) -> str:
    """Return an outcome as text."""
    manner = "in the requested format" if outcome.strict else "not in the requested format"
    return f"{outcome.status}, {manner}"


def _align_lines(lines: Mapping[str, object]) -> str:
    width = max(map(len, lines))
    return "\n".join(
        f"{name.ljust(width)}  {str(value).replace(chr(10), chr(10) + ' ' * (width + 2))}"
        for name, value in lines.items()
    )
