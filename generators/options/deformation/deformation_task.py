"""Base of the deformation tasks: params, settings, generation, prompts and judging.

A family defines its world and whether all its starts are one; a task defines which way it asks.

Answers are chosen from options, or written (`WrittenAnswers`). A written forward question asks for
the code of the result, an inverse one for any list of the stated number of operations that leads to
it. Both are carried out: another list that leads there is as right as the one that was drawn.
`parts` is the share of places, filled in one result or the other, in which the answer's result
agrees with the right one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from facelet.generators.core.chance_level import BlindLimit, ExactChance
from facelet.generators.core.deviations import Deviation
from facelet.generators.core.measures import Accuracy, MeanOf, Measure
from facelet.generators.core.params import BaseParams, param
from facelet.generators.core.prompts import Prompt
from facelet.generators.core.replies.boundary import Parsed
from facelet.generators.core.replies.written import read_written
from facelet.generators.core.row_schema import Column, column, columns_of
from facelet.generators.core.seeding import Draw
from facelet.generators.core.task import Episode, Outcome, Reject, Status, Task, Traits
from facelet.generators.options.deformation import (
    episodes,
    question_prompts,
    questions,
    reasoning_chains,
)
from facelet.generators.options.deformation.episodes import (
    STAGED,
    TOOLED,
    AnswerEpisode,
    Method,
    ReflectionEpisode,
    ToolEpisode,
    TreeEpisode,
)
from facelet.generators.options.deformation.question_prompts import (
    REASONED,
    Input,
    Variant,
    WantedAnswer,
    want_letter,
)
from facelet.generators.options.deformation.questions import Direction, Half, Question
from facelet.generators.options.deformation.world_protocol import World
from facelet.generators.options.letter_placement import LETTERS

HIGHEST = 100_000
EXAMPLES = 5
SIZES = (128, 256)
_HUB = "as published: the right option is the one that the three others are made of"
_ATTEMPTS = 1000


@dataclass(frozen=True, slots=True)
class DeformationParams(BaseParams):
    """Knobs of all deformation tasks."""

    level: int = param(
        1, "number of operations, the place on the ladder", low=1, high=HIGHEST, axis="level"
    )
    input: Input = param("picture", "whether states are shown as pictures, as text or both")
    prompt: Variant = param("text", "the prompt variant of appendix D")
    examples: int = param(1, "worked examples of few-shot prompts", low=1, high=EXAMPLES)
    method: Method = param(
        "answer", "one reply, second thoughts, a tree of thoughts, a tool, or thought and action"
    )
    calls: int = param(
        0, "how often a tool may be used; 0 for four times the level", low=0, high=4 * HIGHEST
    )
    rounds: int = param(
        1, "how often an answer is reflected on, or stages of a tree of thoughts", low=1, high=10
    )
    replaced: int = param(
        0,
        "0 for options by design; else operations of each wrong list that are replaced at random, "
        "as published, at most level",
        low=0,
        high=1000,
    )
    half: Half = param("test", "which half of all starts is drawn from; no start is in both")
    letters: bool = param(False, "whether pictures tell colors by letters too")
    size: int = param(
        0,
        f"edge of a shape or of a view of a cube, {SIZES[0]} to {SIZES[1]} pixels; 0 for usual",
        low=0,
        high=SIZES[1],
    )

    def validate(self) -> None:
        """Raise ValueError for values that are out of range."""
        BaseParams.validate(self)
        if 0 < self.size < SIZES[0]:
            raise ValueError(
                f"size={self.size} is out of range; use {SIZES[0]} to {SIZES[1]} pixels, or 0 for "
                "the usual"
            )


@dataclass(frozen=True, slots=True)
class Setting:
    """How a question is put."""

    input: Input = column("whether states are shown as pictures, as text or both")
    prompt: Variant = column("the prompt variant")
    examples: int = column("worked examples of a few-shot prompt", type="int8")
    method: Method = column("one reply, second thoughts, a tree, a tool, or thought and action")
    calls: int = column("how often the tool may be used")
    rounds: int = column("second thoughts, or stages of a tree of thoughts", type="int8")
    letters: bool = column("whether pictures tell colors by letters too")
    size: int = column("edge of a shape or a view in pixels; 0 for the usual", type="int16")
    replaced: int = column("0 for options by design; else operations replaced in each wrong list")


def params_to_setting(params: DeformationParams) -> Setting:
    """Return the setting that params ask for."""
    tooled = params.method in TOOLED
    return Setting(
        input=params.input,
        prompt=params.prompt,
        examples=params.examples if params.prompt == "few_shot" else 0,
        method=params.method,
        calls=(params.calls or 4 * params.level) if tooled else 0,
        rounds=params.rounds if params.method in STAGED else 0,
        letters=params.letters,
        size=params.size,
        replaced=min(params.replaced, params.level),
    )


class Instance(Protocol):
    """What an instance of each family holds."""

    @property
    def world(self) -> World[Any]:
        """The rules."""

    @property
    def question(self) -> Question:
        """The question."""

    @property
    def setting(self) -> Setting:
        """How it is put."""


P = TypeVar("P", bound=DeformationParams)
I = TypeVar("I", bound=Instance)  # noqa: E741 - an instance, as in facelet.generators.core.task

DERIVED = (
    Column("live", "int32", "steps of the right list without which it leads elsewhere"),
    Column("even_places", "float64", "share of places equal in all four results, or two and two"),
    Column("differing", "list<int32>", "places in which each result differs from the right one"),
    Column("agreement", "list<float64>", "share of places that agree with the right result"),
    Column("idle_steps", "list<int32>", "steps of each list that change nothing"),
)
"""Columns that follow from the question and are not read back."""


class Deformation(Task[P, I], Generic[P, I], vocabulary=True):
    """Base of the tasks; see the module. The columns follow from `instance` and `direction`.

    Attributes:
        direction: what is asked.
    """

    direction: ClassVar[Direction]
    depth: ClassVar[str] = "live"
    decided_by: ClassVar[tuple[str, ...]] = ("answer", "prompt", "method", "calls", "rounds")
    measures: ClassVar[tuple[Measure, ...]] = (Accuracy(by=("live",)),)

    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "wrong options replace r operations at random",
            "two places with two choices each: a sticker or quadrant splits options evenly",
            "random ones are recognized by the centres, by one sticker, or by the turns alone",
            "replaced=1",
        ),
        Deviation(
            "some prompts ask for reasons with the answer",
            "only the letter is asked for",
            "what is not graded need not be written; `prompt` has reasons as another variant",
        ),
        Deviation(
            "external tools criticise a self-reflecting player",
            "it criticises itself, without a verdict",
            "with four options a verdict reveals the answer",
        ),
        Deviation(
            "",
            "a tree of thoughts has three paths a stage, judged by the player; `rounds` "
            "stages, by default one",
            "the paper gives no number; three fit into a reply",
        ),
        Deviation(
            "tools are programs such as game engines and models",
            "one tool applies an operation to a code",
            "the programs are no part of the questions",
        ),
    )

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Derive the columns of a task with a direction."""
        super().__init_subclass__(**kwargs)
        if "direction" in vars(cls):
            cls.columns = cls._list_columns()

    @classmethod
    def _list_columns(cls) -> tuple[Column, ...]:
        """Return the columns: those of the instances, with the role of the options."""
        options = "results" if cls.direction == "forward" else "lists"
        found = (
            replace(item, role="options") if item.name == options else item
            for item in columns_of(cls._instance_record())
        )
        return (*found, *DERIVED)

    @classmethod
    def _instance_record(cls) -> type[Any]:
        """Return the record of the instances."""
        if cls.instance is None:
            raise TypeError(f"{cls.__qualname__} has no `instance`")
        return cls.instance

    @abstractmethod
    def _params_world(self, params: P) -> World[Any]:
        """Return the rules that params ask for."""

    def _one_start(self, world: World[Any]) -> bool:
        """Return whether all starts of a world are alike."""
        return False

    def generate(self, params: P, draw: Draw, resource: Any) -> tuple[I, ...]:
        """Return the question."""
        world = self._params_world(params)
        question = questions.draw_question(
            world,
            self.direction,
            params.level,
            params.replaced,
            params.half,
            draw,
            one_start=self._one_start(world),
        )
        return (self._build_instance(world, question, params),)

    def _build_instance(self, world: World[Any], question: Question, params: P) -> I:
        made: I = self._instance_record()(world, question, params_to_setting(params))
        return made

    def instance_about(self, params: P, start: str, steps: Sequence[str], draw: Draw) -> I:
        """Return a question about a start and operations that others chose.

        Args:
            params: the params; `replaced` says how many operations each wrong list has replaced.
            start: the code of the start, however its lines are cut.
            steps: the operations, of which the right list consists.
            draw: the item's randomness.

        Raises:
            Reject: no wrong lists were found.
            ValueError: start or operations are none of this world.
        """
        world = self._params_world(params)
        question = questions.question_about(
            world,
            self.direction,
            world.read(start.strip()),
            [step for text in steps for step in world.read_steps(text)],
            params.replaced,
            draw,
            one_start=self._one_start(world),
        )
        return self._build_instance(world, question, params)

    def chance_level(self, params: P) -> ExactChance | None:
        """Return one of four."""
        return ExactChance(0.25)

    def blind_limit(self, params: P) -> BlindLimit | None:
        """Return all, where wrong options are made of the right one, as published."""
        return BlindLimit(1.0, _HUB) if params.replaced else None

    def open(self, instance: I) -> Episode:
        """Return the question, played by its method."""
        how, world, wanted = (
            instance.setting,
            instance.world,
            self._choose_answer_kind(instance),
        )

        def ask_question() -> Prompt:
            return self._question_prompt(instance)

        def judge_choice(chosen: str, strict: bool) -> Outcome:
            return self._judge_choice(instance, chosen, strict)

        if how.method in TOOLED:
            react = how.method == "react"
            return ToolEpisode(world, wanted, ask_question, judge_choice, how.calls, react=react)
        if how.method == "reflection":
            return ReflectionEpisode(wanted, ask_question, judge_choice, how.rounds)
        if how.method == "tree":
            return TreeEpisode(wanted, ask_question, judge_choice, how.rounds)
        return AnswerEpisode(wanted, ask_question, judge_choice, int(how.prompt in REASONED))

    def _choose_answer_kind(self, instance: I) -> WantedAnswer:
        """Return which answer is asked for."""
        question = instance.question
        return want_letter(question.results if self.direction == "forward" else question.lists)

    def _question_prompt(self, instance: I) -> Prompt:
        how, world, wanted = (
            instance.setting,
            instance.world,
            self._choose_answer_kind(instance),
        )
        worked = draw_examples(
            world,
            self.direction,
            instance.question.level,
            how.examples,
            self._one_start(world),
            wanted.written,
        )
        return question_prompts.question_prompt(
            world,
            instance.question,
            self.direction,
            how.input,
            how.prompt,
            how.letters,
            wanted,
            worked,
            episodes.reply_instructions(world, wanted, how.method, how.calls),
            size=how.size,
            tooled=how.method in TOOLED,
        )

    def _judge_choice(self, instance: I, chosen: str, strict: bool) -> Outcome:
        question = instance.question
        if not chosen:
            return Outcome(Status.UNPARSED, False, gold=(question.answer,))
        right = questions.is_right_option(instance.world, question, self.direction, chosen)
        return Outcome(
            Status.CORRECT if right else Status.WRONG,
            strict,
            gold=(question.answer,),
            answer=(chosen,),
        )

    def gold_answer(self, instance: I) -> str:
        """Return the letter."""
        return instance.question.answer

    def reference(self, instance: I) -> list[str]:
        """Return the answer in the requested format, once for each that is asked for."""
        return reference_replies(instance.setting, self.gold_answer(instance))

    def write_reasoned_reply(self, instance: I) -> str:
        """Return the operations carried out one by one, and the letter on a line of its own."""
        return reasoning_chains.write_chain(instance.world, instance.question, self.direction)

    def find_faults(self, instance: I) -> list[str]:
        """Return what is false about the options, the answer or the setting."""
        world = instance.world
        return questions.find_question_faults(
            world,
            instance.question,
            self.direction,
            instance.setting.replaced,
            one_start=self._one_start(world),
        )

    def group_key(self, instance: I) -> str:
        """Return a digest of the start, the lists and the results that are shown."""
        world, written = instance.world, self._choose_answer_kind(instance).written
        return questions.key_of(world, instance.question, self.direction, written=written)

    def list_shown_keys(self, instance: I) -> tuple[str]:
        """Return the same digest: it is the same for all that symmetry makes of the question."""
        return (self.group_key(instance),)

    def split_key(self, instance: I) -> str:
        """Return the start up to symmetry; where all starts are one, what the question shows."""
        alike = self._one_start(instance.world)
        return self.group_key(instance) if alike else instance.question.canonical

    def encode(self, instance: I) -> dict[str, Any]:
        """Return the typed columns."""
        near = questions.measure_nearness(instance.world, instance.question)
        return {
            **super().encode(instance),
            "live": near.live,
            "even_places": near.even,
            "differing": list(near.differing),
            "agreement": list(near.agreement),
            "idle_steps": list(near.idle),
        }


