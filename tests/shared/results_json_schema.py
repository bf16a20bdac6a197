"""Generate the JSON Schema of results.json (draft 2020-12) from the types in `results_schema`.

It is published as conf/schema/results.json; run this module to print it. Additional names are
allowed anywhere, so that a release may add some without a new version.
"""

from __future__ import annotations

import inspect
import json
import types
from collections.abc import Mapping, Sequence
from typing import (
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from facelet.pipeline.scoring.render import results_schema

_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}

Schema = dict[str, Any]
"""A JSON Schema; what stands in one depends on its keywords."""


def json_schema() -> Schema:
    """Return the schema of results.json."""
    known: dict[str, Schema] = {}
    whole = _type_schema(results_schema.Results, known)
    version = known["Results"]["properties"]["schema_version"]
    version.clear()
    version["const"] = results_schema.SCHEMA_VERSION
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Facelet results, version {results_schema.SCHEMA_VERSION}",
        **whole,
        "$defs": dict(sorted(known.items())),
    }


def _type_schema(kind: Any, known: dict[str, Schema]) -> Schema:
    """Return the schema of a type; those of objects are entered under their names."""
    if is_typeddict(kind):
        return _object_schema(kind, known)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (NotRequired, Required):
        return _type_schema(parts[0], known)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_type_schema(part, known) for part in parts]}
    if origin in (Sequence, list):
        return {"type": "array", "items": _type_schema(parts[0], known)}
    if origin in (Mapping, dict):
        return {"type": "object", "additionalProperties": _type_schema(parts[1], known)}
    return {}  # Any JSON value.


def _object_schema(kind: Any, known: dict[str, Schema]) -> Schema:
    """Return a reference to the schema of an object."""
    name = kind.__name__
    if kind.__module__ != results_schema.__name__:
        name = f"{kind.__module__.rpartition('.')[2]}.{name}"
    if name not in known:
        schema = known[name] = {"type": "object"}
        if text := inspect.getdoc(kind):
            schema["description"] = text.partition("\n")[0]
        hints = get_type_hints(kind, include_extras=True)
        schema["properties"] = {field: _type_schema(hint, known) for field, hint in hints.items()}
        # Of annotations that are texts, `__required_keys__` knows no NotRequired.
        needed = [field for field, hint in hints.items() if get_origin(hint) is not NotRequired]
        schema["required"] = sorted(needed)
    return {"$ref": f"#/$defs/{name}"}


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=1))
