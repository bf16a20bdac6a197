"""Games: how the items of each game are read, of all classes."""

from __future__ import annotations

from collections.abc import Mapping

from facelet.pipeline.papers.evolarena.reading import adapting, gaming, operating, probing
from facelet.pipeline.papers.evolarena.reading.values import Game

GAMES: Mapping[str, Game] = {**probing.GAMES, **adapting.GAMES, **operating.GAMES, **gaming.GAMES}
"""By our name of the game."""
