r"""Make rows from other people's items, under their own ids.

Use this to ask a model both versions of a task and compare the scores puzzle by puzzle. Items that
cannot become rows are reported with the reason and written to <out>.broken.jsonl, line by line.

With format=puzzles, puzzles in JSON Lines become rows of a task, with options of ours. Puzzles of
cubes are

  {"id": "a1", "scramble": "R U F2", "depth": 3}   or   {"id": "a2", "facelets": "UUU..."}

for each task that asks about states of a proven depth. The depth is proven, and a `depth` that a
line claims must be right.

With format=mtr_bench the public item files of forty text games (a folder with a JSONL for each
game and level) become rows of our games, with published=true. answers= writes their transcripts as
predictions of these rows, which `facelet score` grades by replay. Transcripts of games that draw at
random during play are written to another file, because a replay would be another game.

Examples:
  facelet import format=puzzles task=cube/move_prediction file=scrambles.jsonl out=theirs
  facelet import format=mtr_bench dir=MTR-Bench/data out=theirs answers=runs
  facelet score dataset=theirs predictions=theirs.answers.jsonl missing=ignore

Exit status: 0 all became rows, 1 some did not, 2 a bad word, file or folder.
"""

from __future__ import annotations

from facelet.pipeline.importing.settings import ImportSettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Import; 0 if all became rows, 1 if some are kept apart.

    Raises:
        ValueError: a key or a file does not fit.
        OSError: a file cannot be read or written.
    """
    from facelet.pipeline.importing.import_runner import run_import

    return run_import(settings)
