"""lm-evaluation-harness: what its tasks show of a row, and what a reply is worth, by replay.

`facelet harness tool=lm-eval` writes the YAML of the tasks; it names the functions of this module.
The harness has a prompt of one text: messages follow each other, and each picture is <image>.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.adapters._dataset_folder import score_reply
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.dataset.row_columns import AnyRow

import_optional("lm_eval", "lm-eval")


def doc_to_text(doc: AnyRow) -> str:
    """Return the prompt of a row of `load_dataset` as one text."""
    return "\n\n".join(
        part["text"] if part["type"] == "text" else "<image>"
        for message in doc["messages"]
        for part in message["content"]
    )


def doc_to_image(doc: AnyRow) -> list[object]:
    """Return the pictures of a row, in the order in which its text names them."""
    return [
        doc["images"][part["image"]]
        for message in doc["messages"]
        for part in message["content"]
        if part["type"] == "image"
    ]


def process_results(doc: AnyRow, results: Sequence[object]) -> dict[str, float]:
    """Return the figures of a reply.

    Args:
        doc: the row.
        results: the reply, first of a list of one.
    """
    return score_reply(doc, results[0])
