"""The episode of attempts, in both of its forms, and its prompts (Cube Bench, 4.3.7, 5.4 and B.7).

Learning curve: every reply is an attempt; T is their number until the cube is solved.

Recovery: as long as every reply is the offered move of G(s), nothing is counted. The first reply
that is not is the deviation; it is carried out like any other, and the attempts after it are
counted. Only one move of G(s) is offered, so it stands for the teacher's, and a deviation is always
a setback or an unreadable reply. (Where fewer than three moves lie outside G(s), several moves of
G(s) are offered, and any of them will do.) A recovery that deviates from the teacher offers the
teacher's move and three of all others instead, and any other reply than that move is the deviation,
even one that brings the cube closer.

An episode ends when the cube is solved, or after `max_attempts` counted attempts.

Metrics of an outcome:

    solved              1 if the cube was solved
    attempts            T, in solved episodes only; from 1 to max_attempts
    attempts_all        T, or max_attempts if not solved
    solved_at_1         1 if T = 1; always 0 for a start more than one move from solved, since an
                        attempt is one move
    solved_within_3     1 if T <= 3
    teacher_moves, progress_moves, setbacks, parse_failures
                        replies by what they did (see the module rules), uncounted included

In the recovery form `deviated` is 1 if there was a deviation and `undeviated` is the opposite.
`recovered`, `recovered_at_1` and `recovered_within_3` replace the three shares; they, `attempts`
and `first_deviation` (the number of the reply, from 1) are present only if there was a deviation.
Without one, `attempts_all` is 0. `recovered_at_1` can be 1 if the deviation was an unreadable reply
one move from solved.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from facelet.generators.core.measures import read_replies
from facelet.generators.core.prompts import Message, Part, PicturePart, Prompt, TextPart
from facelet.generators.core.replies.letter import FORM, choose, read_choice
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.cube.attempts import rules
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.rules import Change, Deviates, Stage
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine.notation import Maneuver, Metric
from facelet.generators.cube.questions import move_question
from facelet.generators.cube.states import state_texts
from facelet.generators.cube.states.state_texts import Modality, Serialisation
from facelet.generators.options.letter_placement import LETTERS
from facelet.renderers.scenes.records import CubeNet


@dataclass(frozen=True, slots=True)
class ShownQuestion:
    """What one question shows.

    Attributes:
        state: the state, a facelet string.
        options: the four moves.
        number: number of the attempt, from 1; 0 while none is counted.
        after: what the reply before did, and the move that it chose ("" for none); None at the
            beginning.
    """

    state: str
    options: Maneuver
    number: int
    after: tuple[Change, str] | None


_TASK = """\
You are an expert at solving the Rubik's Cube, and you turn this one move by move. Each time you \
are shown the cube {given}, you are told how many moves it is from solved, and you get four \
moves, labeled A to D. Choose the one move that leaves the cube nearest to solved."""

_COURSE = """\
How it goes on
- The move that you choose is carried out, good or bad, and the next question is about the cube as \
it is then, with four moves to choose from.
- A reply in which no letter can be read leaves the cube as it is, and still counts.
{budget}"""

_BUDGET = "- The game ends when the cube is solved, or after {count}."
_RECOVERY_BUDGET = """\
- As long as every move that you choose brings the cube nearer to solved, nothing is counted. From \
the first reply that does not, you have {count} more. The game ends when the cube is solved or \
they are used up."""

_TAUGHT_BUDGET = """\
- A shortest solution of the cube is held ready. As long as every move that you choose is its next \
move, nothing is counted. From the first reply that is not, you have {count} more. The game ends \
when the cube is solved or they are used up."""

_READING = """\
Moves
{moves}
- {counted}

Reading the cube
- Every face is named by the color of its center. The cube is solved when the nine stickers of \
each face have one color.
{reading}"""

_RULES = """\
Rules for the choice
- Work out for each of A, B, C, D the cube after that move, and how many moves that cube is from \
solved. The fewest win.
- Between moves that leave the cube equally far, take the one that comes first in the order A, B, \
C, D.
- Think in silence. Reply with one line that matches ^\\s*<ANSWER>\\s*[ABCD]\\s*</ANSWER>\\s*$ and \
with nothing else: no reasons, no moves, no other words inside or outside the tags."""

