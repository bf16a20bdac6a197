"""Play: the episode of a game, turn by turn; see facelet.generators.core.game.

Metrics of every outcome:

    turns              replies that cost a turn, those that were refused included
    format_errors      replies without a readable command
    illegal_moves      commands that the rules forbid
    invalid_rate       share of replies that were one or the other: the sum of the next two
    format_error_rate  share of replies that were the one
    illegal_move_rate  share of replies that were the other
    terminated         1 if the rules ended it, 0 if the turns ran out or the player stopped
    solved             1 if the game was won
    turns_when_solved  the turns of a game that was won; absent in others
    replied            1 if there was a reply at all
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from facelet.generators.core.measures import Measure, WeightedMeanOf
from facelet.generators.core.prompts import Message, Picture, Prompt, Text, chat
from facelet.generators.core.replies.command import Form, Said, listing
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.renderers.scenes.records import Scene

if TYPE_CHECKING:
    from facelet.generators.core.game import Game

Z = TypeVar("Z")
S = TypeVar("S")

Shown = str | Scene
WON, LOST = "won", "lost"


@dataclass(frozen=True, slots=True)
class Price:
    """What a reply that cannot be read, or a command that is not allowed, costs.

    Attributes:
        kind: "turn" (a turn of the budget), "free" (nothing, up to `free` times, then the end) or
            "end" (the episode).
        free: how many are free.
    """

    kind: Literal["turn", "free", "end"] = "turn"
    free: int = 0


NOTES = 2000
"""Characters of the last reply that a game shows which forgets the turns before."""


def counted(metric: str, weight: str = "replied") -> WeightedMeanOf:
    """Return the measure of a count over the episodes that have it, a missing one left out."""
    return WeightedMeanOf(metric=metric, share=False, weight=weight)


MEASURES: tuple[Measure, ...] = (
    counted("turns"),
    counted("turns_when_solved", "solved"),
    counted("format_errors"),
    counted("illegal_moves"),
    WeightedMeanOf(metric="invalid_rate", weight="replied"),
    WeightedMeanOf(metric="format_error_rate", weight="replied"),
    WeightedMeanOf(metric="illegal_move_rate", weight="replied"),
    WeightedMeanOf(metric="terminated", weight="replied"),
)
"""What a report says of every game."""


class GameEpisode(Episode, Generic[Z, S]):
    """The episode of a game."""

    __slots__ = (
        "_free",
        "_game",
        "_last",
        "_measured",
        "_news",
        "_puzzle",
        "_replies",
        "_said",
        "_states",
        "_strict",
        "_turns",
        "_wrong",
    )

    def __init__(self, game: Game[Any, Z, S], puzzle: Z) -> None:
        """Begin."""
        self._game = game
        self._puzzle = puzzle
        self._states = [game.start(puzzle)]
        self._said: list[Said] = []
        self._turns = self._replies = 0
        self._wrong = {"format_errors": 0, "illegal_moves": 0}
        self._free = dict(self._wrong)
        self._strict = self._measured = True
        self._news: tuple[Shown, ...] = ()
        self._last = ""

    def prompt(self) -> Prompt:
        """Return the rules and the puzzle, or what the last reply came to.

        Of a game that forgets each turn begins a new chat, of the rules, the start and the last
        exchange. What the player wrote stands in the user's message, so that it is no reply again.
        """
        game = self._game
        forgets = game.forgets(self._puzzle)
        if self._replies and not forgets:
            parts = tuple(Text(x) if isinstance(x, str) else Picture(x) for x in self._news)
            return Prompt((Message("user", parts),))
        puzzle = game.visible(self._puzzle)
        budget = game.turns(puzzle)
        how = instructions(game.forms, budget, game.unreadable, game.illegal)
        said = (game.rules(puzzle), how, FORGETS if forgets else "", game.example(puzzle))
        opening = parts_of(game.opening(puzzle))
        if self._replies:
            opening = (*opening, f"{_WROTE}\n{self._last}", *self._news)
        prompt = chat("\n\n".join(filter(None, said)), *opening)
        return replace(prompt, fresh=bool(self._replies))

    def reply(self, text: str) -> Prompt | Outcome:
        """Judge a reply and carry out its command."""
        game, puzzle = self._game, self._puzzle
        self._replies += 1
        self._last = text.strip()[-NOTES:].strip()
        parsed = game.read(text)
        said = parsed.value
        if said is None:
            self._strict = False
            return self._refuse("format_errors", game.unreadable, _UNREAD)
        self._strict &= parsed.strict
        if reason := game.legal(puzzle, self._states[-1], said):
            return self._refuse("illegal_moves", game.illegal, f"Not allowed: {reason}")
        luck = game.luck(puzzle, len(self._said))
        self._states.append(game.step(puzzle, self._states[-1], said, luck))
        self._said.append(said)
        self._turns += 1
        if self._result() is not None or self._turns >= game.turns(puzzle):
            return self._end()
        self._news = self._left(parts_of(game.tell(puzzle, self._states[-1])))
        return self.prompt()

    def without_figures(self) -> Self:
        """Return this episode without the game's own figures."""
        self._measured = False
        return self

    def halted(self) -> Outcome:
        """Return how it stands when the player says no more."""
        return self._end(Status.UNPARSED)

    def _result(self) -> bool | None:
        return self._game.result(self._puzzle, self._states[-1])

    def _refuse(self, kind: str, price: Price, words: str) -> Prompt | Outcome:
        """Charge a reply that carries nothing out."""
        self._wrong[kind] += 1
        self._free[kind] += price.kind == "free"
        self._turns += price.kind == "turn"
        if price.kind == "end" or self._free[kind] > price.free:
            return self._end(Status.UNPARSED if kind == "format_errors" else Status.ILLEGAL)
        if self._turns >= self._game.turns(self._puzzle):
            return self._end()
        self._news = self._left((f"{words}\nUse one of these:\n{listing(self._game.forms)}",))
        return self.prompt()

    def _left(self, news: tuple[Shown, ...]) -> tuple[Shown, ...]:
        """Return news with the number of turns that are left."""
        line = f"Turns left: {self._game.turns(self._puzzle) - self._turns}"
        if news and isinstance(news[-1], str):
            return (*news[:-1], f"{news[-1]}\n{line}")
        return (*news, line)

    def _end(self, status: Status | None = None) -> Outcome:
        """Return the outcome.

        Args:
            status: why it ended, where neither the rules nor the budget ended it.
        """
        won = self._result()
        if status is None:
            unread = not self._said and not self._wrong["illegal_moves"]
            status = Status.CORRECT if won else Status.UNPARSED if unread else Status.WRONG
        rates = {name: count / max(self._replies, 1) for name, count in self._wrong.items()}
        metrics = {
            "replied": float(self._replies > 0),
            "turns": float(self._turns),
            **{name: float(value) for name, value in self._wrong.items()},
            "invalid_rate": sum(rates.values()),
            "format_error_rate": rates["format_errors"],
            "illegal_move_rate": rates["illegal_moves"],
            "terminated": float(won is not None),
            "solved": float(won is True),
        }
        if self._measured:
            metrics |= self._game.figures(self._puzzle, self._said, self._states)
        if won:
            metrics["turns_when_solved"] = float(self._turns)
        return Outcome(
            status,
            self._strict and status is not Status.UNPARSED,
            gold=(WON,),
            answer=() if status is Status.UNPARSED else (WON if won else LOST,),
            metrics=metrics,
        )


