"""Functions that the YAML tasks of lmms-eval name: chats, pictures, and grades.

`facelet harness tool=lmms-eval` writes the YAML. Chat models receive the messages of the row; older
models receive one text and the pictures before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.adapters._dataset_folder import list_pictures, score_reply
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import Chat, chat_text, convert_chat

import_optional("lmms_eval", "lmms-eval")

doc_to_visual = list_pictures


def doc_to_messages(doc: AnyRow, lmms_eval_specific_kwargs: object = None) -> Chat:
    """Return the chat of a row with its pictures.

    Args:
        doc: a row of `load_dataset`.
        lmms_eval_specific_kwargs: not used.
    """
    return convert_chat(
        doc["messages"], lambda index: {"type": "image", "url": doc["images"][index]}
    )


def doc_to_text(doc: AnyRow, lmms_eval_specific_kwargs: object = None) -> str:
    """Return the prompt of a row as one text.

    Args:
        doc: the row.
        lmms_eval_specific_kwargs: not used.
    """
    return chat_text(doc["messages"])


def process_results(doc: AnyRow, results: Sequence[object]) -> dict[str, float]:
    """Return the figures of a reply.

    Args:
        doc: the row; its pictures may be left out.
        results: a list of the reply.
    """
    return score_reply(doc, results[0])
