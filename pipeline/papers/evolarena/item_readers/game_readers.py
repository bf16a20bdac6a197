"""Games: how the items of each game are read, of all classes."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.pipeline.papers.evolarena.item_readers import (
    dynamic_adaptation,
    information_probing,
    state_operation,
    strategic_gaming,
)
from facelet.pipeline.papers.evolarena.item_readers.line_values import GameReader

GAMES: Mapping[str, GameReader] = {
    **information_probing.GAMES,
    **dynamic_adaptation.GAMES,
    **state_operation.GAMES,
    **strategic_gaming.GAMES,
}
"""By our name of the game."""
