r"""Make rows of other people's items, under their own ids.

You can then ask a model both versions of a task, and compare the scores puzzle by puzzle. A line
that becomes no row is in <out>.broken.jsonl with its outcome and reason: refuted (it breaks a rule
or makes a false claim; the reason is the witness), not proven (neither refuted nor proven here), or
not read.

With format=puzzles your own puzzles, one JSON object a line, become rows of a task, with our
options. Puzzles of cubes are

  {"id": "a1", "scramble": "R U F2", "depth": 3}   or   {"id": "a2", "facelets": "UUU..."}

for each task that asks about states of a proven depth: the depth is proven, and a claimed `depth`
must be right in the metric of metric= (htm by default; qtm counts half turns as two).

With format=mtr_bench the public item files of forty text games (a folder with a JSONL for each
game and level) become rows of our games, with published=true. answers= writes their runs'
transcripts as predictions of these rows, which `facelet score` replays; those of games that draw at
random in play are rejected, because a replay would be another game.

Examples:
  facelet import format=puzzles task=cube/move_prediction file=scrambles.jsonl out=theirs
  facelet import format=mtr_bench dir=MTR-Bench/data out=theirs answers=runs
  facelet score dataset=theirs predictions=theirs.answers.jsonl missing=ignore

Exit status: 0 all lines became rows, 1 some did not, 2 a bad argument, file or folder.
"""

from __future__ import annotations

from facelet.pipeline.importing.settings import ImportSettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Import; 0 if all lines became rows, 1 if some did not.

    Raises:
        ValueError: a key or a file does not fit.
        OSError: a file cannot be read or written.
    """
    from facelet.pipeline.importing.import_runner import run_import

    return run_import(settings)
