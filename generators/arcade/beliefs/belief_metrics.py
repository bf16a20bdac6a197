"""Metrics of what a player knew, and of how it used that knowledge.

Metrics of an outcome, over the legal commands:

    bits                    information gained: log2 of the number of candidates at the start over
                            the number at the end
    bits_a_command          bits per command, rounded to millionths: it is a column too, and JSON as
                            pandas writes it keeps ten decimals
    bits_against_reference  bits_a_command over that of the reference player
    compared                1 if bits_against_reference exists
    told                    1; a play of a puzzle with too many candidates has none of these metrics
    queries                 commands that ask
    redundant_query_rate    share of them whose reply was certain beforehand, and that ruled out
                            nothing
    answers                 commands that name what is hidden
    premature_answer_rate   share of them given while more than one candidate was possible
    refuted_answer_rate     share of them that earlier replies had ruled out
    certain_commands        commands given when only one candidate was possible
    failure_to_answer_rate  share of them that did not win

(EvolArena, appendix M, names these failures; there people annotate them.) In a game whose questions
are answers too, such as a guess that is only right or wrong, no answer is premature.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import log2

from facelet.generators.arcade.beliefs.candidate_sets import CandidateSet
from facelet.generators.core.measures import Measure, WeightedMeanOf
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import measure_weighted_count

INFORMATION: tuple[Measure, ...] = (
    measure_weighted_count("bits", "told"),
    measure_weighted_count("bits_a_command", "told"),
    measure_weighted_count("bits_against_reference", "compared"),
)
QUERIES: tuple[Measure, ...] = (WeightedMeanOf(metric="redundant_query_rate", weight="queries"),)
ANSWERS: tuple[Measure, ...] = (
    WeightedMeanOf(metric="refuted_answer_rate", weight="answers"),
    WeightedMeanOf(metric="failure_to_answer_rate", weight="certain_commands"),
)
HASTE: tuple[Measure, ...] = (WeightedMeanOf(metric="premature_answer_rate", weight="answers"),)


def belief_measures(questions: frozenset[str], answers: frozenset[str]) -> tuple[Measure, ...]:
    """Return the measures that a report shows of a game with candidates.

    Args:
        questions: names of the forms that ask.
        answers: names of the forms that name what is hidden.
    """
    found = INFORMATION
    if questions:
        found += QUERIES
    if answers:
        found += ANSWERS
    return found + HASTE if answers - questions else found


def belief_metrics(
    candidates: CandidateSet,
    play: Iterable[tuple[Command, Hashable, bool]],
    questions: frozenset[str],
    answers: frozenset[str],
) -> dict[str, float]:
    """Return the metrics of a play, except those that need a reference player.

    Args:
        candidates: the candidates at the start; used up.
        play: the legal commands, each with its answer and whether it won.
        questions: names of the forms that ask.
        answers: names of the forms that name what is hidden.
    """
    start = before = candidates.count_candidates()
    commands = asked = redundant = named = premature = refuted = sure = failed = 0
    for command, heard, won in play:
        commands += 1
        certain = candidates.observe_answer(command, heard)
        after = candidates.count_candidates()
        if command.form in questions:
            asked += 1
            redundant += certain and after >= before and not won
        if command.form in answers:
            named += 1
            premature += before > 1 and command.form not in questions
            refuted += certain and not won
        if before == 1:
            sure += 1
            failed += not won
        before = after
    bits = log2(start / before)
    found = {"bits": bits, "bits_a_command": _bits_per_command(bits, commands), "told": 1.0}
    if questions:
        found |= _count_and_share("redundant_query_rate", redundant, "queries", asked)
    if answers:
        found |= _count_and_share("refuted_answer_rate", refuted, "answers", named)
        found |= _count_and_share("failure_to_answer_rate", failed, "certain_commands", sure)
    if answers - questions:
        found |= _count_and_share("premature_answer_rate", premature, "answers", named)
    return found


def bits_a_command(
    candidates: CandidateSet, play: Iterable[tuple[Command, Hashable, bool]]
) -> float:
    """Return `bits_a_command` of a play; candidates are counted only at its start and end.

    Args:
        candidates: the candidates at the start; used up.
        play: the legal commands, each with its answer and whether it won.
    """
    start, commands = candidates.count_candidates(), 0
    for command, heard, _ in play:
        candidates.observe_answer(command, heard)
        commands += 1
    return _bits_per_command(log2(start / candidates.count_candidates()), commands)


def _bits_per_command(bits: float, commands: int) -> float:
    """Return the bits per command, rounded to millionths."""
    return round(bits / max(commands, 1), 6)


def _count_and_share(name: str, part: int, of: str, whole: int) -> dict[str, float]:
    """Return a count and, if it is not 0, the share of it that `part` is."""
    return {of: float(whole)} | ({name: part / whole} if whole else {})
