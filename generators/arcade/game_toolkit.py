"""The names that modules of arcade games import, gathered from the packages that define them.

A game imports from here: its base class and records, columns and params, commands, random draws,
numbered puzzles, sets of candidates, and what it declares about limits and deviations. Solvers and
long reference players are imported from their own modules.
"""

from __future__ import annotations

from facelet.generators.arcade.base.duel import AT_RANDOM, INVALID_LOSES, NEVER, Duel, DuelPuzzle
from facelet.generators.arcade.base.game import (
    ArcadeGame,
    ArcadePuzzle,
    Sample,
    blank_terms,
    blind_limits,
    fewer_turns_deviation,
    larger_sizes_deviation,
)
from facelet.generators.arcade.base.params import (
    LAST,
    LEVELS,
    TURNS,
    ArcadeParams,
    DuelParams,
    Opponent,
    level_param,
)
from facelet.generators.arcade.base.question_game import (
    FixedQuestionGame,
    QuestionGame,
    QuestionState,
    find_extreme,
    relay_questions,
)
from facelet.generators.arcade.beliefs.candidate_sets import (
    Array,
    CandidateArray,
    CandidateSet,
    FixedCandidates,
    SharedCandidates,
    share_permutations,
)
from facelet.generators.arcade.unranking import (
    number_to_digits,
    number_to_permutation,
    number_to_subset,
    subset_number,
    subset_sized,
    subsets_sized,
)
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.game_rules import ErrorPrice
from facelet.generators.core.params import param
from facelet.generators.core.random_draws import below, chosen, several, shuffled
from facelet.generators.core.replies.command import Command, CommandForm
from facelet.generators.core.row_schema import column
from facelet.generators.core.seeding import Draw, make_generator
from facelet.generators.core.task import Reject
from facelet.generators.core.text_game import Luck, Player

__all__ = [
    "AT_RANDOM",
    "INVALID_LOSES",
    "LAST",
    "LEVELS",
    "NEVER",
    "TURNS",
    "ArcadeGame",
    "ArcadeParams",
    "ArcadePuzzle",
    "Array",
    "CandidateArray",
    "CandidateSet",
    "Command",
    "CommandForm",
    "Deviation",
    "Draw",
    "Duel",
    "DuelParams",
    "DuelPuzzle",
    "ErrorPrice",
    "FixedCandidates",
    "FixedQuestionGame",
    "Luck",
    "Opponent",
    "Player",
    "QuestionGame",
    "QuestionState",
    "Reject",
    "Sample",
    "SharedCandidates",
    "below",
    "blank_terms",
    "blind_limits",
    "chosen",
    "column",
    "fewer_turns_deviation",
    "find_extreme",
    "larger_sizes_deviation",
    "level_param",
    "make_generator",
    "number_to_digits",
    "number_to_permutation",
    "number_to_subset",
    "param",
    "relay_questions",
    "several",
    "share_permutations",
    "shuffled",
    "subset_number",
    "subset_sized",
    "subsets_sized",
]
