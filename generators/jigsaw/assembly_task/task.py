"""Base of the two assembly tasks, which differ in the defaults of their params.

Both cover the whole grid between the paper's two settings: 1 to 6 missing pieces, with or without
flips, pictures or arrays (MARBLE, 2.2 and 3.2, F.4.1). Two cells of one task that differ only in
flips, modality or feedback draw the same hulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Reject, Task
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.assembly_task import instances, prompts
from facelet.generators.jigsaw.assembly_task.episode import MEASURES, AssemblyEpisode
from facelet.generators.jigsaw.assembly_task.instances import Instance, Params
from facelet.generators.jigsaw.assembly_task.replies import format_lines
from facelet.generators.jigsaw.geometry import piece_dealer
from facelet.generators.jigsaw.geometry.cube_surface import FACES


def draw_instance(params: Params, draw: Draw) -> Instance:
    """Return a random instance.

    Raises:
        Reject: two pieces are twins, or the assembly is not unique.
    """
    rng = draw.rng
    pieces, solution = piece_dealer.shuffle_pieces(
        rng, piece_dealer.draw_pieces(rng, params.loose_corners), params.flips
    )
    order = rng.permutation(len(FACES)).tolist()
    given = tuple((index, solution[index]) for index in sorted(order[params.missing :]))
    if not params.twins and not piece_dealer.are_distinct(pieces, params.flips):
        raise Reject("two pieces are equal under the allowed moves")
    assemblies = len(solver.find_assemblies(pieces, params.flips, dict(given)))
    distinct = solver.count_distinct(assemblies, pieces, params.flips, dict(given))
    if params.unique and distinct != 1:
        raise Reject(f"there are {distinct} assemblies")
    pictured = params.modality == "images"
    return Instance(
        pieces=pieces,
        flips=params.flips,
        given=given,
        solution=solution,
        assemblies=assemblies,
        modality=params.modality,
        views=tuple(piece_dealer.draw_view(rng) for _ in FACES) if pictured else (),
        feedback=params.feedback,
        rounds=1 if params.feedback == "none" else params.rounds,
    )


class AssemblyTask(Task[Params, Instance]):
    """Base of the two tasks; they add their name and their params.

    An answer is right when it closes the cube, however the cube is held, even when that moves the
    given pieces along; turning pieces over where that is not allowed is illegal.
    """

    name: ClassVar[str]
    version: ClassVar[int] = 2
    params: ClassVar[type[Params]]
    columns: ClassVar[tuple[Column, ...]] = instances.COLUMNS
    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "",
            "a cube has one assembly, up to the symmetry of single pieces",
            "the chance of a guess is then known, and closeness is fair",
            "unique=false",
        ),
        Deviation(
            "equal pieces may occur",
            "no two pieces of a cube are equal",
            "they could change places",
            "twins=true",
        ),
        Deviation(
            "corner cells are dealt at random",
            "a corner touches its piece by an edge",
            "pieces stay in one part",
            "loose_corners=true",
        ),
    )

    def chance_level(self, params: Params) -> Chance:
        """Return that each row has its own chance."""
        return ChanceFromRows()

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[Instance, ...]:
        """Return one instance."""
        return (draw_instance(params, draw),)

    def open(self, instance: Instance) -> AssemblyEpisode:
        """Return the episode, of one round or several."""
        return AssemblyEpisode(instance)

    def gold_answer(self, instance: Instance) -> str:
        """Return the reference, six lines."""
        return format_lines(instance.solution)

    def group_key(self, instance: Instance) -> str:
        """Return the pieces up to order and allowed moves."""
        return instance.canonical_key

    def reference(self, instance: Instance) -> list[str]:
        """Return the reference in the requested format."""
        return [prompts.reference_reply(instance)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about the reference or the number of assemblies."""
        return instances.find_instance_faults(instance)

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return instances.encode_instance(instance)

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance that a row holds."""
        return instances.decode_instance(row)
