"""Steps of a player: a verb and its arguments, which are names and words.

shoot F2 blue P4     from floor F2 (or a button that the player stands on) a portal onto a panel
both F2 P4 P7        the blue portal onto the first panel and the orange one onto the second
take C1              pick a thing up
put B2, put Q1 east  put the thing in hand onto, or let it fall into, something; a mirror cube
faces the direction
press S1             press a switch
stand B2             step onto a button or a lift
enter P4             go, or jump, into a portal, a beam or onto a launch plate
drop F3              jump down onto a floor
wait                 let a step pass
leave                walk out through the exit
"""

from __future__ import annotations

from typing import NamedTuple

BLUE, ORANGE = COLOURS = ("blue", "orange")
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "shoot": ("origin", "colour", "panel"),
    "both": ("origin", "panel", "panel"),
    "take": ("thing",),
    "put": ("target", "direction"),
    "press": ("target",),
    "stand": ("target",),
    "enter": ("target",),
    "drop": ("floor",),
    "wait": ("origin",),
    "leave": (),
}
"""What the arguments of each verb are; the direction is left out where nothing faces one."""


# A named tuple, not a dataclass: the planner makes and hashes millions.
class Step(NamedTuple):
    """A step.

    Attributes:
        verb: one of ARGUMENTS.
        args: its arguments.
    """

    verb: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return verb and arguments, separated by blanks."""
        return " ".join((self.verb, *self.args))


LEAVE = Step("leave")


def parse_step(text: str) -> Step:
    """Return the step of its verb and arguments; the inverse of str.

    Raises:
        ValueError: there is no such verb, or it takes other arguments.
    """
    verb, *args = text.split(" ")
    if verb not in ARGUMENTS:
        raise ValueError(f"{text!r} begins with no verb; use one of {', '.join(ARGUMENTS)}")
    wanted = len(ARGUMENTS[verb])
    if len(args) not in ((wanted - 1, wanted) if verb == "put" else (wanted,)):
        raise ValueError(f"{text!r} has {len(args)} arguments; use {wanted} for {verb}")
    return Step(verb, tuple(args))
