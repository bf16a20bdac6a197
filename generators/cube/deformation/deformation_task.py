"""Deformation questions about cubes: their world and the base of their tasks (Inf-Bench).

States are facelet strings of any of the 24 ways to hold the cube: rotations of slices and of the
whole cube move the centres. The paper speaks of 54 rotations and lists 45: 18 of faces, 18 of two
layers, 9 of middle layers. Here the 9 turns of the whole cube (x, y, z) are the rest. Colours are
the paper's: U yellow, D white, L red, R orange, F green, B blue in the solved cube; a state is six
faces of three rows.

The paper's prompts give no rules of the cube. Here they explain how each kind of rotation turns, in
which direction the middle layers do, and how faces, codes and pictures are read, as notation alone
does not.

The paper does not say what the start is: `start="scrambled"` carries out 25 random rotations,
`start="solved"` starts from the solved cube, held in any way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter, ne
from typing import Any, ClassVar, Literal

from facelet.generators.core.deviations import Deviation
from facelet.generators.core.params import param
from facelet.generators.core.replies.written import Grammar
from facelet.generators.core.row_schema import column, nest_record
from facelet.generators.cube.engine import symmetry
from facelet.generators.cube.engine.cubies import check_legality
from facelet.generators.cube.engine.facelet_codecs import SCHEMES
from facelet.generators.cube.engine.moves import (
    ALL_MOVES,
    MOVE_INDEX,
    PERMUTATIONS,
    apply_maneuver,
    turn_upright,
)
from facelet.generators.cube.engine.notation import FACES, SOLVED, IllegalCube, parse_maneuver
from facelet.generators.options.deformation.deformation_task import (
    Deformation,
    DeformationParams,
    Setting,
    WrittenAnswers,
)
from facelet.generators.options.deformation.question_sampler import draw_designed
from facelet.generators.options.deformation.questions import Question
from facelet.generators.options.deformation.world_protocol import (
    Dice,
    Direction,
    FourLists,
    Step,
    World,
)
from facelet.renderers.scenes.cube import CubePairs

CODES = (
    "A cube is given as its six faces, Up (U), Down (D), Left (L), Right (R), Front (F) and "
    "Back (B), each as three rows of three colors (y yellow, w white, r red, o orange, g "
    "green, b blue). Each face is written as seen by someone who looks straight at it: F, R, "
    "B and L with U at the top, U with B at the top, D with F at the top."
)
CODING = (
    "A code is one line: the six faces Up (U), Down (D), Left (L), Right (R), Front (F) and Back "
    "(B) in this order, each its letter, a colon and three rows of three colors with slashes "
    "between, with commas between the faces: U:yyy/yyy/yyy,D:www/www/www,L:rrr/rrr/rrr and so on "
    "(y yellow, w white, r red, o orange, g green, b blue). Each face is written as seen by "
    "someone who looks straight at it: F, R, B and L with U at the top, U with B at the top, D "
    "with F at the top."
)
PICTURES = (
    "A picture shows each cube twice, so that all six faces are seen: on the left with Up (U)"
    " on top, Front (F) in front and Right (R) on the right; on the right the same cube "
    "turned over, with Down (D) on top, Left (L) in front and Back (B) on the right."
)

RULES = (
    (
        "Rotations are written in the usual notation (R, R', R2, r, M, x and so on) and carried "
        "out from left to right."
    ),
    (
        "Rotations, carried out from left to right:\n"
        "- U, D, L, R, F, B turn that face by 90 degrees, clockwise for someone who looks "
        "straight at it; u, d, l, r, f, b turn the same way, with the layer next to it.\n"
        "- M turns the layer between Left and Right, in the direction of L; E that between Up and"
        " Down, in the direction of D; S that between Front and Back, in the direction of F.\n"
        "- x, y, z turn the whole cube in the direction of R, U and F.\n"
        "- An apostrophe turns the other way (R'), a 2 by 180 degrees (R2)."
    ),
    (
        "Rotations, carried out from left to right. The names U, D, L, R, F, B stay with the "
        "sides of space, whatever color comes to be there:\n"
        "- U, D, L, R, F, B turn that face by 90 degrees, clockwise for someone who looks "
        "straight at it. The nine colors of the face go round with it, and a row of three goes "
        "from each of its four neighbours to the next: U: F to L to B to R to F. D: F to R to B "
        "to L to F. R: F to U to B to D to F. L: F to D to B to U to F. F: U to R to D to L to U."
        " B: U to L to D to R to U.\n"
        "- u, d, l, r, f, b turn that face and the layer next to it together, the same way: r "
        "moves the right and the middle layer, and the left one stays.\n"
        "- M turns only the layer between Left and Right, in the direction of L (F to D to B to U"
        " to F); E only that between Up and Down, in the direction of D (F to R to B to L to F); "
        "S only that between Front and Back, in the direction of F (U to R to D to L to U). The "
        "centers of four faces move with it.\n"
        "- x turns the whole cube in the direction of R, y in that of U, z in that of F: all "
        "faces move, and the two at the ends of the axis turn in place.\n"
        "- An apostrophe turns the other way by 90 degrees (R'), a 2 turns by 180 degrees (R2)."
    ),
)
"""The least that will do, the usual, all details."""


Start = Literal["scrambled", "solved"]

SCHEME = SCHEMES["inf_bench"]
LETTERS = "".join(SCHEME.letters[face] for face in FACES)
ORDER = "UDLRFB"
"""Faces in the order of the paper's text."""
SCRAMBLE = 25
VIEW = 234
"""Edge of a view in pixels: four and a half stickers of 52."""
SMALL = 26
"""Edge of a sticker in pictures that explain."""

