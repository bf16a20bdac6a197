"""Replay a player's replies in an episode and return the outcome."""

from __future__ import annotations

from collections.abc import Iterable

from facelet.generators.core.task import Episode, Outcome


def replay(episode: Episode, replies: Iterable[str]) -> Outcome:
    """Play the replies in order and return the outcome.

    Replies after the end are ignored. When there are too few to end the episode, the prediction is
    incomplete and counts as unparsed, with the metrics that the episode gives for that.

    Args:
        episode: a fresh episode.
        replies: the player's replies, oldest first.
    """
    for text in replies:
        result = episode.reply(text)
        if isinstance(result, Outcome):
            return result
    return episode.outcome_when_halted()
