"""Table of the readers of all games, and which game and level an item line is of.

The name of a line's file and folders, in any spelling, decides both: AttendanceCheck,
attendance_check and attendance-check are one game. Where they name none, the line's own `title` and
`difficulty` decide; the authors' `difficulty` is wrong in places.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from facelet.pipeline.importing.imported_items import ItemLine
from facelet.pipeline.papers.evolarena.item_readers import (
    dynamic_adaptation as da,
)
from facelet.pipeline.papers.evolarena.item_readers import (
    information_probing as ip,
)
from facelet.pipeline.papers.evolarena.item_readers import (
    state_operation as so,
)
from facelet.pipeline.papers.evolarena.item_readers import (
    strategic_gaming as sg,
)
from facelet.pipeline.papers.evolarena.item_readers.line_values import GameReader

LEVELS = {"easy": 1, "medium": 2, "hard": 3}

GAMES: Mapping[str, GameReader] = {
    "attendance_check": GameReader("AttendanceCheck", da.read_attendance_check, "students", 40),
    "binary_number_guessing": GameReader("BitGuessing", da.read_binary_guessing, "most", 1000),
    "hidden_number_finding": GameReader("FindHidden", da.read_hidden_number, "most", 60),
    "mahjong_detective": GameReader("MahjongDetective", da.read_mahjong, "values", 12),
    "mimic_hunting": GameReader("MimicHunt", da.read_mimic_hunting, "objects", 60),
    "password_breaking": GameReader("RPD", da.read_password_breaking, "span", 60),
    "permutation_discovery": GameReader(
        "PermutationDiscovery", da.read_permutation_discovery, "start", 7
    ),
    "rotary_laser_lock": GameReader("RotaryLock", da.read_rotary_lock, "rings", 5),
    "train_pursuit": GameReader("TrainPursuit", da.read_train_pursuit, "stations", 60),
    "zero_finding": GameReader("ZeroFinding", da.read_zero_finding, "length", 200),
    "bit_compare": GameReader("BitCompare", ip.read_bit_compare, "numbers", 12),
    "bit_query": GameReader("BitQuery", ip.read_bit_query, "size", 16),
    "circle_finding": GameReader("CircleFinding", ip.read_circle_finding, "limit", 5000),
    "find_the_impostors": GameReader("FindTheImpostors", ip.read_impostors, "players", 30),
    "guess_max": GameReader("GuessMax", ip.read_guess_max, "owners", 100),
    "linked_list_query": GameReader("ListQuery", ip.read_linked_list, "size", 40),
    "median_query": GameReader("MedianQuery", ip.read_median_query, "numbers", 20),
    "min_max": GameReader("MinMax", ip.read_min_max, "size", 9),
    "tree_discovery": GameReader("LegendaryTree", ip.read_tree_discovery, "size", 9),
    "word_guessing": GameReader("Wordle", ip.read_word_guessing, "length", 12),
    "cactus_search": GameReader("CactusSearch", so.read_cactus_search, "size", 34, so.draw_secret),
    "chemical_synthesis": GameReader(
        "ChemicalSynthesis", so.read_chemical_synthesis, "target", 10, so.draw_numbering
    ),
    "color_magic": GameReader("ColorMagic", so.read_color_magic, "grid", 8, so.draw_magic),
    "dark_maze_exploration": GameReader("DarkMaze", so.read_dark_maze, "size", 8),
    "finding_biggest": GameReader("FindBiggest", so.read_finding_biggest, "size", 8),
    "magnetic_field_exploration": GameReader("MagneticField", so.read_magnetic_field, "grid", 6),
    "maze_navigation": GameReader("VladikMaze", so.read_maze, "grid", 12, so.draw_swaps),
    "rainbow_candy_factory": GameReader("RainbowCandy", so.read_candy_factory, "grid", 8),
    "safepath_finding": GameReader("SafepathFinder", so.read_safepath, "size", 9),
    "treasure_hunt": GameReader("TreasureHunt", so.read_treasure_hunt, "size", 12),
    "assiut_chess": GameReader("AssiutChess", sg.read_chess, "size", 7, sg.draw_rolls),
    "bee_chase": GameReader("BeeChase", sg.read_bee_chase, "vertices", 48),
    "geometric_distance": GameReader("GeoGame", sg.read_geometric_distance, "xs", 16),
    "grid_coloring": GameReader("GridColoring", sg.read_grid_coloring, "size", 60),
    "grid_game": GameReader("GridGame", sg.read_grid_game, "numbers", 40),
    "knight_battle": GameReader("KnightBattle", sg.read_knight_battle, "size", 16),
    "paper_numbering": GameReader(
        "PaperNumber", sg.read_paper_numbering, "size", 20, sg.draw_coming_numbers
    ),
    "pizza_slicing": GameReader("PizzaSlice", sg.read_pizza_slicing, "xs", 14),
    "xor_breaking": GameReader("XORBreaking", sg.read_xor_breaking, "number", 10**9),
    "zigzag_graph": GameReader("ZigzagGraph", sg.read_zigzag_graph, "size", 13),
}
"""By our name of the game."""


def find_game(line: ItemLine) -> str:
    """Return our name of a line's game.

    Raises:
        ValueError: neither file nor line names one.
    """
    for part in _iterate_name_parts(line, "title"):
        if part in _GAMES:
            return _GAMES[part]
    raise ValueError("neither its file nor its title names a game; name the file as its authors do")


def find_level(line: ItemLine) -> int:
    """Return a line's level, from 1.

    Raises:
        ValueError: neither file nor line names one.
    """
    for part in _iterate_name_parts(line, "difficulty"):
        if part in LEVELS:
            return LEVELS[part]
    raise ValueError(f"neither its file nor its difficulty is one of {', '.join(LEVELS)}")


def _iterate_name_parts(line: ItemLine, name: str) -> Iterator[str]:
    """Yield the names of the file and the folders, whole and in parts, then a value of the line."""
    for part in reversed(line.file.removesuffix(".jsonl").split("/")):
        yield _normalize_name(part)
        yield _normalize_name(
            re.sub(rf"[_-](?:{'|'.join(LEVELS)})$", "", part, flags=re.IGNORECASE)
        )
        yield from map(_normalize_name, re.split(r"[_.-]", part))
    yield _normalize_name(str((line.values or {}).get(name)))


def _normalize_name(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


_GAMES = {
    _normalize_name(spelled): game
    for game, reader in GAMES.items()
    for spelled in (reader.authors_name, game)
}
