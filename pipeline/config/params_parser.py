"""Parse a task's params from plain values of YAML and the command line.

Types are checked against the record's annotations, ranges by its own `validate`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from facelet.generators.core.memoization import once_per_class
from facelet.generators.core.task import Params
from facelet.pipeline.argument_text import unknown_word_error
from facelet.pipeline.family_modules import AnyTask


def read_params(task: AnyTask, values: Mapping[str, object], where: str) -> Params:
    """Return a task's params record from plain values, validated.

    Args:
        task: the task.
        values: plain values by name; the others keep their defaults.
        where: the config that they are for, for errors.

    Raises:
        ValueError: a param is unknown, or its value has the wrong type or is out of range.
    """
    hints = _read_hints(task.params)
    names = [item.name for item in dataclasses.fields(task.params)]
    given: dict[str, object] = {}
    for name, value in values.items():
        if name not in names:
            raise unknown_word_error(f"param of {task.name} in {where}:", name, names)
        value = tuple(value) if isinstance(value, list | tuple) else value
        if not _is_of_type(value, hints[name]):
            raise ValueError(
                f"{where}.params.{name}={value!r} has the wrong type; {task.name} wants "
                f"{_format_type(hints[name])}"
            )
        given[name] = value
    params: Params = task.params(**given)
    try:
        params.validate()
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return params


@once_per_class
def _read_hints(record: type[Any]) -> Mapping[str, Any]:
    """Return the annotations of a record; to make them takes milliseconds."""
    return get_type_hints(record)


def _format_type(hint: object) -> str:
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def _is_of_type(value: object, hint: Any) -> bool:
    """Whether a plain value is of an annotated type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_is_of_type(value, option) for option in args)
    if origin is Literal:
        return value in args
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        if len(args) == 2 and args[1] is Ellipsis:
            return all(_is_of_type(item, args[0]) for item in value)
        return len(value) == len(args) and all(map(_is_of_type, value, args))
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
