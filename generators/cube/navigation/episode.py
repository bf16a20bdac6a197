"""The episode of cube/navigate, step by step (CubeBench, section 3.2).

It ends as soon as the cube is solved, at final_answer, or after the last step, and is correct iff
the cube is solved. A reply is a step; one without a list of commands does nothing. A step also ends
at its 1,000th action that is refused. Only replies are replayed: observations and rewards in a
transcript are ignored.

Metrics of an outcome:

    solved          1 if the cube is solved
    terminated      1: the episode ended; a transcript that stops before has no metrics
    make_moves      quarter turns that were made, #MM
    move_ratio      make_moves / optimal depth, #MR (appendix C)
    make_moves_solved, move_ratio_solved
                    the same, only where the cube is solved
    steps           replies until the end
    unread          of these, replies without a list of commands
    replies, reply_parse_rate
                    steps, and the share of them that could be read: a list that names no command
                    that exists could not
    illegal         actions that were refused because they do not exist
    over_budget     moves that were refused because all were used up
    observations, views, solver_calls
                    actions of these kinds
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, fields

from facelet.generators.core.measures import read_replies
from facelet.generators.core.prompts import Message, Part, Prompt, TextPart, chat_prompt
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.cube.navigation import prompts as wording
from facelet.generators.cube.navigation.commands import REFUSALS
from facelet.generators.cube.navigation.environment import CubeEnvironment
from facelet.generators.cube.navigation.prompts import ANSWERS, LOOKS, SHOWN, Happening
from facelet.generators.cube.navigation.replies import Mode, read_commands
from facelet.generators.cube.navigation.rules import CommandResult, NavigationRules

COUNTED = (
    *("steps", "unread", "illegal", "over_budget"),
    *("observations", "views", "solver_calls"),
)
"""Metrics that are counts."""

SOLVED, UNSOLVED = "solved", "unsolved"


@dataclass(frozen=True, slots=True)
class EpisodeStart:
    """What an episode begins with.

    Attributes:
        facelets: the state at the start, not solved.
        depth: its optimal depth.
        rules: display, reward, solver and number of moves.
        mode: whether the player may act through code.
        steps: replies that it has.
    """

    facelets: str
    depth: int
    rules: NavigationRules
    mode: Mode
    steps: int


class _StepHistory:
    """What the next prompt tells of a step: its last actions, observations and questions."""

    def __init__(self) -> None:
        self.total = 0
        self.last: deque[Happening] = deque(maxlen=SHOWN)
        self.looks: deque[Happening] = deque(maxlen=LOOKS)
        self.asked: deque[Happening] = deque(maxlen=ANSWERS)

    def add_result(self, result: CommandResult, environment: CubeEnvironment) -> None:
        self.total += 1
        happening = (self.total, result, environment.state, environment.viewpoint)
        self.last.append(happening)
        if result.kind == "observation":
            self.looks.append(happening)
        elif result.kind == "solver":
            self.asked.append(happening)

    def list_happenings(self) -> list[Happening]:
        """Return them in order."""
        kept = {each[0]: each for each in (*self.last, *self.looks, *self.asked)}
        return [kept[number] for number in sorted(kept)]


class NavigationEpisode(Episode):
    """The episode; see the module."""

    def __init__(self, start: EpisodeStart) -> None:
        """Begin with the first step."""
        self._start = start
        self._environment = CubeEnvironment(start.rules, start.facelets)
        self._strict = True
        self._step = 0
        self._unread = self._nonsense = 0
        self._now: Prompt | None = None

    def prompt(self) -> Prompt:
        """Return the rules and the first observation, or the results of the last step."""
        if self._now is None:
            start = self._start
            opening = wording.opening_parts(self._environment.current_observation(), start.steps)
            return chat_prompt(wording.rules_text(start.rules, start.mode, start.steps), *opening)
        return self._now

    def live_environment(self) -> CubeEnvironment | None:
        """Return a copy of the cube for the live code of one step; None without code.

        Acting on it leaves the episode as it is. When the step is over, its `recorded()` is the
        reply that has the same effect on the episode.
        """
        return self._environment.fork_environment() if self._start.mode == "code" else None

    def reply(self, text: str) -> Prompt | Outcome:
        """Carry out a step; go on unless it ends the episode."""
        start, environment = self._start, self._environment
        parsed = read_commands(text, start.mode)
        self._step += 1
        self._strict &= parsed.strict
        self._unread += parsed.value is None
        kept, known = _StepHistory(), not parsed.value
        refused = 0
        for command in parsed.value or ():
            result = environment.run_command(command)
            known |= result.kind != "illegal"
            if environment.is_over:
                return self._build_outcome()
            kept.add_result(result, environment)
            refused += result.is_refused
            if refused == REFUSALS:
                break
        self._nonsense += not known
        if self._step == start.steps:
            return self._build_outcome()
        if parsed.value is None:
            parts: list[Part] = [TextPart(wording.unreadable_text(start.mode))]
        else:
            answers = [environment.ask_solver(happening[1].command) for happening in kept.asked]
            parts = wording.result_parts(
                kept.list_happenings(), kept.total, start.rules.display, answers
            )
        closing = wording.closing_line(self._step + 1, start.steps, environment.counts.make_moves)
        self._now = Prompt((Message("user", (*parts, TextPart(closing))),))
        return self._now

    def _build_outcome(self) -> Outcome:
        solved = self._environment.is_solved
        heard = self._unread < self._step
        status = Status.CORRECT if solved else Status.WRONG if heard else Status.UNPARSED
        return Outcome(
            status,
            self._strict,
            gold=(SOLVED,),
            answer=(SOLVED if solved else UNSOLVED,) if heard else (),
            metrics=dict(self._iterate_metrics()),
            note="" if solved else self._failure_class(),
        )

    def _iterate_metrics(self) -> Iterator[tuple[str, float]]:
        counts, solved = self._environment.counts, self._environment.is_solved
        ratio = counts.make_moves / self._start.depth
        yield "solved", float(solved)
        yield "terminated", 1.0
        yield "move_ratio", ratio
        if solved:
            yield "make_moves_solved", float(counts.make_moves)
            yield "move_ratio_solved", ratio
        yield "steps", float(self._step)
        yield "unread", float(self._unread)
        read = self._step - self._unread - self._nonsense
        yield from read_replies(read, self._step).items()
        yield from ((item.name, float(getattr(counts, item.name))) for item in fields(counts))

    def _failure_class(self) -> str:
        if self._environment.finished:
            return "final_answer was given while the cube was not solved"
        return f"the cube is not solved after {self._step} steps"
