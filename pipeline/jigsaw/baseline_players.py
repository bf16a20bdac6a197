"""Partial-view players of jigsaw cubes: edges without corners, or pieces without taking back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from facelet.generators.core.prompts import Prompt
from facelet.generators.jigsaw.assemblies.solver import (
    HOME,
    ORDER,
    Assembly,
    find_assemblies,
    list_settled_cells,
)
from facelet.generators.jigsaw.assembly_task.instances import Instance
from facelet.generators.jigsaw.assembly_task.replies import OPENING, format_lines
from facelet.generators.jigsaw.assembly_task.task import AssemblyTask
from facelet.generators.jigsaw.geometry.cube_surface import (
    ALL,
    CORNERS,
    Placement,
    list_filled_cells,
)
from facelet.generators.jigsaw.geometry.pieces import (
    ORIENTATIONS,
    list_allowed_orientations,
    orient_piece,
)
from facelet.pipeline.audit.baseline_players import PartialViewPlayer
from facelet.pipeline.family_modules import AnyTask

_EDGES = ALL & ~sum(1 << corner for corner in CORNERS)


def shortcuts(task: AnyTask) -> Mapping[str, PartialViewPlayer]:
    """Return the players that do a part, by name."""
    if not isinstance(task, AssemblyTask):
        return {}
    return {
        "edges": PartialViewPlayer(
            "the inner cells of edges, not the corners", _answer_player(_fit_edges)
        ),
        "never_back": PartialViewPlayer(
            "what lies there already, and takes no piece back", _answer_player(_fit_greedily)
        ),
    }


def no_shortcut(task: AnyTask) -> str:
    """Return why a task has no player that does a part."""
    return "every cell of the piece is asked for, and who sees a part of them gets that part"


Place = Callable[[Instance, np.random.Generator], Assembly]


def _answer_player(place: Place) -> Callable[[Any, np.random.Generator], Callable[[Prompt], str]]:
    def begin_play(puzzle: Instance, rng: np.random.Generator) -> Callable[[Prompt], str]:
        return lambda prompt: f"{OPENING}\n{format_lines(place(puzzle, rng))}"

    return begin_play


def _fit_edges(puzzle: Instance, rng: np.random.Generator) -> Assembly:
    """Return one of the assemblies whose edges fit, whatever their corners do."""
    found = find_assemblies(puzzle.pieces, puzzle.flips, dict(puzzle.given), _EDGES)
    return found[int(rng.integers(len(found)))]


def _fit_greedily(puzzle: Instance, rng: np.random.Generator) -> Assembly:
    """Lay a piece that fits on each face in turn; where none does, any piece."""
    placed = dict(puzzle.given or ((0, HOME),))
    taken = {place.face for place in placed.values()}
    occupied = 0
    for index, (face, left, top) in placed.items():
        occupied |= list_filled_cells(
            face, orient_piece(puzzle.pieces[index], ORIENTATIONS.index((left, top)))
        )
    open_faces = tuple(face for face in ORDER if face not in taken)
    needed = list_settled_cells(open_faces)
    for face, cells in zip(open_faces, needed[1:], strict=True):
        choices = [
            (index, code, list_filled_cells(face, orient_piece(piece, code)))
            for index, piece in enumerate(puzzle.pieces)
            if index not in placed
            for code in list_allowed_orientations(puzzle.flips)
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