_TO_COLOURS = str.maketrans(FACES, LETTERS)
_TO_FACES = str.maketrans(LETTERS, FACES)
_SOURCES: tuple[bytes, ...] = tuple(row.tobytes() for row in PERMUTATIONS)
_RULES = b"".join(_SOURCES)
_STEPS: dict[str, Step] = {word: (0, number) for word, number in MOVE_INDEX.items()}
_SOLVED = SOLVED.encode()


@dataclass(frozen=True, slots=True)
class Cubes:
    """The rules that hold."""

    item_noun: ClassVar[str] = "cube"
    code_description: ClassVar[str] = CODING
    cube_start: Start = column("whether cubes start scrambled or solved")

    def draw_start(self, dice: Dice) -> bytes:
        """Return a start state."""
        state = _SOLVED
        if self.cube_start == "scrambled":
            below, most = dice.below, len(ALL_MOVES)
            for _ in range(SCRAMBLE):
                state = _SOURCES[below(most)].translate(state.ljust(256))
        return state

    def draw_step(self, dice: Dice) -> Step:
        """Return a rotation."""
        return 0, dice.below(len(ALL_MOVES))

    def apply_step(self, state: bytes, step: Step) -> bytes:
        """Return the state after a rotation."""
        # bytes.translate maps each source index through a table: here the table is the state.
        return _SOURCES[step[1]].translate(state.ljust(256))

    def is_offered(self, before: bytes, after: bytes) -> bool:
        """Return True: no rotation leaves a cube as it is."""
        return True

    def follow_steps(self, start: bytes, steps: Sequence[Step]) -> list[bytes]:
        """Return the cubes from a start to what rotations lead to, one more than there are."""
        return list(accumulate(steps, self.apply_step, initial=start))

    def live_steps(self, states: Sequence[bytes], steps: Sequence[Step]) -> tuple[bool, ...]:
        """Return of each rotation whether the list would lead elsewhere without it."""
        # As all can be undone, that is whether the cube looks the same after it.
        return tuple(map(ne, states, states[1:]))

    def draw_four(self, level: int, dice: Dice, start: bytes) -> FourLists[bytes]:
        """Return four lists of operations by design.

        Args:
            level: number of operations.
            dice: the randomness.
            start: the start.

        Raises:
            Reject: none were found.
        """
        return draw_designed(level, dice, start, package=__package__, rules=_RULES, packed=start)

    def write_state(self, state: bytes) -> str:
        """Return the six faces, rows between slashes, as in "U:yyy/yyy/yyy,D:www/www/www,..."."""
        colours = state.decode().translate(_TO_COLOURS)
        return _CODE.format(*_IN_ORDER(colours))

    def read(self, code: str) -> bytes:
        """Return the state of a code, in whatever order its faces are and however lines are cut.

        Raises:
            ValueError: it is no code.
        """
        if written := _WRITTEN.fullmatch(code):
            return "".join(_IN_FACES(written.groups())).translate(_TO_FACES).encode()
        parts = _SPELLED.findall(code) if re.fullmatch(_CODED, code) else ()
        faces = {(face or name[0]).upper(): row for name, face, row in parts}
        stickers = _STICKER.findall("".join(faces.get(face, "") for face in FACES))
        if len(stickers) != len(SOLVED):
            raise ValueError(
                f"{code!r:.120} is no cube; give six faces, U:yyy/yyy/yyy,D:..., each three rows "
                f"of three of {LETTERS}"
            )
        return "".join(stickers).translate(_TO_FACES).encode()

    def check_lawful(self, state: bytes) -> None:
        """Raise ValueError if no turning of a solved cube can look like this."""
        try:
            check_legality(turn_upright(state.decode())[0])
        except IllegalCube as error:
            raise ValueError(f"no cube looks like {self.write_state(state)!r}: {error}") from None

    def write_steps(self, steps: Sequence[Step]) -> str:
        """Return rotations as text."""
        return " ".join([ALL_MOVES[move] for _, move in steps])

    def read_steps(self, text: str) -> list[Step]:
        """Return the rotations of a text; raise ValueError if one is none."""
        try:
            return [_STEPS[word] for word in text.split(" ")]
        except KeyError as error:
            raise ValueError(
                f"{error.args[0]!r:.80} is no rotation; there are {' '.join(ALL_MOVES)}"
            ) from None

    def canonical_code(self, state: bytes) -> str:
        """Return the least state that symmetry makes of this one, held upright."""
        return _canonical_state(state.decode())

    def align_states(self, states: Sequence[bytes]) -> list[list[str]]:
        """Return the states, held and moved alike, wherever that makes the first the least."""
        turns = turn_upright(states[0].decode())[1]
        turned = [apply_maneuver(state.decode(), turns) for state in states]
        least, number = symmetry.canonical_image(turned[0])
        images = [symmetry.transform_state(state, number) for state in turned]
        return [
            [symmetry.transform_state(state, other) for state in images]
            for other in symmetry.find_stabilizer(least)
        ]

    def count_differences(self, one: bytes, other: bytes) -> int:
        """Return the number of stickers in which two states differ."""
        return sum(map(ne, one, other))

    def place_count(self, one: bytes, other: bytes) -> int:
        """Return the number of stickers."""
        return len(one)

    def state_parts(self, state: bytes) -> Sequence[int]:
        """Return the stickers."""
        return state

    def format_state(self, state: bytes) -> str:
        """Return the six faces as matrices, one a line."""
        colours = state.decode().translate(_TO_COLOURS)
        return _SHOWN.format(*_IN_ORDER(colours))

    def build_scene(
        self, states: Sequence[bytes], labels: Sequence[str], *, letters: bool, size: int = 0
    ) -> CubePairs:
        """Return a picture of cubes.

        Args:
            states: the cubes.
            labels: the text above each.
            letters: whether each sticker carries the letter of its colour.
            size: edge of a view in pixels, where at most four are shown; 0 for the usual.
        """
        several = len(states) > 4
        return CubePairs(
            tuple(state.decode() for state in states),
            tuple(labels),
            colours=SCHEME.rgb,
            letters=LETTERS if letters else "",
            columns=4 if several else 2,
            cell=SMALL if several else 2 * round((size or VIEW) / 9),
        )

    def rules_text(self, level: int) -> str:
        """Return what the prompts say of rotations."""
        return RULES[level]

    def lesson_steps(self) -> list[tuple[bytes, Step, str]]:
        """Return the quarter turn of each letter, from the solved cube."""
        return [
            (_SOLVED, (0, number), name) for number, name in enumerate(ALL_MOVES) if len(name) == 1
        ]

    def _spell(self, text: str) -> str:
        return self.write_state(self.read(_CAPITALS.sub(lambda found: found[0].lower(), text)))

    def grammar(self, direction: Direction) -> Grammar:
        """Return how a code or a list of rotations is written in a reply."""
        if direction == "forward":
            return Grammar(_CODED, self._spell, _PART, _PART, opening=_FACE_OPENING)
        return Grammar(_MOVE, _list, _SURE, _LETTER, opening=_MOVE_OPENING, several=True)

    def reading_description(self, *, pictures: bool) -> str:
        """Return how cubes are to be read."""
        return PICTURES if pictures else CODES

    def explain_step(self, before: bytes, step: Step, after: bytes) -> str:
        """Return one line of a chain of reasoning."""
        return f"{ALL_MOVES[step[1]]}: {self.write_state(after)}"


