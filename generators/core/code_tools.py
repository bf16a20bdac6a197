"""The protocol of functions that a player's code may call during a step of an episode.

An episode may offer them beside its prompt; a player that only writes replies needs none. They
work on a copy of the episode's state. The calls are recorded as text: the reply that has the same
effect on the episode. So a transcript is a list of replies, however the player acted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol


class Tools(Protocol):
    """The functions of one step, and the record of their calls."""

    def list_allowed_functions(self) -> Mapping[str, Callable[..., Any]]:
        """Return the functions by the names that the prompt gives them.

        They take and return plain values; a function that shows something may return a scene. One
        that is called wrongly raises an exception that says why.
        """

    def build_recorded_reply(self) -> str:
        """Return the calls so far, as the reply of one step."""
