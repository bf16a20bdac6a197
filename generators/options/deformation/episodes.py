"""Episodes of a deformation question: one reply or several, or a tool (appendix C.4).

- answer: the question, one reply.
- reflection: after an answer the player is asked to criticise it and to answer anew, as often as
  `rounds` says; the last answer counts. Nobody says whether an answer was right: of four options
  the third correction would give it away.
- tree: tree of thoughts (C.4.1). The player names three paths, judges them, goes on with the
  best, for `rounds` stages, and answers at last; only the last reply is read.
- tool: a reply may ask for one operation to be carried out on a code, `Apply OPERATION to CODE`,
  and is told the code that comes out; the reply that asks for nothing is the answer.
- react: the same, each reply a line `Thought: ...` and a line `Action: ...`, the tool's answer an
  observation; the last action is `Answer X`.

The paper's tools are other people's programs (a game engine, a sandbox); the one here does what any
of them would be used for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Literal

from facelet.generators.core.prompts import Message, Prompt, TextPart
from facelet.generators.core.replies.boundary import visible_text
from facelet.generators.core.replies.written import plain_items
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.options.deformation.question_prompts import WantedAnswer
from facelet.generators.options.deformation.world_protocol import S, World

Method = Literal["answer", "reflection", "tree", "tool", "react"]
STAGED: tuple[Method, ...] = ("reflection", "tree")
"""Methods of as many stages as `rounds` says."""
TOOLED: tuple[Method, ...] = ("tool", "react")

MOST_CALL = 400
"""Longest operation or code in a call, in characters."""
_OBSERVED = re.compile(r"\n\s*Observation:")
_APPLY = re.compile(
    rf"(?:Action: )?Apply (?P<step>[^\n]{{1,{MOST_CALL}}}?)"
    rf" to (?P<code>[^\n]{{1,{MOST_CALL}}}?) ?\.?"
)

TOOL = """\
You have a tool that carries out one operation on a code. To use it, end your reply with the line
Apply OPERATION to CODE
such as: Apply {step} to {code}
You are then told the code that comes out. You may use it {calls} times. As soon as you know the \
answer, reply with {answer}, and with nothing else."""

REACT = """\
Work in rounds of thought, action and observation. Each reply is two lines:
Thought: what you think
Action: Apply OPERATION to CODE
such as: Action: Apply {step} to {code}
You are then told the code that comes out, as an observation. You may act {calls} times. When you \
know the answer, the second line is
Action: Answer X
with {answer} for X."""

CRITICISE = """\
Now check your answer. Carry the operations out once more, say what is wrong with your first \
reasoning if anything is, and end with a line that holds only {answer}: the same or another."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A use of the tool: an operation and a code, as the player wrote them."""

    step: str
    code: str


def read_tool_call(reply: str) -> ToolCall | None:
    """Return the use of the tool that the last line of a reply asks for, or None."""
    said = plain_items(visible_text(reply))
    found = _APPLY.fullmatch(said, said.rfind("\n") + 1)
    return ToolCall(found["step"], found["code"]) if found else None


def thought_and_action(reply: str) -> bool:
    """Return whether a reply is a line of thought and a line of action."""
    lines = visible_text(reply).split("\n")
    return len(lines) == 2 and lines[0].startswith("Thought: ") and lines[1].startswith("Action: ")


def use_tool(world: World[S], asked: ToolCall) -> str:
    """Return what the tool says: a code, or why there is none."""
    try:
        steps = world.read_steps(world.grammar("inverse").read(asked.step))
        state = world.read(asked.code)
        world.check_lawful(state)
    except ValueError as error:
        return f"That cannot be done: {error}."
    if len(steps) != 1:
        return "That cannot be done: give one operation at a time."
    return world.write_state(world.apply_step(state, steps[0]))


PATHS = """\
Do not answer yet. Think of three different paths to the answer and begin each of them, a line each:
Path 1: how it goes, and what it gives so far
Path 2: ...
Path 3: ..."""

EXTEND = """\
Judge each path: sure, likely or impossible, and why. Keep the best and take it one stage further \
in three ways, written as Path 1 to Path 3 again. Do not answer yet."""

DECIDE = """\
Judge each path: sure, likely or impossible, and why. Follow the best one to its end, and end your \
reply with a line that holds only {answer}."""


Judge = Callable[[str, bool], Outcome]
"""From an answer and whether the format was kept to the outcome."""


class QuestionEpisode(Episode):
    """Base of the episodes: a first prompt, the answer that it asks for, and its judge."""

    __slots__ = ("_judge", "_left", "_prompt", "_wanted")

    def __init__(
        self, wanted: WantedAnswer, ask: Callable[[], Prompt], judge: Judge, rounds: int = 0
    ) -> None:
        """Start a play.

        Args:
            wanted: which answer is asked for.
            ask: builds the first prompt.
            judge: judges an answer.
            rounds: replies that are asked for before the last one.
        """
        self._wanted, self._prompt, self._judge, self._left = wanted, ask, judge, rounds

    def prompt(self) -> Prompt:
        """Return the question."""
        return self._prompt()


