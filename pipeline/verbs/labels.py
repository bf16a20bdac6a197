"""Write millions of cube states with exact distances, as Parquet.

Writes states of the cube with their exact distances from solved, in half turns, far more of them
than could be certified one by one: for learning a distance, or for testing one. Each file contains

  facelets   54 letters in URFDLB order
  distance   half turns from solved, exact
  coset      number of the coset in which the state was found
  code       number of the state in its coset: coset and code together name it
  weight     number of states of the coset at this distance that the label represents
  solution   an optimal maneuver that solves it (with solutions=true)

States are found by coset: one of 2,217,093,120 sets of 19,508,428,800 states each. One search finds
all states of a coset within 15, 16 or 17 moves. Up to 15 it takes half a minute of a processor and
3 GB of memory, up to 16 four minutes and 5.5 GB, up to 17 forty minutes. All states of a distance
in every drawn coset are found, and `count` of them are drawn evenly, so that no state is there
because it was easy to find. States of one coset are similar (the same pieces are twisted and
flipped): take many cosets, or read in the card what the labels are worth. A coset has few states
near solved: at distance 11 and below there may be none.

Splits are folders. A state, its images under the 48 symmetries, and their inverses are all in one.

Repeat the command to resume a run that was stopped; the bytes are the same. A level that takes
longer than ten minutes is saved every ten minutes, which takes 2.5 GB of disk until its coset is
done.

Examples:
  facelet labels out=labels count=200000 depths=12-15 cosets=10
  facelet labels out=labels count=0 depths=16 cosets=1 facelets=false
  facelet labels out=solved count=1000 depths=13-15 cosets=100 solutions=true

Exit status: 0 done, 2 a bad word, a folder with something else in it, or too little memory.
"""

from __future__ import annotations

from facelet.pipeline.cube.labels.settings import LabelsSettings as Settings

__all__ = ["Settings", "run"]


def run(settings: Settings) -> int:
    """Write the labels and return the exit status.

    Raises:
        ValueError: a value will not do, or the folder holds something else.
    """
    from facelet.pipeline.cube.labels.label_maker import make_labels

    print(make_labels(settings).format_summary())
    return 0
