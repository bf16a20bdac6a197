"""`facelet play`: a person, or whatever is piped in, plays one row in the terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from facelet.pipeline.commands import command
from facelet.pipeline.dataset import reading
from facelet.pipeline.environment.console import Console, Drawn, Replies
from facelet.pipeline.environment.play import Play
from facelet.pipeline.environment.rows import find_row, read_row
from facelet.pipeline.environment.transcripts import appending
from facelet.pipeline.info import table
from facelet.pipeline.scoring.row_index import fold
from facelet.pipeline.words import Key, check_range, expand, help_table, plain, read_words

BUILDS = Path("data/out")
"""Where builds are looked for when no dataset is named."""

KEYS = (
    Key("item", "str", "", "the id of a row", "What to play; may be given without its key."),
    Key(
        "dataset",
        "str",
        "the one in data/out",
        "a folder that holds a built or downloaded dataset",
        "The dataset.",
    ),
    Key(
        "out",
        "str",
        "<dataset>.play",
        "a folder; made if missing",
        "Where transcripts.jsonl and the pictures go. Transcripts are appended.",
    ),
    Key("name", "str", "person", "a name", "Who plays; the scorer reports it as the model."),
    Key(
        "draw",
        "str",
        "auto",
        "auto, yes, no",
        "Whether pictures are drawn in the terminal as coloured blocks. It needs 24-bit colours; "
        "auto asks the variable COLORTERM.",
    ),
    Key("columns", "int", "as wide as the terminal", "at least 10", "Widest picture so drawn."),
    Key(
        "end",
        "str",
        "an empty line",
        "any text without blanks around it",
        "The line that ends a reply, for replies that hold empty lines themselves.",
    ),
)

HELP = f"""facelet play [ITEM] [key=value ...]

Plays one row: shows what a model is shown, takes replies until the episode ends, and tells how it
ended, with the right answer. Questions of one reply and episodes of many are played alike. Without
an item it lists the configs of the dataset, with an item of each.

A reply may have several lines; an empty line ends it, and so does the end of the input. Leave early
with Ctrl-D or Ctrl-C: then nothing is written. Pictures are written as PNG files, and drawn in the
terminal where it can.

The play is appended to out/transcripts.jsonl, a file that `facelet score` takes; another play of
the same item by the same player becomes its next sample.

Keys:
{help_table(KEYS)}

Examples:
  facelet play dataset=data/out/facelet-smoke
  facelet play cube_bench.move_prediction/d01/000000 dataset=data/out/facelet-smoke
  echo '<ANSWER>B</ANSWER>' | facelet play cube_bench.move_prediction/d01/000000 draw=no

Exit status: 0 played to the end, 1 left before, 2 a bad option.
"""


def run(overrides: Sequence[str]) -> int:
    """Play as the words say and return the exit status.

    Raises:
        ValueError: a word is bad, or there is no such dataset or row.
    """
    words = [word if "=" in word else f"item={word}" for word in overrides]
    values = {name: value for name, value in read_words(words, KEYS).items() if value != ""}
    folder = expand(str(values["dataset"])) if "dataset" in values else _only_build()
    if "item" not in values:
        print(plain(listing(folder)))
        return 0
    out = expand(str(values.get("out", f"{str(folder).rstrip('/')}.play")))
    name = str(values.get("name", "person"))
    row = read_row(find_row(folder, str(values["item"])))
    play = Play(row, "dataset")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    width = values.get("columns")
    console = Console(
        sys.stdout,
        drawn=Drawn.choose(
            str(values.get("draw", "auto")),
            None if width is None else check_range("columns", int(str(width)), 10),
            sys.stdout,
        ),
        pictures=out / "pictures" / fold(row.id),
    )
    replies = Replies(sys.stdin, str(values.get("end", "")))
    with appending(out / "transcripts.jsonl") as file:
        console.begin(play, replies.rule)
        while not play.done:
            console.show(play)
            reply = replies.next(sys.stdout)
            if reply is None:
                print("\nleft before the end; nothing written")
                return 1
            play.reply(reply)
        console.end(play, row)
        file.append(play.transcript(name, file.next_sample(row.id, name)))
    path = out / "transcripts.jsonl"
    print(plain(f"\nwritten: {path}"))
    print(plain(f"score it: {command('score', dataset=folder, predictions=path)}"))
    return 0


def listing(folder: Path) -> str:
    """Return the configs of a dataset with an item of each, and what to type next.

    Raises:
        ValueError: there is no such dataset, or it holds no rows.
    """
    rows = [("config", "split", "rows", "difficulty", "first item")]
    for part in reading.splits(folder):
        ids = [row["id"] for row in part.rows(["id"])]
        if ids:
            labels = list(dict.fromkeys(key.rpartition("/")[0].rpartition("/")[2] for key in ids))
            span = labels[0] if len(labels) == 1 else f"{labels[0]}..{labels[-1]}"
            rows.append((part.config, part.name, f"{len(ids):,}", span, ids[0]))
    if len(rows) == 1:
        raise ValueError(f"{str(folder)!r} holds no rows")
    return "\n".join(
        [
            *table(rows, left=(0, 1, 3, 4)),
            "",
            "In each difficulty, items are numbered from 000000. Begin with:",
            f"  {command('play', rows[1][-1], dataset=folder)}",
        ]
    )


def _only_build() -> Path:
    """Return the one dataset in data/out.

    Raises:
        ValueError: there are several, or none.
    """
    found = sorted(path.parent for path in BUILDS.glob(f"*/{reading.MANIFEST}"))
    if len(found) == 1:
        return found[0]
    if found:
        words = ", ".join(shlex.quote(f"dataset={path}") for path in found)
        raise ValueError(f"name a dataset; here are {words}")
    raise ValueError(
        f"name a dataset with dataset=FOLDER; there is none in {BUILDS}. "
        "`facelet build profile=smoke` makes a small one in seconds"
    )