class AnswerEpisode(QuestionEpisode):
    """A question of one reply; `rounds` is 1 where reasoning may come before the answer."""

    __slots__ = ()

    @property
    def takes_one_reply(self) -> bool:
        """Return True."""
        return True

    def reply(self, text: str) -> Outcome:
        """Judge the reply."""
        parsed = self._wanted.read(text, self._left > 0)
        return self._judge(parsed.value or "", parsed.strict)


class ToolEpisode(QuestionEpisode, Generic[S]):
    """A question with a tool; see the module."""

    __slots__ = ("_calls", "_react", "_strict", "_used", "_world")

    def __init__(
        self,
        world: World[S],
        wanted: WantedAnswer,
        ask: Callable[[], Prompt],
        judge: Judge,
        calls: int,
        *,
        react: bool,
    ) -> None:
        """Start a play.

        Args:
            world: the rules.
            wanted: which answer is asked for.
            ask: builds the first prompt.
            judge: judges an answer.
            calls: how often the tool may be used.
            react: whether replies are thoughts and actions.
        """
        super().__init__(wanted, ask, judge)
        self._world, self._calls, self._react = world, calls, react
        self._used, self._strict = 0, True

    def reply(self, text: str) -> Prompt | Outcome:
        """Use the tool, or judge the answer."""
        if self._react:
            # What a reply makes up of the tool's words, and what follows, is no part of it.
            text = _OBSERVED.split(text, maxsplit=1)[0]
            self._strict &= thought_and_action(text)
        if asked := read_tool_call(text):
            self._used += 1
            if self._used > self._calls:
                return self._build_outcome(None, strict=False)
            said = use_tool(self._world, asked)
            lead = "Observation: " if self._react else ""
            left = self._calls - self._used
            more = f"\nYou may {'act' if self._react else 'use the tool'} {left} more times."
            return _text_prompt(f"{lead}{said}{more}")
        if self._react:
            found = visible_text(text)
            last = found[found.rfind("\n") + 1 :]
            exact = re.fullmatch(r"Action: Answer (.+)", last)
            if (
                exact
                and found.count("Action: Answer") == 1
                and (parsed := self._wanted.read(exact[1], False)).strict
            ):
                return self._build_outcome(parsed.value, strict=self._strict)
            return self._build_outcome(self._wanted.read(text, True).value, strict=False)
        parsed = self._wanted.read(text, False)
        return self._build_outcome(parsed.value, strict=parsed.strict)

    def _build_outcome(self, chosen: str | None, *, strict: bool) -> Outcome:
        outcome = self._judge(chosen or "", strict)
        return _add_metrics(outcome, calls=float(min(self._used, self._calls)))


class ReflectionEpisode(QuestionEpisode):
    """A question with second thoughts, `rounds` of them; see the module."""

    __slots__ = ("_first", "_last", "_strict")

    def __init__(
        self, wanted: WantedAnswer, ask: Callable[[], Prompt], judge: Judge, rounds: int
    ) -> None:
        """Start a play; for the arguments see QuestionEpisode."""
        super().__init__(wanted, ask, judge, rounds)
        self._first: str | None = None
        self._last, self._strict = "", True

    def reply(self, text: str) -> Prompt | Outcome:
        """Take an answer; after the last one, judge it. One that cannot be read changes nothing."""
        parsed = self._wanted.read(text, self._first is not None)
        self._strict &= parsed.strict
        self._last = parsed.value or self._last
        if self._first is None:
            self._first = self._last
        if self._left:
            self._left -= 1
            return _text_prompt(CRITICISE.format(answer=self._wanted.noun))
        outcome = self._judge(self._last, self._strict)
        first = self._judge(self._first, False).status is Status.CORRECT
        return _add_metrics(outcome, first_correct=float(first), calls=0.0)


class TreeEpisode(QuestionEpisode):
    """A question that is answered after `rounds` stages of paths; see the module."""

    __slots__ = ()

    def reply(self, text: str) -> Prompt | Outcome:
        """Ask for the next stage, or judge the answer."""
        if self._left:
            self._left -= 1
            return _text_prompt(EXTEND if self._left else DECIDE.format(answer=self._wanted.noun))
        parsed = self._wanted.read(text, True)
        return self._judge(parsed.value or "", parsed.strict)


def reply_instructions(world: World[S], wanted: WantedAnswer, method: Method, calls: int) -> str:
    """Return how to reply, or "" where the prompt variant says it.

    Args:
        world: the rules.
        wanted: which answer is asked for.
        method: how the question is played.
        calls: how often the tool may be used.
    """
    if method == "reflection":
        return wanted.answer_request()
    if method == "tree":
        return PATHS
    if method not in TOOLED:
        return ""
    state, step, _ = world.lesson_steps()[0]
    text = TOOL if method == "tool" else REACT
    return text.format(
        step=world.write_steps([step]),
        code=world.write_state(state),
        calls=calls,
        answer=wanted.noun,
    )


def _text_prompt(text: str) -> Prompt:
    return Prompt((Message("user", (TextPart(text),)),))


def _add_metrics(outcome: Outcome, **metrics: float) -> Outcome:
    return Outcome(
        outcome.status,
        outcome.strict,
        gold=outcome.gold,
        answer=outcome.answer,
        metrics={**outcome.metrics, **metrics},
    )