def reference_replies(how: Setting, answer: str) -> list[str]:
    """Return the replies of a player that knows the answer."""
    if how.method == "react":
        return [f"Thought: I have followed the operations.\nAction: Answer {answer}"]
    if how.method == "tree":
        return ["Path 1: follow the operations one by one."] * how.rounds + [answer]
    return [answer] * (1 + how.rounds)


@lru_cache(maxsize=256)
def draw_examples(
    world: World[Any],
    direction: Direction,
    level: int,
    count: int,
    one_start: bool,
    written: bool = False,
) -> tuple[tuple[Question, str], ...]:
    """Return the worked examples of few-shot prompts: the same for all questions of a level.

    Their starts are of the half "train", so no test question is among them.

    Args:
        world: the rules.
        direction: what is asked.
        level: number of operations.
        count: how many.
        one_start: whether all starts are alike.
        written: whether the answer is written.
    """
    found = []
    for number in range(count):
        for attempt in range(_ATTEMPTS):
            draw = Draw(("few-shot", repr(world), direction, level), number, attempt)
            try:
                made = questions.draw_question(
                    world, direction, level, 0, "train", draw, one_start=one_start
                )
            except Reject:
                continue
            found.append(
                (made, reasoning_chains.write_chain(world, made, direction, written=written))
            )
            break
    return tuple(found)


