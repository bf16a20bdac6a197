"""Names of the authors' items: which game of ours, and which level, a line of their files is of.

Both are told by the line (`title`, `difficulty`), else by the names of its file and folders, in any
spelling: AttendanceCheck, attendance_check and attendance-check are one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from facelet.pipeline.importing.item_lines import ItemLine

LEVELS = {"easy": 1, "medium": 2, "hard": 3}

GAMES = {
    "AssiutChess": "assiut_chess",
    "AttendanceCheck": "attendance_check",
    "BeeChase": "bee_chase",
    "BitCompare": "bit_compare",
    "BitGuessing": "binary_number_guessing",
    "BitQuery": "bit_query",
    "CactusSearch": "cactus_search",
    "ChemicalSynthesis": "chemical_synthesis",
    "CircleFinding": "circle_finding",
    "ColorMagic": "color_magic",
    "DarkMaze": "dark_maze_exploration",
    "FindBiggest": "finding_biggest",
    "FindHidden": "hidden_number_finding",
    "FindTheImpostors": "find_the_impostors",
    "GeoGame": "geometric_distance",
    "GridColoring": "grid_coloring",
    "GridGame": "grid_game",
    "GuessMax": "guess_max",
    "KnightBattle": "knight_battle",
    "LegendaryTree": "tree_discovery",
    "ListQuery": "linked_list_query",
    "MagneticField": "magnetic_field_exploration",
    "MahjongDetective": "mahjong_detective",
    "MedianQuery": "median_query",
    "MimicHunt": "mimic_hunting",
    "MinMax": "min_max",
    "PaperNumber": "paper_numbering",
    "PermutationDiscovery": "permutation_discovery",
    "PizzaSlice": "pizza_slicing",
    "RainbowCandy": "rainbow_candy_factory",
    "RotaryLock": "rotary_laser_lock",
    "RPD": "password_breaking",
    "SafepathFinder": "safepath_finding",
    "TrainPursuit": "train_pursuit",
    "TreasureHunt": "treasure_hunt",
    "VladikMaze": "maze_navigation",
    "Wordle": "word_guessing",
    "XORBreaking": "xor_breaking",
    "ZeroFinding": "zero_finding",
    "ZigzagGraph": "zigzag_graph",
}
"""Our games by the authors' names."""


def find_game(line: ItemLine) -> str:
    """Return the game of ours that a line is of.

    Raises:
        ValueError: neither file nor line names one.
    """
    for part in _iterate_name_parts(line, "title"):
        if part in _GAMES:
            return _GAMES[part]
    raise ValueError("neither its file nor its title names a game; name the file as its authors do")


def find_level(line: ItemLine) -> int:
    """Return the level that a line is of, from 1.

    Raises:
        ValueError: neither file nor line names one.
    """
    for part in _iterate_name_parts(line, "difficulty"):
        if part in LEVELS:
            return LEVELS[part]
    raise ValueError(f"neither its file nor its difficulty is one of {', '.join(LEVELS)}")


def _iterate_name_parts(line: ItemLine, name: str) -> Iterator[str]:
    """Yield what may name it: a value of the line, the file and the folders, whole and in parts."""
    said = (line.values or {}).get(name)
    if isinstance(said, str):
        yield _normalize_name(said)
    for part in reversed(line.file.removesuffix(".jsonl").split("/")):
        yield _normalize_name(part)
        yield _normalize_name(
            re.sub(rf"[_-](?:{'|'.join(LEVELS)})$", "", part, flags=re.IGNORECASE)
        )
        yield from map(_normalize_name, re.split(r"[_.-]", part))


def _normalize_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_GAMES = {
    _normalize_name(spelled): game
    for pair in GAMES.items()
    for spelled in pair
    for game in pair[1:]
}