_STICKER = re.compile(f"[{LETTERS}]")
_NAMES = "up|down|left|right|front|back"
_FACE = (
    rf"(?i:(?<!\w)(?:(GROUP{_NAMES})(?: ?\([{FACES}]\))?|(GROUP[{FACES}]))(?: face)? ?[:|=] ?"
    rf"((?:[\s,/|;\[\]]{{0,4}}[{LETTERS}]){{9}})(?: ?\]){{0,3}})"
)
_CAPITALS = re.compile(r"[A-Z]+(?![A-Za-z]| ?[:(=|)])")
_SPELLED = re.compile(_FACE.replace("GROUP", ""))
_UNGROUPED = re.sub(r"\(GROUP", "(?:", _FACE).replace("((?:[", "(?:(?:[")
_CODED = rf"{_UNGROUPED}(?:[\s,;|\u2022-]{{1,6}}{_UNGROUPED}){{5}}(?![\w/])"
_PART = rf"[{FACES}] ?: ?[\[ ]{{0,3}}[{LETTERS}][,/ ]{{0,3}}[{LETTERS}]"
_LETTER = r"(?<![A-Za-z])(?<![A-Za-z]')[URFDLBurfdlbMESxyz](?![A-Za-z])"
_SURE = r"(?<![A-Za-z'])[URFDLBurfdlbMESxyz](?:[123']|w\b)|[URFDLB]:"
_MOVE = (
    r"(?<![\w'])(?:(?=[URFDLB][URFDLBurfdlbMESxyz]*[2'3])(?:[URFDLBurfdlbMESxyz](?:2'?|'[23]?|3)?){2,}"
    r"|(?:[URFDLB]w|[URFDLBurfdlbMESxyz])(?:[123]'?|'[123]?)?)(?![\w'])"
)
_FACE_OPENING = (
    rf"[{FACES}{FACES.lower()}](?<!\w.)"
    r"(?i:(?=[a-z]{0,4}(?: ?\([a-z]\))?(?: face)? ?[:|=]))"
)
_MOVE_OPENING = r"[URFDLBurfdlbMESxyz](?<![\w'].)(?![^URFDLBurfdlbMESxyzw0-9'\W])"
_IN_ORDER = itemgetter(*(9 * FACES.index(face) + place for face in ORDER for place in range(9)))
_IN_FACES = itemgetter(*(3 * ORDER.index(face) + row for face in FACES for row in range(3)))
_WRITTEN = re.compile(",".join(f"{face}:{'/'.join([f'([{LETTERS}]{{3}})'] * 3)}" for face in ORDER))
_CODE = ",".join(f"{face}:{'/'.join(['{}{}{}'] * 3)}" for face in ORDER)
_SHOWN = "\n".join(f"{face}: [{', '.join(['[{}, {}, {}]'] * 3)}]" for face in ORDER)