_COUNTED: dict[Metric, str] = {
    "htm": "Distances are counted in moves; a turn by 180 degrees is one move.",
    "qtm": "Distances are counted in quarter turns; only those are on offer, and a turn by 180 "
    "degrees takes two.",
}
_GIVEN: dict[Modality, str] = {
    "image_text": "as text, and the same cube as a picture",
    "image": "as a picture",
    "text": "as text",
}
_AUTHORITY: dict[Modality, str] = {
    "image_text": "Text and picture show the same cube. Should they seem to differ, the text is "
    "right: work with the text.",
    "image": "There is no text of the state; read it off the picture, an unfolded cube with "
    "labeled faces.",
    "text": "There is no picture; the text says all there is.",
}


Counted = Literal["all"] | Deviates
"""Which replies are attempts: all, or those after the first deviation of a kind."""

_BUDGETS: dict[Counted, str] = {
    "all": _BUDGET,
    "setback": _RECOVERY_BUDGET,
    "teacher": _TAUGHT_BUDGET,
}


@lru_cache(maxsize=256)
def system_message(
    metric: Metric,
    max_attempts: int,
    modality: Modality,
    serialisation: Serialisation,
    counted: Counted,
) -> str:
    """Return the system message: the task and its rules.

    Args:
        metric: how moves are counted.
        max_attempts: attempts that are counted.
        modality: what a question shows of the state.
        serialisation: how text shows it.
        counted: which replies are attempts.
    """
    reading = [] if modality == "image" else [state_texts.reading_text(serialisation)]
    reading.append(_AUTHORITY[modality])
    count = f"{max_attempts} attempt{'s' if max_attempts > 1 else ''}"
    budget = _BUDGETS[counted].format(count=count)
    parts = (
        _TASK.format(given=_GIVEN[modality]),
        _COURSE.format(budget=budget),
        _READING.format(
            moves=state_texts.MOVES,
            counted=_COUNTED[metric],
            reading="\n".join(f"- {line}" for line in reading),
        ),
        _RULES,
    )
    return "\n\n".join(parts)


def question_prompt(instance: Instance, shown: ShownQuestion, *, recovery: bool) -> Prompt:
    """Return a question; the first one begins with the rules.

    Args:
        instance: the item's row.
        shown: what this question shows.
        recovery: whether attempts are counted only after the first deviation.
    """
    question = Message("user", _question_parts(instance, shown))
    if shown.after is not None:
        return Prompt((question,))
    rules = system_message(
        instance.state.metric,
        instance.max_attempts,
        instance.modality,
        instance.serialisation,
        instance.deviation if recovery else "all",
    )
    return Prompt((Message("system", (TextPart(rules),)), question))


def _question_parts(instance: Instance, shown: ShownQuestion) -> tuple[Part, ...]:
    metric = instance.state.metric
    lines = [] if shown.after is None else [_describe_change(*shown.after)]
    if shown.number:
        lines.append(f"Attempt {shown.number} of {instance.max_attempts}.")
    lines.append(f"The cube is {_describe_distance(metric, shown.state)} from solved.")
    above = " ".join(lines)
    if instance.modality != "image":
        above += f"\n\nCube state:\n{state_texts.state_text(shown.state, instance.serialisation)}"
    moves = "\n".join(f"{x}: {move}" for x, move in zip(LETTERS, shown.options, strict=True))
    below = TextPart(f"Moves:\n{moves}\n\n{move_question.ONE_LINE}")
    if instance.modality == "text":
        return (TextPart(above), below)
    return (TextPart(above), PicturePart(CubeNet(shown.state)), below)


def _describe_change(change: Change, move: str) -> str:
    """Return what the last reply did, in words, without saying whether it was good."""
    if change is Change.UNPARSED:
        return "No letter could be read in your reply; the cube is as it was."
    return f"{move} was carried out."


def _describe_distance(metric: Metric, state: str) -> str:
    distance = distance_oracle.exact_distance(metric, state)
    unit = "move" if metric == "htm" else "quarter turn"
    return f"{distance} {unit}" if distance == 1 else f"{distance} {unit}s"


SOLVED, UNSOLVED = "solved", "unsolved"
"""The labels of an outcome."""

EARLY = 3
"""Attempts that count as early."""


