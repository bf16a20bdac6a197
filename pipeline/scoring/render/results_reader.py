"""Read results.json; other versions are refused, so that no page fails on them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from facelet.pipeline.scoring.render import results_schema

RESULTS = "results.json"

MOST_BYTES = 1 << 29
"""Greatest size that is read."""


def read_results(folder: Path) -> results_schema.Results:
    """Return the results that a folder holds.

    Args:
        folder: what `facelet score` wrote.

    Raises:
        ValueError: it contains none, or none that this version wrote.
    """
    path = folder / RESULTS
    if not path.is_file():
        raise ValueError(f"no {RESULTS} in {str(folder)!r}; `facelet score out=...` writes it")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path} has more than {MOST_BYTES:,} bytes; name a folder of a run")
    try:
        content: Any = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} cannot be read as JSON: {error}") from None
    version = content.get("schema_version") if isinstance(content, dict) else None
    if version != results_schema.SCHEMA_VERSION:
        raise ValueError(
            f"{path} has version {version!r}, and version "
            f"{results_schema.SCHEMA_VERSION} is read; score "
            "the predictions again"
        )
    if missing := _missing_key(content):
        raise ValueError(
            f"{path} has no {missing!r}: an earlier Facelet wrote it; score the predictions again"
        )
    return cast(results_schema.Results, content)


def _missing_key(content: dict[str, Any]) -> str:
    """Return the first key that is missing, of all there are and of those of suites and people."""
    for name in results_schema.Results.__annotations__:
        if name not in content:
            return name
    for part, kind in (("suites", results_schema.Suite), ("people", results_schema.People)):
        for one in content[part]:
            for name in kind.__annotations__:
                if name not in one:
                    return f"{part}.{name}"
    return ""
