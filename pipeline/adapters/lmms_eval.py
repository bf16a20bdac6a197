"""lmms-eval: what its tasks show of a row, and what a reply is worth, by replay.

`facelet harness tool=lmms-eval` writes the YAML of the tasks, which name functions of this module.
Chat models see the row's own messages; the older kind sees one text and the pictures before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.adapters._dataset_folder import score_reply
from facelet.pipeline.adapters._optional_package import import_optional
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.rollout.chat_messages import Chat

import_optional("lmms_eval", "lmms-eval")


def doc_to_messages(doc: AnyRow, lmms_eval_specific_kwargs: object = None) -> Chat:
    """Return the chat of a row, pictures in their places.

    Args:
        doc: a row of `load_dataset`.
        lmms_eval_specific_kwargs: not used.
    """
    return [
        {
            "role": message["role"],
            "content": [
                {"type": "text", "text": part["text"]}
                if part["type"] == "text"
                else {"type": "image", "url": doc["images"][part["image"]]}
                for part in message["content"]
            ],
        }
        for message in doc["messages"]
    ]


def doc_to_text(doc: AnyRow, lmms_eval_specific_kwargs: object = None) -> str:
    """Return the prompt of a row as one text.

    Args:
        doc: the row.
        lmms_eval_specific_kwargs: not used.
    """
    return "\n\n".join(
        part["text"]
        for message in doc["messages"]
        for part in message["content"]
        if part["type"] == "text"
    )


def doc_to_visual(doc: AnyRow) -> list[object]:
    """Return the pictures of a row, in the order in which its chat shows them."""
    return [
        doc["images"][part["image"]]
        for message in doc["messages"]
        for part in message["content"]
        if part["type"] == "image"
    ]


def process_results(doc: AnyRow, results: Sequence[object]) -> dict[str, float]:
    """Return the figures of a reply.

    Args:
        doc: the row; its pictures may be left out.
        results: the reply, first of a list of one.
    """
    return score_reply(doc, results[0])
