"""Read puzzles of jigsaw cubes: six pieces, whose assemblies are counted first.

A line contains six `pieces`, each five rows of 0 (gap) and 1 (bump), and optionally the `given`
ones: letters with face, left edge and top edge. Without them the task's usual number is drawn.
`assemblies` is the claimed number of distinct ones. Perception reads one `piece`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from facelet.generators.core.seeding import Draw
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.assemblies.validator import LETTERS
from facelet.generators.jigsaw.assembly_task.instances import Instance, Params
from facelet.generators.jigsaw.assembly_task.task import AssemblyTask
from facelet.generators.jigsaw.geometry.cube_surface import (
    FACES,
    Placement,
    are_distinct,
    draw_view,
)
from facelet.generators.jigsaw.geometry.pieces import BORDER, CODES, parse_piece
from facelet.generators.jigsaw.tasks import perception
from facelet.pipeline.family_modules import AnyTask
from facelet.pipeline.importing.imported_items import (
    ImportedItems,
    PuzzleLine,
    PuzzleRow,
    RuleError,
    import_each_puzzle,
)
from facelet.pipeline.importing.settings import ImportSettings
from facelet.pipeline.json_types import JSON

Values = Mapping[str, JSON]


def make(named: Sequence[PuzzleLine], task: AnyTask, settings: ImportSettings) -> ImportedItems:
    """Return the rows of puzzles.

    Args:
        named: the puzzles, each with its own id.
        task: the task whose rows they become.
        settings: the seed of cameras and given pieces.

    Raises:
        ValueError: the task reads no puzzles.
    """

    def make_assembled(values: Values, draw: Draw) -> PuzzleRow:
        usual = task.params()
        assert isinstance(usual, Params)
        return _assembly_item(values, task, usual, draw)

    def make_perceived(values: Values, draw: Draw) -> PuzzleRow:
        piece = _parse_piece(values.get("piece"))
        params = task.params(loose_corners=_has_loose_corner(piece))
        return params, perception.Instance(piece, draw_view(draw.rng))

    if isinstance(task, AssemblyTask):
        return import_each_puzzle(named, task, settings, make_assembled)
    if isinstance(task, perception.Perception):
        return import_each_puzzle(named, task, settings, make_perceived)
    raise ValueError(f"puzzles of {task.name} cannot be read; use a task such as jigsaw/assemble")


MAKE = make


def _assembly_item(values: Values, task: AnyTask, usual: Params, draw: Draw) -> PuzzleRow:
    said = values.get("pieces")
    pieces = tuple(_parse_piece(one) for one in said) if isinstance(said, list) else ()
    if len(pieces) != len(FACES):
        raise ValueError(f"it needs pieces: a list of {len(FACES)}")
    rng, flips = draw.rng, usual.flips
    given = _parse_given(values.get("given"))
    if not (found := solver.find_assemblies(pieces, flips, given or None)):
        raise RuleError("the pieces form no cube" + (" with the given placements" if given else ""))
    solution = found[int(rng.integers(len(found)))]
    if not given and usual.missing < len(FACES):
        order = rng.permutation(len(FACES)).tolist()
        given = {index: solution[index] for index in sorted(order[usual.missing :])}
        found = solver.find_assemblies(pieces, flips, given)
    distinct = solver.count_distinct(len(found), pieces, flips, given)
    if (claimed := values.get("assemblies")) is not None and claimed != distinct:
        raise RuleError(f"it claims {claimed!r} assemblies and has {distinct}")
    params = task.params(
        missing=len(FACES) - len(given),
        unique=distinct == 1,
        twins=not are_distinct(pieces, flips),
        loose_corners=any(map(_has_loose_corner, pieces)),
    )
    pictured = params.modality == "images"
    return params, Instance(
        pieces=pieces,
        flips=flips,
        given=tuple(sorted(given.items())),
        solution=solution,
        assemblies=len(found),
        modality=params.modality,
        views=tuple(draw_view(rng) for _ in FACES) if pictured else (),
        feedback=params.feedback,
        rounds=1 if params.feedback == "none" else params.rounds,
    )


def _parse_piece(said: JSON) -> int:
    """Return a piece: five rows joined by /, or a list of rows, of texts or of numbers."""
    rows = said.split("/") if isinstance(said, str) else said
    if not isinstance(rows, list):
        raise ValueError(f"{str(said)[:60]!r} is no piece; use five rows of five 0 or 1")
    texts = ["".join(map(str, row)) if isinstance(row, list) else str(row) for row in rows]
    return parse_piece("/".join(texts))


def _has_loose_corner(piece: int) -> bool:
    """Return whether a corner cell touches its piece by a diagonal only."""
    bumps = [piece >> cell & 1 for cell in range(BORDER)]
    return any(
        bumps[corner] and not bumps[corner - 1] and not bumps[(corner + 1) % BORDER]
        for corner in range(0, BORDER, 4)
    )


def _parse_given(said: JSON) -> dict[int, Placement]:
    """Return the given placements by the number of their piece."""
    if said is None:
        return {}
    if not isinstance(said, dict) or len(said) >= len(FACES):
        raise ValueError(
            'given should be an object of fewer than six, such as {"A": ["Top", 1, 2]}'
        )
    found = {}
    for letter, where in said.items():
        face, left, top = where if isinstance(where, list) and len(where) == 3 else ("", 0, 0)
        if letter not in LETTERS or face not in FACES or (left, top) not in CODES:
            raise ValueError(
                f"given {letter!r}: {where!r} is no placement; it should be a face, one of "
                f"{', '.join(FACES)}, and two neighboring edges, 1 to 4"
            )
        found[LETTERS.index(letter)] = Placement(str(face), int(str(left)), int(str(top)))
    return dict(sorted(found.items()))
