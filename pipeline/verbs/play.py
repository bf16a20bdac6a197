"""Play an episode yourself, in the terminal.

Plays one row: shows what a model is shown, takes replies until the episode ends, and shows how it
ended, with the right answer. Questions of one reply and episodes of many turns work alike. The name
of a config plays its first row. Without an item it lists the configs, with an item of each.

A reply may have several lines; an empty line ends it, and so does the end of the input. Leave early
with Ctrl-D or Ctrl-C; nothing is then written. Pictures are written as PNG files, and drawn in the
terminal if it can show them.

The play is appended to out/transcripts.jsonl, a file that `facelet score` takes. Another play of
the same item by the same player becomes its next sample.

Examples:
  facelet play dataset=data/out/facelet-smoke
  facelet play move_prediction
  facelet play SUITE.TASK/d01/000000 dataset=data/out/facelet-smoke
  echo '<ANSWER>B</ANSWER>' | facelet play SUITE.TASK/d01/000000 draw=no

Exit status: 0 played to the end, 1 left before, 2 a bad option.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Literal

from facelet.pipeline.argument_text import sanitize_text
from facelet.pipeline.command.setting_keys import key
from facelet.pipeline.shell_commands import format_command


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What is played, by whom, and how it is shown."""

    item: str = key(
        "What to play; of a config its first row.",
        "",
        allowed="the id of a row, or the name of a config",
        place=True,
    )
    dataset: Path | None = key(
        "The dataset.",
        None,
        allowed="a folder that holds a built or downloaded dataset",
        shown="the one in data/out",
    )
    out: Path | None = key(
        "Where transcripts.jsonl and the pictures go. Transcripts are appended.",
        None,
        allowed="a folder; made if missing",
        shown="<dataset>.play",
    )
    name: str = key("Who plays; the scorer reports it as the model.", "person", allowed="a name")
    draw: Literal["auto", "yes", "no"] = key(
        "Whether pictures are drawn in the terminal as coloured blocks. It needs 24-bit colours; "
        "auto asks the variable COLORTERM.",
        "auto",
    )
    columns: int | None = key(
        "Widest picture so drawn.", None, low=10, shown="as wide as the terminal"
    )
    end: str = key(
        "The line that ends a reply, for replies that hold empty lines themselves.",
        "",
        allowed="any text without blanks around it",
        shown="an empty line",
    )


def run(settings: Settings) -> int:
    """Play and return the exit status.

    Raises:
        ValueError: there is no such dataset or row.
    """
    from facelet.pipeline.dataset.store_address import folder_beside
    from facelet.pipeline.rollout.console_player import PlayConsole, ReplyLines, TerminalPictures
    from facelet.pipeline.rollout.row_episode import Play
    from facelet.pipeline.rollout.row_opener import read_row
    from facelet.pipeline.rollout.terminal_rows import find_item, list_configs, only_build
    from facelet.pipeline.rollout.transcript_file import open_transcripts
    from facelet.pipeline.scoring.row_index import fold_id

    folder = settings.dataset or only_build()
    if not settings.item:
        print(sanitize_text(list_configs(folder)))
        return 0
    out = settings.out or folder_beside(folder, "play")
    row = read_row(find_item(folder, settings.item))
    play = Play(row, "dataset")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    console = PlayConsole(
        sys.stdout,
        drawn=TerminalPictures.from_options(settings.draw, settings.columns, sys.stdout),
        pictures=out / "pictures" / fold_id(row.id),
    )
    replies = ReplyLines(sys.stdin, settings.end)
    with open_transcripts(out / "transcripts.jsonl") as file:
        console.show_start(play, replies.rule_text)
        while not play.done:
            console.show_new(play)
            reply = replies.read_reply(sys.stdout)
            if reply is None:
                print("\nleft before the end; nothing written")
                return 1
            play.reply(reply)
        console.show_end(play, row)
        file.append_line(play.transcript(settings.name, file.next_sample(row.id, settings.name)))
    path = out / "transcripts.jsonl"
    print(sanitize_text(f"\nwritten: {path}"))
    print(sanitize_text(f"score it: {format_command('score', dataset=folder, predictions=path)}"))
    return 0
