"""The episode of cube/navigate, step by step, and its prompts (CubeBench, section 3.2).

All texts are Facelet's own; what they describe is in CubeBench, sections 3.1 and 3.2 and appendices
D, I, J and K. The first prompt shows the first observation, so that every row contains its puzzle;
the paper's agents have to ask for it.

A reply is a step; one without a list of commands does nothing. A step also ends at its 1,000th
action that is refused. The episode ends as soon as the cube is solved, at final_answer, or after
the last step, and is correct iff the cube is solved. Only replies are replayed: observations and
rewards in a transcript are ignored.

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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from facelet.generators.core.measures import read_replies
from facelet.generators.core.prompts import (
    Message,
    Part,
    PicturePart,
    Prompt,
    TextPart,
    chat_prompt,
)
from facelet.generators.core.task import Episode, Outcome, Status
from facelet.generators.cube.engine.facelet_codecs import SCHEMES
from facelet.generators.cube.navigation.environment import (
    CommandResult,
    CubeEnvironment,
    NavigationRules,
    Reward,
)
from facelet.generators.cube.navigation.observations import Display, observe_state
from facelet.generators.cube.navigation.replies import REFUSALS, TURNS, Mode, read_commands
from facelet.generators.cube.navigation.solver_tools import (
    ANSWER_FORMAT,
    ideal_format,
    standard_format,
)
from facelet.renderers.scenes.records import Scene

SHOWN = 40
"""The results of at most this many actions of a step are told, the last ones."""
LOOKS = 4
"""At most this many observations of a step are shown in the next prompt, the last ones."""
ANSWERS = 4
"""At most this many answers of the solver are told, the last ones."""

Happening = tuple[int, CommandResult, str, str]
"""An action of a step: its number, its result, the state and the viewpoint after it."""

_RULES = """\
You solve a Rubik's Cube by acting on it, in at most {steps} steps.

The cube
- Its faces are F (front), B (back), L (left), R (right), U (up) and D (down). The centers never \
move: {centers}.
- It is solved when every face shows nothing but the color of its center.

What you see
{seeing}

Actions
{actions}

Steps
- A step is one reply of yours, with any number of actions; they are carried out in the order given.
- The episode ends as soon as the cube is solved, which is the goal, or with final_answer, or \
after step {steps}. All in all {moves:,} moves may be made.
- Anything that is no action is refused: nothing changes, you are told why, and it is counted.
- After a step you read what came of its actions, of the last {shown} if there were more, and see \
its observations, the last {looks} at most.

Format
{format}"""

_NET = """\
Think of the cube unfolded as a tower: U above F, D below F, B below D, L and R at the left and \
the right of F. So the first row of B touches the last row of D"""

_SEEING = {
    "symbolic": f"""\
- An observation is a text of 54 letters, one a sticker: the faces F, B, L, R, U, D in this order, \
nine letters each, row by row. The letters are the initials of the colors: {{letters}}.
- {_NET}, and every face is read in this tower from left to right, from top to bottom.""",
    "net": f"""\
- An observation is a picture of the whole cube, unfolded.
- {_NET}.""",
    "face": """\
- An observation is a picture of one face, the one in front of you. At first that is F, with U at \
its top. To see the others, walk around the cube.""",
    "vertex": """\
