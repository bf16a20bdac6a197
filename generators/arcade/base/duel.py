"""Games against an opponent, in which the model moves first and both sides see everything.

A game defines the state after a move of the model (`apply_move`) and the states that the opponent's
moves lead to (`list_opponent_states`). This base plays the opponent:

    random   any of its moves, equally likely (the paper's opponent, section 3.1)
    greedy   the move with the best `score_for_opponent`
    optimal  a move after which the model cannot force a win, if there is one; else a move that
             delays the loss longest; ties are broken by `score_for_opponent`

Remaining ties are drawn at random. A solver returns the turns within which the model surely wins
(`turns_to_force_win`). From it follow `bound`, the optimal opponent, the reference player, and two
metrics:

    winning_moves      moves of the model in states that it could surely win
    kept_winning_rate  share of them after which it could still surely win

A win against a random opponent means little; this share shows whether a player sees a win.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from facelet.generators.arcade.base.game import ArcadeGame, ArcadePuzzle
from facelet.generators.arcade.base.params import DuelParams, Opponent
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Measure, WeightedMeanOf
from facelet.generators.core.replies.command import Command
from facelet.generators.core.text_game import Luck, Player

NEVER = 1 << 30
"""The turns to a win that cannot be forced."""
AT_RANDOM = Deviation(
    "the opponent plays at random",
    "it never misses a forced win",
    "beating a random mover means little",
    "published=true",
)
INVALID_LOSES = Deviation(
    "",
    "an illegal move loses; a reply without a move costs a turn",
    "the paper covers only illegal moves",
)


class DuelPuzzle(ArcadePuzzle):
    """The base of puzzles with an opponent; a game declares the column with its meaning."""

    __slots__ = ()
    opponent: Opponent


P = TypeVar("P", bound=DuelParams)
Z = TypeVar("Z", bound=DuelPuzzle)
S = TypeVar("S")


class Duel(ArcadeGame[P, Z, S], Generic[P, Z, S], vocabulary=True):
    """A game against an opponent.

    Attributes:
        exact: whether `turns_to_force_win` returns the fewest turns, not only sufficient ones.
        fixed_at_random: `fixed` against an opponent that does not play best; None for the same.
    """

    by_luck: ClassVar[bool] = True
    spare: ClassVar[int | tuple[int, int, int] | None] = 1
    # The moves of an opponent that plays best are known, or at least their value is.
    planning: ClassVar[bool] = True
    unread: ClassVar[float] = 1.0
    exact: ClassVar[bool] = False
    fixed_at_random: ClassVar[float | None] = None

    @classmethod
    def _own_measures(cls) -> tuple[Measure, ...]:
        kept = WeightedMeanOf(metric="kept_winning_rate", weight="winning_moves")
        return (*super()._own_measures(), kept)

    # --- what a duel defines ---------------------------------------------------------------------

    @abstractmethod
    def apply_move(self, puzzle: Z, state: S, command: Command) -> S:
        """Return the state after the model's legal move, before the opponent's.

        Args:
            puzzle: the puzzle.
            state: the state before.
            command: the move.
        """

    @abstractmethod
    def list_opponent_states(self, puzzle: Z, state: S) -> Sequence[S]:
        """Return the states that the moves of the opponent lead to, in a fixed order.

        Args:
            puzzle: the puzzle.
            state: the state after the model's move; the game goes on.
        """

    @abstractmethod
    def score_for_opponent(self, puzzle: Z, state: S) -> float:
        """Return how good a state looks to the opponent right after its move; more is better."""

    @abstractmethod
    def turns_to_force_win(self, puzzle: Z, state: S) -> int | None:
        """Return the turns within which the model, to move, surely wins a state that goes on.

        None if it cannot force a win.
        """

    @abstractmethod
    def choose_move(self, puzzle: Z, state: S) -> Command:
        """Return the reference player's move: one that wins soonest, where a win can be forced."""

    # --- what follows -----------------------------------------------------------------------------

    def step(self, puzzle: Z, state: S, command: Command, luck: Luck) -> S:
        """Return the state after the model's move and the opponent's."""
        moved = self.apply_move(puzzle, state, command)
        if self.result(puzzle, moved) is not None:
            return moved
        if not (replies := self.list_opponent_states(puzzle, moved)):
            return moved
        liked = self._best_opponent_states(puzzle, replies)
        return liked[luck.draw_index(len(liked))]

    def list_outcomes(self, puzzle: Z, state: S, command: Command) -> Sequence[S]:
        """Return the states after every move of the opponent."""
        moved = self.apply_move(puzzle, state, command)
        if self.result(puzzle, moved) is not None:
            return (moved,)
        return self.list_opponent_states(puzzle, moved) or (moved,)

    def bound(self, shown: Z) -> int | None:
        """Return the turns within which the model surely wins from the start."""
        return self.turns_to_force_win(shown, self.start(shown))

    def selects_puzzles(self, params: P) -> bool:
        """Return whether puzzles are selected: only against the optimal opponent."""
        return params.opponent_kind == "optimal" and super().selects_puzzles(params)

    def optimal_turns(self, shown: Z) -> int | None:
        """Return the bound, where `turns_to_force_win` is exact."""
        return self.bound(shown) if self.exact else None

    def player(self, shown: Z) -> Player:
        """Play the chosen moves; observations reveal those of the opponent."""
        state = self.start(shown)
        while True:
            command = self.choose_move(shown, state)
            heard: Any = yield command
            follow = self.list_outcomes(shown, state, command)
            state = next(after for after in follow if self.observe(shown, after) == heard)

    def play_metrics(
        self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]
    ) -> Mapping[str, float]:
        """Return the share of moves that kept a win, and the metrics of the base."""
        winning = kept = 0
        for command, state in zip(commands, states[:-1], strict=True):
            if self.turns_to_force_win(puzzle, state) is not None:
                winning += 1
                kept += self._keeps_win(puzzle, state, command)
        found = {**super().play_metrics(puzzle, commands, states), "winning_moves": float(winning)}
        return found | ({"kept_winning_rate": kept / winning} if winning else {})

    def _keeps_win(self, puzzle: Z, state: S, command: Command) -> bool:
        """Return whether the model can still force a win after a move, or has won by it."""
        follow = self.list_outcomes(puzzle, state, command)
        return all(self._turns_after_reply(puzzle, after) < NEVER for after in follow)

    def _turns_after_reply(self, puzzle: Z, state: S) -> int:
        """Return the turns within which the model surely wins after a move of the opponent.

        0 if it has won, NEVER if it has lost or cannot force a win.
        """
        if (won := self.result(puzzle, state)) is not None:
            return 0 if won else NEVER
        turns = self.turns_to_force_win(puzzle, state)
        return NEVER if turns is None else turns

    def _best_opponent_states(self, puzzle: Z, replies: Sequence[S]) -> list[S]:
        """Return the states that the opponent draws from."""
        if puzzle.opponent == "random":
            return list(replies)
        worth: list[tuple[float, float]] = [
            (0, self.score_for_opponent(puzzle, after)) for after in replies
        ]
        if puzzle.opponent == "optimal":
            hopes = (self._turns_after_reply(puzzle, after) for after in replies)
            worth = [(turns, appeal) for turns, (_, appeal) in zip(hopes, worth, strict=True)]
        best = max(worth)
        return [after for after, value in zip(replies, worth, strict=True) if value == best]
