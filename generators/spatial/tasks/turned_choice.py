"""Turned, a choice: which of four solids of unit cubes is the first one, turned?

The options are a solid, its mirror image, a mate of it with the same silhouettes, contacts and
numbers of neighbours, and the mirror image of the mate. Any of the four may be the first one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from facelet.generators.core.params import param
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Reject
from facelet.generators.options.letter_placement import LETTERS, place_options
from facelet.generators.spatial import polycubes, solid_text
from facelet.generators.spatial.polycubes import MIRROR, ROTATIONS, Solid
from facelet.generators.spatial.spatial_task import ChoiceTask, Shown, SpatialParams
from facelet.generators.spatial.voxel_view import shows_every_cube
from facelet.renderers.scenes.voxels import VoxelSheet


@dataclass(frozen=True, slots=True)
class Params(SpatialParams):
    """The difficulty."""

    cubes: int = param(7, "cubes of the solid", low=6, high=8, axis="cubes", tried=(6, 8))


@dataclass(frozen=True, slots=True)
class TurnedOptions:
    """A solid, and four others, one of which is the same one."""

    solid: str = column("cells of the solid, as digits x, y, z", role="puzzle")
    options: tuple[str, ...] = column("the four solids, in the same form", role="options")
    modality: str = column("how the solids are shown: picture or text")
    letter: str = column("the letter of the solid that is the same one", role="answer")


class TurnedChoice(ChoiceTask[Params, TurnedOptions]):
    """The task; see the module."""

    name: ClassVar[str] = "spatial/turned_choice"
    version: ClassVar[int] = 1
    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[TurnedOptions]] = TurnedOptions

    def generate(self, params: Params, draw: Draw, resource: Any) -> tuple[TurnedOptions]:
        """Return a pair of mates, their mirror images, and one of the four once more."""
        mates = polycubes.list_mates(params.cubes)
        pair = mates[int(draw.rng.integers(len(mates)))]
        orbit = [*pair, *(polycubes.rotate_solid(solid, MIRROR) for solid in pair)]
        right, *wrong = (orbit[place] for place in draw.rng.permutation(len(orbit)))
        shown = _show_solid(right, draw)
        drawn = [_show_solid(solid, draw) for solid in (right, *wrong)]
        if drawn[0] == shown:
            raise Reject("the right option is not turned")
        options, letter = place_options(drawn[0], drawn[1:], draw)
        return (TurnedOptions(shown, options, params.modality, letter),)

    def describe_puzzle(self, instance: TurnedOptions) -> Shown:
        """Return the solid and its options."""
        rules = f"{solid_text.describe_solids(instance.modality, instance.solid)} {_QUESTION}"
        solids = {"Solid": instance.solid, **dict(zip(LETTERS, instance.options, strict=True))}
        if instance.modality == "text":
            return (f"{rules}\n\n{solid_text.list_cells(solids)}",)
        return (VoxelSheet((*solids.values(),), (*solids,)), rules)

    def list_right_letters(self, instance: TurnedOptions) -> str:
        """Return the letters of the options that a rotation carries to the solid."""
        home = polycubes.canonical_solid(polycubes.parse_solid(instance.solid))
        return "".join(
            letter
            for letter, option in zip(LETTERS, instance.options, strict=True)
            if polycubes.canonical_solid(polycubes.parse_solid(option)) == home
        )

    def list_picture_faults(self, instance: TurnedOptions) -> list[str]:
        """Return which picture hides a cube."""
        named = zip(LETTERS, instance.options, strict=True)
        return solid_text.list_hidden_faults({"the solid": instance.solid, **dict(named)})


def _show_solid(solid: Solid, draw: Draw) -> str:
    """Return a solid in a random orientation that shows every cube."""
    for place in draw.rng.permutation(len(ROTATIONS)):
        turned = polycubes.rotate_solid(solid, ROTATIONS[place])
        if shows_every_cube(turned):
            return polycubes.format_solid(turned)
    raise Reject("each orientation hides a cube")


_QUESTION = (
    "Exactly one of the solids A to D is the first solid, turned as a whole in space. The others "
    "are different solids; a mirror image is a different solid. Which one is it?"
)

TASK = TurnedChoice()
