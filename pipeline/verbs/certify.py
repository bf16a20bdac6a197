"""Prove the optimal depth of states or maneuvers, one a line.

Proves the optimal depth of one cube state, or of each line of an input. A state is a maneuver in
Singmaster notation (R U2 F', also wide moves, slices and whole-cube turns), applied to the solved
cube, or a facelet string of 54 letters, faces in the order U R F D L B: the six face letters or any
other six, such as those of colours, where the centre of a face names its letter. Each answer is one
JSON object a line:

  input, facelets, metric, optimal_length, solution, exhausted, nodes, table_hash, seconds

`solution` solves the state in `optimal_length` moves. Every maneuver of up to `exhausted` moves was
ruled out by searching `nodes` positions, the same number on every machine. A cube whose centres are
turned is first turned upright, and `turned` states how. A line that cannot be read is answered with
line, input and error, and the run continues; blank lines and lines that begin with # are skipped. A
line that consists of facelet letters alone and is longer than {SHORT} is a facelet string, never a
maneuver. Exit code: 0 if every line was proven, 1 if some were errors or not proven within the
limit, 2 if the command was wrong. If limit=... ends a search early, the answer is

  input, facelets, metric, not_proven_within, lower_bound, upper_bound, solution, nodes

With claims=true answers also contain claimed_length, and a table by claimed depth on stderr shows
how many cubes have the depth that they claim.

With mode=quick an answer is a bound from a two-phase search:

  input, facelets, metric, upper_bound, solution, proven

`solution` solves the state in `upper_bound` moves, and `proven` is false: shorter solutions may
exist. It is the inverse of the maneuver itself if the search finds nothing shorter. It needs no
table.

With the default table and one worker, depth 16 takes about a tenth of a second, and each further
move about 13 times as long; the large table is about six times faster. This applies to maneuvers
that are optimal or nearly so. For a facelet string the solution must be found as well, which takes
up to ten times longer.

Examples:
  facelet certify "R U R' U'"
  facelet certify "R U R' U'" mode=quick
  echo "R U R' U'" | facelet certify
  facelet certify input=scrambles.txt output=proofs.jsonl claims=true table=small
  facelet certify input=scrambles.txt output=proofs.jsonl table=large workers=2
"""

from __future__ import annotations

from facelet.pipeline.cube.settings import CertifySettings as Settings

__all__ = ["Settings", "help_placeholders", "run"]


def help_placeholders() -> dict[str, int]:
    """Return the length that the help names."""
    from facelet.pipeline.cube.certify_input import SHORT

    return {"SHORT": SHORT}


def run(settings: Settings) -> int:
    """Answer every line; 0 if all were proven, 1 if not.

    Raises:
        ValueError: keys do not go together, or a file cannot be opened.
    """
    from facelet.pipeline.cube.line_certifier import answer_all

    return 1 if answer_all(settings) else 0
