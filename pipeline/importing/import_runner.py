"""Running an import: what was read becomes a dataset, the rest is reported and kept apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from facelet.pipeline.dataset.files import write_text
from facelet.pipeline.dataset.hashing import hash_file
from facelet.pipeline.importing import formats, writing
from facelet.pipeline.importing.items import Broken
from facelet.pipeline.importing.settings import ImportSettings
from facelet.pipeline.json_values import JSON
from facelet.pipeline.words import plain

SHOWN = 8
"""Most reasons that are printed; all stand in the file."""


def run(settings: ImportSettings) -> int:
    """Import, report, and return 0, or 1 where something is kept apart.

    Raises:
        ValueError: the folder is there already, or there is nothing to be imported.
        OSError: a file cannot be read or written.
    """
    settings.check()
    out = settings.out
    if out.exists():
        raise ValueError(f"{str(out)!r} is there already; name another folder with out=...")
    found = formats.read(settings)
    placed, broken = writing.place(found)
    if not placed and not broken:
        raise ValueError(f"{str(settings.source)!r} holds no items of format={settings.format}")
    if placed:
        rows = writing.write(found, placed, out, settings.seed, _asked(settings))
        print(plain(f"{out}: {rows} rows of {len(placed)} items"))
    else:
        print("no item could be made a row; no dataset is written")
    if broken:
        path = Path(f"{out}.broken.jsonl")
        writing.write_broken(broken, path)
        print(plain(f"{path}: {len(broken)} lines kept apart\n{_reasons(broken)}"))
    if settings.answers is None or not placed:
        return int(bool(broken))
    lines, refused = formats.answers(settings, placed)
    path = Path(f"{out}.answers.jsonl")
    write_text(path, "".join(lines))
    print(plain(f"{path}: {len(lines)} transcripts; facelet score judges them by replay"))
    if refused:
        path = Path(f"{out}.answers.broken.jsonl")
        writing.write_broken(refused, path)
        print(plain(f"{path}: {len(refused)} transcripts kept apart\n{_reasons(refused)}"))
    return int(bool(broken or refused))


def _reasons(broken: Sequence[Broken]) -> str:
    """Return the commonest reasons, each with its count and first place."""
    first: dict[str, str] = {}
    for one in broken:
        first.setdefault(one.reason, one.line.place)
    counts = Counter(one.reason for one in broken).most_common()
    lines = [f"  {count} x {reason} (first: {first[reason]})" for reason, count in counts[:SHOWN]]
    if len(counts) > SHOWN:
        lines.append(f"  and {len(counts) - SHOWN} other reasons, in the file")
    return "\n".join(lines)


def _asked(settings: ImportSettings) -> JSON:
    """Return all that decides the rows, as plain values."""
    source = settings.source
    files = [source] if source.is_file() else sorted(source.rglob("*.jsonl"))
    return [
        *(settings.format, settings.task, settings.metric, settings.seed, settings.limit),
        [[path.name, hash_file(path)] for path in files],
    ]