class AttemptEpisode(Episode):
    """The episode; see the module."""

    def __init__(self, instance: Instance, *, recovery: bool) -> None:
        """Begin with the first question."""
        self._instance = instance
        self._recovery = recovery
        self._now = rules.start_for_teacher(instance.state, instance.key, instance.deviation)
        self._stage: Stage = "teacher" if recovery else "attempt"
        self._number = 1
        self._last: tuple[Change, str] | None = None
        self._changes: Counter[Change] = Counter()
        self._strict = True
        self._deviation = 0
        self._note = ""

    @property
    def list_offered_moves(self) -> Maneuver:
        """The four moves that are offered now, in the order of their letters."""
        instance = self._instance
        if self._is_taught:
            right = self._now.plan[0]
            return rules.taught_options(
                instance.state.metric, instance.key, self._number, self._now.state, right
            )
        stage, number = rules.canonical_attempt(instance.redraw, self._stage, self._number)
        return rules.attempt_options(
            instance.state.metric, instance.key, stage, number, self._now.state
        )

    @property
    def _is_taught(self) -> bool:
        """Whether a reply other than the teacher's move would be the first deviation."""
        return self._stage == "teacher" and self._instance.deviation == "teacher"

    @property
    def current_situation(self) -> rules.Situation:
        """The state and the plan now."""
        return self._now

    def current_distance(self) -> int | None:
        """Return the exact distance of the state now; None beyond the oracle's reach."""
        try:
            return distance_oracle.exact_distance(self._instance.state.metric, self._now.state)
        except ValueError:
            return None

    def prompt(self) -> Prompt:
        """Return the question, and what the last reply did."""
        shown = ShownQuestion(
            state=self._now.state,
            options=self.list_offered_moves,
            number=0 if self._stage == "teacher" else self._number,
            after=self._last,
        )
        return question_prompt(self._instance, shown, recovery=self._recovery)

    def reply(self, text: str) -> Prompt | Outcome:
        """Carry out a reply; go on unless it ends the episode."""
        parsed = choose(read_choice(text), text, self.list_offered_moves)
        self._strict &= parsed.strict
        letter, taught = parsed.value, self._is_taught
        move = None if letter is None else self.list_offered_moves[LETTERS.index(letter)]
        self._now, change = rules.apply_reply(self._instance.state.metric, self._now, move)
        self._changes[change] += 1
        self._last = change, move or ""
        if not (closer := change is Change.TEACHER or change is Change.PROGRESS) and not self._note:
            what = f"{letter} ({move}) does not bring closer" if move else "no letter could be read"
            self._note = f"reply {self._changes.total()}: {what}"
        following = change is Change.TEACHER if taught else closer
        if self._now.is_solved:
            return self._build_outcome()
        if self._stage == "teacher":
            if following:
                self._number += 1
            else:
                self._deviation = self._changes.total()
                self._stage, self._number = "attempt", 1
            return self.prompt()
        if self._number == self._instance.max_attempts:
            return self._build_outcome()
        self._number += 1
        return self.prompt()

    def _build_outcome(self) -> Outcome:
        solved, budget = self._now.is_solved, self._instance.max_attempts
        counts = self._changes
        metrics: dict[str, float] = {
            "solved": float(solved),
            "teacher_moves": float(counts[Change.TEACHER]),
            "progress_moves": float(counts[Change.PROGRESS]),
            "setbacks": float(counts[Change.SETBACK]),
            "parse_failures": float(counts[Change.UNPARSED]),
            **read_replies(counts.total() - counts[Change.UNPARSED], counts.total()),
        }
        name = "recovered" if self._recovery else "solved"
        if self._recovery:
            metrics["deviated"] = float(self._deviation > 0)
            metrics["undeviated"] = float(self._deviation == 0)
        if self._stage == "teacher":
            metrics["attempts_all"] = 0.0
        else:
            if self._recovery:
                metrics["first_deviation"] = float(self._deviation)
            metrics[name] = float(solved)
            metrics[f"{name}_at_1"] = float(solved and self._number == 1)
            metrics[f"{name}_within_{EARLY}"] = float(solved and self._number <= EARLY)
            metrics["attempts_all"] = float(self._number if solved else budget)
            if solved:
                metrics["attempts"] = float(self._number)
        understood = counts.total() > counts[Change.UNPARSED]
        status = Status.CORRECT if solved else Status.WRONG if understood else Status.UNPARSED
        label = SOLVED if solved else UNSOLVED
        return Outcome(
            status,
            self._strict,
            gold=(SOLVED,),
            answer=(label,) if understood else (),
            metrics=metrics,
            note=self._note,
        )


def reference_replies(instance: Instance, *, recovery: bool) -> list[str]:
    """Return the replies of the player that takes the teacher's move, or else the one of G(s)."""
    episode = AttemptEpisode(instance, recovery=recovery)
    replies: list[str] = []
    while not episode.current_situation.is_solved:
        good = rules.progress_moves(instance.state.metric, episode.current_situation.state)
        taught = recovery and instance.deviation == "teacher"
        wanted = episode.current_situation.plan[:1] if taught else good
        place = next(i for i, move in enumerate(episode.list_offered_moves) if move in wanted)
        replies.append(FORM.format(LETTERS[place]))
        if isinstance(episode.reply(replies[-1]), Outcome):
            break
    return replies
