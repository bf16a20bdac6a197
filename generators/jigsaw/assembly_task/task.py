"""Base of the two assembly tasks, which differ in the defaults of their params.

Both cover the whole grid between the paper's two settings: 1 to 6 missing pieces, with or without
flips, pictures or arrays (MARBLE, 2.2 and 3.2, F.4.1). Two cells of one task that differ only in
flips, modality or feedback draw the same hulls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, get_args

from facelet.generators.core.chance_level import Chance, ChanceFromRows
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Column, Reject, Task
from facelet.generators.jigsaw.assemblies import solver
from facelet.generators.jigsaw.assemblies.validator import (
    LETTERS,
    find_rule_breaches,
    is_closed_cube,
)
from facelet.generators.jigsaw.assembly_task import episode, instances
from facelet.generators.jigsaw.assembly_task.episode import MEASURES, AssemblyEpisode
from facelet.generators.jigsaw.assembly_task.instances import (
    Feedback,
    Instance,
    Modality,
    Params,
)
from facelet.generators.jigsaw.assembly_task.replies import (
    format_line,
    format_lines,
    format_placement,
    parse_label,
)
from facelet.generators.jigsaw.geometry.cube_surface import (
    FACES,
    Placement,
    are_distinct,
    draw_pieces,
    draw_view,
    shuffle_pieces,
)
from facelet.generators.jigsaw.geometry.pieces import format_piece, parse_piece


def draw_instance(params: Params, draw: Draw) -> Instance:
    """Return a random instance.

    Raises:
        Reject: two pieces are twins, or the assembly is not unique.
    """
    rng = draw.rng
    pieces, solution = shuffle_pieces(rng, draw_pieces(rng, params.loose_corners), params.flips)
    order = rng.permutation(len(FACES)).tolist()
    given = tuple((index, solution[index]) for index in sorted(order[params.missing :]))
    if not params.twins and not are_distinct(pieces, params.flips):
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
        views=tuple(draw_view(rng) for _ in FACES) if pictured else (),
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
        return [episode.reference_reply(instance)]

    def find_faults(self, instance: Instance) -> list[str]:
        """Return what is false about an instance; its assemblies are counted anew."""
        if len(instance.pieces) != len(FACES) or len(instance.solution) != len(FACES):
            return ["there are not six pieces with a placement each"]
        wrong = find_rule_breaches(instance.solution, instance.flips)
        if not wrong and not is_closed_cube(instance.pieces, instance.solution):
            wrong.append("the reference does not close the cube")
        indices = [index for index, _ in instance.given]
        if indices != sorted(set(indices)) or instance.missing_count < 1:
            wrong.append("the given pieces are not distinct, in order and fewer than six")
        if any(instance.solution[index] != place for index, place in instance.given):
            wrong.append("the reference moves a given piece")
        if not wrong:
            counted = len(
                solver.find_assemblies(instance.pieces, instance.flips, dict(instance.given))
            )
            if counted != instance.assemblies:
                wrong.append(f"there are {counted} assemblies, not {instance.assemblies}")
        if instance.modality not in get_args(Modality) or instance.feedback not in get_args(
            Feedback
        ):
            wrong.append(
                f"unknown modality {instance.modality!r} or feedback {instance.feedback!r}"
            )
        if len(instance.views) != (len(FACES) if instance.modality == "images" else 0):
            wrong.append("the number of views does not fit the modality")
        if (instance.feedback == "none") != (instance.rounds == 1):
            wrong.append("several rounds and feedback go together")
        return wrong

    def encode(self, instance: Instance) -> dict[str, Any]:
        """Return the typed columns."""
        return {
            "pieces": list(map(format_piece, instance.pieces)),
            "flips": instance.flips,
            "missing": instance.missing_count,
            "given": [format_line(LETTERS[index], place) for index, place in instance.given],
            "solution": list(map(format_placement, instance.solution)),
            "solutions": instance.assemblies,
            "distinct_solutions": instance.distinct_count,
            "search_space": instance.search_space,
            "chance": instance.guess_probability,
            "modality": instance.modality,
            "elevations": [elevation for elevation, _ in instance.views],
            "azimuths": [azimuth for _, azimuth in instance.views],
            "feedback": instance.feedback,
            "rounds": instance.rounds,
            "canonical": instance.canonical_key,
        }

    def decode(self, row: Mapping[str, Any]) -> Instance:
        """Return the instance of a row."""
        return Instance(
            pieces=tuple(map(parse_piece, row["pieces"])),
            flips=row["flips"],
            given=tuple(map(_parse_given, row["given"])),
            solution=tuple(map(parse_label, row["solution"])),
            assemblies=row["solutions"],
            modality=row["modality"],
            views=tuple(zip(row["elevations"], row["azimuths"], strict=True)),
            feedback=row["feedback"],
            rounds=row["rounds"],
        )


def _parse_given(text: str) -> tuple[int, Placement]:
    letter, place = text.split(": ")
    return LETTERS.index(letter), parse_label(place)
