"""Read results.json; other versions are refused, so that no page fails on them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

from facelet.pipeline.input_gate import parse_object
from facelet.pipeline.scoring.render import results_schema

RESULTS = "results.json"

MOST_BYTES = 1 << 29
"""Greatest size that is read."""


def load_results(path: Path, versions: Collection[int]) -> dict[str, Any]:
    """Return the content of a results file, or of that in the folder of a run.

    Args:
        path: the file or the folder.
        versions: the versions that are read.

    Raises:
        ValueError: there is none, or none of these versions.
    """
    file = path / RESULTS if path.is_dir() else path
    if not file.is_file():
        raise ValueError(f"no {RESULTS} in {str(path)!r}; `facelet score out=...` writes it")
    if file.stat().st_size > MOST_BYTES:
        raise ValueError(f"{file} has more than {MOST_BYTES:,} bytes; name a folder of a run")
    try:
        found: dict[str, Any] = parse_object(file.read_bytes())
    except ValueError as error:
        raise ValueError(f"{file} cannot be read: {error}") from None
    version = found.get("schema_version")
    if version not in versions:
        raise ValueError(
            f"{file} has version {version!r}, and version "
            f"{' or '.join(map(str, versions))} is read; score the predictions again"
        )
    return found


def read_results(folder: Path) -> results_schema.Results:
    """Return the results that a folder holds.

    Args:
        folder: what `facelet score` wrote.

    Raises:
        ValueError: it contains none, or none that this version wrote.
    """
    content = load_results(folder, (results_schema.SCHEMA_VERSION,))
    if missing := _missing_key(content):
        raise ValueError(
            f"{folder / RESULTS} has no {missing!r}: an earlier Facelet wrote it; score the "
            "predictions again"
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
