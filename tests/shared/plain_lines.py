"""The simple lines of JSON Lines by one expression: the oracle of the compiled part."""

from __future__ import annotations

import json
import re
from functools import cache

from facelet.pipeline.input_gate import MAX_NAME
from facelet.pipeline.scoring.ingest.json_stream import LONGEST, Lines

_TEXT = json.JSONDecoder().raw_decode
_PLAIN = r'[^"\\\x00-\x1f\x80-\xff]'
_VALUES = {
    "id": rf'"(?P<id>{_PLAIN}{{1,{MAX_NAME}}})"',
    "prediction": (r'"(?P<prediction>[^"\\\x00-\x1f]*+(?:\\["\\/bfnrtu][^"\\\x00-\x1f]*+)*+)"'),
    "model": rf'"(?P<model>{_PLAIN}{{1,{MAX_NAME}}})"',
    "sample_idx": r"(?P<sample_idx>0|[1-9][0-9]{0,8})",
}


def scan_lines(data: bytes, begin: int, fields: tuple[str, ...]) -> tuple[Lines, int]:
    """Return the simple lines of bytes from a place, and where others begin."""
    lines, match = Lines(), _pattern(fields).match
    keys: list[bytes] = []
    models: list[bytes | None] = []
    samples: list[bytes | None] = []
    while line := match(data, begin):
        key, said, model, sample = line.group("id", "prediction", "model", "sample_idx")
        if len(said) > LONGEST:
            break
        try:
            text = said.decode()
            if "\\" in text:
                text = _TEXT(f'"{text}"')[0]
        except ValueError:
            break  # It is not UTF-8, or an escape is broken; the JSON reader says how.
        keys.append(key)
        lines.texts.append(text)
        models.append(model)
        samples.append(sample)
        begin = line.end()
    # No id holds the end of a line. Names and numbers are few.
    lines.keys = b"\n".join(keys).decode().split("\n") if keys else []
    names = {model: model.decode() if model else None for model in set(models)}
    lines.models = [names[model] for model in models]
    numbers = {sample: int(sample) if sample else 0 for sample in set(samples)}
    lines.samples = [numbers[sample] for sample in samples]
    return lines, begin


@cache
def _pattern(fields: tuple[str, ...]) -> re.Pattern[bytes]:
    """Return the expression of lines with keys in an order."""
    pairs = ", ?".join(f'"{key}": ?{_VALUES[key]}' for key in fields)
    absent = "".join(f"(?P<{key}>)?" for key in _VALUES if key not in fields)
    return re.compile(rf"\{{{pairs}\}}\r?\n{absent}".encode())
