"""Write VLMEvalKit tables of single questions, and define a dataset class that grades by replay.

`facelet harness tool=vlmevalkit` writes a TSV file for each config and split, and
`facelet_rows.py`, which registers them and then runs VLMEvalKit's own `run.py`:

    python tables/facelet_rows.py run.py --data facelet_SUITE_TASK --model NAME

A table has VLMEvalKit's columns (index, image as base64 or as a list of several, image_path,
question, answer, category, split), the row's `id`, and `chat`, the parts of the prompt in order.
Only `register` imports VLMEvalKit.
"""

from __future__ import annotations

import base64
import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from facelet.pipeline.adapters._dataset_folder import find_row, score_reply
from facelet.pipeline.adapters.harness import format_task_name
from facelet.pipeline.dataset import dataset_reader
from facelet.pipeline.rollout.chat_messages import chat_text, iterate_parts

COLUMNS = (
    *("index", "id", "category", "split", "question", "answer", "chat", "image_path", "image"),
)
"""Columns of a table; `image_path` and `image` are left out where no row has a picture."""

SCRIPT = '''"""Run VLMEvalKit on these tables: python {name} run.py --data NAME --model NAME"""

import runpy
import sys
from pathlib import Path

from facelet.pipeline.adapters.vlmevalkit import register

register(Path(__file__).parent, {dataset!r})

if __name__ == "__main__":
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
'''


def write_tables(parts: Sequence[dataset_reader.SplitFiles], dataset: Path, out: Path) -> int:
    """Write the tables and the script; return the number of tables.

    Args:
        parts: splits of single questions.
        dataset: the dataset folder that replies are graded with.
        out: an empty folder.
    """
    for part in parts:
        with (out / f"{format_task_name(part.config, part.name)}.tsv").open(
            "w", encoding="utf-8", newline=""
        ) as file:
            pictured = any(row["image_hashes"] for row in part.iterate_rows(["image_hashes"]))
            names = COLUMNS if pictured else COLUMNS[:-2]
            sheet = csv.DictWriter(file, names, delimiter="\t", extrasaction="ignore")
            sheet.writeheader()
            sheet.writerows(_iterate_table_rows(part))
    name = "facelet_rows.py"
    text = SCRIPT.format(name=name, dataset=str(dataset.resolve()))
    (out / name).write_text(text, encoding="utf-8")
    return len(parts)


def _iterate_table_rows(part: dataset_reader.SplitFiles) -> Iterator[dict[str, object]]:
    """Yield the lines of a table."""
    for index, row in enumerate(part.iterate_rows(images=True)):
        pictures = [
            base64.b64encode(image["bytes"]).decode("ascii") for image in row["images"] or ()
        ]
        names = [f"{row['id'].replace('/', '_')}_{i}.png" for i in range(len(pictures))]
        yield {
            "index": index,
            "id": row["id"],
            "category": row["id"].split("/")[1],
            "split": part.name,
            "question": chat_text(row["messages"]),
            "answer": row["gold"],
            "chat": json.dumps(
                [
                    {"type": "text", "value": item["text"]}
                    if item["type"] == "text"
                    else {"type": "image", "value": item["image"]}
                    for item in iterate_parts(row["messages"])
                ]
            ),
            "image_path": names[0] if len(names) == 1 else json.dumps(names),
            "image": pictures[0] if len(pictures) == 1 else json.dumps(pictures),
        }


def score_lines(lines: Sequence[Mapping[str, Any]], dataset: str) -> list[dict[str, float]]:
    """Return the figures of each reply, graded as by `facelet score`.

    Args:
        lines: lines of VLMEvalKit's predictions: `id` and `prediction`.
        dataset: the dataset folder.

    Raises:
        ValueError: the dataset has no row of an id.
    """
    return [score_reply(find_row(dataset, str(line["id"])), line["prediction"]) for line in lines]


def register(folder: Path, dataset: str) -> type:
    """Register the tables of a folder with VLMEvalKit; return their dataset class.

    Args:
        folder: the folder of the tables.
        dataset: the dataset folder of the tables.

    Raises:
        ImportError: VLMEvalKit is not installed.
    """
    try:
        base = import_module("vlmeval.dataset.image_base").ImageBaseDataset
        known, smp = import_module("vlmeval.dataset"), import_module("vlmeval.smp")
    except ImportError as error:
        raise ImportError("VLMEvalKit is not installed: follow its own guide") from error
    import pandas as pd

    tables = {path.stem: path for path in sorted(folder.glob("*.tsv"))}

    class FaceletDataset(base):  # type: ignore[misc, valid-type]
        """The tables of a Facelet dataset."""

        TYPE = "VQA"

        def __init__(self, dataset: str, skip_noimg: bool = False) -> None:
            """Read a table, rows without pictures included."""
            self.dataset_name = dataset
            self.img_root = str(Path(smp.LMUDataRoot(), "images", dataset))
            self.skip_noimg = False
            self.meta_only = False
            self.data = self.load_data(dataset)

        @classmethod
        def supported_datasets(cls) -> list[str]:
            """Return the names of the tables."""
            return list(tables)

        def load_data(self, dataset: str) -> Any:
            """Return a table."""
            csv.field_size_limit(2**31 - 1)
            return pd.read_csv(tables[dataset], sep="\t", keep_default_na=False, dtype={"id": str})

        def build_prompt(self, line: Any) -> list[dict[str, str]]:
            """Return the chat of a line, with pictures as files."""
            if isinstance(line, int):
                line = self.data.iloc[line]
            paths = self.dump_image(line)
            return [
                part | {"value": paths[part["value"]]} if part["type"] == "image" else part
                for part in json.loads(line["chat"])
            ]

        def dump_image(self, line: Any) -> list[str]:
            """Write the pictures of a line; return their paths."""
            names, pictures = (
                json.loads(told) if told.startswith("[") else [told] if told else []
                for told in (line.get("image_path", ""), line.get("image", ""))
            )
            home = Path(self.img_root)
            home.mkdir(parents=True, exist_ok=True)
            for name, picture in zip(names, pictures, strict=True):
                (home / name).write_bytes(base64.b64decode(picture))
            return [str(home / name) for name in names]

        def evaluate(self, eval_file: str, **judge: object) -> Any:
            """Return the share of correct replies, overall and by difficulty, without a judge."""
            lines = smp.load(eval_file)
            found = pd.DataFrame(score_lines(lines.to_dict("records"), dataset))
            found["category"] = list(lines["category"])
            means = found.groupby("category").mean()
            means.loc["Overall"] = found[["acc", "strict_acc"]].mean()
            table = means.reset_index()
            smp.dump(table, str(Path(eval_file).with_suffix("")) + "_acc.csv")
            return table

    known.DATASET_CLASSES.insert(0, FaceletDataset)
    known.SUPPORTED_DATASETS.extend(tables)
    return FaceletDataset
