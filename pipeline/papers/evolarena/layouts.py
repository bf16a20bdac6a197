"""Our rows of EvolArena's tables: accuracy, turns and patterns by class, and accuracy by game.

Tables 2, 3, 5 and 7 have means over the ten games of a class; tables 8 to 47 one game each.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from facelet.pipeline.papers.paper import (
    IntervalFigure,
    LayoutCell,
    LayoutRow,
    MeanFigure,
    PaperPart,
    TableFigure,
    TableLayout,
)

CLASSES: dict[str, dict[str, str]] = {
    "IP": {
        "find_the_impostors": "21",
        "guess_max": "25",
        "circle_finding": "19",
        "tree_discovery": "27",
        "bit_query": "18",
        "bit_compare": "11",
        "linked_list_query": "28",
        "median_query": "31",
        "min_max": "33",
        "word_guessing": "38",
    },
    "DA": {
        "password_breaking": "44",
        "binary_number_guessing": "12",
        "hidden_number_finding": "20",
        "attendance_check": "9",
        "permutation_discovery": "42",
        "mimic_hunting": "32",
        "rotary_laser_lock": "46",
        "mahjong_detective": "30",
        "zero_finding": "40",
        "train_pursuit": "35",
    },
    "SO": {
        "cactus_search": "13",
        "chemical_synthesis": "14",
        "color_magic": "15",
        "dark_maze_exploration": "16",
        "finding_biggest": "17",
        "magnetic_field_exploration": "29",
        "rainbow_candy_factory": "45",
        "safepath_finding": "34",
        "treasure_hunt": "36",
        "maze_navigation": "37",
    },
    "SG": {
        "assiut_chess": "8",
        "bee_chase": "10",
        "geometric_distance": "22",
        "grid_coloring": "23",
        "grid_game": "24",
        "knight_battle": "26",
        "paper_numbering": "47",
        "pizza_slicing": "43",
        "xor_breaking": "39",
        "zigzag_graph": "41",
    },
}
"""By class, each game and the number of its table."""

LEVELS = (1, 2, 3)
_GAMES = tuple(chain.from_iterable(CLASSES.values()))


_PATTERNS = ("associate", "verify", "plan", "feedback")
_JUDGE = "a judging model marked the patterns that the paper counts"


def _class_mean(games: dict[str, str], figure: str, level: int | None) -> MeanFigure:
    """Return the mean of a figure over the games of a class at a level; None: at all."""
    return MeanFigure(tuple(TableFigure(game, figure, level) for game in games))


def _build_layout(
    number: str, cells: Sequence[LayoutCell | None], games: tuple[str, ...], remark: str = ""
) -> TableLayout:
    """Return a layout of one line.

    Args:
        number: the table's number.
        cells: its cells.
        games: the games behind them.
        remark: what differs even so.
    """
    parts = tuple(
        PaperPart(game, f"arcade/{game}", {}, {"published": True}, items=30, difficulties=LEVELS)
        for game in games
    )
    return TableLayout(number, (LayoutRow(tuple(cells)),), parts, "levels", remark)


def _build_layouts() -> tuple[TableLayout, ...]:
    """Return the layouts of tables 2, 3, 5 and 7 to 47."""
    accuracy, turns = "accuracy", "turns_when_solved"
    by_class = [
        [_class_mean(games, accuracy, level) for level in LEVELS] for games in CLASSES.values()
    ]
    whole = [MeanFigure(tuple(p for part in by_class for p in part[k].figures)) for k in range(3)]
    solved: list[LayoutCell | None] = [
        _class_mean(games, turns, level) for games in CLASSES.values() for level in LEVELS
    ]
    patterns = [
        _class_mean(CLASSES[name], f"pattern_{pattern}", None)
        for name in ("IP", "DA", "SO")
        for pattern in _PATTERNS
    ]
    accuracies = [*chain.from_iterable(by_class), *whole]
    widths = [IntervalFigure(mean, "half width") for mean in accuracies]
    return (
        _build_layout("2", accuracies, _GAMES),
        _build_layout("3", patterns, _GAMES[:30], _JUDGE),
        _build_layout("7", [*accuracies, *widths], _GAMES),
        _build_layout("5", [*solved, None], _GAMES),
        *(
            _build_layout(number, [TableFigure(game, accuracy, level) for level in LEVELS], (game,))
            for games in CLASSES.values()
            for game, number in games.items()
        ),
    )


LAYOUTS = _build_layouts()
