"""Players of jigsaw cubes that do a part of what is asked: edges without corners, or one try."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.assemblies.solver import HOME, ORDER, Assembly
from facelet.generators.jigsaw.assembling.instances import Instance
from facelet.generators.jigsaw.assembling.replies import OPENING, lines
from facelet.generators.jigsaw.assembling.task import Assembling
from facelet.generators.jigsaw.geometry.hull import ALL, CORNERS, Placement, filled
from facelet.generators.jigsaw.geometry.pieces import ORIENTATIONS, orientations, oriented
from facelet.pipeline.audit.policies import Looker
from facelet.pipeline.families import AnyTask

_EDGES = ALL & ~sum(1 << corner for corner in CORNERS)


def shortcuts(task: AnyTask) -> Mapping[str, Looker]:
    """Return the players that do a part, by name."""
    if not isinstance(task, Assembling):
        return {}
    return {
        "edges": Looker("the inner cells of edges, not the corners", _saying(_edges)),
        "never_back": Looker("what lies there already, and takes no piece back", _saying(_greedy)),
    }


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no player that does a part."""
    return "every cell of the piece is asked for, and who sees a part of them gets that part"


Place = Callable[[Instance, np.random.Generator], Assembly]


def _saying(place: Place) -> Callable[[Any, np.random.Generator], Callable[[Prompt], str]]:
    def begin(puzzle: Instance, rng: np.random.Generator) -> Callable[[Prompt], str]:
        return lambda prompt: f"{OPENING}\n{lines(place(puzzle, rng))}"

    return begin


def _edges(puzzle: Instance, rng: np.random.Generator) -> Assembly:
    """Return one of the assemblies whose edges fit, whatever their corners do."""
    found = solver.solve(puzzle.pieces, puzzle.flips, dict(puzzle.given), _EDGES)
    return found[int(rng.integers(len(found)))]


def _greedy(puzzle: Instance, rng: np.random.Generator) -> Assembly:
    """Lay a piece that fits on each face in turn; where none does, any piece."""
    placed = dict(puzzle.given or ((0, HOME),))
    taken = {place.face for place in placed.values()}
    occupied = 0
    for index, (face, left, top) in placed.items():
        occupied |= filled(face, oriented(puzzle.pieces[index], ORIENTATIONS.index((left, top))))
    open_faces = tuple(face for face in ORDER if face not in taken)
    needed = solver.settled(open_faces)
    for face, cells in zip(open_faces, needed[1:], strict=True):
        choices = [
            (index, code, filled(face, oriented(piece, code)))
            for index, piece in enumerate(puzzle.pieces)
            if index not in placed
            for code in orientations(puzzle.flips)
        ]
        fitting = [
            choice
            for choice in choices
            if not choice[2] & occupied and not cells & ~(occupied | choice[2])
        ]
        choices = fitting or choices
        index, code, covered = choices[int(rng.integers(len(choices)))]
        placed[index] = Placement(face, *ORIENTATIONS[code])
        occupied |= covered
    return tuple(placed[index] for index in range(len(puzzle.pieces)))
