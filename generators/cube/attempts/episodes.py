"""The episode of attempts, in both of its forms (Cube Bench, 4.3.7 and 5.4).

Learning curve: every reply is an attempt; T is their number until the cube is solved.

Recovery: as long as every reply is the offered move of G(s), nothing is counted. The first reply
that is not is the deviation; it is carried out like any other, and the attempts after it are
counted. Only one move of G(s) is offered, so it stands for the teacher's, and a deviation is always
a setback or an unreadable reply. (Where fewer than three moves lie outside G(s), several moves of
G(s) are offered, and any of them will do.) A recovery that deviates from the teacher offers the
teacher's move and three of all others instead, and any other reply than that move is the deviation,
even one that brings closer.

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

In the recovery form `deviated` says whether there was a deviation and `undeviated` the opposite;
`recovered`, `recovered_at_1` and `recovered_within_3` stand for the three shares, and they,
`attempts` and `first_deviation` (the number of the reply, from 1) are there only if there was one.
`attempts_all` is 0 where there was none. `recovered_at_1` can be 1 if the deviation was an
unreadable reply one move from solved.
"""

from __future__ import annotations

from collections import Counter

from facelet.generators.core.measures import read_replies
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.letter import FORM, choose, read_choice
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.cube.attempts import prompts, rules
from facelet.generators.cube.attempts.instances import Instance
from facelet.generators.cube.attempts.prompts import ShownQuestion
from facelet.generators.cube.attempts.rules import Change, Stage
from facelet.generators.cube.distance import distance_oracle
from facelet.generators.cube.engine.notation import Maneuver
from facelet.generators.options.letter_placement import LETTERS

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
        return prompts.question_prompt(self._instance, shown, recovery=self._recovery)

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
