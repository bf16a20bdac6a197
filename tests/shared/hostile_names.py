"""Names of models that a stranger chose, and runs that hold them."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

PIECES = (
    *("\0", "\u2028", "\u2029", "\u202e", "\x1b[2J", "\ufeff", "\ud800", "\n", "\t", "'", '"'),
    *("<script>window.ran = 1</script>", "<img src=x onerror='window.ran = 2'>", "</script>"),
    *("javascript:window.ran=3", "${window.ran = 4}", "{{7*7}}", "{% for x in y %}", "]]>", "`"),
    *("\\u0000", "\\", "%00", "../..", "constructor", "__proto__", "datum.x", "a" * 500, "</svg>"),
    *("&lt;", "模型", "🙂"),
)


def draw_name(chance: random.Random, words: int) -> str:
    """Return a name of so many words, each of one to three pieces."""
    return " ".join("".join(chance.choices(PIECES, k=chance.randint(1, 3))) for _ in range(words))


def rename_models(run: Path, names: Mapping[str, str]) -> None:
    """Give the models of a run other names, in all of its files, as nobody who scored could."""
    path = run / "results.json"
    text = path.read_text(encoding="utf-8")
    written = {}
    for old, new in names.items():
        text = text.replace(json.dumps(old), json.dumps(new))
        written[old] = new.encode("utf-8", "replace").decode()
    path.write_text(text, encoding="utf-8")
    for file in run.glob("*.parquet"):
        table = pq.read_table(file)
        models = [written.get(name, name) for name in table.column("model").to_pylist()]
        place = table.schema.get_field_index("model")
        pq.write_table(table.set_column(place, "model", pa.array(models)), file)
