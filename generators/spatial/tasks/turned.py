"""Turned: by which quarter turns does one solid of unit cubes become the other?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.chance_level import Chance, ExactChance
from facelet.generators.core.params import param
from facelet.generators.core.replies.command import CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.spatial import polycubes, solid_text
from facelet.generators.spatial.polycubes import IDENTITY, ROTATIONS
from facelet.generators.spatial.spatial_task import Arguments, Shown, SpatialParams, WrittenTask
from facelet.generators.spatial.voxel_view import shows_every_cube
from facelet.renderers.scenes.voxels import VoxelSheet

_TURNED = tuple(rotation for rotation in ROTATIONS if rotation != IDENTITY)


@dataclass(frozen=True, slots=True)
class Params(SpatialParams):
    """The difficulty."""

    cubes: int = param(6, "cubes of the solid", low=5, high=8, axis="cubes", tried=(5, 8))


@dataclass(frozen=True, slots=True)
class TurnedPair:
    """A solid before and after a rotation."""

    before: str = column("cells of the solid before the turns, as digits x, y, z", role="puzzle")
    after: str = column("cells of the solid after the turns, as digits x, y, z", role="puzzle")
    modality: str = column("how the solids are shown: picture or text")
    turns: int = column("fewest quarter turns about any axes that carry it over", type="int8")
    answer: str = column("right numbers of quarter turns about X, then Y, then Z", role="answer")


class Turned(WrittenTask[Params, TurnedPair]):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/turned"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[TurnedPair]] = TurnedPair
    form: ClassVar[CommandForm] = CommandForm(
        "turns", "My Turns: {int}, {int}, {int}", "My Turns: a, b, c"
    )

    def capacity(self, params: Params) -> int:
        """Return a lower bound: each solid appears in some orientation after each rotation."""
        return len(_TURNED) * len(polycubes.list_asymmetric(params.cubes))

    def chance_level(self, params: Params) -> Chance:
        """Return that one of the 23 rotations is right, and all are dealt evenly."""
        return ExactChance(1 / len(_TURNED))

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[TurnedPair]:
        """Return an asymmetric solid in two orientations that show every cube."""
        solids = polycubes.list_asymmetric(params.cubes)
        rotation = _TURNED[draw.deal_card("rotation", range(len(_TURNED)))]
        solid, start = draw.rng.integers((len(solids), len(ROTATIONS))).tolist()
        before = polycubes.rotate_solid(solids[solid], ROTATIONS[start])
        after = polycubes.rotate_solid(before, rotation)
        if not (shows_every_cube(before) and shows_every_cube(after)):
            raise Reject("a cube is hidden")
        counts = ", ".join(map(str, polycubes.fewest_counts()[rotation]))
        turns = polycubes.count_quarter_turns(rotation)
        return (
            TurnedPair(
                polycubes.format_solid(before),
                polycubes.format_solid(after),
                params.modality,
                turns,
                counts,
            ),
        )

    def describe_puzzle(self, instance: TurnedPair) -> Shown:
        """Return the two solids."""
        rules = solid_text.describe_solids(instance.modality, instance.before) + _TURNS
        solids = {"Before": instance.before, "After": instance.after}
        if instance.modality == "text":
            return (f"{rules}\n\n{solid_text.list_cells(solids)}",)
        return (VoxelSheet((*solids.values(),), (*solids,), columns=2, scale=4, axes=True), rules)

    def describe_reply(self, instance: TurnedPair) -> str:
        """Return the form of the answer."""
        return (
            "Carry Before to After by a quarter turns about X, then b about Y, then c about Z. "
            "Each of a, b and c is 0, 1, 2 or 3; any right ones count. Write them in the last "
            "line as\n" + self.form.show_form()
        )

    def simulate_answer(self, instance: TurnedPair, args: Arguments) -> str:
        """Return the solid after the turns."""
        counts = [int(str(count)) for count in args]
        if not set(counts) <= set(range(4)):
            raise ValueError(f"the numbers of turns are {counts}; each is 0, 1, 2 or 3")
        solid = polycubes.parse_solid(instance.before)
        return polycubes.format_solid(
            polycubes.rotate_solid(solid, polycubes.compose_turns(counts))
        )

    def describe_goal(self, instance: TurnedPair) -> str:
        """Return the solid that the turns should lead to."""
        return instance.after

    def list_picture_faults(self, instance: TurnedPair) -> list[str]:
        """Return which picture hides a cube."""
        return solid_text.list_hidden_faults({"before": instance.before, "after": instance.after})


_TURNS = (
    " After is the same solid as Before, turned. A quarter turn about an axis turns the whole "
    "solid by 90 degrees, counterclockwise as you see it when the arrow of the axis points at "
    "you. The axes stay where they are. Only the orientation matters, not the place."
)

TASK = Turned()