- An observation is a picture of three faces around a corner: the one in front of you, the one on \
its right and the one on top. At first these are F, R and U. To see the others, walk around the \
cube.""",
}

_MOVE = """\
- {turns}: a move. It turns that face of the cube by 90 degrees, clockwise for someone who looks \
straight at the face, or the other way with an apostrophe. There are no half turns.{names}
- Each move is answered with a reward: {reward}"""

_NAMES = """ \
The letters always mean the same six faces of the cube, wherever you stand: F is the face with the \
{front} center."""

_REWARDS: dict[Reward, str] = {
    "none": "1 if it solves the cube, 0 otherwise.",
    "sticker": "the change in the number of stickers, centers included, that are on the face of "
    "their color; a solved cube has 54.",
    "face": "the change in the number of faces that show one color only; a solved cube has 6.",
    "heuristic": "the change in the number of steps that are complete, counted in order from the "
    "first, of a method by layers: (1) the four edges of D are right, in place and color, (2) the "
    "four corners of D too, (3) the four edges between U and D too, (4) the four edges of U show "
    "its color on top, (5) they are right, (6) the four corners of U are in place, twisted or not, "
    "(7) they are right, and the cube is solved.",
}

_OBSERVE = "- get_observation: look at the cube as it is now."

_WALK = """\
- up, down, left, right: walk a quarter of a circle around the cube in that direction, so that \
the face at that side comes to the front: from the start, up shows you U with B on top, down shows \
D with F on top, left shows L and right shows R, both with U on top. The cube itself does not \
move."""

_SOLVE = "- solve: TEXT: ask a solver about a cube that you describe. {takes} {answers}"

_FINISH = "- final_answer: end the episode."

_JSON = """\
End your reply with one JSON object that lists the actions as strings, after whatever you want to \
say or think. Several moves may share a string, with blanks between them."""

_CODE = f"""\
If you have a tool that runs Python with make_move(move), get_observation(){{more}} \
and final_answer(), call these functions there: each returns its result at once, and the calls \
made during a reply are the actions of that step. Otherwise write the actions yourself. {_JSON}
{{{{"actions": ["F", "R'", "get_observation"]}}}}"""

_NO_CODE = f"""\
There is no code in this episode: you plan the actions of a step before you see what any of them \
does. {_JSON} For moves alone:
{{{{"moves": ["D", "B", "B"]}}}}
and with other actions among them:
{{{{"actions": ["F", "R'", "get_observation"]}}}}"""


def rules_text(rules: NavigationRules, mode: Mode, steps: int) -> str:
    """Return the text of the system message.

    Args:
        rules: display, reward, solver and number of moves.
        mode: whether the player may act through code.
        steps: replies that the episode has.
    """
    display = rules.display
    scheme = SCHEMES[display.scheme]
    centers = ", ".join(f"{face} {scheme.colours[face].lower()}" for face in "FBLRUD")
    letters = ", ".join(
        f"{scheme.letters[face]} {scheme.colours[face].lower()}" for face in "FBLRUD"
    )
    names = _NAMES.format(front=scheme.colours["F"].lower()) if display.is_partial else ""
    actions = [
        _MOVE.format(turns=", ".join(TURNS), names=names, reward=_REWARDS[rules.reward]),
        _OBSERVE,
    ]
    if display.is_partial:
        actions.append(_WALK)
    if rules.agent != "basic":
        standard = rules.agent == "standard"
        takes = standard_format() if standard else ideal_format(display.facelet_codec)
        actions.append(_SOLVE.format(takes=takes, answers=ANSWER_FORMAT))
    actions.append(_FINISH)
    more = ", apply_view_transformation(direction)" if display.is_partial else ""
    more += "" if rules.agent == "basic" else ", solve(text)"
    form = _CODE if mode == "code" else _NO_CODE
    return _RULES.format(
        steps=steps,
        centers=centers,
        seeing=_SEEING[display.observation].format(letters=letters),
        actions="\n".join(actions),
        moves=rules.moves,
        shown=SHOWN,
        looks=LOOKS,
        format=form.format(more=more),
    )


def opening_parts(seen: str | Scene, steps: int) -> tuple[str | Scene, ...]:
    """Return the parts of the first user message."""
    before = "What you see before your first action:"
    after = f"This is step 1 of {steps}."
    if isinstance(seen, str):
        return (f"{before}\n{seen}\n\n{after}",)
    return (before, seen, after)


def unreadable_text(mode: Mode) -> str:
    """Return the answer to a reply without a list of actions."""
    key = "actions" if mode == "code" else "moves"
    return (
        "No list of actions could be read in your reply, so nothing was done. End it with one JSON "
        f'object such as {{"{key}": ["F", "R\'"]}}.'
    )


def result_parts(
    last: Sequence[Happening], total: int, display: Display, answers: Sequence[str]
) -> list[Part]:
    """Return the results of a step, with its last observations.

    Args:
        last: the last SHOWN actions of the step, its last LOOKS observations and its last ANSWERS
            questions to the solver, in order.
        total: number of actions in the step.
        display: how a state is displayed.
        answers: the solver's last answers, at most ANSWERS, oldest first.
    """
    if not total:
        return [TextPart("Your list of actions was empty, so nothing was done.")]
    parts: list[Part] = []
    lines = ["What came of your actions:"]
    if total > len(last):
        lines = [f"You gave {total:,} actions. What came of the last ones:"]
    looks = sum(result.kind == "observation" for _, result, _, _ in last)
    asked = sum(result.kind == "solver" for _, result, _, _ in last)
    run: list[tuple[int, CommandResult]] = []
    for number, result, state, viewpoint in last:
        if result.kind == "turn":
            run.append((number, result))
            continue
        lines += _describe_turns(run)
        run = []
        head = f"{number:,}. {result.command}: "
        if result.kind == "observation":
            looks -= 1
            seen = observe_state(state, viewpoint, display) if looks < LOOKS else "(not shown)"
            if isinstance(seen, str):
                lines.append(head + seen)
            else:
                parts += [TextPart("\n".join([*lines, head.rstrip()])), PicturePart(seen)]
                lines = []
        elif result.kind == "solver":
            asked -= 1
            lines.append(head + (answers[-1 - asked] if asked < len(answers) else "(not told)"))
        else:
            lines.append(head + (f"refused: {result.text}" if result.is_refused else "done"))
    lines += _describe_turns(run)
    return [*parts, TextPart("\n".join(lines))] if lines else parts


def _describe_turns(run: Sequence[tuple[int, CommandResult]]) -> list[str]:
    """Return the line that tells the rewards of consecutive moves."""
    if not run:
        return []
    first, last = run[0][0], run[-1][0]
    where = f"{first:,}" if first == last else f"{first:,}-{last:,}"
    moves = " ".join(result.command for _, result in run)
    rewards = " ".join(str(result.reward) for _, result in run)
    return [f"{where}. {moves}: reward{'s' if len(run) > 1 else ''} {rewards}"]


def closing_line(step: int, steps: int, made: int) -> str:
    """Return the last line of a prompt after a step.

    Args:
        step: the step that is due now, from 1.
        steps: number of steps of the episode.
        made: moves made so far in the episode.
    """
    return f"{made:,} move{'' if made == 1 else 's'} made so far. This is step {step} of {steps}."


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
            opening = opening_parts(self._environment.current_observation(), start.steps)
            return chat_prompt(rules_text(start.rules, start.mode, start.steps), *opening)
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
            parts: list[Part] = [TextPart(unreadable_text(start.mode))]
        else:
            answers = [environment.ask_solver(happening[1].command) for happening in kept.asked]
            parts = result_parts(kept.list_happenings(), kept.total, start.rules.display, answers)
        closing = closing_line(self._step + 1, start.steps, environment.counts.make_moves)
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