def _list(lines: str) -> str:
    """Return the list of rotations, one a line or some, however each is spelled."""
    words = (
        word if word in _STEPS else " ".join(parse_maneuver(word)) for word in lines.split("\n")
    )
    return " ".join(words)


@lru_cache(maxsize=1024)
def _canonical_state(state: str) -> str:
    return symmetry.canonical_image(turn_upright(state)[0])[0]


@dataclass(frozen=True, slots=True)
class Params(DeformationParams):
    """Knobs."""

    start: Start = param("scrambled", "whether cubes start scrambled, by 25 rotations, or solved")


@dataclass(frozen=True, slots=True)
class CubeInstance:
    """A question about a cube."""

    world: Cubes = nest_record(Cubes)
    question: Question = nest_record(Question)
    setting: Setting = nest_record(Setting)


class CubeDeformation(Deformation[Params, CubeInstance]):
    """Base of the tasks with options."""

    params: ClassVar[type[Params]] = Params
    instance: ClassVar[type[CubeInstance]] = CubeInstance
    shared_group: ClassVar[str] = "of short lists about a solved cube, symmetry makes many the same"
    deviations: ClassVar[tuple[Deviation, ...]] = (
        *Deformation.deviations,
        Deviation(
            "",
            "the 54 rotations are the 45 listed and nine turns of the whole cube",
            "the paper claims 54",
        ),
        Deviation(
            "",
            "the start is a cube scrambled by 25 rotations",
            "a solved start makes inverse questions easy",
            "start=solved",
        ),
    )

    def _params_world(self, params: Params) -> Cubes:
        return Cubes(params.start)

    def _one_start(self, world: World[Any]) -> bool:
        return isinstance(world, Cubes) and world.cube_start == "solved"


class CubeWriting(WrittenAnswers[Params, CubeInstance], CubeDeformation):
    """Base of the two tasks whose answers are written."""

    deviations: ClassVar[tuple[Deviation, ...]] = (
        *WrittenAnswers.deviations,
        *CubeDeformation.deviations[len(Deformation.deviations) :],
    )
