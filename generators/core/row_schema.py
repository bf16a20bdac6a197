"""Derive the typed columns of published rows from the fields of instances.

    @dataclass(frozen=True, slots=True)
    class Instance:
        size: int = column("cells along a side", type="int8", role="puzzle")
        walls: tuple[str, ...] = column("walls that nothing passes, as a-b", role="puzzle")
        start: Place = nested(Place)
        exit: int = column("the cell that leads out", role="answer")

From these follow the columns, the row that holds an instance, and the instance that a row holds. A
nested record brings its own columns. Types come from the annotation: int (int32 unless said
otherwise), float, bool, str, a Literal of strings, a tuple of one of these as a list, and
"X | None" as a column that may be null.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from facelet.generators.core.fast_records import fast_constructor
from facelet.generators.core.memoization import once_per_class

Role = Literal[
    "",
    "answer",
    "options",
    "puzzle",
    "secret",
    "canonical",
    "family",
    "doublable",
    "chance",
    "unseen",
]


@dataclass(frozen=True, slots=True)
class Column:
    """A typed column of a task's published rows.

    Attributes:
        name: lower-case snake case, distinct from the common columns.
        type: an Arrow type by name: bool, int8, int16, int32, int64, float64, string,
            or list<...> of one of these.
        doc: one line for the dataset card.
        optional: whether a row may leave it null.
        role: what audits and contract tests take it for. "answer": what the player has to find
            out, on which no prompt depends; "options": the texts of the answer options, in the
            order of their letters; "puzzle": what no two items of a config may share;
            "secret": a part of it that no prompt shows and play uncovers (no two items share both);
            "canonical": the puzzle up to symmetry, and "family": what it was derived from,
            neither of which two splits may share; "doublable": the classes of which an item with
            every class once could have shown a second option; "chance": the probability that an
            answer drawn evenly from those that the rules allow is right; "unseen": what the first
            prompt does not show and the rest of the episode depends on, so that rows that differ
            in it may begin with the same prompt.
    """

    name: str
    type: str
    doc: str
    optional: bool = False
    role: Role = ""


_KEY = "facelet.column"
_TYPES = {str: "string", int: "int32", float: "float64", bool: "bool"}


@dataclass(frozen=True, slots=True)
class _ColumnField:
    doc: str
    type: str
    role: Role


def column(doc: str, *, type: str = "", role: Role = "") -> Any:
    """Return a field of an instance that is a column of its row.

    Args:
        doc: its meaning, one line for the dataset card.
        type: an Arrow type by name (see Column); "" for the one of the annotation.
        role: what audits and contract tests take it for (see Column).
    """
    return field(metadata={_KEY: _ColumnField(doc, type, role)})


def nest_record(record: type[Any]) -> Any:
    """Return a field of an instance that is a record with columns of its own."""
    return field(metadata={_KEY: record})


def columns_of(record: type[Any]) -> tuple[Column, ...]:
    """Return the columns of a record's fields, in order; those of nested records in their place.

    Raises:
        TypeError: a field has no column, or an annotation that no column type fits.
    """
    hints = get_type_hints(record)
    found: list[Column] = []
    for item in fields(record):
        if (said := item.metadata.get(_KEY)) is None:
            raise TypeError(f"{record.__qualname__}.{item.name} has no column; use column(...)")
        if not isinstance(said, _ColumnField):
            found += columns_of(said)
            continue
        kind, optional = _column_type(hints[item.name], f"{record.__qualname__}.{item.name}")
        found.append(Column(item.name, said.type or kind, said.doc, optional, said.role))
    return tuple(found)


def _column_type(hint: Any, where: str) -> tuple[str, bool]:
    """Return the column type of an annotation, and whether it may be null."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType) and NoneType in args and len(args) == 2:
        inner = next(arg for arg in args if arg is not NoneType)
        return _column_type(inner, where)[0], True
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return f"list<{_column_type(args[0], where)[0]}>", False
    if origin is Literal:
        hint = type(args[0])
    if hint not in _TYPES:
        raise TypeError(f"{where}: no column type fits {hint}; encode it by hand")
    return _TYPES[hint], False


@once_per_class
def make_encoder(record: type[Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the function from a record to its columns as plain values."""
    parts = [(item.name, item.metadata[_KEY]) for item in fields(record)]

    def encode_record(value: Any) -> dict[str, Any]:
        row: dict[str, Any] = {}
        for name, said in parts:
            inner = getattr(value, name)
            if isinstance(said, _ColumnField):
                row[name] = list(inner) if isinstance(inner, tuple) else inner
            else:
                row |= make_encoder(said)(inner)
        return row

    return encode_record


@once_per_class
def make_decoder(record: type[Any]) -> Callable[[Mapping[str, Any]], Any]:
    """Return the function from a row to the record that its columns hold.

    Columns that the record does not have are passed over.
    """
    parts: list[tuple[str, Callable[[Mapping[str, Any]], Any] | None, bool]] = []
    hints = get_type_hints(record)
    for item in fields(record):
        said = item.metadata[_KEY]
        inner = None if isinstance(said, _ColumnField) else make_decoder(said)
        parts.append((item.name, inner, get_origin(hints[item.name]) is tuple))
    try:
        make = fast_constructor(record)
    except ValueError:
        make = record

    def decode_record(row: Mapping[str, Any]) -> Any:
        return make(
            *(
                inner(row) if inner else tuple(row[name]) if many else row[name]
                for name, inner, many in parts
            )
        )

    return decode_record


Record = TypeVar("Record")


def without_roles(record: Record, roles: Collection[str]) -> Record:
    """Return a record, those of its fields None whose columns have one of some roles.

    So are those of the records nested in it.
    """
    changes: dict[str, Any] = {}
    for name, said in _record_fields(type(record)):
        if not isinstance(said, _ColumnField):
            changes[name] = without_roles(getattr(record, name), roles)
        elif said.role in roles:
            changes[name] = None
    return replace(record, **changes) if changes else record  # type: ignore[type-var]


@once_per_class
def _record_fields(record: type[Any]) -> tuple[tuple[str, Any], ...]:
    """Return the fields of a record that have columns: name, and what is said of it."""
    return tuple((f.name, f.metadata[_KEY]) for f in fields(record) if _KEY in f.metadata)