_HOW = """\
You have {turns}. In each of them you may reason as you like; end your reply with one line that \
gives exactly one command, in one of these forms:
{forms}
{unreadable}
{illegal}"""
_COSTS = {
    "turn": "costs a turn.",
    "free": "is told so and costs nothing, up to {free} times; the next one ends the game.",
    "end": "ends the game at once.",
}


def instructions(forms: Sequence[Form], turns: int, unreadable: Price, illegal: Price) -> str:
    """Return how a player gives its commands, and what a bad reply costs.

    Args:
        forms: the commands.
        turns: the budget.
        unreadable: the price of a reply without a readable command.
        illegal: the price of a command that the rules forbid.
    """

    def cost(price: Price) -> str:
        return _COSTS[price.kind].format(free=price.free)

    return _HOW.format(
        turns="1 turn" if turns == 1 else f"{turns} turns",
        forms=listing(forms),
        unreadable=f"A reply without such a line {cost(unreadable)}",
        illegal=f"A command that the rules do not allow {cost(illegal)}",
    )


FORGETS = (
    "In each turn you see these rules, the start, your last reply and my answer to it, and nothing "
    "of the turns before. So write into each reply what you want to know later: its last "
    f"{NOTES:,} characters are shown to you in the next turn."
)
_WROTE = "Your last reply, and then my answer to it:"
_UNREAD = "That reply gives no command that can be read."


def parts_of(shown: str | Sequence[Shown]) -> tuple[Shown, ...]:
    """Return texts and pictures one by one."""
    return (shown,) if isinstance(shown, str) else tuple(shown)
