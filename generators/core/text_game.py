"""The base class of every game, and the episode that plays it: it adds a reference player to rules.

`GameEpisode` reads replies turn by turn, applies the rules and counts metrics. It judges a reply in
two stages: format (does it give a command of one of the `forms`?) and legality. Each failure has a
declared price. The episode counts turns, words the complaints and keeps the history. It ends when
the rules end the game (terminated) or when the turns are used up (truncated).

Metrics of every outcome:

    turns              replies that cost a turn, refused ones included
    format_errors      replies without a readable command
    illegal_moves      commands that the rules forbid
    invalid_rate       share of replies that were refused: the sum of the next two
    format_error_rate  share of replies without a readable command
    illegal_move_rate  share of replies whose command the rules forbid
    terminated         1 if the rules ended the game, 0 if the turns ran out or the player stopped
    solved             1 if the game was won
    turns_when_solved  the turns of a game that was won; absent in others
    replied            1 if there was at least one reply

A `Game` defines its rules and words (facelet.generators.core.game_rules), `make` and `player`; the
class derives the task. The reference player receives the puzzle without its hidden columns. Its
play provides the gold answer, the reference replies, the proof that a puzzle can be won, and the
keys of what a play shows.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, Self

from facelet.generators.core.game_rules import ErrorPrice, GameRules, Luck, P, S, Shown, Z, parts_of
from facelet.generators.core.measures import Measure, WeightedMeanOf
from facelet.generators.core.prompts import Message, PicturePart, Prompt, TextPart, chat_prompt
from facelet.generators.core.replies.command import Command, CommandForm, format_forms
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Episode, Outcome, Reject, Status, Traits

WON, LOST = "won", "lost"
NOTES = 2000
"""Characters of the last reply that a game without history shows."""


def measure_weighted_count(metric: str, weight: str = "replied") -> WeightedMeanOf:
    """Return the measure of the mean of a count over the episodes that have it."""
    return WeightedMeanOf(metric=metric, share=False, weight=weight)


MEASURES: tuple[Measure, ...] = (
    measure_weighted_count("turns"),
    measure_weighted_count("turns_when_solved", "solved"),
    measure_weighted_count("format_errors"),
    measure_weighted_count("illegal_moves"),
    WeightedMeanOf(metric="invalid_rate", weight="replied"),
    WeightedMeanOf(metric="format_error_rate", weight="replied"),
    WeightedMeanOf(metric="illegal_move_rate", weight="replied"),
    WeightedMeanOf(metric="terminated", weight="replied"),
)
"""The measures that a report shows of every game."""


class GameEpisode(Episode, Generic[Z, S]):
    """The episode of a game, as a model or a person plays it."""

    __slots__ = (
        "_commands",
        "_free",
        "_game",
        "_last",
        "_measured",
        "_news",
        "_puzzle",
        "_replies",
        "_states",
        "_strict",
        "_turns",
        "_wrong",
    )

    def __init__(self, game: GameRules[Any, Z, S], puzzle: Z) -> None:
        """Start a play of a puzzle."""
        self._game = game
        self._puzzle = puzzle
        self._states = [game.start(puzzle)]
        self._commands: list[Command] = []
        self._turns = self._replies = 0
        self._wrong = {"format_errors": 0, "illegal_moves": 0}
        self._free = dict(self._wrong)
        self._strict = self._measured = True
        self._news: tuple[Shown, ...] = ()
        self._last = ""

    def prompt(self) -> Prompt:
        """Return the rules and the puzzle, or the answer to the last reply.

        In a game without history each turn starts a new chat with the rules, the start and the last
        exchange. The user message quotes the player's last reply.
        """
        game = self._game
        forgets = game.hides_history(self._puzzle)
        if self._replies and not forgets:
            parts = tuple(TextPart(x) if isinstance(x, str) else PicturePart(x) for x in self._news)
            return Prompt((Message("user", parts),))
        puzzle = game.without_hidden(self._puzzle)
        budget = game.turn_budget(puzzle)
        how = reply_instructions(game.forms, budget, game.unreadable, game.illegal)
        rules = (game.rules(puzzle), how, FORGETS if forgets else "", game.sample_exchange(puzzle))
        opening = parts_of(game.opening(puzzle))
        if self._replies:
            opening = (*opening, f"{_WROTE}\n{self._last}", *self._news)
        prompt = chat_prompt("\n\n".join(filter(None, rules)), *opening)
        return replace(prompt, fresh=bool(self._replies))

    def reply(self, text: str) -> Prompt | Outcome:
        """Read a reply and carry out its command."""
        game, puzzle = self._game, self._puzzle
        self._replies += 1
        self._last = text.strip()[-NOTES:].strip()
        parsed = game.read(text)
        command = parsed.value
        if command is None:
            self._strict = False
            return self._charge_reply("format_errors", game.unreadable, _UNREAD)
        self._strict &= parsed.strict
        if reason := game.legal(puzzle, self._states[-1], command):
            return self._charge_reply("illegal_moves", game.illegal, f"Not allowed: {reason}")
        luck = game.step_luck(puzzle, len(self._commands))
        self._states.append(game.step(puzzle, self._states[-1], command, luck))
        self._commands.append(command)
        self._turns += 1
        if self._current_result() is not None or self._turns >= game.turn_budget(puzzle):
            return self._build_outcome()
        self._news = self._append_turns_left(
            parts_of(game.describe_last_reply(puzzle, self._states[-1]))
        )
        return self.prompt()

    def without_figures(self) -> Self:
        """Return this episode without the metrics of the game alone."""
        self._measured = False
        return self

    def outcome_when_halted(self) -> Outcome:
        """Return the outcome of a player that stops."""
        return self._build_outcome(Status.UNPARSED)

    def _current_result(self) -> bool | None:
        return self._game.result(self._puzzle, self._states[-1])

    def _charge_reply(self, kind: str, price: ErrorPrice, words: str) -> Prompt | Outcome:
        """Charge a reply that is refused."""
        self._wrong[kind] += 1
        self._free[kind] += price.kind == "free"
        self._turns += price.kind == "turn"
        if price.kind == "end" or self._free[kind] > price.free:
            return self._build_outcome(
                Status.UNPARSED if kind == "format_errors" else Status.ILLEGAL
            )
        if self._turns >= self._game.turn_budget(self._puzzle):
            return self._build_outcome()
        self._news = self._append_turns_left(
            (f"{words}\nUse one of these:\n{format_forms(self._game.forms)}",)
        )
        return self.prompt()

    def _append_turns_left(self, news: tuple[Shown, ...]) -> tuple[Shown, ...]:
        """Return a message with the number of turns left."""
        line = f"Turns left: {self._game.turn_budget(self._puzzle) - self._turns}"
        if news and isinstance(news[-1], str):
            return (*news[:-1], f"{news[-1]}\n{line}")
        return (*news, line)

    def _build_outcome(self, status: Status | None = None) -> Outcome:
        """Return the outcome.

        Args:
            status: the reason of the end, if neither the rules nor the budget ended the game.
        """
        won = self._current_result()
        if status is None:
            unread = not self._commands and not self._wrong["illegal_moves"]
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
            metrics |= self._game.play_metrics(self._puzzle, self._commands, self._states)
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


def reply_instructions(
    forms: Sequence[CommandForm], turns: int, unreadable: ErrorPrice, illegal: ErrorPrice
) -> str:
    """Return how a player gives commands, and what a refused reply costs.

    Args:
        forms: the commands.
        turns: the budget.
        unreadable: the price of a reply without a readable command.
        illegal: the price of a command that the rules forbid.
    """

    def describe_cost(price: ErrorPrice) -> str:
        return _COSTS[price.kind].format(free=price.free)

    return _HOW.format(
        turns="1 turn" if turns == 1 else f"{turns} turns",
        forms=format_forms(forms),
        unreadable=f"A reply without such a line {describe_cost(unreadable)}",
        illegal=f"A command that the rules do not allow {describe_cost(illegal)}",
    )


FORGETS = (
    "In each turn you see these rules, the start, your last reply and my answer to it, and nothing "
    "of the turns before. So write into each reply what you want to know later: its last "
    f"{NOTES:,} characters are shown to you in the next turn."
)
_WROTE = "Your last reply, and then my answer to it:"
_UNREAD = "That reply gives no command that can be read."


__all__ = ["Game", "Luck", "Player"]

Player = Generator[Command, Any, None]
"""A reference player: it yields commands and is sent what `observe` returns after each."""


class Game(GameRules[P, Z, S], Generic[P, Z, S], vocabulary=True):
    """A game with a reference player.

    Attributes:
        fixed: upper bound on the share of puzzles that the winning commands of another puzzle win,
            at the default params. The value is measured, and tests check it.
    """

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    cost = "turns_when_solved"
    traits: ClassVar[Traits] = Traits(hidden=True, simulated=True)
    fixed: ClassVar[float] = 0.06
    _last: tuple[tuple[Z, Sequence[Command], Sequence[S]], ...] = ()

    def make(self, params: P, draw: Draw) -> Z:
        """Return the puzzle of an item; a game that gets its puzzles ready-made has `generate`.

        Raises:
            Reject: the draw was unlucky.
        """
        raise TypeError(f"{self.name} has neither make nor generate; define one of them")

    @abstractmethod
    def player(self, shown: Z) -> Player:
        """Play well.

        A generator: it yields a command and is sent what `observe` returns after it. So it yields a
        list of commands one by one (`for command in plan: yield command`), not by `yield from`. It
        may stop when nothing is left to do.

        Args:
            shown: the puzzle; its hidden columns are None.
        """

    def generate(self, params: P, draw: Draw, resource: Any) -> tuple[Z]:
        """Return the puzzle, once the reference player has won it within the budget."""
        puzzle = self.make(params, draw)
        if not self.play_reference(puzzle)[1]:
            raise Reject("the reference player does not win")
        return (puzzle,)

    def open(self, instance: Z) -> GameEpisode[Z, S]:
        """Return the episode."""
        return GameEpisode(self, instance)

    def reply_form(self, instance: Z) -> str:
        """Return "commands": a reply gives one of the `forms`."""
        return "commands"

    def gold_answer(self, instance: Z) -> str:
        """Return the reference player's commands, one a line; others that win are as good."""
        return "\n".join(self.reference(instance))

    def group_key(self, instance: Z) -> str:
        """Return the puzzle with its secret columns as a key."""
        row = self.encode(instance)
        own = [row[column.name] for column in self.columns if column.role in ("puzzle", "secret")]
        return "|".join(",".join(map(str, v)) if isinstance(v, list) else str(v) for v in own)

    def reference(self, instance: Z) -> list[str]:
        """Return the replies of the reference player."""
        return [self.format_command(command) for command in self._row_course(instance)[0]]

    def find_faults(self, instance: Z) -> list[str]:
        """Return the faults: the game must start open, and the reference player must win it."""
        state = self.start(instance)
        if self.result(instance, state) is not None:
            return ["the game is over before it begins"]
        if not self.play_reference(instance)[1]:
            return [f"the reference player does not win within {self.turn_budget(instance)} turns"]
        return []

    def format_command(self, command: Command) -> str:
        """Return a command as its form spells it."""
        form = next(form for form in self.forms if form.name == command.form)
        return form.format_command(*command.args)

    def list_shown_keys(self, instance: Z) -> list[str]:
        """Return keys of the puzzle and of every message of the reference play in it.

        Messages of other plays are not listed: there are too many. A message alone is no key, since
        the meaning of "higher" depends on the puzzle.
        """
        start, states = self.group_key(instance), self._row_course(instance)[1]
        messages = (
            [
                part
                for part in parts_of(self.describe_last_reply(instance, state))
                if isinstance(part, str)
            ]
            for state in states[1:]
            if self.result(instance, state) is None
        )
        return [start, *("\n".join((start, *texts)) for texts in messages)]

    def play_reference(self, puzzle: Z) -> tuple[list[Command], bool]:
        """Return the reference player's commands, and whether they win within the budget."""
        commands, states = self._reference_course(puzzle)
        return list(commands), self.result(puzzle, states[-1]) is True

    def _reference_course(self, puzzle: Z) -> tuple[Sequence[Command], Sequence[S]]:
        """Return the reference player's commands, and the states of its play, the start first."""
        # A row uses its play several times: for its terms, gold and replies. A check plays another
        # puzzle in between, so the last two plays are cached.
        for known in self._last:
            if known[0] is puzzle:
                return known[1], known[2]
        self._memoize_course(puzzle, *self._play_reference(puzzle))
        return self._last[0][1], self._last[0][2]

    def _memoize_course(self, puzzle: Z, commands: Sequence[Command], states: Sequence[S]) -> None:
        """Cache the reference player's commands and states in a puzzle."""
        self._last = ((puzzle, commands, states), *self._last[:1])

    def _row_course(self, instance: Z) -> tuple[Sequence[Command], Sequence[S]]:
        """Return the commands of a row's reference replies, and the states."""
        return self._reference_course(instance)

    def _play_reference(
        self, puzzle: Z, player: Player | None = None
    ) -> tuple[list[Command], list[S]]:
        player = player or self.player(self.without_hidden(puzzle))
        states = [self.start(puzzle)]
        commands: list[Command] = []
        try:
            command = next(player)
            while len(commands) < self.turn_budget(puzzle):
                commands.append(command)
                state = states[-1]
                if self.legal(puzzle, state, command):
                    break
                luck = self.step_luck(puzzle, len(commands) - 1)
                states.append(self.step(puzzle, state, command, luck))
                if self.result(puzzle, states[-1]) is not None:
                    break
                command = player.send(self.observe(puzzle, states[-1]))
        except StopIteration:
            pass
        return commands, states
