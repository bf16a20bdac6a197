"""Functions that the YAML tasks of lm-evaluation-harness name: prompts, pictures, and grades.

`facelet harness tool=lm-eval` writes the YAML. The harness has a prompt of one text, in which the
messages follow one another and <image> marks each picture.
"""

from __future__ import annotations

from collections.abc import Sequence

from facelet.pipeline.adapters._dataset_folder import list_pictures, score_reply
from facelet.pipeline.dataset.row_columns import AnyRow
from facelet.pipeline.optional_packages import import_optional
from facelet.pipeline.rollout.chat_messages import chat_text

import_optional("lm_eval", "lm-eval")

doc_to_image = list_pictures


def doc_to_text(doc: AnyRow) -> str:
    """Return the prompt of a row of `load_dataset` as one text."""
    return chat_text(doc["messages"], "<image>")


def process_results(doc: AnyRow, results: Sequence[object]) -> dict[str, float]:
    """Return the figures of a reply.

    Args:
        doc: the row; its pictures may be left out.
        results: a list of the reply.
    """
    return score_reply(doc, results[0])
