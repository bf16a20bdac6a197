"""Declare the difficulty settings of a task, with defaults, bounds and help.

A field made by `param` holds its default, its meaning, its bounds and its unit. From these follow
the check of its value, the help of the command line and the table in the documentation:

    @dataclass(frozen=True, slots=True)
    class Params(BaseParams):
        level: int = param(1, "place on the ladder", low=1, high=999, axis="level")
        hint: Literal["none", "digit"] = param("none", "what the first prompt gives away")

Allowed values are those of the annotation: a whole number from `low` to `high`, one of a Literal's
values, true or false. What depends on several fields at once is for the task's own `validate`,
which calls this one first. A subclass that wants another default only writes just that:

    class EasyParams(Params):
        level: int = 2
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from facelet.generators.core.memoization import once_per_class

KEY = "facelet.param"
"""Where the metadata of a field hold its description."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The place of an item on its task's difficulty axis.

    Attributes:
        axis: name of the axis in the field's terms, such as "optimal_depth".
        value: the position on the axis; larger is harder.
        label: the path element of item ids, such as "d07"; lower-case ASCII, at most 12 letters.
    """

    axis: str
    value: int
    label: str


@dataclass(frozen=True, slots=True)
class Param:
    """What a field of params says about itself.

    Attributes:
        doc: its meaning, in a line without a full stop.
        low: least allowed value of a whole number.
        high: greatest allowed value of a whole number; None where nothing bounds it.
        unit: what a number counts, such as "turns"; "" for none.
        axis: name of the difficulty axis that it is the place on; "" if it is none.
        label: how that place is written in row ids, as a format of one number.
        look: whether it says how a puzzle is shown, and nothing else about it: its default is what
            other values are compared with, puzzle by puzzle.
        tried: values of a whole number that the contract tests try beside the default; of a Literal
            they try all.
        harder: values from the easiest to the hardest, where another than the default makes a
            puzzle of the same level harder; `facelet evolve` goes along them.
    """

    doc: str
    low: int | None = None
    high: int | None = None
    unit: str = ""
    axis: str = ""
    label: str = ""
    look: bool = False
    tried: tuple[int, ...] = ()
    harder: tuple[object, ...] = ()


def param(
    default: Any,
    doc: str,
    *,
    low: int | None = None,
    high: int | None = None,
    unit: str = "",
    axis: str = "",
    label: str = "",
    look: bool = False,
    tried: tuple[int, ...] = (),
    harder: tuple[object, ...] = (),
) -> Any:
    """Return a field of params; see Param for the arguments.

    A field with an axis is labelled by the axis's first letter and two digits unless `label` says
    otherwise: level 3 is "l03".
    """
    label = label or (f"{axis[0]}{{:02d}}" if axis else "")
    about = Param(doc, low, high, unit, axis, label, look, tried, harder)
    return field(default=default, metadata={KEY: about})


@dataclass(frozen=True, slots=True)
class BaseParams:
    """Base of params: a frozen dataclass whose fields have defaults."""

    def validate(self) -> None:
        """Raise ValueError naming the field, its value, the allowed values and the fix."""
        for name, about, hint in list_params(type(self)):
            check_param(name, getattr(self, name), about, hint)

    def difficulty(self) -> Difficulty:
        """Return the place of these params on the task's difficulty axis.

        Raises:
            TypeError: no field names an axis.
        """
        for name, about, _ in list_params(type(self)):
            if about.axis:
                value = getattr(self, name)
                return Difficulty(about.axis, value, about.label.format(value))
        raise TypeError(f"no field of {type(self).__qualname__} has an axis; give one to `param`")


@once_per_class
def list_params(params: type[Any]) -> tuple[tuple[str, Param, Any], ...]:
    """Return name, description and annotation of each field made by `param`, in order."""
    hints = get_type_hints(params)
    said: dict[str, Param] = {
        item.name: item.metadata[KEY]
        for base in reversed(params.__mro__)
        for item in vars(base).get("__dataclass_fields__", {}).values()
        if KEY in item.metadata
    }
    return tuple(
        (item.name, said[item.name], hints[item.name])
        for item in fields(params)
        if item.name in said
    )


def explain_params(params: type[Any]) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, default, allowed values and meaning of each described field, as text."""
    defaults = params()
    for name, about, hint in list_params(params):
        unit = f" {about.unit}" if about.unit else ""
        yield (
            name,
            f"{getattr(defaults, name)}",
            f"{describe_allowed(about, hint)}{unit}",
            about.doc,
        )


def describe_allowed(about: Param, hint: Any) -> str:
    """Return which values a field takes, in words."""
    if get_origin(hint) is Literal:
        return ", ".join(map(str, get_args(hint)))
    if hint is bool:
        return "true, false"
    if about.low is not None and about.high is not None:
        return f"{about.low} to {about.high}"
    if about.low is not None:
        return f"at least {about.low}"
    return getattr(hint, "__name__", str(hint))


def check_param(name: str, value: Any, about: Param, hint: Any) -> None:
    """Raise ValueError unless a value is one that its field takes.

    Args:
        name: name of the field, for the message.
        value: the value.
        about: the field's bounds.
        hint: its annotation: int, bool, a Literal, or anything else, which is not checked here.
    """
    if get_origin(hint) is Literal:
        check_choice(name, value, get_args(hint))
    elif hint is bool:
        check_flag(name, value)
    elif hint is int and about.low is not None:
        check_range(name, value, about.low, about.high)


def check_choice(name: str, value: Any, allowed: Iterable[Any]) -> None:
    """Raise ValueError unless a field has one of the allowed values."""
    known = tuple(allowed)
    if value not in known:
        words = ", ".join(map(str, known))
        raise ValueError(f"{name}={value!r} is unknown; use one of {words}")


def check_range(name: str, value: int, low: int, high: int | None) -> None:
    """Raise ValueError unless a field is a whole number from `low` to `high`.

    Args:
        name: name of the field, for the message.
        value: the value.
        low: least allowed value.
        high: greatest allowed value; None where nothing bounds it.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        bounds = f"{low} to {high}" if high is not None else f"of at least {low}"
        raise ValueError(f"{name}={value!r} is out of range; use a whole number {bounds}")


def check_flag(name: str, value: bool) -> None:
    """Raise ValueError unless a field is true or false."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}={value!r} is neither true nor false; use one of the two")