_FEW = "with few operations there are few lists, and one fits many questions"


class WrittenAnswers(Deformation[P, I], Generic[P, I]):
    """Base of the tasks; see the module."""

    traits: ClassVar[Traits] = Traits(simulated=True)
    decided_by: ClassVar[tuple[str, ...]] = ()
    measures: ClassVar[tuple[Measure, ...]] = (Accuracy(by=("live",)), MeanOf(metric="parts"))
    deviations: ClassVar[tuple[Deviation, ...]] = (
        Deviation(
            "one of four options is chosen",
            "the code of the result, or a list that leads there, is written",
            "it is not in the paper; part of the work wins nothing here",
        ),
    )

    @classmethod
    def _list_columns(cls) -> tuple[Column, ...]:
        """Return the columns: those of the instances without options, and the answer."""
        said = "code of the result" if cls.direction == "forward" else "the list that was drawn"
        target = Column("target", "string", f"{said}, the answer")
        return (*columns_of(cls._instance_record()), *DERIVED, target)

    def chance_level(self, params: P) -> None:
        """Return None: what guessing scores is unknown."""
        return

    def blind_limit(self, params: P) -> BlindLimit | None:
        """Return what one list wins, where lists are short."""
        if self.direction == "forward" or params.level > 2:
            return None
        return BlindLimit(0.4 if params.level == 1 else 0.2, _FEW)

    def _choose_answer_kind(self, instance: I) -> WantedAnswer:
        world, forward = instance.world, self.direction == "forward"
        grammar, count = world.grammar(self.direction), instance.question.level

        def read(reply: str, reasoned: bool) -> Parsed[str]:
            return read_written(reply, grammar, reasoned=reasoned, count=0 if forward else count)

        if forward:
            return WantedAnswer("the code of the result", read, written=True)
        _, step, _ = world.lesson_steps()[0]
        sample = world.write_steps([step] * 2)
        noun = f"the list of operations on one line, written like {sample}"
        return WantedAnswer(noun, read, written=True)

    def _judge_choice(self, instance: I, chosen: str, strict: bool) -> Outcome:
        world, question = instance.world, instance.question
        gold = (self.gold_answer(instance),)
        if not chosen:
            return Outcome(Status.UNPARSED, False, gold=gold, metrics={"parts": 0.0})
        right = world.read(question.results[LETTERS.index(question.answer)])
        state = world.read(chosen) if self.direction == "forward" else None
        if state is None:
            steps = world.read_steps(chosen)
            if len(steps) != question.level:
                note = f"{len(steps)} operations where {question.level} are asked for"
                return Outcome(
                    Status.WRONG, strict, gold, (chosen,), metrics={"parts": 0.0}, note=note
                )
            state = world.read(question.start)
            for number, step in enumerate(steps, 1):
                state = world.apply_step(state, step)
                try:
                    world.check_lawful(state)
                except ValueError as error:
                    note = f"operation {number}: {error}"
                    return Outcome(
                        Status.ILLEGAL, strict, gold, (chosen,), metrics={"parts": 0.0}, note=note
                    )
        filled = max(1, world.place_count(right, state))
        parts = 1 - world.count_differences(right, state) / filled
        status = Status.CORRECT if state == right else Status.WRONG
        return Outcome(status, strict, gold=gold, answer=(chosen,), metrics={"parts": parts})

    def gold_answer(self, instance: I) -> str:
        """Return the code of the result, or the list that was drawn."""
        question = instance.question
        answers = question.results if self.direction == "forward" else question.lists
        return answers[LETTERS.index(question.answer)]

    def write_reasoned_reply(self, instance: I) -> str:
        """Return the operations carried out one by one, and the answer on a line of its own."""
        world: World[Any] = instance.world
        return reasoning_chains.write_chain(world, instance.question, self.direction, written=True)

    def encode(self, instance: I) -> dict[str, Any]:
        """Return the typed columns."""
        return {**super().encode(instance), "target": self.gold_answer(instance)}
