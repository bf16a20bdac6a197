"""Write millions of cube states with exact distances, as Parquet.

Writes states of the cube with their exact distances from solved, in half turns, far more of them
than could be certified one by one: for learning a distance, or for testing one. Each file holds

  facelets   54 letters in URFDLB order
  distance   half turns from solved, exact
  coset      number of the coset that the state was found in
  code       number of the state in its coset: coset and code together name it
  weight     how many states of the coset at this distance the label stands for
  solution   an optimal maneuver that solves it (with solutions=true)

A state is found in a coset: one of 2,217,093,120 sets of 19,508,428,800 states each, of which one
search finds all that are within 15, 16 or 17 moves. To 15 that takes half a minute of a processor
and 3 GB of memory, to 16 four minutes and 5.5 GB, to 17 forty minutes. All states of a distance
are found in every coset that is drawn, and `count` of them are drawn evenly, so that none is there
because it was easy to find. States of one coset are alike (the same pieces are twisted and
flipped): take many cosets, or read in the card what the labels are worth. Near solved a coset has
few states: at 11 and less there may be none.

Splits are folders. A state, its images under the 48 symmetries, and their inverses are all in one.

A run that was stopped goes on when the same words are given again, to the same bytes. A level that
takes longer than ten minutes is kept every ten minutes: 2.5 GB of disk, until its coset is done.

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
