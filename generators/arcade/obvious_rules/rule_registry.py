"""Obvious rules: how an engineer would play a game at first sight, in about ten lines.

Each rule is written from the prompt of its game alone, without its reference player, its solver or
the selection of its puzzles. It receives the puzzle without its hidden columns, yields commands,
and is sent what the player learns after each. What it wins is a shortcut of its game. Where it wins
at all levels, the levels measure no difficulty.

To replace a rule by a better one, change it here and run `make floors TASK=arcade/<game>`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from facelet.generators.arcade.obvious_rules import duel_rules, question_rules, walk_rules
from facelet.generators.core.text_game import Player

Rule = Callable[[Any], Player]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "arcade/bee_chase": duel_rules.step_bees_nearer,
        "arcade/binary_number_guessing": question_rules.subtract_and_filter,
        "arcade/bit_compare": question_rules.find_greatest_then_partner,
        "arcade/bit_query": question_rules.add_three,
        "arcade/cactus_search": walk_rules.guess_middle,
        "arcade/dark_maze_exploration": walk_rules.explore_maze,
        "arcade/find_the_impostors": question_rules.find_pair_then_ask,
        "arcade/finding_biggest": walk_rules.follow_hints,
        "arcade/geometric_distance": duel_rules.take_other_parity,
        "arcade/grid_coloring": duel_rules.close_rectangles,
        "arcade/grid_game": duel_rules.take_smallest_number,
        "arcade/guess_max": question_rules.halve_lists,
        "arcade/hidden_number_finding": question_rules.halve_and_repeat,
        "arcade/knight_battle": duel_rules.hop_to_target,
        "arcade/linked_list_query": question_rules.scan_list,
        "arcade/magnetic_field_exploration": walk_rules.slide_over_fields,
        "arcade/maze_navigation": walk_rules.walk_maze,
        "arcade/mimic_hunting": question_rules.keep_growing_type,
        "arcade/min_max": question_rules.compare_pairs,
        "arcade/paper_numbering": duel_rules.fill_halves,
        "arcade/password_breaking": question_rules.guess_commonest,
        "arcade/pizza_slicing": duel_rules.eat_smallest_triangle,
        "arcade/safepath_finding": walk_rules.step_beside_zeros,
        "arcade/train_pursuit": question_rules.halve_stations,
        "arcade/treasure_hunt": walk_rules.visit_least_degree,
        "arcade/tree_discovery": question_rules.find_edges_by_size,
        "arcade/word_guessing": question_rules.guess_letter_by_letter,
        "arcade/xor_breaking": duel_rules.split_top_bit,
        "arcade/zero_finding": question_rules.halve_zeros,
        "arcade/zigzag_graph": duel_rules.keep_most_moves,
    }
)
"""The obvious rule of each game that has one."""

NO_RULE: Mapping[str, str] = MappingProxyType(
    {
        "arcade/assiut_chess": "the queen has to shrink what a hidden king can reach, moves ahead",
        "arcade/attendance_check": "whether a reply is honest follows from several replies only",
        "arcade/chemical_synthesis": "operations are unknown, fail at random and need a plan",
        "arcade/circle_finding": "the center and radius follow from several distances by algebra",
        "arcade/color_magic": "the positions to use follow from equations modulo 3",
        "arcade/mahjong_detective": "several hands have the same counts at each step",
        "arcade/median_query": "a query tells two middle numbers, not where they stand",
        "arcade/permutation_discovery": "a reply combines a position with a power of the list",
        "arcade/rainbow_candy_factory": "unknown machines have to be found and then combined",
        "arcade/rotary_laser_lock": "a count of lasers says nothing of a single ring",
    }
)
"""Why nobody has found an obvious rule for a game."""
